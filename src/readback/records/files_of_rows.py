"""The files of a workspace that are read row by row while its records are looked through: whoever tells of all records
must have seen each of them in one state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import normpath

from readback.readers.file_state import State, state
from readback.records.changed import changed_meanwhile, not_read
from readback.types import Workspace

States = Mapping[str, State | None]  # by name; None: there is no such file


def files_of_rows(opened: Workspace) -> Iterator[str]:
    """Their names below its folder: dataset, answers, logs, training files and tokenizers."""
    named = [*opened.sent, *(one.path for one in opened.training), *(one.answers for one in opened.conditions)]
    named += [name for one in opened.models.values() for name in (one.training_messages, one.tokenizer)]
    named += [opened.dataset.path] if opened.dataset else []
    return (normpath(name) for name in named if name)


def states(opened: Workspace) -> States:
    """Those of all of them but the dataset, which is held open, and logs: these may grow all the time, and what was
    found equal to a request stays equal.
    """
    apart = {*opened.sent, opened.dataset.path if opened.dataset else ""}
    apart = {normpath(name) for name in apart if name}
    return {name: _state(opened, name) for name in files_of_rows(opened) if name not in apart}


def changed(opened: Workspace, before: States) -> str | None:
    """The first file that is no longer in the state it was in."""
    return next((name for name, known in before.items() if _state(opened, name) != known), None)


def why_unread(opened: Workspace, before: States, file: str) -> str:
    """What is said where children did not read records of `file`, and not at a second try, although it has not changed:
    another file has, or none.
    """
    name = changed(opened, before)
    return changed_meanwhile(name) if name else not_read(file)


def _state(opened: Workspace, name: str) -> State | None:
    try:
        return state(opened.root / name)
    except OSError:
        return None

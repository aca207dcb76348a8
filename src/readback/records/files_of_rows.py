"""The files of a workspace that are read row by row while its records are looked through: whoever tells of all records
must have seen each of them in one state. Logs and answers may grow meanwhile: then it is what they held before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from posixpath import normpath

from readback.readers.checksum import of_part
from readback.readers.file_state import State, state
from readback.records.changed import changed_meanwhile, not_read
from readback.types import Workspace

FIRST = 1 << 20  # bytes of a file that may grow, of which a hash tells whether it has only grown


@dataclass(frozen=True, slots=True)
class _Known:
    state: State
    first: str | None = None  # of a file that may grow: the hash of its first bytes


States = Mapping[str, _Known | None]  # by name; None: there is no such file


def files_of_rows(opened: Workspace) -> Iterator[str]:
    """Their names below its folder: dataset, answers, logs, training files and tokenizers."""
    named = [*_growing(opened), *(one.path for one in opened.training)]
    of_models = (name for one in opened.models.values() for name in (one.training_messages, one.tokenizer))
    named += [name for name in of_models if name]
    named += [opened.dataset.path] if opened.dataset else []
    return (normpath(name) for name in named if name)


def _growing(opened: Workspace) -> list[str]:
    return [*opened.sent, *(one.answers for one in opened.conditions if one.answers)]


def states(opened: Workspace) -> States:
    """Those of all of them but the dataset, which is held open."""
    growing = {normpath(name) for name in _growing(opened)}
    own = normpath(opened.dataset.path) if opened.dataset else None
    return {name: _known(opened, name, name in growing) for name in files_of_rows(opened) if name != own}


def changed(opened: Workspace, before: States) -> str | None:
    """The first file that is no longer in the state it was in, and has not only grown, where it may."""
    return next((name for name, known in before.items() if _is_another(opened, name, known)), None)


def why_unread(opened: Workspace, before: States, file: str) -> str:
    """What is said where children did not read records of `file`, and not at a second try, although it has not changed:
    another file has, or none.
    """
    name = changed(opened, before)
    return changed_meanwhile(name) if name else not_read(file)


def _known(opened: Workspace, name: str, growing: bool) -> _Known | None:
    path = opened.root / name
    try:
        found = state(path)
        return _Known(found, of_part(path, 0, min(found.size, FIRST)) if growing and path.is_file() else None)
    except OSError:
        return None


def _is_another(opened: Workspace, name: str, known: _Known | None) -> bool:
    path = opened.root / name
    try:
        now = state(path)
        if known is None or now == known.state:
            return known is None
        if known.first is None or now.inode != known.state.inode or now.size < known.state.size:
            return True
        return of_part(path, 0, min(known.state.size, FIRST)) != known.first
    except OSError:
        return known is not None

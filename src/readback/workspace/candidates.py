"""Several plans, prompt configurations or datasets in one folder: which is proposed, and that the others are named.

A plan of which more files are there is proposed before others, then the one nearest the top, then the first by name;
what lies in an archive comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from readback.readers.paths import format_relative, resolve
from readback.sources import plan
from readback.types import Diagnostic, Location
from readback.workspace.draft import Draft
from readback.workspace.recognise import DATASET, PLAN, PROMPTS, Found, recognise
from readback.workspace.survey import Survey

CODE = "dat-several-files"
KINDS = ("plan", "prompts", "dataset")  # keys of readback.yml, of the address and of the command line
ARCHIVES = frozenset({"archive", "archived", "archives", "attic", "backup", "backups", "deprecated", "legacy", "old"})
NAMED = 12  # files that a finding names


@dataclass(frozen=True, slots=True)
class Main:
    """What a folder is about, and the other files that it could have been about, by kind."""

    file: Found | None
    others: tuple[Found, ...] = ()


def main(draft: Draft, around: Survey, usual: Sequence[str]) -> Main:
    """The plan or prompt configuration that was asked for, else the one that is proposed.

    `usual` are the names that a prompt configuration at the top has in its document; the first one wins over plans.
    """
    plans, configs = _plans(draft.root, around), in_order(around.all(PROMPTS), draft.root)
    for kind, there in (("plan", plans), ("prompts", configs)):
        if len(there) > 1:
            draft.alternatives[kind] = tuple(format_relative(draft.root, one.path) for one in there)
    if (asked := wanted(draft, "plan", plans) or wanted(draft, "prompts", configs)) is not None:
        return Main(asked)
    top = {one.path.name: one for one in configs if one.path.parent == draft.root}
    found = next((top[name] for name in usual if name in top), None) or next(iter((*plans, *configs)), None)
    return Main(found, tuple(one for one in (*plans, *configs) if one is not found))


def say(draft: Draft, kind: str, taken: Found | None, others: Iterable[Found]) -> None:
    """A finding that names what was not taken, where somebody may have meant another one."""
    rest = [one for one in others if one is not taken]
    if not rest or kind in draft.chosen:
        return
    old = [one for one in rest if archived(draft.root, one.path)]
    in_use = [one for one in rest if one not in old] or old
    files = [format_relative(draft.root, one.path) for one in in_use]
    more = [f"{len(files) - NAMED} more"] if len(files) > NAMED else []
    more += [f"{len(old)} in an archive"] if in_use is not old and old else []
    values = {
        "kind": kind,
        "count": len(in_use) + (taken is not None),
        "others": [*files[:NAMED], *more],
        "taken": format_relative(draft.root, taken.path) if taken else "",
    }
    light = kind == "dataset" or (taken is not None and in_use is old)  # many datasets are how most projects are
    place = Location(file=format_relative(draft.root, taken.path) if taken else None)
    draft.diagnostics.append(Diagnostic(CODE, values, place, "\n".join(files), "info" if light else None))


def wanted(draft: Draft, kind: str, there: Sequence[Found]) -> Found | None:
    """The file of this kind that whoever opens the workspace asks for; one that is not there is a diagnostic.

    Whoever only follows a link gets no other file than those that are offered.
    """
    named = draft.chosen.get(kind)
    if named and draft.offered and all(format_relative(draft.root, one.path) != named for one in there):
        draft.chosen = {key: file for key, file in draft.chosen.items() if key != kind}
        return None
    path = draft.file_at(named, Location()) if named else None
    if path is None:
        return None
    return next((one for one in there if one.path == path), None) or recognise(path, draft.root, named=True)


def archived(root: Path, path: Path) -> bool:
    """Whether a file lies in a folder for what is no longer used."""
    return any(part.lower() in ARCHIVES for part in path.relative_to(root).parts[:-1])


def in_order(found: Iterable[Found], root: Path) -> list[Found]:
    """What is in use before what is archived, and what can be read before what cannot; otherwise as it was."""
    return sorted(found, key=lambda one: (one.what == DATASET and not one.fields, archived(root, one.path)))


def _plans(root: Path, around: Survey) -> list[Found]:
    return sorted(around.all(PLAN), key=lambda one: (archived(root, one.path), -_there(one, root)))


def _there(found: Found, root: Path) -> int:
    """How many of the files that a plan names are there, each once."""
    read, _ = plan.read(found.path, root, found.parsed)
    named = {one.path for run in read.runs for key, one in run.files.items() if key != "output_dir"}
    named |= {read.dataset.path} if read.dataset else set()
    return sum(isinstance(resolve(root, one, base=found.path.parent), Path) for one in named)

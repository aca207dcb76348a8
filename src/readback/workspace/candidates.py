"""Several plans, prompt configurations or datasets in one folder: which is proposed, and that the others are named.

A plan of which more files are there is proposed before others, then the one nearest the top, then the first by name;
what lies in an archive comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from readback.readers.files.paths import format_relative, resolve
from readback.sources import plan
from readback.types import Diagnostic, Location
from readback.workspace.draft import Draft
from readback.workspace.recognise import DATASET, PLAN, PROMPTS, RecognisedFile, recognise
from readback.workspace.survey import Survey

CODE = "dat-several-files"
KINDS = ("plan", "prompts", "dataset")  # keys of readback.yml, of the address and of the command line
ARCHIVES = frozenset({"archive", "archived", "archives", "attic", "backup", "backups", "deprecated", "legacy", "old"})
NAMED = 12  # files that a finding names


@dataclass(frozen=True, slots=True)
class Main:
    """What a folder is about, and the other files that it could have been about, by kind."""

    file: RecognisedFile | None
    others: tuple[RecognisedFile, ...] = ()


def choose_main(draft: Draft, around: Survey, usual: Sequence[str]) -> Main:
    """Choose the plan or prompt configuration that was asked for, else the best candidate.

    `usual` are the names that a prompt configuration at the top has in its document; the first one wins over plans.
    """
    plans, configs = _sort_plans(draft.root, around), sort_files(around.all(PROMPTS), draft.root)
    for kind, candidates in (("plan", plans), ("prompts", configs)):
        if len(candidates) > 1:
            draft.alternatives[kind] = tuple(format_relative(draft.root, candidate.path) for candidate in candidates)
    if (chosen := find_chosen(draft, "plan", plans) or find_chosen(draft, "prompts", configs)) is not None:
        return Main(chosen)
    top = {candidate.path.name: candidate for candidate in configs if candidate.path.parent == draft.root}
    proposed = next((top[name] for name in usual if name in top), None) or next(iter((*plans, *configs)), None)
    return Main(proposed, tuple(candidate for candidate in (*plans, *configs) if candidate is not proposed))


def report_others(draft: Draft, kind: str, chosen: RecognisedFile | None, candidates: Iterable[RecognisedFile]) -> None:
    """Report the files that were not chosen, where somebody may have meant another one."""
    rest = [candidate for candidate in candidates if candidate is not chosen]
    if not rest or kind in draft.chosen:
        return
    old = [candidate for candidate in rest if is_archived(draft.root, candidate.path)]
    in_use = [candidate for candidate in rest if candidate not in old] or old
    files = [format_relative(draft.root, candidate.path) for candidate in in_use]
    if len(files) > NAMED:
        more = [f"{len(files) - NAMED} more"]
    else:
        more = []
    more += [f"{len(old)} in an archive"] if in_use is not old and old else []
    values = {
        "kind": kind,
        "count": len(in_use) + (chosen is not None),
        "others": [*files[:NAMED], *more],
        "taken": format_relative(draft.root, chosen.path) if chosen else "",
    }
    light = kind == "dataset" or (chosen is not None and in_use is old)  # many datasets are how most projects are
    place = Location(file=format_relative(draft.root, chosen.path) if chosen else None)
    draft.diagnostics.append(Diagnostic(CODE, values, place, "\n".join(files), "info" if light else None))


def find_chosen(draft: Draft, kind: str, candidates: Sequence[RecognisedFile]) -> RecognisedFile | None:
    """Return the file of this kind that whoever opens the workspace asks for; one that does not exist is a diagnostic.

    Whoever only follows a link gets no other file than those that are offered.
    """
    named = draft.chosen.get(kind)
    if (
        named
        and draft.offered
        and all(format_relative(draft.root, candidate.path) != named for candidate in candidates)
    ):
        draft.chosen = {key: file for key, file in draft.chosen.items() if key != kind}
        return None
    if named:
        path = draft.file_at(named, Location())
    else:
        path = None
    if path is None:
        return None
    return next((candidate for candidate in candidates if candidate.path == path), None) or recognise(
        path, draft.root, named=True
    )


def is_archived(root: Path, path: Path) -> bool:
    """Tell whether a file lies in a folder for what is no longer used."""
    return any(part.lower() in ARCHIVES for part in path.relative_to(root).parts[:-1])


def sort_files(files: Iterable[RecognisedFile], root: Path) -> list[RecognisedFile]:
    """Sort files: those in use before archived ones, readable ones before unreadable ones; otherwise keep the order."""
    return sorted(files, key=lambda file: (file.what == DATASET and not file.fields, is_archived(root, file.path)))


def _sort_plans(root: Path, around: Survey) -> list[RecognisedFile]:
    return sorted(
        around.all(PLAN),
        key=lambda candidate: (is_archived(root, candidate.path), -_count_present_files(candidate, root)),
    )


def _count_present_files(candidate: RecognisedFile, root: Path) -> int:
    """How many of the files that a plan names are there, each once."""
    content, _ = plan.read(candidate.path, root, candidate.parsed)
    if content.dataset:
        paths = {content.dataset.path}
    else:
        paths = set()
    for run in content.runs:
        paths |= {named.path for key, named in run.files.items() if key != "output_dir"}
    return sum(isinstance(resolve(root, path, base=candidate.path.parent), Path) for path in paths)

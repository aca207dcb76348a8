"""Show a side: find its files, its record, and the messages that are made of it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from readback import adapters, workspace
from readback.compare.aligned_sides import formed
from readback.compare.git import Blob, Git
from readback.compare.side import LAYERS, Layer, NoRowError, Shown, Side, SideError, label
from readback.compare.side_text import read_sides, sides
from readback.prompts import assemble, model_input
from readback.prompts.messages import compute_fingerprint
from readback.prompts.selections import explain_unknown_system, list_selections, list_variants
from readback.prompts.training_text import build_trained_text
from readback.readers import cache_folder
from readback.readers.bounded_diagnostics import as_json, from_json
from readback.readers.paths import of_git
from readback.readers.yaml_file import nearest
from readback.records import answers
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.missing_record import format_missing_record
from readback.types import NOWHERE, Answer, Condition, Diagnostic, Message, Record, Selection, Workspace
from readback.workspace import workspace_file

FILES = 20_000  # of one revision of a workspace
BYTES = 1 << 30
KEPT = 20  # revisions that stay in the cache
LFS = b"version https://git-lfs.github.com/spec/"
ABOUT = "about.json"
GONE = "at this revision "


@dataclass(frozen=True, slots=True)
class Revision:
    """Where the files of a revision lie now, and what could not be had of them."""

    path: Path
    diagnostics: tuple[Diagnostic, ...] = ()


SERVING = "a model's serving: {modelfile: FILE}, {chat_template: FILE} or {format: NAME} names one"
TRAINING = "give the model a trained type under prompts: [builtin:prompt-formats], or its training: {messages: FILE}"

__all__ = [
    "LAYERS",
    "Layer",
    "Shown",
    "Side",
    "SideError",
    "label",
    "reached",
    "read_sides",
    "show_side",
    "shown",
    "sides",
]


def show_side(opened: Workspace, side: Side, at: int = 0) -> Shown:
    """The messages of a side. `opened` is the workspace in view, `at` the record meant where the side names none.

    Raises SideError where there is nothing to show: a name or a record that is not there, files that cannot be read.
    """
    workspace, diagnostics = reached(opened, side)
    side = replace(side, choice=named(workspace, side.choice))
    record = _record(opened, workspace, side, at)
    made = shown(workspace, side, record, _answer(workspace, side.choice, record))
    return replace(made, diagnostics=(*diagnostics, *made.diagnostics), label=label(side, record.id))


def reached(opened: Workspace, side: Side) -> tuple[Workspace, tuple[Diagnostic, ...]]:
    """The workspace a side is about, and what was left out of a revision. Raises SideError.

    It is opened anew where it is another one, an earlier one, or has other options. Fields that were mapped on a page
    stay mapped in the same files.
    """
    if side.workspace is None and side.rev is None and not side.options:
        return opened, ()
    fields, chosen = None, None
    if side.workspace is not None:
        way = Path(os.path.abspath(side.workspace))  # noqa: PTH100 - resolve() would lose a link's own name
    else:
        way = opened.root if opened.file in (None, workspace_file.NAME) else opened.root / opened.file
        fields = opened.dataset.fields if opened.dataset and side.rev is None else None
        chosen = opened.chosen
    found = revision(way, side.rev) if side.rev is not None else Revision(way)
    try:
        made = workspace.open(found.path, fields=fields, options=dict(side.options), chosen=chosen)
        return (_read_alike(made, opened) if fields is not None else made), found.diagnostics
    except workspace.NothingRead as nothing:
        where = f"revision {side.rev}: " if side.rev is not None else ""
        raise SideError(f"{where}{nothing.reason}") from None


def _read_alike(made: Workspace, opened: Workspace) -> Workspace:
    """The workspace with what was mapped for its judges on a page."""
    judges = {
        name: replace(judge, fields=opened.judges[name].fields) if name in opened.judges else judge
        for name, judge in made.judges.items()
    }
    return replace(made, judges=judges)


def shown(
    workspace: Workspace,
    side: Side,
    record: Record,
    answer: Answer | None = None,
    *,
    origins: bool = True,
    marked: bool = True,
) -> Shown:
    """What one record comes to on a side. Raises SideError where the layer is not known.

    `origins`, `marked`: for messages as they are, whether it is told who wrote what, and their fingerprint.
    """
    made = None
    if side.layer != "training":
        origins, marked = (origins, marked) if side.layer == "messages" else (True, True)
        made = assemble.assemble(workspace, record, side.choice, answer, origins=origins, marked=marked)
    condition = workspace.condition(side.choice.condition) if side.choice.condition else None
    named_by = list_variants(workspace, side.choice)
    if side.layer == "messages" and made:
        unknown = None
        if origins and marked and made.messages:  # where records are only counted nobody reads it
            unknown = explain_unknown_system(workspace, side.choice, made.messages)
        return Shown(
            side,
            made.messages,
            made.fingerprint,
            made,
            made.diagnostics,
            label(side),
            variants=named_by,
            system_unknown=unknown,
        )
    if made is None:
        return _trained(workspace, side, record, condition)
    sent = model_input.build_model_input(workspace, record, made, condition, False)
    if sent is None and made.messages:
        raise SideError(f"{label(side)}: no chat format is known; {SERVING}")
    messages = (Message("prompt", sent.segments),) if sent and sent.segments else ()
    diagnostics = (*made.diagnostics, *(sent.diagnostics if sent else ()))
    mark = compute_fingerprint(messages) if messages else ""
    return Shown(side, messages, mark, made, diagnostics, label(side), None, named_by)


def _trained(workspace: Workspace, side: Side, record: Record, condition: Condition | None) -> Shown:
    """What the condition's model was trained on: its text where a template is known for it, else its messages."""
    model = condition.model if condition else next(iter(workspace.models), None)
    known = build_trained_text(workspace, record, model) if model else None
    if model and condition and (known is None or known.messages is None):
        sent = assemble.assemble(workspace, record, side.choice, None).messages
        known = build_trained_text(workspace, record, model, sent)
    file = workspace.models[model].training_messages if model and model in workspace.models else None
    if file and (known is None or known.messages is None):
        raise NoRowError(f"{label(side)}: no row of {file}, which its model was trained on, asks what this record asks")
    if known is None or known.messages is None:
        raise SideError(f"{label(side)}: no layout is known in which a model of it was trained; {TRAINING}")
    made = known.messages
    diagnostics = (*made.diagnostics, *known.diagnostics)
    return formed(Shown(side, made.messages, made.fingerprint, made, diagnostics, label(side), known), "text")


def named(workspace: Workspace, choice: Selection) -> Selection:
    """The choice with every name known; the only one there is, where it names nothing. Raises SideError."""
    known: dict[str, Collection[str]] = {
        "condition": [name for condition in workspace.conditions for name in (condition.name, *condition.aliases)],
        "mode": workspace.prompts,
        "task": workspace.tasks,
        "adapter": {**workspace.adapters, **adapters.load_shipped()},
        "judge": workspace.judges,
    }
    for kind, names in known.items():
        name = getattr(choice, kind)
        if name is not None and name not in names and not (kind == "task" and choice.mode):
            raise SideError(_unknown(kind, name, names))
    if any((choice.condition, choice.mode, choice.task, choice.judge)):
        return choice
    there = [one for one in list_selections(workspace) if choice.adapter is None or one.condition is None]
    if len(there) == 1:
        return replace(there[0], adapter=choice.adapter or there[0].adapter)
    listed = "; ".join(f"{kind}={' | '.join(names)}" for kind, names in known.items() if names and kind != "adapter")
    raise SideError(f"say what is compared: {listed or 'the workspace has no condition, mode, task or judge'}")


def _unknown(kind: str, name: str, known: Collection[str]) -> str:
    near = nearest(name, known)
    there = f"there are: {', '.join(known)}" if known else "the workspace has none"
    return f"no {kind} '{name}'; {f'did you mean {near!r}?' if near else there}"


def _record(opened: Workspace, workspace: Workspace, side: Side, at: int) -> Record:
    data = open_dataset(workspace.root, workspace.dataset)
    called, index = side.record, side.index if side.index is not None else at
    elsewhere = side.rev is not None or (side.workspace is not None and side.index is None)
    if called is None and elsewhere:  # another version of the dataset may have the record at another place
        called = next(iter(open_dataset(opened.root, opened.dataset).ids(index, index + 1)), None)
    if called is not None and (found := data.find(called)) is None:
        raise SideError(f"{label(side)}: {format_missing_record(called, data)}")
    if called is not None and found is not None:
        index = found
    return _at(data, side, index)


def _at(data: Dataset, side: Side, index: int) -> Record:
    try:
        return data.record(index)
    except IndexError:
        there = f"there are {len(data)}, counted from 0" if len(data) else "the dataset has none"
        raise SideError(f"{label(side)}: no record {index}; {there}") from None
    except DatasetChanged as changed:
        raise SideError(str(changed)) from None


def _answer(workspace: Workspace, choice: Selection, record: Record) -> Answer | None:
    condition = workspace.condition(choice.condition) if choice.judge and choice.condition else None
    return answers.open_answers(workspace, condition).get(record.id) if condition else None


# The files of a workspace as they were at a revision of git, copied out into the cache.


def revision(way: Path, rev: str) -> Revision:
    """The folder or file `way` as it was at `rev`, copied once for each commit. Raises SideError.

    Objects are read from the repository as they are: nothing that it configures is run, no filter, hook or transport.
    """
    folder = way if way.is_dir() else way.parent
    with Git(folder) as git:
        commit, below = git.commit(rev), git.below
        home = cache_folder.cache_folder("revisions") / _key(git, commit)
        if not (home / ABOUT).is_file():
            _copy(git, commit, below, rev, folder.name or "workspace", home)
    with contextlib.suppress(OSError):
        os.utime(home)  # used now: kept longest
    about = json.loads((home / ABOUT).read_text("utf-8"))
    diagnostics = tuple(from_json(diagnostic) for diagnostic in about["notes"])
    root = home / about["name"]
    return Revision(root if folder == way else root / way.name, diagnostics)


def _key(git: Git, commit: str) -> str:
    """The copy of a commit is of one repository: who knows a commit's id must not get another repository's copy."""
    said = f"{git.repository.common}\0{commit} {git.below}"
    return hashlib.blake2b(said.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _copy(git: Git, commit: str, below: str, rev: str, name: str, home: Path) -> None:
    made = cache_folder.fresh(home)
    try:
        with cache_folder.room():
            diagnostics = [as_json(diagnostic) for diagnostic in _written(git, commit, below, rev, made / name)]
            (made / ABOUT).write_text(json.dumps({"name": name, "notes": diagnostics}), "utf-8")
        with contextlib.suppress(OSError):  # somebody else was quicker
            made.rename(home)
    finally:
        cache_folder.drop(made)
    _tidy(home.parent)


def _tidy(folder: Path) -> None:
    """Keep the revisions that were used last."""
    used = {}
    for one in folder.glob("[0-9a-f]*"):
        with contextlib.suppress(OSError):
            used[one] = one.stat().st_mtime
    for old in sorted(used, key=lambda one: used[one])[:-KEPT]:
        cache_folder.drop(old)


def _written(git: Git, commit: str, below: str, rev: str, root: Path) -> Iterator[Diagnostic]:
    """Write the files; a diagnostic for what is not a file of its own. Links come last: nothing is written through."""
    root.mkdir()
    there = [*git.files(commit, below)]
    if not there:
        raise SideError(f"revision {rev}: this folder had no files then")
    if len(there) > FILES or sum(blob.size for blob in there) > BYTES:
        raise SideError(f"revision {rev}: more than {FILES:,} files or {BYTES >> 20:,} MiB, which is not copied")
    for blob in sorted(there, key=lambda blob: blob.kind == "link"):
        target = root / blob.path
        if not target.parent.resolve().is_relative_to(root.resolve()) or not _plain(blob.path):
            yield _missing(blob.path, "its name cannot be a file's name")
        elif blob.kind == "module":
            yield _missing(blob.path, "it is a repository of its own, which is not looked into")
        else:
            yield from _one(git, blob, root, target)


def _one(git: Git, blob: Blob, root: Path, target: Path) -> Iterator[Diagnostic]:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if blob.kind == "link":
            named = os.fsdecode(b"".join(git.content(blob)))
            if _leads_out(root, target, named):
                values = {"path": blob.path, "reason": "it is a link that leads out of the folder"}
                yield Diagnostic("dat-path-outside", values, NOWHERE, blob.path)
            else:
                target.symlink_to(named)
            return
        with target.open("xb") as file:
            first = b""
            for part in git.content(blob):
                first = first or part
                file.write(part)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        yield _missing(blob.path, "another file of that revision has its name")
        return
    if first.startswith(LFS):
        yield _missing(blob.path, f"{GONE}it is a pointer of Git LFS, and what it points to is not in the repository")


def _leads_out(root: Path, link: Path, named: str) -> bool:
    """Whether a link may lead out; one that goes up after it went down is not followed in the mind."""
    parts = named.split("/")
    down = next((at for at, part in enumerate(parts) if part not in ("..", ".")), len(parts))
    end = Path(os.path.normpath(link.parent.resolve() / named)) if "\0" not in named else Path("/")
    return ".." in parts[down:] or not end.is_relative_to(root.resolve())


def _plain(path: str) -> bool:
    parts = path.split("/")
    return all(part not in ("", ".", "..") and not of_git(part) for part in parts) and path.isprintable()


def _missing(path: str, reason: str) -> Diagnostic:
    return Diagnostic("dat-file-missing", {"path": path, "reason": reason}, NOWHERE, path)

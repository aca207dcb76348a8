"""Every file of a folder is used, or listed as not used with the reason, and the counts add up.

What a file that is not read looks like is told by its ending and its first bytes, and so is what makes it readable.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from readback import catalogue
from readback.quantity import choose_form
from readback.readers.files.paths import FILES, resolve
from readback.sources import other_tools
from readback.sources.templates import plain_prompts
from readback.sources.templates.template_language import BLOCK, BRACED
from readback.types import Diagnostic, Location, Looks, Recognised, Severity
from readback.workspace import kinds
from readback.workspace.draft import Draft
from readback.workspace.kinds import OTHER
from readback.workspace.tables import proposed_scores

MOST = 200_000  # entries of a folder that are counted: somebody's whole disk is not
SECONDS = 2.0  # of processor time, so that a busy machine counts as many
LISTED = 20_000  # names that a group of files holds
NAMED, NAMED_BY_FINDING = 6, 3  # files of a group that are named
HEAD = 1 << 16  # bytes of a file that tell what it looks like
UNREAD, NOTHING = "dat-unread", "dat-nothing-read"
HIDDEN = "hidden files and folders are left out"
UNNAMED, UNREADABLE = "readback.yml does not name it", "it could not be read; the problems say why"
UNKNOWN, EMPTY = "not of a kind that Readback knows", "empty"
LINK, ODD = "a link that leads out of the folder, or nowhere", "not a regular file"
BEYOND, LETTERS = f"beyond the {FILES:,} files that are looked at", "its name is not UTF-8"
PART_OF_OTHER = "read for another file"
NOUNS: Mapping[Looks, str] = {
    "data": "data|data",
    "prompt": "a prompt|prompts",
    "log": "a log|logs",
    "scores": "scores|scores",
}
# Tables that hold only names of columns, and those of which somebody is asked whether they are scores.
PROPOSED = (kinds.FORM, "table of judges", "table of scores")
# What a file that was recognised and is not used looks like.
LOOKS: Mapping[str, Looks] = {
    **dict.fromkeys((kinds.DATASET, kinds.TRAINING, kinds.ANSWERS, kinds.BATCH, kinds.TOOL, kinds.FORM), "data"),
    kinds.LOG: "log",
    kinds.PROJECT: "prompt",
    kinds.TOOL_PROMPT: "prompt",
    **dict.fromkeys((kinds.SCORES, "table of judges", "table of scores"), "scores"),
    **dict.fromkeys((kinds.PROMPTS, kinds.TEMPLATE, kinds.JUDGE), "prompt"),
}


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """Why a file is not read, what it looks like, and the step that makes it readable."""

    why: str
    looks: Looks = ""
    step: str = ""


SHEET = Reason("a spreadsheet of a format that Readback does not read", "data", "save it as .xlsx or CSV (UTF-8)")
DATABASE = Reason("a database that is not SQLite", "data", "export the table as CSV, JSON lines or Parquet")
COLUMNS = Reason("a table of a format that Readback does not read", "data", "save it as Parquet, CSV or JSON lines")
PACKED = Reason("it is packed in a way that Readback does not open", "data", "unpack it, or pack it with gzip")
ARCHIVE = Reason("an archive, which is not opened inside a folder", "data", "unpack it into the folder")
OBJECTS = Reason("stored objects of a program, which are never loaded", "data", "save the rows as JSON lines")
FOREIGN = Reason("a prompt in a format that Readback does not read", "prompt", "save its text as .txt, .md or .jinja")
INSPECT = Reason("its ending is that of a log of Inspect, and it is none that can be read", "log", "copy it again")

ENDINGS: Mapping[str, Reason] = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers"), SHEET),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db", ".duckdb", ".mdb", ".accdb"), DATABASE),
    **dict.fromkeys(
        (".arrow", ".feather", ".ipc", ".orc", ".avro", ".h5", ".hdf5", ".npz", ".sav", ".dta", ".rds", ".rdata"),
        COLUMNS,
    ),
    **dict.fromkeys((".msgpack", ".lance"), COLUMNS),
    **dict.fromkeys((".pkl", ".pickle"), OBJECTS),
    **dict.fromkeys((".zip", ".tar", ".tgz", ".7z", ".rar"), ARCHIVE),
    **dict.fromkeys(
        (".prompty", ".hbs", ".handlebars", ".liquid", ".poml", ".gotmpl", ".tmpl", ".promptflow"), FOREIGN
    ),
    ".eval": INSPECT,
}
PACKERS = (".zst", ".bz2", ".xz", ".lz4", ".br")
ROWS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".jsonld")
CONFIGS = (".json", ".yml", ".yaml")
# Files of tools and of models that hold lists of objects and are no data of a review.
FURNITURE = re.compile(
    r"^(?:package(?:-lock)?|composer|tsconfig.*|jsconfig.*|manifest|launch|settings|tasks|extensions|renovate|vercel"
    r"|tokenizer.*|special_tokens_map|added_tokens|vocab|config|generation_config|adapter_config|trainer_state"
    r"|preprocessor_config|model\.safetensors\.index|docker-compose.*|compose|mkdocs|pnpm-lock|deno|biome|turbo)"
    r"\.(?:jsonc?|ya?ml)$|\.schema\.json$|\.lock$",
    re.IGNORECASE,
)
OBJECT_LIST = re.compile(rb"[\[:]\s*\[?\s*\{")  # a list of objects, or an object in an object
FIELD_NAMES = re.compile(
    rb"[\"'](?:question|query|prompt|instruction|input|output|answer|response|messages|conversations?|completion"
    rb"|context|contexts|user_input|reference|score|rating|judge|system_prompt|chosen|rejected)[\"']\s*:"
)
PROMPT_KEYS = re.compile(rb"^\s*(?:- )?(?:system_prompt|user_prompt|prompts?|messages)\s*:", re.MULTILINE)
REQUEST_KEYS = re.compile(rb"[\"'](?:messages|prompt)[\"']\s*:")


def explain_file(name: str, path: Path) -> Reason | None:
    """Return what a file looks like; None where it looks like nothing that a review is about."""
    lowered = PurePosixPath(name).name.lower()
    suffix = PurePosixPath(lowered).suffix
    stem = PurePosixPath(lowered).stem
    if suffix in ENDINGS:
        return ENDINGS[suffix]
    if suffix in PACKERS and PurePosixPath(stem).suffix in (*ROWS, *CONFIGS):
        return PACKED
    if lowered.removesuffix(".gz").endswith(ROWS):
        return Reason("", "data")
    if suffix in plain_prompts.ALWAYS:
        return Reason("nothing names it", "prompt")
    if suffix in CONFIGS and not FURNITURE.search(lowered):
        return _explain_config(suffix, _read_head(path))
    if suffix == ".log" and REQUEST_KEYS.search(_read_head(path)):
        return Reason("a log whose lines are no JSON objects of their own", "log", "save it as JSON lines (.jsonl)")
    if suffix in (".txt", ".md") and not plain_prompts.is_document(PurePosixPath(name)):
        return _explain_text(PurePosixPath(name), _read_head(path))
    return None


def _explain_config(suffix: str, head: bytes) -> Reason | None:
    """Return what a JSON or YAML file with rows, messages or prompts looks like."""
    reason = "it is of no kind that Readback knows"
    if suffix == ".json":
        if OBJECT_LIST.search(head) and FIELD_NAMES.search(head):
            return Reason(reason, "data", "save the list of its records as JSON lines (.jsonl)")
        return None
    if PROMPT_KEYS.search(head):
        return Reason(
            reason, "prompt", "write its prompts as template files, or name them in readback.yml under modes:"
        )
    return None


def _explain_text(name: PurePosixPath, head: bytes) -> Reason | None:
    text = head.decode("utf-8", "replace")
    has_marks = BLOCK.search(text) or BRACED.search(text)
    if has_marks or plain_prompts.is_probable_prompt(name, marked=False):
        return Reason("nothing says that it is a prompt", "prompt", f"choose it on Open, or with --template {name}")
    return None


def _read_head(path: Path) -> bytes:
    """Return the beginning of a file; nothing of one that cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            return stream.read(HEAD)
    except OSError:
        return b""


def list_left_out(draft: Draft) -> None:
    """List what the reading of a folder left out, by reason and by what it looks like.

    Files that others are made of are used. Afterwards every file of the folder stands in `recognised` once.
    """
    draft.recognised = [_add_looks(file) for file in draft.recognised]
    listed = {file.path for file in draft.recognised}
    parts_of_others = _list_parts_of_others(draft) - listed
    faulty = {name for diagnostic in draft.diagnostics for name in (diagnostic.place.file, diagnostic.flagged) if name}
    groups: dict[Reason, list[str]] = {}
    count = 0
    end = time.thread_time() + SECONDS
    is_whole = True
    for name, path in _list_entries(draft.root):
        if count >= MOST or time.thread_time() > end:
            is_whole = False
            break
        if name in parts_of_others:
            draft.recognised.append(Recognised(name, PART_OF_OTHER))
        elif name not in listed:
            groups.setdefault(_explain_unused(draft, name, path, count, faulty), []).append(name)
        count += not _is_hidden(name)
    if is_whole:
        more = ""
    else:
        more = "; there are more, which were not counted"
    for reason, names in sorted(groups.items()):
        group = Recognised(
            _name_first(sorted(names)),
            OTHER,
            used=False,
            detail=reason.why + more,
            count=len(names),
            files=tuple(map(_make_legible, sorted(names)[:LISTED])),
            looks=reason.looks,
            step=reason.step,
        )
        draft.recognised.append(group)
    report_unread(draft)


def list_opened_file(draft: Draft, path: Path) -> None:
    """Account for a file that was opened by itself: where nothing of it is read, that is a finding."""
    draft.recognised = [_add_looks(file) for file in draft.recognised]
    if is_nothing_read(draft):
        faults = (diagnostic for diagnostic in draft.diagnostics if diagnostic.code == "dat-not-recognised")
        reason = next((fault.values["reason"] for fault in faults), UNKNOWN)
        draft.say(path, OTHER, used=False, detail=str(reason))
        report_unread(draft)


def list_files(recognised: Iterable[Recognised]) -> Iterator[Recognised]:
    """Yield every file by itself; of a group of very many files the rest stands together at its end."""
    for group in recognised:
        if not group.files:
            yield group
            continue
        yield from (replace(group, path=name, count=1, files=()) for name in group.files)
        rest = group.count - len(group.files)
        if rest:
            yield replace(group, path=f"{rest:,} more", count=rest, files=())


def count_unread(recognised: Iterable[Recognised]) -> int:
    """Count the files that look like data, prompts, logs or scores and are not read."""
    return sum(file.count for file in recognised if file.looks and not file.used)


def count_files(recognised: tuple[Recognised, ...]) -> tuple[int, int]:
    """Count the files that are used, and those that are not."""
    used = sum(file.count for file in recognised if file.used)
    return used, sum(file.count for file in recognised) - used


def _add_looks(file: Recognised) -> Recognised:
    if file.used:
        return file
    return replace(file, looks=LOOKS.get(file.what, ""))


def _list_entries(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield everything below a folder that is not a folder itself, links to folders too, the shallowest first."""
    waiting = [root]
    while waiting:
        folder = waiting.pop(0)
        try:
            with os.scandir(folder) as scanned:
                entries = sorted(islice(scanned, MOST + 1), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                yield path.relative_to(root).as_posix(), path


def _explain_unused(draft: Draft, name: str, path: Path, number: int, faulty: set[str]) -> Reason:
    """Return why a file is not used, of which `number` others came before it."""
    if not _is_utf8(name):
        return Reason(LETTERS)
    if _is_hidden(name):
        return Reason(HIDDEN)
    if isinstance(resolve(draft.root, name), Diagnostic):
        return Reason(LINK if path.is_symlink() else ODD)
    if not stat.S_ISREG(path.stat().st_mode):
        return Reason(ODD)
    if not path.stat().st_size:
        return Reason(EMPTY)
    reason = explain_file(name, path)
    looks = reason.looks if reason else ""
    if name in faulty:
        return Reason(UNREADABLE, looks)
    if len(PurePosixPath(name).parts) > draft.depth + 1:
        deep = f"it lies more than {draft.depth} folders deep, where no file is looked for"
        return Reason(deep, looks, "open the folder that holds it, or name it in readback.yml")
    if number >= FILES and not draft.file:
        return Reason(BEYOND, looks, "open a folder below, or name the file in readback.yml")
    if reason is None:
        return Reason(draft.reasons.get(name) or (UNNAMED if draft.file else UNKNOWN))
    if draft.file and not draft.discovered and not reason.why:
        return Reason(UNNAMED, looks, "name it in readback.yml")
    return Reason(draft.reasons.get(name) or reason.why or UNKNOWN, looks, reason.step)


def _list_parts_of_others(draft: Draft) -> set[str]:
    """Return the files that something of the workspace was read from: templates, schemas, constants."""
    parts = (draft.configs, draft.prompts, draft.tasks, draft.adapters, draft.models, draft.judges)
    return {file for part in parts for file in _list_places(part)} | draft.named


def _list_places(value: Any) -> Iterator[str]:
    """Yield the file of every location in a value."""
    if isinstance(value, Location):
        if value.file:
            yield value.file
        return
    parts: Iterable[Any] = ()
    if is_dataclass(value) and not isinstance(value, type):
        parts = (getattr(value, field.name) for field in fields(value))
    elif isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, list | tuple):
        parts = value
    for part in parts:
        yield from _list_places(part)


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in PurePosixPath(name).parts)


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _make_legible(name: str) -> str:
    if _is_utf8(name):
        return name
    return ascii(name)


def _name_first(names: Sequence[str]) -> str:
    first = ", ".join(map(_make_legible, names[:NAMED]))
    return first + (f" and {len(names) - NAMED:,} more" if len(names) > NAMED else "")


def report_unread(draft: Draft) -> None:
    """Report what looks like data, prompts, logs or scores and is not read: a finding for each reason.

    Where nothing was read at all, one finding says so, with the files and how deep they were looked for.
    """
    unused = [file for file in draft.recognised if not file.used and file.looks]
    # What readback.yml names counts as read, though it is empty.
    has_parts = any(file.used and file.what == PART_OF_OTHER for file in draft.recognised)
    if is_nothing_read(draft) and (unused or not has_parts):
        draft.diagnostics.append(_describe_nothing_read(draft, unused))
        return
    reported: set[str | None] = set()
    for diagnostic in draft.diagnostics:
        reported |= {diagnostic.flagged, *diagnostic.flagged.split("\n"), diagnostic.place.file}
    for names in draft.alternatives.values():
        reported.update(names)
    alike: dict[tuple[Looks, str, str, str], list[str]] = {}
    for group in unused:
        if group.what in PROPOSED:  # a finding of its own asks about it
            continue
        files = [name for name in group.files or (group.path,) if name not in reported]
        if files:
            key = (group.looks, group.detail or group.what, group.step, group.what)
            alike.setdefault(key, []).extend(files)
    for (looks, reason, step, what), files in alike.items():
        step = step or _write_entry(draft, what, files)
        draft.diagnostics.append(_describe_unread(draft, Reason(reason, looks, step), files))


def is_nothing_read(draft: Draft) -> bool:
    """Return whether nothing of a folder is used, and no error says why."""
    if any(file.used and file.what not in (kinds.WORKSPACE, PART_OF_OTHER) for file in draft.recognised):
        return False
    if any(
        file.what == kinds.FORM for file in draft.recognised
    ):  # a finding of its own says that it is to be filled in
        return False
    return not (draft.dataset or _has_parts(draft) or any(map(_is_error, draft.diagnostics)))


def _is_error(diagnostic: Diagnostic) -> bool:
    severity = diagnostic.severity or catalogue.entries().get(diagnostic.code, {}).get("severity")
    return severity == "error"


def _has_parts(draft: Draft) -> bool:
    parts = (draft.prompts, draft.tasks, draft.judges, draft.models, draft.conditions, draft.scores, draft.training)
    return any(parts) or bool(draft.adapters or draft.instructions or draft.sent)


def _describe_unread(draft: Draft, reason: Reason, files: list[str]) -> Diagnostic:
    values = {
        "looks": choose_form(len(files), NOUNS[reason.looks]),
        "files": list(_list_first(files)),
        "count": len(files),
        "reason": reason.why,
        "step": reason.step,
    }
    severity: Severity = "warning" if _is_missing(draft, reason.looks) else "info"
    flagged = "\n".join(files[:NAMED_BY_FINDING])
    return Diagnostic(UNREAD, values, Location(file=files[0]), flagged, severity)


def _write_entry(draft: Draft, what: str, files: list[str]) -> str:
    """Return the line of readback.yml that has these files read beside what is read already; "" for other kinds."""
    if what == kinds.JUDGE:
        judges = ", ".join(f"{PurePosixPath(name).stem}: {{prompts: {name}}}" for name in files)
        return f"write judges: {{{judges}}} in readback.yml"
    if all(plain_prompts.find_ending(name) in plain_prompts.ALWAYS for name in files):
        configs = [file.path for file in draft.recognised if file.used and file.what == kinds.PROMPTS]
        return f"write prompts: [{', '.join(dict.fromkeys((*configs, *files)))}] in readback.yml"
    return ""


def _is_missing(draft: Draft, looks: Looks) -> bool:
    """Return whether the workspace lacks what the file looks like: there are prompts and no rows, or the other way."""
    has_rows = draft.dataset is not None and not draft.dataset.absent
    has_prompts = bool(draft.prompts or draft.tasks or draft.judges)
    if looks == "data":
        return has_prompts and not has_rows
    if looks == "prompt":
        return has_rows and not (has_prompts or draft.conditions or draft.scores or draft.training)
    return False


def _describe_nothing_read(draft: Draft, unused: list[Recognised]) -> Diagnostic:
    others = [group for group in draft.recognised if not group.used and not group.looks]
    files = [name for group in (*unused, *others) for name in (group.files or (group.path,))]
    first = unused[0] if unused else None
    tool = _name_tool(first)
    values = {
        "files": list(_list_first(files)),
        "count": sum(group.count for group in draft.recognised if not group.used),
        "depth": draft.depth,
        "reason": first.detail if first else "",
        "step": _choose_step(draft, first),
        "tool": tool,
        "place": "" if tool else "folder",
    }
    return Diagnostic(NOTHING, values, Location(file=files[0] if files else None), draft.name)


def _name_tool(first: Recognised | None) -> str:
    """Return what the first unread file is of another tool, in words; "" where it is of none."""
    if first:
        name = first.detail.partition(",")[0]
    else:
        name = ""
    if name in {words for words, _ in other_tools.MAPPINGS}:
        return name
    return ""


def _choose_step(draft: Draft, first: Recognised | None) -> str:
    """Return the step that makes the first unread file readable; of a table that may be scores the option for it."""
    tables = proposed_scores.list_proposed(draft.alternatives)
    if tables:
        return f"read it as scores with --{tables[0].key} {tables[0].line}, or with a click on Open"
    if first:
        return first.step
    return ""


def _list_first(files: list[str]) -> Iterator[str]:
    yield from files[:NAMED_BY_FINDING]
    if len(files) > NAMED_BY_FINDING:
        yield f"{len(files) - NAMED_BY_FINDING:,} more"

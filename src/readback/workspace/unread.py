"""What a file that is not read looks like, by its ending and its first bytes, and what makes it readable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from readback import catalogue
from readback.quantity import choose_form
from readback.sources import other_tools, plain_prompts
from readback.sources.template_language import BLOCK, BRACED
from readback.types import Diagnostic, Location, Looks, Recognised
from readback.workspace import kinds, proposed_scores
from readback.workspace.draft import Draft

HEAD = 1 << 16  # bytes of a file that tell what it looks like
NAMED = 3  # files that a finding names
UNREAD, NOTHING = "dat-unread", "dat-nothing-read"


@dataclass(frozen=True, slots=True)
class Look:
    """What a file looks like, why it is not read, and the step that makes it readable."""

    looks: Looks
    why: str = ""
    step: str = ""


SHEET = Look("data", "a spreadsheet, which Readback does not read", "save the sheet as CSV (UTF-8)")
DATABASE = Look("data", "a database, which Readback does not read", "export the table as CSV, JSON lines or Parquet")
COLUMNS = Look("data", "a table of a format that Readback does not read", "save it as Parquet, CSV or JSON lines")
PACKED = Look("data", "it is packed in a way that Readback does not open", "unpack it, or pack it with gzip")
ARCHIVE = Look("data", "an archive, which is not opened inside a folder", "unpack it into the folder")
OBJECTS = Look("data", "stored objects of a program, which are never loaded", "save the rows as JSON lines")
FOREIGN = Look("prompt", "a prompt in a format that Readback does not read", "save its text as .txt, .md or .jinja")
INSPECT = Look("log", "a log of inspect, which Readback does not read yet", "export its messages as JSON lines")

ENDINGS: Mapping[str, Look] = {
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
LISTED = re.compile(rb"[\[:]\s*\[?\s*\{")  # a list of objects, or an object in an object
WORDS = re.compile(
    rb"[\"'](?:question|query|prompt|instruction|input|output|answer|response|messages|conversations?|completion"
    rb"|context|contexts|user_input|reference|score|rating|judge|system_prompt|chosen|rejected)[\"']\s*:"
)
KEYED = re.compile(rb"^\s*(?:- )?(?:system_prompt|user_prompt|prompts?|messages)\s*:", re.MULTILINE)
SENT = re.compile(rb"[\"'](?:messages|prompt)[\"']\s*:")


def look(name: str, path: Path) -> Look | None:
    """Return what a file looks like; None where it looks like nothing that a review is about."""
    lowered = PurePosixPath(name).name.lower()
    suffix = PurePosixPath(lowered).suffix
    stem = PurePosixPath(lowered).stem
    if suffix in ENDINGS:
        return ENDINGS[suffix]
    if suffix in PACKERS and PurePosixPath(stem).suffix in (*ROWS, *CONFIGS):
        return PACKED
    if lowered.removesuffix(".gz").endswith(ROWS):
        return Look("data")
    if suffix in plain_prompts.ALWAYS:
        return Look("prompt", "nothing names it")
    if suffix in CONFIGS and not FURNITURE.search(lowered):
        return _of_config(suffix, _head(path))
    if suffix == ".log" and SENT.search(_head(path)):
        return Look("log", "a log whose lines are no JSON objects of their own", "save it as JSON lines (.jsonl)")
    if suffix in (".txt", ".md") and not plain_prompts.paper(PurePosixPath(name)):
        return _of_text(PurePosixPath(name), _head(path))
    return None


def _of_config(suffix: str, head: bytes) -> Look | None:
    """A JSON or YAML file with rows, messages or prompts in it."""
    if suffix == ".json":
        rows = LISTED.search(head) and WORDS.search(head)
        step = "save the list of its records as JSON lines (.jsonl)"
        return Look("data", "it is of no kind that Readback knows", step) if rows else None
    step = "write its prompts as template files, or name them in readback.yml under modes:"
    return Look("prompt", "it is of no kind that Readback knows", step) if KEYED.search(head) else None


def _of_text(name: PurePosixPath, head: bytes) -> Look | None:
    text = head.decode("utf-8", "replace")
    marked = BLOCK.search(text) or BRACED.search(text)
    if marked or plain_prompts.probable(name, marked=False):
        return Look("prompt", "nothing says that it is a prompt", f"choose it on Open, or with --template {name}")
    return None


def report_unread(draft: Draft) -> None:
    """Report what looks like data, prompts, logs or scores and is not read: a finding for each reason. Where nothing
    was read at all, one finding says so, with the files and how deep they were looked for.
    """
    unused = [one for one in draft.recognised if not one.used and one.looks]
    read = any(one.used and one.what == BESIDE for one in draft.recognised)  # what readback.yml names, though empty
    if nothing_read(draft) and (unused or not read):
        draft.diagnostics.append(_nothing(draft, unused))
        return
    reported = {name for one in draft.diagnostics for name in (one.flagged, *one.flagged.split("\n"), one.place.file)}
    offered = {name for names in draft.alternatives.values() for name in names}
    alike: dict[tuple[Looks, str, str, str], list[str]] = {}
    for one in unused:
        if one.what in ASKED:  # what somebody is asked about is a finding of its own
            continue
        files = [name for name in one.files or (one.path,) if name not in reported and name not in offered]
        if files:
            alike.setdefault((one.looks, one.detail or one.what, one.step, one.what), []).extend(files)
    for (looks, reason, step, what), files in alike.items():
        step = step or _name_files(draft, what, files)
        draft.diagnostics.append(_unread(draft, looks, reason, step, files))


def nothing_read(draft: Draft) -> bool:
    """Return whether nothing of a folder is used, and no error says why."""
    used = any(one.used and one.what not in (kinds.WORKSPACE, BESIDE) for one in draft.recognised)
    form = any(one.what == kinds.FORM for one in draft.recognised)  # to be filled in: a finding of its own says so
    return not (used or form or draft.dataset or _sends(draft) or any(map(_is_error, draft.diagnostics)))


def _is_error(one: Diagnostic) -> bool:
    return (one.severity or catalogue.entries().get(one.code, {}).get("severity")) == "error"


BESIDE = "read for another file"
WORDS_OF: Mapping[Looks, str] = {
    "data": "data|data",
    "prompt": "a prompt|prompts",
    "log": "a log|logs",
    "scores": "scores|scores",
}
# Tables that hold only names of columns, and those of which somebody is asked whether they are scores.
ASKED = (kinds.FORM, "table of judges", "table of scores")


def _sends(draft: Draft) -> bool:
    parts = (draft.prompts, draft.tasks, draft.judges, draft.models, draft.conditions, draft.scores, draft.training)
    return any(parts) or bool(draft.adapters or draft.instructions or draft.sent)


def _unread(draft: Draft, looks: Looks, reason: str, step: str, files: list[str]) -> Diagnostic:
    needed = _missing(draft, looks)
    values = {
        "looks": choose_form(len(files), WORDS_OF[looks]),
        "files": list(_listed(files)),
        "count": len(files),
        "reason": reason,
        "step": step,
    }
    place = Location(file=files[0])
    return Diagnostic(UNREAD, values, place, "\n".join(files[:NAMED]), "warning" if needed else "info")


def _name_files(draft: Draft, what: str, files: list[str]) -> str:
    """The line of readback.yml that has these files read beside what is read already; nothing for other kinds."""
    if what == kinds.JUDGE:
        judges = ", ".join(f"{PurePosixPath(name).stem}: {{prompts: {name}}}" for name in files)
        return f"write judges: {{{judges}}} in readback.yml"
    if all(plain_prompts.ending(name) in plain_prompts.ALWAYS for name in files):
        configs = [one.path for one in draft.recognised if one.used and one.what == kinds.PROMPTS]
        return f"write prompts: [{', '.join(dict.fromkeys((*configs, *files)))}] in readback.yml"
    return ""


def _missing(draft: Draft, looks: Looks) -> bool:
    """Return whether the workspace lacks what the file looks like: there are prompts and no rows, or the other way."""
    rows = draft.dataset is not None and not draft.dataset.absent
    prompts = bool(draft.prompts or draft.tasks or draft.judges)
    if looks == "data":
        return prompts and not rows
    if looks == "prompt":
        return rows and not (prompts or draft.conditions or draft.scores or draft.training)
    return False


def _nothing(draft: Draft, unused: list[Recognised]) -> Diagnostic:
    files = [name for one in unused for name in (one.files or (one.path,))]
    others = [one for one in draft.recognised if not one.used and not one.looks]
    files += [name for one in others for name in (one.files or (one.path,))]
    first = unused[0] if unused else None
    values = {
        "files": list(_listed(files)),
        "count": sum(one.count for one in draft.recognised if not one.used),
        "depth": draft.depth,
        "reason": first.detail if first else "",
        "step": _step(draft, first),
        "tool": (tool := _tool(first)),
        "place": "" if tool else "folder",
    }
    return Diagnostic(NOTHING, values, Location(file=files[0] if files else None), draft.name)


def _tool(first: Recognised | None) -> str:
    """What the first unread file is of another tool, in words; nothing where it is of none."""
    name = first.detail.partition(",")[0] if first else ""
    return name if name in {words for words, _ in other_tools.MAPPINGS} else ""


def _step(draft: Draft, first: Recognised | None) -> str:
    """The step that makes the first unread file readable; of a table that may be scores the option that says so."""
    tables = proposed_scores.proposed(draft.alternatives)
    if tables:
        return f"read it as scores with --{tables[0].key} {tables[0].line}, or with a click on Open"
    return first.step if first else ""


def _listed(files: list[str]) -> Iterator[str]:
    yield from files[:NAMED]
    if len(files) > NAMED:
        yield f"{len(files) - NAMED:,} more"


def _head(path: Path) -> bytes:
    """The beginning of a file; nothing of one that cannot be read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as stream:
            return stream.read(HEAD)
    except OSError:
        return b""

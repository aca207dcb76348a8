"""The prompts of a configuration: texts, files of eight kinds, patterns, with labels as promptfoo gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback.projects.javascript_text import SPACES, import_value, slice_text, stringify
from readback.projects.promptfoo.csv_rows import read_csv
from readback.projects.promptfoo.external import load_external
from readback.projects.promptfoo.files import FILE, MadeByCode, ProjectFiles, Refusal, has_magic, is_code
from readback.types import Diagnostic, Location

SEPARATOR = "---"
EXTENSIONS = (
    ".cjs", ".cts", ".j2", ".js", ".json", ".jsonl", ".md", ".mjs", ".mts", ".py", ".ts", ".txt", ".yml", ".yaml",
)  # fmt: skip
SERVICES = ("portkey://", "langfuse://", "helicone://")
MOST = 2_000  # prompts of a project


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt as promptfoo has it after reading: its template, its label, and an id where one is stated."""

    raw: str
    label: str
    id: str | None
    place: Location


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of `prompts`."""

    raw: str
    label: str | None
    id: str | None
    place: Location


def read_prompts(written: Any, places: dict[Any, Location], files: ProjectFiles) -> tuple[list[PromptText], list[str]]:
    """Return the prompts, and why the tool would not start, if so. What only code makes is a diagnostic of `files`."""
    prompts: list[PromptText] = []
    refusals: list[str] = []
    for entry in _list_entries(written, places, refusals):
        try:
            texts = _read_entry(entry, files)
            if not texts:
                raise Refusal(f"there are no prompts in {entry.raw[:200]!r}: a text with a slash is taken for a path")
        except MadeByCode as made:
            files.diagnostics.append(made.diagnostic)
            continue
        except Refusal as refusal:
            refusals.append(refusal.reason)
            reason = {"reason": refusal.reason}
            files.diagnostics.append(refusal.diagnostic or Diagnostic("dat-bad-line", reason, entry.place))
            continue
        prompts.extend(texts)
        if len(prompts) > MOST:
            values = {"what": f"prompts of the project ({len(prompts) - MOST} or more left out)", "limit": MOST}
            files.diagnostics.append(Diagnostic("dat-limit", values, entry.place))
            return prompts[:MOST], refusals
    return prompts, refusals


def _list_entries(written: Any, places: dict[Any, Location], refusals: list[str]) -> Iterator[_Entry]:
    """Yield the entries of `prompts`; a text that is there twice counts once."""
    top = places["prompts"]
    if isinstance(written, str):
        written = [written]
    if isinstance(written, dict):
        for raw, label in written.items():
            yield _Entry(str(raw), label if isinstance(label, str) else None, None, top)
        return
    seen_texts: set[str] = set()
    for index, item in enumerate(written if isinstance(written, list) else []):
        place = places.get(("prompts", index), top)
        if isinstance(item, str):
            if item not in seen_texts:
                seen_texts.add(item)
                yield _Entry(item, None, None, place)
            continue
        if not isinstance(item, dict) or not any(isinstance(item.get(key), str) for key in ("raw", "label")):
            refusals.append("a prompt must be a text, or have `raw` or `label`")
            continue
        raw = item.get("raw") or item.get("id")
        if not isinstance(raw, str):
            refusals.append("a prompt has neither `raw` nor `id`")
            continue
        yield _Entry(raw, _get_text(item, "label"), _get_text(item, "id"), place)


def _get_text(item: dict[str, Any], key: str) -> str | None:
    value = item.get(key)
    if isinstance(value, str) and value:
        return value
    return None


def is_taken_for_path(text: str) -> bool:
    """Whether promptfoo takes the text of a prompt for a path: it has no line break, and a slash, a `*`, an ending."""
    if "\n" in text or text.startswith(SERVICES) or any(service in text for service in SERVICES):
        return False
    parts = text.split(":")
    has_ending = parts[-1].endswith(EXTENSIONS) or (len(parts) > 1 and parts[-2].endswith(EXTENSIONS))
    if text.startswith(FILE) or has_ending:
        return True
    return any(sign in text for sign in "*/\\") or "." in (text[-3:-2], text[-4:-3])


def _read_entry(entry: _Entry, files: ProjectFiles) -> list[PromptText]:
    raw = entry.raw
    if raw.startswith("exec:"):
        raise MadeByCode(raw, "a prompt", entry.place)
    if raw.startswith(SERVICES):
        raise MadeByCode(raw, "a prompt of a service", entry.place)
    if not is_taken_for_path(raw):
        return [PromptText(raw, entry.label if entry.label is not None else raw, entry.id, entry.place)]
    name = raw.removeprefix(FILE)
    if is_code(name):
        raise MadeByCode(raw, "a prompt", entry.place)
    if not has_magic(name):
        return _read_path(entry, name, files)
    prompts: list[PromptText] = []
    for path in files.expand(name, entry.place):
        found_entry = _Entry(files.get_name(path), None, None, entry.place)
        if is_code(path.name):
            files.diagnostics.append(MadeByCode(found_entry.raw, "a prompt", entry.place).diagnostic)
        else:
            prompts.extend(_read_file(path, found_entry, files))
    return prompts or [PromptText(raw, entry.label if entry.label is not None else raw, entry.id, entry.place)]


def _read_path(entry: _Entry, name: str, files: ProjectFiles) -> list[PromptText]:
    """Read a plain path: without an ending that promptfoo knows it has no prompts, even where it is no file."""
    suffix = Path(name).suffix
    if suffix not in (".csv", ".j2", ".json", ".jsonl", ".md", ".txt", ".yml", ".yaml"):
        return []
    return _read_file(files.find(name, entry.place), entry, files)


def _read_file(path: Path, entry: _Entry, files: ProjectFiles) -> list[PromptText]:
    """Return the prompts of a file by its ending."""
    name, label, place = files.get_name(path), entry.label, files.get_place(path)
    readers = {".txt": _read_txt, ".csv": _read_table, ".jsonl": _read_lines}
    if path.suffix in readers:
        return readers[path.suffix](path, entry, files)
    if path.suffix in (".j2", ".md"):
        text = files.read(path)
        return [PromptText(text, label or f"{name}: {slice_text(text, 0, 50) if text else ''}...", None, place)]
    if path.suffix == ".json":
        text = _rewrite_json(path, files)
        return [PromptText(text, label or f"{name}: {text}", None, place)]
    if path.suffix in (".yaml", ".yml"):
        text = _rewrite_yaml(path, files)
        return [PromptText(text, label or f"{name}: {slice_text(text, 0, 80) if text else ''}", None, place)]
    return []


def _read_txt(path: Path, entry: _Entry, files: ProjectFiles) -> list[PromptText]:
    """Split at lines that are `---`; each piece is trimmed and has line feeds only."""
    name, prompts, buffer, start = files.get_name(path), [], [], 1
    lines = re.split(r"\r?\n", files.read(path))
    for number, line in enumerate([*lines, SEPARATOR], 1):
        if line.strip(SPACES) != SEPARATOR:
            buffer.append(line)
            continue
        raw = "\n".join(buffer).strip(SPACES)
        if raw:
            blanks = len("\n".join(buffer)) - len("\n".join(buffer).lstrip(SPACES))
            place = files.get_place(path, start + "\n".join(buffer)[:blanks].count("\n"))
            label = f"{name}: {raw}"
            prompts.append(PromptText(raw, f"{entry.label}: {label}" if entry.label else label, None, place))
        buffer, start = [], number + 1
    return prompts


def _read_table(path: Path, entry: _Entry, files: ProjectFiles) -> list[PromptText]:
    """Read the columns `prompt` and `label`; without a comma a prompt a line."""
    text = files.read(path)
    rows: list[tuple[str, str | None]] = []
    try:
        if "," in text:
            table = _read_trimmed(text)
        else:
            table = None
    except Refusal:
        table = None
    if table is not None:
        rows = [(row["prompt"], row.get("label") or None) for row in table if row.get("prompt")]
    else:
        lines = [line for line in re.split(r"\r?\n", text) if line.strip(SPACES)]
        if lines and lines[0].lower().strip(SPACES) == "prompt":
            skipped = 1
        else:
            skipped = 0
        rows = [(line, None) for line in lines[skipped:]]
    taken_labels = {label for _, label in rows if label}
    prompts = []
    for index, (raw, label) in enumerate(rows):
        if label is None:
            label = _label_row(entry.label, raw, index, len(rows) > 1, taken_labels)
            taken_labels.add(label)
        id_of_row = f"{entry.id}:{index + 1}" if entry.id and len(rows) > 1 else entry.id
        prompts.append(PromptText(raw, label, id_of_row, files.get_place(path)))
    return prompts


def _read_trimmed(text: str) -> list[dict[str, str]]:
    """Read a table whose cells are trimmed and whose empty lines do not count."""
    lines = [line for line in text.splitlines(keepends=True) if line.strip(SPACES)]
    rows = read_csv("".join(lines))
    return [{key.strip(SPACES): value.strip(SPACES) for key, value in row.items()} for row in rows]


def _label_row(base: str | None, raw: str, index: int, are_several: bool, taken_labels: set[str]) -> str:
    label = f"Prompt {index + 1} - {raw}"
    if base:
        label = f"{base}: {raw}" if are_several else base
    wanted, suffix = label, 1
    while label in taken_labels:
        label = f"{wanted} (row {index + 1}{f'.{suffix}' if suffix > 1 else ''})"
        suffix += 1
    return label


def _read_lines(path: Path, entry: _Entry, files: ProjectFiles) -> list[PromptText]:
    """Return a prompt for each line that is not empty."""
    name = files.get_name(path)
    lines = [(n, line) for n, line in enumerate(re.split(r"\r?\n", files.read(path)), 1) if line]
    prompts = []
    for number, line in lines:
        label = entry.label or name
        if len(lines) > 1:
            label = f"{label}: {line}"
        prompts.append(PromptText(line, label, None, files.get_place(path, number)))
    return prompts


def _rewrite_json(path: Path, files: ProjectFiles) -> str:
    """Return the file as compact JSON, with `file://` texts inside filled in; as it is where it is no JSON."""
    text = files.read(path)
    try:
        value = load_external(files.read_json(path), files)
    except Refusal:
        return text
    return str(stringify(value))


def _rewrite_yaml(path: Path, files: ProjectFiles) -> str:
    """Return the file as compact JSON; as it is where js-yaml does not read it."""
    text = files.read(path)
    before = len(files.diagnostics)
    try:
        value = load_external(files.read_yaml(path), files)
    except Refusal:
        del files.diagnostics[before:]
        return text
    return str(stringify(import_value(value)))


def matches_reference(reference: Any, label: str, other: str | None) -> bool:
    """Whether a label or id is meant: the same, the group before a colon, or what begins so before a `*`."""
    if not isinstance(reference, str):
        return False
    for name in (label, other):
        if not name:
            continue
        if name == reference or name.startswith(f"{reference}:"):
            return True
        if reference.endswith("*") and name.startswith(reference[:-1]):
            return True
    return False


def is_allowed(references: Any, label: str, other: str | None) -> bool:
    """Whether a list of references, if there is one, means a prompt or provider."""
    if not isinstance(references, list):
        return True
    return any(matches_reference(each, label, other) for each in references)

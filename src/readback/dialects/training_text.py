"""Find the system text a model was trained with, where it lives: a notebook, a Python file, or a messages file.

Nothing is executed: code is parsed, and a text that would have to be computed is said to be so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from readback import cell
from readback.dialects import python_constants
from readback.files.paths import show
from readback.files.text_file import read_text
from readback.records.dataset import Row, raw_rows
from readback.types import Note, Place, SystemText

NAME = "training text"
NOTEBOOK, PYTHON = ".ipynb", ".py"
NOTEBOOK_LIMIT = 16 << 20  # bytes; outputs with pictures are most of a notebook
ROWS = 1_000  # rows of a messages file in which a second system text is looked for: reading all would hold up opening
LISTED = 8  # places named in one finding
LIKE = re.compile(
    r"SYSTEM(_?(PROMPT|MESSAGE|MSG|TEXT|INSTRUCTION))?$", re.IGNORECASE
)  # constants that say what they are
SYSTEM, USER = ("system",), ("user", "human")  # what rows call the roles
MESSAGES = ("messages", "prompt", "chosen_messages", "conversations")  # columns with a list of messages


@dataclass(frozen=True, slots=True)
class Candidate:
    """A system text as it stands somewhere; None where it would have to be computed."""

    text: str | None
    place: Place


def recognise(path: Path, value: Any) -> bool:
    """A notebook or a Python file; messages files are datasets until a workspace says otherwise."""
    return value is None and path.suffix in (NOTEBOOK, PYTHON)


def read(path: Path, root: Path, constant: str | None = None) -> tuple[SystemText | None, tuple[Note, ...]]:
    """The system text in `path`, of the constant of that name if one is given; None, with a note, when there is none.

    Two different texts are a finding (trn-system-candidates), and the first one is taken.
    """
    file = show(root, path)
    candidates, notes = _code(path, file, constant) if recognise(path, None) else _messages(path, file)
    found = [c for c in candidates if c.text is not None]
    if not found:
        if not any(n.code in ("dat-file-missing", "dat-too-large", "dat-limit", "dat-encoding") for n in notes):
            reason = (
                "it is computed there" if candidates else f"{constant} is no text in it" if constant else "none in it"
            )
            notes = (*notes, Note("trn-system-not-found", {"file": file, "reason": reason}, Place(file=file), file))
        return None, notes
    taken = found[0]
    if len({c.text for c in candidates}) > 1:
        named = "; ".join(dict.fromkeys(_said(c) for c in _first_of_each(candidates)[:LISTED]))
        values = {"count": len({c.text for c in candidates}), "places": named, "taken": _where(taken.place)}
        notes = (*notes, Note("trn-system-candidates", values, taken.place, taken.text or ""))
    return SystemText(taken.text or "", "training", taken.place), notes


def _first_of_each(candidates: Sequence[Candidate]) -> list[Candidate]:
    first: dict[str | None, Candidate] = {}
    for candidate in candidates:
        first.setdefault(candidate.text, candidate)
    return list(first.values())


def _said(candidate: Candidate) -> str:
    if candidate.text is None:
        return f"{_where(candidate.place)} (computed)"
    text = " ".join(candidate.text.split())
    return f"{_where(candidate.place)} {text[:60]!r}"


def _where(place: Place) -> str:
    return f"{place.field} line {place.line}" if place.field else f"line {place.line}"


def _code(path: Path, file: str, constant: str | None) -> tuple[list[Candidate], tuple[Note, ...]]:
    """The system messages of a notebook's code cells or a Python file, or the constant asked for."""
    text, notes = read_text(path, file, NOTEBOOK_LIMIT if path.suffix == NOTEBOOK else 1 << 20)
    if text is None:
        return [], notes
    cells: list[tuple[str, str]] = [("", text)]
    if path.suffix == NOTEBOOK:
        try:
            read_cells = cell.call("readback.dialects.training_text:notebook_cells", text, python_constants.LIMITS)
        except cell.Stopped as stopped:
            return [], (*notes, Note("dat-limit", {"what": stopped.kind, "limit": stopped.detail}, Place(file=file)))
        if isinstance(read_cells, str):
            return [], (
                *notes,
                Note("trn-cell-skipped", {"cell": "the notebook", "reason": read_cells}, Place(file=file)),
            )
        cells = [(f"cell {number}", source) for number, source in read_cells]
    found = python_constants.look([source for _, source in cells])
    if found.stopped:
        return [], (*notes, Note("dat-limit", {"what": "the parser", "limit": found.stopped}, Place(file=file)))
    places = [Place(file=file, field=name or None) for name, _ in cells]
    skipped = tuple(
        Note(
            "trn-cell-skipped",
            {"cell": cells[i][0] or file, "reason": reason},
            replace(places[i], line=line),
            cells[i][0],
        )
        for i, line, reason in found.skipped
        if cells[i][1].strip()
    )
    named = [t for t in found.constants if t.name == constant or (constant is None and LIKE.search(t.name or ""))]
    texts = named if constant else list(found.systems) or named
    return [Candidate(t.text, replace(places[t.source], line=t.line)) for t in texts], (*notes, *skipped)


def notebook_cells(text: str) -> list[tuple[int, str]] | str:
    """In the cell: the code cells of a notebook with their numbers (from 1, all kinds counted), or what is wrong.

    A cell whose first line hands it to another language (`%%bash`) keeps its lines, without that one, as it may be
    Python all the same (`%%time`).
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON ({error})"
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        return "it has no cells"
    found: list[tuple[int, str]] = []
    for number, one in enumerate(cells, 1):
        if not isinstance(one, dict) or one.get("cell_type") != "code":
            continue
        source = one.get("source")
        if isinstance(source, list):
            source = "".join(part for part in source if isinstance(part, str))
        if isinstance(source, str):
            head, newline, rest = source.partition("\n")
            found.append((number, newline + rest if head.startswith("%%") else source))
    return found


def _messages(path: Path, file: str) -> tuple[list[Candidate], tuple[Note, ...]]:
    """The first system message of each of the first rows; what is wrong with a row is a note."""
    candidates: list[Candidate] = []
    notes: list[Note] = []
    for row in islice(raw_rows(path, file), ROWS):
        if not isinstance(row, Row):
            notes.append(row)
        elif (text := _system_of(row.fields)) is not None:
            candidates.append(Candidate(text, Place(file=file, line=row.line, field="messages")))
    return candidates, tuple(notes)


def users(path: Path, root: Path) -> Iterator[tuple[int | None, str]]:
    """The first user message of each of the first rows of a messages file, with its line."""
    for row in islice(raw_rows(path, show(root, path)), ROWS):
        if isinstance(row, Row) and (text := _first_of(row.fields, USER)) is not None:
            yield row.line, text


def _system_of(fields: Mapping[str, Any]) -> str | None:
    """The first system message of a row of training data."""
    return _first_of(fields, SYSTEM)


def _first_of(fields: Mapping[str, Any], roles: Sequence[str]) -> str | None:
    """The first message of a role in a row of training data, in any of the known layouts."""
    for messages in _lists(fields):
        for message in messages:
            if not isinstance(message, Mapping):
                continue
            role = message.get("role", message.get("from"))
            content = message.get("content", message.get("value"))
            if role in roles and (text := _text(content)) is not None:
                return text
    return None


def _lists(fields: Mapping[str, Any]) -> Iterator[Iterable[Any]]:
    if {"role", "content"} <= fields.keys():  # a JSON file that is one conversation: each message is a row
        yield (fields,)
    inner = fields.get("input")
    for part in (fields, inner if isinstance(inner, Mapping) else {}):
        yield from (part[name] for name in MESSAGES if isinstance(part.get(name), list))


def _text(content: Any) -> str | None:
    """A message's text: a string, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text", part.get("value")) for part in parts if isinstance(part, Mapping)]
    known = [text for text in texts if isinstance(text, str)]
    return "\n".join(known) if known else None

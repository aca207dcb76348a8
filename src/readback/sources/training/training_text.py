"""Find the system text a model was trained with, where it lives: a notebook, a Python file, or a messages file.

Nothing is executed: code is parsed, and a text that would have to be computed is said to be so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative
from readback.readers.files.row import Row
from readback.records.raw_rows import read_raw_rows
from readback.records.training import system_texts
from readback.sources.training import training_code
from readback.sources.training.training_code import Candidate
from readback.types import Diagnostic, Location, SystemText

NAME = "training text"
CONSTANT = "training constant"  # key of Model.settings: which constant of a Python file the training text is
CELL = "training cell"  # the same: which cell of a notebook it is in
ROWS = 1_000  # rows of a messages file in which a second system text is looked for: reading all would hold up opening
LISTED = 8  # places named in one finding
WITHOUT = "none of its rows has a system message"
SYSTEM, USER = ("system",), ("user", "human")  # what rows call the roles
MESSAGES = ("messages", "prompt", "chosen_messages", "conversations")  # columns with a list of messages


def recognise(path: Path, value: Any) -> bool:
    """Tell whether a file is a notebook or Python; files of messages are datasets unless a workspace names them."""
    return value is None and path.suffix in training_code.SUFFIXES


def read(
    path: Path, root: Path, constant: str | None = None, cell: int | None = None
) -> tuple[SystemText | None, tuple[Diagnostic, ...]]:
    """Return the system text in `path`; None, with a diagnostic, when there is none.

    Of the constant of that name, or in the notebook's cell of that number (from 1), where one is given. Two different
    texts are a finding (trn-system-candidates), and one is taken: the first of those with an answer beside them, as
    in training, else the first.
    """
    file = format_relative(root, path)
    if recognise(path, None):
        candidates, diagnostics = _read_code(path, root, constant, cell)
    else:
        candidates, diagnostics = _read_messages(path, file)
    readable = [c for c in candidates if c.text is not None]
    if not readable:
        if not any(
            diagnostic.code in ("dat-file-missing", "dat-too-large", "dat-limit", "dat-encoding")
            for diagnostic in diagnostics
        ):
            where = constant or (f"cell {cell}" if cell else "")
            if candidates:
                reason = "it is computed there"
            elif where:
                reason = f"{where} is not a text in it"
            else:
                reason = "none in it"
            rows = not recognise(path, None) and any(isinstance(row, Row) for row in read_raw_rows(path, file))
            about = {"file": file, "reason": WITHOUT if rows else reason}
            diagnostics = (
                *diagnostics,
                Diagnostic("trn-system-not-found", about, Location(file=file), file, "info" if rows else None),
            )
        return None, diagnostics
    if have_intended_variants(path, readable):  # none of them is the text that the model was trained with
        return None, (*diagnostics, report_several(candidates, None))
    chosen = next((candidate for candidate in readable if candidate.answered), readable[0])
    if have_several_texts(candidates):
        diagnostics = (*diagnostics, report_several(candidates, chosen))
    return SystemText(chosen.text or "", "training", chosen.place), diagnostics


def have_several_texts(candidates: Sequence[Candidate]) -> bool:
    """Tell whether they are more than one text; what is computed differs from all others."""
    return len({candidate.text for candidate in candidates}) > 1


def have_intended_variants(path: Path, candidates: Sequence[Candidate]) -> bool:
    """Tell whether the rows of a messages file have several texts that are meant so."""
    texts = [candidate.text or "" for candidate in candidates]
    return not recognise(path, None) and system_texts.is_intended(system_texts.summarize(texts), texts[0])


def report_several(candidates: Sequence[Candidate], chosen: Candidate | None) -> Diagnostic:
    """Report that one file states several texts, or some that cannot be read without running it."""
    first = _first_of_each(candidates)
    values = {
        "count": len(first),
        "places": "; ".join(dict.fromkeys(_describe_candidate(candidate) for candidate in first[:LISTED])),
        "taken": _where(chosen.place) if chosen else "none of them",
    }
    place = chosen.place if chosen else first[0].place
    if place.file and place.file.endswith(".ipynb"):
        place = Location(file=place.file, field=_where(place))  # the line is one of the cell and not of the file
    if chosen:
        flagged = chosen.text or ""
    else:
        flagged = "\n".join(candidate.code for candidate in first)
    return Diagnostic("trn-system-candidates", values, place, flagged, None if chosen else "info")


def _first_of_each(candidates: Sequence[Candidate]) -> list[Candidate]:
    first: dict[tuple[str | None, str], Candidate] = {}
    for candidate in candidates:
        first.setdefault((candidate.text, candidate.code), candidate)
    return list(first.values())


def _describe_candidate(candidate: Candidate) -> str:
    if candidate.text is None:
        return " ".join(f"{_where(candidate.place)} {candidate.code[:60]}".split()) + " (computed)"
    text = " ".join(candidate.text.split())
    return f"{_where(candidate.place)} {text[:60]!r}"


def _where(place: Location) -> str:
    if place.field:
        return f"{place.field} line {place.line}"
    return f"line {place.line}"


def _read_code(
    path: Path, root: Path, constant: str | None, cell: int | None
) -> tuple[list[Candidate], tuple[Diagnostic, ...]]:
    """Read the system messages of a notebook's code or a Python file, else texts named so; or the named constant."""
    code = training_code.read(path, root)
    if constant is not None:
        return [candidate for candidate in code.constants if candidate.name == constant], code.diagnostics
    messages = [candidate for candidate in code.messages if cell is None or candidate.place.field == f"cell {cell}"]
    named = [candidate for candidate in code.named if cell is None or candidate.place.field == f"cell {cell}"]
    return messages or named, code.diagnostics


def _read_messages(path: Path, file: str) -> tuple[list[Candidate], tuple[Diagnostic, ...]]:
    """Read the first system message of each of the first rows; what is wrong with a row is a diagnostic."""
    candidates: list[Candidate] = []
    diagnostics: list[Diagnostic] = []
    for row in islice(read_raw_rows(path, file), ROWS):
        if not isinstance(row, Row):
            diagnostics.append(row)
        elif (text := _find_system_text(row.fields)) is not None:
            candidates.append(Candidate(text, Location(file=file, line=row.line, field="messages")))
    return candidates, tuple(diagnostics)


def list_user_texts(path: Path, root: Path) -> Iterator[tuple[int | None, str]]:
    """Yield the first user message of each of the first rows of a messages file, with its line."""
    for row in islice(read_raw_rows(path, format_relative(root, path)), ROWS):
        if isinstance(row, Row) and (text := _find_first_text(row.fields, USER)) is not None:
            yield row.line, text


def _find_system_text(fields: Mapping[str, Any]) -> str | None:
    """Return the first system message of a row of training data."""
    return _find_first_text(fields, SYSTEM)


def _find_first_text(fields: Mapping[str, Any], roles: Sequence[str]) -> str | None:
    """Return the first message of a role in a row of training data, in any of the known layouts."""
    for messages in _list_messages(fields):
        for message in messages:
            if not isinstance(message, Mapping):
                continue
            role = message.get("role", message.get("from"))
            content = message.get("content", message.get("value"))
            if role in roles and (text := _join_parts(content)) is not None:
                return text
    return None


def _list_messages(fields: Mapping[str, Any]) -> Iterator[Iterable[Any]]:
    if {"role", "content"} <= fields.keys():  # a JSON file that is one conversation: each message is a row
        yield (fields,)
    inner = fields.get("input")
    for part in (fields, inner if isinstance(inner, Mapping) else {}):
        yield from (part[name] for name in MESSAGES if isinstance(part.get(name), list))


def _join_parts(content: Any) -> str | None:
    """Return a message's text: a string, or the texts of its parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = content
    else:
        parts = []
    texts = [part.get("text", part.get("value")) for part in parts if isinstance(part, Mapping)]
    readable = [text for text in texts if isinstance(text, str)]
    if readable:
        return "\n".join(readable)
    return None

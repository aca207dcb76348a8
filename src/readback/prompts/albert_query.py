"""What a call of the Albert program takes from a record besides its template's data: the query and the system prompt.

Source: the *Prompt template* page of etalab-ia/franceservices-backend and the program it describes, which expands
acronyms before it renders. Its list is its own data; here the table is the user's (`acronyms:`), and off without one.
The later program spells nothing out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from readback.types import NOWHERE, Diagnostic, Location, Prompt, Record, Segment

# A word of three characters or more that begins with a capital or a digit, but for one that begins a new sentence.
CANDIDATE = re.compile(r"(?<!\S\. )[A-Z0-9][A-Za-z0-9]{2,}\b")
MOST = 10  # candidates: more than that is a text in capitals, which the program leaves alone
ARGUMENT = "system_prompt"  # the field of a record that stands for the program's argument of that name
AROUND = 100  # characters on either side in which the long form may already stand


def asked(data: dict[str, Any], acronyms: Mapping[str, str], place: Location) -> Iterator[tuple[str, Diagnostic]]:
    """Set what the program derives: `query`, `search_query` and its misspelt twin. Diagnostics where one differs.

    `data` are a record's fields, changed in place. Each diagnostic comes with the variable it is about.
    """
    own = data.get("query")
    turns = _turns(data)
    if not own and turns:
        data["query"] = query_of(data)
        yield "query", _changed(own or "", data["query"], "history", place)
    if isinstance(query := data.get("query"), str) and acronyms:
        data["query"] = spelled_out(query, acronyms)
        if data["query"] != query:
            yield "query", _changed(query, data["query"], "acronyms", place)
    if "query" in data:
        data["seach_query"] = data["query"]  # [sic], the classic program's spelling
    if turns:
        data["search_query"] = "; ".join([turn["content"] for turn in turns if turn.get("role") == "user"][-3:])


def query_of(fields: Mapping[str, Any]) -> Any:
    """The query before acronyms are spelled out: the record's, else the last turn of its history."""
    turns = [] if fields.get("query") else _turns(fields)
    return turns[-1]["content"] if turns else fields.get("query")


def _turns(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [turn for turn in listed(fields.get("history")) if isinstance(turn.get("content"), str)]


def spelled_out(query: str, acronyms: Mapping[str, str]) -> str:
    """`query` with ` (long form)` after each acronym of the table, unless the long form is near it already."""
    return "".join(text for text, _ in spelled_pieces(query, acronyms))


def spelled_pieces(query: str, acronyms: Mapping[str, str]) -> tuple[tuple[str, str | None], ...]:
    """The spelled out query in pieces: the query's own with None, each inserted ` (long form)` with its acronym."""
    known = {name.casefold(): name for name in acronyms}
    hits = list(CANDIDATE.finditer(query))
    if len(hits) > MOST:
        return ((query, None),)
    pieces: list[tuple[str, str | None]] = []
    after = ""  # what is behind the acronym by then: the program goes from the last to the first
    end = len(query)
    for hit in reversed(hits):
        name = known.get(hit[0].casefold())
        behind = query[hit.end() : end] + after
        near = f"{query[max(0, hit.start() - AROUND) : hit.start()]} {behind[:AROUND]}"
        if name is not None and acronyms[name] and acronyms[name].casefold() not in near.casefold():
            put = f" ({acronyms[name]})"
            pieces += [(query[hit.end() : end], None), (put, name)]
            after, end = f"{put}{behind}", hit.end()
    pieces.append((query[:end], None))
    return tuple(piece for piece in reversed(pieces) if piece[0])


def findable(name: str) -> bool:
    """Whether the program would find an acronym in a query that has it in capitals."""
    return CANDIDATE.fullmatch(name.upper()) is not None


def with_acronyms(
    segments: Iterable[Segment], sent: Any, acronyms: Mapping[str, str], places: Mapping[str, Location]
) -> tuple[Segment, ...]:
    """The segments of a rendered text, where what was put into the query comes from the table of acronyms.

    `sent` is the query as it was before. A query that the template changed further (`| upper`) stays in one piece.
    """
    if not isinstance(sent, str) or not acronyms:
        return tuple(segments)
    pieces = spelled_pieces(sent, acronyms)
    whole = "".join(text for text, _ in pieces)
    return tuple(
        part
        for one in segments
        for part in (_pieces(one, pieces, places) if _is_query(one, whole) and len(pieces) > 1 else (one,))
    )


def _is_query(one: Segment, whole: str) -> bool:
    return one.origin == "variable" and one.name in ("query", "seach_query") and one.text == whole


def _pieces(
    one: Segment, pieces: Iterable[tuple[str, str | None]], places: Mapping[str, Location]
) -> Iterator[Segment]:
    for text, name in pieces:
        at = one.place if name is None else places.get(name, NOWHERE)
        yield replace(one, text=text) if name is None else Segment(text, "default", f"acronyms.{name}", at)


def system_argument(
    prompt: Prompt, record: Record, options: Mapping[str, str]
) -> tuple[tuple[Segment, ...], tuple[Diagnostic, ...]]:
    """The system prompt that a record brings for an Albert mode goes before the configuration's.

    The later program takes such an argument and forgets it: there it is noted, and nothing comes of it.
    """
    text = record.fields.get(ARGUMENT) if prompt.settings.get("dialect") == "albert" else None
    if not isinstance(text, str) or not text or text == prompt.system:
        return (), ()
    at = Location(file=record.place.file, line=record.place.line, field=ARGUMENT)
    if options.get("albert_dialect") == "current":
        return (), (Diagnostic("alb-system-argument-ignored", {"text": text, "mode": prompt.mode}, at, text),)
    return (Segment(text, "variable", ARGUMENT, at),), ()


def listed(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; anything else is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _changed(own: Any, sent: str, why: str, place: Location) -> Diagnostic:
    values = {"row": own, "sent": sent, "why": why}
    return Diagnostic("alb-query-changed", values, Location(file=place.file, line=place.line, field="query"), sent)

"""What a call of the Albert program takes from a record besides its template's data: the query and the system prompt.

Source: the *Prompt template* page of etalab-ia/franceservices-backend and the program it describes, which expands
acronyms before it renders. Its list is its own data; here the table is the user's (`acronyms:`), and off without one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from readback.types import Diagnostic, Location, Prompt, Record, Segment

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
    turns = [turn for turn in listed(data.get("history")) if isinstance(turn.get("content"), str)]
    if not own and turns:
        data["query"] = turns[-1]["content"]
        yield "query", _changed(own or "", data["query"], "history", place)
    if isinstance(query := data.get("query"), str) and acronyms:
        data["query"] = spelled_out(query, acronyms)
        if data["query"] != query:
            yield "query", _changed(query, data["query"], "acronyms", place)
    if "query" in data:
        data["seach_query"] = data["query"]  # [sic], the classic program's spelling
    if turns:
        data["search_query"] = "; ".join([turn["content"] for turn in turns if turn.get("role") == "user"][-3:])


def spelled_out(query: str, acronyms: Mapping[str, str]) -> str:
    """`query` with ` (long form)` after each acronym of the table, unless the long form is near it already."""
    known = {name.casefold(): long for name, long in acronyms.items()}
    hits = list(CANDIDATE.finditer(query))
    if len(hits) > MOST:
        return query
    for hit in reversed(hits):
        long = known.get(hit[0].casefold())
        near = f"{query[max(0, hit.start() - AROUND) : hit.start()]} {query[hit.end() : hit.end() + AROUND]}"
        if long and long.casefold() not in near.casefold():
            query = f"{query[: hit.end()]} ({long}){query[hit.end() :]}"
    return query


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

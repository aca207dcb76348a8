"""Do what the Albert programs do besides rendering: derive the query, spell out acronyms, and cut the history.

Source: the *Prompt template* page of etalab-ia/franceservices-backend and the program it describes, which expands
acronyms before it renders. Its list is its own data; here the table is the user's (`acronyms:`), and off without one.
The later program spells nothing out.

The program counts words, takes words × 1.25 for tokens, and leaves out two turns of the history at a time while that is
more than 0.8 × `max_tokens`, until no turn is left.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from readback.prompts.request_settings import Program
from readback.prompts.selections import SelectedTexts
from readback.serving.history import insert_history
from readback.types import NOWHERE, Diagnostic, Location, Message, Prompt, Record, Segment

# A word of three characters or more that begins with a capital or a digit, but for one that begins a new sentence.
CANDIDATE = re.compile(r"(?<!\S\. )[A-Z0-9][A-Za-z0-9]{2,}\b")
MAX_CANDIDATES = 10  # candidates: more than that is a text in capitals, which the program leaves alone
SYSTEM_ARGUMENT = "system_prompt"  # the field of a record that stands for the program's argument of that name
AROUND = 100  # characters on either side in which the long form may already stand


def derive_query(
    data: dict[str, Any], acronyms: Mapping[str, str], place: Location
) -> Iterator[tuple[str, Diagnostic]]:
    """Set what the program derives from a record: `query`, `search_query` and its misspelt twin.

    `data` are the record's fields, changed in place. Yields a diagnostic, with the variable it is about, where the
    query differs from the record's.
    """
    query_of_record = data.get("query")
    turns = _list_turns(data)
    if not query_of_record and turns:
        data["query"] = find_query(data)
        yield "query", _report_change(query_of_record or "", data["query"], "history", place)
    query = data.get("query")
    if isinstance(query, str) and acronyms:
        data["query"] = expand_acronyms(query, acronyms)
        if data["query"] != query:
            yield "query", _report_change(query, data["query"], "acronyms", place)
    if "query" in data:
        data["seach_query"] = data["query"]  # [sic], the classic program's spelling
    if turns:
        data["search_query"] = "; ".join([turn["content"] for turn in turns if turn.get("role") == "user"][-3:])


def find_query(fields: Mapping[str, Any]) -> Any:
    """Return the query before acronyms are spelled out: the record's, else the last turn of its history."""
    if fields.get("query"):
        turns = []
    else:
        turns = _list_turns(fields)
    if turns:
        return turns[-1]["content"]
    return fields.get("query")


def _list_turns(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [turn for turn in list_objects(fields.get("history")) if isinstance(turn.get("content"), str)]


def expand_acronyms(query: str, acronyms: Mapping[str, str]) -> str:
    """Return `query` with ` (long form)` after each acronym of the table, unless the long form is near it already."""
    return "".join(text for text, _ in split_expansions(query, acronyms))


def split_expansions(query: str, acronyms: Mapping[str, str]) -> tuple[tuple[str, str | None], ...]:
    """Split the spelled out query into pieces: the query's own with None, each inserted ` (long form)` with its
    acronym.
    """
    names = {name.casefold(): name for name in acronyms}
    hits = list(CANDIDATE.finditer(query))
    if len(hits) > MAX_CANDIDATES:
        return ((query, None),)
    pieces: list[tuple[str, str | None]] = []
    text_after = ""  # what is behind the acronym by then: the program goes from the last to the first
    end = len(query)
    for hit in reversed(hits):
        name = names.get(hit[0].casefold())
        behind = query[hit.end() : end] + text_after
        near = f"{query[max(0, hit.start() - AROUND) : hit.start()]} {behind[:AROUND]}"
        if name is not None and acronyms[name] and acronyms[name].casefold() not in near.casefold():
            insertion = f" ({acronyms[name]})"
            pieces += [(query[hit.end() : end], None), (insertion, name)]
            text_after, end = f"{insertion}{behind}", hit.end()
    pieces.append((query[:end], None))
    return tuple(piece for piece in reversed(pieces) if piece[0])


def is_findable(name: str) -> bool:
    """Tell whether the program would find an acronym in a query that has it in capitals."""
    return CANDIDATE.fullmatch(name.upper()) is not None


def mark_acronyms(
    segments: Iterable[Segment], query: Any, acronyms: Mapping[str, str], places: Mapping[str, Location]
) -> tuple[Segment, ...]:
    """Return the segments of a rendered text with what was put into the query attributed to the table of acronyms.

    `sent` is the query before that. A query that the template changed further (`| upper`) stays in one piece.
    """
    if not isinstance(query, str) or not acronyms:
        return tuple(segments)
    pieces = split_expansions(query, acronyms)
    whole = "".join(text for text, _ in pieces)
    parts: list[Segment] = []
    for segment in segments:
        if len(pieces) > 1 and _is_query(segment, whole):
            parts += _split_segment(segment, pieces, places)
        else:
            parts.append(segment)
    return tuple(parts)


def _is_query(segment: Segment, whole: str) -> bool:
    """Tell whether a segment is the whole query as it was filled in."""
    return segment.origin == "variable" and segment.name in ("query", "seach_query") and segment.text == whole


def _split_segment(
    segment: Segment, pieces: Iterable[tuple[str, str | None]], places: Mapping[str, Location]
) -> Iterator[Segment]:
    for text, name in pieces:
        if name is None:
            place = segment.place
        else:
            place = places.get(name, NOWHERE)
        yield replace(segment, text=text) if name is None else Segment(text, "default", f"acronyms.{name}", place)


def find_system_argument(
    prompt: Prompt, record: Record, options: Mapping[str, str]
) -> tuple[tuple[Segment, ...], tuple[Diagnostic, ...]]:
    """Find the system prompt that a record brings for an Albert mode, which goes before the configuration's.

    The later program takes such an argument and ignores it: then a diagnostic reports that, and there is no text.
    """
    if prompt.settings.get("dialect") == "albert":
        text = record.fields.get(SYSTEM_ARGUMENT)
    else:
        text = None
    if not isinstance(text, str) or not text or text == prompt.system:
        return (), ()
    place = Location(file=record.place.file, line=record.place.line, field=SYSTEM_ARGUMENT)
    if options.get("albert_dialect") == "current":
        return (), (Diagnostic("alb-system-argument-ignored", {"text": text, "mode": prompt.mode}, place, text),)
    return (Segment(text, "variable", SYSTEM_ARGUMENT, place),), ()


def list_objects(value: Any) -> list[dict[str, Any]]:
    """List the objects in a list; nothing for any other value."""
    if isinstance(value, list):
        return [item for item in value if isinstance(item, dict)]
    return []


def _report_change(row_query: Any, query: str, reason: str, place: Location) -> Diagnostic:
    """Report that the query which is sent is not the record's."""
    values = {"row": row_query, "sent": query, "why": reason}
    return Diagnostic("alb-query-changed", values, Location(file=place.file, line=place.line, field="query"), query)


PER_WORD = 1.25  # tokens: the program's own estimate
SHARE = 0.8  # of max_tokens that a prompt may take
OVER = "alb-over-budget"
CUT = "the program leaves out {turns} {word} of the history, down to about {left}"
UNCUT = "there is no turn of a history that the program could leave out, so the server cuts what does not fit"


class SentMessages(NamedTuple):
    """Hold the messages that the program sends, and the diagnostics about them."""

    messages: tuple[Message, ...]
    diagnostics: tuple[Diagnostic, ...]


def insert_albert_history(
    messages: tuple[Message, ...], condition: SelectedTexts, sender: Program, record: Record
) -> SentMessages:
    """Return the messages with the record's history as the program of `sender` sends them."""
    history = record.fields.get("history")
    text_alone = sender.sends_text_alone(condition.model)
    whole, diagnostics = insert_history(messages, history, record.place, alone=text_alone, dialect=sender.dialect)
    if sender.dialect == "current":
        return SentMessages(whole, diagnostics)
    max_tokens = _find_max_tokens(condition, sender)
    if max_tokens is None or not _is_over_budget(whole, max_tokens):
        return SentMessages(whole, diagnostics)
    messages_left, history_left = whole, history if isinstance(history, list) else []
    while history_left and _is_over_budget(messages_left, max_tokens):
        history_left = history_left[2:]
        messages_left, _ = insert_history(
            messages, history_left, record.place, alone=text_alone, dialect=sender.dialect
        )
    return SentMessages(messages_left, (*diagnostics, _report_budget(whole, messages_left, max_tokens)))


def _find_max_tokens(condition: SelectedTexts, sender: Program) -> int | None:
    """Return the mode's `max_tokens`, else the one at the top of the file; None where neither is a number above 0."""
    if sender.config:
        at_top = sender.config.max_tokens
    else:
        at_top = None
    max_tokens: Any = condition.prompt.settings.get("max_tokens", at_top)
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens <= 0:
        return None
    return max_tokens


def _is_over_budget(messages: Sequence[Message], max_tokens: int) -> bool:
    return _count_words(messages) * PER_WORD > max_tokens * SHARE


def _count_words(messages: Sequence[Message]) -> int:
    return sum(len(message.text.split()) for message in messages)


def _report_budget(whole: Sequence[Message], messages_left: Sequence[Message], max_tokens: int) -> Diagnostic:
    words = _count_words(whole)
    turns = len(whole) - len(messages_left)
    values: dict[str, Any] = {
        "words": words,
        "estimate": math.ceil(words * PER_WORD),
        "max_tokens": max_tokens,
        "budget": round(max_tokens * SHARE, 1),
        "turns": turns,
        "left": math.ceil(_count_words(messages_left) * PER_WORD),
    }
    word = "turn" if turns == 1 else "turns"
    values["cut"] = CUT.format(turns=turns, word=word, left=values["left"]) if turns else UNCUT
    return Diagnostic(OVER, values, Location(role="user"), str(max_tokens))

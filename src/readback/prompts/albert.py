"""What a call of the Albert program takes from a record besides its template's data: the query and the system prompt.

Source: the *Prompt template* page of etalab-ia/franceservices-backend and the program it describes, which expands
acronyms before it renders. Its list is its own data; here the table is the user's (`acronyms:`), and off without one.
The later program spells nothing out.


The history of an Albert call: where its turns go, and which of them the program leaves out to keep to its budget.

Source: the *Prompt template* page of etalab-ia/franceservices-backend and the program it describes. It counts words,
takes words × 1.25 for tokens, and leaves out two turns of the history at a time while that is more than 0.8 ×
`max_tokens`, until no turn is left."""

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
    """Set what the program derives: `query`, `search_query` and its misspelt twin. Diagnostics where one differs.

    `data` are a record's fields, changed in place. Each diagnostic comes with the variable it is about.
    """
    own = data.get("query")
    turns = _list_turns(data)
    if not own and turns:
        data["query"] = find_query(data)
        yield "query", _report_change(own or "", data["query"], "history", place)
    if isinstance(query := data.get("query"), str) and acronyms:
        data["query"] = expand_acronyms(query, acronyms)
        if data["query"] != query:
            yield "query", _report_change(query, data["query"], "acronyms", place)
    if "query" in data:
        data["seach_query"] = data["query"]  # [sic], the classic program's spelling
    if turns:
        data["search_query"] = "; ".join([turn["content"] for turn in turns if turn.get("role") == "user"][-3:])


def find_query(fields: Mapping[str, Any]) -> Any:
    """The query before acronyms are spelled out: the record's, else the last turn of its history."""
    turns = [] if fields.get("query") else _list_turns(fields)
    return turns[-1]["content"] if turns else fields.get("query")


def _list_turns(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [turn for turn in list_objects(fields.get("history")) if isinstance(turn.get("content"), str)]


def expand_acronyms(query: str, acronyms: Mapping[str, str]) -> str:
    """`query` with ` (long form)` after each acronym of the table, unless the long form is near it already."""
    return "".join(text for text, _ in split_expansions(query, acronyms))


def split_expansions(query: str, acronyms: Mapping[str, str]) -> tuple[tuple[str, str | None], ...]:
    """The spelled out query in pieces: the query's own with None, each inserted ` (long form)` with its acronym."""
    known = {name.casefold(): name for name in acronyms}
    hits = list(CANDIDATE.finditer(query))
    if len(hits) > MAX_CANDIDATES:
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


def is_findable(name: str) -> bool:
    """Whether the program would find an acronym in a query that has it in capitals."""
    return CANDIDATE.fullmatch(name.upper()) is not None


def mark_acronyms(
    segments: Iterable[Segment], sent: Any, acronyms: Mapping[str, str], places: Mapping[str, Location]
) -> tuple[Segment, ...]:
    """The segments of a rendered text, where what was put into the query comes from the table of acronyms.

    `sent` is the query as it was before. A query that the template changed further (`| upper`) stays in one piece.
    """
    if not isinstance(sent, str) or not acronyms:
        return tuple(segments)
    pieces = split_expansions(sent, acronyms)
    whole = "".join(text for text, _ in pieces)
    return tuple(
        part
        for one in segments
        for part in (_split_segment(one, pieces, places) if _is_query(one, whole) and len(pieces) > 1 else (one,))
    )


def _is_query(one: Segment, whole: str) -> bool:
    return one.origin == "variable" and one.name in ("query", "seach_query") and one.text == whole


def _split_segment(
    one: Segment, pieces: Iterable[tuple[str, str | None]], places: Mapping[str, Location]
) -> Iterator[Segment]:
    for text, name in pieces:
        at = one.place if name is None else places.get(name, NOWHERE)
        yield replace(one, text=text) if name is None else Segment(text, "default", f"acronyms.{name}", at)


def find_system_argument(
    prompt: Prompt, record: Record, options: Mapping[str, str]
) -> tuple[tuple[Segment, ...], tuple[Diagnostic, ...]]:
    """The system prompt that a record brings for an Albert mode goes before the configuration's.

    The later program takes such an argument and forgets it: there it is noted, and nothing comes of it.
    """
    text = record.fields.get(SYSTEM_ARGUMENT) if prompt.settings.get("dialect") == "albert" else None
    if not isinstance(text, str) or not text or text == prompt.system:
        return (), ()
    at = Location(file=record.place.file, line=record.place.line, field=SYSTEM_ARGUMENT)
    if options.get("albert_dialect") == "current":
        return (), (Diagnostic("alb-system-argument-ignored", {"text": text, "mode": prompt.mode}, at, text),)
    return (Segment(text, "variable", SYSTEM_ARGUMENT, at),), ()


def list_objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; anything else is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _report_change(own: Any, sent: str, why: str, place: Location) -> Diagnostic:
    values = {"row": own, "sent": sent, "why": why}
    return Diagnostic("alb-query-changed", values, Location(file=place.file, line=place.line, field="query"), sent)


PER_WORD = 1.25  # tokens: the program's own estimate
SHARE = 0.8  # of max_tokens that a prompt may take
OVER = "alb-over-budget"
CUT = "the program leaves out {turns} {word} of the history, down to about {left}"
UNCUT = "there is no turn of a history that the program could leave out, so the server cuts what does not fit"


class SentMessages(NamedTuple):
    """The messages that the program sends, and what is to be said of them."""

    messages: tuple[Message, ...]
    diagnostics: tuple[Diagnostic, ...]


def insert_albert_history(
    messages: tuple[Message, ...], condition: SelectedTexts, sender: Program, record: Record
) -> SentMessages:
    """Return the messages with the record's history as the program of `sender` sends them."""
    history = record.fields.get("history")
    alone = sender.sends_text_alone(condition.model)
    whole, diagnostics = insert_history(messages, history, record.place, alone=alone, dialect=sender.dialect)
    if sender.dialect == "current":
        return SentMessages(whole, diagnostics)
    most = _find_max_tokens(condition, sender)
    if most is None or not _is_over_budget(whole, most):
        return SentMessages(whole, diagnostics)
    kept, left = whole, history if isinstance(history, list) else []
    while left and _is_over_budget(kept, most):
        left = left[2:]
        kept, _ = insert_history(messages, left, record.place, alone=alone, dialect=sender.dialect)
    return SentMessages(kept, (*diagnostics, _report_budget(whole, kept, most)))


def _find_max_tokens(condition: SelectedTexts, sender: Program) -> int | None:
    """The mode's `max_tokens`, else the one at the top of the file; None where neither is a number above 0."""
    top = sender.config.max_tokens if sender.config else None
    stated: Any = condition.prompt.settings.get("max_tokens", top)
    if not isinstance(stated, int) or isinstance(stated, bool) or stated <= 0:
        return None
    return stated


def _is_over_budget(messages: Sequence[Message], most: int) -> bool:
    return _count_words(messages) * PER_WORD > most * SHARE


def _count_words(messages: Sequence[Message]) -> int:
    return sum(len(message.text.split()) for message in messages)


def _report_budget(whole: Sequence[Message], kept: Sequence[Message], most: int) -> Diagnostic:
    words = _count_words(whole)
    turns = len(whole) - len(kept)
    values: dict[str, Any] = {
        "words": words,
        "estimate": math.ceil(words * PER_WORD),
        "max_tokens": most,
        "budget": round(most * SHARE, 1),
        "turns": turns,
        "left": math.ceil(_count_words(kept) * PER_WORD),
    }
    word = "turn" if turns == 1 else "turns"
    values["cut"] = CUT.format(turns=turns, word=word, left=values["left"]) if turns else UNCUT
    return Diagnostic(OVER, values, Location(role="user"), str(most))

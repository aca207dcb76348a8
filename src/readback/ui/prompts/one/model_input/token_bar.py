"""What the model reads against what it can read: a bar of tokens, the room left, and what if it were less."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from readback.html import exact
from readback.prompts import model_input, selections
from readback.records.fields.field_path import look
from readback.serving import limits
from readback.serving.limits import Limit
from readback.types import Assembly, Record, Segment, Values
from readback.ui.common import show
from readback.ui.common.draw.text import token_sizes
from readback.ui.common.draw.text.beside import aliases
from readback.ui.common.state import choice
from readback.words import t

ITEM = re.compile(r"(.*?)\[\d+\]")
STATE = "what_if"  # the values of the form for what is in view; in no address, for they are typed


@dataclass(frozen=True, slots=True)
class Listed:
    """A list whose items are in the messages; `name` is what it is tried under."""

    path: str
    name: str
    values: list[Any]

    @property
    def items(self) -> int:
        """Return the number of items."""
        return len(self.values)


def draw(assembly: Assembly) -> None:
    """Draw the bar and a sentence with the room left; of what the model reads, else of its messages."""
    by, limit = token_sizes.counter(assembly.choice), limit_of(assembly)
    used = sum(_read(assembly).values())
    if not used:
        return
    show.draw(show.h("<h3>{}</h3>", t("tokens.title")))
    around = _count_around(assembly, used)
    if around and by.exact:
        parts = " " + t("tokens.parts", messages=used - around, n=around)
    else:
        parts = ""
    if limit is None:
        counted = token_sizes.describe_size(used, by)
        show.draw(show.h('<p class="rb-small">{}: {}.{} {}</p>', _what(assembly), counted, parts, t("tokens.no_limit")))
    else:
        sentence = f"{_what(assembly)}: {room(used, limit, by.exact)}{parts}"
        bar = show.h('<div class="rb-bar" role="img" aria-label="{}">{}</div>', sentence, _parts(used, limit))
        if used > limit.room:
            looks = "rb-warn"
        else:
            looks = "rb-small"
        show.draw(show.h('<p class="{}">{}</p>{}', looks, sentence, bar))
    if not by.exact:
        show.draw(show.h('<p class="rb-small">{}</p>', t("tokens.why_estimated")))


def _count_around(assembly: Assembly, used: int) -> int:
    """Count the tokens that the chat format puts around the messages; 0 where the messages are all that was counted."""
    if not _sent(assembly):
        return 0
    return max(0, used - sum(token_sizes.count_messages(assembly)))


def limit_of(assembly: Assembly) -> Limit | None:
    """How much the model reads; in an Albert mode without one, the budget that its configuration gives."""
    workspace = choice.workspace()
    if limit := limits.find_limit(selections.find_model(workspace, assembly.choice)):
        return limit
    if assembly.choice.condition:
        condition = workspace.condition(assembly.choice.condition)
    else:
        condition = None
    mode = assembly.choice.mode or (condition.mode if condition else None)
    if not assembly.choice.judge:
        prompt = workspace.prompts.get(mode or "")
    else:
        prompt = None
    config = next(
        (
            configuration
            for configuration in workspace.configs
            if prompt and configuration.prompts.get(prompt.mode) == prompt
        ),
        None,
    )
    homes: tuple[Values, ...] = (
        prompt.settings if prompt else {},
        {"max_tokens": config.max_tokens if config else None},
    )
    reserve = limits.find_number(homes, ("max_tokens",))
    if reserve:
        return Limit(reserve[1], context_key="max_tokens")
    return None


def room(used: int, limit: Limit, exactly: bool) -> str:
    """Return what is left, in a sentence."""
    word = "left" if used <= limit.room else "over"
    if limit.reserve:
        reserved = t("tokens.reserve", n=limit.reserve)
    else:
        reserved = ""
    return t(
        f"tokens.{word}" if exactly else f"tokens.{word}_estimated",
        used=used,
        n=abs(limit.room - used),
        context=limit.context,
        reserve=reserved,
    )


def _what(assembly: Assembly) -> str:
    """Return what was counted, in words."""
    return t("tokens.of_wire" if _sent(assembly) else "tokens.of_messages")


def lists(record: Record, assembly: Assembly, tried: Values) -> Listed | None:
    """Return the list that most of the text in the messages comes from."""
    segments = [part for message in assembly.messages for part in message.segments if part.origin == "variable"]
    if assembly.choice.judge:
        return _documents(record, segments, tried)
    sizes: dict[str, int] = {}
    for segment in segments:
        if match := ITEM.match(segment.name or ""):
            sizes[match[1]] = sizes.get(match[1], 0) + len(segment.text)
    names = aliases()
    for name in sorted(sizes, key=lambda part: -sizes[part]):
        head, dot, rest = name.partition(".")
        path = names.get(head, head) + dot + rest
        value = look(record.fields, path)
        if isinstance(value, list):
            return Listed(path, path, value)
    return None


def _documents(record: Record, segments: Sequence[Segment], tried: Values) -> Listed | None:
    """Return the documents of a judge, from the row that they are from: the record's or its answer's."""
    first = next((row.place for row in segments if (row.name or "").startswith("documents[")), None)
    if first:
        match = ITEM.match(first.field or "")
    else:
        match = None
    if first is None or match is None:
        value = tried.get("documents") if first else None
        if isinstance(value, list):
            return Listed("documents", "documents", value)
        return None
    answer = choice.answer()
    rows = {(row.place.file, row.place.line): row.fields for row in (answer, record) if row}
    value = look(rows.get((first.file, first.line), {}), match[1])
    if isinstance(value, list):
        return Listed(match[1], "documents", value)
    return None


def _parts(used: int, limit: Limit) -> str:
    wide = [("rb-used", used)]
    wide += [("rb-free", limit.room - used)] if used < limit.room else []
    wide += [("rb-reserve", limit.reserve)] if limit.reserve else []
    return show.join([show.h('<span class="{}" style="flex:{} 0 0"></span>', name, size) for name, size in wide])


def is_typed() -> bool:
    """Whether other values were typed for what is in view."""
    return _typed() is not None


def draw_what_if(assembly: Assembly, tried: Values) -> None:
    """Draw the form that says what would be if the model read less, or the record had fewer items."""
    record, limit = choice.record(), limit_of(assembly)
    if not _read(assembly):
        return
    show.draw(show.h("<h4>{}</h4>", t("tokens.what_if")))
    listed = lists(record, assembly, tried)
    with st.form("what_if_form", border=False):
        st.number_input(t("tokens.limit"), 1, 100_000_000, limit.context if limit else 4096, key="what_if_limit")
        if listed:
            st.number_input(t("tokens.drop", field=exact.spelling(listed.path)), 0, listed.items, 0, key="what_if_drop")
        st.form_submit_button(t("tokens.show"), on_click=_submit)
    typed = _typed()
    if typed is None:
        return
    context, dropped = typed
    if listed:
        remaining = listed.items - dropped
    else:
        remaining = 0
    if listed and dropped:
        then = _without(assembly, listed, remaining, tried)
    else:
        then = assembly
    used, by = sum(_read(then).values()), token_sizes.counter(assembly.choice)
    if limit and limit.reserve < context:
        reserve = limit.reserve
    else:
        reserve = 0
    sentence = room(used, Limit(context, reserve), by.exact)
    if listed and dropped:
        sentence = t(
            "tokens.with", kept=remaining, all=listed.items, field=exact.spelling(listed.path), outcome=sentence
        )
        if then.fingerprint == assembly.fingerprint:
            sentence += " " + t("tokens.unmoved", field=exact.spelling(listed.path))
    show.notice(sentence, "info" if used <= context - reserve else "warning")


def _without(assembly: Assembly, listed: Listed, remaining: int, tried: Values) -> Assembly:
    """Return the messages with the first items of a list only; nothing is written anywhere."""
    return choice.assembly(assembly.choice, {**tried, listed.name: listed.values[:remaining]})


def _read(assembly: Assembly) -> Mapping[str, int]:
    """Return the tokens of each look in what the model reads."""
    return token_sizes.by_look(_sent(assembly), assembly)


def _sent(assembly: Assembly) -> tuple[Segment, ...]:
    """Return the text that the model reads; empty where it is not known."""
    workspace = choice.workspace()
    if assembly.choice.condition:
        condition = workspace.condition(assembly.choice.condition)
    else:
        condition = None
    sent = model_input.build_model_input(workspace, choice.record(), assembly, condition, False)
    if sent:
        return sent.segments
    return ()


def _submit() -> None:
    st.session_state[STATE] = (_view(), (st.session_state["what_if_limit"], st.session_state.get("what_if_drop", 0)))


def _typed() -> tuple[int, int] | None:
    """Return what was typed for the record and the condition in view."""
    view, typed = st.session_state.get(STATE, (None, None))
    return typed if view == _view() else None


def _view() -> tuple[object, ...]:
    return choice.workspace_id(), choice.position(), choice.sent()

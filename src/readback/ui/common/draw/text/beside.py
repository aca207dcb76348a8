"""What is beside the messages: where the text comes from, the record's fields, and values to try."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.html import exact
from readback.readers.tables.table_columns import as_written
from readback.types import Answer, Assembly, Finding, Location, Record, Segment, Values
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.words import t

FIELDS = 80  # fields of a record in the list
TELLING = 12  # characters from which a text found in the messages is hardly there by chance
USES = {  # the looks of the four words
    "used": "rb-small rb-fine",
    "used_empty": "rb-small rb-fine",
    "inside": "rb-small rb-fine",
    "unused": "rb-small",
}
SHOWN = 200  # characters of a field's value in the list


def origins(segments: Sequence[Segment], sizes: Mapping[str, str], log: str | None = None) -> None:
    """Draw a bar and a legend of the looks, with characters and tokens (`sizes`); choosing one dims the rest.

    `log` is the file of the log that the text is from: then there is no look to tell apart, and that is said instead.
    """
    if log is not None:
        show.draw(show.h("<p>{}</p>", t("messages.where_from_log", log=log)))
        return
    counts = Counter[str]()
    for segment in segments:
        counts[exact.look(segment)] += len(segment.text)
    whole = sum(counts.values())
    if not whole:
        return
    present = [look for look in exact.ORDER if counts[look]]
    bars = show.join(
        [show.h('<span class="rb-{}" style="flex:{} 0 auto"></span>', look, counts[look]) for look in present]
    )
    rows = show.join([_legend(look, counts[look], whole, sizes.get(look, "")) for look in present])
    show.draw(
        show.h(
            '<div class="rb-bar" aria-hidden="true">{}</div><ul class="rb-legend">{}</ul>',
            bars,
            rows,
        )
    )
    if len(present) > 1:
        address.follow("look", "", ("", *present))
        st.selectbox(
            t("messages.dim"), ["", *present], key="look", on_change=address.keep, args=("look",), format_func=_say_look
        )


def summarise_origins(segments: Sequence[Segment], log: str | None = None) -> str:
    """Return in a line where most of a text comes from: `Origin of the text: 78 % from the data`, or `a log`."""
    if log is not None:
        return f"{t('messages.where_from')}: {t('messages.where_from_a_log')}"
    counts = Counter[str]()
    for segment in segments:
        counts[exact.look(segment)] += len(segment.text)
    if not counts.total():
        return t("messages.where_from")
    look, most = counts.most_common(1)[0]
    if counts.keys() == {"unknown"}:
        return f"{t('messages.where_from')}: {t('messages.where_from_untraced')}"
    words = t(f"messages.look_{look}")
    share = t("messages.where_from_most", percent=100 * most / counts.total(), look=words[:1].lower() + words[1:])
    return f"{t('messages.where_from')}: {share}"


def _say_look(look: str) -> str:
    if look:
        return t(f"messages.look_{look}")
    return t("messages.dim_none")


def _legend(look: str, count: int, whole: int, size: str) -> Markup:
    sizes = ", ".join(part for part in (t("messages.characters", n=count), size) if part)
    return show.h(
        '<li><span class="rb-s rb-{}">{}</span> <span class="rb-small">{}</span></li>',
        look,
        t(f"messages.look_{look}"),
        t("messages.share", characters=sizes, percent=100 * count / whole),
    )


def fields(
    record: Record,
    assembly: Assembly,
    findings: Sequence[Finding],
    answer: Answer | None = None,
    whole: Collection[str] = (),
) -> None:
    """Draw the record's fields, each item of a list by itself; mark those in the messages and those with findings.

    Under a judge the fields of the row with the `answer` follow. `whole` are the paths of what is a message as it is,
    with its role, its tool calls and all else that it holds.
    """
    _listed(record.fields, record.place, assembly, findings, "messages.no_fields", whole)
    if assembly.choice.judge and answer and answer.fields:
        row = Location(file=answer.place.file, line=answer.place.line)
        show.draw(show.h("<h3>{}</h3>", t("messages.answer_fields", where=show.where(row))))
        _listed(answer.fields, answer.place, assembly, findings, "messages.no_fields")


def _listed(
    values: Values,
    row: Location,
    assembly: Assembly,
    findings: Sequence[Finding],
    nothing: str,
    whole: Collection[str] = (),
) -> None:
    mapped = aliases()
    used = used_names(assembly, row, mapped) | frozenset(whole)
    leaves = [(path, value) for path, value in leaves_of(_gone_into(values, used)) if _head(path) not in mapped]
    if not leaves:
        show.draw(show.h('<p class="rb-small">{}</p>', t(nothing)))
        return
    faults: dict[str, list[int]] = {}
    for number, finding in enumerate(findings, 1):
        if finding.place.field and (finding.place.file in (None, row.file)):
            faults.setdefault(finding.place.field, []).append(number)
    texts = [message.text for message in assembly.messages]
    empty = _name_empty(assembly, mapped)
    uses = {path: "used_empty" if path in empty else _use(path, value, used, texts) for path, value in leaves[:FIELDS]}
    folded = [path for path, use in uses.items() if use == "unused" and path not in faults]
    if len(folded) == len(uses):
        folded = []  # nothing is left to be beside
    rows: list[Markup] = []
    folded_rows: list[Markup] = []
    for path, value in leaves[:FIELDS]:
        row_of_field = _field(path, value, uses[path], faults.get(path, []))
        (folded_rows if path in folded else rows).append(row_of_field)
    show.draw(show.h('<dl class="rb-fields">{}</dl>', show.join(rows)))
    if folded_rows:
        fold = (
            '<details class="rb-fields-unused"><summary class="rb-small">{}</summary>'
            '<dl class="rb-fields">{}</dl></details>'
        )
        show.draw(show.h(fold, t("messages.fields_unused", n=len(folded_rows)), show.join(folded_rows)))
    if len(leaves) > FIELDS:
        st.caption(t("messages.more_fields", n=len(leaves) - FIELDS))


def _gone_into(values: Values, used: Collection[str]) -> Values:
    """Return the values; a cell that holds JSON is its text where no message has an item of it alone."""
    inside = {_head(name) for name in used if _head(name) != name}
    written = as_written(values)
    return {name: value if name in inside else written[name] for name, value in values.items()}


def used_names(assembly: Assembly, row: Location, mapped: Mapping[str, str]) -> frozenset[str]:
    """Return the paths of a row that are in the messages, by the names the file has for them.

    What a judge reads says itself which row it is from, and which field.
    """
    segments = [
        segment for message in assembly.messages for segment in message.segments if segment.origin == "variable"
    ]
    if assembly.choice.judge:
        here = (
            segment.place for segment in segments if (segment.place.file, segment.place.line) == (row.file, row.line)
        )
        return frozenset(place.field for place in here if place.field)
    names = {segment.name for segment in segments if segment.name}
    return frozenset(mapped.get(_head(name), _head(name)) + name[len(_head(name)) :] for name in names)


def _name_empty(assembly: Assembly, mapped: Mapping[str, str]) -> frozenset[str]:
    """Return the paths of a record whose values the template reads and which add no character to the messages."""
    if assembly.choice.judge:  # what a judge reads is named by its own template
        return frozenset()
    return frozenset(
        mapped.get(_head(use.name), _head(use.name)) + use.name[len(_head(use.name)) :]
        for use in assembly.uses
        if use.state in ("empty", "null")
    )


def aliases() -> Mapping[str, str]:
    """Variables that stand for a field of the file."""
    data = choice.workspace().dataset
    return {name: field for name, field in (data.fields if data else {}).items() if name != field}


def _head(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def tried() -> Mapping[str, Any]:
    """Return the values tried in this session for the workspace in view; they are in no file and in no address."""
    values: Mapping[str, Any] = st.session_state.get("tried", {}).get(choice.workspace_id(), {})
    return values


def trial(record: Record, assembly: Assembly) -> None:
    """Set a variable for a look; the files stay as they are."""
    names = list(
        dict.fromkeys([*(name for name, _ in assembly.names), *(path for path, _ in leaves_of(record.fields))])
    )
    with st.form("try_form", border=False):
        st.selectbox(t("messages.try_name"), names, key="try_name", accept_new_options=True, format_func=exact.spelling)
        st.text_area(t("messages.try_value"), key="try_value", height=80)
        st.toggle(t("messages.try_json"), key="try_json", help=t("messages.try_json_help"))
        st.form_submit_button(t("messages.try_it"), on_click=_try)
    if sentence := st.session_state.pop("try_said", None):
        show.problem(t("messages.not_json"), sentence)
    for name in tried():
        st.button(t("messages.untry", name=show.md(name)), key=f"untry_{name}", on_click=_untry, args=(name,))


def _try() -> None:
    name, value = st.session_state["try_name"], st.session_state["try_value"]
    if not name:
        return
    if st.session_state["try_json"]:
        try:
            value = json.loads(value)
        except ValueError as error:
            st.session_state["try_said"] = str(error)
            return
    _set({**tried(), name: value})


def _untry(name: str) -> None:
    _set({key: value for key, value in tried().items() if key != name})


def _set(values: Mapping[str, Any]) -> None:
    st.session_state["tried"] = {**st.session_state.get("tried", {}), choice.workspace_id(): values}


def _field(path: str, value: Any, use: str, faults: Sequence[int]) -> Markup:
    if isinstance(value, str):
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False)
    if len(text) > SHOWN:
        more = t("messages.more_characters", n=len(text) - SHOWN)
    else:
        more = ""
    mark = show.h('<span class="{}">{}</span>', USES[use], t(f"messages.{use}"))
    numbers = show.join([show.h(' <span class="rb-n">{}</span>', number) for number in faults])
    return show.h(
        '<dt>{} {}{}</dt><dd>{} <span class="rb-small">{}</span></dd>',
        path,
        mark,
        numbers,
        show.exact_text(text[:SHOWN]),
        more,
    )


def _use(path: str, value: Any, used: frozenset[str], texts: Sequence[str]) -> str:
    """Whether a field was put into the messages, is in them as a part of another one, or does neither."""
    if _is_used(path, used):
        return "used"
    if isinstance(value, str):
        stripped = value.strip()
    else:
        stripped = ""
    if len(stripped) >= TELLING and any(stripped in text for text in texts):
        return "inside"
    return "unused"


def leaves_of(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every path below `path` with its value; a list or a mapping is taken apart."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from leaves_of(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value and path:
        for index, inner in enumerate(value):
            yield from leaves_of(inner, f"{path}[{index}]")
    elif path:
        yield path, value


def _is_used(path: str, used: frozenset[str]) -> bool:
    return any(
        path == name or path.startswith((f"{name}.", f"{name}[")) or name.startswith((f"{path}.", f"{path}["))
        for name in used
    )

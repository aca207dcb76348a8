"""The bar of *Difference*: which text, what A is, what differs, what B is, and the buttons that change or swap them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from readback.html import exact
from readback.types import Selection
from readback.ui.common import address, show
from readback.ui.common.draw import picker
from readback.ui.common.draw.head import frame, present
from readback.ui.common.state import choice, open_workspaces, options
from readback.ui.common.state.revisions import revisions
from readback.ui.prompts.difference.compare_versions import typed
from readback.ui.prompts.two_texts import compare_sides
from readback.ui.prompts.two_texts.compare_sides import LAYERS, keys_of, put_b, side
from readback.ui.prompts.two_texts.compare_words import sent
from readback.words import t

STEPS = {"previous_b": ("‹", -1), "next_b": ("›", 1)}
AS_LINKED = "linked"  # B as a link says, where it is none of those in the list

Parts = Mapping[str, str | None]


def sides() -> None:
    """Draw what the choice in the bar is compared with; the address holds what is chosen."""
    kind = compare_sides.kind()
    kinds = {name: _say_kind(name) for name in compare_sides.kinds()}
    st.session_state["differs"] = kind
    with _together("how"):
        show.word(t("compare.with"))
        st.selectbox(
            t("compare.differs"),
            list(kinds),
            key="differs",
            on_change=_differs,
            width=present.holding(kinds.values(), 150),
            format_func=kinds.__getitem__,
            label_visibility="collapsed",
        )
    with _together("b_side"):
        show.word("B")
        _b(kind)
    if kind == "version":
        typed()


def _together(name: str) -> DeltaGenerator:
    """Make a part of the bar that a narrow window moves to another line as a whole."""
    return st.container(horizontal=True, vertical_alignment="center", width="content", key=f"part_{name}")


def swap() -> None:
    """Draw the button that makes A what B is, and B what A is."""
    st.button(t("compare.swap"), key="swap", help=t("compare.swap_help"), on_click=compare_sides.swap)


def layer() -> None:
    """Which text is compared; drawn where there is more than one."""
    if "layer" in compare_sides.kinds():
        address.follow("layer", "messages", LAYERS)
        with _together("layer"):
            show.word(t("compare.layer"))
            st.selectbox(
                t("compare.layer"),
                LAYERS,
                key="layer",
                format_func=_say_layer,
                on_change=address.keep,
                width=present.holding(map(_say_layer, LAYERS), 150),
                args=("layer", "messages"),
                label_visibility="collapsed",
            )


def entries(kind: str) -> Mapping[str, Parts]:
    """Return what the bar offers for B, by name: the keys of a link that make B so."""
    workspace, a = choice.workspace(), side("a")
    if kind == "condition":
        return {name: keys_of(_judging(selection, a.choice)) for name, selection in picker.options(workspace).items()}
    if kind == "adapter":
        through = {f"adapter:{name}": keys_of(replace(a.choice, adapter=name)) for name in _adapters()}
        modes = {f"mode:{name}": keys_of(_in_mode(a.choice, name)) for name in workspace.prompts}
        return {**through, **modes}
    if kind == "layer":
        return {name: {"layer": name} for name in LAYERS}
    if kind == "option":
        option_values = options.called_for(workspace)
        there = dict(a.options)
        now = {name: there.get(name, options.now(workspace, name)) for name in option_values}
        values = ((name, value) for name, allowed in option_values.items() for value in allowed if value != now[name])
        return {f"{name}={value}": {"option": f"{name}={value}"} for name, value in values}
    if kind == "version":
        folders = {
            f"workspace:{name}": {"workspace": name}
            for name in open_workspaces.list_openable()
            if name != choice.workspace_id()
        }
        return {**{f"rev:{selection.id}": {"rev": selection.id} for selection in revisions()}, **folders}
    return {}


def _b(kind: str) -> None:
    """Draw the list for B, between the buttons that go through it."""
    if kind == "record":
        _b_record()
        return
    choices = entries(kind)
    now = _now(kind, choices)
    listed = [*choices, *([] if now in choices else [now])]
    st.session_state["b"] = now
    words = {name: _say(name) for name in listed}
    _stepper("previous_b", len(listed) < 2, kind, 0)
    st.selectbox(
        t("compare.b"),
        listed,
        key="b",
        width=present.holding(words.values(), 150),
        format_func=words.__getitem__,
        on_change=_picked,
        args=(kind,),
        label_visibility="collapsed",
    )
    _stepper("next_b", len(listed) < 2, kind, 0)


def _b_record() -> None:
    data, at = choice.dataset(), compare_sides.records()[1] or 0
    _stepper("previous_b", False, "record", at)
    if len(data) <= choice.LISTED:
        spelled = [*map(exact.spelling, data.ids())]
        st.session_state["b_at"] = at
        st.selectbox(
            t("compare.b"),
            range(len(spelled)),
            key="b_at",
            on_change=_picked_record,
            width=present.holding(spelled, 120),
            format_func=spelled.__getitem__,
            label_visibility="collapsed",
        )
    else:
        st.session_state["b_at"] = at + 1
        st.number_input(
            t("compare.b_number", n=len(data)),
            1,
            len(data),
            key="b_at",
            on_change=_numbered,
            width=present.wide(170),
            label_visibility="collapsed",
        )
    _stepper("next_b", False, "record", at)


def _stepper(name: str, still: bool, kind: str, at: int) -> None:
    sign, by = STEPS[name]
    st.button(sign, key=name, help=t(f"compare.{name}_help"), disabled=still, on_click=_step, args=(kind, at, by))


def _step(kind: str, at: int, by: int) -> None:
    if kind == "record":
        put_b(kind, **compare_sides.place((at + by) % len(choice.dataset())))
        return
    choices = entries(kind)
    names, now = list(choices), _now(kind, choices)
    if names:
        put_b(kind, **choices[names[(names.index(now) + by) % len(names)] if now in choices else names[0]])


def _picked(kind: str) -> None:
    if st.session_state["b"] != AS_LINKED:
        put_b(kind, **entries(kind)[st.session_state["b"]])


def _picked_record() -> None:
    put_b("record", **compare_sides.place(st.session_state["b_at"]))


def _numbered() -> None:
    put_b("record", **compare_sides.place(int(st.session_state["b_at"]) - 1))


def _differs() -> None:
    put_b(st.session_state["differs"])


def _now(kind: str, choices: Mapping[str, Parts]) -> str:
    """Which of the list B is."""
    b = side("b")
    if kind in ("condition", "adapter"):
        parts_b: Parts = keys_of(b.choice)
        if kind == "adapter" and side("a").choice == replace(b.choice, adapter=side("a").choice.adapter):
            if b.choice.adapter:
                return f"adapter:{b.choice.adapter}"
            return AS_LINKED
    elif kind == "layer":
        parts_b = {"layer": b.layer}
    elif kind == "option":
        parts_b = {"option": next((f"{name}={value}" for name, value in b.options), "")}
    else:
        name = st.query_params.get("b_workspace")
        if name:
            parts_b = {"workspace": name}
        else:
            parts_b = {"rev": b.rev}
    return next((name for name, parts in choices.items() if dict(parts) == dict(parts_b)), AS_LINKED)


def _say(name: str) -> str:
    """How an entry reads."""
    kind, _, rest = name.partition(":")
    if name == AS_LINKED:
        if compare_sides.kind() in ("condition", "adapter"):
            return sent(side("b").choice)
        return t("compare.choose")
    if kind == "adapter":
        return t("compare.through", name=rest)
    if kind == "rev":
        return next(
            (f"{revision.date} {revision.subject}" for revision in revisions() if revision.id == rest), rest[:10]
        )
    if kind == "workspace":
        return t("compare.in_workspace", name=frame.name(rest))
    if name in LAYERS:
        return _say_layer(name)
    option, is_option, value = name.partition("=")
    if is_option and option in options.called_for(choice.workspace()):
        return options.say(option, value)
    return picker.label(name)


def _say_kind(name: str) -> str:
    return t(f"compare.kind_{picker.kind() if name == 'condition' else name}")


def _say_layer(name: str) -> str:
    return t(f"compare.layer_{name}")


def _adapters() -> tuple[str, ...]:
    return compare_sides.adapter_names(choice.workspace())


def _in_mode(selection: Selection, mode: str) -> Selection:
    """Return the selection in another mode; a condition keeps its own mode, so only its adapter goes along."""
    condition = choice.workspace().condition(selection.condition or "")
    return Selection(mode=mode, adapter=selection.adapter or (condition.adapter if condition else None))


def _judging(selection: Selection, a: Selection) -> Selection:
    """Return the selection; a judge reads the answer that A's judge reads, or that A's condition gave."""
    if selection.judge and selection.condition is None:
        return replace(selection, condition=a.condition)
    return selection

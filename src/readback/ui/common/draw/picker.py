"""What is sent: one list of conditions, tasks and judges, and under Custom the mode, task and adapter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import streamlit as st

from readback import adapters
from readback.tasks import profile_of, tasks_of
from readback.types import Condition, Selection, Workspace
from readback.ui.common import show
from readback.ui.common.draw.head import present
from readback.ui.common.state import choice
from readback.words import t

CUSTOM = "custom"
STEPS = {"previous_sent": ("‹", -1), "next_sent": ("›", 1)}
WIDEST = 360  # pixels of the list in a row with the others on a laptop


def what() -> None:
    """Draw the picker, between buttons to the choice before and the next one; the address holds what is chosen."""
    workspace, sent = choice.workspace(), choice.sent()
    choices, now = options(workspace), key(sent)
    listed = [*choices, *([CUSTOM] if workspace.prompts or workspace.tasks else [])]
    st.session_state["sent"] = CUSTOM if is_custom() else now
    with st.container(horizontal=True, vertical_alignment="center", key="which_sent"):
        _step_button("previous_sent", choices, now)
        st.selectbox(
            t(f"messages.kind_{kind()}"),
            listed,
            key="sent",
            format_func=label,
            width=min(present.wide(WIDEST), present.holding(map(label, listed), 150)),
            on_change=_pick,
            args=(choices, sent),
            label_visibility="collapsed",
        )
        _step_button("next_sent", choices, now)


def _step_button(name: str, choices: Mapping[str, Selection], now: str) -> None:
    sign, by = STEPS[name]
    still = len(choices) < 2 or is_custom()
    st.button(sign, key=name, help=t(f"messages.{name}_help"), disabled=still, on_click=_step, args=(choices, now, by))


def more() -> None:
    """Draw what the choice needs besides: mode, task and adapter under Custom; for a judge, whose answer it reads."""
    workspace, sent = choice.workspace(), choice.sent()
    if is_custom() or sent.judge:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            _custom(workspace, sent) if is_custom() else _list_of(workspace, sent)


def whole_name() -> None:
    """Draw the name of what is sent; the browser shows it where the list cuts it."""
    now = key(choice.sent())
    if now in options(choice.workspace()):
        show.draw(show.h('<p class="rb-small rb-wrapped" data-rb-whole="sent" hidden>{}</p>', label(now)))


def kind() -> str:
    """Return what the list is of: conditions, else modes, tasks or both, else judges."""
    kinds = dict.fromkeys(name.partition(":")[0] for name in options(choice.workspace()))
    if "condition" in kinds:
        return "condition"
    if {"mode", "task"} <= kinds.keys():
        return "mode_task"
    return next(iter(kinds), "mode")


def is_custom() -> bool:
    """Whether mode, task and adapter are chosen one by one."""
    return key(choice.sent()) not in options(choice.workspace()) or bool(st.session_state.get("custom_open"))


def options(workspace: Workspace) -> Mapping[str, Selection]:
    """Return what the list offers: conditions, or modes where there are none; tasks; judges."""
    conditions = [Selection(condition=c.name) for c in workspace.conditions if c.sends]
    if conditions:
        modes = []
    else:
        modes = [Selection(mode=mode) for mode in workspace.prompts]
    tasks = [Selection(task=task) for task in workspace.tasks]
    judges = [Selection(judge=judge) for judge in workspace.judges]
    return {key(selection): selection for selection in (*conditions, *modes, *tasks, *judges)}


def key(sent: Selection) -> str:
    """Return a choice as one word for the list; a judge is one entry, whosever answers it reads."""
    if sent.judge:
        return f"judge:{sent.judge}"
    if sent.condition:
        return f"condition:{sent.condition}"
    if sent.mode:
        if not (sent.adapter or sent.task):
            return f"mode:{sent.mode}"
        return "custom:mode"
    if not sent.adapter:
        return f"task:{sent.task}"
    return "custom:task"


def label(name: str) -> str:
    """How an entry of the list reads."""
    if name == CUSTOM:
        return t("messages.custom")
    kind, _, rest = name.partition(":")
    if kind == "condition":
        return rest
    return t(f"messages.sent_{kind}", name=rest)


def _pick(choices: Mapping[str, Selection], before: Selection) -> None:
    """Send what the list says; Custom begins with what was sent before, a judge with the answers in view."""
    name, workspace = st.session_state["sent"], choice.workspace()
    st.session_state["custom_open"] = name == CUSTOM
    if name == CUSTOM:
        condition = workspace.condition(before.condition or "") or Condition("")
        mode, task = before.mode or condition.mode, before.task or condition.task
        if mode is None and task is None:
            mode, task = (
                next(iter(workspace.prompts), None),
                None if workspace.prompts else next(iter(workspace.tasks), None),
            )
        choice.send(Selection(mode=mode, task=task, adapter=before.adapter or condition.adapter))
    elif choices[name].judge:
        conditions = (c.name for c in workspace.conditions if c.judge == choices[name].judge)
        choice.send(Selection(judge=choices[name].judge, condition=before.condition or next(conditions, None)))
    else:
        choice.send(choices[name])


def _step(choices: Mapping[str, Selection], now: str, by: int) -> None:
    names = list(choices)
    if now in names:
        name = names[(names.index(now) + by) % len(names)]
    else:
        name = names[0]
    st.session_state["sent"] = name
    _pick(choices, Selection())


def _custom(workspace: Workspace, sent: Selection) -> None:
    _choose_part("mode", sent.mode, workspace.prompts)
    _choose_part("task", sent.task, [*workspace.tasks, *tasks_of(profile_of(workspace.options))])
    _choose_part("adapter", sent.adapter, [*workspace.adapters, *adapters.load_shipped()])


def _choose_part(name: str, now: str | None, names: Iterable[str]) -> None:
    """Draw a select box for one part of the choice; "" stands for none."""
    listed, key = ["", *dict.fromkeys(names)], f"custom_{name}"
    st.session_state[key] = now if now in listed else ""
    st.selectbox(
        t(f"messages.{name}"),
        listed,
        key=key,
        width=present.holding(listed, 220),
        on_change=_customised,
        format_func=lambda value: value or t(f"messages.no_{name}"),
    )


def _customised() -> None:
    chosen = {name: st.session_state.get(f"custom_{name}") or None for name in ("mode", "task", "adapter")}
    if chosen["mode"] is None and chosen["task"] is None:
        chosen["mode"] = next(iter(choice.workspace().prompts), None)
    choice.send(Selection(**chosen))


def _list_of(workspace: Workspace, sent: Selection) -> None:
    names = ["", *(c.name for c in workspace.conditions)]
    if len(names) > 1:
        st.session_state["answers_of"] = sent.condition or ""
        st.selectbox(
            t("messages.answers_of"),
            names,
            key="answers_of",
            width=present.holding(names, 360),
            on_change=_judged,
            args=(sent,),
            format_func=lambda name: name or t("messages.no_answers"),
        )


def _judged(sent: Selection) -> None:
    choice.send(Selection(judge=sent.judge, condition=st.session_state["answers_of"] or None))

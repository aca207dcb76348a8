"""Which of several files is meant, and where each model's system message of training is: choices on Open."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from readback.types import Model, SystemText, Workspace
from readback.ui.common import address, show
from readback.ui.common.state import choice
from readback.words import t
from readback.workspace.candidates import KINDS
from readback.workspace.recognise import PLAN, PROMPTS
from readback.workspace.training import KEY, format_places, name_place, parse_places

SENT = ("record", "index", "condition", "mode", "adapter", "task", "judge")  # may be another one's in other files


def several(workspace: Workspace) -> None:
    """Draw a choice for each kind of which several files are in the folder; nothing where none is left open."""
    there = {kind: files for kind in KINDS if (files := workspace.alternatives.get(kind))}
    if not there:
        return
    st.subheader(t("open.several"))
    show.draw(show.h("<p>{}</p>", t("open.several_lead")))
    for kind, files in there.items():
        key, now = f"choose_{kind}", _now(workspace, kind)
        options = [*([] if now in files else [now or ""]), *files]
        st.session_state[key] = now or ""
        st.selectbox(
            t(f"open.several_{kind}"),
            options,
            key=key,
            format_func=lambda file: file or t("open.several_none"),
            on_change=_chosen,
            args=(kind, key),
        )


def training(workspace: Workspace) -> None:
    """For each model the place of its system message, as it was guessed or chosen; only where code states any."""
    models = [model for model in workspace.models.values() if model.type != "base"]
    if not (workspace.code_texts and models):
        return
    st.subheader(t("open.training"))
    show.draw(show.h("<p>{}</p>", t("open.training_lead")))
    texts = {name_place(text): text for text in workspace.code_texts}
    for model in models:
        _place(workspace, model, texts)


def _place(workspace: Workspace, model: Model, texts: Mapping[str, SystemText]) -> None:
    key, now = f"training_{model.name}", name_place(model.training) if model.training else ""
    st.session_state[key] = now
    st.selectbox(
        show.md(t("open.training_of", model=model.name)),
        ["", *([now] if now and now not in texts else []), *texts],
        key=key,
        format_func=lambda place: _describe_choice(place, texts.get(place)),
        on_change=_trained,
        args=(workspace, model.name, key),
    )
    if model.training:
        file = model.training.place.file
    else:
        file = None
    if why := next((entry.detail for entry in workspace.recognised if entry.path == file and entry.detail), ""):
        show.draw(show.h('<p class="rb-small">{}</p>', why))


def _describe_choice(place: str, text: SystemText | None) -> str:
    if not place:
        return t("open.training_none")
    if text:
        first = " ".join(text.text.split())[:60]
    else:
        first = ""
    return f"{place.replace('#', ' · ')}{': ' if first else ''}{first}"


def _now(workspace: Workspace, kind: str) -> str | None:
    if kind == "dataset":
        if workspace.dataset and not workspace.dataset.absent:
            return workspace.dataset.path
        return None
    what = {"plan": PLAN, "prompts": PROMPTS}[kind]
    return next((entry.path for entry in workspace.recognised if entry.what == what and entry.used), None)


def _chosen(kind: str, key: str) -> None:
    # A plan and a prompt configuration exclude each other: the last one that was chosen counts.
    other = {"plan": {"prompts": None}, "prompts": {"plan": None}}.get(kind, {})
    address.put(**dict.fromkeys(SENT), **other, finding=None, **{kind: st.session_state[key] or None})
    choice.begin()


def _trained(workspace: Workspace, model: str, key: str) -> None:
    places = {
        name: place for name, place in parse_places(workspace.chosen.get(KEY)).items() if name in workspace.models
    }
    address.put(**{KEY: format_places({**places, model: st.session_state[key]})})
    choice.begin()

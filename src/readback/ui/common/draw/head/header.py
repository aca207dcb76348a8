"""The head of every page: the name and its mark, and the five rooms; a room that has nothing to show says why."""

from __future__ import annotations

import os

import streamlit as st

from readback.html.templates import render_template
from readback.types import Workspace
from readback.ui.common import address, own_files, show
from readback.ui.common.state import choice
from readback.words import t

ROOMS = ("overview", "prompts", "results", "findings", "review")
NAME = "READBACK_NAME"  # the variable with a name of a team's own for this server


def draw(page: str) -> None:
    """Draw the head. `page` is the address of the page in view; its room is marked as the current one."""
    opened, _ = choice.peek()
    if opened:
        shut = explain_empty_rooms(opened)
    else:
        shut = {}
    rooms = [
        {"title": t(f"frame.{room}"), "href": address.href(room), "current": room == page, "why": shut.get(room, "")}
        for room in ROOMS
    ]
    base = str(st.get_option("server.baseUrlPath") or "")
    show.draw(
        render_template(
            "ui/common/draw/head/header.html.jinja",
            home=address.href(address.HOME),
            mark=own_files.under(base, own_files.MARK_PATH),
            name=get_name(),
            label=t("frame.rooms"),
            rooms=rooms,
        )
    )


def get_name() -> str:
    """Return the name of this server: READBACK_NAME, else that of the project."""
    return os.environ.get(NAME, "").strip() or t("frame.title")


def explain_empty_rooms(workspace: Workspace) -> dict[str, str]:
    """Return why a room has nothing to show, by room: what it needs, and what to add."""
    has_prompts = workspace.prompts or workspace.tasks or workspace.judges or workspace.conditions or workspace.training
    reasons = {}
    if not has_prompts:
        reasons["prompts"] = t("frame.needs_prompts")
    if not workspace.scores and not workspace.dataset:
        reasons["results"] = t("frame.needs_scores")
    return reasons

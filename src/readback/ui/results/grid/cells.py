"""Render the small parts of the grid: a text that is cut, findings."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from readback.html.templates import render_template
from readback.types import Finding
from readback.ui.common import show
from readback.words import sentence, t

WEIGHT = ("error", "warning", "info")


def render_cut(text: str, most: int) -> Markup:
    """Return the beginning of a text, with a mark that says how much more there is."""
    return render_template(
        "ui/results/grid/cut.html.jinja",
        t=t,
        text=text[:most],
        more=len(text) - most,
        language=show.spoken_attribute(),
    )


def render_dots(findings: Sequence[Finding], label: str, **params: str | None) -> Markup:
    """Return the findings about an answer as one link to the first of the gravest; nothing where there is none."""
    if not findings:
        return Markup("")
    first = min(findings, key=lambda finding: WEIGHT.index(finding.severity))
    link = show.link("prompts", label, **params, finding=first.key)
    sign = show.SIGNS[first.severity]
    return show.h(
        '<span class="rb-dot rb-{}" title="{}"><span aria-hidden="true">{}</span> {}</span>',
        first.severity,
        sentence.finish(first.message),
        sign,
        link,
    )


def cut_short(text: str, most: int) -> Markup:
    """Return the beginning of a text for a link."""
    return show.h(
        '<span dir="auto"{}>{}{}</span>', show.spoken_attribute(), text[:most], "…" if len(text) > most else ""
    )


def render_rest(text: str, most: int) -> Markup:
    """Return how much of a text its link leaves out."""
    if len(text) > most:
        return show.h('<span class="rb-cut">{}</span>', t("grid.cut", n=len(text) - most))
    return Markup("")

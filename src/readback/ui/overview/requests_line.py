"""The first line where requests were logged: how many equal the files, or that nothing is here to hold them against."""

from __future__ import annotations

import contextlib

from markupsafe import Markup

from readback.checks.held_requests import count_held, describe_held
from readback.checks.summary import Audit
from readback.html import exact
from readback.readers.logs.decode import decode
from readback.readers.paths import resolve
from readback.types import Diagnostic, Workspace
from readback.ui.common import show
from readback.ui.common.state import caches, choice
from readback.words import t

CODE = "fmt-assembly-differs"
NAMED = 3  # kinds of difference whose text is in the line below; more are counted
SHOWN = 90  # characters of such a text


def describe(workspace: Workspace, audit: Audit) -> Markup:
    """Return the line about logged requests; "" where none were logged."""
    alone = _count_alone(workspace, "requests")
    if alone:
        return show.h("{} {}", t("held.alone", n=alone), show.link("open", t("held.alone_next")))
    answers = _count_alone(workspace, "answers")
    if answers and not workspace.sent:
        return show.h("{}", t("held.answers_alone", n=answers))
    if not workspace.sent:
        return Markup("")
    observer = caches.observer(*choice.key())
    comparison = count_held(audit, observer.log.rows if observer else 0)
    if comparison is None:
        return Markup("")
    if not comparison.differing and observer is not None and not observer.log.matched:
        return Markup("")  # the table of conditions says it: logs of the study itself that equal it are no news
    sentence = describe_held(comparison, sample=audit.sample is not None)
    if not comparison.differing:
        return show.h("{}", sentence)
    return show.h("{} {}", sentence, show.link("findings", t("held.see"), code=CODE))


def describe_texts(audit: Audit) -> Markup:
    """Return by which text the requests of each prompt differ, "" where each request differs in a text of its own."""
    comparison = count_held(audit, 0)
    kinds = [kind for kind in comparison.kinds if kind.ours or kind.sent] if comparison else []
    parts = []
    for kind in kinds[:NAMED]:
        text = exact.written_out(kind.ours or kind.sent)
        text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
        change = t(f"held.change.{kind.change.replace(' ', '_')}")
        parts.append(show.h("{}: {} “{}”", kind.name, change, text))
    more = len(kinds) - NAMED
    if more > 0:
        parts.append(show.h("{}", t("held.more_kinds", n=more)))
    return show.h('<p class="rb-small">{}</p>', show.join(parts, " · ")) if parts else Markup("")


def _count_alone(workspace: Workspace, part: str) -> int:
    """Return how many requests, or answers, the logs hold whose messages are shown as they are."""
    total = 0
    alone = [each.logged for each in workspace.conditions if each.logged and not (each.mode or each.task)]
    for log in dict.fromkeys(alone):
        path = resolve(workspace.root, log)
        if isinstance(path, Diagnostic):
            continue
        with contextlib.suppress(OSError):
            decoded = decode(path, log)
            total += decoded.counts[part] if decoded else 0
    return total

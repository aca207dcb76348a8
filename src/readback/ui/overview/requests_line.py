"""The first line where requests were logged: how many equal the files, or that nothing is here to hold them against."""

from __future__ import annotations

import contextlib

from markupsafe import Markup

from readback.checks.held_requests import count_held, describe_held
from readback.checks.summary import Audit
from readback.readers.logs.decode import decode
from readback.readers.paths import resolve
from readback.types import Diagnostic, Workspace
from readback.ui.common import show
from readback.ui.common.state import caches, choice
from readback.words import t

CODE = "fmt-assembly-differs"


def describe(workspace: Workspace, audit: Audit) -> Markup:
    """Return the line about logged requests; "" where none were logged."""
    alone = _count_alone(workspace)
    if alone:
        return show.h("{} {}", t("held.alone", n=alone), show.link("open", t("held.alone_next")))
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


def _count_alone(workspace: Workspace) -> int:
    """Return how many requests the logs hold whose messages are shown as they are."""
    total = 0
    alone = [each.logged for each in workspace.conditions if each.logged and not (each.mode or each.task)]
    for log in dict.fromkeys(alone):
        path = resolve(workspace.root, log)
        if isinstance(path, Diagnostic):
            continue
        with contextlib.suppress(OSError):
            decoded = decode(path, log)
            total += decoded.counts["requests"] if decoded else 0
    return total

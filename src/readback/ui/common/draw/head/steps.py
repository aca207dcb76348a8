"""Buttons that go to the next marked thing of a page, and the one before, by the one script; keys press them."""

from __future__ import annotations

from markupsafe import Markup

from readback.ui.common import show

BUTTON = '<button class="rb-button" type="button" data-rb-step="{}" title="{}" aria-label="{}">{}</button>'


def steps(name: str, previous: str, following: str, at: str, total: str) -> Markup:
    """Draw the two buttons (`name` ends their keys `previous_…` and `next_…`) and the position between them: `total`
    before the first step, then `at`, in which `[n]` is the number of the thing.
    """
    step = f'<span class="st-key-{{}}">{BUTTON}</span>'
    before = show.h(step, f"previous_{name}", -1, previous, previous, "‹")
    after = show.h(step, f"next_{name}", 1, following, following, "›")
    position = show.h('<span class="rb-small" role="status" data-rb-step-said="{}">{}</span>', at, total)
    return show.h('<p class="rb-steps">{} {} {}</p>', before, position, after)

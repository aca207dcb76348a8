"""What can be taken along from a comparison: an entry for notes, both texts, the difference as JSON or as a patch."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping

import streamlit as st

from readback import adapters
from readback.bookmarks.entry import Entry, Excerpt, cut_excerpt
from readback.compare import as_text
from readback.compare.diff import Difference, MessageDifference
from readback.ui.common.draw import downloads, exports
from readback.ui.common.draw.text import bookmarks
from readback.ui.prompts.difference import compare_made
from readback.ui.prompts.two_texts import compare_sides
from readback.ui.prompts.two_texts.compare_words import labels
from readback.words import t

PATCHED = 400_000  # characters of both texts up to which a patch is made: beyond, it would take minutes


def draw(d: Difference) -> None:
    """Draw the entry for notes, and a list of downloads; each file is made on request."""
    kinds: Mapping[str, tuple[str, str, Callable[[], str | bytes]]] = {
        "download_a": ("a.json", "application/json", lambda: exports.as_json(d.a.messages)),
        "download_b": ("b.json", "application/json", lambda: exports.as_json(d.b.messages)),
        "download_json": ("difference.json", "application/json", lambda: as_json(d)),
        "download_patch": ("difference.patch", "text/x-diff", lambda: exports.exact(as_patch(d))),
    }
    small = sum(len(message.text) for side in (d.a, d.b) for message in side.messages) <= PATCHED
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover(t("compare.take"), key="take"):
            for name, (file, kind, make) in kinds.items():
                if name != "download_patch" or small:
                    downloads.button(
                        t(f"compare.{name}"), make, file, kind, key=name, on_click="ignore", type="tertiary"
                    )
        if d.a.messages and d.b.messages and compare_sides.side("a") != compare_sides.side("b"):
            bookmarks.offer("difference", entry(d))


def entry(d: Difference) -> Entry:
    """Make the entry for notes: its sentence, the two sides, the first difference in both, the fingerprints."""
    named = tuple(zip("AB", labels(), (d.a, d.b), strict=True))
    if any(side.assembly and side.assembly.masked for side in (d.a, d.b)):
        masked = [t("messages.masked")]
    else:
        masked = []
    adapter_names = adapters.list_own_wordings((*d.a.messages, *d.b.messages))
    if adapter_names:
        worded = [t("messages.wording", names=", ".join(adapter_names))]
    else:
        worded = []
    return Entry(
        "difference",
        compare_made.sentence(d),
        bookmarks.way("prompts", view="difference", **compare_sides.link()),
        tuple(_excerpts(d)),
        (*(t("compare.side_is", side=name, label=label) for name, label, _ in named), *masked, *worded),
        tuple((name, shown_side.fingerprint) for name, _, shown_side in named),
    )


def _excerpts(d: Difference) -> Iterator[Excerpt]:
    """Yield the first difference, in both texts."""
    pair = next((pair for pair in d.messages if not pair.equal), None)
    if pair:
        change = next((message for message in pair.changes if message.kind != "equal"), None)
    else:
        change = None
    if pair is None or change is None:
        return
    for name, message, span in (("A", pair.a, change.a), ("B", pair.b, change.b)):
        if message is not None:
            yield cut_excerpt(
                message.text, *span, t("compare.excerpt", side=name, role=t(f"compare.role_{message.role}"))
            )


def as_json(d: Difference) -> str:
    """Format the difference as JSON: fingerprints, and for each message its stretches with their texts and offsets."""
    named = zip(("a", "b"), labels(), (d.a, d.b), strict=True)
    sides = {
        name: {"label": label, "fingerprint": shown_side.fingerprint, **as_text.make_wording(shown_side.messages)}
        for name, label, shown_side in named
    }
    return json.dumps({**sides, "equal": d.equal, "messages": [_message(pair) for pair in d.messages]}, indent=2)


def as_patch(d: Difference) -> str:
    """Format the difference of each message like `diff -u`."""
    adapter_names = adapters.list_own_wordings((*d.a.messages, *d.b.messages))
    if adapter_names:
        lines = [f"# wording: {adapters.OURS} ({', '.join(adapter_names)})\n"]
    else:
        lines = []
    for number, pair in enumerate(d.messages, 1):
        a, b = ((message.text if message else "").splitlines(keepends=True) for message in (pair.a, pair.b))
        role = pair.role_a or pair.role_b
        for line in difflib.unified_diff(a, b, f"a/{number}-{role}", f"b/{number}-{role}"):
            lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _message(pair: MessageDifference) -> dict[str, object]:
    a, b = (change.text if change else "" for change in (pair.a, pair.b))
    return {
        "role_a": pair.role_a,
        "role_b": pair.role_b,
        "changes": [
            {
                "kind": change.kind,
                "a": change.a,
                "b": change.b,
                **({} if change.kind == "equal" else {"removed": a[slice(*change.a)], "added": b[slice(*change.b)]}),
            }
            for change in pair.changes
        ],
    }

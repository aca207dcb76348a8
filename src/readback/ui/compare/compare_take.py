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
from readback.ui.common.draw import bookmarks, downloads, exports
from readback.ui.compare import compare_made, compare_sides
from readback.ui.compare.compare_words import labels
from readback.words import t

PATCHED = 400_000  # characters of both texts up to which a patch is made: beyond, it would take minutes


def draw(d: Difference) -> None:
    """The entry for notes, and a list of downloads; each is made when it is asked for."""
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
                    downloads.button(t(f"compare.{name}"), make, file, kind, key=name, on_click="ignore",
                                     type="tertiary")  # fmt: skip
        if d.a.messages and d.b.messages and compare_sides.side("a") != compare_sides.side("b"):
            bookmarks.offer("difference", entry(d))


def entry(d: Difference) -> Entry:
    """The comparison to take along: its sentence, the two sides, the first difference in both, the fingerprints."""
    named = tuple(zip("AB", labels(), (d.a, d.b), strict=True))
    masked = [t("messages.masked")] if any(one.assembly and one.assembly.masked for one in (d.a, d.b)) else []
    ours = adapters.list_own_wordings((*d.a.messages, *d.b.messages))
    worded = [t("messages.wording", names=", ".join(ours))] if ours else []
    return Entry(
        "difference",
        compare_made.sentence(d),
        bookmarks.way("compare", **compare_sides.link()),
        tuple(_excerpts(d)),
        (*(t("compare.side_is", side=name, label=label) for name, label, _ in named), *masked, *worded),
        tuple((name, shown.fingerprint) for name, _, shown in named),
    )


def _excerpts(d: Difference) -> Iterator[Excerpt]:
    """The first difference there is, in both texts."""
    pair = next((pair for pair in d.messages if not pair.equal), None)
    change = next((one for one in pair.changes if one.kind != "equal"), None) if pair else None
    if pair is None or change is None:
        return
    for name, one, span in (("A", pair.a, change.a), ("B", pair.b, change.b)):
        if one is not None:
            yield cut_excerpt(one.text, *span, t("compare.excerpt", side=name, role=t(f"compare.role_{one.role}")))


def as_json(d: Difference) -> str:
    """The difference as JSON: fingerprints, and for each message its stretches with their texts and offsets."""
    named = zip(("a", "b"), labels(), (d.a, d.b), strict=True)
    sides = {
        name: {"label": said, "fingerprint": shown.fingerprint, **as_text.make_wording(shown.messages)}
        for name, said, shown in named
    }
    return json.dumps({**sides, "equal": d.equal, "messages": [_message(pair) for pair in d.messages]}, indent=2)


def as_patch(d: Difference) -> str:
    """The difference of each message in the form of `diff -u`."""
    ours = adapters.list_own_wordings((*d.a.messages, *d.b.messages))
    made = [f"# wording: {adapters.OURS} ({', '.join(ours)})\n"] if ours else []
    for number, pair in enumerate(d.messages, 1):
        a, b = ((one.text if one else "").splitlines(keepends=True) for one in (pair.a, pair.b))
        role = pair.role_a or pair.role_b
        for line in difflib.unified_diff(a, b, f"a/{number}-{role}", f"b/{number}-{role}"):
            made.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(made)


def _message(pair: MessageDifference) -> dict[str, object]:
    a, b = (one.text if one else "" for one in (pair.a, pair.b))
    return {
        "role_a": pair.role_a,
        "role_b": pair.role_b,
        "changes": [
            {"kind": one.kind, "a": one.a, "b": one.b,
             **({} if one.kind == "equal" else {"removed": a[slice(*one.a)], "added": b[slice(*one.b)]})}
            for one in pair.changes
        ],
    }  # fmt: skip

"""Write what a rule says as a sentence for people: it begins with a capital, is short, and names files from here."""

from __future__ import annotations

import re
from pathlib import Path

BRIEF = 240  # characters of a message that are read at a glance
LEAST = 60  # characters that a shortened message keeps at least
NAME = re.compile(r"[\d._/\\:=<>(){}\[\]@#$-]")  # a first word with one of these is a name, which is spelled as it is
FULL_STOP = re.compile(r"(?<=[^\W\d_]{2}[.!?]) (?=[^\W\d_])")  # no abbreviation of one letter, no number


def capitalise(text: str) -> str:
    """Return the text with a capital first letter, unless it begins with a name that is not a word."""
    first = text.split(" ", 1)[0].rstrip(",:;.")
    if not first[:1].islower() or NAME.search(first) or any(letter.isupper() for letter in first):
        return text
    return text[:1].upper() + text[1:]


def finish(text: str) -> str:
    """Return what a rule says in half a sentence as a sentence of its own: with a capital and a full stop."""
    is_open = bool(text) and not text.endswith((".", "?", "!", ":", "…"))
    if is_open:
        return f"{capitalise(text)}."
    return capitalise(text)


def shorten_paths(text: str, root: Path | None) -> str:
    """Return the text with absolute paths inside the workspace written from its folder."""
    if root is None or str(root) in ("", ".", "/"):
        return text
    for prefix in {f"{root}/", f"{root.resolve()}/"}:
        text = text.replace(prefix, "")
    return text


def cut_first(text: str) -> str:
    """Return the first sentence of a text."""
    return FULL_STOP.split(text, maxsplit=1)[0]


def cut_brief(text: str) -> str:
    """Return at most two sentences of a message and no more than BRIEF characters; a cut shows as "…"."""
    parts = FULL_STOP.split(text, maxsplit=2)
    brief = " ".join(parts[:2])
    if len(brief) <= BRIEF:
        if len(parts) < 3:
            return brief
        return f"{brief} …"
    for sign in ("; ", " (", ", ", " "):
        at = brief.rfind(sign, LEAST, BRIEF)
        if at > 0:
            return f"{brief[:at]} …"
    return f"{brief[:BRIEF]}…"

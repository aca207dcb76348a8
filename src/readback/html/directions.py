"""Isolate names in sentences that are of a right-to-left script, or turn the direction of text by a sign for that, so
that they do not turn what stands around them.

A browser orders the signs between two Hebrew words, and a number behind one, as if they were Hebrew, too: of
“name”: +0.08 the number came to stand before the name. Unicode's answer is an isolate (UAX #9, 3.1.2), in HTML `<bdi>`,
which adds nothing to the text.
"""

from __future__ import annotations

import re

RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001eeff"
LEFT_TO_RIGHT = "A-Za-z\u00c0-\u02af\u0370-\u058f"
CONTROLS = "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides and isolates, which hold until they are ended
TURNING = RIGHT_TO_LEFT + CONTROLS
ANY = re.compile(f"[{TURNING}]")
LATIN = re.compile(f"[{LEFT_TO_RIGHT}]")
ENTITY = re.compile(r"&#?\w+;")
TAG = re.compile(r"(<[^>]*>)")
QUOTED = re.compile(r"(?<=“)[^“”]*(?=”)")
_SIGN = "&(?:amp|quot|#34|#39);"
_IN_WORD = rf"(?:[^\s<>&“”\",;:()]|{_SIGN})"
_WORD = rf"{_IN_WORD}*[{TURNING}]{_IN_WORD}*"
_NEUTRAL = rf"(?:[^\s<>&“”\",;:(){LEFT_TO_RIGHT}]|{_SIGN})+"
RUN = re.compile(rf"{_WORD}(?:(?: {_NEUTRAL})*? {_WORD})*")
ENDS = re.compile(r"[.…]+$")  # the end of our sentence, not of the name
# What has a direction of its own, and what holds no text of a page.
APART = re.compile(
    r"<(?:svg|style|script|title|option|textarea|bdi)\b"
    r"|<[^>]*\bclass=\"(?:[^\"]* )?(?:rb-(?:exact|text|cell|excerpt)|text)[ \"]"
)
EMPTY = re.compile(r"<(?:area|br|col|hr|img|input|link|meta|wbr)\b|<!|<[^>]*/>$")


def isolate_names(markup: str) -> str:
    """Return the markup with the names that turn text inside `<bdi>`; exact texts stay as they are."""
    if not ANY.search(markup):
        return markup
    parts: list[str] = []
    depth = 0  # of the elements that are open inside one that stays as it is
    for part in TAG.split(markup):
        if not part.startswith("<"):
            parts.append(part if depth else _isolate(part))
            continue
        parts.append(part)
        if part.startswith("</"):
            depth = max(0, depth - 1)
        elif (depth or APART.match(part)) and not EMPTY.match(part):
            depth += 1
    return "".join(parts)


def _isolate(text: str) -> str:
    if not ANY.search(text):
        return text
    if not LATIN.search(ENTITY.sub("", text)):
        bare = text.strip()
        return text.replace(bare, f"<bdi>{bare}</bdi>")
    parts: list[str] = []
    at = 0
    for quoted in QUOTED.finditer(text):
        parts.append(RUN.sub(_wrap, text[at : quoted.start()]))
        inner = quoted[0]
        parts.append(f"<bdi>{inner}</bdi>" if ANY.search(inner) else inner)
        at = quoted.end()
    return "".join((*parts, RUN.sub(_wrap, text[at:])))


def _wrap(run: re.Match[str]) -> str:
    end = ENDS.search(run[0])
    name = run[0][: end.start()] if end else run[0]
    return f"<bdi>{name}</bdi>{run[0][len(name) :]}"

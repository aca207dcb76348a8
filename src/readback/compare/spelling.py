"""Spell out a stretch of text: a newline, 2 spaces, `<|im_end|>`, U+200B ZERO WIDTH SPACE."""

from __future__ import annotations

import unicodedata
from itertools import groupby

from readback.quantity import quantity

HEAD, TAIL = 44, 16  # characters of a long stretch that are quoted, from its beginning and its end
KINDS = 4  # runs of white space that a sentence names one by one
BLANKS = {"\n": "newline", " ": "space", "\t": "tab", "\r": "carriage return", "\u00a0": "no-break space"}
BLANKS |= {"\u202f": "narrow no-break space", "\u2028": "line separator", "\f": "form feed", "\v": "vertical tab"}
SIGNS = {"\n": "⏎", "\t": "→", "\r": "␍"}
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")  # Unicode's categories of characters that nobody sees


def spell_out(text: str) -> str:
    """Return a stretch in words: blanks counted by kind, everything else quoted, shortened, with its blanks drawn."""
    if not text:
        return "nothing"
    if _is_plain(text):
        return spell_blanks(text)
    return quote(text)


def spell_blanks(text: str) -> str:
    """Name characters that nobody sees, in order: a newline; 2 newlines and a space."""
    names = [_name_run(char, len(tuple(run))) for char, run in groupby(text)]
    if len(names) > KINDS:
        return f"{quantity(len(text), 'character')} of white space"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def quote(text: str) -> str:
    """Put a stretch between backquotes, its middle left out where it is long; what cannot be seen is written out."""
    if len(text) > HEAD + TAIL:
        return f"`{draw_unseen(text[:HEAD])}…{draw_unseen(text[-TAIL:])}`"
    return f"`{draw_unseen(text)}`"


def draw_unseen(text: str) -> str:
    """Return the text with a sign or a number for each character that nobody sees; single blanks stay."""
    return "".join(SIGNS.get(char) or (f"[U+{ord(char):04X}]" if _is_unseen_character(char) else char) for char in text)


def is_unseen(text: str) -> bool:
    """Tell whether a stretch has characters and nobody sees anything of it."""
    return bool(text) and _is_plain(text)


def is_single(text: str) -> bool:
    """Tell whether a stretch is one kind of character that nobody sees, so that its absence is "none"."""
    return len(set(text)) == 1 and _is_plain(text)


def _name_run(char: str, times: int) -> str:
    name = BLANKS.get(char) or f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()
    if char not in BLANKS:
        if times == 1:
            return name
        return f"{times:,} times {name}"
    if times == 1:
        return f"a {name}"
    return f"{times:,} {name}s"


def _is_plain(text: str) -> bool:
    return all(char.isspace() or _is_unseen_character(char) for char in text)


def _is_unseen_character(char: str) -> bool:
    return (char in BLANKS and char != " ") or unicodedata.category(char) in UNSEEN

"""Decode a Modelfile's bytes as Ollama does, and drop the characters that it drops."""

from __future__ import annotations

import codecs
import re
import unicodedata

# Characters of Unicode 15.0, the tables of Go's strconv.IsPrint, that the unicodedata of Python 3.11 does not know yet.
NEWER = (
    (0x0CF3, 0x0CF3), (0x0ECE, 0x0ECE), (0x10EFD, 0x10EFF), (0x1123F, 0x11241), (0x11B00, 0x11B09), (0x11F00, 0x11F10),
    (0x11F12, 0x11F3A), (0x11F3E, 0x11F59), (0x1342F, 0x1342F), (0x13440, 0x13455),
    (0x1B132, 0x1B132), (0x1B155, 0x1B155),
    (0x1D2C0, 0x1D2D3), (0x1DF25, 0x1DF2A), (0x1E030, 0x1E06D), (0x1E08F, 0x1E08F), (0x1E4D0, 0x1E4F9),
    (0x1F6DC, 0x1F6DC), (0x1F774, 0x1F776), (0x1F77B, 0x1F77F), (0x1F7D9, 0x1F7D9), (0x1FA75, 0x1FA77),
    (0x1FA87, 0x1FA88), (0x1FAAD, 0x1FAAF), (0x1FABB, 0x1FABD), (0x1FABF, 0x1FABF), (0x1FACE, 0x1FACF),
    (0x1FADA, 0x1FADB), (0x1FAE8, 0x1FAE8), (0x1FAF7, 0x1FAF8), (0x2B739, 0x2B739), (0x31350, 0x323AF),
)  # fmt: skip
SURROGATES = re.compile("[\ud800-\udfff]")


def decode(data: bytes) -> tuple[str, str]:
    """Return the text of a Modelfile and its encoding: a byte-order mark decides, else UTF-8; nothing is refused.

    Without a mark each invalid byte becomes one U+FFFD, as in Go's decoder (Python's replaces whole broken
    sequences). The mark itself is dropped.
    """
    if data.startswith(codecs.BOM_UTF16_LE):
        return data[2:].decode("utf-16-le", "replace"), "utf-16-le"
    if data.startswith(codecs.BOM_UTF16_BE):
        return data[2:].decode("utf-16-be", "replace"), "utf-16-be"
    if data.startswith(codecs.BOM_UTF8):
        return SURROGATES.sub("\ufffd", data[3:].decode("utf-8", "surrogateescape")), "utf-8-sig"
    return SURROGATES.sub("\ufffd", data.decode("utf-8", "surrogateescape")), "utf-8"


def is_printable(char: str) -> bool:
    """Return whether Go's strconv.IsPrint is true: letters, marks, numbers, punctuation, symbols, the ASCII space."""
    return char.isprintable() or (char > "\u0cf2" and any(low <= ord(char) <= high for low, high in NEWER))


def drop_unprintable(line: str) -> str:
    """Return a line of a value without the characters that Ollama drops; tabs stay."""
    if line.isprintable():
        return line
    return "".join(c for c in line if c == "\t" or is_printable(c))


def list_dropped(stretch: str) -> tuple[tuple[int, str], ...]:
    """Return the dropped characters of a stretch, each with its offset."""
    if stretch.isprintable():
        return ()
    return tuple((i, c) for i, c in enumerate(stretch) if c not in "\t\r\n" and not is_printable(c))


def name_character(char: str) -> str:
    """Return a readable name of an invisible character, such as `U+00A0 NO-BREAK SPACE`."""
    name = unicodedata.name(char, "")
    return f"U+{ord(char):04X} {name}".rstrip()

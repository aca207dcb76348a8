"""Quote texts and characters as Go's %q does."""

from __future__ import annotations

import re

from readback.serving.modelfile.text import is_printable

NOT_RAW = re.compile("[`\x7f\ufeff\0-\x08\x0a-\x1f\ud800-\udfff]")
SHORT = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def quote_text(text: str, ascii_only: bool = False, mark: str = '"') -> str:
    """Return the text between quotes, with escapes for what is not printable (or not ASCII)."""
    return mark + "".join(_escape(char, ascii_only, mark) for char in text) + mark


def can_backquote(text: str) -> bool:
    """Return whether the text can stand unchanged between backquotes."""
    return NOT_RAW.search(text) is None


def _escape(char: str, ascii_only: bool, mark: str) -> str:
    if char in (mark, "\\"):
        return "\\" + char
    if (char.isascii() or not ascii_only) and is_printable(char):
        return char
    if char in SHORT:
        return SHORT[char]
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"

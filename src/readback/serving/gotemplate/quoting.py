"""Texts and characters in Go's quotes, as %q writes them."""

from __future__ import annotations

from readback.serving.modelfile.text import printable

SHORT = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def quoted(text: str, ascii_only: bool = False, mark: str = '"') -> str:
    """The text between quotes, with what is not printable (or not ASCII) as escapes."""
    return mark + "".join(_escaped(char, ascii_only, mark) for char in text) + mark


def can_backquote(text: str) -> bool:
    """Whether the text can stand unchanged between backquotes."""
    return not any(
        char in "`\x7f\ufeff" or (char < " " and char != "\t") or "\ud800" <= char <= "\udfff" for char in text
    )


def _escaped(char: str, ascii_only: bool, mark: str) -> str:
    if char in (mark, "\\"):
        return "\\" + char
    if (char.isascii() or not ascii_only) and printable(char):
        return char
    if char in SHORT:
        return SHORT[char]
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

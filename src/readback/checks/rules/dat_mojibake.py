"""Find characters that appear when UTF-8 is read as Windows-1252 or Latin-1, such as `Ã¼` for ü.

A model then reads other words and more tokens, and quotations no longer match their sources.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from readback.types import Diagnostic, Location, RuleContext

CODE = "dat-mojibake"
ON = "record"
PASS = (
    {"data.jsonl": '{"id": "1", "question": "Où êtes-vous, François? «IRMû “CAFÉ”"}\n'},
    {"data.jsonl": '{"id": "1", "question": "Ça coûte 5 €… naïveté – Ü, ß, 你好"}\n'},
)
FAIL = (
    {"data.jsonl": '{"id": "1", "question": "Wie spät ist es in ZÃ¼rich?"}\n'},
    {"data.jsonl": '{"id": "1", "contexts": ["It isn’t here.", "It isnâ€™t here."]}\n'},
    {"data.csv": "id,question\n1,Ð¿Ñ€Ð¸Ð²ÐµÑ‚\n"},
)
REST = "".join(bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0xC0))
AFTER = re.escape("".join(sorted({*REST, *map(chr, range(0x80, 0xC0))})))
QUOTED = "‘’“”‹›»–—…™"  # what may well follow a capital
ODD = re.compile(
    f"[à-ï][{AFTER}]{{2}}|[ð-ô][{AFTER}]{{3}}|(?:[Â-ß][{AFTER}]){{2,}}|[ÂÃÄÅ](?![{QUOTED}])[{AFTER}]",
)


# How each of these begins, in bytes: found many times as fast where there is none.
NEAR = re.compile(
    b"\xc3[\x82-\xb4](?:%s)"
    % b"|".join(sorted(character.encode() for character in {*REST, *map(chr, range(0x80, 0xC0))}))
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for the first such text of a record, with the number of texts that have any."""
    fields = case.record.fields if case.record else {}
    if not _has_mojibake(fields):
        return
    texts = [(field, text) for field, text in _list_texts(fields) if _find_mojibake(text)]
    field, text = texts[0]
    start, end, intended = _find_mojibake(text) or (0, 0, "")
    values = {"count": len(texts), "found": repr(text[start:end]), "meant": repr(intended)}
    yield Diagnostic(CODE, values, Location(field=field, start=start, end=end), text[start:end])


def _find_mojibake(text: str) -> tuple[int, int, str] | None:
    """Return the first stretch that is other text if encoded as Windows-1252 and read as UTF-8, with that text."""
    if text.isascii() or not NEAR.search(text.encode("utf-8", "surrogatepass")):
        return None
    for hit in ODD.finditer(text):
        intended = bytes(_encode(letter) for letter in hit[0]).decode("utf-8", "ignore")
        if intended and (intended.isprintable() or intended.isspace()):
            return hit.start(), hit.end(), intended
    return None


def _encode(letter: str) -> int:
    if ord(letter) < 0x100:
        return ord(letter)
    return letter.encode("cp1252")[0]


def _has_mojibake(value: Any) -> bool:
    """Return whether any text in a value has such characters, at any depth."""
    if isinstance(value, str):
        return not value.isascii() and _find_mojibake(value) is not None
    if isinstance(value, Mapping):
        return any(map(_has_mojibake, value.values()))
    return isinstance(value, list) and any(map(_has_mojibake, value))


def _list_texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and text of every text in a value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _list_texts(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _list_texts(item, f"{path}[{index}]")

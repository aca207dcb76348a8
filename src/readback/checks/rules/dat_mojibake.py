"""Looks for dat-mojibake; its words are in catalogue/en.yml."""

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
REST = "".join(bytes([one]).decode("cp1252", "ignore") or chr(one) for one in range(0x80, 0xC0))
AFTER = re.escape("".join(sorted({*REST, *map(chr, range(0x80, 0xC0))})))
QUOTED = "‘’“”‹›»–—…™"  # what may well follow a capital
ODD = re.compile(
    f"[à-ï][{AFTER}]{{2}}|[ð-ô][{AFTER}]{{3}}|(?:[Â-ß][{AFTER}]){{2,}}|[ÂÃÄÅ](?![{QUOTED}])[{AFTER}]",
)


# How each of these begins, in bytes: found many times as fast where there is none.
NEAR = re.compile(
    b"\xc3[\x82-\xb4](?:%s)" % b"|".join(sorted(one.encode() for one in {*REST, *map(chr, range(0x80, 0xC0))}))
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    if not _is_any(fields):
        return
    found = [one for one in _texts(fields) if _hit(one[1])]
    field, text = found[0]
    start, end, meant = _hit(text) or (0, 0, "")
    values = {"count": len(found), "found": repr(text[start:end]), "meant": repr(meant)}
    yield Diagnostic(CODE, values, Location(field=field, start=start, end=end), text[start:end])


def _hit(text: str) -> tuple[int, int, str] | None:
    """The first stretch that is other text when it is written as Windows-1252 and read as UTF-8."""
    if text.isascii() or not NEAR.search(text.encode("utf-8", "surrogatepass")):
        return None
    for hit in ODD.finditer(text):
        meant = bytes(_byte(letter) for letter in hit[0]).decode("utf-8", "ignore")
        if meant and (meant.isprintable() or meant.isspace()):
            return hit.start(), hit.end(), meant
    return None


def _byte(letter: str) -> int:
    return ord(letter) if ord(letter) < 0x100 else letter.encode("cp1252")[0]


def _is_any(value: Any) -> bool:
    """Whether any text in a value has a hit, wherever it is."""
    if isinstance(value, str):
        return not value.isascii() and _hit(value) is not None
    if isinstance(value, Mapping):
        return any(map(_is_any, value.values()))
    return isinstance(value, list) and any(map(_is_any, value))


def _texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{index}]")

"""Read a score that a judge wrote in a usual form without JSON: `Score: 8`, `[[8]]`, `8/10`, `<score>8</score>`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

NUMBER = r"[+-]?\d{1,15}(?:\.\d{1,15})?(?![\w%]|[.,-]\d)"
OUT_OF = rf"(?:\s{{0,3}}/\s{{0,3}}{NUMBER}|\s{{1,3}}out\s{{1,3}}of\s{{1,3}}{NUMBER})?"
LABELS = ("score", "rating", "grade", "mark", "marks", "verdict")
TAGS = ("score", "rating", "grade", "mark", "verdict")
WHOLE = re.compile(rf"\s*({NUMBER}){OUT_OF}\s*\.?\s*", re.IGNORECASE | re.ASCII)
BRACKETS = re.compile(rf"\[\[\s{{0,3}}({NUMBER}){OUT_OF}\s{{0,3}}\]\]", re.IGNORECASE | re.ASCII)
FRACTION = re.compile(
    rf"(?<![\w.,/-])({NUMBER})(?:\s{{0,3}}/\s{{0,3}}{NUMBER}(?!\s{{0,3}}/)|\s{{1,3}}out\s{{1,3}}of\s{{1,3}}{NUMBER})",
    re.IGNORECASE | re.ASCII,
)
EMPHASIS = re.compile(r"[*`]++|(?<![A-Za-z0-9])_++|_++(?![A-Za-z0-9])", re.ASCII)
LABEL_OF_LINE = re.compile(
    rf"[\s\-#>\d.)]{{0,12}}([A-Za-z][A-Za-z_ ]{{0,40}}?)\s{{0,3}}[:=]\s{{0,3}}{NUMBER}", re.ASCII
)
LONGEST = 200_000  # characters of a reply that are looked at: a judge's verdict is no book


def find_plain_scores(text: str, criteria: Collection[str]) -> dict[str, float]:
    """Return the one number that a reply without braces gives to each criterion; nothing for one that it does not.

    Where one criterion is asked for, the usual labels stand for it. Two different numbers for one criterion are none.
    docs/statistics.md lists the forms. Takes time in proportion to the text.
    """
    names = list(dict.fromkeys(criteria))
    if "{" in text or len(text) > LONGEST:
        return {}
    if len(names) == 1:
        values = set(_of_one(text, names[0]))
        return {names[0]: values.pop()} if len(values) == 1 else {}
    plain = EMPHASIS.sub("", text)
    found: dict[str, float] = {}
    for name in names:
        values = set(_labelled(plain, _spellings(name)))
        if len(values) == 1:
            found[name] = values.pop()
    return found


def find_labels(text: str) -> Iterator[str]:
    """Yield what stands before a colon or an equals sign and a number at the beginning of each line."""
    if "{" in text or len(text) > LONGEST:
        return
    for line in EMPHASIS.sub("", text).split("\n"):
        match = LABEL_OF_LINE.match(line)
        if match:
            yield "_".join(match[1].lower().split())


def is_labelled(text: str) -> bool:
    """Tell whether a reply says itself that its number is a score: by a label, a tag, double brackets or `out of`."""
    return WHOLE.fullmatch(EMPHASIS.sub("", text)) is None and len(find_plain_scores(text, ("score",))) == 1


def _of_one(text: str, name: str) -> Iterator[float]:
    """Yield every number that is marked as the score of the only criterion."""
    plain = EMPHASIS.sub("", text)
    if whole := WHOLE.fullmatch(plain):
        yield float(whole[1])
        return
    names = (*LABELS, *_spellings(name))
    marked = [float(match[1]) for match in BRACKETS.finditer(plain)]
    marked += _tagged(plain, (*TAGS, *_spellings(name)))
    marked += _labelled(plain, names)
    yield from marked
    if not marked:
        yield from (float(match[1]) for match in FRACTION.finditer(plain))


def _tagged(plain: str, names: Collection[str]) -> list[float]:
    words = "|".join(map(re.escape, names))
    pattern = rf"<({words})>\s{{0,9}}({NUMBER}){OUT_OF}\s{{0,9}}</\1>"
    return [float(match[2]) for match in re.finditer(pattern, plain, re.IGNORECASE | re.ASCII)]


def _labelled(plain: str, names: Collection[str]) -> list[float]:
    """Return the numbers that follow one of the names, after any of `:`, `=`, `is` and `of`."""
    words = "|".join(sorted({_loose(name) for name in names}, key=len, reverse=True))
    between = r"(?:\s|[:=]|\bis\b|\bof\b){1,12}"
    pattern = rf"(?<![A-Za-z0-9])(?:{words})(?:\s?\[\[)?{between}({NUMBER}){OUT_OF}"
    return [float(match[1]) for match in re.finditer(pattern, plain, re.IGNORECASE | re.ASCII)]


def _loose(name: str) -> str:
    """Return a pattern of a name in which an underscore may have been dropped, or be a blank."""
    return r"[ _-]?".join(re.escape(part) for part in name.split("_") if part) or re.escape(name)


def _spellings(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((name, f"{name}_score", name.removesuffix("_score"))))

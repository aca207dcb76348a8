"""Read a score that a judge wrote in a usual form without JSON: `Score: 8`, `[[8]]`, `8/10`, `<score>8</score>`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

NUMBER = r"[+-]?\d{1,15}(?:\.\d{1,15})?(?![\w%]|[.,-]\d)"
SLASH = r"(?:\s{0,3}/\s{0,3}|\s{1,3}out\s{1,3}of\s{1,3})"
OUT_OF = rf"(?:{SLASH}({NUMBER}))?"
LABELS = ("score", "rating", "grade", "mark", "marks", "verdict")
TAGS = ("score", "rating", "grade", "mark", "verdict")
WHOLE = re.compile(rf"\s*({NUMBER}){OUT_OF}\s*\.?\s*", re.IGNORECASE | re.ASCII)
BRACKETS = re.compile(rf"\[\[\s{{0,3}}({NUMBER}){OUT_OF}\s{{0,3}}\]\]", re.IGNORECASE | re.ASCII)
FRACTION = re.compile(
    rf"(?<![\w.,/-])({NUMBER})(?:\s{{0,3}}/\s{{0,3}}({NUMBER})(?!\s{{0,3}}/)|\s{{1,3}}out\s{{1,3}}of\s{{1,3}}({NUMBER}))",
    re.IGNORECASE | re.ASCII,
)
EMPHASIS = re.compile(r"[*`]++|(?<![A-Za-z0-9])_++|_++(?![A-Za-z0-9])", re.ASCII)
LABEL_OF_LINE = re.compile(
    rf"[\s\-#>\d.)]{{0,12}}([A-Za-z][A-Za-z_ ]{{0,40}}?)\s{{0,3}}[:=]\s{{0,3}}{NUMBER}", re.ASCII
)
LONGEST = 200_000  # characters of a reply that are looked at: a judge's verdict is no book


@dataclass(frozen=True, slots=True)
class PlainScore:
    """A number that a reply gives, and the one after `/` or `out of`, if it writes one."""

    value: float
    denominator: float | None = None


def find_plain_scores(text: str, criteria: Collection[str]) -> dict[str, float]:
    """Return the one number that a reply without braces gives to each criterion; nothing for one that it does not.

    Where one criterion is asked for, the usual labels stand for it. Two different numbers for one criterion are none.
    docs/statistics.md lists the forms. Takes time in proportion to the text.
    """
    return {name: score.value for name, score in find_scores_with_denominators(text, criteria).items()}


def find_scores_with_denominators(text: str, criteria: Collection[str]) -> dict[str, PlainScore]:
    """Return what `find_plain_scores` does, with the number after `/` or `out of` where one is written.

    Two different denominators beside one criterion are no score, as two numbers are none.
    """
    names = list(dict.fromkeys(criteria))
    if "{" in text or len(text) > LONGEST:
        return {}
    plain = EMPHASIS.sub("", text)
    scores_by_name: dict[str, PlainScore] = {}
    for name in names:
        marked = _of_one(plain, name) if len(names) == 1 else _labelled(plain, _spellings(name))
        score = _agreed(list(marked))
        if score is not None:
            scores_by_name[name] = score
    return scores_by_name


def _agreed(marked: Sequence[PlainScore]) -> PlainScore | None:
    """Return the score that all of these are; None where there is none, or where two of them differ."""
    values = {score.value for score in marked}
    denominators = {score.denominator for score in marked if score.denominator is not None}
    if len(values) != 1 or len(denominators) > 1:
        return None
    return PlainScore(values.pop(), next(iter(denominators), None))


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


def _of_one(plain: str, name: str) -> Iterator[PlainScore]:
    """Yield every number that is marked as the score of the only criterion."""
    if whole := WHOLE.fullmatch(plain):
        yield _plain_score(whole.groups())
        return
    names = (*LABELS, *_spellings(name))
    marked = [_plain_score(match.groups()) for match in BRACKETS.finditer(plain)]
    marked += _tagged(plain, (*TAGS, *_spellings(name)))
    marked += _labelled(plain, names)
    yield from marked
    if not marked:
        yield from (_plain_score(match.groups()) for match in FRACTION.finditer(plain))


def _plain_score(groups: Sequence[str | None]) -> PlainScore:
    """Return the number, which is the first group, with its denominator, which is the first of the others."""
    denominator = next((text for text in groups[1:] if text), None)
    return PlainScore(float(groups[0] or "nan"), None if denominator is None else float(denominator))


def _tagged(plain: str, names: Collection[str]) -> list[PlainScore]:
    words = "|".join(map(re.escape, names))
    pattern = rf"<({words})>\s{{0,9}}({NUMBER}){OUT_OF}\s{{0,9}}</\1>"
    matches = re.finditer(pattern, plain, re.IGNORECASE | re.ASCII)
    return [_plain_score(match.groups()[1:]) for match in matches]


def _labelled(plain: str, names: Collection[str]) -> list[PlainScore]:
    """Return the numbers that follow one of the names, after any of `:`, `=`, `is` and `of`."""
    words = "|".join(sorted({_loose(name) for name in names}, key=len, reverse=True))
    between = r"(?:\s|[:=]|\bis\b|\bof\b){1,12}"
    pattern = rf"(?<![A-Za-z0-9])(?:{words})(?:\s?\[\[)?{between}({NUMBER}){OUT_OF}"
    return [_plain_score(match.groups()) for match in re.finditer(pattern, plain, re.IGNORECASE | re.ASCII)]


def _loose(name: str) -> str:
    """Return a pattern of a name in which an underscore may have been dropped, or be a blank."""
    return r"[ _-]?".join(re.escape(part) for part in name.split("_") if part) or re.escape(name)


def _spellings(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((name, f"{name}_score", name.removesuffix("_score"))))

"""Answers that betray their condition: what nearly all answers of one have, and hardly any of the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from readback.records import answers
from readback.types import Condition, Diagnostic, Location, Workspace

LOOKED_AT = 200  # answers of each condition
FEWEST = 5
MOST_OF_ONE, FEW_OF_OTHERS = 0.8, 0.2
SIGNS: Mapping[str, re.Pattern[str]] = {
    "citation marks such as [1]": re.compile(r"\[\d{1,3}\]"),
    "words on what was provided to it": re.compile(
        r"\b(?:based on|according to|from|in) the (?:provided|given|retrieved|supplied) "
        r"(?:documents?|contexts?|passages?|snippets?|sources?|excerpts?)\b",
        re.IGNORECASE,
    ),
}


def diagnostics(opened: Workspace) -> Iterator[Diagnostic]:
    """A diagnostic for each judge, condition and sign by which the judge can tell the condition from all its others."""
    by: dict[str, list[Condition]] = {}
    for condition in opened.conditions:
        if condition.judge and condition.answers:
            by.setdefault(condition.judge, []).append(condition)
    shares: dict[str, tuple[int, Mapping[str, float]]] = {}
    for judge, conditions in by.items():
        if len(conditions) < 2:
            continue
        for condition in conditions:
            if condition.name not in shares:
                shares[condition.name] = _shares(opened, condition)
        yield from _telling(judge, [one for one in conditions if shares[one.name][0] >= FEWEST], shares)


def _telling(
    judge: str, conditions: list[Condition], shares: Mapping[str, tuple[int, Mapping[str, float]]]
) -> Iterator[Diagnostic]:
    for sign in SIGNS:
        share = {one.name: shares[one.name][1][sign] for one in conditions}
        high = [name for name, found in share.items() if found >= MOST_OF_ONE]
        low = [name for name, found in share.items() if found <= FEW_OF_OTHERS]
        if len(high) == 1 and len(high) + len(low) == len(share) and low:
            rest = max(share[name] for name in low)
            what = f"{share[high[0]]:.0%} of its answers have {sign}, of every other condition at most {rest:.0%}"
            values = {"condition": high[0], "judge": judge, "what": what}
            yield Diagnostic(
                "jdg-condition-visible", values, Location(condition=high[0], judge=judge), f"{judge}|{sign}"
            )


def _shares(opened: Workspace, condition: Condition) -> tuple[int, Mapping[str, float]]:
    """How many answers were looked at, and the share of them with each sign."""
    texts = [one.text for one in islice(answers.open_answers(opened, condition), LOOKED_AT) if one.text]
    count = len(texts)
    return count, {
        name: sum(bool(sign.search(text)) for text in texts) / count if count else 0.0 for name, sign in SIGNS.items()
    }

"""Looks for jdg-scale-mismatch; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from readback.types import Criterion, Diagnostic, Judge, RuleContext, Severity, Workspace

_NUMBER = r"[-\u2212]?\d+(?:\.\d+)?"
LISTED = re.compile(rf"\(({_NUMBER}(?:(?:\s*,\s*(?:or\s+)?|\s+or\s+){_NUMBER})+)\)")  # (-1, 0, 1, or 2)
_RANGE = rf"({_NUMBER})\s*(?:to|-|\u2013)\s*({_NUMBER})"
OVERALL = re.compile(  # on a scale of 0 to 3; a 0-1 value
    rf"\bscale\s+(?:of|from|between)?\s*{_RANGE}|\b{_RANGE}\s+(?:value|scale|score|rating)\b", re.IGNORECASE
)
NEAR = 60  # characters between a criterion's name and its numbers

Numbers = tuple[float, ...]


CODE = "jdg-scale-mismatch"
ON = "workspace"
_FILE = "judges: {j: {prompts: judge.py}}\n"
_JUDGE = (
    'SYSTEM_PROMPT = "relevance_score: the relevance score (-1, 0, 1, or 2)"\n'
    "EVALUATION_PROMPT_TEMPLATE = '{answer} 1. Relevance %s {{\"relevance_score\": 0}}'\n"
)
_RUBRIC = 'prompt: "{{ASSISTANT_RESPONSE}} Assign a 0-1 value to each."\ncriteria: [{id: truth, weight: 1}]\n'
_OWN = "judges: {r: {prompts: r.yaml}}\ncriteria: {truth: {scale: {min: 0, max: %s}}}\n"
PASS = (
    {"readback.yml": _FILE, "judge.py": _JUDGE % "(2, 1, 0, or -1)"},
    {"readback.yml": _OWN % 1, "r.yaml": _RUBRIC},
)
FAIL = (
    {"readback.yml": _FILE, "judge.py": _JUDGE % "(1, 0, or -1)"},
    {"readback.yml": _OWN % 10, "r.yaml": _RUBRIC},
)

SYSTEM, USER, DECLARED = "system text", "user text", "declared"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for key, judge in case.workspace.judges.items():
        for criterion, stated in _scales_of(case.workspace, judge):
            other = next((pair for pair in stated[1:] if pair[0] != stated[0][0]), None)
            if other is None:
                continue
            (first, first_in), (second, second_in) = stated[0], other
            values = {
                "judge": key,
                "criterion": criterion or list(judge.criteria) or "everything",
                "first": said(first),
                "first_in": first_in,
                "second": said(second),
                "second_in": second_in,
            }
            severity: Severity = "error" if DECLARED in (first_in, second_in) else "warning"
            yield Diagnostic(CODE, values, replace(judge.place, judge=key), f"{key}\n{criterion}", severity)


Stated = list[tuple[tuple[float, ...], str]]


def _scales_of(workspace: Workspace, judge: Judge) -> Iterator[tuple[str, Stated]]:
    """For each criterion (and "" for one range for all) the scales that are stated, with where."""
    texts = [(text, where) for text, where in ((judge.system or "", SYSTEM), (judge.user, USER)) if text]
    for name in judge.criteria:
        found = [(numbers, where) for text, where in texts for numbers in sorted(of_criterion(text, name))]
        if found:
            yield name, [*found, *_declared(workspace, name, values=True)]
    ranges = [(low_high, where) for text, where in texts for low_high in sorted(overall(text))]
    within = {where: {numbers for numbers, there in ranges if there == where} for _, where in texts}
    if ranges and all(len(numbers) <= 1 for numbers in within.values()):
        declared = [pair for name in judge.criteria for pair in _declared(workspace, name, values=False)]
        yield "", [*ranges, *declared]


def _declared(workspace: Workspace, name: str, values: bool) -> Iterator[tuple[tuple[float, ...], str]]:
    """The scale under `criteria:`, as its values or as its two ends."""
    criterion: Criterion | None = workspace.criteria.get(name) or workspace.criteria.get(name.removesuffix("_score"))
    if criterion is None:
        return
    if values and criterion.values:
        yield tuple(sorted(criterion.values)), DECLARED
    elif not values and criterion.low is not None and criterion.high is not None:
        yield (criterion.low, criterion.high), DECLARED
    elif not values and criterion.values:
        yield (min(criterion.values), max(criterion.values)), DECLARED


# Which scales a judge's text states: numbers in brackets behind a criterion's name, and one range for all.


def of_criterion(text: str, name: str) -> set[Numbers]:
    """The lists of numbers that stand right behind the name of a criterion, on one line."""
    words = re.escape(name.removesuffix("_score")).replace("_", r"[ _]")
    named = re.compile(rf"\b{words}(?:[ _]score)?\b([^()\n]{{0,{NEAR}}}){LISTED.pattern}", re.IGNORECASE)
    return {_numbers(hit[2]) for hit in named.finditer(text)}


def overall(text: str) -> set[tuple[float, float]]:
    """The ranges that a text states for everything it asks."""
    pairs = ([part for part in hit.groups() if part is not None] for hit in OVERALL.finditer(text))
    return {(_number(low), _number(high)) for low, high in pairs if _number(low) < _number(high)}


def said(numbers: Iterable[float]) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def _numbers(listed: str) -> Numbers:
    return tuple(sorted({_number(number) for number in re.findall(_NUMBER, listed)}))


def _number(text: str) -> float:
    return float(text.replace("\u2212", "-"))

"""Find judges whose prompt states two scales, or another scale than the declared one.

A judge that reads two scales uses sometimes one and sometimes the other, and grades off the declared scale fail.
"""

import re
from collections.abc import Iterator
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
Scale = tuple[Numbers, str]  # with the text that states it


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
    """Yield a finding for each criterion with two scales, and for two ranges for all criteria."""
    for key, judge in case.workspace.judges.items():
        for criterion, scales in _list_scales(case.workspace, judge):
            first, first_source = scales[0]
            other = next(((numbers, source) for numbers, source in scales[1:] if numbers != first), None)
            if other is None:
                continue
            second, second_source = other
            values = {
                "judge": key,
                "criterion": criterion or list(judge.criteria) or "everything",
                "first": _format_numbers(first),
                "first_in": first_source,
                "second": _format_numbers(second),
                "second_in": second_source,
            }
            severity: Severity = "error" if DECLARED in (first_source, second_source) else "warning"
            yield Diagnostic(CODE, values, replace(judge.place, judge=key), f"{key}\n{criterion}", severity)


def _list_scales(workspace: Workspace, judge: Judge) -> Iterator[tuple[str, list[Scale]]]:
    """Yield for each criterion, and for "" (all criteria), the scales that are stated, with their sources."""
    texts = [(text, source) for text, source in ((judge.system or "", SYSTEM), (judge.user, USER)) if text]
    for name in judge.criteria:
        scales: list[Scale] = []
        for text, source in texts:
            scales += [(numbers, source) for numbers in sorted(find_scales(text, name))]
        if scales:
            yield name, [*scales, *_find_declared(workspace, name, values=True)]
    ranges: list[Scale] = []
    for text, source in texts:
        ranges_in_text = sorted(find_ranges(text))
        if len(ranges_in_text) > 1:
            return  # several ranges in one text are for several things
        ranges += [(numbers, source) for numbers in ranges_in_text]
    if ranges:
        for name in judge.criteria:
            ranges += _find_declared(workspace, name, values=False)
        yield "", ranges


def _find_declared(workspace: Workspace, name: str, values: bool) -> Iterator[Scale]:
    """Yield the scale under `criteria:`, as its values or as its two ends."""
    criterion: Criterion | None = workspace.criteria.get(name) or workspace.criteria.get(name.removesuffix("_score"))
    if criterion is None:
        return
    if values:
        if criterion.values:
            yield tuple(sorted(criterion.values)), DECLARED
    elif criterion.low is not None and criterion.high is not None:
        yield (criterion.low, criterion.high), DECLARED
    elif criterion.values:
        yield (min(criterion.values), max(criterion.values)), DECLARED


def find_scales(text: str, name: str) -> set[Numbers]:
    """Return the lists of numbers in parentheses right after the name of a criterion, on one line."""
    words = re.escape(name.removesuffix("_score")).replace("_", r"[ _]")
    pattern = re.compile(rf"\b{words}(?:[ _]score)?\b([^()\n]{{0,{NEAR}}}){LISTED.pattern}", re.IGNORECASE)
    return {_read_numbers(hit[2]) for hit in pattern.finditer(text)}


def find_ranges(text: str) -> set[Numbers]:
    """Return the ranges that a text states for all criteria, each as its two ends."""
    ranges: set[Numbers] = set()
    for hit in OVERALL.finditer(text):
        low, high = (_read_number(part) for part in hit.groups() if part is not None)
        if low < high:
            ranges.add((low, high))
    return ranges


def _format_numbers(numbers: Numbers) -> str:
    return ", ".join(f"{number:g}" for number in numbers)


def _read_numbers(text: str) -> Numbers:
    return tuple(sorted({_read_number(number) for number in re.findall(_NUMBER, text)}))


def _read_number(text: str) -> float:
    return float(text.replace("\u2212", "-"))

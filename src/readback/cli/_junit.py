"""Findings as JUnit XML: a test for each rule that was asked for, in a suite for each area.

A rule fails when one of its findings reaches --fail-on; findings below it are the output of a test that passes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import IO

from readback.checks import rules
from readback.checks.summary import Audit
from readback.cli import _colour, _lines
from readback.cli._sentence import fill
from readback.types import Finding

SENTENCES_CI = {
    "failure_one": "{title} {first}",
    "failure_more": "{title} {n:,} {n:finding|findings}; the first of the worst: {first}",
    "skipped": "A sample is not enough for this rule, so it was not applied.",
}

HELD = 1 << 20  # characters of a rule's lines in memory; more are in a file meanwhile


def lines(
    found: Iterable[Finding],
    audit: Callable[[], Audit],
    file: Callable[[str], str],
    fail_on: str,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Iterator[str]:
    """The document in pieces, each a line, once all findings have come.

    `audit` answers the summary once `found` has ended; `file` turns a file of the workspace into one of the repository.
    """
    tests = {code: _Test(code) for code in rules.RULES() if _asked(code, select, ignore)}
    try:
        for one in found:
            if one.code not in tests:  # a code without a rule is our mistake, and its finding is told
                tests[one.code] = _Test(one.code)
            tests[one.code].take(one, file, fail_on)
        yield from _document(audit(), tests)
    finally:
        for test in tests.values():
            test.said.close()


def _asked(code: str, select: Collection[str], ignore: Collection[str]) -> bool:
    names = {code, code.partition("-")[0]}
    return (not select or not names.isdisjoint(select)) and names.isdisjoint(ignore)


def _said() -> IO[str]:
    return tempfile.SpooledTemporaryFile(HELD, "w+", encoding="utf-8", newline="\n")


@dataclass(slots=True)
class _Test:
    """A rule and what it found: how many findings, the first of the worst severity, all of them as lines."""

    code: str
    n: int = 0
    worst: Finding | None = None
    file: str | None = None  # of the worst, as the repository calls it
    fails: bool = False
    said: IO[str] = field(default_factory=_said)

    def take(self, one: Finding, file: Callable[[str], str], fail_on: str) -> None:
        self.n += 1
        if self.worst is None or _lines.RANK.index(one.severity) > _lines.RANK.index(self.worst.severity):
            self.worst, self.file = one, file(one.place.file) if one.place.file else None
        self.fails = self.fails or _lines.worst((one.severity,), fail_on)
        self.said.write(f"{_text(_colour.unpaint(_lines.with_fix(one)))}\n")


def _document(audit: Audit, tests: Mapping[str, _Test]) -> Iterator[str]:
    faults = {one.rule: one.error for one in audit.faults}
    skipped = set(audit.sample.repeats) if audit.sample else set[str]()
    areas: dict[str, list[_Test]] = {}
    for code, test in tests.items():
        areas.setdefault(code.partition("-")[0], []).append(test)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    name = fill("readback check {workspace}", workspace=audit.workspace)
    yield f"<testsuites{_attributes(name=name, **_counts(tests.values(), faults, skipped))}>"
    for area, these in areas.items():
        called = rules.AREAS.get(area, area)
        yield f" <testsuite{_attributes(name=called, **_counts(these, faults, skipped))}>"
        for test in these:
            yield from _case(test, faults.get(test.code), test.code in skipped)
        yield " </testsuite>"
    yield "</testsuites>"


def _counts(tests: Collection[_Test], faults: Collection[str], skipped: Collection[str]) -> dict[str, int]:
    """Each test is counted as what `_case` writes."""
    broken = sum(test.code in faults for test in tests)
    failed = sum(test.fails and test.code not in faults for test in tests)
    left = sum(test.code in skipped and not test.fails and test.code not in faults for test in tests)
    return {"tests": len(tests), "failures": failed, "errors": broken, "skipped": left}


def _case(test: _Test, fault: str | None, skipped: bool) -> Iterator[str]:
    """A test: an error where the rule itself failed, else a failure, not looked at, or passed."""
    place = {"file": test.file, "line": test.worst.place.line if test.worst and test.file else None}
    names = {"classname": f"readback.{test.code.partition('-')[0]}", "name": test.code}
    yield f"  <testcase{_attributes(**names, **place)}>"
    if fault is not None:
        yield f"   <error{_attributes(message=fault, type='error')}/>"
    elif test.fails and test.worst:
        many = "failure_more" if test.n > 1 else "failure_one"
        message = fill(SENTENCES_CI[many], title=_title(test.code), n=test.n, first=test.worst.message)
        yield f"   <failure{_attributes(message=message, type=test.worst.severity)}>"
        yield from _held(test)
        yield "</failure>"
    elif skipped:
        yield f"   <skipped{_attributes(message='A sample is not enough for this rule, so it was not applied.')}/>"
    if test.n and (fault is not None or not test.fails):
        yield "   <system-out>"
        yield from _held(test)
        yield "</system-out>"
    yield "  </testcase>"


def _title(code: str) -> str:
    rule = rules.RULES().get(code)
    return rule.title if rule else code


def _held(test: _Test) -> Iterator[str]:
    test.said.seek(0)
    for line in test.said:
        yield line.removesuffix("\n")


def _attributes(**given: str | int | None) -> str:
    return "".join(f' {name}="{_attribute(str(value))}"' for name, value in given.items() if value is not None)


def _attribute(text: str) -> str:
    """A text in quotation marks; what a reader would make a blank of is written by its number."""
    return _text(text).replace("\t", "&#9;").replace("\n", "&#10;")


def _text(text: str) -> str:
    """A text of characters that XML 1.0 has: each other one is spelled out, as everywhere on the command line."""
    return escape("".join(char if _has(char) else f"\\u{ord(char):04x}" for char in _lines.safe(text)))


def _has(char: str) -> bool:
    return not ("\ud800" <= char <= "\udfff" or char in "\ufffe\uffff")

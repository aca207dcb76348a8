"""Write findings in the formats of other programs: GitHub workflow commands, JUnit XML and SARIF 2.1.0."""

from __future__ import annotations

import os
import posixpath
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from readback import __version__, as_json, plugins
from readback.checks import rule_pages, rules
from readback.checks.rules import Fault
from readback.checks.summary import Audit
from readback.cli.common import lines, terminal
from readback.cli.common.terminal import fill
from readback.types import Finding, Location, Recognised, Severity
from readback.workspace.left_out import list_files

# What ends a command or a property of GitHub, in the order in which it is replaced: the sign of the escapes first.
IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = {**IN_TEXT, ":": "%3A", ",": "%2C"}
GITHUB_COMMANDS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}

SPOOL_SIZE = 1 << 20  # characters of a rule's lines in memory; more are in a file meanwhile

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SARIF_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
PROBLEM_SEVERITIES: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "recommendation"}
FINGERPRINT = "readbackKey/v1"
BASE = "%SRCROOT%"


def locate_in_repository(root: Path) -> Callable[[str], str]:
    """Return a function from a file's path below the workspace `root` to its path below the git repository around it.

    Outside a repository the path stays that below the workspace. The workspace itself is "" and becomes its folder.
    """
    folder = Path(os.path.abspath(root))  # noqa: PTH100 - resolve() would lose a link's own name
    top = next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), folder)
    below = folder.relative_to(top).as_posix()
    return lambda file: posixpath.normpath(posixpath.join(below, file))


# GitHub


def format_github(findings: Iterable[Finding], locate: Callable[[str], str]) -> Iterator[str]:
    """Yield a workflow command of GitHub Actions for each finding, which GitHub shows beside the lines of a change.

    `locate` turns a file of the workspace into one of the repository.
    """
    for finding in findings:
        place = finding.place
        file = place.file and locate(place.file)
        values = {"file": file, "line": place.line, "col": place.column, "title": finding.code}
        properties = ",".join(
            f"{name}={_escape_for_github(str(value), IN_PROPERTY)}"
            for name, value in values.items()
            if value is not None
        )
        text = _escape_for_github(_format_github_text(finding), IN_TEXT)
        yield f"::{GITHUB_COMMANDS[finding.severity]} {properties}::{text}"


def _format_github_text(finding: Finding) -> str:
    subject = lines.describe_location(finding.place)
    head = f"[{subject}] " if subject else ""
    if finding.fix:
        fix = fill("\nfix: {fix}", fix=finding.fix)
    else:
        fix = ""
    return f"{head}{finding.message}{fix} (key {finding.key})"  # at the end, where a baseline has it


def _escape_for_github(text: str, escapes: Mapping[str, str]) -> str:
    for sign, replacement in escapes.items():
        text = text.replace(sign, replacement)
    return lines.make_safe(text)


# JUnit


def format_junit(
    findings: Iterable[Finding],
    get_audit: Callable[[], Audit],
    locate: Callable[[str], str],
    fail_on: str,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Iterator[str]:
    """Yield JUnit XML line by line once all findings have come: a test for each rule, in a suite for each area.

    A rule fails when one of its findings reaches `fail_on`; findings below it are the output of a test that passes.
    `get_audit` returns the summary once `findings` has ended; `locate` turns a file of the workspace into one of the
    repository.
    """
    tests = {code: _RuleTest(code) for code in rules.RULES() if _is_selected(code, select, ignore)}
    try:
        for finding in findings:
            if finding.code not in tests:  # a code without a rule is our mistake, and its finding is reported
                tests[finding.code] = _RuleTest(finding.code)
            tests[finding.code].add(finding, locate, fail_on)
        yield from _format_junit_document(get_audit(), tests)
    finally:
        for test in tests.values():
            test.output.close()


def _is_selected(code: str, select: Collection[str], ignore: Collection[str]) -> bool:
    names = {code, code.partition("-")[0]}
    return (not select or not names.isdisjoint(select)) and names.isdisjoint(ignore)


def _open_spool() -> IO[str]:
    return tempfile.SpooledTemporaryFile(SPOOL_SIZE, "w+", encoding="utf-8", newline="\n")


@dataclass(slots=True)
class _RuleTest:
    """A rule and its findings: how many, the first of the worst severity, and all of them as lines."""

    code: str
    n: int = 0
    worst: Finding | None = None
    file: str | None = None  # of the worst, as the repository calls it
    fails: bool = False
    output: IO[str] = field(default_factory=_open_spool)

    def add(self, finding: Finding, locate: Callable[[str], str], fail_on: str) -> None:
        self.n += 1
        if self.worst is None or _rank(finding) > _rank(self.worst):
            self.worst = finding
            if finding.place.file:
                self.file = locate(finding.place.file)
            else:
                self.file = None
        self.fails = self.fails or lines.reaches_severity((finding.severity,), fail_on)
        text = terminal.remove_paint(lines.format_with_fix(finding))
        self.output.write(f"{_escape_xml(text)}\n")

    def format_output(self) -> Iterator[str]:
        self.output.seek(0)
        for line in self.output:
            yield line.removesuffix("\n")


def _rank(finding: Finding) -> int:
    return lines.SEVERITIES.index(finding.severity)


def _format_junit_document(audit: Audit, tests: Mapping[str, _RuleTest]) -> Iterator[str]:
    faults = {fault.rule: fault.error for fault in audit.faults}
    if audit.sample:
        skipped = set(audit.sample.repeats)
    else:
        skipped = set[str]()
    areas: dict[str, list[_RuleTest]] = {}
    for code, test in tests.items():
        areas.setdefault(code.partition("-")[0], []).append(test)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    name = fill("readback check {workspace}", workspace=audit.workspace)
    yield f"<testsuites{_format_attributes(name=name, **_count_tests(tests.values(), faults, skipped))}>"
    for area, suite in areas.items():
        name = rules.AREAS.get(area, area)
        yield f" <testsuite{_format_attributes(name=name, **_count_tests(suite, faults, skipped))}>"
        for test in suite:
            yield from _format_junit_test(test, faults.get(test.code), test.code in skipped)
        yield " </testsuite>"
    yield "</testsuites>"


def _count_tests(tests: Collection[_RuleTest], faults: Collection[str], skipped: Collection[str]) -> dict[str, int]:
    """Count each test as what `_format_junit_test` writes."""
    errors = sum(test.code in faults for test in tests)
    failures = sum(test.fails and test.code not in faults for test in tests)
    skips = sum(test.code in skipped and not test.fails and test.code not in faults for test in tests)
    return {"tests": len(tests), "failures": failures, "errors": errors, "skipped": skips}


def _format_junit_test(test: _RuleTest, fault: str | None, skipped: bool) -> Iterator[str]:
    """Yield a test: an error where the rule itself failed, else a failure, skipped, or passed."""
    place = {"file": test.file, "line": test.worst.place.line if test.worst and test.file else None}
    names = {"classname": f"readback.{test.code.partition('-')[0]}", "name": test.code}
    yield f"  <testcase{_format_attributes(**names, **place)}>"
    if fault is not None:
        yield f"   <error{_format_attributes(message=fault, type='error')}/>"
    elif test.fails and test.worst:
        message = _format_failure(test.code, test.n, test.worst)
        yield f"   <failure{_format_attributes(message=message, type=test.worst.severity)}>"
        yield from test.format_output()
        yield "</failure>"
    elif skipped:
        message = "A sample is not enough for this rule, so it was not applied."
        yield f"   <skipped{_format_attributes(message=message)}/>"
    if test.n and (fault is not None or not test.fails):
        yield "   <system-out>"
        yield from test.format_output()
        yield "</system-out>"
    yield "  </testcase>"


def _format_failure(code: str, n: int, worst: Finding) -> str:
    rule = rules.RULES().get(code)
    title = rule.title if rule else code
    if n == 1:
        return f"{title} {worst.message}"
    return fill(
        "{title} {n:,} {n:finding|findings}; the first of the worst: {first}", title=title, n=n, first=worst.message
    )


def _format_attributes(**attributes: str | int | None) -> str:
    return "".join(
        f' {name}="{_escape_attribute(str(value))}"' for name, value in attributes.items() if value is not None
    )


def _escape_attribute(text: str) -> str:
    """Return a text in quotation marks; what a reader would make a blank of is written by its number."""
    return _escape_xml(text).replace("\t", "&#9;").replace("\n", "&#10;")


def _escape_xml(text: str) -> str:
    """Return a text of characters that XML 1.0 has; others are spelled out, as everywhere on the command line."""
    return escape("".join(char if _is_in_xml(char) else f"\\u{ord(char):04x}" for char in lines.make_safe(text)))


def _is_in_xml(char: str) -> bool:
    return not ("\ud800" <= char <= "\udfff" or char in "\ufffe\uffff")


# SARIF


def format_sarif(
    findings: Iterable[Finding],
    get_audit: Callable[[], Audit],
    locate: Callable[[str], str],
    recognised: Iterable[Recognised] = (),
) -> Iterator[str]:
    """Yield a SARIF log line by line: a result for each finding as it comes, then what is known when all have come.

    `get_audit` returns the summary once `findings` has ended; `locate` turns a file of the workspace into one of the
    repository. Each file of the workspace is an artifact, with what it is taken for or why it is not used.

    Texts are written as they are: a message of ours has no arguments, so a brace in it is a brace. (The standard would
    have it doubled, and the programs that show these files would then show it doubled.)
    """
    numbers: dict[str, int] = {}
    yield f'{{"$schema": {as_json.dumps(SARIF_SCHEMA)}, "version": "2.1.0", "runs": [{{"results": ['
    comma = ""
    for finding in findings:
        number = numbers.setdefault(finding.code, len(numbers))
        yield comma + as_json.dumps(_build_result(finding, number, locate))
        comma = ","
    run = _build_run(get_audit(), numbers)
    artifacts = [_build_artifact(file, locate) for file in list_files(recognised)]
    if artifacts:
        run["artifacts"] = artifacts
    rest = as_json.dumps(run)
    yield f"], {rest[1:]}]}}"


def _build_artifact(file: Recognised, locate: Callable[[str], str]) -> dict[str, Any]:
    if file.used:
        text = f"{file.path}: {file.what}"
    else:
        text = f"{file.path}: {file.what}, not used"
    if file.detail:
        text += f" ({file.detail})"
    return {
        "location": {"uri": _format_uri(locate(file.path)), "uriBaseId": BASE},
        "description": {"text": text},
        "properties": {"what": file.what, "used": file.used, "count": file.count, "looks": file.looks},
    }


def _build_run(audit: Audit, codes: Iterable[str]) -> dict[str, Any]:
    """Return all of a run but its results."""
    properties: dict[str, Any] = {"workspace": audit.workspace, "known": audit.in_baseline}
    if audit.sample:
        sample = audit.sample
        properties["sample"] = {"drawn": sample.drawn, "of": sample.total, "seed": sample.seed}
    invocation: dict[str, Any] = {"executionSuccessful": not audit.faults}
    if audit.faults:
        invocation["toolExecutionNotifications"] = [_build_notification(fault) for fault in audit.faults]
    base = "The top folder of the git repository, or the folder of the workspace where it is in none."
    return {
        "tool": {
            "driver": {"name": "Readback", "version": __version__, "rules": [_build_rule(code) for code in codes]}
        },
        "invocations": [invocation],
        "originalUriBaseIds": {BASE: {"description": {"text": base}}},
        "columnKind": "unicodeCodePoints",
        "properties": properties,
    }


def _build_rule(code: str) -> dict[str, Any]:
    rule = rules.RULES().get(code)
    if rule is None:  # our mistake, and no reason to hold findings back
        return {"id": code}
    texts = rule_pages.describe_rule(rule)
    explanation = "\n\n".join(part for part in (texts["why"], texts["how"]) if part)
    area = code.partition("-")[0]
    return {
        "id": code,
        "shortDescription": {"text": texts["title"]},
        "fullDescription": {"text": texts["what"] or texts["title"]},
        "help": {"text": explanation or texts["fix"] or texts["title"]},
        "defaultConfiguration": {"level": SARIF_LEVELS[rule.severity]},
        "properties": {
            "tags": [rules.AREAS.get(area, area)],
            "problem.severity": PROBLEM_SEVERITIES[rule.severity],
        },
    }


def _build_result(finding: Finding, number: int, locate: Callable[[str], str]) -> dict[str, Any]:
    return {
        "ruleId": finding.code,
        "ruleIndex": number,
        "level": SARIF_LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_build_location(finding.place, locate)],
        "partialFingerprints": {FINGERPRINT: finding.key},
        "properties": {"fix": finding.fix, "place": as_json.known_place_to_json(finding.place)},
    }


def _build_location(place: Location, locate: Callable[[str], str]) -> dict[str, Any]:
    """Return where a finding is; what is in no file is in the workspace's folder.

    A place's `start` and `end` count in a message and not in the file, so they are no region of it: they are in the
    name of the logical location, and in the result's properties.
    """
    physical: dict[str, Any] = {"artifactLocation": {"uri": _format_uri(locate(place.file or "")), "uriBaseId": BASE}}
    if place.line is not None:
        physical["region"] = {"startLine": place.line}
        if place.column is not None:
            physical["region"]["startColumn"] = place.column
    location: dict[str, Any] = {"physicalLocation": physical}
    subject = lines.describe_location(place)
    if subject:
        location["logicalLocations"] = [{"fullyQualifiedName": subject}]
    return location


def _format_uri(file: str) -> str:
    """Return a file's path as a reference by RFC 3986: any byte that may not stand there by its number."""
    try:
        raw = os.fsencode(file)
    except UnicodeEncodeError:
        raw = file.encode("utf-8", "surrogatepass")
    return quote(raw, safe="/")


def _build_notification(fault: Fault) -> dict[str, Any]:
    text = f"{plugins.attribute_mistake(fault.rule)}: rule {fault.rule} failed: {fault.error}"
    return {"level": "error", "message": {"text": text}, "associatedRule": {"id": fault.rule}}

"""Findings as SARIF 2.1.0, which code scanning and editors read.

Texts are written as they are: a message of ours has no arguments, so a brace in it is a brace. (The standard would have
it doubled, and the programs that show these files would then show it doubled.)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from readback import __version__, as_json, plugins
from readback.checks import rules, rules_page
from readback.checks.rules import Fault
from readback.checks.summary import Audit
from readback.cli import _lines
from readback.cli._sentence import fill
from readback.types import Finding, Location, Recognised, Severity
from readback.workspace.left_out import each_file

SENTENCES_CHECK = {
    "recognised": "{file}: {what}",
    "recognised_unused": "{file}: {what}, not used",
}

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVEL: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
PROBLEM: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "recommendation"}
FINGERPRINT = "readbackKey/v1"
BASE = "%SRCROOT%"


def lines(
    found: Iterable[Finding],
    audit: Callable[[], Audit],
    file: Callable[[str], str],
    recognised: Iterable[Recognised] = (),
) -> Iterator[str]:
    """The log in pieces, each a line: a result for every finding as it comes, then what is known when all have come.

    `audit` answers the summary once `found` has ended; `file` turns a file of the workspace into one of the repository.
    Each file of the workspace is an artifact, with what it is taken for or why it is not used.
    """
    numbers: dict[str, int] = {}
    yield f'{{"$schema": {as_json.dumps(SCHEMA)}, "version": "2.1.0", "runs": [{{"results": ['
    comma = ""
    for one in found:
        number = numbers.setdefault(one.code, len(numbers))
        yield comma + as_json.dumps(_result(one, number, file))
        comma = ","
    artifacts = [_artifact(one, file) for one in each_file(recognised)]
    rest = as_json.dumps({**_run(audit(), numbers), **({"artifacts": artifacts} if artifacts else {})})
    yield f"], {rest[1:]}]}}"


def _artifact(one: Recognised, file: Callable[[str], str]) -> dict[str, Any]:
    detail = f" ({one.detail})" if one.detail else ""
    kind = "recognised" if one.used else "recognised_unused"
    about = {"what": one.what, "used": one.used, "count": one.count, "looks": one.looks}
    return {
        "location": {"uri": _uri(file(one.path)), "uriBaseId": BASE},
        "description": {"text": fill(SENTENCES_CHECK[kind], file=one.path, what=one.what) + detail},
        "properties": about,
    }


def _run(audit: Audit, codes: Iterable[str]) -> dict[str, Any]:
    """All of a run but its results."""
    about: dict[str, Any] = {"workspace": audit.workspace, "known": audit.known}
    if audit.sample:
        about["sample"] = {name: getattr(audit.sample, name) for name in ("drawn", "of", "seed")}
    invocation: dict[str, Any] = {"executionSuccessful": not audit.faults}
    if audit.faults:
        invocation["toolExecutionNotifications"] = list(map(_notification, audit.faults))
    return {
        "tool": {"driver": {"name": "Readback", "version": __version__, "rules": list(map(_rule, codes))}},
        "invocations": [invocation],
        "originalUriBaseIds": {
            BASE: {
                "description": {
                    "text": "The top folder of the git repository, or the folder of the workspace where it is in none."
                }
            }
        },
        "columnKind": "unicodeCodePoints",
        "properties": about,
    }


def _rule(code: str) -> dict[str, Any]:
    rule = rules.RULES().get(code)
    if rule is None:  # our mistake, and no reason to keep back what was found
        return {"id": code}
    said = rules_page.described(rule)
    more = "\n\n".join(part for part in (said["why"], said["how"]) if part)
    area = code.partition("-")[0]
    return {
        "id": code,
        "shortDescription": {"text": said["title"]},
        "fullDescription": {"text": said["what"] or said["title"]},
        "help": {"text": more or said["fix"] or said["title"]},
        "defaultConfiguration": {"level": LEVEL[rule.severity]},
        "properties": {"tags": [rules.AREAS.get(area, area)], "problem.severity": PROBLEM[rule.severity]},
    }


def _result(found: Finding, number: int, file: Callable[[str], str]) -> dict[str, Any]:
    return {
        "ruleId": found.code,
        "ruleIndex": number,
        "level": LEVEL[found.severity],
        "message": {"text": found.message},
        "locations": [_location(found.place, file)],
        "partialFingerprints": {FINGERPRINT: found.key},
        "properties": {"fix": found.fix, "place": as_json.known_place_to_json(found.place)},
    }


def _location(at: Location, file: Callable[[str], str]) -> dict[str, Any]:
    """Where a finding is. What is of no file is of the workspace's folder.

    A place's `start` and `end` count in a message and not in the file, so they are no region of it: they are in the
    name of the logical location, and in the result's properties.
    """
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file(at.file or "")), "uriBaseId": BASE}}
    if at.line is not None:
        region = {"startLine": at.line, "startColumn": at.column}
        physical["region"] = {name: value for name, value in region.items() if value is not None}
    about = _lines.about(at)
    logical = {"logicalLocations": [{"fullyQualifiedName": about}]} if about else {}
    return {"physicalLocation": physical, **logical}


def _uri(file: str) -> str:
    """A file's path as a reference by RFC 3986: any byte that may not stand there by its number."""
    try:
        raw = os.fsencode(file)
    except UnicodeEncodeError:
        raw = file.encode("utf-8", "surrogatepass")
    return quote(raw, safe="/")


def _notification(fault: Fault) -> dict[str, Any]:
    said = fill(
        "{whose}: rule {rule} failed: {error}",
        whose=plugins.attribute_mistake(fault.rule),
        rule=fault.rule,
        error=fault.error,
    )
    return {"level": "error", "message": {"text": said}, "associatedRule": {"id": fault.rule}}

"""Report what took more than its limits: a record under a choice, or all that is left of a choice."""

from __future__ import annotations

from collections.abc import Iterator

from readback import sandbox
from readback.checks import rules
from readback.prompts.assemble import assemble
from readback.prompts.children import Replies
from readback.records.dataset import Dataset
from readback.types import Assembly, Diagnostic, Finding, Record, RuleContext, Selection, Workspace

CODE = "dat-limit"


def report_record(
    opened: Workspace, data: Dataset, index: int, choice: Selection | None, stopped: sandbox.Stopped
) -> Iterator[Finding]:
    """Yield the findings of a record that stopped its child: those of `render` where a part exceeds its own limit."""
    if choice:
        findings = list(_preview(opened, data, index, choice))
    else:
        findings = []
    if findings:
        yield from findings
        return
    place = data.place(index)
    if choice:
        assembly = Assembly(choice, place.record, index, (), "")
    else:
        assembly = None
    diagnostic = Diagnostic(CODE, {"what": "this record", "limit": stopped.detail}, flagged=stopped.kind)
    record = Record(place.record, {}, place, again=data.is_repeated(index))
    yield rules.build_case_finding(diagnostic, RuleContext(opened, record, assembly))


def report_choice(opened: Workspace, choice: Selection, what: str, limit: str) -> Finding:
    """Return the finding that a choice is given up."""
    diagnostic = Diagnostic(CODE, {"what": what, "limit": limit}, flagged="given up")
    return rules.build_case_finding(diagnostic, RuleContext(opened, None, Assembly(choice, None, None, (), "")))


def _preview(opened: Workspace, data: Dataset, index: int, choice: Selection) -> Iterator[Finding]:
    """Yield what exceeds its limits when the record is assembled as for a page, each template in its own child."""
    record = data.record(index)
    assembly = assemble(opened, record, choice, Replies(opened).get(choice, record))
    for diagnostic in assembly.diagnostics:
        if diagnostic.code == CODE:
            yield rules.build_case_finding(diagnostic, RuleContext(opened, record, assembly))

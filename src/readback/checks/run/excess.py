"""The findings about what took more than its limits: a record under a choice, or all that is left of a choice."""

from __future__ import annotations

from collections.abc import Iterator

from readback import sandbox
from readback.checks import rules
from readback.prompts.assemble import assemble
from readback.prompts.children import Replies
from readback.records.dataset import Dataset
from readback.types import Assembly, Diagnostic, Finding, Record, RuleContext, Selection, Workspace

CODE = "dat-limit"


def of_record(
    opened: Workspace, data: Dataset, index: int, choice: Selection | None, stopped: sandbox.Stopped
) -> Iterator[Finding]:
    """What is said of a record that stopped its child: what `render` says, where a part of it exceeds its own limit."""
    hits = list(_previewed(opened, data, index, choice)) if choice else []
    place = data.place(index)
    made = Assembly(choice, place.record, index, (), "") if choice else None
    diagnostic = Diagnostic(CODE, {"what": "this record", "limit": stopped.detail}, flagged=stopped.kind)
    record = Record(place.record, {}, place, again=data.is_repeated(index))
    yield from hits or [rules.build_case_finding(diagnostic, RuleContext(opened, record, made))]


def given_up(opened: Workspace, choice: Selection, what: str, limit: str) -> Finding:
    """That a choice is looked at no more."""
    diagnostic = Diagnostic(CODE, {"what": what, "limit": limit}, flagged="given up")
    return rules.build_case_finding(diagnostic, RuleContext(opened, None, Assembly(choice, None, None, (), "")))


def _previewed(opened: Workspace, data: Dataset, index: int, choice: Selection) -> Iterator[Finding]:
    """What exceeds its limits when the record is assembled as for a page, each template in a child of its own."""
    record = data.record(index)
    made = assemble(opened, record, choice, Replies(opened).get(choice, record))
    yield from (
        rules.build_case_finding(diagnostic, RuleContext(opened, record, made))
        for diagnostic in made.diagnostics
        if diagnostic.code == CODE
    )

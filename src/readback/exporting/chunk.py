"""Write, in a bounded child, the lines of a range of records under some selections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readback import sandbox
from readback.checks import rules
from readback.exporting import lines
from readback.exporting.lines import Line
from readback.exporting.selections import find_prompt_name
from readback.exporting.tool_lines import format_tool_line
from readback.prompts import children
from readback.prompts.assemble import assemble
from readback.prompts.children import warm as warm
from readback.prompts.judge_messages import lacks_answer
from readback.types import Assembly, Record, RuleContext, Selection, Workspace

WORK = "readback.exporting.chunk:export_chunk"
FRAME_SIZE = 1 << 20  # characters of lines after which a frame is sent, however few records are in it
SEVERITIES = ("error", "warning", "info")  # the worst first
NO_ANSWER = "jdg-no-answer"
UNANSWERED = "there is no answer that the judge could be asked about"
NOTHING = "nothing was assembled, and nothing says why"


@children.stop_when_changed
def export_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a frame for some records: {"first", "next", "lines", "failed", "masked", "wording"}.

    `lines` are in their order, records outside and selections inside; `failed` are the positions of those without
    messages; `masked` counts lines, `wording` lines by adapter.
    """
    inside, form = children.enter(work), work["form"]
    requests = {Selection(**selection): (model, settings) for selection, model, settings in work["requests"]}
    prompts = {selection: find_prompt_name(inside.opened, selection) for selection in inside.choices}
    first, size, frame_lines = inside.start, 0, list[Line]()
    for record in inside.records():
        index = record.place.index or 0
        for number, selection in enumerate(inside.choices):
            if number:
                sandbox.beat()  # each has the time of a record; that of the first has just begun
            answer = inside.replies.get(selection, record)
            assembly = assemble(inside.opened, record, selection, answer, origins=False)
            # A judge that is asked about nothing would still give scores.
            if assembly.messages and not lacks_answer(assembly, answer):
                model, settings = requests.get(selection, ("", lines.NO_SETTINGS))
                if form in lines.TOOL_FORMS:
                    line = format_tool_line(form, assembly, record, index, model, settings, prompts[selection])
                else:
                    line = lines.format_line(form, assembly, index, model, settings, prompts[selection])
            else:
                code, message = explain_failure(inside.opened, record, assembly)
                line = lines.format_failure(index, record.id, selection, code, message, prompts[selection])
            frame_lines.append(line)
            size += len(line.text)
        if index + 1 - first >= inside.batch or size > FRAME_SIZE:
            yield _build_frame(first, index + 1, frame_lines)
            first, size, frame_lines = index + 1, 0, []
    if frame_lines:
        yield _build_frame(first, first + len(frame_lines) // len(inside.choices), frame_lines)


def explain_failure(workspace: Workspace, record: Record, assembly: Assembly) -> tuple[str, str]:
    """Return code and sentence of why a record was not assembled: no answer to judge, else its worst finding."""
    case = RuleContext(workspace, record, assembly)
    findings = [rules.build_case_finding(diagnostic, case) for diagnostic in assembly.diagnostics]
    worst = min(
        findings,
        key=lambda finding: (finding.code != NO_ANSWER, SEVERITIES.index(finding.severity)),
        default=None,
    )
    # With messages, the prompt does not ask for the answer itself.
    if assembly.messages and (worst is None or worst.code != NO_ANSWER):
        return NO_ANSWER, UNANSWERED
    if worst:
        return (worst.code, worst.message)
    return ("dat-limit", NOTHING)


def _build_frame(first: int, end: int, frame_lines: Sequence[Line]) -> dict[str, Any]:
    wording = Counter(name for line in frame_lines for name in line.wording)
    return {
        "first": first,
        "next": end,
        "lines": [line.text for line in frame_lines],
        "failed": [number for number, line in enumerate(frame_lines) if line.failed],
        "masked": sum(line.masked for line in frame_lines),
        "wording": dict(wording),
    }

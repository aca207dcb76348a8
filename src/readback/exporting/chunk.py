"""In a bounded child: the lines of a range of records under some choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readback import sandbox
from readback.checks import rules
from readback.exporting import lines
from readback.exporting.lines import Line
from readback.prompts import children
from readback.prompts.assemble import assemble
from readback.prompts.children import warm as warm
from readback.prompts.judge_messages import lacks_answer
from readback.types import Assembly, Record, RuleContext, Selection, Workspace

WORK = "readback.exporting.chunk:export_chunk"
TEXT = 1 << 20  # characters of lines after which a frame is sent, however few records are in it
WORST = ("error", "warning", "info")
NO_ANSWER = "jdg-no-answer"
UNANSWERED = "there is no answer that the judge could be asked about"
NOTHING = "nothing was assembled, and nothing says why"


@children.stop_when_changed
def export_chunk(work: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A frame for some records: {"first", "next", "lines", "failed", "masked", "wording"}.

    `lines` are in their order, records outside and choices inside; `failed` are the places in it of those without
    messages; `masked` counts lines, `wording` lines by adapter.
    """
    inside, form = children.enter(work), work["form"]
    requests = {Selection(**choice): (model, settings) for choice, model, settings in work["requests"]}
    first, size, made = inside.start, 0, list[Line]()
    for record in inside.records():
        at = record.place.index or 0
        for number, choice in enumerate(inside.choices):
            if number:
                sandbox.beat()  # each has the time of a record; the first one's has just begun
            reply = inside.replies.get(choice, record)
            sent = assemble(inside.opened, record, choice, reply, origins=False)
            if sent.messages and not lacks_answer(
                sent, reply
            ):  # a judge that is asked about nothing would still give scores
                one = lines.line(form, sent, at, *requests.get(choice, ("", lines.NO_SETTINGS)))
            else:
                one = lines.failed(at, record.id, choice, *why(inside.opened, record, sent))
            made.append(one)
            size += len(one.text)
        if at + 1 - first >= inside.batch or size > TEXT:
            yield _frame(first, at + 1, made)
            first, size, made = at + 1, 0, []
    if made:
        yield _frame(first, first + len(made) // len(inside.choices), made)


def why(opened: Workspace, record: Record, made: Assembly) -> tuple[str, str]:
    """Code and sentence of what kept a record from being assembled: no answer to judge, else its worst finding."""
    case = RuleContext(opened, record, made)
    found = [rules.noted(diagnostic, case) for diagnostic in made.diagnostics]
    worst = min(found, key=lambda one: (one.code != NO_ANSWER, WORST.index(one.severity)), default=None)
    if made.messages and (worst is None or worst.code != NO_ANSWER):  # the prompt does not ask for the answer itself
        return NO_ANSWER, UNANSWERED
    return (worst.code, worst.message) if worst else ("dat-limit", NOTHING)


def _frame(first: int, beyond: int, made: Sequence[Line]) -> dict[str, Any]:
    wording = Counter(name for one in made for name in one.wording)
    return {
        "first": first,
        "next": beyond,
        "lines": [one.text for one in made],
        "failed": [number for number, one in enumerate(made) if one.failed],
        "masked": sum(one.masked for one in made),
        "wording": dict(wording),
    }

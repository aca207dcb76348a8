"""One message says the same block twice.

A paragraph of 8 words or more appears twice in one message, or a stretch of 12 words or more follows itself; blanks,
capitals and punctuation do not matter. Both places are named, with what wrote them. What records bring is left alone:
a field printed twice, retrieved contexts, the words around each item of a loop. System text that was folded into a
user message which says it anyway is told by fmt-system-text-in-user.

It is how an instruction registered twice shows, or adapter text that two steps append: nobody meant it, it costs
tokens, and the model may take the repeated demand for the most important one.

Take one of the two out: of the template, the adapter's list for this task, the user instruction or the stored prompt.
"""

from collections.abc import Iterator

from readback.rules._blocks import Twice, twice
from readback.rules._leaks import OWN, folded, leaks
from readback.rules._outside_contexts import STORED, in_message
from readback.rules._overlap import blanked
from readback.types import Diagnostic, Location, Message, RuleContext, Segment

CODE = "asm-duplicate-block"
SEVERITY = "warning"
ON = "assembly"
SENTENCE = (
    "the {role} message says the same {words} words twice, at characters {first} ({first_by}) and {again} "
    "({again_by}): {text}"
)
FIX = "take one of the two out"
_NOTE = "Leave a field empty where the text does not say what belongs there."
_FILES = {
    "readback.yml": 'tasks: {parsing: {system: "Extract.", user: "%s"}}\nadapters: [house.yml]\ndataset: data.jsonl\n',
    "data.jsonl": '{"id": "1", "answer": "Nets are handed in on Mondays, washed and cut to lengths of two metres."}\n',
}
PASS = (
    {
        "readback.yml": _FILES["readback.yml"]
        % "{{ answer }}\\n\\nOnce more:\\n\\n{{ answer }}\\n\\nBe brief.\\n\\nBe brief.",
        "data.jsonl": _FILES["data.jsonl"],
        "house.yml": f'tasks: {{parsing: {{system: "{_NOTE}"}}}}\n',
    },
)
FAIL = (
    {
        "readback.yml": _FILES["readback.yml"] % "{{ answer }}",
        "data.jsonl": _FILES["data.jsonl"],
        "house.yml": f'tasks: {{parsing: [{{system: "{_NOTE}"}}, {{system: "{_NOTE}"}}]}}\n',
    },
    {
        "readback.yml": _FILES["readback.yml"] % f"{_NOTE}\\n\\n{{{{ answer }}}}",
        "data.jsonl": _FILES["data.jsonl"],
        "house.yml": f'tasks: {{parsing: {{user: "{_NOTE.upper()}"}}}}\n',
    },
)

DATA = ("variable", "default", "unknown")


def check(case: RuleContext) -> Iterator[Diagnostic]:
    fields = case.record.fields if case.record else {}
    for message in case.assembly.messages if case.assembly else ():
        contexts = in_message(message, fields)
        found = [one for one in twice(blanked(message.text, contexts)) if _meant_once(message, one)]
        if found and message.role == "user":
            told = leaks(case, message.text, folded(case, message), contexts)
            spans = [(leak.start, leak.end) for leak in told if not leak.inside]
            found = [one for one in found if not any(_within(place, spans) for place in one[:2])]
        yield from (_diagnostic(message, one) for one in found)


def _diagnostic(message: Message, one: Twice) -> Diagnostic:
    (start, end), (a, b) = one.again, one.first
    text = message.text[start:end]
    values = {
        "role": message.role,
        "words": one.words,
        "first": f"{a}–{b}",
        "first_by": _by(_segment(message, a)[1]),
        "again": f"{start}–{end}",
        "again_by": _by(_segment(message, start)[1]),
        "text": text,
    }
    return Diagnostic(CODE, values, Location(role=message.role, start=start, end=end), text)


def _meant_once(message: Message, one: Twice) -> bool:
    """Whether neither data that comes twice nor a loop made the second."""
    (first_at, first), (again_at, again) = _segment(message, one.first[0]), _segment(message, one.again[0])
    stored = first.name in STORED and first_at == again_at
    if first.origin in DATA and again.origin in DATA and not stored:
        return False
    looped = first_at != again_at and first.origin in OWN and first.place.file and first.place == again.place
    return not looped


def _segment(message: Message, at: int) -> tuple[int, Segment]:
    """The segment in which a character stands, with its number."""
    end = 0
    for number, segment in enumerate(message.segments):
        end += len(segment.text)
        if at < end:
            return number, segment
    return len(message.segments), message.segments[-1]


def _by(segment: Segment) -> str:
    return f"{segment.origin} {segment.name}" if segment.name else segment.origin


def _within(place: tuple[int, int], spans: list[tuple[int, int]]) -> bool:
    return any(start <= place[0] and place[1] <= end + 1 for start, end in spans)

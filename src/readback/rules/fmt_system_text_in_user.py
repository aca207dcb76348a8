"""System text stands inside the user message.

A user message, or a stored prompt, repeats a system message of the workspace: of a model's training, a Modelfile, a
mode or the prompt formats themselves. Capitals and blanks do not matter. A whole text or a whole sentence of it
counts; one below 20 characters must be a sentence of its own; 8 words in a row that make no sentence are a warning.
Retrieved contexts may say what they like: a hit inside one is for information only.

The serving side puts the system message in front by itself. A model that gets it twice, or gets another model's,
is not the model that was trained, and two conditions that differ in this cannot be compared.

Take the text out of the template or the stored prompt, and leave it to the system message.
"""

from collections.abc import Iterator, Sequence

from readback.rules import _stored
from readback.rules._outside_contexts import in_message, in_stored
from readback.rules._overlap import Hit, blanked, normal, overlaps
from readback.types import Case, Message, Note, Place, Severity, SystemText

CODE = "fmt-system-text-in-user"
SEVERITY = "error"
ON = ("assembly", "record")
SENTENCE = "the user message repeats system text: {text} (stated by {stated})"
FIX = "take the text out of the user message; the system message already carries it"
_DATA = "dataset: data.jsonl\n"
PASS = (
    {
        "readback.yml": _DATA
        + "modes: [{mode: short, system: 'Be brief and precise.', template: 'Q: {{ question }}'}]\n",
        "data.jsonl": '{"id": "1", "question": "Must an answer be brief?"}\n',
    },
    {
        "readback.yml": _DATA + "modes: [{mode: plain, system: 'You are an assistant.', template: '{{ question }}'}]\n",
        "data.jsonl": '{"id": "1", "question": "You are an assistant manager. What do you earn?"}\n',
    },
)
FAIL = (
    {
        "readback.yml": _DATA + "modes: [{mode: short, system: 'Be brief.', template: 'Be  BRIEF. {{ question }}'}]\n",
        "data.jsonl": '{"id": "1", "question": "Why?"}\n',
    },
    {
        "data.jsonl": '{"task_id": "1", "instruction": "Why?", "rag": {"contexts": ["[1] So."], "prompt": '
        '"You are a research paper assistant. Context:\\n[1] So.\\n\\nQuestion: Why?\\nAnswer:"}}\n'
    },
)

STATED = 3  # places that a finding names; more say nothing new
OWN = ("system", "task", "template", "variable", "default", "unknown")  # a system message without what is appended


def check(case: Case) -> Iterator[Note]:
    if case.assembly:
        known = () if case.assembly.choice.judge else case.workspace.system_texts
        texts = [*known, *(own for own in _own(case) if all(own.text != one.text for one in known))]
        fields = case.record.fields if case.record else {}
        for message in case.messages("user"):
            text = blanked(message.text, _folded(case, message))
            contexts = in_message(message, fields)
            yield from _notes(text, contexts, texts, Place(role="user"))
    elif case.record and _stored.unsent(case.workspace) and (stored := _stored.prompt(case.record.fields)):
        name, text = stored
        yield from _notes(text, in_stored(text, case.record.fields), case.workspace.system_texts, Place(field=name))


def _notes(text: str, contexts: Sequence[tuple[int, int]], texts: Sequence[SystemText], at: Place) -> Iterator[Note]:
    """Hits outside contexts first; then, for information, those inside."""
    sources = [stated.text for stated in texts]
    for hit in overlaps(blanked(text, contexts), sources):
        yield _note(text, hit, texts, at, "warning" if hit.part else None)
    for start, end in contexts:
        inner = overlaps(text[start:end], sources)
        for hit in (Hit(start + hit.start, start + hit.end, hit.which) for hit in inner if not hit.part):
            yield _note(text, hit, texts, at, "info")


def _note(text: str, hit: Hit, texts: Sequence[SystemText], at: Place, severity: Severity | None) -> Note:
    flagged, found = text[hit.start : hit.end], normal(texts[hit.which].text)
    stated = dict.fromkeys(_where(stated) for stated in texts if normal(stated.text) == found)
    values = {"text": flagged, "stated": list(stated)[:STATED], "whole": not hit.part}
    place = Place(role=at.role, field=at.field, start=hit.start, end=hit.end)
    return Note(CODE, values, place, flagged, severity)


def _where(stated: SystemText) -> str:
    """What states a system text: its kind, whose it is, its file and line."""
    at = stated.place
    line = f"{at.file}:{at.line}" if at.file and at.line else at.file
    return " ".join(part for part in (stated.source, stated.name, line and f"({line})") if part)


def _own(case: Case) -> Iterator[SystemText]:
    """The assembly's own system message; what adapters and user instructions appended to it is left out."""
    for message in case.messages("system"):
        base = "".join(segment.text for segment in message.segments if segment.origin in OWN)
        first = next((segment.place for segment in message.segments if segment.origin in OWN), Place())
        yield SystemText(base, "configuration", first, "of this message")


def _folded(case: Case, message: Message) -> Iterator[tuple[int, int]]:
    """Where the system text was folded into the user message, for want of a system role: that is no leak."""
    notes = case.assembly.notes if case.assembly else ()
    yield from ((0, note.place.end or 0) for note in notes if note.code == "asm-system-folded")
    start = 0
    for segment in message.segments:
        end = start + len(segment.text)
        if segment.origin in ("system", "joiner"):
            yield start, end
        start = end

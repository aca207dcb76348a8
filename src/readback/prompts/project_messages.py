"""Build the messages of a mode that is a prompt of another tool's project, as that tool writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from readback import sandbox
from readback.message_parts import text_of, whole_message
from readback.projects import promptfoo
from readback.projects.child_answers import import_messages
from readback.projects.model import RenderedMessages, TextSegment
from readback.readers import project_rows, task_rows
from readback.types import Diagnostic, Location, Message, Prompt, Record, Segment, Severity

# What renders a row of each tool, in the bounded child.
TOOLS = (
    "promptfoo",
    "langchain",
    "prompty",
    "banks",
    "dotprompt",
    "haystack",
    "llamaindex",
    "langfuse",
    "mlflow-prompts",
    "lm_eval",
    "semantic-kernel",
)
WORKS = {tool: f"readback.projects.{tool.replace('-', '_')}:render_row" for tool in TOOLS}
# What the reader of each tool's rows adds to them: the number, and what rendering needs besides.
ADDED = {"promptfoo": (project_rows.ID, project_rows.ROW), "lm_eval": (task_rows.ID, task_rows.ROW)}
REFUSED, NOT_RUN, HIDDEN = "asm-project-row", "asm-project-not-run", "asm-project-not-shown"
NOT_ASSEMBLED = "asm-library-wording"
EMPTY = "the prompt is empty once it is rendered"


def build_project_messages(
    prompt: Prompt, record: Record, provider: str | None = None
) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """Return the messages for a record, or the diagnostic that says why the tool sends none.

    `provider` is the one that the prompt is for, where it is for one: a row may be kept from it.
    """
    settings = dict(prompt.project or {})
    if reason := settings.get("not_assembled"):
        return (), (Diagnostic(NOT_ASSEMBLED, {"mode": prompt.mode, "reason": reason}, prompt.place, prompt.mode),)
    tool = settings.get("tool", promptfoo.TOOL)
    added = ADDED.get(tool, ())
    if added:
        row = record.fields.get(added[-1])
    else:
        row = None
    about: Mapping[str, Any] = row if isinstance(row, Mapping) else {}
    if tool == promptfoo.TOOL:
        about = about.get("settings", {})
        if provider in about.get("kept_from", ()):
            values = {"mode": prompt.mode, "where": f"to {provider} for this row"}
            return (), (Diagnostic(NOT_RUN, values, prompt.place, prompt.mode),)
    fields = {name: value for name, value in record.fields.items() if name not in added}
    try:
        answer = sandbox.call(WORKS[tool], [settings, dict(about), fields])
    except sandbox.Stopped as stopped:
        values = {"what": f"{stopped.kind} for rendering the prompt", "limit": stopped.detail}
        return (), (Diagnostic("dat-limit", values, prompt.place),)
    rendered = import_messages(answer)
    is_blank = record.id is None and not record.fields  # there is no dataset, so nothing is wrong with a row
    notes = tuple(
        Diagnostic(note["code"], note["values"], prompt.place, note["values"]["field"], note["severity"])
        for note in rendered.notes
        if not is_blank
    )
    if not rendered.applies:
        values = {"mode": prompt.mode, "where": "for this row"}
        return (), (Diagnostic(NOT_RUN, values, prompt.place, prompt.mode),)
    if rendered.hidden is not None:
        return (), (Diagnostic(HIDDEN, {"reason": rendered.hidden}, prompt.place, prompt.mode),)
    if rendered.error is not None or rendered.messages == ():
        severity: Severity | None = "info" if is_blank else None
        reason = rendered.error or EMPTY
        return (), (Diagnostic(REFUSED, {"reason": reason}, prompt.place, prompt.mode, severity), *notes)
    return _make_messages(rendered, prompt.place), notes


def _make_messages(rendered: RenderedMessages, place: Location) -> tuple[Message, ...]:
    if rendered.messages is None:
        text = rendered.text or ""
        return (Message("prompt", _make_segments(rendered.segments[:1], text, place)),)
    messages = []
    for number, message in enumerate(rendered.messages):
        content = message.get("content")
        if isinstance(content, str):
            text = content
        else:
            text = _join_texts(content)
        segments = _make_segments(rendered.segments[number : number + 1], text, place)
        if "role" in message:
            role = str(message["role"])
            messages.append(Message(role, segments, whole_message(message, role)))
        else:  # what a tool sends among messages and is none
            messages.append(Message(str(message.get("type", "")), segments, dict(message)))
    return tuple(messages)


def _join_texts(content: Any) -> str:
    """Return the texts of a content that is a list of parts, joined by a line feed."""
    if isinstance(content, list):
        texts = [text_of(part) for part in content]
    else:
        texts = []
    return "\n".join(text for text in texts if text is not None)


def _make_segments(traced: Sequence[Sequence[TextSegment]], text: str, place: Location) -> tuple[Segment, ...]:
    """Return the segments of a text as they were traced, where they join to it, else as one of the template."""
    segments = tuple(
        Segment(part.text, part.origin, part.variable, place if part.variable is None else Location())
        for parts in traced
        for part in parts
        if part.text
    )
    if "".join([segment.text for segment in segments]) == text:
        return segments
    return (Segment(text, "template", None, place),)

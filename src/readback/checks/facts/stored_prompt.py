"""What rules ask of a dataset row of the prompt formats, and of what is sent from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from readback.records import record_memo, row_fields
from readback.types import Prompt, RuleContext, Values, Workspace

ANSWERS = (*row_fields.REFERENCES, "output", "completion", "target")
NUMBER = re.compile(r"^\s*\[\d+\]\s*")  # what a context may begin with


def prompt(fields: Values) -> tuple[str, str] | None:
    """The field of the stored prompt, and its text."""
    found = row_fields.read_stored_prompt(fields)
    return (found.name, found.value) if found and isinstance(found.value, str) else None


def contexts(fields: Values) -> tuple[str, list[object]] | None:
    """The field of the contexts, and the list; None where the row has no such list."""
    return record_memo.remember(fields, contexts, lambda: _contexts(fields))


def _contexts(fields: Values) -> tuple[str, list[object]] | None:
    found = row_fields.read_contexts(fields)
    return (found.name, found.value) if found and isinstance(found.value, list) else None


def context_texts(fields: Values) -> tuple[str, ...]:
    """The contexts as the builders write them: stripped texts, empty ones left out."""
    return record_memo.remember(fields, context_texts, lambda: _context_texts(fields))


def _context_texts(fields: Values) -> tuple[str, ...]:
    _, found = contexts(fields) or ("", ())
    texts = (str(context).strip() for context in found if context is not None)
    return tuple(text for text in texts if text)


def bare(context: str) -> str:
    """A context without the number in front of it, which belongs to the layout of a prompt."""
    return NUMBER.sub("", context, count=1)


def reference(fields: Values) -> tuple[str, str] | None:
    """The field of the reference answer, and its text."""
    found = row_fields.read_reference(fields)
    return (found.name, found.value) if found else None


def answers(fields: Values) -> dict[str, str]:
    """The answers that a row says are right, by the field of each."""
    return {name: text for name in ANSWERS if isinstance(text := fields.get(name), str)}


def paper(fields: Values) -> str:
    """The name of the file the record's question is about; "" where it is not said."""
    metadata = fields.get("metadata")
    return _name(metadata.get("source_path")) if isinstance(metadata, Mapping) else ""


def retrieved(fields: Values) -> list[str]:
    """The names of the files its contexts were taken from, each once."""
    rag = fields.get("rag")
    named = map(_name, _sources(rag)) if isinstance(rag, Mapping) else ()
    return list(dict.fromkeys(name for name in named if name))


def _sources(rag: Mapping[str, Any]) -> Iterator[Any]:
    """What the contexts were taken from: paths with a page behind `#`, or the paths of chunks."""
    listed = rag.get("sources")
    if isinstance(listed, list) and listed:
        yield from listed
        return
    for key in ("retrieved", "citations"):
        chunks = rag.get(key)
        if isinstance(chunks, list) and chunks:
            yield from (chunk.get("source_path") for chunk in chunks if isinstance(chunk, Mapping))
            return


def _name(path: Any) -> str:
    """The name of the file alone: paths of somebody's machine are nobody's business."""
    text = path.partition("#")[0] if isinstance(path, str) else ""
    return text.replace("\\", "/").rstrip("/").rpartition("/")[2]


def unsent(workspace: Workspace) -> bool:
    """True where nothing of the workspace sends a stored prompt, so that rules look at the record itself."""
    builders = (prompt.syntax == "builder" for prompt in workspace.prompts.values())
    return not workspace.conditions and not any(builders)


def sent_by(case: RuleContext) -> tuple[str | None, Prompt | None]:
    """The mode of the case's assembly and its prompt; (None, None) for a judge or a task of its own."""
    choice = case.assembly.choice if case.assembly else None
    if choice is None or choice.judge is not None:
        return None, None
    condition = case.workspace.condition(choice.condition) if choice.condition else None
    mode = choice.mode or (condition.mode if condition else None)
    return mode, case.workspace.prompts.get(mode) if mode else None

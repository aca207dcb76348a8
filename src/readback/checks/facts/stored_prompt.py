"""Read what a dataset row of the prompt formats holds, and find the mode that sends it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from readback.checks.facts.conditions import find_mode, is_for_judge
from readback.records import record_memo
from readback.records.fields import row_fields
from readback.types import Prompt, RuleContext, Values, Workspace

ANSWERS = (*row_fields.REFERENCES, "output", "completion", "target")
NUMBER = re.compile(r"^\s*\[\d+\]\s*")  # what a context may begin with


def find_prompt(fields: Values) -> tuple[str, str] | None:
    """Return the field of the stored prompt and its text; None if the row has none."""
    field = row_fields.read_stored_prompt(fields)
    if field and isinstance(field.value, str):
        return (field.name, field.value)
    return None


def find_contexts(fields: Values) -> tuple[str, list[object]] | None:
    """Return the field of the contexts and the list; None if the row has no such list."""
    return record_memo.remember(fields, find_contexts, lambda: _find_contexts(fields))


def _find_contexts(fields: Values) -> tuple[str, list[object]] | None:
    field = row_fields.read_contexts(fields)
    if field and isinstance(field.value, list):
        return (field.name, field.value)
    return None


def list_context_texts(fields: Values) -> tuple[str, ...]:
    """Return the contexts as the builders write them: stripped, without empty ones."""
    return record_memo.remember(fields, list_context_texts, lambda: _list_context_texts(fields))


def _list_context_texts(fields: Values) -> tuple[str, ...]:
    _, contexts = find_contexts(fields) or ("", ())
    texts = (str(context).strip() for context in contexts if context is not None)
    return tuple(text for text in texts if text)


def remove_number(context: str) -> str:
    """Return a context without the number in front of it, which belongs to the layout of a prompt."""
    return NUMBER.sub("", context, count=1)


def find_row_reference(fields: Values) -> tuple[str, str] | None:
    """Return the field of a row of the prompt formats that holds the reference answer, and its text; None without one.

    The fields are those of `row_fields.REFERENCES`; what a page shows as the reference has more names
    (`ui/results/record_texts.py`).
    """
    field = row_fields.read_reference(fields)
    if field:
        return (field.name, field.value)
    return None


def collect_answers(fields: Values) -> dict[str, str]:
    """Return the answers that a row states as right, by field."""
    return {name: text for name in ANSWERS if isinstance(text := fields.get(name), str)}


def find_source_name(fields: Values) -> str:
    """Return the name of the file that the record's question is about; "" if the row does not state it."""
    metadata = fields.get("metadata")
    if isinstance(metadata, Mapping):
        return _get_file_name(metadata.get("source_path"))
    return ""


def list_retrieved_names(fields: Values) -> list[str]:
    """Return the names of the files that the contexts were taken from, each once."""
    rag = fields.get("rag")
    names = map(_get_file_name, _list_sources(rag)) if isinstance(rag, Mapping) else ()
    return list(dict.fromkeys(name for name in names if name))


def _list_sources(rag: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the paths that the contexts were taken from, of sources (with a page behind `#`), else of chunks."""
    sources = rag.get("sources")
    if isinstance(sources, list) and sources:
        yield from sources
        return
    for key in ("retrieved", "citations"):
        chunks = rag.get(key)
        if isinstance(chunks, list) and chunks:
            yield from (chunk.get("source_path") for chunk in chunks if isinstance(chunk, Mapping))
            return


def _get_file_name(path: Any) -> str:
    """Return the name of a file without its folders, which may be private."""
    if isinstance(path, str):
        text = path.partition("#")[0]
    else:
        text = ""
    return text.replace("\\", "/").rstrip("/").rpartition("/")[2]


def is_unsent(workspace: Workspace) -> bool:
    """Return whether nothing in the workspace sends a stored prompt, so that rules look at the record itself."""
    builders = (prompt.syntax == "builder" for prompt in workspace.prompts.values())
    return not workspace.conditions and not any(builders)


def find_sent_prompt(case: RuleContext) -> tuple[str | None, Prompt | None]:
    """Return the mode of the case's assembly and its prompt; (None, None) for a judge."""
    if case.assembly is None or is_for_judge(case):
        return None, None
    mode = find_mode(case)
    return mode, case.workspace.prompts.get(mode) if mode else None

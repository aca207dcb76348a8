"""Prompts of MLflow's registry: JSON with `name`, `version` and `template`, a text or a list of messages.

`{{ name }}` is replaced by the text of the value, one variable after the other in the order of the row, so a value that
holds `{{ other }}` is filled as well where `other` comes later; a variable that the row lacks is an error. A template
with `{% %}` is Jinja, in which names without a value print nothing. Source: mlflow 3.17.2,
entities/model_registry/prompt_version.py (`format`) and genai/prompts/utils.py; the name of a variable goes into a
regular expression there as it is, and here too. `render_row` runs in the bounded child.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback.projects.child_answers import make_row_work
from readback.projects.jinja_text import JinjaFault, JinjaOptions, render_jinja
from readback.projects.model import PromptFile, RenderedMessages
from readback.projects.owned_text import OwnedText, join_owned
from readback.projects.stored_prompts import describe_messages, open_stored_prompts
from readback.projects.value_notes import EMPTY, note_missing, note_rendered

TOOL = "mlflow-prompts"
VARIABLE = re.compile(r"\{\{\s*([a-zA-Z_][a-zA-Z0-9_]*(?:\.[a-zA-Z_][a-zA-Z0-9_]*)*)\s*\}\}")
TEXT_TAG, KIND_TAG = "mlflow.prompt.text", "_mlflow_prompt_type"  # where the registry's own files have the template
OF_OTHERS = ("template_format", "input_variables", "_type", "components")  # keys that no prompt of MLflow has
JINJA = JinjaOptions()


class Unformatted(Exception):  # noqa: N818 - carries the reason that MLflow has
    """MLflow fails for a row."""


def recognise(value: Mapping[str, Any]) -> bool:
    """Tell whether a parsed file is a prompt of MLflow."""
    if not isinstance(value.get("name"), str) or "version" not in value or any(key in value for key in OF_OTHERS):
        return False
    template = find_template(value)
    if isinstance(template, list):
        return bool(template) and all(isinstance(each, Mapping) and "role" in each for each in template)
    return isinstance(template, str)


def find_template(value: Mapping[str, Any]) -> Any:
    """Return the template of a prompt, also of one that is written as the registry keeps it: in a tag."""
    if "template" in value:
        return value["template"]
    tags = value.get("tags")
    if isinstance(tags, list):
        tags = {each.get("key"): each.get("value") for each in tags if isinstance(each, Mapping)}
    if not isinstance(tags, Mapping) or not isinstance(tags.get(TEXT_TAG), str):
        return None
    if tags.get(KIND_TAG) != "chat":
        return tags[TEXT_TAG]
    try:
        return json.loads(tags[TEXT_TAG])
    except (ValueError, RecursionError):
        return None


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return stored prompts as modes, with the reason where MLflow does not take one."""
    return open_stored_prompts(path, root, name, "template", _make_settings)


def _make_settings(value: Mapping[str, Any]) -> tuple[str, dict[str, Any], str | None]:
    template = find_template(value)
    if template == []:
        template = "[]"  # a list without messages is kept as this text
    refused = _find_fault(template)
    if isinstance(template, list):
        text = describe_messages(template)
    else:
        text = str(template or "")
    return text, {"tool": TOOL, "template": None if refused else template, "refused": refused}, refused


def _find_fault(template: Any) -> str | None:
    """Return why MLflow refuses a template."""
    if isinstance(template, str):
        return None
    if not isinstance(template, list):
        return "its template is missing, or is neither a text nor a list of messages"
    for number, each in enumerate(template, 1):
        if not isinstance(each, Mapping) or not isinstance(each.get("role"), str):
            return f"message {number} of its template has no role"
        if not isinstance(each.get("content"), str | list | None):
            return f"the content of message {number} is neither a text nor a list of parts"
    return None


def render_messages(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> RenderedMessages:
    """Return what `format` returns for the fields of a row."""
    if settings.get("refused"):
        return RenderedMessages(None, error=f"the prompt cannot be loaded: {settings['refused']}")
    template = settings["template"]
    if isinstance(template, str):
        texts = [template]
    else:
        texts = [each.get("content", "") for each in template]
    missing: list[str] = []
    rendered: list[tuple[str, str]] = []
    try:
        if any(text is None for text in texts):
            raise Unformatted("the content of a message is null, for which MLflow fails")
        if any("{%" in text and "%}" in text for text in texts):
            filled = [render_jinja(_check_text(text), fields, JINJA, missing=missing) for text in texts]
        else:
            filled = [fill_variables(_check_text(text), fields, rendered) for text in texts]
            _check_variables(template, fields)
    except (Unformatted, JinjaFault) as fault:
        return RenderedMessages(None, error=str(fault))
    segments = tuple(each.list_segments() for each in filled)
    notes = (*note_missing(missing, EMPTY), *note_rendered(rendered))
    if isinstance(template, str):
        return RenderedMessages(None, filled[0].text, segments=segments, notes=notes)
    messages = tuple(
        {"role": message["role"], "content": each.text} for message, each in zip(template, filled, strict=True)
    )
    return RenderedMessages(messages, segments=segments, notes=notes)


render_row = make_row_work(render_messages)  # in the child


def _check_text(content: Any) -> str:
    if not isinstance(content, str):
        raise Unformatted("the content of a message is a list of parts, for which MLflow fails")
    return content


def fill_variables(
    template: str, values: Mapping[str, Any], rendered: list[tuple[str, str]] | None = None
) -> OwnedText:
    """Return a template in which each value in turn has replaced its name; raises Unformatted.

    A name that a value brought and that is replaced, too, is added to `rendered` with the name of that value.
    """
    text = OwnedText(template)
    for name, value in values.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # of brackets in a name
                pattern = re.compile(r"\{\{\s*" + name + r"\s*\}\}")
        except (re.error, OverflowError, RecursionError) as error:
            raise Unformatted(f"the name {name!r} is no regular expression, as MLflow needs it: {error}") from None
        if rendered is not None:
            owners = [(text.owners[match.start()], match[0]) for match in pattern.finditer(text.text)]
            rendered += [(owner, mark) for owner, mark in owners if owner is not None]
        text = _replace(text, pattern, str(value), name)
    return text


def _replace(text: OwnedText, pattern: re.Pattern[str], value: str, name: str) -> OwnedText:
    pieces, start = [], 0
    for match in pattern.finditer(text.text):
        pieces += [text.cut(start, match.start()), OwnedText(value, [name] * len(value))]
        start = match.end()
    if pieces:
        return join_owned([*pieces, text.cut(start, len(text.text))])
    return text


def _check_variables(template: Any, values: Mapping[str, Any]) -> None:
    """Refuse a row that lacks a variable, which MLflow looks for in the text or in the JSON of the messages."""
    if isinstance(template, str):
        text = template
    else:
        text = json.dumps(template)
    if lacking := sorted(set(VARIABLE.findall(text)) - values.keys()):
        raise Unformatted(f"the row lacks {', '.join(lacking)}")

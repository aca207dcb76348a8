"""Prompts of semantic-kernel in YAML: `template` with `template_format` semantic-kernel, handlebars or jinja2.

The rules are those of semantic-kernel 1.45.0 for Python: values are made safe for HTML on their way into the template,
and read back where the text is cut into messages. Lists and objects are refused unless a variable allows them; those
that the prompt neither declares nor names are not passed. `render_row` runs in the bounded child.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback.projects.child_answers import make_row_work
from readback.projects.handlebars.nodes import HandlebarsFault
from readback.projects.jinja_text import JinjaFault, JinjaOptions, render_jinja
from readback.projects.model import ProjectMode, PromptFile, RenderedMessages
from readback.projects.owned_text import OwnedText
from readback.projects.semantic_kernel.kernel_template import KernelFault, render_kernel_template
from readback.projects.semantic_kernel.python_handlebars import WORDS, render_python_handlebars
from readback.projects.semantic_kernel.rendered_prompt import NoMessages, cut_messages
from readback.projects.value_notes import EMPTY, note_missing
from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import read_yaml

TOOL = "semantic-kernel"
KERNEL, HANDLEBARS, JINJA = "semantic-kernel", "handlebars", "jinja2"
FORMATS = (KERNEL, HANDLEBARS, JINJA)
DANGEROUS = "allow_dangerously_set_content"


def recognise(value: Mapping[str, Any]) -> bool:
    """Tell a configuration of semantic-kernel by its keys; a prompt of LangChain's is asked for first."""
    return {"template_format", "template"} <= value.keys()


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return the prompt in a YAML file as a mode."""
    parsed = read_yaml(path, format_relative(root, path))
    place = parsed.place("template")
    value = parsed.value
    template, refused = "", "it holds no mapping, so it is no prompt"
    settings: dict[str, Any] = {}
    if isinstance(value, Mapping):
        written = value.get("template")
        if isinstance(written, str):
            template = written
        else:
            template = ""
        refused = find_fault(value) or ""
        variables = value.get("input_variables")
        settings = {
            "format": value.get("template_format", KERNEL),
            "allows": value.get(DANGEROUS) is True,
            "variables": [dict(each) for each in variables or () if isinstance(each, Mapping)],
        }
    settings = {"tool": TOOL, "template": template, "refused": refused or None, **settings}
    return PromptFile(ProjectMode(name, template, settings, place), refused or None, diagnostics=parsed.diagnostics)


def find_fault(value: Mapping[str, Any]) -> str | None:
    """Return why semantic-kernel does not load a configuration."""
    template, form = value.get("template"), value.get("template_format", KERNEL)
    if not isinstance(template, str):
        return "its template is missing, or is no text"
    if form not in FORMATS:
        return f"template_format is {form!r}; semantic-kernel for Python knows {', '.join(FORMATS)}"
    name = value.get("name", "")
    if not isinstance(name, str) or not re.fullmatch(r"[0-9A-Za-z_-]+", name):
        return "its name is missing, or has other signs than letters, digits, - and _"
    variables = value.get("input_variables", [])
    if not isinstance(variables, list) or not all(isinstance(each, Mapping) for each in variables):
        return "`input_variables` is no list of variables"
    for each in variables:
        if not isinstance(each.get("name"), str):
            return "an input variable has no name"
        if each.get("default") and not isinstance(each["default"], str):
            return f"Default value for input variable {each['name']} must be a string."
    return None


def render_messages(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> RenderedMessages:
    """Return the messages of semantic-kernel for the fields of a row."""
    if settings.get("refused"):
        return RenderedMessages(None, error=str(settings["refused"]))
    missing: list[str] = []
    try:
        text = _render(settings, _encode_values(settings, fields), missing)
        cut = cut_messages(text)
    except (KernelFault, HandlebarsFault, JinjaFault, NoMessages) as fault:
        return RenderedMessages(None, error=str(fault))
    messages = []
    for each in cut:
        message: dict[str, Any] = {"role": each.role, "content": each.text.text if each.parts is None else each.parts}
        messages.append(message if each.name is None else {**message, "name": each.name})
    segments = tuple(each.text.list_segments() if each.parts is None else () for each in cut)
    return RenderedMessages(tuple(messages), segments=segments, notes=note_missing(missing, EMPTY))


render_row = make_row_work(render_messages)  # in the child


def _render(settings: Mapping[str, Any], values: Mapping[str, Any], missing: list[str]) -> OwnedText:
    template = str(settings["template"])
    if settings["format"] == HANDLEBARS:
        return render_python_handlebars(template, values)
    if settings["format"] == JINJA:
        options = JinjaOptions(may_change_values=False, names=JINJA_NAMES)
        return render_jinja(template, values, options, missing=missing)
    return render_kernel_template(template, values, missing)


def _encode_values(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that reach the template: texts safe for HTML, defaults for those that are missing."""
    declared = {each["name"]: each for each in settings["variables"]}
    values = {
        name: value
        for name, value in fields.items()
        if name in declared or not isinstance(value, list | dict) or _names(settings["template"], name)
    }
    for name, each in declared.items():
        if name not in values and each.get("default"):
            values[name] = each["default"]
    return {name: _encode(name, value, declared.get(name, {}), settings["allows"]) for name, value in values.items()}


def _names(template: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", template) is not None


def _encode(name: str, value: Any, variable: Mapping[str, Any], allows_all: bool) -> Any:
    if allows_all or variable.get(DANGEROUS) is True:
        return value
    if isinstance(value, str):
        return html.escape(value)
    if isinstance(value, list | dict):
        raise KernelFault(
            f"Argument '{name}' has a value that doesn't support automatic encoding: a list or an object is refused "
            f"unless {DANGEROUS} is set for it"
        )
    return value


# functions that a Jinja template may call


def _get(context: Any = None, name: Any = None, default: Any = "") -> Any:
    if context is None or name is None:
        return default
    return context.get(name, default)


def _camel_case(text: str, *_: Any) -> str:
    return "".join(word.capitalize() for word in text.split("_"))


def _snake_case(text: str, *_: Any) -> str:
    for pattern in WORDS:
        text = pattern.sub(r"\1_\2", text)
    return text.replace("-", "_").lower()


JINJA_NAMES: Mapping[str, Any] = {
    "get": _get,
    "array": lambda *values: list(values),
    "messages": lambda _: "",
    **dict.fromkeys(("double_open", "doubleOpen"), lambda: "{{"),
    **dict.fromkeys(("double_close", "doubleClose"), lambda: "}}"),
    **dict.fromkeys(("camel_case", "camelCase"), _camel_case),
    **dict.fromkeys(("snake_case", "snakeCase"), _snake_case),
    **dict.fromkeys(("message_to_prompt", "messageToPrompt"), str),
}

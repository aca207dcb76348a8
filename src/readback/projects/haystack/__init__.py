"""Pipelines of Haystack: each of their prompt builders as a mode, and the text or messages that it makes of a row.

A pipeline is the YAML of `Pipeline.dumps()`; a builder is a component whose `type` ends in `ChatPromptBuilder` or
`PromptBuilder`. Its template is Jinja without the last newline. All variables are required unless
`required_variables` says which; one that is not required is an empty text. Texts of the assistant are not rendered;
blocks `{% message role="…" %}` are stripped, and what stands outside of them fails. The rules are those of haystack-ai
3.4. `read` and `render_row` run in the bounded child; `read_prompt` is for everybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readback import sandbox
from readback.projects.child_answers import make_row_work
from readback.projects.haystack.pipeline import Unloadable, list_builders, list_inputs, list_senders, read_builder
from readback.projects.haystack.render import render_builder
from readback.projects.jinja_text import JinjaFault
from readback.projects.model import ProjectMode, PromptFile
from readback.projects.stored_prompts import describe_messages
from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_file import read_yaml

TOOL = "haystack"
READ = "readback.projects.haystack:read"
MOST = 100  # prompt builders of one pipeline


def recognise(value: Mapping[str, Any]) -> bool:
    """Tell whether a parsed file is a pipeline with a prompt builder."""
    return any(True for _ in list_builders(value))


def read_prompt(path: Path, root: Path, name: str) -> PromptFile:
    """Return the first prompt builder of a pipeline as a mode, and the others beside it."""
    parsed = read_yaml(path, format_relative(root, path))
    if isinstance(parsed.value, Mapping):
        builders = list(list_builders(parsed.value))[:MOST]
    else:
        builders = []
    reasons: list[str] = []
    modes = []
    for component, parameters, is_chat in builders:
        builder, refused = _open_builder(component, parameters, is_chat)
        reasons += [f"'{component}': {refused}"] if refused else []
        template = parameters.get("template")
        if isinstance(template, list):
            text = describe_messages([_describe(each) for each in template])
        else:
            text = str(template or "")
        settings = {
            **builder,
            "tool": TOOL,
            "refused": refused,
            "senders": list_senders(parsed.value, component),
            "inputs": list_inputs(parsed.value, component),
        }
        if len(builders) == 1:
            mode = name
        else:
            mode = f"{name} · {component}"
        place = parsed.place("components", component, "init_parameters", "template")
        modes.append(ProjectMode(mode, text, settings, place))
    if not modes:
        reasons.append("it holds no prompt builder")
        modes.append(ProjectMode(name, "", {"tool": TOOL, "refused": reasons[0]}, parsed.place()))
    refused = "; ".join(reasons) or None
    return PromptFile(modes[0], refused, diagnostics=parsed.diagnostics, others=tuple(modes[1:]))


def _open_builder(name: str, parameters: Mapping[str, Any], is_chat: bool) -> tuple[dict[str, Any], str | None]:
    try:
        answer = sandbox.call(READ, {"name": name, "parameters": parameters, "chat": is_chat})
    except sandbox.Stopped as stopped:
        return {}, f"reading it needs more than its limits allow ({stopped.detail})"
    return answer.get("builder", {}), answer.get("refused")


def _describe(message: Any) -> Any:
    """Return a message with its texts joined, for people."""
    if not isinstance(message, Mapping):
        return message
    content = message.get("content", message.get("_content"))
    if isinstance(content, list):
        texts = [str(part.get("text", part)) if isinstance(part, Mapping) else str(part) for part in content]
    else:
        texts = [str(content)]
    return {"role": message.get("role", message.get("_role")), "content": "\n".join(texts)}


def read(payload: Mapping[str, Any]) -> dict[str, Any]:
    """{"name", "parameters", "chat"} → {"builder"} or {"refused"}; in the child."""
    try:
        return {"builder": read_builder(payload["name"], payload["parameters"], payload["chat"])}
    except (Unloadable, JinjaFault) as fault:
        return {"refused": str(fault)}
    except RecursionError:
        return {"refused": "it has too many levels"}


render_row = make_row_work(render_builder)  # in the child

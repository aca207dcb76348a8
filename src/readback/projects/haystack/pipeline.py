"""What a pipeline of Haystack says of its prompt builders, as JSON: it travels into the bounded child that renders.

A builder is {"name", "template", "variables", "required", "senders"}: its template is a text, a text with message tags
or a list of messages; `senders` names the component that gives a variable while the pipeline runs. Source: haystack-ai
3.4, components/builders and dataclasses/chat_message.py (`from_dict`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.projects.haystack.message_tags import list_variables

Json = dict[str, Any]
TEXT_BUILDER, CHAT_BUILDER = "PromptBuilder", "ChatPromptBuilder"
ROLES = ("user", "system", "assistant", "tool")
RENDERED = ("user", "system")  # whose texts are templates
PART_FILTER = "templatize_part"
KINDS = {
    "tool_call": "tool_name",
    "tool_call_result": "origin",
    "image": "base64_image",
    "file": "base64_data",
    "reasoning": "reasoning_text",
}


class Unloadable(Exception):  # noqa: N818 - carries the reason that Haystack has
    """Haystack does not load the pipeline."""


def list_builders(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Yield (name, its parameters, whether it builds messages) for each prompt builder of a pipeline."""
    components = value.get("components")
    for name, about in components.items() if isinstance(components, Mapping) else ():
        if isinstance(about, Mapping):
            kind = about.get("type")
        else:
            kind = None
        if isinstance(kind, str) and kind.endswith(TEXT_BUILDER):
            parameters = about.get("init_parameters")
            yield str(name), parameters if isinstance(parameters, Mapping) else {}, kind.endswith(CHAT_BUILDER)


def list_senders(value: Mapping[str, Any], name: str) -> Json:
    """Return the component that gives each variable of a builder while the pipeline runs."""
    senders: Json = {}
    connections = value.get("connections")
    for each in connections if isinstance(connections, list) else ():
        if not isinstance(each, Mapping):
            continue
        component, _, variable = str(each.get("receiver", "")).partition(".")
        if component == name and variable:
            senders[variable] = str(each.get("sender", "")).partition(".")[0]
    return senders


def list_inputs(value: Mapping[str, Any], name: str) -> Json:
    """Return the name under which the application gives each variable of a builder, where the pipeline states one.

    `inputs:` at the top is what Hayhooks and the deepset platform add: {"query": ["prompt_builder.question"]}.
    """
    names: Json = {}
    inputs = value.get("inputs")
    for label, receivers in inputs.items() if isinstance(inputs, Mapping) else ():
        for each in receivers if isinstance(receivers, list) else [receivers]:
            component, _, variable = str(each).partition(".")
            if component == name and variable:
                names[variable] = str(label)
    return names


def read_builder(name: str, parameters: Mapping[str, Any], is_chat: bool) -> Json:
    """Return a builder; raises Unloadable. In the bounded child."""
    template, named = parameters.get("template"), parameters.get("variables")
    required = parameters.get("required_variables", "*")
    if not isinstance(named, list | None) or not isinstance(required, str | list | None):
        raise Unloadable("its variables are no list")
    if is_chat and isinstance(template, list):
        template = [read_message(each) for each in template]
        texts = [
            _check_text(text, each["role"])
            for each in template
            if each["role"] in RENDERED
            for text in _list_texts(each)
        ]
    elif isinstance(template, str):
        texts = [template]
    elif is_chat and template is None:
        raise Unloadable("its template is given while the pipeline runs, and stands in no file")
    else:
        raise Unloadable("its template is missing, or is neither a text nor a list of messages")
    if not is_chat:
        list_variables(texts[0], is_chat)  # it is compiled when the pipeline is loaded
    variables = named or list(dict.fromkeys(each for text in texts for each in list_variables(text, is_chat)))
    if not all(isinstance(each, str) for each in (*variables, *(required or ()))):
        raise Unloadable("one of its variables has a name that is no text")
    if required != "*":
        if not isinstance(required, str):
            required = list(required or ())
        else:
            required = [required]
    return {"name": name, "chat": is_chat, "template": template, "variables": variables, "required": required}


def read_message(value: Any) -> Json:
    """Return a message as {"role", "name", "content"} from any of the three spellings; raises Unloadable."""
    if not isinstance(value, Mapping):
        raise Unloadable("a message of its template is no object")
    role = value.get("role", value.get("_role"))
    content = value.get("content", value.get("_content"))
    if role not in ROLES:
        raise Unloadable(f"a message has the role {role!r}; Haystack knows {', '.join(ROLES)}")
    if isinstance(content, str):
        content = [{"text": content}]
    if not isinstance(content, list):
        raise Unloadable("the content of a message is neither a text nor a list of parts")
    name = value.get("name", value.get("_name"))
    return {"role": role, "name": name, "content": [_read_part(each) for each in content]}


def _read_part(part: Any) -> Json:
    if not isinstance(part, Mapping):
        raise Unloadable("a part of a message is no object")
    if "text" in part:
        if part.keys() != {"text"}:
            raise Unloadable("a text of a message has other keys beside it")
        return {"text": part["text"]}
    for kind, key in KINDS.items():
        inner = part.get(kind, part if key in part else None)
        if isinstance(inner, Mapping):
            return {kind: dict(inner)}
    raise Unloadable(f"a part of a message is of none of the kinds text, {', '.join(KINDS)}")


def _list_texts(message: Mapping[str, Any]) -> list[Any]:
    texts = [part["text"] for part in message["content"] if "text" in part]
    if not texts:
        raise Unloadable(f"a message of the role {message['role']} has no text")
    return texts


def _check_text(text: Any, role: str) -> str:
    if not isinstance(text, str):
        raise Unloadable(f"the text of a message of the role {role} is no text")
    if PART_FILTER in text:
        raise Unloadable(f"{PART_FILTER} may not stand in a template that is a list of messages")
    return text

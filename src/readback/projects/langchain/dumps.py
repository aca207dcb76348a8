"""Prompts that LangChain wrote with `dumps`, or that come from its hub: objects with `lc`, `type`, `id` and `kwargs`.

Only the classes of prompts and messages are known here; nothing is imported, and of what could not be written
(`not_implemented`) nothing is guessed. Source: langchain_core 1.7.2, load/load.py and prompts/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.projects.langchain import texts
from readback.projects.langchain.faults import Unfilled, Unloadable
from readback.projects.langchain.messages import CHUNK, CLASSES, find_class, read_message
from readback.projects.langchain.plan import ROLES, Json, make_chat, make_prompt_of_text, make_text

TEMPLATES = {
    "HumanMessagePromptTemplate": "user",
    "AIMessagePromptTemplate": "assistant",
    "SystemMessagePromptTemplate": "system",
}
OF_ROLE = "ChatMessagePromptTemplate"
CHATS = ("ChatPromptTemplate", "StructuredPrompt")
URL_KEYS = ("url", "path", "detail")
DEEP = 60
JINJA_REFUSED = "load refuses Jinja templates in what was dumped, unless the program allows them"


def read_dump(value: Mapping[str, Any], refused: list[str]) -> Json:
    """Return the prompt in a dump, or in the manifest of the hub; raises Unloadable."""
    inner = value.get("manifest", value)
    for part in _list_objects(inner, 0):
        if part.get("lc") == 1 and part.get("type") == "not_implemented":
            names = part.get("id")
            if isinstance(names, list) and names:
                name = names[-1]
            else:
                name = "a part"
            raise Unloadable(f"{name} was not written to the file when it was dumped, so nobody can load it")
        if find_class(part) is not None and part.get("kwargs", {}).get("template_format") == texts.JINJA:
            refused.append(JINJA_REFUSED)
    name = find_class(inner)
    if isinstance(inner, Mapping):
        arguments = inner.get("kwargs", {})
    else:
        arguments = {}
    if name == "PromptTemplate":
        return make_prompt_of_text(_make_text(arguments))
    if name in CHATS:
        return _make_chat(arguments, name)
    raise Unloadable(f"it holds {name or 'something'}, which Readback does not know as a prompt")


def _list_objects(value: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if depth > DEEP:
        raise Unloadable("it has too many levels")
    if isinstance(value, Mapping):
        yield value
        for each in value.values():
            yield from _list_objects(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            yield from _list_objects(each, depth + 1)


def _make_text(arguments: Mapping[str, Any]) -> Json:
    return make_text(arguments, arguments.get("template_format", texts.F_STRING))


def _make_chat(arguments: Mapping[str, Any], name: str) -> Json:
    messages = arguments.get("messages")
    if not isinstance(messages, list):
        raise Unloadable("its messages are no list")
    language = arguments.get("template_format", texts.F_STRING)
    items = [_make_item(message, language) for message in messages]
    return make_chat(items, arguments.get("partial_variables", {}), name)


def _make_item(value: Any, language: Any) -> Json:
    name = find_class(value)
    if name is None:
        return _make_short_item(value, language)
    arguments: Mapping[str, Any] = value.get("kwargs", {})
    if name == "MessagesPlaceholder":
        return _make_place(arguments)
    if name in CHATS:
        return {"chat": _make_chat(arguments, name)}
    if name in TEMPLATES:
        return _make_template(TEMPLATES[name], arguments.get("prompt"))
    if name == OF_ROLE:
        return _make_template(str(arguments.get("role", "")), arguments.get("prompt"))
    if name.removesuffix(CHUNK) in CLASSES:
        try:
            return {"message": read_message(value)}
        except Unfilled as fault:
            raise Unloadable(str(fault)) from None
    raise Unloadable(f"{name} is among its messages, which Readback does not know")


def _make_short_item(value: Any, language: Any) -> Json:
    """Return what a text, a pair of role and text, or an object with `role` and `content` stands for."""
    if isinstance(value, str):
        role, template = "human", value
    elif isinstance(value, list) and len(value) == 2:
        role, template = value
    elif isinstance(value, Mapping) and {"role", "content"} <= value.keys():
        role, template = value["role"], value["content"]
    else:
        raise Unloadable("one of its messages is of no kind that LangChain knows")
    if role == "placeholder" and isinstance(template, str):
        return _make_place({"variable_name": template.strip("{}"), "optional": True})
    if not isinstance(role, str) or role not in ROLES or not isinstance(template, str):
        raise Unloadable(f"LangChain knows no message of the role {role!r} with a template")
    return {"role": ROLES[role], "text": make_text({"template": template}, language)}


def _make_place(arguments: Mapping[str, Any]) -> Json:
    name, most = arguments.get("variable_name"), arguments.get("n_messages")
    if not isinstance(name, str) or not (most is None or (isinstance(most, int) and most > 0)):
        raise Unloadable("a place for messages has no variable_name, or a number of messages that is none")
    return {"place": name, "optional": bool(arguments.get("optional")), "most": most}


def _make_template(role: str, prompt: Any) -> Json:
    """Return the item of a message's template: one text, or a list of parts."""
    if isinstance(prompt, list):
        return {"role": role, "parts": [_make_part(each) for each in prompt]}
    if find_class(prompt) != "PromptTemplate":
        raise Unloadable(f"the template of a message is {find_class(prompt) or 'missing'}, not a PromptTemplate")
    return {"role": role, "text": _make_text(prompt.get("kwargs", {}))}


def _make_part(value: Any) -> Json:
    name = find_class(value)
    if name:
        arguments = value.get("kwargs", {})
    else:
        arguments = {}
    if name == "PromptTemplate":
        return _make_text(arguments)
    template, language = arguments.get("template", {}), arguments.get("template_format", texts.F_STRING)
    if name not in ("ImagePromptTemplate", "DictPromptTemplate") or not isinstance(template, dict):
        raise Unloadable(f"{name or 'something'} is among the parts of a message, which Readback does not know")
    if language not in texts.LANGUAGES:
        raise Unloadable(f"its template_format is {language!r}, not one of {', '.join(texts.LANGUAGES)}")
    variables = sorted({each for text in list_texts(template) for each in texts.list_variables(text, language)})
    is_image = name == "ImagePromptTemplate"
    if is_image:
        named = arguments.get("input_variables")
        if overlap := [each for each in variables if each in URL_KEYS]:
            raise Unloadable(f"a variable of an image is called {overlap[0]}")
        if isinstance(named, list):
            variables = [each for each in named if isinstance(each, str)]
        else:
            variables = []
    return {"object": template, "language": language, "variables": variables, "image": is_image}


def list_texts(value: Any) -> Iterator[str]:
    """Yield the texts in an object that are templates: those in objects, and in lists directly below one."""
    for each in value.values():
        for inner in each if isinstance(each, list) else [each]:
            if isinstance(inner, str):
                yield inner
            elif isinstance(inner, dict):
                yield from list_texts(inner)

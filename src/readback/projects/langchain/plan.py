"""What a loaded prompt consists of, as JSON: it travels into the bounded child that fills it in.

A text is {"template", "language", "variables", "partial"}, and with "examples" it is a few-shot text besides: "prefix",
"suffix", "separator" and the "example" text. An item of a chat is a template of a message, a fixed message, or a place
for messages of the row. A prompt is {"name", "variables", "optional", "partial", "text" or "items"}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.projects.langchain import texts
from readback.projects.langchain.faults import Unloadable

Json = dict[str, Any]
RESERVED = "stop"  # a name that LangChain uses itself
ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "developer",
    "function": "function",
    "tool": "tool",
}


def make_text(about: Mapping[str, Any], language: Any, *, among: tuple[str, ...] = texts.LANGUAGES) -> Json:
    """Return a text with its variables; raises Unloadable for one that LangChain refuses."""
    template, partial = about.get("template"), about.get("partial_variables", {})
    if not isinstance(template, str):
        raise Unloadable("its template is missing, or is no text")
    _check_language(language, among)
    _check_partial(partial)
    variables = texts.list_variables(template, language)
    if about.get("validate_template"):
        _check_named(variables, about, partial, language)
    variables = [name for name in variables if name not in partial]
    check_reserved(variables)
    return {"template": template, "language": language, "variables": variables, "partial": dict(partial)}


def make_few_shot(about: Mapping[str, Any], example: Json) -> Json:
    """Describe a few-shot template of LangChain as a JSON object for rendering: prefix, suffix, separator, examples.

    `about` is the serialised template, `example` the description of the template for one example. Raises Unloadable
    where a part is missing or has another type.
    """
    prefix, suffix = about.get("prefix", ""), about.get("suffix")
    separator, language = about.get("example_separator", "\n\n"), about.get("template_format", texts.F_STRING)
    partial, examples = about.get("partial_variables", {}), about.get("examples")
    for name, value in (("prefix", prefix), ("suffix", suffix), ("example_separator", separator)):
        if not isinstance(value, str):
            raise Unloadable(f"its {name} is missing, or is no text")
    if not isinstance(examples, list) or not all(isinstance(each, dict) for each in examples):
        raise Unloadable("its examples are no list of objects")
    _check_language(language, (texts.F_STRING, texts.JINJA))
    _check_partial(partial)
    variables = texts.list_variables(prefix + suffix, language)
    if about.get("validate_template"):
        _check_named(variables, about, partial, language)
    variables = [name for name in variables if name not in partial]
    check_reserved(variables)
    return {
        "template": "",
        "language": language,
        "variables": variables,
        "partial": dict(partial),
        "prefix": prefix,
        "suffix": suffix,
        "separator": separator,
        "examples": examples,
        "example": example,
    }


def make_prompt_of_text(text: Json, name: str = "PromptTemplate") -> Json:
    """Return the prompt that is one text, sent as a message of the user."""
    return {"name": name, "text": text, "variables": text["variables"], "partial": text["partial"]}


def make_chat(items: list[Json], partial: Any, name: str = "ChatPromptTemplate") -> Json:
    """Return the prompt that is a chat; raises Unloadable."""
    _check_partial(partial)
    optional = [item["place"] for item in items if item.get("optional")]
    partial = {**partial, **{place: [] for place in optional if place not in partial}}
    needed = {variable for item in items for variable in list_item_variables(item)} - set(partial)
    check_reserved(sorted(needed))
    return {"name": name, "items": items, "variables": sorted(needed), "partial": partial}


def list_item_variables(item: Json) -> list[str]:
    """Return the variables that an item of a chat needs from its row."""
    if "place" in item:
        if item.get("optional"):
            return []
        return [str(item["place"])]
    if "chat" in item:
        return list(item["chat"]["variables"])
    if "text" in item:
        texts_of_item = [item["text"]]
    else:
        texts_of_item = item.get("parts", [])
    return [variable for each in texts_of_item for variable in each["variables"]]


def check_reserved(names: list[str]) -> None:
    """Refuse a variable that has a name of LangChain's own; raises Unloadable."""
    if RESERVED in names:
        raise Unloadable(f"a variable is called '{RESERVED}', a name that LangChain uses itself")


def describe(prompt: Json) -> str:
    """Return the templates of a prompt as one text for people: each message below its role."""
    if "text" in prompt:
        return _describe_text(prompt["text"])
    return "\n\n".join(_describe_item(item) for item in prompt["items"])


def _describe_text(text: Json) -> str:
    if "examples" not in text:
        return str(text["template"])
    example = f"[{len(text['examples'])} × {text['example']['template']}]"
    return str(text["separator"]).join(piece for piece in (text["prefix"], example, text["suffix"]) if piece)


def _describe_item(item: Json) -> str:
    if "place" in item:
        return f"[messages of {item['place']}]"
    if "chat" in item:
        return describe(item["chat"])
    if "message" in item:
        return f"{item['message']['role']}:\n{item['message']['content']}"
    if "text" in item:
        return f"{item['role']}:\n{_describe_text(item['text'])}"
    parts = [str(part.get("template", part.get("object"))) for part in item["parts"]]
    return "\n".join([f"{item['role']}:", *parts])


def _check_language(language: Any, among: tuple[str, ...]) -> None:
    if language not in among:
        raise Unloadable(f"its template_format is {language!r}, not one of {', '.join(among)}")


def _check_partial(partial: Any) -> None:
    if not isinstance(partial, dict):
        raise Unloadable("its partial_variables are no mapping")
    check_reserved(list(partial))


def _check_named(variables: list[str], about: Mapping[str, Any], partial: Mapping[str, Any], language: str) -> None:
    """Hold the variables against those that a file names, where it asks for that."""
    if language == texts.MUSTACHE:
        raise Unloadable("it asks for its template to be validated, which mustache templates cannot be")
    named = about.get("input_variables")
    if not isinstance(named, list):
        raise Unloadable("it asks for its template to be validated, and names no input_variables")
    lacking = [name for name in variables if name not in named and name not in partial]
    if lacking and language == texts.F_STRING:
        raise Unloadable(f"its input_variables lack {', '.join(lacking)}")

"""Looks for srv-template-error; its words are in catalogue/en.yml."""

from collections.abc import Callable

from readback.types import Finding

CODE = "srv-template-error"
ON = "load"
_REST = (
    "modes: [{mode: m, %s template: Why?}]\n"
    "models: {served: {serving: {%s}}}\n"
    "conditions: [{name: c, mode: m, model: served}]\n"
)
_TEMPLATE = "{%- for message in messages %}{{ message.content }}{% endfor %}"
PASS = (
    {"readback.yml": _REST % ("system: Be brief.,", "chat_template: t.jinja"), "t.jinja": _TEMPLATE},
    {"readback.yml": _REST % ("", "format: gemma")},
)
FAIL = (
    {"readback.yml": _REST % ("", "chat_template: t.jinja"), "t.jinja": _TEMPLATE.removesuffix("{% endfor %}")},
    {"readback.yml": _REST % ("", "chat_template: t.jinja"), "t.jinja": "{{ messages[7].content }}"},
    {"readback.yml": _REST % ("system: Be brief.,", "format: gemma")},
    {"readback.yml": _REST % ("", "tokenizer_config: tokenizer_config.json"), "tokenizer_config.json": "{}"},
    {"readback.yml": _REST % ("", "tokenizer_config: tokenizer_config.json"), "tokenizer_config.json": '{"a": '},
)


def once(one: Finding, nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """What is true of a template is told once, whichever record and condition sends it a system message."""
    return (str(one.values["name"]), str(one.values["reason"])) if one.values["when"] == "system" else None

"""A chat template gives no text.

A model's chat template cannot be read, is not Jinja as transformers has it, fails while it is rendered, or refuses the
messages by itself (`raise_exception`): models without a system role do so where there is a system message, others where
user and assistant do not take turns. For these messages there is no text that the model would read. That a template
refuses whatever system message is sent is told once, everything else at each record. A template that gives a text when
each content is a list of parts (`[{"type": "text", …}]`), as servers make them, is told for information; so is one that
lay in a folder, never reads `content`, and misses something else in a message: some program has messages of its own.

The server answers such a request with an error, or a program falls back to another format silently.

Correct the template where it fails. Where it refuses, send what the model takes: no system message, turns in order.
"""

from collections.abc import Callable

from readback.types import Finding

CODE = "srv-template-error"
SEVERITY = "error"
ON = "load"
SENTENCE = "the chat template {name} gives no text: {reason}"
FIX = "correct the template, or send it messages that it takes"
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

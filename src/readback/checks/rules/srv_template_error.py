"""Show workspaces with and without a chat template that produces no text, which is reported while it renders.

The server answers such a request with an error, or a program silently falls back to another format.
"""

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


def get_once_key(finding: Finding, is_nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """Return template and reason, if any record's system message causes the fault: it is reported once."""
    if finding.values["when"] != "system":
        return None
    return str(finding.values["name"]), str(finding.values["reason"])

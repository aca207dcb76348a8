"""Jinja as Haystack sets it up: `{% message role="…" %}` and `{% insert … %}`. In the bounded child only.

A message block writes a line of JSON, and each line of the rendered text has to be such a message; an insert writes the
messages of a conversation that the application has at hand as objects, which no row of a file can hold. What a
`{{ … }}` of a chat prompt prints has `<haystack_content_part` spelled so that it means nothing. Source: haystack-ai
3.4, utils/jinja2_chat_extension.py and utils/jinja2_extensions.py.
"""

from __future__ import annotations

import json
import re
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.environment import Environment
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.sandbox import SandboxedEnvironment

from readback.projects.jinja_text import JinjaFault, JinjaOptions

ROLES = ("user", "system", "assistant", "tool")
SIGN = "readback_sign"  # the global that marks the lines of message blocks, so that no value can
PART_TAG = re.compile(r"<(/?haystack_content_part)")


class MessageTags(Extension):
    """Write a message block as a line of JSON."""

    tags = {"message", "insert"}  # noqa: RUF012 - jinja2 declares it so

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        environment.finalize = _print_value

    def parse(self, parser: Parser) -> nodes.Node:
        """Read a tag and what its block holds."""
        tag = next(parser.stream)
        if tag.value == "insert":
            if parser.stream.current.test("block_end"):
                raise TemplateSyntaxError("an insert needs the name of a conversation", tag.lineno)
            call = self.call_method("insert_messages", [parser.parse_expression()])
            return nodes.CallBlock(call, [], [], []).set_lineno(tag.lineno)
        role = self._parse_argument(parser, "role")
        if isinstance(role, nodes.Const) and role.value not in ROLES:
            raise TemplateSyntaxError(f"Role must be one of: {', '.join(ROLES)}", tag.lineno)
        name: nodes.Expr = nodes.Const(None)
        if parser.stream.current.test("name:name"):
            name = self._parse_argument(parser, "name")
            if not isinstance(name, nodes.Const) or not isinstance(name.value, str):
                raise TemplateSyntaxError("name must be a string", tag.lineno)
        if parser.stream.current.test("name:meta") and not isinstance(self._parse_argument(parser, "meta"), nodes.Dict):
            raise TemplateSyntaxError("meta must be a dictionary", tag.lineno)
        body = parser.parse_statements(("name:endmessage",), drop_needle=True)
        return nodes.CallBlock(self.call_method("write_message", [role, name]), [], [], body).set_lineno(tag.lineno)

    def _parse_argument(self, parser: Parser, name: str) -> nodes.Expr:
        parser.stream.expect(f"name:{name}")
        parser.stream.expect("assign")
        return parser.parse_expression()

    def write_message(self, role: Any, name: Any, caller: Macro) -> str:
        """Return a block as its line."""
        text = str(caller()).strip()
        if not text:
            raise JinjaFault("a message of the template is empty, or holds nothing but blanks")
        if role not in ROLES:
            raise JinjaFault(f"Unsupported role: {role}")
        if role == "tool":
            raise JinjaFault("Tool message must contain only one tool call result.")
        message = {"role": role, "meta": {}, "name": name, "content": [{"text": text}]}
        sign = self.environment.globals.get(SIGN)
        return f"{sign or ''}{json.dumps(message, ensure_ascii=sign is None)}\n"

    def insert_messages(self, value: Any, caller: Macro) -> str:
        """Return nothing for nothing; messages of the application cannot be in a row."""
        if value:
            raise JinjaFault(f"an insert takes messages of the application, and a row has {type(value).__name__}")
        return ""


def _print_value(value: Any) -> str:
    return PART_TAG.sub(r"&lt;\1", str(value))


def _make_part(_: Any) -> str:
    raise JinjaFault("templatize_part takes an image or a file of the application, and a row has none")


def make_chat_options(sign: str | None = None) -> JinjaOptions:
    """Return how Jinja is set up for chat prompts; with a sign, message blocks are told from other lines by it."""
    names = {} if sign is None else {SIGN: sign}
    return JinjaOptions(extensions=(MessageTags,), filters={"templatize_part": _make_part}, names=names)


def list_variables(template: str, is_chat: bool) -> list[str]:
    """Return the variables that a template reads and does not set, sorted; raises JinjaFault."""
    environment = SandboxedEnvironment(extensions=(MessageTags,) if is_chat else ())
    if is_chat:
        environment.filters["templatize_part"] = _make_part
    try:
        tree = environment.parse(template)
        if not is_chat:  # a chat prompt is compiled for each row, and fails then
            environment.compile(template)
        names = meta.find_undeclared_variables(tree)
    except TemplateError as error:
        raise JinjaFault(f"{type(error).__name__}: {error.message or error}") from None
    except (MemoryError, RecursionError):
        raise JinjaFault("the template has too many levels") from None
    return sorted(names - _list_assigned(tree))


def _list_assigned(tree: nodes.Template) -> set[str]:
    """Return the names that a template sets anywhere."""
    targets = [each.target for each in tree.find_all(nodes.Assign)]
    names = [
        item for each in targets for item in (each.items if isinstance(each, nodes.List | nodes.Tuple) else [each])
    ]
    return {each.name for each in names if isinstance(each, nodes.Name)}

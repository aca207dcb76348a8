"""Handlebars as semantic-kernel for Python renders it: by pybars4 0.9, with its own helpers. In the bounded child only.

It differs from Handlebars of JavaScript: nothing is escaped, values are written as Python writes them, a printed name
without a value is an error, lists that are empty and 0 are nothing, `unless` has no `else`, there is no `else if`, and
the white space around tags is taken away before the template is parsed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from readback.projects.handlebars.nodes import (
    Block,
    Call,
    Content,
    Expression,
    HandlebarsFault,
    Literal,
    Mustache,
    Partial,
    Path,
    Program,
)
from readback.projects.handlebars.parser import parse_tags
from readback.projects.javascript_text import UNDEFINED
from readback.projects.owned_text import OwnedText, Owner, join_owned

LONGEST, DEEP = 8 << 20, 60  # characters of one rendered text, and blocks inside of each other
MOST = 1_000_000  # values that `range` lists
TAG, CLOSING = r"\{\{(?:[#/!][^{}]+|else|else if [^{}]+)\}\}", r"\{\{[/!][^{}]+\}\}"
OPENING = r"\{\{[#!][^{}]+\}\}"
# Tildes with the white space on their side, and tags that are alone on lines: inside, at the beginning, at the end.
LOOSE = re.compile(
    r"~\}\}\s*|\s*\{\{~"
    rf"|(?<=\n)(?:[ \t]*{TAG}[ \t]*)+\r?\n"
    rf"|\A(?:[ \t]*{OPENING}[ \t]*)+\r?\n"
    rf"|\r?\n(?:[ \t]*{CLOSING}[ \t]*)+(?=\n?\Z)"
)
BETWEEN = re.compile(r"(?<=\{\{)~|~(?=\}\})|(?<=\}\})[ \t]+(?=\{\{)")
WORDS = (re.compile(r"([A-Z]+)([A-Z][a-z])"), re.compile(r"([a-z\d])([A-Z])"))


class PythonTypeFault(HandlebarsFault):
    """A TypeError of Python: `each` leaves out the value for which one is raised inside of it."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value, the variable that it comes from, and its text where it was rendered."""

    value: Any
    name: Owner = None
    text: OwnedText | None = None


NOTHING = Value(None)


@dataclass(frozen=True, slots=True)
class Scope:
    """What a block sees: its value, the scope around, and what `each` says of it."""

    value: Value
    parent: Scope | None = None
    data: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HelperCall:
    """A call of a helper."""

    name: str
    scope: Scope
    params: Sequence[Value]
    pairs: Mapping[str, Value]
    block: Callable[[Scope], OwnedText] | None = None
    inverse: Callable[[Scope], OwnedText] | None = None

    def get(self, number: int) -> Value:
        """Return an argument. Raises HandlebarsFault."""
        if number >= len(self.params):
            raise HandlebarsFault(f"the helper {self.name} needs {number + 1} argument(s)")
        return self.params[number]

    def render(self, holds: bool, scope: Scope) -> OwnedText:
        """Return the block's text, or that of its `else`."""
        if self.block is None or self.inverse is None:
            raise PythonTypeFault(f"the helper {self.name} needs a block")
        return (self.block if holds else self.inverse)(scope)


def render_python_handlebars(template: str, values: Mapping[str, Any]) -> OwnedText:
    """Return the rendered template. Raises HandlebarsFault with the tool's reason."""
    prepared = LOOSE.sub(lambda match: BETWEEN.sub("", match[0].strip()), template)
    try:
        root = Value(dict(values))
        return _Rendering(root).render(parse_tags(prepared), Scope(root, Scope(root)))
    except RecursionError:
        raise HandlebarsFault("the template or a value has too many levels") from None


class _Rendering:
    def __init__(self, root: Value) -> None:
        self.root = root
        self.length = self.depth = 0

    def render(self, program: Program | None, scope: Scope) -> OwnedText:
        if program is None:
            return OwnedText("")
        if program.is_chained:
            raise HandlebarsFault("Could not find property else (there is no `else if` here)")
        self.depth += 1
        if self.depth > DEEP:
            raise HandlebarsFault(f"more than {DEEP} blocks are inside of each other")
        try:
            return self._render_body(program, scope)
        finally:
            self.depth -= 1

    def _render_body(self, program: Program, scope: Scope) -> OwnedText:
        pieces = []
        for node in program.body:
            if isinstance(node, Content):
                piece = OwnedText(node.value)
            elif isinstance(node, Mustache):
                piece = self._print(node.call, scope)
            elif isinstance(node, Block):
                piece = self._render_block(node, scope)
            elif isinstance(node, Partial):
                raise HandlebarsFault("semantic-kernel has no partials")
            else:
                continue
            self.length += len(piece.text)
            if self.length > LONGEST:
                raise HandlebarsFault(f"the text is longer than {LONGEST:,} characters")
            pieces.append(piece)
        return join_owned(pieces)

    def _print(self, call: Call, scope: Scope) -> OwnedText:
        name, is_simple = _get_name(call.path), len(_list_segments(call.path)) <= 1
        params = [self._evaluate(each, scope) for each in call.params]
        pairs = {key: self._evaluate(each, scope) for key, each in call.pairs}
        if is_simple and name in HELPERS:
            answer = HELPERS[name](HelperCall(name, scope, params, pairs))
            if answer.value is None and answer.text is None and _lacks_value(call, params):
                raise HandlebarsFault(f"the helper {name} gives nothing, and one of its values is missing or null")
            return write(answer)
        value = self._look_up(call.path, scope)
        if value.value is not None or value.text is not None:
            return write(value)
        if params or pairs:
            raise HandlebarsFault(f"Could not find property {name}")
        if call.path.parts or call.path.depth:
            raise HandlebarsFault(f"Could not find variable {call.path.original!r}, or it is null")
        return OwnedText("")

    def _render_block(self, node: Block, scope: Scope) -> OwnedText:
        name = _get_name(node.call.path)
        if len(_list_segments(node.call.path)) > 1 or node.is_inline:
            raise HandlebarsFault(f"a block of the name {node.call.path.original} cannot be parsed here")
        params = [self._evaluate(each, scope) for each in node.call.params]
        pairs = {key: self._evaluate(each, scope) for key, each in node.call.pairs}
        helper_call = HelperCall(
            name,
            scope,
            params,
            pairs,
            lambda inner: self.render(node.program, inner),
            lambda inner: self.render(node.inverse, inner),
        )
        if name in HELPERS:
            answer = HELPERS[name](helper_call)
            if answer.text is not None or answer.value:
                return write(answer)
            return OwnedText("")
        return _render_value_block(helper_call, self._look_up(node.call.path, scope))

    def _evaluate(self, expression: Expression, scope: Scope) -> Value:
        if isinstance(expression, Literal):
            value = expression.value
            if isinstance(value, float) and "." not in expression.original:
                value = int(value)
            return Value(None if value is UNDEFINED else value)
        if isinstance(expression, Call):
            name = _get_name(expression.path)
            if name not in HELPERS:
                raise HandlebarsFault(f"Could not find property {name}")
            params = [self._evaluate(each, scope) for each in expression.params]
            pairs = {key: self._evaluate(each, scope) for key, each in expression.pairs}
            return HELPERS[name](HelperCall(name, scope, params, pairs))
        return self._look_up(expression, scope)

    def _look_up(self, path: Path, scope: Scope) -> Value:
        now = scope
        of_data = path.of_data
        for _ in range(path.depth):
            now = now.parent or Scope(NOTHING)
        if of_data and path.parts:
            first, *parts = path.parts
            if first == "root":
                value: Value = self.root
            else:
                value = now.data.get(first, NOTHING)
        else:
            value, parts = now.value, list(path.parts)
        for number, part in enumerate(parts):
            if number == 0 and not of_data and isinstance(value.value, list):
                value = Value(None, part)  # the value of a block is no list here, and has no member of that name
            else:
                value = look_up_member(value, part)
        return value


def _lacks_value(call: Call, params: Sequence[Value]) -> bool:
    return any(isinstance(each, Path) and value.value is None for each, value in zip(call.params, params, strict=True))


def _list_segments(path: Path) -> list[str]:
    return [*[".."] * path.depth, *path.parts]


def _get_name(path: Path) -> str:
    name = path.parts[0] if path.parts else ""
    if path.of_data:
        return f"@{name}"
    return name


def look_up_member(value: Value, member: str) -> Value:
    """Return a member as pybars finds it: of a mapping, or by its place in a list."""
    inside, name = value.value, f"{value.name}.{member}" if value.name else member
    if isinstance(inside, list):
        if member == "length":
            return Value(len(inside), name)
        try:
            return Value(inside[int(member)], f"{value.name or ''}[{member}]")
        except (ValueError, IndexError):
            raise HandlebarsFault(f"a list has no member {member!r}") from None
    if isinstance(inside, dict) and member in inside:
        return Value(inside[member], name)
    if inside is not None and hasattr(type(inside), member):
        raise PythonTypeFault(f"{member} is a method of {type(inside).__name__} in Python, and no value")
    return Value(None, name)


def write(value: Value) -> OwnedText:
    """Return what a value prints: booleans in lower case, everything else as Python writes it."""
    if value.text is not None:
        return value.text
    if value.value is None:
        return OwnedText("")
    if isinstance(value.value, bool):
        text = str(value.value).lower()
    else:
        text = str(value.value)
    return OwnedText(text, [value.name] * len(text))


# helpers


def _render_value_block(call: HelperCall, value: Value) -> OwnedText:
    if value.value != "" and not value.value:
        return call.render(False, call.scope)
    if isinstance(value.value, list):
        return _render_each(call, value)
    return call.render(True, call.scope if value.value is True else _make_scope(value))


def _make_scope(value: Value) -> Scope:
    """Return the scope of a value that is not gone through: the scope around it is itself."""
    return Scope(value, Scope(value))


def _render_each(call: HelperCall, value: Value) -> OwnedText:
    members = list(_list_members(value))
    if not members:
        return call.render(False, call.scope)
    pieces = []
    for number, (key, member) in enumerate(members):
        data = {"index": Value(number), "first": Value(number == 0), "last": Value(number == len(members) - 1)}
        if key is not None:
            data["key"] = Value(key)
        try:
            pieces.append(call.render(True, Scope(member, call.scope, data)))
        except PythonTypeFault:
            continue
    return join_owned(pieces)


def _list_members(value: Value) -> Iterator[tuple[str | None, Value]]:
    if isinstance(value.value, dict):
        for key, each in value.value.items():
            yield key, Value(each, f"{value.name}.{key}" if value.name else key)
    elif isinstance(value.value, list | str):
        for number, each in enumerate(value.value):
            yield None, Value(each, f"{value.name or ''}[{number}]" if isinstance(value.value, list) else value.name)


def _text(text: OwnedText) -> Value:
    return Value(text.text, text=text)


def _if(call: HelperCall) -> Value:
    _check_count(call)
    return _text(call.render(bool(call.params[0].value), call.scope))


def _unless(call: HelperCall) -> Value:
    _check_count(call)
    return _text(OwnedText("") if call.params[0].value else call.render(True, call.scope))


def _each(call: HelperCall) -> Value:
    _check_count(call)
    return _text(_render_each(call, call.params[0]))


def _with(call: HelperCall) -> Value:
    _check_count(call)
    return _text(call.render(True, _make_scope(call.params[0])))


def _check_count(call: HelperCall) -> None:
    if len(call.params) != 1 or call.pairs:
        raise PythonTypeFault(f"#{call.name} requires exactly one argument")


def _lookup(call: HelperCall) -> Value:
    inside, key = call.get(0), call.get(1).value
    try:
        return Value(inside.value[key], f"{inside.name or ''}[{key}]")
    except (KeyError, IndexError, TypeError):
        return NOTHING


def _message(call: HelperCall) -> Value:
    """Return a message tag; what stands in it is made safe once more, so that it is text whatever it holds."""
    element = ElementTree.Element("message")
    for key, value in call.pairs.items():
        if value.value is not None:
            element.set(key, str(value.value))
    if call.block is None:
        raise PythonTypeFault("the helper message needs a block")
    try:
        content = call.block(call.scope)
    except HandlebarsFault:  # the helper takes whatever goes wrong inside of it for an empty message
        content = OwnedText("")
    written = ElementTree.tostring(element, encoding="unicode", short_empty_elements=False)
    start, end = OwnedText(written.removesuffix("</message>")), OwnedText("</message>")
    if not content.text:
        return _text(join_owned([start, end]))
    safe = content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _text(join_owned([start, OwnedText("<text>"), safe, OwnedText("</text>"), end]))


def _set(call: HelperCall) -> Value:
    inside = call.scope.value.value
    pairs = {key: each.value for key, each in call.pairs.items()}
    chosen = []
    if "name" in pairs and "value" in pairs:
        chosen.append((pairs["name"], pairs["value"]))
    if len(call.params) == 2 and isinstance(call.params[0].value, str):
        chosen.append((call.params[0].value, call.params[1].value))
    for key, value in chosen:
        if not isinstance(inside, dict):
            raise PythonTypeFault("set: there is no object to set a value of")
        if isinstance(key, list | dict):
            raise PythonTypeFault("set takes the name of a value")
        inside[key] = value
    return Value("")


def _get(call: HelperCall) -> Value:
    if not call.params:
        return Value("")
    inside = call.scope.value.value
    if not isinstance(inside, dict):
        raise HandlebarsFault("get: there is no object to get a value of")
    name = call.params[0].value
    if isinstance(name, list | dict):
        raise PythonTypeFault("get takes the name of a value")
    return Value(inside.get(name, ""), str(name))


def _range(call: HelperCall) -> Value:
    numbers = []
    for each in call.params:
        try:
            numbers.append(int(each.value))
        except ValueError:
            continue
        except TypeError:
            raise PythonTypeFault("range takes numbers") from None
    if not 1 <= len(numbers) <= 3:
        return Value([])
    if len(numbers) == 3 and numbers[2] == 0:
        raise HandlebarsFault("range() arg 3 must not be zero")
    span = range(*numbers)
    if len(span) > MOST:
        raise HandlebarsFault(f"range lists more than {MOST:,} numbers")
    return Value(list(span))


def _numbers(call: HelperCall) -> list[float]:
    try:
        return [float(each.value) for each in call.params]
    except TypeError as error:
        raise PythonTypeFault(f"{call.name}: {error}") from None
    except ValueError as error:
        raise HandlebarsFault(f"{call.name}: {error}") from None


def _compare(holds: Callable[[float, float], bool]) -> Callable[[HelperCall], Value]:
    def compare(call: HelperCall) -> Value:
        call.get(1)
        left, right, *_ = _numbers(call)
        return Value(holds(left, right))

    return compare


def _subtract(call: HelperCall) -> Value:
    call.get(0)
    first, *rest = _numbers(call)
    return Value(first - sum(rest))


def _json(call: HelperCall) -> Value:
    if call.params:
        return Value(json.dumps(call.params[0].value), call.params[0].name)
    return Value("")


def _camel_case(call: HelperCall) -> Value:
    return Value("".join(word.capitalize() for word in _get_text(call).split("_")), call.params[0].name)


def _snake_case(call: HelperCall) -> Value:
    text = _get_text(call)
    for pattern in WORDS:
        text = pattern.sub(r"\1_\2", text)
    return Value(text.replace("-", "_").lower(), call.params[0].name)


def _get_text(call: HelperCall) -> str:
    text = call.get(0).value
    if not isinstance(text, str):
        is_camel = call.name in ("camel_case", "camelCase")
        raise (HandlebarsFault if is_camel else PythonTypeFault)(f"{call.name} takes a text")
    return text


def _messages(call: HelperCall) -> Value:
    inside = call.scope.value.value
    if not isinstance(inside, dict) or "chat_history" not in inside or call.block is None:
        raise HandlebarsFault("messages: the application's chat_history is not in the row")
    return Value("")


HELPERS: Mapping[str, Callable[[HelperCall], Value]] = {
    "if": _if,
    "unless": _unless,
    "each": _each,
    "with": _with,
    "lookup": _lookup,
    "log": lambda _: NOTHING,
    "set": _set,
    "get": _get,
    "array": lambda call: Value([each.value for each in call.params]),
    "range": _range,
    "concat": lambda call: Value(
        "".join(str(each.value) for each in call.params), next((each.name for each in call.params if each.name), None)
    ),
    "or": lambda call: Value(any(each.value for each in call.params)),
    "add": lambda call: Value(sum(_numbers(call))),
    "subtract": _subtract,
    "equals": lambda call: Value(call.get(0).value == call.get(1).value),
    **dict.fromkeys(("less_than", "lessThan"), _compare(lambda left, right: left < right)),
    **dict.fromkeys(("greater_than", "greaterThan"), _compare(lambda left, right: left > right)),
    **dict.fromkeys(("less_than_or_equal", "lessThanOrEqual"), _compare(lambda left, right: left <= right)),
    **dict.fromkeys(("greater_than_or_equal", "greaterThanOrEqual"), _compare(lambda left, right: left >= right)),
    "json": _json,
    **dict.fromkeys(("double_open", "doubleOpen"), lambda _: Value("{{")),
    **dict.fromkeys(("double_close", "doubleClose"), lambda _: Value("}}")),
    **dict.fromkeys(("camel_case", "camelCase"), _camel_case),
    **dict.fromkeys(("snake_case", "snakeCase"), _snake_case),
    "message": _message,
    **dict.fromkeys(("message_to_prompt", "messageToPrompt"), lambda call: Value(str(call.scope.value.value))),
    "messages": _messages,
}

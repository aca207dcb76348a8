"""Render a parsed Handlebars template as Handlebars 4.7 does, with the variable that wrote each character.

Values are those of JavaScript (`javascript_text`). Only members that a value has itself are looked up, never those of
its prototype. Helpers that a template may call are the built-in ones and those of the tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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
from readback.projects.handlebars.parser import parse_template
from readback.projects.javascript_text import (
    UNDEFINED,
    SafeText,
    TooDeep,
    add,
    are_equal,
    format_value,
    get_length,
    import_value,
    is_index,
    is_true,
    slice_text,
)
from readback.projects.owned_text import OwnedText, Owner, join_owned

LONGEST = 8 << 20  # characters of one rendered text
DEEP = 60  # blocks, helpers and partials that are under way at once
PARENT = "_parent"
SAFE_MEMBER = "string"
PARTIAL_BLOCK = "partial-block"
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;", "`": "&#x60;", "=": "&#x3D;"}

Helper = Callable[["HelperCall"], Any]


@dataclass(frozen=True, slots=True)
class Value:
    """A value and the name of the variable that it comes from; `pieces` are rendered text."""

    value: Any = UNDEFINED
    name: Owner = None
    pieces: OwnedText | None = None


NOTHING = Value()


@dataclass(frozen=True, slots=True)
class Added:
    """Numbers or truth values that stand one after the other at the beginning of a block and were added up.

    `names` are the variables that they come from; `typed` is what a reader of the template expects, `text` the sum.
    """

    names: tuple[str, ...]
    typed: str
    text: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What a stretch of a template sees: its context, those around it, the data of its blocks, and the names in them.

    `names` has for each block around, the innermost first, what it calls its values.
    """

    context: Value
    around: tuple[Value, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[Mapping[str, Value], ...] = ()
    partials: Mapping[str, Any] = field(default_factory=dict)

    def get_context(self, depth: int) -> Value:
        """Return the context `depth` steps up."""
        if depth == 0:
            return self.context
        if depth <= len(self.around):
            return self.around[depth - 1]
        return NOTHING


@dataclass(frozen=True, slots=True)
class HelperCall:
    """A call of a helper: its arguments, and how its block is rendered."""

    name: str
    params: Sequence[Value]
    pairs: Mapping[str, Value]
    scope: Scope
    block: Callable[[Value, Mapping[str, Any] | None, Sequence[Value]], Value] | None = None
    inverse: Callable[[Value, Mapping[str, Any] | None, Sequence[Value]], Value] | None = None

    def get(self, number: int) -> Value:
        """Return an argument. Raises HandlebarsFault where it is missing, as JavaScript takes another thing for it."""
        if number >= len(self.params):
            raise HandlebarsFault(f"the helper {self.name} needs {number + 1} argument(s)")
        return self.params[number]

    def render(
        self,
        holds: bool,
        context: Value | None = None,
        data: Mapping[str, Any] | None = None,
        values: Sequence[Value] = (),
    ) -> Value:
        """Return the block's text, or that of its `else`."""
        render = self.block if holds else self.inverse
        if render is None:
            raise HandlebarsFault(f"the helper {self.name} needs a block")
        return render(self.scope.context if context is None else context, data, values)


@dataclass(frozen=True, slots=True)
class HandlebarsOptions:
    """Say how a tool sets Handlebars up."""

    helpers: Mapping[str, Helper] = field(default_factory=dict)
    knows_all_helpers: bool = False  # knownHelpersOnly: a name with arguments that is no helper is an error
    escapes: bool = True
    partials: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)


def render_handlebars(
    template: str,
    values: Mapping[str, Any],
    options: HandlebarsOptions,
    missing: list[str] | None = None,
    added: list[Added] | None = None,
) -> OwnedText:
    """Return the rendered template. Raises HandlebarsFault with the tool's reason.

    The names that it prints and that have no value are put into `missing`, the numbers that become a sum into `added`.
    """
    try:
        program = parse_template(template)
        root = Value(import_value(dict(values)))
        data = {**{name: Value(import_value(each)) for name, each in options.data.items()}, "root": root}
        rendering = _Rendering(options, missing, added)
        if options.knows_all_helpers:
            rendering.check(program)
        return rendering.render(program, Scope(root, data=data, partials=options.partials))
    except RecursionError:
        raise HandlebarsFault("the template or a value has too many levels") from None
    except TooDeep:
        raise HandlebarsFault("a value has too many levels") from None


class _Rendering:
    def __init__(self, options: HandlebarsOptions, missing: list[str] | None, added: list[Added] | None = None) -> None:
        self.options = options
        self.missing = missing
        self.added = added
        self.helpers: dict[str, Helper] = {**BUILT_IN, **options.helpers}
        self.length = 0
        self.depth = 0
        self.parsed: dict[str, Program] = {}

    # checks

    def check(self, program: Program, names: tuple[tuple[str, ...], ...] = ()) -> None:
        """Refuse a helper that is not known, wherever it stands: the tool refuses it before anything is rendered."""
        names = (program.names, *names)
        for node in program.body:
            if isinstance(node, Mustache):
                self._check_call(node.call, names, is_nested=False)
            elif isinstance(node, Block):
                for stretch in (node.program, node.inverse):
                    if stretch is not None:
                        self.check(stretch, names)
                if not node.is_inline:
                    self._check_call(node.call, names, is_nested=False)
            elif isinstance(node, Partial):
                if node.program is not None:
                    self.check(node.program, names)
                for each in (*node.call.params, *(value for _, value in node.call.pairs), node.name):
                    if isinstance(each, Call):
                        self._check_call(each, names, is_nested=True)

    def _check_call(self, call: Call, names: tuple[tuple[str, ...], ...], is_nested: bool) -> None:
        for each in (*call.params, *(value for _, value in call.pairs)):
            if isinstance(each, Call):
                self._check_call(each, names, is_nested=True)
        is_value = call.path.is_simple and any(call.path.parts[0] in each for each in names)
        has_arguments = bool(call.params or call.pairs)
        if call.path.parts:
            name = call.path.parts[0]
        else:
            name = "undefined"
        if not is_value and (is_nested or has_arguments) and name not in self.helpers:
            raise HandlebarsFault(f"You specified knownHelpersOnly, but used the unknown helper {name}")

    # statements

    def render(self, program: Program, scope: Scope) -> OwnedText:
        """Return the text of a stretch of the template."""
        return as_text(self.evaluate(program, scope))

    def evaluate(self, program: Program, scope: Scope) -> Value:
        """Return what a stretch of the template gives: text, or a number where it holds nothing else.

        Its statements are joined by the plus of JavaScript, so that numbers at its beginning are added up.
        """
        self.depth += 1
        if self.depth > DEEP:
            raise HandlebarsFault(f"more than {DEEP} blocks are inside of each other")
        pieces: list[OwnedText] = []
        first: Value | None = None
        numbers: list[Value] = []  # that `first` is the sum of
        for node in program.body:
            if isinstance(node, Block) and node.is_inline:
                scope = self._define_partial(node, scope)
        for node in program.body:
            value = self._evaluate_statement(node, scope)
            if value is None:
                continue
            if value.pieces is None and not pieces:
                if first is None:
                    first = value
                else:
                    first = Value(add(first.value, value.value), first.name)
                numbers.append(value)
                continue
            if first is not None:
                self._note_sum(numbers, first)
                pieces.append(as_text(first))
                first = None
            pieces.append(as_text(value))
            self.length += len(pieces[-1].text)
            if self.length > LONGEST:
                raise HandlebarsFault(f"the text is longer than {LONGEST:,} characters")
        self.depth -= 1
        if first is None:
            return Value(pieces=join_owned(pieces))
        self._note_sum(numbers, first)
        return first

    def _note_sum(self, numbers: Sequence[Value], total: Value) -> None:
        """Note that numbers were added up where a reader of the template expects them one after the other."""
        if self.added is None or len(numbers) < 2:
            return
        names = tuple(dict.fromkeys(value.name for value in numbers if value.name))
        typed = "".join(format_value(value.value) for value in numbers)
        text = format_value(total.value)
        if typed != text:
            self.added.append(Added(names, typed, text))

    def _evaluate_statement(self, node: Any, scope: Scope) -> Value | None:
        """Return what a statement adds: text, or a number or boolean as it is; None where it adds nothing."""
        if isinstance(node, Content):
            if node.value:
                return Value(pieces=OwnedText(node.value))
            return None
        if isinstance(node, Mustache):
            value = self._call(node.call, scope, None, None)
            if self.missing is not None and value.value is UNDEFINED and value.pieces is None and value.name:
                self.missing.append(value.name)
            return self._print(value, node.escaped)
        if isinstance(node, Block) and not node.is_inline:
            return self._print(self._call(node.call, scope, node.program, node.inverse, is_block=True), escaped=False)
        if isinstance(node, Partial):
            return Value(pieces=self._render_partial(node, scope))
        return None

    def _print(self, value: Value, escaped: bool) -> Value:
        if value.pieces is not None:
            return value
        if value.value is None or value.value is UNDEFINED:
            return Value(pieces=OwnedText(""))
        if escaped and self.options.escapes and not isinstance(value.value, SafeText):
            text = "".join(ESCAPES.get(sign, sign) for sign in format_value(value.value))
            return Value(pieces=OwnedText(text, [value.name] * len(text)))
        if isinstance(value.value, bool | float):
            return value
        return Value(pieces=as_text(value))

    # names

    def _evaluate(self, expression: Expression, scope: Scope) -> Value:
        if isinstance(expression, Literal):
            return Value(expression.value)
        if isinstance(expression, Call):
            return self._call(expression, scope, None, None, is_nested=True)
        return self._look_up(expression, scope)

    def _look_up(self, path: Path, scope: Scope) -> Value:
        parts = path.parts
        if path.of_data:
            return _look_up_data(path, scope.data)
        if parts and not path.depth and not path.is_scoped:
            for names in scope.names:
                if parts[0] in names:
                    return _follow(names[parts[0]], parts[1:])
        return _follow(scope.get_context(path.depth), parts)

    def _call(
        self,
        call: Call,
        scope: Scope,
        program: Program | None,
        inverse: Program | None,
        is_block: bool = False,
        is_nested: bool = False,
    ) -> Value:
        path = call.path
        is_value = path.is_simple and any(path.parts[0] in names for names in scope.names)
        has_arguments = is_nested or bool(call.params or call.pairs)
        name = path.parts[0] if path.parts else ""
        is_helper = not is_value and (has_arguments or path.is_simple) and name in self.helpers
        if not is_helper and has_arguments and not is_value:
            raise HandlebarsFault(f'Missing helper: "{path.original}"')
        if not is_helper:
            value = self._look_up(path, scope)
            if not is_block:
                return value
            return self._render_value_block(value, self._make_call("", (), {}, scope, program, inverse))
        params = tuple(self._evaluate(each, scope) for each in call.params)
        pairs = {key: self._evaluate(each, scope) for key, each in call.pairs}
        if is_block:
            helper_call = self._make_call(name, params, pairs, scope, program, inverse)
        else:
            helper_call = HelperCall(name, params, pairs, scope)
        answer = self.helpers[name](helper_call)
        if isinstance(answer, Value):
            return answer
        return Value(answer)

    def _make_call(
        self,
        name: str,
        params: Sequence[Value],
        pairs: Mapping[str, Value],
        scope: Scope,
        program: Program | None,
        inverse: Program | None,
    ) -> HelperCall:
        if _is_nothing(scope.context.value):
            context = Value({}, scope.context.name)
        else:
            context = scope.context
        scope = replace(scope, context=scope.context)
        return HelperCall(
            name,
            params,
            pairs,
            replace(scope, context=context),
            self._make_renderer(program, scope),
            self._make_renderer(inverse, scope),
        )

    def _make_renderer(self, program: Program | None, scope: Scope) -> Any:
        def render(context: Value, data: Mapping[str, Any] | None, values: Sequence[Value]) -> Value:
            if program is None:
                return Value(pieces=OwnedText(""))
            names = dict(zip(program.names, values, strict=False))
            names = {**dict.fromkeys(program.names, NOTHING), **names}
            around = scope.around
            now = context
            if not _is_same(context.value, scope.context.value):
                around = (scope.context, *scope.around)
            inner = replace(scope, context=now, around=around, names=(names, *scope.names))
            return self.evaluate(program, inner if data is None else replace(inner, data=data))

        return render

    def _render_value_block(self, value: Value, call: HelperCall) -> Value:
        """Render a block with the name of a value: a list goes through its values, an object is the context."""
        if value.value is True:
            return call.render(True)
        if value.value is False or _is_nothing(value.value):
            return call.render(False)
        if isinstance(value.value, list):
            return _render_each(replace(call, params=(value,)))
        return call.render(True, value)

    # partials

    def _define_partial(self, node: Block, scope: Scope) -> Scope:
        names = [self._evaluate(each, scope) for each in node.call.params]
        if not names:
            raise HandlebarsFault("an inline partial needs a name")
        return replace(scope, partials={**scope.partials, format_value(names[0].value): node.program})

    def _render_partial(self, node: Partial, scope: Scope) -> OwnedText:
        if len(node.call.params) > 1:
            raise HandlebarsFault(f"Unsupported number of partial arguments: {len(node.call.params)}")
        if isinstance(node.name, Call):
            name = format_value(self._evaluate(node.name, scope).value)
        else:
            name = node.name.original
        if node.call.params:
            context = self._evaluate(node.call.params[0], scope)
        else:
            context = scope.context
        if node.call.pairs:
            if isinstance(context.value, dict):
                own = context.value
            else:
                own = {}
            more = {key: self._evaluate(each, scope) for key, each in node.call.pairs}
            context = Value({**own, **{key: each.value for key, each in more.items()}}, context.name)
        if name == "@partial-block":
            partial = scope.data.get(PARTIAL_BLOCK)
        else:
            partial = scope.partials.get(name)
        if node.program is not None:
            for each in node.program.body:
                if isinstance(each, Block) and each.is_inline:
                    scope = self._define_partial(each, scope)
        if partial is None and node.program is not None:
            partial = node.program
        if partial is None:
            raise HandlebarsFault(f"The partial {name} could not be found")
        text = self._run_partial(partial, node, context, scope)
        if node.indent:
            return _indent(text, node.indent)
        return text

    def _run_partial(self, partial: Any, node: Partial, context: Value, scope: Scope) -> OwnedText:
        data = dict(scope.data)
        if node.program is not None:
            outer = scope.data.get(PARTIAL_BLOCK)
            data = make_frame(scope.data)
            data[PARTIAL_BLOCK] = (node.program, scope, outer)
        around = scope.around
        if not _is_same(context.value, scope.context.value):
            around = (scope.context, *scope.around)
        if isinstance(partial, tuple):
            program, defined, outer = partial
            data = make_frame(scope.data)
            data[PARTIAL_BLOCK] = outer
            return self.render(program, replace(defined, context=context, data=data))
        if isinstance(partial, Program):
            program = partial
        else:
            program = self._parse_partial(partial)
        return self.render(program, replace(scope, context=context, around=around, data=data))

    def _parse_partial(self, text: str) -> Program:
        if text not in self.parsed:
            self.parsed[text] = parse_template(text)
            if self.options.knows_all_helpers:
                self.check(self.parsed[text])
        return self.parsed[text]


def make_frame(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a block inside: what the block around has, and the way back to it."""
    return {**data, PARENT: data}


def as_text(value: Value) -> OwnedText:
    """Return what a value prints."""
    if value.pieces is not None:
        return value.pieces
    if _is_nothing(value.value):
        text = ""
    else:
        text = format_value(value.value)
    return OwnedText(text, [value.name] * len(text))


def _indent(text: OwnedText, indent: str) -> OwnedText:
    lines, start = [], 0
    for line in text.text.split("\n"):
        lines.append(text.cut(start, start + len(line)))
        start += len(line) + 1
    last = len(lines) - 1
    shifted = [
        line if number == last and not line.text else join_owned([OwnedText(indent), line])
        for number, line in enumerate(lines)
    ]
    return join_owned(shifted, "\n")


def _is_nothing(value: Any) -> bool:
    return value is None or value is UNDEFINED


def _is_same(left: Any, right: Any) -> bool:
    """Whether two contexts are one: a null context becomes an empty object for the helpers in between."""
    if isinstance(left, dict) and not left and _is_nothing(right):
        return right is None
    if isinstance(left, dict | list) or isinstance(right, dict | list):
        return left is right
    return are_equal(left, right)


def _follow(value: Value, parts: Sequence[str]) -> Value:
    for part in parts:
        value = look_up_member(value, part)
    return value


def look_up_member(value: Value, member: str) -> Value:
    """Return a member that a value has itself; undefined where it has none."""
    if value.name:
        name = f"{value.name}.{member}"
    else:
        name = member
    inside = value.value
    if isinstance(inside, SafeText):  # an object that holds its text
        return Value(str(inside) if member == SAFE_MEMBER else UNDEFINED, value.name)
    if isinstance(inside, dict):
        return Value(inside.get(member, UNDEFINED), name)
    if isinstance(inside, list):
        if member == "length":
            return Value(float(len(inside)), name)
        name = f"{value.name or ''}[{member}]"
        return Value(inside[int(member)] if is_index(member) and int(member) < len(inside) else UNDEFINED, name)
    if isinstance(inside, str):
        if member == "length":
            return Value(float(get_length(inside)), name)
        is_inside = is_index(member) and int(member) < get_length(inside)
        return Value(slice_text(inside, int(member), int(member) + 1) if is_inside else UNDEFINED, value.name)
    return Value(inside if _is_nothing(inside) else UNDEFINED, name)


def _look_up_data(path: Path, data: Mapping[str, Any]) -> Value:
    for _ in range(path.depth):
        data = data.get(PARENT, {})
    if not path.parts:
        return Value({})
    first = data.get(path.parts[0], NOTHING)
    return _follow(first if isinstance(first, Value) else NOTHING, path.parts[1:])


# helpers


def is_empty(value: Any) -> bool:
    """Whether Handlebars takes a value for nothing: an empty list too, but not 0."""
    return (not is_true(value) and value != 0) or value is False or value == []


def _render_if(call: HelperCall) -> Value:
    return _decide(call, "#if", turned=False)


def _render_unless(call: HelperCall) -> Value:
    return _decide(call, "#unless", turned=True)


def _decide(call: HelperCall, name: str, turned: bool) -> Value:
    if len(call.params) != 1:
        raise HandlebarsFault(f"{name} requires exactly one argument")
    value = call.params[0].value
    includes_zero = is_true(call.pairs.get("includeZero", NOTHING).value)
    is_nothing = (not includes_zero and not is_true(value)) or is_empty(value)
    return call.render(is_nothing if turned else not is_nothing)


def _render_with(call: HelperCall) -> Value:
    if len(call.params) != 1:
        raise HandlebarsFault("#with requires exactly one argument")
    value = call.params[0]
    if is_empty(value.value):
        return call.render(False)
    return call.render(True, value, values=(value,))


def _render_each(call: HelperCall) -> Value:
    if not call.params:
        raise HandlebarsFault("Must pass iterator to #each")
    value = call.params[0]
    members = list(_list_members(value))
    pieces = []
    for number, (key, member) in enumerate(members):
        frame = make_frame(call.scope.data)
        frame["key"], frame["index"] = Value(key), Value(float(number))
        frame["first"], frame["last"] = Value(number == 0), Value(number == len(members) - 1)
        pieces.append(as_text(call.render(True, member, frame, (member, Value(key)))))
    if members:
        return Value(pieces=join_owned(pieces))
    return call.render(False)


def _list_members(value: Value) -> Iterator[tuple[Any, Value]]:
    if isinstance(value.value, list):
        for number, each in enumerate(value.value):
            yield float(number), Value(each, f"{value.name or ''}[{number}]")
    elif isinstance(value.value, SafeText):
        yield SAFE_MEMBER, Value(str(value.value), value.name)
    elif isinstance(value.value, dict):
        for key, each in value.value.items():
            yield key, Value(each, f"{value.name}.{key}" if value.name else key)


def _look_up_of(call: HelperCall) -> Value:
    value = call.get(0)
    if not is_true(value.value):
        return value
    return look_up_member(value, format_value(call.get(1).value))


def _log(_: HelperCall) -> Value:
    return NOTHING


BUILT_IN: Mapping[str, Helper] = {
    "if": _render_if,
    "unless": _render_unless,
    "with": _render_with,
    "each": _render_each,
    "lookup": _look_up_of,
    "log": _log,
}

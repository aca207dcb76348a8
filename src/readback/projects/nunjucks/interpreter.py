"""Run a parsed template: its text in stretches that remember which variable they come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from readback.projects.javascript_text import (
    UNDEFINED,
    SafeText,
    TooDeep,
    add,
    are_equal,
    are_identical,
    format_value,
    is_at_most,
    is_less,
    is_text,
    is_true,
    make_number,
    order_keys,
)
from readback.projects.nunjucks import nodes
from readback.projects.nunjucks.fault import LEVELS, STEPS, TemplateFault, check_text, refuse_unknown
from readback.projects.nunjucks.filters import FILTERS, Keywords, fit_call
from readback.projects.nunjucks.globals import GLOBALS
from readback.projects.nunjucks.members import OBJECT_MEMBERS, get_member, has_member
from readback.projects.nunjucks.parser import parse
from readback.projects.nunjucks.value_tests import TESTS


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of what a template wrote: by a variable, or the template's own text at an offset."""

    text: str
    variable: str | None = None
    offset: int | None = None


Trace = Sequence[Chunk]


def render(
    template: str,
    variables: Mapping[str, Any],
    environment: Mapping[str, str] | None = None,
    traces: Mapping[str, Trace] | None = None,
) -> list[Chunk]:
    """Return what a template writes with these variables; raises TemplateFault.

    `environment` is what `env` holds. `traces` are stretches of the values of variables that are themselves rendered:
    a plain `{{ name }}` gives them instead of one stretch.
    """
    run = _Run(dict(variables), dict(environment or {}), traces or {})
    try:
        run.write_all(parse(template), _Scope())
    except (RecursionError, TooDeep):
        raise TemplateFault("it has too many levels", unknown=True) from None
    except OverflowError:
        raise TemplateFault("a number is too large", unknown=True) from None
    return run.out


@dataclass(slots=True)
class _Frame:
    """Variables set while the template runs; `isolated` frames do not pass a new value to those outside."""

    parent: _Frame | None = None
    isolated: bool = False
    is_top: bool = False
    variables: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str | None] = field(default_factory=dict)

    def look_up(self, name: str) -> _Frame | None:
        """Return the nearest frame where the name has a value."""
        frame: _Frame | None = self
        while frame is not None:
            if frame.variables.get(name, UNDEFINED) is not UNDEFINED:
                return frame
            frame = frame.parent
        return None

    def assign(self, name: str, value: Any, origin: str | None) -> None:
        """Set a name where it has a value already, else here."""
        target: _Frame | None = self
        while target is not None and target.variables.get(name, UNDEFINED) is UNDEFINED:
            if target.isolated:
                target = None
            else:
                target = target.parent
        target = target or self
        target.variables[name] = value
        target.origins[name] = origin


@dataclass(slots=True)
class _Scope:
    """Names that nunjucks compiles to variables of JavaScript: of loops, of macros and their arguments."""

    parent: _Scope | None = None
    names: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str | None] = field(default_factory=dict)

    def look_up(self, name: str) -> _Scope | None:
        """Return the nearest scope that has the name."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope
            scope = scope.parent
        return None


class _Run:
    """One rendering."""

    def __init__(self, context: dict[str, Any], environment: dict[str, str], traces: Mapping[str, Trace]) -> None:
        self.context = context
        self.globals: dict[str, Any] = {**GLOBALS, "env": environment}
        self.traces = traces
        self.frame = _Frame(is_top=True)
        self.out: list[Chunk] = []
        self.lengths: dict[nodes.For, Any] = {}
        self.steps = 0
        self.written = 0
        self.level = 0
        self.assigned: dict[str, str | None] = {}

    def step(self) -> None:
        """Count a part that runs."""
        self.steps += 1
        if self.steps > STEPS:
            raise TemplateFault(f"it takes more than {STEPS} steps", unknown=True)

    def write(self, chunk: Chunk) -> None:
        """Add a stretch."""
        if chunk.text:
            self.written += len(chunk.text)
            check_text(self.written)
            self.out.append(chunk)

    def write_all(self, body: Iterable[nodes.Node], scope: _Scope) -> None:
        """Run statements."""
        for node in body:
            self.step()
            STATEMENTS[type(node)](self, node, scope)

    def capture(self, body: Sequence[nodes.Node], scope: _Scope) -> str:
        """Return what statements write."""
        out, written, lengths = self.out, self.written, self.lengths
        self.out, self.lengths = [], {}
        try:
            self.write_all(body, scope)
            return "".join(chunk.text for chunk in self.out)
        finally:
            self.out, self.written, self.lengths = out, written, lengths

    def write_data(self, node: nodes.Data, _: _Scope) -> None:
        """Write text of the template."""
        self.write(Chunk(node.text, offset=node.offset))

    def write_output(self, node: nodes.Output, scope: _Scope) -> None:
        """Write the value of an expression."""
        value = self.evaluate(node.expression, scope)
        if value is None or value is UNDEFINED:
            return
        expression = node.expression
        if isinstance(expression, nodes.Symbol) and expression.name in self.traces:
            trace = self.traces[expression.name]
            if value == "".join(chunk.text for chunk in trace):
                for chunk in trace:
                    self.write(chunk)
                return
        if callable(value):
            raise refuse_unknown("the text of a function", node.offset)
        self.write(Chunk(format_value(value), self.get_origin(expression, scope), node.offset))

    def write_if(self, node: nodes.If, scope: _Scope) -> None:
        """Run one of two bodies."""
        is_met = is_true(self.evaluate(node.condition, scope))
        self.write_all(node.body if is_met else node.other, scope)

    def write_for(self, node: nodes.For, scope: _Scope) -> None:
        """Run the body for each item; the length of an earlier run stands where there is nothing to run over."""
        outer = self.frame
        self.frame = _Frame(outer)
        inner = _Scope(scope)
        items = self.evaluate(node.over, scope)
        origin = self.get_origin(node.over, scope)
        length = self.lengths.get(node, UNDEFINED)
        if is_true(items):
            if len(node.names) == 1:
                length = self.loop_items(node, inner, items, origin)
            elif isinstance(items, list):
                length = self.loop_rows(node, inner, items, origin)
            else:
                length = self.loop_pairs(node, inner, items, origin)
            self.lengths[node] = length
        if not is_true(length):
            self.write_all(node.other, inner)
        self.frame = outer

    def loop_items(self, node: nodes.For, scope: _Scope, items: Any, origin: str | None) -> Any:
        """Run over a list, the units of a text, or what has a length."""
        length = get_member(items, "length")
        count = make_number(length)
        if math.isnan(count):
            return length
        for index in range(int(min(max(0.0, math.ceil(count)), STEPS + 1.0))):
            self.bind(scope, node.names[0], get_member(items, str(index)), origin)
            self.bind_loop(index, count)
            self.run_body(node, scope)
        return length

    def loop_rows(self, node: nodes.For, scope: _Scope, rows: list[Any], origin: str | None) -> Any:
        """Run over a list of lists, whose items have the names."""
        for index, row in enumerate(rows):
            for position, name in enumerate(node.names):
                if row is None or row is UNDEFINED:
                    raise TemplateFault(f"cannot read the items of {format_value(row)}", node.offset)
                self.bind(scope, name, get_member(row, str(position)), origin)
            self.bind_loop(index, len(rows))
            self.run_body(node, scope)
        return float(len(rows))

    def loop_pairs(self, node: nodes.For, scope: _Scope, items: Any, origin: str | None) -> Any:
        """Run over the keys and values of an object."""
        pairs: list[tuple[str, Any]] = []
        if isinstance(items, dict):
            pairs = list(items.items())
        elif isinstance(items, str):
            units = int(make_number(get_member(items, "length")))
            pairs = [(str(i), get_member(items, str(i))) for i in range(units)]
        for index, (key, value) in enumerate(pairs):
            self.bind(scope, node.names[0], key, origin)
            self.bind(scope, node.names[1], value, origin)
            self.bind_loop(index, len(pairs))
            self.run_body(node, scope)
        return float(len(pairs))

    def run_body(self, node: nodes.For, scope: _Scope) -> None:
        """Run the body of a loop once."""
        self.step()
        self.write_all(node.body, scope)

    def bind(self, scope: _Scope, name: str, value: Any, origin: str | None) -> None:
        """Give a name of a loop its value."""
        scope.names[name] = value
        scope.origins[name] = origin
        self.frame.variables[name] = value
        self.frame.origins[name] = origin

    def bind_loop(self, index: int, length: float) -> None:
        """Set `loop` for a turn."""
        self.frame.variables["loop"] = {
            "index": index + 1.0,
            "index0": float(index),
            "revindex": float(length - index),
            "revindex0": float(length - index - 1),
            "first": index == 0,
            "last": index == length - 1,
            "length": float(length),
        }

    def write_set(self, node: nodes.Set, scope: _Scope) -> None:
        """Assign a value."""
        value = self.evaluate(node.value, scope)
        origin = self.get_origin(node.value, scope)
        for name in node.names:
            if holder := scope.look_up(name):
                holder.names[name] = value
                holder.origins[name] = origin
            self.frame.assign(name, value, origin)
            if self.frame.is_top:
                self.context[name] = value
                self.assigned[name] = origin

    def write_macro(self, node: nodes.Macro, scope: _Scope) -> None:
        """Define a macro."""
        macro = self.make_macro(node, None)
        scope.names[node.name] = macro
        if scope.parent is not None:
            self.frame.variables[node.name] = macro
        else:
            self.context[node.name] = macro
            self.assigned[node.name] = None

    def write_block(self, node: nodes.Block, _: _Scope) -> None:
        """Run a named block where it stands."""
        lengths, self.lengths = self.lengths, {}
        outer, self.frame = self.frame, _Frame(self.frame, isolated=True)
        self.write_all(node.body, _Scope())
        self.frame, self.lengths = outer, lengths

    def write_switch(self, node: nodes.Switch, scope: _Scope) -> None:
        """Run the first case that is identical, and those after it while they are empty."""
        subject = self.evaluate(node.subject, scope)
        is_met = False
        for condition, body in node.cases:
            is_met = is_met or are_identical(subject, self.evaluate(condition, scope))
            if is_met and body:
                self.write_all(body, scope)
                return
        self.write_all(node.default or [], scope)

    def make_macro(self, node: nodes.Macro, scope: _Scope | None) -> Callable[..., Any]:
        """Return a macro as a function; with a scope it is the body of a call block."""

        def call_macro(*written: Any) -> Any:
            self.step()
            args, keywords = _match_arguments(node, list(written))
            caller_frame, self.level = self.frame, self.level + 1
            if self.level > LEVELS:
                raise TemplateFault(f"macros call each other more than {LEVELS} levels deep", unknown=True)
            if scope is not None:
                self.frame = _Frame(caller_frame, isolated=True)
            else:
                self.frame = _Frame()
            inner = _Scope(scope)
            if "caller" in keywords:
                self.frame.variables["caller"] = keywords["caller"]
            try:
                for name, value in zip(node.args, args, strict=False):
                    inner.names[name] = self.frame.variables[name] = value
                for name, default in node.defaults:
                    if name in keywords:
                        value = keywords[name]
                    else:
                        value = self.evaluate(default, inner)
                    self.frame.variables[name] = value
                return SafeText(self.capture(node.body, inner))
            finally:
                self.frame, self.level = caller_frame, self.level - 1

        return call_macro

    def evaluate(self, node: nodes.Node, scope: _Scope) -> Any:
        """Return the value of an expression."""
        self.step()
        return EXPRESSIONS[type(node)](self, node, scope)

    def get_literal(self, node: nodes.Literal, _: _Scope) -> Any:
        """Return a literal."""
        return node.value

    def get_symbol(self, node: nodes.Symbol, scope: _Scope) -> Any:
        """Return the value of a name: of a loop or macro, set before, of the row, or one of nunjucks' own."""
        name = node.name
        if holder := scope.look_up(name):
            return holder.names[name]
        if frame := self.frame.look_up(name):
            return frame.variables[name]
        if name in self.context:
            return self.context[name]
        if name in self.globals:
            return self.globals[name]
        if name in OBJECT_MEMBERS:
            raise refuse_unknown(f"the name {name}, which every object of JavaScript has,", node.offset)
        return UNDEFINED

    def get_group(self, node: nodes.Group, scope: _Scope) -> Any:
        """Return the last of some expressions."""
        return [self.evaluate(each, scope) for each in node.items][-1]

    def get_list(self, node: nodes.ListOf, scope: _Scope) -> Any:
        """Return a list."""
        return [self.evaluate(each, scope) for each in node.items]

    def get_dict(self, node: nodes.DictOf, scope: _Scope) -> Any:
        """Return an object, or named arguments."""
        pairs = {key: self.evaluate(each, scope) for key, each in node.pairs}
        if node.keywords:
            return Keywords(pairs)
        return order_keys(pairs)

    def get_caller(self, node: nodes.Macro, scope: _Scope) -> Any:
        """Return the body of a call block as a function."""
        return self.make_macro(node, scope)

    def get_member(self, node: nodes.Member, scope: _Scope) -> Any:
        """Return a member; a member of nothing is undefined."""
        target = self.evaluate(node.target, scope)
        key = self.evaluate(node.key, scope)
        if target is None or target is UNDEFINED:
            return UNDEFINED
        try:
            return get_member(target, format_value(key))
        except TemplateFault as fault:
            fault.offset = fault.offset or node.offset
            raise

    def get_call(self, node: nodes.Call, scope: _Scope) -> Any:
        """Call a function."""
        function = self.evaluate(node.target, scope)
        args = [self.evaluate(each, scope) for each in node.args]
        if not callable(function):
            name = _name(node.target)
            raise TemplateFault(f"unable to call `{name}`, which is not a function", node.offset)
        return self.apply(function, args, node.offset)

    def get_filter(self, node: nodes.Filter, scope: _Scope) -> Any:
        """Apply a filter."""
        function = FILTERS.get(node.name)
        if function is None:
            raise TemplateFault(f"filter not found: {node.name}", node.offset)
        return self.apply(function, [self.evaluate(each, scope) for each in node.args], node.offset)

    def apply(self, function: Callable[..., Any], args: list[Any], offset: int) -> Any:
        """Call a function of ours; what it refuses gets the place of the call."""
        try:
            value = fit_call(function, args)
        except TemplateFault as fault:
            if fault.offset is None:
                fault.offset = offset
            raise
        if isinstance(value, str):
            check_text(len(value))
        return value

    def get_test(self, node: nodes.Is, scope: _Scope) -> Any:
        """Apply a test."""
        function = TESTS.get(node.test)
        if function is None:
            raise TemplateFault(f"test not found: {node.test}", node.offset)
        args = [self.evaluate(node.left, scope), *(self.evaluate(each, scope) for each in node.args)]
        return self.apply(function, args, node.offset)

    def get_capture(self, node: nodes.Capture, scope: _Scope) -> Any:
        """Return what a block writes."""
        return self.capture(node.body, scope)

    def get_choice(self, node: nodes.Choice, scope: _Scope) -> Any:
        """Return one of two values."""
        is_met = is_true(self.evaluate(node.condition, scope))
        return self.evaluate(node.body if is_met else node.other, scope)

    def get_unary(self, node: nodes.Unary, scope: _Scope) -> Any:
        """Return `!`, `-` or `+` of a value."""
        if len(node.operator) > 1:
            raise TemplateFault(f"{node.operator} is no operator", node.offset)
        value = self.evaluate(node.operand, scope)
        if node.operator == "!":
            return not is_true(value)
        number = make_number(value)
        if node.operator == "-":
            return -number
        return number

    def get_binary(self, node: nodes.Binary, scope: _Scope) -> Any:
        """Return the value of two operands."""
        left = self.evaluate(node.left, scope)
        if node.operator == "||":
            if is_true(left):
                return left
            return self.evaluate(node.right, scope)
        if node.operator == "&&":
            if is_true(left):
                return self.evaluate(node.right, scope)
            return left
        right = self.evaluate(node.right, scope)
        if node.operator == "in":
            return self.contains(left, right, node.offset)
        return OPERATORS[node.operator](left, right)

    def contains(self, key: Any, holder: Any, offset: int) -> bool:
        """Return `key in holder`."""
        if isinstance(holder, list):
            return any(are_identical(key, each) for each in holder)
        if is_text(holder):
            return format_value(key) in holder
        if isinstance(holder, dict):
            return has_member(holder, format_value(key))
        if isinstance(holder, SafeText):
            return format_value(key) in ("val", "length") or format_value(key) in OBJECT_MEMBERS
        raise TemplateFault(f'cannot use "in" to search for "{format_value(key)}" in unexpected types', offset)

    def get_origin(self, node: nodes.Node, scope: _Scope) -> str | None:
        """Return the variable of the row that an expression takes its text from, None where it is the template."""
        for name in _list_symbols(node):
            if holder := scope.look_up(name):
                origin = holder.origins.get(name)
            elif frame := self.frame.look_up(name):
                origin = frame.origins.get(name)
            elif name in self.assigned:
                origin = self.assigned[name]
            else:
                origin = name if name in self.context else None
            if origin is not None:
                return origin
        return None


def _match_arguments(node: nodes.Macro, written: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return positional and named arguments as nunjucks' makeMacro passes them."""
    if written and isinstance(written[-1], Keywords):
        keywords = dict(written.pop())
    else:
        keywords = {}
    names, further = node.args, [name for name, _ in node.defaults]
    args = written[: len(names)]
    for name, value in zip(further, written[len(names) :], strict=False):
        keywords[name] = value
    for name in names[len(args) :]:
        args.append(keywords.pop(name, UNDEFINED))
    return args, keywords


def _list_symbols(node: nodes.Node) -> Iterable[str]:
    """Yield the names in an expression that may give it its text, the nearest first."""
    if isinstance(node, nodes.Symbol):
        yield node.name
    elif isinstance(node, nodes.Member | nodes.Call):
        yield from _list_symbols(node.target)
        for each in node.args if isinstance(node, nodes.Call) else ():
            yield from _list_symbols(each)
    elif isinstance(node, nodes.Filter):
        for each in node.args:
            yield from _list_symbols(each)
    elif isinstance(node, nodes.Binary):
        yield from _list_symbols(node.left)
        yield from _list_symbols(node.right)
    elif isinstance(node, nodes.Unary):
        yield from _list_symbols(node.operand)
    elif isinstance(node, nodes.Choice):
        yield from _list_symbols(node.body)
        yield from _list_symbols(node.other)
    elif isinstance(node, nodes.Group | nodes.ListOf):
        for each in node.items:
            yield from _list_symbols(each)


def _name(node: nodes.Node) -> str:
    if isinstance(node, nodes.Symbol):
        return node.name
    if isinstance(node, nodes.Member) and isinstance(node.key, nodes.Literal):
        return f"{_name(node.target)}.{format_value(node.key.value)}"
    return "the expression"


def join_or_add(left: Any, right: Any) -> Any:
    """Return left + right, within the bound of a text."""
    added = add(left, right)
    check_text(len(added) if isinstance(added, str) else 0)
    return added


def divide(left: Any, right: Any) -> float:
    """Return left / right: infinite by zero."""
    dividend, divisor = make_number(left), make_number(right)
    if divisor != 0:
        return dividend / divisor
    if dividend == 0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def get_remainder(left: Any, right: Any) -> float:
    """Return left % right, with the sign of the left."""
    dividend, divisor = make_number(left), make_number(right)
    if math.isnan(dividend) or math.isnan(divisor) or math.isinf(dividend) or divisor == 0:
        return math.nan
    return math.fmod(dividend, divisor)


def round_down(left: Any, right: Any) -> float:
    """Return Math.floor(left / right)."""
    quotient = divide(left, right)
    if math.isnan(quotient) or math.isinf(quotient):
        return quotient
    return float(math.floor(quotient))


def raise_to_power(left: Any, right: Any) -> float:
    """Return Math.pow(left, right)."""
    base, exponent = make_number(left), make_number(right)
    if math.isnan(exponent) or (abs(base) == 1 and math.isinf(exponent)):
        return math.nan
    try:
        return math.pow(base, exponent)
    except OverflowError:
        if base < 0 and exponent % 2 == 1:
            return -math.inf
        return math.inf
    except ValueError:
        if base == 0:
            return math.inf
        return math.nan


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": join_or_add,
    "-": lambda left, right: make_number(left) - make_number(right),
    "*": lambda left, right: make_number(left) * make_number(right),
    "/": divide,
    "%": get_remainder,
    "floor": round_down,
    "pow": raise_to_power,
    "==": are_equal,
    "!=": lambda left, right: not are_equal(left, right),
    "===": are_identical,
    "!==": lambda left, right: not are_identical(left, right),
    "<": is_less,
    ">": lambda left, right: is_less(right, left),
    "<=": is_at_most,
    ">=": lambda left, right: is_at_most(right, left),
}

STATEMENTS: dict[type[nodes.Node], Callable[[_Run, Any, _Scope], None]] = {
    nodes.Data: _Run.write_data,
    nodes.Output: _Run.write_output,
    nodes.If: _Run.write_if,
    nodes.For: _Run.write_for,
    nodes.Set: _Run.write_set,
    nodes.Macro: _Run.write_macro,
    nodes.Block: _Run.write_block,
    nodes.Switch: _Run.write_switch,
}

EXPRESSIONS: dict[type[nodes.Node], Callable[[_Run, Any, _Scope], Any]] = {
    nodes.Literal: _Run.get_literal,
    nodes.Symbol: _Run.get_symbol,
    nodes.Group: _Run.get_group,
    nodes.ListOf: _Run.get_list,
    nodes.DictOf: _Run.get_dict,
    nodes.Macro: _Run.get_caller,
    nodes.Member: _Run.get_member,
    nodes.Call: _Run.get_call,
    nodes.Filter: _Run.get_filter,
    nodes.Is: _Run.get_test,
    nodes.Capture: _Run.get_capture,
    nodes.Choice: _Run.get_choice,
    nodes.Unary: _Run.get_unary,
    nodes.Binary: _Run.get_binary,
}

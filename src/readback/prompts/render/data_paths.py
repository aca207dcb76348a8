"""Find which data a Jinja template reads, as far as the template itself says, and which values it goes into."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any, Literal

from jinja2 import nodes

from readback.readers.tables.table_columns import looks_like_python
from readback.records.fields.field_path import MASK

BUSY = "\0"  # before a name whose sources are being looked up


@dataclass(frozen=True, slots=True)
class Chain:
    """Hold `root.key[0]` in parts: the expression of every prefix, and the keys between (a node when computed)."""

    prefixes: tuple[nodes.Expr, ...]
    keys: tuple[str | int | nodes.Expr, ...]

    @property
    def root(self) -> str:
        """Return the name that the chain begins with."""
        name: str = self.prefixes[0].name  # type: ignore[attr-defined]
        return name

    @property
    def rest(self) -> str:
        """Return the path behind the root, with [*] for computed keys."""
        return "".join("[*]" if isinstance(key, nodes.Expr) else format_step(key) for key in self.keys)


@dataclass(frozen=True, slots=True)
class Each:
    """Stand for an item of what `expr` gives: where the variable of a loop comes from."""

    expr: nodes.Node


Source = nodes.Node | Each | None  # None: not said by one expression


def format_step(key: str | int) -> str:
    """Format one key of a path: `.title` or `[2]`."""
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}"


def find_chain(expr: nodes.Node) -> Chain | None:
    """Return the chain that `expr` is, or None when it is something else."""
    key: str | int | nodes.Expr
    if isinstance(expr, nodes.Name):
        return Chain((expr,), ())
    if isinstance(expr, nodes.Getattr):
        holder, key = expr.node, expr.attr
    elif isinstance(expr, nodes.Getitem) and not isinstance(expr.arg, nodes.Slice):
        holder, key = expr.node, _constant_or_node(expr.arg)
    elif isinstance(expr, nodes.Call) and isinstance(expr.node, nodes.Getattr) and is_get_call(expr):
        holder, key = expr.node.node, _constant_or_node(expr.args[0])
    else:
        return None
    inner = find_chain(holder)
    if inner:
        return Chain((*inner.prefixes, expr), (*inner.keys, key))
    return None


def _constant_or_node(arg: nodes.Expr) -> str | int | nodes.Expr:
    return arg.value if isinstance(arg, nodes.Const) and type(arg.value) in (str, int) else arg


def is_get_call(expr: nodes.Node) -> bool:
    """Tell whether `expr` is `x.get("key")` or `x.get("key", otherwise)`."""
    is_get = isinstance(expr, nodes.Call) and isinstance(expr.node, nodes.Getattr) and expr.node.attr == "get"
    return is_get and len(expr.args) in (1, 2) and isinstance(expr.args[0], nodes.Const)  # type: ignore[attr-defined]


def strip_calls(expr: nodes.Node) -> nodes.Node:
    """Return what is left of `expr` without filters, slices and method calls: x of `x[:9].strip() | upper`."""
    while True:
        match expr:
            case nodes.Filter(node=nodes.Expr() as inner):
                expr = inner
            case nodes.Getitem(arg=nodes.Slice()):
                expr = expr.node
            case nodes.Call(node=nodes.Getattr() as method) if not is_get_call(expr):
                expr = method.node
            case _:
                return expr


@dataclass(slots=True)
class Names:
    """Hold the names of a template: those it reads from the values, and those it sets, with what they are set from."""

    context: frozenset[str]
    sources: dict[str, list[Source]]
    starts_by_name: dict[str, frozenset[str] | None] = field(default_factory=dict)

    def reads(self, name: str) -> bool:
        """Tell whether `name` is always a value from outside: read, and nowhere set."""
        return name in self.context and name not in self.sources

    def certain(self, expr: nodes.Node) -> frozenset[str] | None:
        """Return the paths whose data `expr` shows, without running it: {"sheet_chunks[*].text"}; empty: no data at
        all.

        Returns None when the template alone does not say.
        """
        chain = find_chain(strip_calls(expr))
        if chain is None:
            return self._together(_outermost(expr))
        if chain.root == "loop" and chain.root not in self.sources:
            if chain.keys[:1] in (("previtem",), ("nextitem",)):
                return None
            return self._together(_arguments(expr))
        starts = self._starts(chain.root)
        if not starts:
            if starts is None:
                return starts
            return self._together(_arguments(expr))
        if len(starts) == 1:
            return frozenset(start + chain.rest for start in starts)
        return starts

    def _starts(self, name: str) -> frozenset[str] | None:
        if name not in self.starts_by_name:
            itself = BUSY + name
            self.starts_by_name[name] = frozenset(
                {itself}
            )  # `{% set x = x | trim %}` adds nothing to where x comes from
            starts = self._of_sources(name)
            starts = starts and starts - {itself}
            self.starts_by_name[name] = None if starts and any(each.startswith(BUSY) for each in starts) else starts
        return self.starts_by_name[name]

    def _of_sources(self, name: str) -> frozenset[str] | None:
        sources = self.sources.get(name, [])
        if name in self.context:
            starts = [frozenset({name})]
        else:
            starts = []
        for source in sources:
            source_starts = self._of_source(source)
            if source_starts is None:
                return None
            starts.append(source_starts)
        if any(starts) and not all(starts):  # the text of the template in one case, data in another
            return None
        return frozenset().union(*starts)

    def _of_source(self, source: Source) -> frozenset[str] | None:
        if isinstance(source, Each):
            starts = self.certain(source.expr)
            whole = starts and len(starts) == 1 and find_chain(strip_calls(source.expr))
            if starts and whole:
                return frozenset(start + "[*]" for start in starts)
            return starts
        if source is None:
            return None
        return self.certain(source)

    def _together(self, parts: Iterator[nodes.Node]) -> frozenset[str] | None:
        together: set[str] = set()
        for part in parts:
            paths = self.certain(part)
            if paths is None:
                return None
            together |= paths
        return frozenset(together)


def _outermost(node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the longest chains below `node`; of a method call its object, and the chains in its arguments."""
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Expr) and (chain := find_chain(strip_calls(child))):
            yield chain.prefixes[-1]
            yield from _arguments(child)
        else:
            yield from _outermost(child)


def _arguments(expr: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the chains in the filters, calls and computed keys around the object of `expr`."""
    while True:
        if isinstance(expr, nodes.Filter | nodes.Call):
            unpacked = [argument for argument in (expr.dyn_args, expr.dyn_kwargs) if argument is not None]
            yield from _outermost(nodes.List([*expr.args, *(pair.value for pair in expr.kwargs), *unpacked]))
            called = isinstance(expr, nodes.Call) and isinstance(expr.node, nodes.Getattr)
            inner = expr.node.node if called else expr.node  # type: ignore[union-attr]
        elif isinstance(expr, nodes.Getitem):
            yield from _outermost(nodes.List([expr.arg]) if isinstance(expr.arg, nodes.Expr) else expr)
            inner = expr.node
        elif isinstance(expr, nodes.Getattr):
            inner = expr.node
        else:
            return
        if inner is None:
            return
        expr = inner


def find_names(tree: nodes.Template, reads: frozenset[str]) -> Names:
    """Return the names that `tree` sets, beside those that compiling showed it to read."""
    sources: dict[str, list[Source]] = {}
    for node in _walk_nodes(tree):
        for target, source in _bindings(node):
            sources.setdefault(target, []).append(source)
    return Names(reads, sources)


def _walk_nodes(node: nodes.Node) -> Iterator[nodes.Node]:
    for child in node.iter_child_nodes():
        yield child
        yield from _walk_nodes(child)


def _bindings(node: nodes.Node) -> Iterator[tuple[str, Source]]:
    if isinstance(node, nodes.Assign):
        yield from ((name, node.node) for name in _targets(node.target))
    elif isinstance(node, nodes.For):
        yield from ((name, Each(node.iter)) for name in _targets(node.target))
    elif isinstance(node, nodes.With):
        for target, value in zip(node.targets, node.values, strict=True):
            yield from ((name, value) for name in _targets(target))
    elif isinstance(node, nodes.Macro | nodes.CallBlock):
        yield from ((name, None) for arg in node.args for name in _targets(arg))
        if isinstance(node, nodes.Macro):
            yield node.name, None
    elif isinstance(node, nodes.AssignBlock):
        yield from ((name, None) for name in _targets(node.target))


def _targets(target: nodes.Node) -> Iterator[str]:
    if isinstance(target, nodes.Name | nodes.NSRef):
        yield target.name
    else:
        for child in target.iter_child_nodes():
            yield from _targets(child)


def find_first_lines(tree: nodes.Template, names: Names) -> dict[str, int]:
    """Return the names read from the values, dotted where the template says so, with the line where each first
    appears.
    """
    lines: dict[str, int] = {}
    for expr in _outermost(tree):
        chain = find_chain(expr)
        if chain is None or chain.root not in names.context or chain.prefixes[0].ctx != "load":  # type: ignore[attr-defined]
            continue
        # elsewhere the name is another thing
        if names.reads(chain.root):
            keys = chain.keys
        else:
            keys = ()
        fixed = takewhile(lambda key: isinstance(key, str), keys)
        name = ".".join((chain.root, *map(str, fixed)))
        lines[name] = min(lines.get(name, expr.lineno), expr.lineno)
    return lines


How = Literal["loop", "few", "key"]
# Filters that go through the items of what is before them; of those in FEW a text's characters may be meant.
GOING = ("batch", "dictsort", "groupby", "items", "join", "map", "reject", "rejectattr", "select", "selectattr", "sum")
FEW = ("first", "last", "list", "max", "min", "random", "reverse", "slice", "sort", "unique")
ITERATING = frozenset((*GOING, *FEW))
WHOLE = frozenset(("batch", "d", "default", "list", "reverse", "slice", "sort", "unique"))  # give what is before them
ASKING = ("string", "mapping", "sequence", "iterable")  # tests that tell a text from a list
HOLDERS = frozenset(("items", "keys", "values", "copy", "get"))  # methods of an object, and of no text
TEXTS = frozenset(name for name in dir(str) if not name.startswith("_"))
MAX_PATHS = 100  # paths of one expression
EACH = "[*]"


@dataclass(slots=True)
class EnteredPaths:
    """Hold the paths that a template goes into, each with how and the line where it first does.

    `roots` are the names of the values they begin with, and those of values that may be gone into: what a macro is
    called with. `guarded` are paths of which the template tests whether they are texts: it is ready for either.
    """

    paths: dict[tuple[str, How], int] = field(default_factory=dict)
    maybe: set[str] = field(default_factory=set)
    guarded: set[str] = field(default_factory=set)

    @property
    def roots(self) -> frozenset[str]:
        """Return the names of the values that the template goes into or may go into."""
        roots = {find_root(path) for path, _ in self.paths} | self.maybe
        return frozenset(roots - self.guarded)


def find_root(path: str) -> str:
    """Return the name that a path begins with."""
    return path.partition(".")[0].partition("[")[0]


def find_entered_paths(tree: nodes.Template, names: Names) -> EnteredPaths:
    """Return what a template goes into; a filter or a method for texts goes into nothing."""
    walked, paths = EnteredPaths(), _Paths(names)
    for node, how, inner in _list_entries(tree):
        for path in paths.list_paths(inner):
            key = (path, how)
            walked.paths[key] = min(node.lineno, walked.paths.get(key, node.lineno))
    for test in tree.find_all(nodes.Test):
        if test.name in ASKING:
            walked.guarded.update(paths.list_paths(test.node))
    macros = {macro.name for macro in tree.find_all(nodes.Macro)}
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in macros:
            for arg in (*call.args, *(pair.value for pair in call.kwargs)):
                walked.maybe.update(find_root(path) for path in paths.list_paths(arg))
    return walked


def _list_entries(tree: nodes.Template) -> Iterator[tuple[nodes.Node, How, nodes.Node]]:
    """Each place that goes into a value, with the expression of that value."""
    methods = {id(call.node) for call in tree.find_all(nodes.Call) if isinstance(call.node, nodes.Getattr)}
    for node in tree.find_all((nodes.For, nodes.Filter, nodes.Getattr, nodes.Getitem)):
        if isinstance(node, nodes.For):
            yield node, "loop", node.iter
        elif isinstance(node, nodes.Filter):
            if node.name in ITERATING and node.node is not None:
                yield node, "few" if node.name in FEW else "loop", node.node
        elif isinstance(node, nodes.Getattr):
            if id(node) not in methods or node.attr in HOLDERS or node.attr not in TEXTS:
                yield node, "key", node.node
        elif isinstance(node, nodes.Getitem) and not isinstance(node.arg, nodes.Slice):
            yield node, "key", node.node


class _Paths:
    """Find the paths of the values that expressions are, where the template says so."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._paths_by_name: dict[str, tuple[str, ...]] = {}

    def list_paths(self, expr: nodes.Node | None) -> tuple[str, ...]:
        """List the paths of an expression; none where it is a new text or unknown."""
        return tuple(dict.fromkeys(islice(self._all(expr), MAX_PATHS)))

    def _all(self, expr: nodes.Node | None) -> Iterator[str]:
        if isinstance(expr, nodes.Name):
            yield from self._of_name(expr.name)
        elif isinstance(expr, nodes.Filter) and expr.name in WHOLE:
            yield from self._all(expr.node)
        elif isinstance(expr, nodes.CondExpr):
            yield from self._all(expr.expr1)
            yield from self._all(expr.expr2)
        elif isinstance(expr, nodes.Or | nodes.And):
            yield from self._all(expr.left)
            yield from self._all(expr.right)
        elif isinstance(expr, nodes.Getattr):
            yield from (path + format_step(expr.attr) for path in self._all(expr.node))
        elif isinstance(expr, nodes.Getitem):
            yield from (path + _format_key(expr.arg) for path in self._all(expr.node))
        elif isinstance(expr, nodes.Call) and isinstance(expr.node, nodes.Getattr):
            if is_get_call(expr):
                yield from (path + _format_key(expr.args[0]) for path in self._all(expr.node.node))
            elif expr.node.attr in ("items", "values", "copy"):
                yield from self._all(expr.node.node)

    def _of_name(self, name: str) -> tuple[str, ...]:
        if name not in self._paths_by_name:
            self._paths_by_name[name] = ()  # `{% set x = x or y %}` adds nothing to where x comes from
            if name in self._names.context:
                paths = [name]
            else:
                paths = []
            for source in self._names.sources.get(name, ()):
                if isinstance(source, Each):
                    paths += [path + EACH for path in self.list_paths(source.expr)]
                elif source is not None:
                    paths += self.list_paths(source)
            self._paths_by_name[name] = tuple(dict.fromkeys(paths))[:MAX_PATHS]
        return self._paths_by_name[name]


def _format_key(arg: nodes.Node) -> str:
    """Format a key as a step of a path; a slice keeps the path."""
    if isinstance(arg, nodes.Slice):
        return ""
    if isinstance(arg, nodes.Const) and isinstance(arg.value, str | int):
        return format_step(arg.value)
    return EACH


def find_entered_texts(
    paths: EnteredPaths, values: Mapping[str, Any], uses: Iterable[Sequence[Any]]
) -> list[list[Any]]:
    """Return the values that are texts where the template goes into a list or an object: [path, how, kind, line].

    `kind` is "python" or "json" for a text that looks like a list or a mapping, "text" for any other, which is reported
    of a loop alone: an index of a text is often meant. By `uses` a loop that is on no branch taken is not reported.
    """
    is_taken: dict[str, bool] = {}
    for name, state, *_ in uses:
        path, inside, _ = str(name).rpartition(EACH)
        if inside:
            is_taken[path] = is_taken.get(path, False) or state != "untaken"
    entered: list[list[Any]] = []
    for (path, how), line in paths.paths.items():
        if path in paths.guarded or not is_taken.get(path, True):
            continue
        kind = next((kind for text in list_texts_at(values, path) if (kind := _classify_text(text, how))), "")
        if kind:
            entered.append([path, how, kind, line])
    return entered


def _classify_text(text: str, how: How) -> str:
    if looks_like_python(text):
        if _is_json(text):
            return "json"
        return "python"
    if how == "loop" and len(text) > 1 and text != MASK:
        return "text"
    return ""


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False


def list_texts_at(values: Mapping[str, Any], path: str) -> Iterable[str]:
    """Return the texts that are at a path of values; [*] stands for every item."""
    root = find_root(path)
    if root not in values:
        return ()
    level: list[Any] = [values[root]]
    for part in _split_steps(path[len(root) :]):
        level = [inner for holder in level for inner in _step_into(holder, part)]
    return [value for value in level if isinstance(value, str)]


def _split_steps(rest: str) -> Iterator[str]:
    for piece in rest.replace("[", ".").replace("]", "").split("."):
        if piece:
            yield piece


def _step_into(holder: Any, part: str) -> Iterator[Any]:
    if part == "*":
        if isinstance(holder, list):
            yield from holder
        elif isinstance(holder, dict):
            yield from holder.values()
    elif isinstance(holder, dict) and part in holder:
        yield holder[part]
    elif isinstance(holder, list) and part.isdecimal() and int(part) < len(holder):
        yield holder[int(part)]

"""In the sandbox: which data an expression of a template reads, as far as the template itself says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from jinja2 import nodes

BUSY = "\0"  # before a name whose sources are being looked up


@dataclass(frozen=True, slots=True)
class Chain:
    """`root.key[0]` in parts: the expression of every prefix, and the keys between (a node when computed)."""

    prefixes: tuple[nodes.Expr, ...]
    keys: tuple[str | int | nodes.Expr, ...]

    @property
    def root(self) -> str:
        name: str = self.prefixes[0].name  # type: ignore[attr-defined]
        return name

    @property
    def rest(self) -> str:
        return "".join("[*]" if isinstance(key, nodes.Expr) else step(key) for key in self.keys)


@dataclass(frozen=True, slots=True)
class Each:
    """An item of what `expr` gives: where the variable of a loop comes from."""

    expr: nodes.Node


Source = nodes.Node | Each | None  # None: not said by one expression


def step(key: str | int) -> str:
    """One key of a path as it is shown: `.title` or `[2]`."""
    return f"[{key}]" if isinstance(key, int) else f".{key}"


def chain(expr: nodes.Node) -> Chain | None:
    """The chain that `expr` is, or None when it is something else."""
    key: str | int | nodes.Expr
    if isinstance(expr, nodes.Name):
        return Chain((expr,), ())
    if isinstance(expr, nodes.Getattr):
        holder, key = expr.node, expr.attr
    elif isinstance(expr, nodes.Getitem) and not isinstance(expr.arg, nodes.Slice):
        holder, key = expr.node, _key(expr.arg)
    elif isinstance(expr, nodes.Call) and isinstance(expr.node, nodes.Getattr) and gets(expr):
        holder, key = expr.node.node, _key(expr.args[0])
    else:
        return None
    inner = chain(holder)
    return Chain((*inner.prefixes, expr), (*inner.keys, key)) if inner else None


def _key(arg: nodes.Expr) -> str | int | nodes.Expr:
    return arg.value if isinstance(arg, nodes.Const) and type(arg.value) in (str, int) else arg


def gets(expr: nodes.Node) -> bool:
    """Whether `expr` is `x.get("key")` or `x.get("key", otherwise)`."""
    called = isinstance(expr, nodes.Call) and isinstance(expr.node, nodes.Getattr) and expr.node.attr == "get"
    return called and len(expr.args) in (1, 2) and isinstance(expr.args[0], nodes.Const)  # type: ignore[attr-defined]


def peel(expr: nodes.Node) -> nodes.Node:
    """What is left of `expr` without filters, slices and method calls: x of `x[:9].strip() | upper`."""
    while True:
        match expr:
            case nodes.Filter(node=nodes.Expr() as inner):
                expr = inner
            case nodes.Getitem(arg=nodes.Slice()):
                expr = expr.node
            case nodes.Call(node=nodes.Getattr() as method) if not gets(expr):
                expr = method.node
            case _:
                return expr


@dataclass(slots=True)
class Names:
    """The names of a template: those it reads from the values, and those it sets, with what they are set from."""

    context: frozenset[str]
    sources: dict[str, list[Source]]
    known: dict[str, frozenset[str] | None] = field(default_factory=dict)

    def reads(self, name: str) -> bool:
        """Whether `name` is always a value from outside: read, and nowhere set."""
        return name in self.context and name not in self.sources

    def certain(self, expr: nodes.Node) -> frozenset[str] | None:
        """The paths whose data `expr` shows, without running it: {"sheet_chunks[*].text"}; empty: no data at all.

        None when the template alone does not say.
        """
        found = chain(peel(expr))
        if found is None:
            return self._together(_outermost(expr))
        if found.root == "loop" and found.root not in self.sources:
            return None if found.keys[:1] in (("previtem",), ("nextitem",)) else self._together(_arguments(expr))
        starts = self._starts(found.root)
        if not starts:
            return starts if starts is None else self._together(_arguments(expr))
        return frozenset(start + found.rest for start in starts) if len(starts) == 1 else starts

    def _starts(self, name: str) -> frozenset[str] | None:
        if name not in self.known:
            itself = BUSY + name
            self.known[name] = frozenset({itself})  # `{% set x = x | trim %}` adds nothing to where x comes from
            starts = self._of_sources(name)
            starts = starts and starts - {itself}
            self.known[name] = None if starts and any(each.startswith(BUSY) for each in starts) else starts
        return self.known[name]

    def _of_sources(self, name: str) -> frozenset[str] | None:
        sources = self.sources.get(name, [])
        starts = [frozenset({name})] if name in self.context else []
        for source in sources:
            one = self._of_source(source)
            if one is None:
                return None
            starts.append(one)
        if any(starts) and not all(starts):  # the text of the template in one case, data in another
            return None
        return frozenset().union(*starts)

    def _of_source(self, source: Source) -> frozenset[str] | None:
        if isinstance(source, Each):
            starts = self.certain(source.expr)
            whole = starts and len(starts) == 1 and chain(peel(source.expr))
            return frozenset(start + "[*]" for start in starts) if starts and whole else starts
        return None if source is None else self.certain(source)

    def _together(self, parts: Iterator[nodes.Node]) -> frozenset[str] | None:
        together: set[str] = set()
        for part in parts:
            if (one := self.certain(part)) is None:
                return None
            together |= one
        return frozenset(together)


def _outermost(node: nodes.Node) -> Iterator[nodes.Node]:
    """The longest chains below `node`; of a method call its object, and the chains in its arguments."""
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Expr) and (found := chain(peel(child))):
            yield found.prefixes[-1]
            yield from _arguments(child)
        else:
            yield from _outermost(child)


def _arguments(expr: nodes.Node) -> Iterator[nodes.Node]:
    """The chains in the filters, calls and computed keys around the object of `expr`."""
    while True:
        if isinstance(expr, nodes.Filter | nodes.Call):
            unpacked = [each for each in (expr.dyn_args, expr.dyn_kwargs) if each is not None]
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


def names(tree: nodes.Template, reads: frozenset[str]) -> Names:
    """The names that `tree` sets, beside those that compiling showed it to read."""
    sources: dict[str, list[Source]] = {}
    for node in _all(tree):
        for target, source in _bindings(node):
            sources.setdefault(target, []).append(source)
    return Names(reads, sources)


def _all(node: nodes.Node) -> Iterator[nodes.Node]:
    for child in node.iter_child_nodes():
        yield child
        yield from _all(child)


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


def first_lines(tree: nodes.Template, known: Names) -> dict[str, int]:
    """The names read from the values, dotted where the template says so, with the line where each first appears."""
    found: dict[str, int] = {}
    for expr in _outermost(tree):
        each = chain(expr)
        if each is None or each.root not in known.context or each.prefixes[0].ctx != "load":  # type: ignore[attr-defined]
            continue
        keys = each.keys if known.reads(each.root) else ()  # elsewhere the name is another thing
        fixed = takewhile(lambda key: isinstance(key, str), keys)
        name = ".".join((each.root, *map(str, fixed)))
        found[name] = min(found.get(name, expr.lineno), expr.lineno)
    return found

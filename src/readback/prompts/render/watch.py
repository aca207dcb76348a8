"""Rewrite a template in the sandbox so that each name it reads is looked at, and count what became of the names.

Only names on branches that are taken pass by. What is tested (`{% if name %}`) is told apart from what is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from jinja2 import Undefined, nodes
from jinja2.runtime import Context
from jinja2.utils import pass_context
from jinja2.visitor import NodeTransformer

from readback.prompts.render.data_paths import Chain, Each, Names, Source, find_chain, is_get_call, strip_calls
from readback.prompts.render.marks import JOIN, MARK, PLANES, Site, Trace, has_plane_character, list_tails

WATCH, FIND, GET = "readback watch", "readback find", "readback get"  # filter names that no template can write
MAX_LOOKS = 5_000  # looks in one template
DEFAULTS = ("default", "d")
# falsy: a default that replaces false values as well; holder: only on the way to what is read
How = Literal["shown", "asked", "looped", "default", "falsy", "holder"]
N = TypeVar("N", bound=nodes.Node)


@dataclass(frozen=True, slots=True)
class Look:
    """Describe one place where a template reads a name. `only_asked`: it only tests it, or has something else to show.

    `name` is its path as far as the template says; None: found while rendering, from `site`'s chain. `key` is that of
    `holder.get(key)`, where the holder passes by.
    """

    name: str | None
    line: int
    how: How
    only_asked: bool
    site: Site | None = None
    key: str | None = None


@dataclass(slots=True)
class Watcher(NodeTransformer):
    """Rewrite one template, marked or not, in place; `looks` lists what passes by, in the order of the template.

    With `holders` also what is on the way to a name: for templates that fail there. Not for marked ones.
    """

    names: Names
    recursive: frozenset[str]
    holders: bool = False
    looks: list[Look] = field(default_factory=list)
    how: How = "shown"
    other: bool = False  # a loop with something to show where it has nothing to go through
    scopes: list[tuple[str, str | None]] = field(default_factory=list)  # of the loops around: variable, its path

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 - named by the visitor
        """Watch what a loop goes through, its condition, its body and its else branch."""
        scope = self._scope(node)
        self.other = bool(node.else_)
        node.iter = self._as("looped", node.iter)
        self.other = False
        self.scopes.append(scope)
        node.test = node.test and self._as("asked", node.test)
        node.body = self._each(node.body)
        self.scopes.pop()
        node.else_ = self._each(node.else_)
        return node

    def visit_If(self, node: nodes.If) -> nodes.If:  # noqa: N802 - named by the visitor
        """Watch a condition as tested only."""
        node.test = self._as("asked", node.test)
        node.body, node.elif_, node.else_ = self._each(node.body), self._each(node.elif_), self._each(node.else_)
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.CondExpr:  # noqa: N802 - named by the visitor
        """Watch the condition of an expression as tested only."""
        node.test = self._as("asked", node.test)
        node.expr1 = self.visit(node.expr1)
        node.expr2 = node.expr2 and self.visit(node.expr2)
        return node

    def _alternative(self, node: nodes.And | nodes.Or) -> nodes.And | nodes.Or:
        node.left = self._as("asked", node.left)
        node.right = self.visit(node.right)
        return node

    visit_And = visit_Or = _alternative  # noqa: N815 - named by the visitor

    def _question(self, node: nodes.Expr) -> nodes.Expr:
        with self._how("asked"):
            return self._inside(node)

    visit_Test = visit_Not = visit_Compare = _question  # noqa: N815 - named by the visitor

    def visit_Filter(self, node: nodes.Filter) -> nodes.Filter:  # noqa: N802 - named by the visitor
        """Watch what a filter works on, and its arguments."""
        if node.node is not None:
            if node.name in DEFAULTS:
                node.node = self._as(_classify_default(node), node.node)
            else:
                node.node = self.visit(node.node)
        first = {MARK: len(node.args), JOIN: 3}.get(node.name, 0)  # what our own filters are told is no use
        node.args[first:] = self._visit_shown(node.args[first:])
        node.kwargs = self._visit_shown(node.kwargs)
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802 - named by the visitor
        """Watch the object of a method and the arguments of a call."""
        if is_get_call(node):
            node = self._get(node)
        elif isinstance(node.node, nodes.Getattr):
            node.node.node = self.visit(node.node.node)  # the object of a method
        elif not isinstance(node.node, nodes.Name):  # a macro's or a function's own name is no data
            node.node = self.visit(node.node)
        node.args, node.kwargs = self._visit_shown(node.args), self._visit_shown(node.kwargs)
        return node

    def _path(self, node: nodes.Expr) -> nodes.Expr:
        name_chain = find_chain(node)
        if name_chain is None or name_chain.prefixes[0].ctx != "load":  # type: ignore[attr-defined]
            return self._inside(node)
        look = self._look(node, name_chain)
        keys = [key for key in name_chain.keys if isinstance(key, nodes.Expr)]
        if keys:
            node = self._keys(node)
        if self.holders:
            node = self._watch_holders(node)
        if look is None:
            return node
        args: list[nodes.Expr] = [self._number(look)]
        if look.site is not None:
            args += [nodes.List([*name_chain.prefixes]), nodes.List(keys)]
        return nodes.Filter(node, FIND if look.site else WATCH, args, [], None, None, lineno=node.lineno)

    visit_Name = visit_Getattr = visit_Getitem = _path  # noqa: N815 - named by the visitor

    def _get(self, node: nodes.Call) -> nodes.Call:
        """Let the holder of `holder.get(key)` pass by, for what the call answers hides whether the key was there."""
        name_chain = find_chain(node)
        method: nodes.Getattr = node.node  # type: ignore[assignment]
        if name_chain:
            look = self._look(node, name_chain)
        else:
            look = None
        if name_chain is None or look is None or look.site is not None or not isinstance(name_chain.keys[-1], str):
            method.node = self.visit(method.node)
            return node
        if len(node.args) > 1:
            look = replace(look, how="default", only_asked=True)
        inner = self._keys(method.node)
        number = self._number(replace(look, key=name_chain.keys[-1]))
        holder = nodes.Filter(inner, GET, [number], [], None, None, lineno=node.lineno)
        getter = nodes.Getattr(holder, "get", "load", lineno=node.lineno)  # a new one: the old is a part of marks
        return nodes.Call(getter, node.args, node.kwargs, None, None, lineno=node.lineno)

    def _watch_holders(self, node: nodes.Expr) -> nodes.Expr:
        """Return the chain with each of its holders passing by."""
        if not isinstance(node, nodes.Getattr | nodes.Getitem):
            return node
        holder_chain = find_chain(node.node)
        if holder_chain:
            look = self._look(node.node, holder_chain)
        else:
            look = None
        node.node = self._watch_holders(node.node)
        if look and look.name is not None:
            number = self._number(replace(look, how="holder", only_asked=False))
            node.node = nodes.Filter(node.node, WATCH, [number], [], None, None, lineno=node.lineno)
        return node

    def _scope(self, node: nodes.For) -> tuple[str, str | None]:
        """Return a loop's variable and the path of what it goes through; None where the template does not say."""
        if isinstance(node.target, nodes.Name):
            name = node.target.name
        else:
            name = ""
        iterated_chain = find_chain(strip_calls(node.iter))
        if iterated_chain and not node.recursive:
            look = self._look(iterated_chain.prefixes[-1], iterated_chain)
        else:
            look = None
        whole = look is not None and look.name is not None and all(isinstance(s, Each) for s in self._sources(name))
        return name, f"{look.name}[*]" if whole and look else None

    def _sources(self, name: str) -> list[Source]:
        return self.names.sources.get(name, [])

    def _look(self, node: nodes.Expr, name_chain: Chain) -> Look | None:
        """Say how the data behind a chain is called; None where it shows none of the record."""
        root, names = name_chain.root, self.names
        if (root == "loop" and self.scopes) or (root not in names.context and root not in names.sources):
            return None
        if start := next((path for name, path in reversed(self.scopes) if name == root), None):
            return Look(start + name_chain.rest, *self._describe_use(node))
        from_loop = root not in names.context and all(isinstance(each, Each) for each in names.sources[root])
        if names.reads(root) or (from_loop and root not in self.recursive):
            certain = names.certain(node)
            if certain is not None and len(certain) < 2:
                if certain:
                    return Look(next(iter(certain)), *self._describe_use(node))
                return None
        if not name_chain.keys and root not in names.context and not from_loop and names.sources[root] != [None]:
            return None  # a text of the template's own making; what it was made from has passed by
        site = Site("unknown", None, node.lineno, name_chain, tails=list_tails(name_chain))
        return Look(None, *self._describe_use(node), site=site)

    def _describe_use(self, node: nodes.Expr) -> tuple[int, How, bool]:
        return node.lineno, self.how, self.how in ("asked", "default", "falsy") or (self.how == "looped" and self.other)

    def _number(self, look: Look) -> nodes.Const:
        if len(self.looks) >= MAX_LOOKS:
            raise OverflowError("more names than are looked at")
        self.looks.append(look)
        return nodes.Const(len(self.looks) - 1)

    def _keys(self, node: nodes.Expr) -> nodes.Expr:
        """Return the chain with its computed keys looked at too; a new one, for the old is a part of marks."""
        if isinstance(node, nodes.Getitem):
            arg = node.arg if isinstance(node.arg, nodes.Const) else self._visit_shown([node.arg])[0]
            return nodes.Getitem(self._keys(node.node), arg, node.ctx, lineno=node.lineno)
        if isinstance(node, nodes.Getattr):
            return nodes.Getattr(self._keys(node.node), node.attr, node.ctx, lineno=node.lineno)
        return node

    def generic_visit(self, node: N) -> N:
        """Visit any other node: what is inside it is shown, unless it is only tested."""
        with self._how("asked" if self.how == "asked" else "shown"):
            return self._inside(node)

    def _inside(self, node: N) -> N:
        return NodeTransformer.generic_visit(self, node)  # type: ignore[return-value]

    def _as(self, how: How, node: nodes.Node) -> Any:
        with self._how(how):
            return self.visit(node)

    def _visit_shown(self, many: Iterable[N]) -> list[N]:
        with self._how("asked" if self.how == "asked" else "shown"):
            return self._each(many)

    def _each(self, many: Iterable[N]) -> list[N]:
        return [self.visit(node) for node in many]

    def _how(self, how: How) -> AbstractContextManager[None]:
        return _with_how(self, how)


@contextmanager
def _with_how(watcher: Watcher, how: How):  # type: ignore[no-untyped-def]
    before, watcher.how = watcher.how, how
    yield
    watcher.how = before


def make_watcher(tree: nodes.Template, names: Names, holders: bool = False) -> Watcher:
    """Make a watcher for the names of `tree`; variables of recursive loops are looked up while rendering."""
    targets = (loop.target for loop in tree.find_all(nodes.For) if loop.recursive)
    return Watcher(names, frozenset(target.name for target in targets if isinstance(target, nodes.Name)), holders)


def _classify_default(node: nodes.Filter) -> How:
    """Classify what a default filter does for the value before it; one that supplies nothing only tests."""
    if node.args:
        first = node.args[0]
    else:
        first = nodes.Const("")
    if isinstance(first, nodes.Concat) and len(first.nodes) == 3 and _is_mark(first.nodes[0]):
        first = first.nodes[1]
    nothing = (isinstance(first, nodes.Const) and not first.value) or getattr(first, "items", first) == []
    if nothing:
        return "asked"
    if len(node.args) > 1 or node.kwargs:
        return "falsy"
    return "default"


def _is_mark(node: nodes.Expr) -> bool:
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        first = node.value[:1]
    else:
        first = ""
    return any(has_plane_character(plane, first) for plane in PLANES)


SIGHTINGS = "readback seen"  # a name no template can read
NUMBER = re.compile(r"\[\d+\]")
ROOT = re.compile(r"[.\[]")  # where the first name of a path ends
WITHOUT_VALUE = ("missing", "default")  # the states of a name without a value
LONGEST_NAME = 200  # characters of a name; beyond, it is data that was taken for a key
MAX_FOUND = 500  # names found while rendering, for one record

Account = tuple[str, str, int, int, int, bool]  # name, state, line, times, of, asked


class Sightings:
    """Count, for one rendering, how often each look saw a value, and what else it saw instead."""

    def __init__(self, looks: Sequence[Look], trace: Trace) -> None:
        self.looks, self.trace = looks, trace
        self.present = [0] * len(looks)
        self.odd: Counter[tuple[int, str]] = Counter()
        self.in_chains: Counter[tuple[int, str, str]] = Counter()

    def key(self) -> tuple[Any, ...]:
        """Return a key that two renderings share if they have the same account."""
        return tuple(self.present), tuple(self.odd.items()), tuple(self.in_chains.items())


@pass_context
def watch_name(context: Context, value: Any, index: int) -> Any:
    """Return the value itself, once it was looked at."""
    sightings: Sightings = context.parent[SIGHTINGS]
    if value or (state := _find_state(value, sightings.looks[index].how)) == "present":
        sightings.present[index] += 1
    else:
        sightings.odd[index, state] += 1
    return value


@pass_context
def watch_found(context: Context, value: Any, index: int, objects: list[Any], computed: list[Any]) -> Any:
    """Return the value, looked at under the path that only the objects on the way to it tell."""
    sightings: Sightings = context.parent[SIGHTINGS]
    look = sightings.looks[index]
    if (name := _find_name(sightings.trace, look, objects, computed)) is not None and len(
        sightings.in_chains
    ) < MAX_FOUND:
        sightings.in_chains[index, name, "present" if value else _find_state(value, look.how)] += 1
    return value


@pass_context
def watch_get(context: Context, holder: Any, index: int) -> Any:
    """Return the holder of `holder.get(key)`, with the value looked at before the call."""
    sightings: Sightings = context.parent[SIGHTINGS]
    look = sightings.looks[index]
    if isinstance(holder, dict):
        if look.key in holder:
            value = holder[look.key]
        else:
            value = Undefined(name=look.key)
        sightings.odd[index, "present" if value else _find_state(value, look.how)] += 1
    return holder


def _find_state(value: Any, how: str) -> str:
    """Say what a value that counts as false is, where it is read like this."""
    if how == "holder" and not isinstance(value, Undefined):
        return "present"
    if isinstance(value, Undefined):
        if how in ("default", "falsy"):
            return "default"
        return "missing"
    if how == "falsy":
        return "falsy"
    if value is None:
        return "null"
    if isinstance(value, str | list | dict | tuple):
        if how == "looped":
            return "idle"
        return "empty"
    return "present"


def _find_name(trace: Trace, look: Look, objects: list[Any], computed: list[Any]) -> str | None:
    assert look.site is not None  # noqa: S101 - only such looks are found while rendering
    assert look.site.chain is not None  # noqa: S101 - likewise
    name, root = trace.path(look.site, objects, computed), look.site.chain.root
    if name is None and isinstance(objects[0], Undefined) and root in trace.roots and root not in trace.values:
        name = root + (look.site.tails[0] or "")
    elif name is None or ROOT.split(name, maxsplit=1)[0] not in trace.values:  # the template's own None is no value
        return None
    if len(name) <= LONGEST_NAME:
        return NUMBER.sub("[*]", name)
    return None


def list_accounts(looks: Sequence[Look], sightings: Sightings | None, absent: Collection[str]) -> tuple[Account, ...]:
    """List each name with each of its states, in the order of the lines; a name that no taken branch reads is untaken.

    `absent` are the names that the configuration's defaults supply. Without sightings only the names are known.
    """
    rows: dict[tuple[str, str], Account] = {}
    lines = {look.name: look.line for look in reversed(looks) if look.name and look.how != "holder"}
    for name, state, look, times, total in _count_states(looks, sightings) if sightings else ():
        lines[name] = min(look.line, lines.get(name, look.line))
        root = ROOT.split(name, maxsplit=1)[0]
        if sightings and root not in sightings.trace.values and state not in WITHOUT_VALUE:
            continue  # the variable of a loop over `[name, 'text']`: what it holds now is a text of the template
        if state == "present" and root in absent:
            state = "default"
        before = rows.get((name, state), (name, state, 0, 0, 0, True))
        if times > before[3]:
            most = (times, total)
        else:
            most = before[3:5]
        rows[name, state] = (name, state, 0, *most, look.only_asked and before[5])
    for name in lines.keys() - {name for name, _ in rows}:
        rows[name, "untaken"] = (name, "untaken", 0, 0, 0, all(look.only_asked for look in looks if look.name == name))
    placed = ((name, state, lines[name], *rest) for name, state, _, *rest in rows.values())
    return tuple(sorted(placed, key=lambda row: (row[2], row[0], row[1])))  # type: ignore[arg-type]


def _count_states(looks: Sequence[Look], sightings: Sightings) -> Iterator[tuple[str, str, Look, int, int]]:
    """Yield name, state, look, how often it was in that state, and how often it passed by there at all."""
    odd: dict[int, list[tuple[str, int]]] = {}
    for (index, state), times in sightings.odd.items():
        odd.setdefault(index, []).append((state, times))
    for index, look in enumerate(looks):
        if look.name is None:
            continue
        if look.how != "holder":
            present_times = sightings.present[index]
        else:
            present_times = 0
        states = [*odd.get(index, ()), *([("present", present_times)] if present_times else ())]
        total = sum(times for _, times in states)
        yield from ((look.name, state, look, times, total) for state, times in states)
    totals_in_chains: Counter[tuple[int, str]] = Counter()
    for (index, name, _), times in sightings.in_chains.items():
        totals_in_chains[index, name] += times
    for (index, name, state), times in sightings.in_chains.items():
        yield name, state, looks[index], times, totals_in_chains[index, name]

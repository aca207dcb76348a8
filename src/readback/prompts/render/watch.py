"""In the sandbox: a template rewritten so that each name it reads passes by on its way, unchanged, and is looked at.

Only names on branches that are taken pass by. What is asked (`{% if name %}`) is told from what is shown.


In the sandbox: what became of the names that passed by while a watched template rendered."""

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
    """One place where a template reads a name. `asked`: the template only asks, or has something else to show.

    `name` is its path as far as the template says; None: found while rendering, from `site`'s chain. `key` is that
    of `holder.get(key)`, where the holder passes by.
    """

    name: str | None
    line: int
    how: How
    asked: bool
    site: Site | None = None
    key: str | None = None


@dataclass(slots=True)
class Watcher(NodeTransformer):
    """Rewrites one template, marked or not, in place; `looks` lists what passes by, in the order of the template.

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
        node.test = self._as("asked", node.test)
        node.body, node.elif_, node.else_ = self._each(node.body), self._each(node.elif_), self._each(node.else_)
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.CondExpr:  # noqa: N802 - named by the visitor
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
        if node.node is not None:
            node.node = self._as(_classify_default(node), node.node) if node.name in DEFAULTS else self.visit(node.node)
        first = {MARK: len(node.args), JOIN: 3}.get(node.name, 0)  # what our own filters are told is no use
        node.args[first:] = self._shown(node.args[first:])
        node.kwargs = self._shown(node.kwargs)
        return node

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802 - named by the visitor
        if is_get_call(node):
            node = self._get(node)
        elif isinstance(node.node, nodes.Getattr):
            node.node.node = self.visit(node.node.node)  # the object of a method
        elif not isinstance(node.node, nodes.Name):  # a macro's or a function's own name is no data
            node.node = self.visit(node.node)
        node.args, node.kwargs = self._shown(node.args), self._shown(node.kwargs)
        return node

    def _path(self, node: nodes.Expr) -> nodes.Expr:
        found = find_chain(node)
        if found is None or found.prefixes[0].ctx != "load":  # type: ignore[attr-defined]
            return self._inside(node)
        look = self._look(node, found)
        keys = [key for key in found.keys if isinstance(key, nodes.Expr)]
        if keys:
            node = self._keys(node)
        if self.holders:
            node = self._held(node)
        if look is None:
            return node
        args: list[nodes.Expr] = [self._number(look)]
        if look.site is not None:
            args += [nodes.List([*found.prefixes]), nodes.List(keys)]
        return nodes.Filter(node, FIND if look.site else WATCH, args, [], None, None, lineno=node.lineno)

    visit_Name = visit_Getattr = visit_Getitem = _path  # noqa: N815 - named by the visitor

    def _get(self, node: nodes.Call) -> nodes.Call:
        """`holder.get(key)`: the holder passes by, for what the call answers hides whether the key was there."""
        found = find_chain(node)
        method: nodes.Getattr = node.node  # type: ignore[assignment]
        look = self._look(node, found) if found else None
        if found is None or look is None or look.site is not None or not isinstance(found.keys[-1], str):
            method.node = self.visit(method.node)
            return node
        if len(node.args) > 1:
            look = replace(look, how="default", asked=True)
        inner = self._keys(method.node)
        number = self._number(replace(look, key=found.keys[-1]))
        holder = nodes.Filter(inner, GET, [number], [], None, None, lineno=node.lineno)
        asked = nodes.Getattr(holder, "get", "load", lineno=node.lineno)  # a new one: the old is a part of marks
        return nodes.Call(asked, node.args, node.kwargs, None, None, lineno=node.lineno)

    def _held(self, node: nodes.Expr) -> nodes.Expr:
        """The chain with each of its holders passing by."""
        if not isinstance(node, nodes.Getattr | nodes.Getitem):
            return node
        found = find_chain(node.node)
        look = self._look(node.node, found) if found else None
        node.node = self._held(node.node)
        if look and look.name is not None:
            number = self._number(replace(look, how="holder", asked=False))
            node.node = nodes.Filter(node.node, WATCH, [number], [], None, None, lineno=node.lineno)
        return node

    def _scope(self, node: nodes.For) -> tuple[str, str | None]:
        """The variable of a loop and the path of what it goes through; None where the template does not say."""
        name = node.target.name if isinstance(node.target, nodes.Name) else ""
        found = find_chain(strip_calls(node.iter))
        look = self._look(found.prefixes[-1], found) if found and not node.recursive else None
        whole = look is not None and look.name is not None and all(isinstance(s, Each) for s in self._sources(name))
        return name, f"{look.name}[*]" if whole and look else None

    def _sources(self, name: str) -> list[Source]:
        return self.names.sources.get(name, [])

    def _look(self, node: nodes.Expr, found: Chain) -> Look | None:
        """How the data behind a chain is called; None where it shows none of the record."""
        root, known = found.root, self.names
        if (root == "loop" and self.scopes) or (root not in known.context and root not in known.sources):
            return None
        if start := next((path for name, path in reversed(self.scopes) if name == root), None):
            return Look(start + found.rest, *self._seen(node))
        from_loop = root not in known.context and all(isinstance(each, Each) for each in known.sources[root])
        if known.reads(root) or (from_loop and root not in self.recursive):
            certain = known.certain(node)
            if certain is not None and len(certain) < 2:
                return Look(next(iter(certain)), *self._seen(node)) if certain else None
        if not found.keys and root not in known.context and not from_loop and known.sources[root] != [None]:
            return None  # a text of the template's own making; what it was made from has passed by
        site = Site("unknown", None, node.lineno, found, tails=list_tails(found))
        return Look(None, *self._seen(node), site=site)

    def _seen(self, node: nodes.Expr) -> tuple[int, How, bool]:
        return node.lineno, self.how, self.how in ("asked", "default", "falsy") or (self.how == "looped" and self.other)

    def _number(self, look: Look) -> nodes.Const:
        if len(self.looks) >= MAX_LOOKS:
            raise OverflowError("more names than are looked at")
        self.looks.append(look)
        return nodes.Const(len(self.looks) - 1)

    def _keys(self, node: nodes.Expr) -> nodes.Expr:
        """The chain with its computed keys looked at too; a new one, for the old is a part of marks."""
        if isinstance(node, nodes.Getitem):
            arg = node.arg if isinstance(node.arg, nodes.Const) else self._shown([node.arg])[0]
            return nodes.Getitem(self._keys(node.node), arg, node.ctx, lineno=node.lineno)
        if isinstance(node, nodes.Getattr):
            return nodes.Getattr(self._keys(node.node), node.attr, node.ctx, lineno=node.lineno)
        return node

    def generic_visit(self, node: N) -> N:
        """Any other node: what is inside it is shown, unless it is asked about."""
        with self._how("asked" if self.how == "asked" else "shown"):
            return self._inside(node)

    def _inside(self, node: N) -> N:
        return NodeTransformer.generic_visit(self, node)  # type: ignore[return-value]

    def _as(self, how: How, node: nodes.Node) -> Any:
        with self._how(how):
            return self.visit(node)

    def _shown(self, many: Iterable[N]) -> list[N]:
        with self._how("asked" if self.how == "asked" else "shown"):
            return self._each(many)

    def _each(self, many: Iterable[N]) -> list[N]:
        return [self.visit(one) for one in many]

    def _how(self, how: How) -> AbstractContextManager[None]:
        return _with_how(self, how)


@contextmanager
def _with_how(watcher: Watcher, how: How):  # type: ignore[no-untyped-def]
    before, watcher.how = watcher.how, how
    yield
    watcher.how = before


def make_watcher(tree: nodes.Template, names: Names, holders: bool = False) -> Watcher:
    """A watcher for the names of `tree`; the variables of loops that call themselves are looked up while rendering."""
    again = (each.target for each in tree.find_all(nodes.For) if each.recursive)
    return Watcher(names, frozenset(one.name for one in again if isinstance(one, nodes.Name)), holders)


def _classify_default(node: nodes.Filter) -> How:
    """What a default filter does for the value before it; one that supplies nothing only asks."""
    first = node.args[0] if node.args else nodes.Const("")
    if isinstance(first, nodes.Concat) and len(first.nodes) == 3 and _is_mark(first.nodes[0]):
        first = first.nodes[1]
    nothing = (isinstance(first, nodes.Const) and not first.value) or getattr(first, "items", first) == []
    if nothing:
        return "asked"
    return "falsy" if len(node.args) > 1 or node.kwargs else "default"


def _is_mark(node: nodes.Expr) -> bool:
    first = node.value[:1] if isinstance(node, nodes.Const) and isinstance(node.value, str) else ""
    return any(has_plane_character(plane, first) for plane in PLANES)


SIGHTINGS = "readback seen"  # a name no template can read
NUMBER = re.compile(r"\[\d+\]")
ROOT = re.compile(r"[.\[]")  # where the first name of a path ends
WITHOUT_VALUE = ("missing", "default")  # the states of a name without a value
LONGEST_NAME = 200  # characters of a name; beyond, it is data that was taken for a key
MAX_FOUND = 500  # names found while rendering, for one record

Account = tuple[str, str, int, int, int, bool]  # name, state, line, times, of, asked


class Sightings:
    """One rendering: how often each look saw a value, and what else it saw instead."""

    def __init__(self, looks: Sequence[Look], trace: Trace) -> None:
        self.looks, self.trace = looks, trace
        self.present = [0] * len(looks)
        self.odd: Counter[tuple[int, str]] = Counter()
        self.found: Counter[tuple[int, str, str]] = Counter()

    def key(self) -> tuple[Any, ...]:
        """Two renderings with the same key have the same account."""
        return tuple(self.present), tuple(self.odd.items()), tuple(self.found.items())


@pass_context
def watch_name(context: Context, value: Any, index: int) -> Any:
    """The value itself, once it was looked at."""
    seen: Sightings = context.parent[SIGHTINGS]
    if value or (state := _find_state(value, seen.looks[index].how)) == "present":
        seen.present[index] += 1
    else:
        seen.odd[index, state] += 1
    return value


@pass_context
def watch_found(context: Context, value: Any, index: int, objects: list[Any], computed: list[Any]) -> Any:
    """The same for a value whose path only the objects on the way to it tell."""
    seen: Sightings = context.parent[SIGHTINGS]
    look = seen.looks[index]
    if (name := _find_name(seen.trace, look, objects, computed)) is not None and len(seen.found) < MAX_FOUND:
        seen.found[index, name, "present" if value else _find_state(value, look.how)] += 1
    return value


@pass_context
def watch_get(context: Context, holder: Any, index: int) -> Any:
    """The same for `holder.get(key)`, before it is called."""
    seen: Sightings = context.parent[SIGHTINGS]
    look = seen.looks[index]
    if isinstance(holder, dict):
        value = holder[look.key] if look.key in holder else Undefined(name=look.key)
        seen.odd[index, "present" if value else _find_state(value, look.how)] += 1
    return holder


def _find_state(value: Any, how: str) -> str:
    """What a value that counts as false is, where it is read like this."""
    if how == "holder" and not isinstance(value, Undefined):
        return "present"
    if isinstance(value, Undefined):
        return "default" if how in ("default", "falsy") else "missing"
    if how == "falsy":
        return "falsy"
    if value is None:
        return "null"
    if isinstance(value, str | list | dict | tuple):
        return "idle" if how == "looped" else "empty"
    return "present"


def _find_name(trace: Trace, look: Look, objects: list[Any], computed: list[Any]) -> str | None:
    assert look.site is not None  # noqa: S101 - only such looks are found while rendering
    assert look.site.chain is not None  # noqa: S101 - likewise
    name, root = trace.path(look.site, objects, computed), look.site.chain.root
    if name is None and isinstance(objects[0], Undefined) and root in trace.roots and root not in trace.values:
        name = root + (look.site.tails[0] or "")
    elif name is None or ROOT.split(name, maxsplit=1)[0] not in trace.values:  # the template's own None is no value
        return None
    return NUMBER.sub("[*]", name) if len(name) <= LONGEST_NAME else None


def list_accounts(looks: Sequence[Look], seen: Sightings | None, absent: Collection[str]) -> tuple[Account, ...]:
    """Each name with each of its states, in the order of the lines; a name that no taken branch reads is untaken.

    `absent` are the names that the configuration's defaults supply. Without `seen` nothing is known but the names.
    """
    rows: dict[tuple[str, str], Account] = {}
    lines = {look.name: look.line for look in reversed(looks) if look.name and look.how != "holder"}
    for name, state, look, times, of in _count_states(looks, seen) if seen else ():
        lines[name] = min(look.line, lines.get(name, look.line))
        root = ROOT.split(name, maxsplit=1)[0]
        if seen and root not in seen.trace.values and state not in WITHOUT_VALUE:
            continue  # the variable of a loop over `[name, 'text']`: what it holds now is a text of the template
        if state == "present" and root in absent:
            state = "default"
        before = rows.get((name, state), (name, state, 0, 0, 0, True))
        most = (times, of) if times > before[3] else before[3:5]
        rows[name, state] = (name, state, 0, *most, look.asked and before[5])
    for name in lines.keys() - {name for name, _ in rows}:
        rows[name, "untaken"] = (name, "untaken", 0, 0, 0, all(look.asked for look in looks if look.name == name))
    placed = ((name, state, lines[name], *rest) for name, state, _, *rest in rows.values())
    return tuple(sorted(placed, key=lambda row: (row[2], row[0], row[1])))  # type: ignore[arg-type]


def _count_states(looks: Sequence[Look], seen: Sightings) -> Iterator[tuple[str, str, Look, int, int]]:
    """Name, state, look, how often it was in that state, and how often it passed by there at all."""
    odd: dict[int, list[tuple[str, int]]] = {}
    for (index, state), times in seen.odd.items():
        odd.setdefault(index, []).append((state, times))
    for index, look in enumerate(looks):
        if look.name is None:
            continue
        there = seen.present[index] if look.how != "holder" else 0
        states = [*odd.get(index, ()), *([("present", there)] if there else ())]
        of = sum(times for _, times in states)
        yield from ((look.name, state, look, times, of) for state, times in states)
    of_found: Counter[tuple[int, str]] = Counter()
    for (index, name, _), times in seen.found.items():
        of_found[index, name] += times
    for (index, name, state), times in seen.found.items():
        yield name, state, looks[index], times, of_found[index, name]

"""In the sandbox: which values a template goes into, through a loop, by a key or by an index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from jinja2 import nodes

from readback.prompts.render.data_paths import Each, Names, gets, step
from readback.readers.python_text import looks_like_python
from readback.records.field_path import MASK

How = Literal["loop", "few", "key"]
# Filters that go through the items of what is before them; of those in FEW a text's characters may be meant.
GOING = ("batch", "dictsort", "groupby", "items", "join", "map", "reject", "rejectattr", "select", "selectattr", "sum")
FEW = ("first", "last", "list", "max", "min", "random", "reverse", "slice", "sort", "unique")
ITERATING = frozenset((*GOING, *FEW))
WHOLE = frozenset(("batch", "d", "default", "list", "reverse", "slice", "sort", "unique"))  # give what is before them
ASKING = ("string", "mapping", "sequence", "iterable")  # tests that tell a text from a list
HOLDERS = frozenset(("items", "keys", "values", "copy", "get"))  # methods of an object, and of no text
TEXTS = frozenset(name for name in dir(str) if not name.startswith("_"))
MOST = 100  # paths of one expression
EACH = "[*]"


@dataclass(slots=True)
class Walked:
    """The paths that a template goes into, each with how and the line where it first does.

    `roots` are the names of the values they begin with, and those of values that may be gone into: what a macro is
    called with. `guarded` are paths of which the template asks whether they are texts: it is ready for either.
    """

    paths: dict[tuple[str, How], int] = field(default_factory=dict)
    maybe: set[str] = field(default_factory=set)
    guarded: set[str] = field(default_factory=set)

    @property
    def roots(self) -> frozenset[str]:
        found = {root_of(path) for path, _ in self.paths} | self.maybe
        return frozenset(found - self.guarded)


def root_of(path: str) -> str:
    """Return the name that a path begins with."""
    return path.partition(".")[0].partition("[")[0]


def find_walked(tree: nodes.Template, names: Names) -> Walked:
    """Return what a template goes into; a filter or a method for texts goes into nothing."""
    walked, paths = Walked(), _Paths(names)
    for node, how, inner in _walks(tree):
        for path in paths.of(inner):
            key = (path, how)
            walked.paths[key] = min(node.lineno, walked.paths.get(key, node.lineno))
    for test in tree.find_all(nodes.Test):
        if test.name in ASKING:
            walked.guarded.update(paths.of(test.node))
    macros = {macro.name for macro in tree.find_all(nodes.Macro)}
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in macros:
            for arg in (*call.args, *(pair.value for pair in call.kwargs)):
                walked.maybe.update(root_of(path) for path in paths.of(arg))
    return walked


def _walks(tree: nodes.Template) -> Iterator[tuple[nodes.Node, How, nodes.Node]]:
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
    """The paths of the values that expressions are, where the template says so."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, expr: nodes.Node | None) -> tuple[str, ...]:
        """The paths of an expression; none where it is a new text or unknown."""
        return tuple(dict.fromkeys(islice(self._all(expr), MOST)))

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
            yield from (path + step(expr.attr) for path in self._all(expr.node))
        elif isinstance(expr, nodes.Getitem):
            yield from (path + _key(expr.arg) for path in self._all(expr.node))
        elif isinstance(expr, nodes.Call) and isinstance(expr.node, nodes.Getattr):
            if gets(expr):
                yield from (path + _key(expr.args[0]) for path in self._all(expr.node.node))
            elif expr.node.attr in ("items", "values", "copy"):
                yield from self._all(expr.node.node)

    def _of_name(self, name: str) -> tuple[str, ...]:
        if name not in self._known:
            self._known[name] = ()  # `{% set x = x or y %}` adds nothing to where x comes from
            found = [name] if name in self._names.context else []
            for source in self._names.sources.get(name, ()):
                if isinstance(source, Each):
                    found += [path + EACH for path in self.of(source.expr)]
                elif source is not None:
                    found += self.of(source)
            self._known[name] = tuple(dict.fromkeys(found))[:MOST]
        return self._known[name]


def _key(arg: nodes.Node) -> str:
    """A key as a step of a path; a slice keeps the path."""
    if isinstance(arg, nodes.Slice):
        return ""
    if isinstance(arg, nodes.Const) and isinstance(arg.value, str | int):
        return step(arg.value)
    return EACH


def find_texts(walked: Walked, values: Mapping[str, Any], uses: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Return the values that are texts where the template goes into a list or an object: [path, how, kind, line].

    `kind` is "python" or "json" for a text that looks like a list or a mapping, "text" for any other, which is told of
    a loop alone: an index of a text is often meant. By `uses` a loop that is on no branch taken tells nothing.
    """
    taken: dict[str, bool] = {}
    for name, state, *_ in uses:
        path, inside, _ = str(name).rpartition(EACH)
        if inside:
            taken[path] = taken.get(path, False) or state != "untaken"
    found: list[list[Any]] = []
    for (path, how), line in walked.paths.items():
        if path in walked.guarded or not taken.get(path, True):
            continue
        kind = next((kind for text in texts_at(values, path) if (kind := _kind(text, how))), "")
        if kind:
            found.append([path, how, kind, line])
    return found


def _kind(text: str, how: How) -> str:
    if looks_like_python(text):
        return "json" if _is_json(text) else "python"
    return "text" if how == "loop" and len(text) > 1 and text != MASK else ""


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False


def texts_at(values: Mapping[str, Any], path: str) -> Iterable[str]:
    """Return the texts that are at a path of values; [*] stands for every item."""
    root = root_of(path)
    if root not in values:
        return ()
    level: list[Any] = [values[root]]
    for part in _steps(path[len(root) :]):
        level = [inner for holder in level for inner in _into(holder, part)]
    return [value for value in level if isinstance(value, str)]


def _steps(rest: str) -> Iterator[str]:
    for piece in rest.replace("[", ".").replace("]", "").split("."):
        if piece:
            yield piece


def _into(holder: Any, part: str) -> Iterator[Any]:
    if part == "*":
        if isinstance(holder, list):
            yield from holder
        elif isinstance(holder, dict):
            yield from holder.values()
    elif isinstance(holder, dict) and part in holder:
        yield holder[part]
    elif isinstance(holder, list) and part.isdecimal() and int(part) < len(holder):
        yield holder[int(part)]

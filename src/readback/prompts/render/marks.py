"""Rewrite a template in the sandbox so that its text says which output wrote each stretch, and trace the values it
shows.

Each literal and each output is put between two private-use characters; the first carries an index into the sites.
Characters, because they survive `{% filter upper %}` and the like, where longer marks would break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from jinja2 import Undefined, nodes
from jinja2.filters import make_attrgetter
from jinja2.runtime import Context
from jinja2.utils import pass_context
from jinja2.visitor import NodeTransformer

from readback.prompts.render.data_paths import Chain, Each, Names, find_chain, format_step, is_get_call, strip_calls

PLANES = (0xF0000, 0x100000)  # supplementary private use A and B: the second when a text uses the first
ROOM = 0xFFF0  # marks in one plane
PATTERNS = {base: re.compile(f"([{chr(base)}-{chr(base + 0xFFFF)}])") for base in PLANES}
MARK, JOIN = "readback mark", "readback join"  # filter names that no template can write
Kind = Literal["literal", "variable", "default", "unknown"]


@dataclass(frozen=True, slots=True)
class Site:
    """Describe one literal or output of a template: what it is, its path as far as it is certain, its line."""

    kind: Kind
    name: str | None
    line: int
    chain: Chain | None = None  # resolved while rendering: its prefixes and computed keys are handed to the mark
    default: bool = False  # under a default filter; the last prefix tells whether it was used
    falsy: bool = False  # default(…, true): a false value counts as absent too
    tails: tuple[str | None, ...] = ()  # what follows each prefix of the chain; None where a key is computed


@dataclass(slots=True)
class Marker(NodeTransformer):
    """Rewrite one template; `sites` lists what the marks mean."""

    names: Names
    base: int
    sites: list[Site] = field(default_factory=list)
    loops: list[nodes.For | None] = field(default_factory=list)  # the innermost last; None: a macro hides `loop`

    def opening(self, site: Site) -> str:
        """Return the opening mark of a site. Raises OverflowError when there are more outputs than marks."""
        self.sites.append(site)
        if len(self.sites) > ROOM // 2:
            raise OverflowError("more outputs than marks")
        return chr(self.base + len(self.sites))

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 - named by the visitor
        """Mark the body of a loop, and its else branch outside of the loop."""
        self.loops.append(node)
        node.body = [self.visit(child) for child in node.body]
        self.loops.pop()
        node.else_ = [self.visit(child) for child in node.else_]
        return node

    def _hidden(self, node: nodes.Node) -> nodes.Node:
        self.loops.append(None)
        visited = self.generic_visit(node)
        self.loops.pop()
        return visited

    visit_Macro = visit_CallBlock = visit_Block = _hidden  # noqa: N815 - named by the visitor

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802 - named by the visitor
        """Mark each expression of an output."""
        parts = [part for expr in node.nodes for part in self._output(expr)]
        return nodes.Output(parts, lineno=node.lineno)

    def _output(self, expr: nodes.Expr) -> Iterator[nodes.Expr]:
        if isinstance(expr, nodes.TemplateData):
            yield nodes.TemplateData(self._closed(self.opening(Site("literal", None, expr.lineno)), expr.data))
        elif isinstance(expr, nodes.Concat):
            for each in expr.nodes:
                yield from self._output(each)
        else:
            yield from self._parts(expr, nodes.TemplateData)

    def _closed(self, opening: str, text: str) -> str:
        return opening + text + chr(self.base)

    def _parts(self, expr: nodes.Expr, literal: type[nodes.Literal]) -> Iterator[nodes.Expr]:
        """Yield `expr` between its marks; what it chooses between is marked on its own."""
        if isinstance(expr, nodes.CondExpr):
            other = expr.expr2 and self.inside(expr.expr2)
            yield nodes.CondExpr(expr.test, self.inside(expr.expr1), other, lineno=expr.lineno)
            return
        site, chosen = self.site(expr)
        if site.chain is None:
            yield literal(self.opening(site))
            yield chosen
            yield literal(chr(self.base))
        else:
            self.opening(site)
            keys = [key for key in site.chain.keys if isinstance(key, nodes.Expr)]
            args = [nodes.Const(len(self.sites) - 1), nodes.List([*site.chain.prefixes]), nodes.List(keys)]
            yield nodes.Filter(chosen, MARK, args, [], None, None, lineno=expr.lineno)

    def inside(self, expr: nodes.Expr, used: Site | None = None) -> nodes.Expr:
        """Return `expr` as an expression that carries its marks; `used`: the site it stands in for, as its default."""
        if isinstance(expr, nodes.Concat) and not used:
            return nodes.Concat([self.inside(each) for each in expr.nodes], lineno=expr.lineno)
        if used:
            opening = self.opening(Site("default", used.name, expr.lineno))
            parts: Iterable[nodes.Expr] = (nodes.Const(opening), expr, nodes.Const(chr(self.base)))
        else:
            parts = self._parts(expr, nodes.Const)
        return nodes.Concat(list(parts), lineno=expr.lineno)

    def site(self, expr: nodes.Expr) -> tuple[Site, nodes.Expr]:
        """Return what `expr` is, and the expression with the alternatives inside it marked."""
        if isinstance(expr, nodes.Or | nodes.And):
            site, left = self.site(expr.left)
            return site, type(expr)(left, self.inside(expr.right), lineno=expr.lineno)
        if is_get_call(expr) and len(expr.args) == 2:  # type: ignore[attr-defined]
            site = self.described(expr, expr.lineno)
            args = [expr.args[0], self.inside(expr.args[1], site)]  # type: ignore[attr-defined]
            return site, nodes.Call(expr.node, args, [], None, None, lineno=expr.lineno)  # type: ignore[attr-defined]
        if isinstance(expr, nodes.Filter) and expr.node is not None:
            if expr.name in ("default", "d") and expr.args and not expr.kwargs:
                site = self.described(expr.node, expr.lineno)
                args = [self.inside(expr.args[0], site), *expr.args[1:]]
                return site, nodes.Filter(expr.node, expr.name, args, [], None, None, lineno=expr.lineno)
            if expr.name == "join" and all(pair.key == "attribute" for pair in expr.kwargs):
                return self.joined(expr)
        return self.described(expr, expr.lineno), expr

    def joined(self, expr: nodes.Filter) -> tuple[Site, nodes.Expr]:
        """Return `xs | join(", ")` with each item marked on its own, and what joins them as what it is."""
        assert expr.node is not None  # noqa: S101 - a filter block has no join in an output
        items = self.described(expr.node, expr.lineno)
        item_chain = items.chain or find_chain(expr.node)
        if item_chain:
            after = list_tails(item_chain)
        else:
            after = ()
        self.opening(Site(items.kind, items.name, expr.lineno, item_chain, items.default, items.falsy, after))
        args: list[nodes.Expr] = [nodes.Const(len(self.sites) - 1)]
        args.append(nodes.List([*item_chain.prefixes] if item_chain else []))
        args.append(nodes.List([key for key in item_chain.keys if isinstance(key, nodes.Expr)] if item_chain else []))
        args += [self.inside(expr.args[0]) if expr.args else nodes.Const(""), *expr.args[1:]]
        joined = nodes.Filter(expr.node, JOIN, args, expr.kwargs, None, None, lineno=expr.lineno)
        return Site("unknown", None, expr.lineno), joined

    def described(self, expr: nodes.Expr, line: int) -> Site:
        """Describe an output as a site."""
        certain = self.names.certain(expr)
        if certain:
            name = ", ".join(sorted(certain))
        else:
            name = None
        kind: Kind
        if certain is None:
            kind = "unknown"
        elif certain:
            kind = "variable"
        else:
            kind = "literal"
        output_chain = find_chain(strip_calls(expr))
        roots = self.names.context | self.names.sources.keys() | ({"loop"} if kind == "unknown" else set())
        if kind == "literal" or output_chain is None or output_chain.root not in roots:
            return Site(kind, name, line)
        default, falsy = _find_default(expr)
        output_chain = self.followed(output_chain)
        fixed = self.names.reads(output_chain.root) and not any(
            isinstance(key, nodes.Expr) for key in output_chain.keys
        )
        if fixed and not default:
            return Site(kind, name, line)
        return Site(kind, name, line, output_chain, default, falsy, list_tails(output_chain))

    def followed(self, output_chain: Chain) -> Chain:
        """Return a chain from the variable of the innermost loop as a chain from what the loop goes through, by
        position.
        """
        loop = self.loops[-1] if self.loops else None
        if loop is None or loop.test is not None or loop.recursive or not isinstance(loop.target, nodes.Name):
            return output_chain
        start = find_chain(loop.iter)
        if start is None or loop.target.name != output_chain.root or start.root == output_chain.root:
            return output_chain
        if not all(isinstance(source, Each) for source in self.names.sources[output_chain.root]):
            return output_chain  # set anew somewhere, perhaps in this loop
        position = nodes.Getattr(nodes.Name("loop", "load"), "index0", "load")
        return Chain((*start.prefixes, *output_chain.prefixes), (*start.keys, position, *output_chain.keys))


def list_tails(chain: Chain) -> tuple[str | None, ...]:
    """List what follows each prefix of a chain; None where a key is computed."""
    after: list[str | None] = [""]
    for key in reversed(chain.keys):
        after.append(None if after[-1] is None or isinstance(key, nodes.Expr) else format_step(key) + after[-1])
    return tuple(reversed(after))


def _find_default(expr: nodes.Node) -> tuple[bool, bool]:
    """Tell whether a default filter is in the chain of filters, and whether it also replaces false values."""
    while isinstance(expr, nodes.Filter) and expr.node is not None:
        if expr.name in ("default", "d"):
            return True, len(expr.args) > 1 or bool(expr.kwargs)
        expr = expr.node
    return False, False


def split_marked(marked: str, base: int) -> list[tuple[str, int]] | None:
    """List the stretches of a marked text with the index of their innermost mark, -1 outside any; None if marks
    broke.
    """
    pieces = iter(PATTERNS[base].split(marked))
    first = next(pieces)
    parts = [(first, -1)] if first else []
    open_: list[int] = []
    inner = -1
    for mark, text in zip(pieces, pieces, strict=True):
        if code := ord(mark) - base:
            open_.append(inner)
            inner = code - 1
        elif open_:
            inner = open_.pop()
        else:
            return None
        if text:
            parts.append((text, inner))
    if open_:
        return None
    return parts


def has_plane_character(base: int, texts: Sequence[str]) -> bool:
    """Tell whether any of the texts has a character of that plane."""
    return any(not text.isascii() and PATTERNS[base].search(text) for text in texts)


TRACE = "readback state"  # a name no template can read
MAX_VALUES = 200_000  # values of one record looked at; beyond, the template alone says where a text comes from

Hit = tuple[Kind, str | None, int]  # kind, name, line


class Trace:
    """Follow one rendering: the values by identity, and a mark for each (output, path) that occurred.

    Values decoded from JSON are separate objects, except short strings, numbers and constants; those are recognised by
    the container they are in.
    """

    def __init__(self, base: int, sites: tuple[Site, ...], values: Mapping[str, Any], roots: Iterable[str]) -> None:
        self.base, self.sites, self.values, self.roots = base, sites, values, roots
        self.hits: list[Hit] = [(site.kind, site.name, site.line) for site in sites]
        self._marks: dict[Hit, str] = {}
        self._paths: dict[int, str] = {}
        self._locations: dict[int, tuple[int | None, str | int] | None] | None = None

    def mark(self, hit: Hit, text: str) -> str:
        """Put a text between marks; the mark of a new hit is made."""
        if not text:
            return text
        opening = self._marks.get(hit)
        if opening is None:
            self.hits.append(hit)
            if len(self.hits) >= ROOM:
                raise OverflowError("more outputs than marks")
            opening = self._marks[hit] = chr(self.base + len(self.hits))
        return f"{opening}{text}{chr(self.base)}"

    def path(self, site: Site, objects: list[Any], computed: list[Any]) -> str | None:
        """Return the path of the last of `objects`, from the nearest one whose place in the values is known."""
        for at in range(len(objects) - 1, -1, -1):
            start = self.find_path(objects[at]) or (None if at else self._root(site, objects[0]))
            if start is not None:
                tail = site.tails[at]
                return start + (self._tail(site, at, objects, computed) if tail is None else tail)
        return site.name

    def _root(self, site: Site, value: Any) -> str | None:
        assert site.chain is not None  # noqa: S101 - only such sites are traced
        root = site.chain.root
        if root in self.roots and value is self.values.get(root):
            return root
        return None

    def _tail(self, site: Site, at: int, objects: list[Any], computed: list[Any]) -> str:
        """Return the keys after the prefix `at`, with the computed ones as they came out."""
        assert site.chain is not None  # noqa: S101 - likewise
        waiting = iter(computed)
        keys = [key if isinstance(key, str | int) else _read_computed_key(next(waiting)) for key in site.chain.keys]
        pairs = zip(objects[at:], keys[at:], strict=False)
        return "".join(
            format_step(key) if key is not None and _can_be_key(holder, key) else "[*]" for holder, key in pairs
        )

    def find_path(self, value: Any) -> str | None:
        """Return the path of this very object in the values, if it is there exactly once."""
        kind = type(value)
        if not isinstance(value, dict | list) and (kind is not str or len(value) < 2):
            return None
        if self._locations is None:
            self._locations = _locate_values(self.values, self.roots)
        return self._path(id(value))

    def _path(self, at: int) -> str | None:
        assert self._locations is not None  # noqa: S101 - filled by the only caller
        location = self._locations.get(at)
        if location is None:
            return None
        holder, key = location
        if holder is None:
            return str(key)
        start = self._paths.get(holder) or self._path(holder)
        if start is None:
            return None
        self._paths[holder] = start
        return start + format_step(key)


def _read_computed_key(key: Any) -> str | int | None:
    return key if type(key) in (str, int) and not (type(key) is int and key < 0) else None


def _can_be_key(holder: Any, key: str | int) -> bool:
    """Tell whether `key` can be the place in `holder`; the position in a loop over a dict is not a key of it."""
    return not isinstance(key, int) or isinstance(holder, list)


def _locate_values(values: Mapping[str, Any], roots: Iterable[str]) -> dict[int, tuple[int | None, str | int] | None]:
    """Map id to (id of the container, key); to None for an object that is in several places."""
    locations: dict[int, tuple[int | None, str | int] | None] = {}
    waiting: list[tuple[int | None, str | int, Any]] = [(None, name, values[name]) for name in roots if name in values]
    left = MAX_VALUES
    while waiting and left:
        holder, key, value = waiting.pop()
        left -= 1
        kind = type(value)
        if kind is str:
            if len(value) > 1:
                locations[id(value)] = None if id(value) in locations else (holder, key)
        elif isinstance(value, dict | list):
            if id(value) in locations:
                locations[id(value)] = None
                continue
            locations[id(value)] = (holder, key)
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            waiting.extend((id(value), inner, item) for inner, item in pairs)
    return locations


@pass_context
def mark_output(context: Context, value: Any, index: int, objects: list[Any], computed: list[Any]) -> str:
    """Return the text of one output between its marks."""
    trace: Trace = context.parent[TRACE]
    site = trace.sites[index]
    kind: Kind = "default" if _is_default_used(site, objects) else site.kind
    name = trace.path(site, objects, computed)
    if kind == "unknown" and name is not None:
        kind = "variable"
    return trace.mark((kind, name, site.line), str(value))


@pass_context
def join_marked(
    context: Context,
    value: Any,
    index: int,
    objects: list[Any],
    computed: list[Any],
    between: Any = "",
    attribute: str | int | None = None,
) -> str:
    """Join as the filter does, with each item between marks of its own."""
    trace: Trace = context.parent[TRACE]
    site = trace.sites[index]
    if site.chain:
        start = trace.path(site, objects, computed)
    else:
        start = None
    listed = bool(objects) and objects[-1] is value and isinstance(value, list)
    used, several = _is_default_used(site, objects), site.name is not None and ", " in site.name
    if attribute is None:
        suffix = ""
    else:
        suffix = format_step(attribute)
    if attribute is not None:
        get = make_attrgetter(context.environment, attribute)
    else:
        get = None
    texts = []
    for position, item in enumerate(value):
        shown_item = get(item) if get else item
        name = trace.find_path(shown_item) or ((item_path := trace.find_path(item)) and item_path + suffix)
        if name is None and listed and start:
            name = f"{start}[{position}]{suffix}"
        name = name or (site.name if several else site.name and f"{site.name}[*]{suffix}")
        kind: Kind
        if used:
            kind = "default"
        elif name:
            kind = "variable"
        else:
            kind = site.kind
        texts.append(trace.mark((kind, name, site.line), str(shown_item)))
    return str(between).join(texts)


def _is_default_used(site: Site, objects: list[Any]) -> bool:
    """Tell whether the default filter around an output stood in for an absent value."""
    return site.default and (isinstance(objects[-1], Undefined) or (site.falsy and not objects[-1]))


def trim_marked(value: Any, chars: str | None = None) -> str:
    """Trim a text that may hold marks: they stay, the blanks around and between them go."""
    text = str(value)
    if chars is not None or (text.strip() == text and not _has_mark(text)):
        return text.strip(chars)
    pieces = list(text)
    for order in (range(len(pieces)), range(len(pieces) - 1, -1, -1)):
        for at in order:
            if not _has_mark(pieces[at]):
                if not pieces[at].isspace():
                    break
                pieces[at] = ""
    return "".join(pieces)


def _has_mark(text: str) -> bool:
    return any(character >= "\U000f0000" for character in (text[:1], text[-1:]))

"""In the sandbox: a template rewritten so that its text says which output wrote each stretch.

Each literal and each output is put between two private-use characters; the first carries an index into the
sites. Characters, because they survive `{% filter upper %}` and the like, where longer marks would break.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from readback.prompts.render.data_paths import Chain, Each, Names, chain, gets, peel, step

PLANES = (0xF0000, 0x100000)  # supplementary private use A and B: the second when a text uses the first
ROOM = 0xFFF0  # marks in one plane
PATTERNS = {base: re.compile(f"([{chr(base)}-{chr(base + 0xFFFF)}])") for base in PLANES}
MARK, JOIN = "readback mark", "readback join"  # filter names that no template can write
Kind = Literal["literal", "variable", "default", "unknown"]


@dataclass(frozen=True, slots=True)
class Site:
    """One literal or output of a template: what it is, its path as far as it is certain, its line."""

    kind: Kind
    name: str | None
    line: int
    chain: Chain | None = None  # resolved while rendering: its prefixes and computed keys are handed to the mark
    default: bool = False  # under a default filter; the last prefix tells whether it was used
    falsy: bool = False  # default(…, true): a false value counts as absent too
    tails: tuple[str | None, ...] = ()  # what follows each prefix of the chain; None where a key is computed


@dataclass(slots=True)
class Marker(NodeTransformer):
    """Rewrites one template; `sites` lists what the marks mean."""

    names: Names
    base: int
    sites: list[Site] = field(default_factory=list)
    loops: list[nodes.For | None] = field(default_factory=list)  # the innermost last; None: a macro hides `loop`

    def opening(self, site: Site) -> str:
        self.sites.append(site)
        if len(self.sites) > ROOM // 2:
            raise OverflowError("more outputs than marks")
        return chr(self.base + len(self.sites))

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 - named by the visitor
        self.loops.append(node)
        node.body = [self.visit(each) for each in node.body]
        self.loops.pop()
        node.else_ = [self.visit(each) for each in node.else_]
        return node

    def _hidden(self, node: nodes.Node) -> nodes.Node:
        self.loops.append(None)
        made = self.generic_visit(node)
        self.loops.pop()
        return made

    visit_Macro = visit_CallBlock = visit_Block = _hidden  # noqa: N815 - named by the visitor

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802 - named by the visitor
        made = [part for each in node.nodes for part in self._output(each)]
        return nodes.Output(made, lineno=node.lineno)

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
        """`expr` between its marks; what it chooses between is marked on its own."""
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
        """`expr` as an expression that carries its marks; `used`: the site it stands in for, as its default."""
        if isinstance(expr, nodes.Concat) and not used:
            return nodes.Concat([self.inside(each) for each in expr.nodes], lineno=expr.lineno)
        if used:
            opening = self.opening(Site("default", used.name, expr.lineno))
            parts: Iterable[nodes.Expr] = (nodes.Const(opening), expr, nodes.Const(chr(self.base)))
        else:
            parts = self._parts(expr, nodes.Const)
        return nodes.Concat(list(parts), lineno=expr.lineno)

    def site(self, expr: nodes.Expr) -> tuple[Site, nodes.Expr]:
        """What `expr` is, and the expression with the alternatives inside it marked."""
        if isinstance(expr, nodes.Or | nodes.And):
            site, left = self.site(expr.left)
            return site, type(expr)(left, self.inside(expr.right), lineno=expr.lineno)
        if gets(expr) and len(expr.args) == 2:  # type: ignore[attr-defined]
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
        """`xs | join(", ")` with each item marked on its own, and what joins them as what it is."""
        assert expr.node is not None  # noqa: S101 - a filter block has no join in an output
        items = self.described(expr.node, expr.lineno)
        found = items.chain or chain(expr.node)
        after = tails(found) if found else ()
        self.opening(Site(items.kind, items.name, expr.lineno, found, items.default, items.falsy, after))
        args: list[nodes.Expr] = [nodes.Const(len(self.sites) - 1)]
        args.append(nodes.List([*found.prefixes] if found else []))
        args.append(nodes.List([key for key in found.keys if isinstance(key, nodes.Expr)] if found else []))
        args += [self.inside(expr.args[0]) if expr.args else nodes.Const(""), *expr.args[1:]]
        made = nodes.Filter(expr.node, JOIN, args, expr.kwargs, None, None, lineno=expr.lineno)
        return Site("unknown", None, expr.lineno), made

    def described(self, expr: nodes.Expr, line: int) -> Site:
        certain = self.names.certain(expr)
        name = ", ".join(sorted(certain)) if certain else None
        kind: Kind = "unknown" if certain is None else "variable" if certain else "literal"
        found = chain(peel(expr))
        known = self.names.context | self.names.sources.keys() | ({"loop"} if kind == "unknown" else set())
        if kind == "literal" or found is None or found.root not in known:
            return Site(kind, name, line)
        default, falsy = _default(expr)
        found = self.followed(found)
        fixed = self.names.reads(found.root) and not any(isinstance(key, nodes.Expr) for key in found.keys)
        if fixed and not default:
            return Site(kind, name, line)
        return Site(kind, name, line, found, default, falsy, tails(found))

    def followed(self, found: Chain) -> Chain:
        """A chain from the variable of the innermost loop, seen from what the loop goes through, by position."""
        loop = self.loops[-1] if self.loops else None
        if loop is None or loop.test is not None or loop.recursive or not isinstance(loop.target, nodes.Name):
            return found
        start = chain(loop.iter)
        if start is None or loop.target.name != found.root or start.root == found.root:
            return found
        if not all(isinstance(source, Each) for source in self.names.sources[found.root]):
            return found  # set anew somewhere, perhaps in this loop
        position = nodes.Getattr(nodes.Name("loop", "load"), "index0", "load")
        return Chain((*start.prefixes, *found.prefixes), (*start.keys, position, *found.keys))


def tails(found: Chain) -> tuple[str | None, ...]:
    """What follows each prefix of a chain; None where a key is computed."""
    after: list[str | None] = [""]
    for key in reversed(found.keys):
        after.append(None if after[-1] is None or isinstance(key, nodes.Expr) else step(key) + after[-1])
    return tuple(reversed(after))


def _default(expr: nodes.Node) -> tuple[bool, bool]:
    """Whether a default filter is in the chain of filters, and whether it also replaces false values."""
    while isinstance(expr, nodes.Filter) and expr.node is not None:
        if expr.name in ("default", "d"):
            return True, len(expr.args) > 1 or bool(expr.kwargs)
        expr = expr.node
    return False, False


def split(marked: str, base: int) -> list[tuple[str, int]] | None:
    """The stretches of a marked text with the index of their innermost mark, -1 outside any; None if marks broke."""
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
    return None if open_ else parts


def holds(base: int, texts: Sequence[str]) -> bool:
    """Whether any of the texts has a character of that plane."""
    return any(not text.isascii() and PATTERNS[base].search(text) for text in texts)

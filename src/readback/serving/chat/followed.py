"""In the sandbox: a chat template compiled so that what it writes and what it is given can be told apart.

Its literals become traced texts that know their line; outputs, `~` and the filters that would lose track keep it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jinja2 import Undefined, nodes
from jinja2.filters import do_title, sync_do_join
from jinja2.nodes import EvalContext
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import pass_context, pass_eval_context
from jinja2.visitor import NodeTransformer

from readback.serving.chat import environment as chat_environment
from readback.serving.chat.traced import SERVING, Traced, at_line, formatted, joined, merged, spans

LITERAL, SHOWN, BESIDE = "readback literal", "readback shown", "readback beside"  # filter names no template can write


class Followed(ImmutableSandboxedEnvironment):
    """The environment of chat templates with texts that are followed."""

    concat = staticmethod(joined)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        plain = super().wrap_str_format(value)
        if plain is None or value.__name__ != "format" or type(value.__self__) is not Traced:
            return plain
        return formatted(value.__self__, plain)


def environment(today: str | None) -> ImmutableSandboxedEnvironment:
    env = chat_environment.environment(today, Followed)
    env.filters |= {LITERAL: _literal, SHOWN: _shown, BESIDE: _beside, "join": _join, "title": _title, "tojson": _json}
    told = env.globals["strftime_now"]

    def strftime_now(format: str) -> str:  # noqa: A002 - the name it has in templates
        text = told(format)  # type: ignore[operator]
        return Traced(text, _of(text, SERVING))

    env.globals["strftime_now"] = strftime_now
    return env


def compiled(text: str, today: str | None) -> Any:
    """The template, made so that each part it yields is a traced text. Raises whatever Jinja raises."""
    env = environment(today)
    tree = _Marker().visit(env.parse(text))
    return env.template_class.from_code(env, env.compile(tree), dict(env.globals))


class _Marker(NodeTransformer):
    """Names of attributes and what is only compared stay as they are: they are never written."""

    def visit_Const(self, node: nodes.Const) -> nodes.Node:  # noqa: N802 - named by the visitor
        return _literally(node.value, node.lineno) if isinstance(node.value, str) and node.value else node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        return node

    visit_Test = visit_Include = visit_Import = visit_FromImport = visit_Extends = visit_Compare  # noqa: N815

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        node.node = self.visit(node.node)
        if not isinstance(node.arg, nodes.Const):
            node.arg = self.visit(node.arg)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        parts: list[nodes.Expr] = [self.visit(each) for each in node.nodes]
        return nodes.Filter(nodes.List(parts), BESIDE, [nodes.Const(node.lineno)], [], None, None, lineno=node.lineno)

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802
        return nodes.Output(list(self._outputs(node)), lineno=node.lineno)

    def _outputs(self, node: nodes.Output) -> Iterator[nodes.Expr]:
        for each in node.nodes:
            if isinstance(each, nodes.TemplateData):
                yield _literally(each.data, each.lineno)
            else:
                line = nodes.Const(each.lineno)
                yield nodes.Filter(self.visit(each), SHOWN, [line], [], None, None, lineno=each.lineno)


def _literally(text: str, line: int) -> nodes.Filter:
    return nodes.Filter(nodes.Const(text), LITERAL, [nodes.Const(line)], [], None, None, lineno=line)


def _of(text: str, source: int) -> tuple[tuple[int, int], ...]:
    return ((len(text), source),) if text else ()


# These filters ask for the context only so that Jinja does not apply them while it compiles.
@pass_context
def _literal(context: Context, text: str, line: int) -> str:
    return Traced(text, _of(text, at_line(line)))


@pass_context
def _shown(context: Context, value: Any, line: int) -> str:
    """What an output writes; a number is the template's own."""
    if isinstance(value, str | Undefined):
        return value if type(value) is Traced else Traced(str(value))
    text = str(value)
    return Traced(text, _of(text, at_line(line))) if value is None or isinstance(value, int | float) else Traced(text)


@pass_context
def _beside(context: Context, values: list[Any], line: int) -> str:
    return joined(_shown(context, value, line) for value in values)


@pass_eval_context
def _join(eval_ctx: EvalContext, value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    return sync_do_join(eval_ctx, value, Traced(d), attribute)


def _title(value: Any) -> str:
    text = do_title(value)
    return Traced(text, spans(value)) if isinstance(value, Traced) and len(value) == len(text) else text


def _json(value: Any, *args: Any, **kwargs: Any) -> str:
    """JSON whose texts keep their stretches; its marks and numbers are the template's own."""
    text = chat_environment.tojson(value, *args, **kwargs)
    found: list[tuple[int, int]] = []
    at = 0
    ascii_only = bool(args[0] if args else kwargs.get("ensure_ascii", False))
    in_order = kwargs.get("sort_keys", False) or len(args) > 3
    for each in () if in_order else _texts(value):
        pieces = list(_spelt(each, ascii_only))
        start = text.find('"', at)
        end = start + 1 + sum(length for length, _ in pieces)
        if start < 0 or text[start : end + 1] != json.dumps(str(each), ensure_ascii=ascii_only):
            return Traced(text)
        found += [(start + 1 - at, SERVING), *pieces, (1, SERVING)]
        at = end + 1
    return Traced(text) if in_order else Traced(text, merged([*found, (len(text) - at, SERVING)]))


def _texts(value: Any) -> Iterator[str]:
    """The texts of a JSON value in the order in which they are written."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield Traced(key, _of(key, SERVING)) if type(key) is str else str(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _spelt(text: str, ascii_only: bool) -> Iterator[tuple[int, int]]:
    at = 0
    for length, source in spans(text):
        piece = str.__getitem__(text, slice(at, at + length))
        at += length
        yield len(json.dumps(piece, ensure_ascii=ascii_only)) - 2, source

"""Compile a chat template, for use in the sandbox, so that what it writes is told apart from its data.

Its literals become traced texts that know their line; outputs, `~` and the filters that would lose sources keep them.
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
from readback.serving.chat.traced_text import (
    SERVING,
    TracedText,
    get_line_source,
    get_spans,
    join_texts,
    list_spans,
    merge_spans,
    wrap_format,
)

LITERAL, OUTPUT, CONCAT = "readback literal", "readback output", "readback concat"  # names that no template can write


class TracingEnvironment(ImmutableSandboxedEnvironment):
    """Render chat templates with traced texts."""

    concat = staticmethod(join_texts)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return a `str.format` that traces its fields."""
        plain = super().wrap_str_format(value)
        if plain is None or value.__name__ != "format" or type(value.__self__) is not TracedText:
            return plain
        return wrap_format(value.__self__, plain)


def build_environment(today: str | None) -> ImmutableSandboxedEnvironment:
    """Return the environment of chat templates whose texts are traced."""
    env = chat_environment.build_environment(today, TracingEnvironment)
    env.filters |= {
        LITERAL: _trace_literal,
        OUTPUT: _trace_output,
        CONCAT: _trace_concat,
        "join": _trace_join,
        "title": _trace_title,
        "tojson": _trace_json,
    }
    plain_strftime = env.globals["strftime_now"]

    def strftime_now(format: str) -> str:  # noqa: A002 - the name it has in templates
        text = plain_strftime(format)  # type: ignore[operator]
        return TracedText(text, list_spans(text, SERVING))

    env.globals["strftime_now"] = strftime_now
    return env


def compile_template(text: str, today: str | None) -> Any:
    """Return the template, compiled so that each part it yields is a traced text. Raises what Jinja raises."""
    env = build_environment(today)
    tree = _Marker().visit(env.parse(text))
    return env.template_class.from_code(env, env.compile(tree), dict(env.globals))


class _Marker(NodeTransformer):
    """Mark the literals and outputs of a template.

    Names of attributes and what is only compared stay as they are: they are never written.
    """

    def visit_Const(self, node: nodes.Const) -> nodes.Node:  # noqa: N802 - named by the visitor
        """Mark a string constant."""
        if isinstance(node.value, str) and node.value:
            return _mark_literal(node.value, node.lineno)
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        """Leave a comparison as it is."""
        return node

    visit_Test = visit_Include = visit_Import = visit_FromImport = visit_Extends = visit_Compare  # noqa: N815

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        """Mark the value and the key unless the key is a constant."""
        node.node = self.visit(node.node)
        if not isinstance(node.arg, nodes.Const):
            node.arg = self.visit(node.arg)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        """Replace `~` by a filter that traces its operands."""
        parts: list[nodes.Expr] = [self.visit(part) for part in node.nodes]
        return nodes.Filter(nodes.List(parts), CONCAT, [nodes.Const(node.lineno)], [], None, None, lineno=node.lineno)

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802
        """Mark each part of an output."""
        return nodes.Output(list(self._mark_outputs(node)), lineno=node.lineno)

    def _mark_outputs(self, node: nodes.Output) -> Iterator[nodes.Expr]:
        for part in node.nodes:
            if isinstance(part, nodes.TemplateData):
                yield _mark_literal(part.data, part.lineno)
            else:
                line = nodes.Const(part.lineno)
                yield nodes.Filter(self.visit(part), OUTPUT, [line], [], None, None, lineno=part.lineno)


def _mark_literal(text: str, line: int) -> nodes.Filter:
    return nodes.Filter(nodes.Const(text), LITERAL, [nodes.Const(line)], [], None, None, lineno=line)


# These filters ask for the context only so that Jinja does not apply them while it compiles.
@pass_context
def _trace_literal(context: Context, text: str, line: int) -> str:
    return TracedText(text, list_spans(text, get_line_source(line)))


@pass_context
def _trace_output(context: Context, value: Any, line: int) -> str:
    """Return what an output writes; a number is the template's own."""
    if isinstance(value, str | Undefined):
        if type(value) is TracedText:
            return value
        return TracedText(str(value))
    text = str(value)
    if value is None or isinstance(value, int | float):
        return TracedText(text, list_spans(text, get_line_source(line)))
    return TracedText(text)


@pass_context
def _trace_concat(context: Context, values: list[Any], line: int) -> str:
    return join_texts(_trace_output(context, value, line) for value in values)


@pass_eval_context
def _trace_join(eval_ctx: EvalContext, value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    return sync_do_join(eval_ctx, value, TracedText(d), attribute)


def _trace_title(value: Any) -> str:
    text = do_title(value)
    if isinstance(value, TracedText) and len(value) == len(text):
        return TracedText(text, get_spans(value))
    return text


def _trace_json(value: Any, *args: Any, **kwargs: Any) -> str:
    """Return JSON whose texts keep their stretches; its marks and numbers are the template's own."""
    text = chat_environment.tojson(value, *args, **kwargs)
    sorts_keys = kwargs.get("sort_keys", False) or len(args) > 3
    if sorts_keys:
        return TracedText(text)
    json_spans: list[tuple[int, int]] = []
    at = 0
    ascii_only = bool(args[0] if args else kwargs.get("ensure_ascii", False))
    for string in _list_strings(value):
        pieces = list(_list_json_spans(string, ascii_only))
        start = text.find('"', at)
        end = start + 1 + sum(length for length, _ in pieces)
        if start < 0 or text[start : end + 1] != json.dumps(str(string), ensure_ascii=ascii_only):
            return TracedText(text)
        json_spans += [(start + 1 - at, SERVING), *pieces, (1, SERVING)]
        at = end + 1
    json_spans.append((len(text) - at, SERVING))
    return TracedText(text, merge_spans(json_spans))


def _list_strings(value: Any) -> Iterator[str]:
    """Yield the texts of a JSON value in the order in which they are written."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield TracedText(key, list_spans(key, SERVING)) if type(key) is str else str(key)
            yield from _list_strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _list_strings(inner)


def _list_json_spans(text: str, ascii_only: bool) -> Iterator[tuple[int, int]]:
    at = 0
    for length, source in get_spans(text):
        piece = str.__getitem__(text, slice(at, at + length))
        at += length
        yield len(json.dumps(piece, ensure_ascii=ascii_only)) - 2, source

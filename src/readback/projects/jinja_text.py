"""Jinja2 of other tools, in the sandbox, with the variable that wrote each character. In the bounded child only.

The tools differ in what they do with block lines and the last newline, and in whether a template may change lists. The
text is that of a plain rendering; a second one with marks says who wrote what, and counts only if it gives the same.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from jinja2 import DictLoader, StrictUndefined, Template, TemplateError, Undefined, nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment

from readback.projects.owned_text import OwnedText, Owner

START, BETWEEN, END = "\ue0f0", "\ue0f1", "\ue0f2"
MARKS = (START, BETWEEN, END)
FILTER = "readback_mark"
NAME = "prompt"
LONGEST = 8 << 20  # characters of one rendered text
TEMPLATES = 256  # kept compiled


class JinjaFault(Exception):  # noqa: N818 - carries the reason that the tool has
    """A template that gives no text."""


@dataclass(frozen=True, slots=True, eq=False)
class JinjaOptions:
    """Say how a tool sets Jinja2 up. Two are never equal, for the functions in them may have a state."""

    trims_blocks: bool = False
    keeps_newline: bool = False
    may_change_values: bool = True
    strips_blocks: bool = False
    extensions: tuple[type[Extension], ...] = ()
    filters: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    names: Mapping[str, Any] = field(default_factory=dict)
    is_strict: bool = False  # whether a name without a value is an error


def render_jinja(
    template: str,
    values: Mapping[str, Any],
    options: JinjaOptions,
    others: Mapping[str, str] | None = None,
    missing: list[str] | None = None,
) -> OwnedText:
    """Return the rendered template. `others` are templates that it may include by name; raises JinjaFault.

    The names that the template prints and that have no value are added to `missing`, as far as they are known.
    """
    texts = {**(others or {}), NAME: template}
    plain = _render(texts, values, options)
    if any(mark in plain for mark in MARKS):
        return OwnedText(plain)
    try:
        marked = split_marks(_render(texts, values, options, [] if missing is None else missing))
    except JinjaFault:  # a filter that takes no text with marks: who wrote it is not known then
        return OwnedText(plain)
    if marked.text == plain:
        return marked
    return OwnedText(plain)


def check_jinja(template: str, options: JinjaOptions) -> None:
    """Raise JinjaFault for a template that cannot be compiled, whatever the values."""
    environment = _make_environment({}, options)
    try:
        environment.compile(template)
    except TemplateError as error:
        raise JinjaFault(f"{type(error).__name__}: {error.message or error}") from None
    except (MemoryError, RecursionError):
        raise JinjaFault("the template needs more than it may have") from None


def _make_environment(texts: Mapping[str, str], options: JinjaOptions) -> SandboxedEnvironment:
    if options.may_change_values:
        kind = SandboxedEnvironment
    else:
        kind = ImmutableSandboxedEnvironment
    environment = kind(
        loader=DictLoader(texts),
        trim_blocks=options.trims_blocks,
        lstrip_blocks=options.strips_blocks,
        keep_trailing_newline=options.keeps_newline,
        extensions=options.extensions,
        undefined=StrictUndefined if options.is_strict else Undefined,
    )
    environment.globals["range"] = range  # the sandbox's own stops at 100,000; time stops ours
    environment.globals.update(options.names)
    environment.filters.update(options.filters)
    return environment


def render_plain(template: str, values: Mapping[str, Any], options: JinjaOptions) -> str:
    """Return the rendered template where nobody asks who wrote what; raises JinjaFault."""
    return _render({NAME: template}, values, options)


def _render(
    texts: Mapping[str, str], values: Mapping[str, Any], options: JinjaOptions, missing: list[str] | None = None
) -> str:
    """Return a rendered template; with marks where the names that it prints without a value are to be listed."""
    try:
        if missing is not None:
            environment = _make_environment(texts, options)
            environment.filters[FILTER] = partial(_mark, missing)
            tree = _mark_outputs(environment.parse(texts[NAME]))
            compiled: Any = environment.template_class.from_code(
                environment, environment.compile(tree), environment.make_globals(None)
            )
        else:
            has_state = options.names or options.extensions
            compiled = (_compile if has_state else _compile_once)(tuple(texts.items()), options)
        text = str(compiled.render(copy.deepcopy(dict(values))))
    except JinjaFault:
        raise
    except TemplateError as error:
        raise JinjaFault(f"{type(error).__name__}: {error.message or error}") from None
    except (MemoryError, RecursionError):
        raise JinjaFault("the template needs more than it may have") from None
    except Exception as error:
        raise JinjaFault(f"{type(error).__name__}: {error}") from None
    if len(text) > LONGEST:
        raise JinjaFault(f"the text is longer than {LONGEST:,} characters")
    return text


def _compile(texts: tuple[tuple[str, str], ...], options: JinjaOptions) -> Template:
    """Return the compiled template; raises what Jinja2 does."""
    return _make_environment(dict(texts), options).get_template(NAME)


_compile_once = lru_cache(maxsize=TEMPLATES)(_compile)  # in a child, which renders the rows of one prompt


def _mark(missing: list[str], value: Any, name: str) -> str:
    if isinstance(value, Undefined):
        missing.append(name)
    return f"{START}{name}{BETWEEN}{value}{END}"


def _mark_outputs(tree: nodes.Template) -> nodes.Template:
    """Put what each `{{ … }}` prints between marks with the name of the value."""
    for output in tree.find_all(nodes.Output):
        output.nodes = [
            each
            if isinstance(each, nodes.TemplateData | nodes.Const)
            else nodes.Filter(each, FILTER, [nodes.Const(_name_value(each))], [], None, None, lineno=each.lineno)
            for each in output.nodes
        ]
    return tree


def _name_value(node: nodes.Node) -> str:
    """Return the name of the first value that an expression reads, dotted; empty where it reads none."""
    if isinstance(node, nodes.Name):
        return str(node.name)
    if isinstance(node, nodes.Getattr):
        return f"{_name_value(node.node)}.{node.attr}"
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        return f"{_name_value(node.node)}.{node.arg.value}"
    for child in node.iter_child_nodes():
        if name := _name_value(child):
            return name
    return ""


def split_marks(marked: str) -> OwnedText:
    """Return a marked text without its marks; the innermost mark with a name says who wrote a character."""
    texts: list[str] = []
    owners: list[Owner] = []
    opened: list[str] = []
    at = 0
    while at < len(marked):
        sign = marked[at]
        if sign == START:
            between = marked.find(BETWEEN, at)
            if between < 0:
                break
            opened.append(marked[at + 1 : between])
            at = between + 1
        elif sign == END:
            if opened:
                opened.pop()
            at += 1
        else:
            end = min((where for mark in MARKS if (where := marked.find(mark, at)) >= 0), default=len(marked))
            owner = next((name for name in reversed(opened) if name), None)
            texts.append(marked[at:end])
            owners += [owner] * (end - at)
            at = end
    return OwnedText("".join(texts), owners)

"""In the sandbox: the Jinja environments templates are compiled in; what they render equals stock Jinja2."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, NoReturn

from jinja2 import Template, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.idtracking import VAR_LOAD_RESOLVE
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment

from readback.prompts.render import seen as render_seen
from readback.prompts.render import trace as render_trace
from readback.prompts.render.marks import JOIN, MARK
from readback.prompts.render.watch import FIND, GET, WATCH

DICT_NAMES = frozenset(dir(dict))
LOOP_NAMES = frozenset(
    ("index", "index0", "revindex", "revindex0", "first", "last", "length", "depth", "depth0", "previtem", "nextitem")
)
LIST_MUTATORS = ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort")
MUTATORS = frozenset((*LIST_MUTATORS, "popitem", "setdefault", "update"))


class _Tracking(CodeGenerator):
    """The compiler, noting which names it looks up in the values (as jinja2.meta does, without a second pass)."""

    def enter_frame(self, frame: Frame) -> None:
        super().enter_frame(frame)
        for action, name in frame.symbols.loads.values():
            if action == VAR_LOAD_RESOLVE and name not in self.environment.globals:
                self.environment.reads.add(name)  # type: ignore[attr-defined]


class _Ours(SandboxedEnvironment):
    """Jinja's sandbox, with an unsafe attribute refused instead of printed as nothing, and two short cuts.

    The short cuts answer plain keys of plain dicts and plain properties of loops; all else keeps the checks.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.code_generator_class = _Tracking
        self.reads: set[str] = set()
        self.globals["range"] = range  # the sandbox's own stops at 100,000; our sandbox stops it by time

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute not in DICT_NAMES:
            try:
                return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
        if type(obj) is LoopContext and attribute in LOOP_NAMES:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def unsafe_undefined(self, obj: Any, attribute: str) -> NoReturn:
        # an Undefined would print as nothing, where production prints the attribute
        raise SecurityError(f"the attribute {attribute!r} of a {type(obj).__name__!r} may not be read")


class _Immutable(_Ours, ImmutableSandboxedEnvironment):
    """For templates that call no method that changes a list or a dict: those are refused."""


def loaded(env: SandboxedEnvironment, tree: nodes.Template) -> tuple[Template, frozenset[str]]:
    """The compiled template, and the names it looks up in the values."""
    env.reads.clear()  # type: ignore[attr-defined]
    template = env.template_class.from_code(env, env.compile(tree), dict(env.globals))
    template.globals = dict(env.globals)  # a plain dict: a ChainMap would be walked at every rendering
    return template, frozenset(env.reads)  # type: ignore[attr-defined]


@lru_cache(32)
def environment(
    blocks: bool, mutable: bool = False, hidden: frozenset[str] = frozenset(), marked: bool = False, seen: bool = False
) -> SandboxedEnvironment:
    """The environment for adapters (`blocks`) or prompts; `hidden` are global names that the data define anew.

    `mutable` for templates that change what they make; `marked` for the rendering that keeps track of origins, `seen`
    for one that only looks at the names it reads.
    """
    kind = _Ours if mutable else _Immutable
    env = kind(trim_blocks=blocks, lstrip_blocks=blocks)
    if marked or seen:
        env.filters |= {WATCH: render_seen.watch, FIND: render_seen.find, GET: render_seen.get}
    if marked:
        env.filters |= {MARK: render_trace.mark, JOIN: render_trace.join, "trim": render_trace.trim}
    for name in hidden:
        env.globals.pop(name, None)
    if blocks:
        env.filters["json_block"] = json_block
    return env


def json_block(value: Any) -> str:
    """What adapters insert for a JSON value: keys as they come, two spaces, ASCII, no final newline."""
    return json.dumps(value, indent=2)


def mutates(tree: nodes.Template) -> bool:
    """Whether the template names a method that changes its object, as `{% set _ = parts.append(x) %}` does.

    Such a template gets copies of the values, so that what it changes lasts for one rendering.
    """
    return any(node.attr in MUTATORS for node in tree.find_all(nodes.Getattr)) or any(
        isinstance(node.arg, nodes.Const) and node.arg.value in MUTATORS for node in tree.find_all(nodes.Getitem)
    )

"""Compile and render Jinja templates in the sandbox, twice, so that every character has an origin.

What the environments render equals stock Jinja2. The plain rendering is the truth. The marked one says who wrote what;
where it differs from the plain text once its marks are taken out, no origin is claimed for the whole text.
"""

from __future__ import annotations

import copy
import json
import random
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from types import TracebackType
from typing import Any, NoReturn

from jinja2 import Template, TemplateSyntaxError, UndefinedError, nodes
from jinja2 import Template as Compiled
from jinja2.compiler import CodeGenerator, Frame
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.exceptions import SecurityError
from jinja2.idtracking import VAR_LOAD_RESOLVE
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment

from readback import sandbox
from readback.prompts.render import marks as render_trace
from readback.prompts.render import watch as render_seen
from readback.prompts.render.data_paths import (
    EnteredPaths,
    Names,
    find_entered_paths,
    find_entered_texts,
    find_first_lines,
    find_names,
)
from readback.prompts.render.marks import (
    JOIN,
    MARK,
    PLANES,
    TRACE,
    Marker,
    Site,
    Trace,
    has_plane_character,
    split_marked,
)
from readback.prompts.render.watch import (
    FIND,
    GET,
    SIGHTINGS,
    WATCH,
    Account,
    Look,
    Sightings,
    list_accounts,
    make_watcher,
)
from readback.readers.tables.table_columns import with_cell

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


class _Sandboxed(SandboxedEnvironment):
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


class _ImmutableSandboxed(_Sandboxed, ImmutableSandboxedEnvironment):
    """For templates that call no method that changes a list or a dict: those are refused."""


def load_template(env: SandboxedEnvironment, tree: nodes.Template) -> tuple[Template, frozenset[str]]:
    """Return the compiled template, and the names it looks up in the values."""
    env.reads.clear()  # type: ignore[attr-defined]
    template = env.template_class.from_code(env, env.compile(tree), dict(env.globals))
    template.globals = dict(env.globals)  # a plain dict: a ChainMap would be walked at every rendering
    return template, frozenset(env.reads)  # type: ignore[attr-defined]


@lru_cache(32)
def make_environment(
    blocks: bool,
    mutable: bool = False,
    hidden: frozenset[str] = frozenset(),
    marked: bool = False,
    watched: bool = False,
) -> SandboxedEnvironment:
    """Return the environment for adapters (`blocks`) or prompts; `hidden` are global names that the data define anew.

    `mutable` for templates that change what they make; `marked` for the rendering that keeps track of origins, `seen`
    for one that only looks at the names it reads.
    """
    if mutable:
        environment_class = _Sandboxed
    else:
        environment_class = _ImmutableSandboxed
    env = environment_class(trim_blocks=blocks, lstrip_blocks=blocks)
    if marked or watched:
        env.filters |= {WATCH: render_seen.watch_name, FIND: render_seen.watch_found, GET: render_seen.watch_get}
    if marked:
        env.filters |= {
            MARK: render_trace.mark_output,
            JOIN: render_trace.join_marked,
            "trim": render_trace.trim_marked,
        }
    for name in hidden:
        env.globals.pop(name, None)
    if blocks:
        env.filters["json_block"] = json_block
    return env


def json_block(value: Any) -> str:
    """Format a JSON value as adapters insert it: keys as they come, two spaces, ASCII, no final newline."""
    return json.dumps(value, indent=2)


def changes_values(tree: nodes.Template) -> bool:
    """Tell whether the template names a method that changes its object, as `{% set _ = parts.append(x) %}` does.

    Such a template gets copies of the values, so that what it changes lasts for one rendering.
    """
    return any(node.attr in MUTATORS for node in tree.find_all(nodes.Getattr)) or any(
        isinstance(node.arg, nodes.Const) and node.arg.value in MUTATORS for node in tree.find_all(nodes.Getitem)
    )


NEVER = float("inf")
MAX_TEMPLATES = 256  # compiled templates kept in a child: more than the modes, tasks and adapters of a workspace
LONGEST_TEXT = 8 << 20  # characters of one rendered text
ROOT = re.compile(r"[.\[]")  # where the first name of a path ends
REASON = 300  # characters of a reason: an exception may repeat the data
GLOBALS = frozenset(DEFAULT_NAMESPACE)
ACCOUNTS = 1_000  # different accounts of one template kept in a child

NO_CELLS: Mapping[str, str] = {}

Piece = tuple[str, str, str | None, int | None]  # text, kind, name, line
Drawn = tuple[str, int]  # what is drawn at random, line


class Failed(Exception):  # noqa: N818 - carries the verdict on a template
    """A template that gives no text, and why."""

    def __init__(self, kind: str, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.verdict = {"kind": kind, "reason": reason[:REASON], "line": line}


@dataclass(slots=True)
class CompiledTemplate:
    """Hold a template compiled plainly, with what is known of its names; the marked form is made when first needed."""

    text: str
    blocks: bool
    hidden: frozenset[str]
    plain: Compiled
    names: Names
    lines: Mapping[str, int]
    mutable: bool
    drawn: Drawn | None  # what it draws at random, and where
    walked: EnteredPaths  # the values that it goes into
    tree: nodes.Template | None  # until the first marked form is made of it
    marked: dict[int, tuple[Compiled, tuple[Site, ...], tuple[Look, ...]] | None] = field(default_factory=dict)
    watched: list[tuple[Compiled, tuple[Look, ...]] | None] = field(default_factory=list)  # at most one
    accounts: dict[tuple[Any, ...], tuple[Account, ...]] = field(default_factory=dict)


def work(payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield for each template of {"templates": [[text, blocks]], "values", "defaults", "together"} its pieces or its
    verdict.

    "cells" are the texts of those values that stood in a cell of a table as JSON: a template that goes into one gets
    the list or object, any other the text. After `together` seconds no further template is begun. Where "origins" is
    false, a text is one piece of unknown origin.
    """
    values: Mapping[str, Any] = payload["values"]
    absent = {name: value for name, value in payload["defaults"].items() if name not in values}
    both = {**absent, **values}
    hidden = frozenset(GLOBALS & both.keys())
    origins, cells = payload.get("origins", True), payload.get("cells", NO_CELLS)
    began = time.process_time()
    for number, (text, blocks) in enumerate(payload["templates"]):
        if number:  # the first one's time has just begun
            if time.process_time() - began > payload.get("together", NEVER):
                return
            sandbox.beat()
        yield render_one(text, blocks, both, absent.keys(), hidden, origins, cells)


def warm() -> None:
    """Build environments and lexers once, in the zygote, and pass through the error path.

    What Jinja loads only when it is used is loaded here: a closed child may not be able to read it.
    """
    import_module("jinja2.constants")
    sample = (
        "{% macro m(x) %}{{ x }}{% endmacro %}{% for c in cs %}{{ m(c.t) }}{{ loop.index }}{% endfor %}{{ a|join }}"
    )
    requests = [[text, blocks] for text in (sample, "{{ a.b.c }}", "{% if %}") for blocks in (False, True)]
    list(work({"templates": requests, "values": {"cs": [{"t": "text"}], "a": ["text"]}, "defaults": {}}))
    compile_template.cache_clear()


def render_one(
    text: str,
    blocks: bool,
    values: Mapping[str, Any],
    absent: Any,
    hidden: frozenset[str],
    origins: bool = True,
    cells: Mapping[str, str] = NO_CELLS,
) -> dict[str, Any]:
    """Render one template over one record; `absent` names the values that are the configuration's defaults."""
    compiled = compile_template(text, blocks, hidden)
    if isinstance(compiled, Failed):
        return {"names": {}, "failed": compiled.verdict}
    if cells:
        values = _apply_cells(compiled, values, cells)
    try:
        if origins:
            pieces, uses = render_pieces(compiled, values, absent)
        else:
            pieces, uses = (_make_whole(render_plain(compiled, values)), ())
        texts = find_entered_texts(compiled.walked, values, ())
        if texts:  # seldom, so that a second look at the branches that were taken costs nothing
            texts = find_entered_texts(
                compiled.walked, values, uses if origins else _account_by_watching(compiled, values, absent)
            )
        return {"names": compiled.lines, "pieces": pieces, "uses": uses, "drawn": compiled.drawn, "texts": texts}
    except Failed as failed:
        if origins and failed.verdict["kind"] == "error":
            uses = _account_by_watching(compiled, values, absent)
        else:
            uses = ()
        return {"names": compiled.lines, "failed": failed.verdict, "uses": uses}


def _apply_cells(ready: CompiledTemplate, values: Mapping[str, Any], cells: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the values, each cell as the text that it is, or as its content where the template goes into it."""
    roots = ready.walked.roots
    cell_values = {
        name: with_cell(values[name], cell) if name in roots else cell
        for name, cell in cells.items()
        if name in ready.names.context
    }
    return {**values, **cell_values}


@lru_cache(MAX_TEMPLATES)
def compile_template(text: str, blocks: bool, hidden: frozenset[str]) -> CompiledTemplate | Failed:
    """Compile `text`, or say why not; constants fold while compiling, so this too happens in the sandbox."""
    try:
        tree = make_environment(blocks, hidden=hidden).parse(text)
        mutable = changes_values(tree)
        plain, reads = load_template(make_environment(blocks, mutable, hidden), tree)
        names_in_template = find_names(tree, reads)
        lines, drawn = find_first_lines(tree, names_in_template), _find_random(tree, hidden)
        return CompiledTemplate(
            text,
            blocks,
            hidden,
            plain,
            names_in_template,
            lines,
            mutable,
            drawn,
            find_entered_paths(tree, names_in_template),
            tree,
        )
    except TemplateSyntaxError as error:
        return Failed("error", _strip_stop(error.message or "not a Jinja template"), error.lineno)
    except MemoryError:
        return Failed("memory", "compiling")
    except Exception as error:
        return _explain_failure(error)


def render_pieces(
    ready: CompiledTemplate, values: Mapping[str, Any], absent: Any
) -> tuple[list[Piece], tuple[Account, ...]]:
    """Return the pieces of the text, and what became of each name. Raises Failed."""
    plain = render_plain(ready, values)
    try:
        pieces = _split_pieces(ready, plain, copy.deepcopy(values) if ready.mutable else values, absent)
    except (Exception, MemoryError):  # only the account of origins failed; the text is
        pieces = None
    return pieces or (_make_whole(plain), _account_by_watching(ready, values, absent))


def render_plain(ready: CompiledTemplate, values: Mapping[str, Any]) -> str:
    """Return the text. Raises Failed."""
    try:
        return _run_template(ready.plain, copy.deepcopy(values) if ready.mutable else values, ready.drawn)
    except Failed:
        raise
    except MemoryError:
        raise Failed("memory", "rendering") from None
    except Exception as error:
        raise _explain_failure(error) from None


def _make_whole(text: str) -> list[Piece]:
    if text:
        return [(text, "unknown", None, None)]
    return []


def _find_random(tree: nodes.Template, hidden: frozenset[str]) -> Drawn | None:
    """Find where the template first draws at random: by the filter `random` or the words of `lipsum`."""
    names = (node for node in tree.find_all(nodes.Name) if node.name == "lipsum" and "lipsum" not in hidden)
    filters = (node for node in tree.find_all(nodes.Filter) if node.name == "random" or _maps_random(node))
    draws = [("lipsum()", node.lineno) for node in names] + [("the filter random", node.lineno) for node in filters]
    return min(draws, key=lambda node: node[1], default=None)


def _maps_random(node: nodes.Filter) -> bool:
    return node.name == "map" and any(isinstance(arg, nodes.Const) and arg.value == "random" for arg in node.args)


def _run_template(template: Compiled, values: Mapping[str, Any], drawn: Drawn | None = None) -> str:
    if drawn:
        random.seed(0)  # what is drawn is no secret, and the same for everybody who looks
    context = template.new_context(values)  # type: ignore[arg-type]
    parts: list[str] = []
    left = LONGEST_TEXT
    for part in template.root_render_func(context):
        left -= len(part)
        if left < 0:
            raise Failed("output", "rendering")
        parts.append(part)
    return "".join(parts)


def _split_pieces(
    ready: CompiledTemplate, plain: str, values: Mapping[str, Any], absent: Any
) -> tuple[list[Piece], tuple[Account, ...]] | None:
    base = next((plane for plane in PLANES if not has_plane_character(plane, (plain, ready.text))), None)
    if base is None:
        return None
    if base not in ready.marked:
        ready.marked[base] = _compile_marked(ready, base)
    marked_form = ready.marked[base]
    if marked_form is None:
        return None
    template, sites, looks = marked_form
    trace = Trace(base, sites, values, ready.names.context)
    sightings = Sightings(looks, trace)
    parts = split_marked(_run_template(template, {**values, TRACE: trace, SIGHTINGS: sightings}, ready.drawn), base)
    if parts is None:
        return None
    pieces = [(text, *_find_origin(trace, index, absent)) for text, index in parts]
    if "".join(piece[0] for piece in pieces) != plain:
        return None
    return _join_literals(pieces), _find_account(ready, looks, sightings, absent)


def _find_account(
    ready: CompiledTemplate, looks: tuple[Look, ...], sightings: Sightings, absent: Any
) -> tuple[Account, ...]:
    """Return what became of the names; most records of a dataset have one of a few accounts."""
    key = (len(looks), sightings.key(), tuple(absent))
    if key not in ready.accounts:
        if len(ready.accounts) >= ACCOUNTS:
            ready.accounts.clear()
        ready.accounts[key] = list_accounts(looks, sightings, absent)
    return ready.accounts[key]


def _account_by_watching(ready: CompiledTemplate, values: Mapping[str, Any], absent: Any) -> tuple[Account, ...]:
    """Return what became of the names where the marked rendering does not show it, up to where the template fails."""
    if not ready.watched:
        ready.watched.append(_compile_watched(ready))
    watched_form = ready.watched[0]
    if watched_form is None:
        return ()
    template, looks = watched_form
    sightings = Sightings(looks, Trace(PLANES[0], (), values, ready.names.context))
    with suppress(Exception, MemoryError):
        _run_template(
            template, {**(copy.deepcopy(values) if ready.mutable else values), SIGHTINGS: sightings}, ready.drawn
        )
    return _find_account(ready, looks, sightings, absent)


def _compile_watched(ready: CompiledTemplate) -> tuple[Compiled, tuple[Look, ...]] | None:
    env = make_environment(ready.blocks, ready.mutable, ready.hidden, watched=True)
    try:
        tree = env.parse(ready.text)
        watching = make_watcher(tree, ready.names, holders=True)
        template, _ = load_template(env, watching.visit(tree))
        return template, tuple(watching.looks)
    except Exception:  # more names than are looked at, or an expression that cannot be rewritten
        return None


def _compile_marked(ready: CompiledTemplate, base: int) -> tuple[Compiled, tuple[Site, ...], tuple[Look, ...]] | None:
    env = make_environment(ready.blocks, ready.mutable, ready.hidden, marked=True)
    tree, ready.tree = ready.tree or env.parse(ready.text), None
    marker = Marker(ready.names, base)
    try:
        watching = make_watcher(tree, ready.names)
        template, _ = load_template(env, watching.visit(marker.visit(tree)))
        return template, tuple(marker.sites), tuple(watching.looks)
    except Exception:  # more outputs than marks, or an expression that cannot be rewritten
        return None


def _find_origin(trace: Trace, index: int, absent: Any) -> tuple[str, str | None, int | None]:
    if index < 0:
        return "unknown", None, None
    kind, name, line = trace.hits[index]
    if kind == "variable" and name and absent and all(ROOT.split(path)[0] in absent for path in name.split(", ")):
        return "default", name, line
    return kind, name, line


def _join_literals(pieces: list[Piece]) -> list[Piece]:
    """Join neighbouring literals of one line to one piece; outputs stay apart, for each is a separate value."""
    joined: list[Piece] = []
    for piece in pieces:
        if piece[1] == "literal" and joined and joined[-1][1:] == piece[1:]:
            joined[-1] = (joined[-1][0] + piece[0], *piece[1:])
        else:
            joined.append(piece)
    return joined


def _explain_failure(error: Exception) -> Failed:
    """Return what an exception while compiling or rendering says about the template."""
    line = _find_line(error.__traceback__)
    if isinstance(error, RecursionError):
        return Failed("nesting", "levels of nesting", line)
    if isinstance(error, SecurityError):
        return Failed("unsafe", _strip_stop(error.message or "unsafe"), line)
    if isinstance(error, TypeError) and "no loader for this environment" in str(error):
        return Failed("include", "", line)
    if isinstance(error, UndefinedError):
        return Failed("error", _strip_stop(error.message or "undefined"), line)
    if isinstance(error, OSError | ImportError):  # their texts name files of this machine
        return Failed("error", type(error).__name__, line)
    return Failed("error", f"{type(error).__name__}: {error}", line)


def _strip_stop(message: str) -> str:
    return message.removesuffix(".")


def _find_line(trace: TracebackType | None) -> int | None:
    """Return the template's line in the innermost frame that was compiled from one of our templates."""
    line = None
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Compiled):
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line

"""In the sandbox: compile and render Jinja templates, twice, so that every character has an origin.

The plain rendering is the truth. The marked one says who wrote what; where it differs from the plain text
once its marks are taken out, nothing is claimed about the whole text.
"""

from __future__ import annotations

import copy
import random
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from types import TracebackType
from typing import Any

from jinja2 import Template as Compiled
from jinja2 import TemplateSyntaxError, UndefinedError, nodes
from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.exceptions import SecurityError

from readback import sandbox
from readback.prompts.render.data_paths import Names, first_lines, names
from readback.prompts.render.env import environment, loaded, mutates
from readback.prompts.render.marks import PLANES, Marker, Site, holds, split
from readback.prompts.render.seen import SEEN, Kept, Seen, account
from readback.prompts.render.trace import STATE, Trace
from readback.prompts.render.walked import Walked, find_texts, find_walked
from readback.prompts.render.watch import Look, watcher
from readback.readers.json_cells import with_cell

NEVER = float("inf")
KEPT = 256  # compiled templates kept in a child: more than the modes, tasks and adapters of a workspace
LONGEST = 8 << 20  # characters of one rendered text
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
class Ready:
    """A template compiled plainly, with what is known of its names; the marked form is made when first needed."""

    text: str
    blocks: bool
    hidden: frozenset[str]
    plain: Compiled
    names: Names
    lines: Mapping[str, int]
    mutable: bool
    drawn: Drawn | None  # what it draws at random, and where
    walked: Walked  # the values that it goes into
    tree: nodes.Template | None  # until the first marked form is made of it
    marked: dict[int, tuple[Compiled, tuple[Site, ...], tuple[Look, ...]] | None] = field(default_factory=dict)
    watched: list[tuple[Compiled, tuple[Look, ...]] | None] = field(default_factory=list)  # at most one
    accounts: dict[tuple[Any, ...], tuple[Kept, ...]] = field(default_factory=dict)


def work(payload: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """{"templates": [[text, blocks]], "values", "defaults", "together"} → for each template its pieces or its verdict.

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
        yield one(text, blocks, both, absent.keys(), hidden, origins, cells)


def warm() -> None:
    """Once, in the zygote: build environments and lexers, and pass through the error path.

    What Jinja loads only when it is used is loaded here: a closed child may not be able to read it.
    """
    import_module("jinja2.constants")
    sample = (
        "{% macro m(x) %}{{ x }}{% endmacro %}{% for c in cs %}{{ m(c.t) }}{{ loop.index }}{% endfor %}{{ a|join }}"
    )
    asked = [[text, blocks] for text in (sample, "{{ a.b.c }}", "{% if %}") for blocks in (False, True)]
    list(work({"templates": asked, "values": {"cs": [{"t": "text"}], "a": ["text"]}, "defaults": {}}))
    compiled.cache_clear()


def one(
    text: str,
    blocks: bool,
    values: Mapping[str, Any],
    absent: Any,
    hidden: frozenset[str],
    origins: bool = True,
    cells: Mapping[str, str] = NO_CELLS,
) -> dict[str, Any]:
    """One template over one record; `absent` names the values that are the configuration's defaults."""
    ready = compiled(text, blocks, hidden)
    if isinstance(ready, Failed):
        return {"names": {}, "failed": ready.verdict}
    values = _with_cells(ready, values, cells) if cells else values
    try:
        pieces, uses = rendered(ready, values, absent) if origins else (_whole(plainly(ready, values)), ())
        texts = find_texts(ready.walked, values, ())
        if texts:  # seldom, so that a second look at the branches that were taken costs nothing
            texts = find_texts(ready.walked, values, uses if origins else _looked(ready, values, absent))
        return {"names": ready.lines, "pieces": pieces, "uses": uses, "drawn": ready.drawn, "texts": texts}
    except Failed as failed:
        uses = _looked(ready, values, absent) if origins and failed.verdict["kind"] == "error" else ()
        return {"names": ready.lines, "failed": failed.verdict, "uses": uses}


def _with_cells(ready: Ready, values: Mapping[str, Any], cells: Mapping[str, str]) -> Mapping[str, Any]:
    """The values, each cell as the text that it is, or as what is in it where the template goes into it."""
    roots = ready.walked.roots
    own = {
        name: with_cell(values[name], cell) if name in roots else cell
        for name, cell in cells.items()
        if name in ready.names.context
    }
    return {**values, **own}


@lru_cache(KEPT)
def compiled(text: str, blocks: bool, hidden: frozenset[str]) -> Ready | Failed:
    """`text` compiled, or why not; constants fold while compiling, so this too happens in the sandbox."""
    try:
        tree = environment(blocks, hidden=hidden).parse(text)
        mutable = mutates(tree)
        plain, reads = loaded(environment(blocks, mutable, hidden), tree)
        known = names(tree, reads)
        lines, drawn = first_lines(tree, known), _drawn(tree, hidden)
        return Ready(text, blocks, hidden, plain, known, lines, mutable, drawn, find_walked(tree, known), tree)
    except TemplateSyntaxError as error:
        return Failed("error", _sentence(error.message or "not a Jinja template"), error.lineno)
    except MemoryError:
        return Failed("memory", "compiling")
    except Exception as error:
        return _failure(error)


def rendered(ready: Ready, values: Mapping[str, Any], absent: Any) -> tuple[list[Piece], tuple[Kept, ...]]:
    """The pieces of the text, and what became of each name. Raises Failed."""
    plain = plainly(ready, values)
    try:
        told = _pieces(ready, plain, copy.deepcopy(values) if ready.mutable else values, absent)
    except (Exception, MemoryError):  # only the account of origins failed; the text is
        told = None
    return told or (_whole(plain), _looked(ready, values, absent))


def plainly(ready: Ready, values: Mapping[str, Any]) -> str:
    """The text. Raises Failed."""
    try:
        return _run(ready.plain, copy.deepcopy(values) if ready.mutable else values, ready.drawn)
    except Failed:
        raise
    except MemoryError:
        raise Failed("memory", "rendering") from None
    except Exception as error:
        raise _failure(error) from None


def _whole(text: str) -> list[Piece]:
    return [(text, "unknown", None, None)] if text else []


def _drawn(tree: nodes.Template, hidden: frozenset[str]) -> Drawn | None:
    """Where the template first draws at random: by the filter `random` or the words of `lipsum`."""
    names = (one for one in tree.find_all(nodes.Name) if one.name == "lipsum" and "lipsum" not in hidden)
    filters = (one for one in tree.find_all(nodes.Filter) if one.name == "random" or _maps_random(one))
    found = [("lipsum()", one.lineno) for one in names] + [("the filter random", one.lineno) for one in filters]
    return min(found, key=lambda one: one[1], default=None)


def _maps_random(one: nodes.Filter) -> bool:
    return one.name == "map" and any(isinstance(arg, nodes.Const) and arg.value == "random" for arg in one.args)


def _run(template: Compiled, values: Mapping[str, Any], drawn: Drawn | None = None) -> str:
    if drawn:
        random.seed(0)  # what is drawn is no secret, and the same for everybody who looks
    context = template.new_context(values)  # type: ignore[arg-type]
    parts: list[str] = []
    left = LONGEST
    for part in template.root_render_func(context):
        left -= len(part)
        if left < 0:
            raise Failed("output", "rendering")
        parts.append(part)
    return "".join(parts)


def _pieces(
    ready: Ready, plain: str, values: Mapping[str, Any], absent: Any
) -> tuple[list[Piece], tuple[Kept, ...]] | None:
    base = next((plane for plane in PLANES if not holds(plane, (plain, ready.text))), None)
    if base is None:
        return None
    if base not in ready.marked:
        ready.marked[base] = _marked(ready, base)
    if (made := ready.marked[base]) is None:
        return None
    template, sites, looks = made
    trace = Trace(base, sites, values, ready.names.context)
    seen = Seen(looks, trace)
    parts = split(_run(template, {**values, STATE: trace, SEEN: seen}, ready.drawn), base)
    if parts is None:
        return None
    pieces = [(text, *_origin(trace, index, absent)) for text, index in parts]
    if "".join(piece[0] for piece in pieces) != plain:
        return None
    return _joined(pieces), _account(ready, looks, seen, absent)


def _account(ready: Ready, looks: tuple[Look, ...], seen: Seen, absent: Any) -> tuple[Kept, ...]:
    """What became of the names; most records of a dataset have one of a few accounts."""
    key = (len(looks), seen.key(), tuple(absent))
    if key not in ready.accounts:
        if len(ready.accounts) >= ACCOUNTS:
            ready.accounts.clear()
        ready.accounts[key] = account(looks, seen, absent)
    return ready.accounts[key]


def _looked(ready: Ready, values: Mapping[str, Any], absent: Any) -> tuple[Kept, ...]:
    """What became of the names where the marked rendering does not tell, up to where the template fails."""
    if not ready.watched:
        ready.watched.append(_watched(ready))
    if (made := ready.watched[0]) is None:
        return ()
    template, looks = made
    seen = Seen(looks, Trace(PLANES[0], (), values, ready.names.context))
    with suppress(Exception, MemoryError):
        _run(template, {**(copy.deepcopy(values) if ready.mutable else values), SEEN: seen}, ready.drawn)
    return _account(ready, looks, seen, absent)


def _watched(ready: Ready) -> tuple[Compiled, tuple[Look, ...]] | None:
    env = environment(ready.blocks, ready.mutable, ready.hidden, seen=True)
    try:
        tree = env.parse(ready.text)
        watching = watcher(tree, ready.names, holders=True)
        template, _ = loaded(env, watching.visit(tree))
        return template, tuple(watching.looks)
    except Exception:  # more names than are looked at, or an expression that cannot be rewritten
        return None


def _marked(ready: Ready, base: int) -> tuple[Compiled, tuple[Site, ...], tuple[Look, ...]] | None:
    env = environment(ready.blocks, ready.mutable, ready.hidden, marked=True)
    tree, ready.tree = ready.tree or env.parse(ready.text), None
    marker = Marker(ready.names, base)
    try:
        watching = watcher(tree, ready.names)
        template, _ = loaded(env, watching.visit(marker.visit(tree)))
        return template, tuple(marker.sites), tuple(watching.looks)
    except Exception:  # more outputs than marks, or an expression that cannot be rewritten
        return None


def _origin(trace: Trace, index: int, absent: Any) -> tuple[str, str | None, int | None]:
    if index < 0:
        return "unknown", None, None
    kind, name, line = trace.hits[index]
    if kind == "variable" and name and absent and all(ROOT.split(path)[0] in absent for path in name.split(", ")):
        return "default", name, line
    return kind, name, line


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Neighbouring literals of one line as one piece; outputs stay apart, for each is a value of its own."""
    joined: list[Piece] = []
    for piece in pieces:
        if piece[1] == "literal" and joined and joined[-1][1:] == piece[1:]:
            joined[-1] = (joined[-1][0] + piece[0], *piece[1:])
        else:
            joined.append(piece)
    return joined


def _failure(error: Exception) -> Failed:
    """What an exception while compiling or rendering says about the template."""
    line = _line(error.__traceback__)
    if isinstance(error, RecursionError):
        return Failed("nesting", "levels of nesting", line)
    if isinstance(error, SecurityError):
        return Failed("unsafe", _sentence(error.message or "unsafe"), line)
    if isinstance(error, TypeError) and "no loader for this environment" in str(error):
        return Failed("include", "", line)
    if isinstance(error, UndefinedError):
        return Failed("error", _sentence(error.message or "undefined"), line)
    if isinstance(error, OSError | ImportError):  # their texts name files of this machine
        return Failed("error", type(error).__name__, line)
    return Failed("error", f"{type(error).__name__}: {error}", line)


def _sentence(message: str) -> str:
    return message.removesuffix(".")


def _line(trace: TracebackType | None) -> int | None:
    """The template's line in the innermost frame that is one of ours compiled from it."""
    line = None
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if isinstance(template, Compiled):
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line

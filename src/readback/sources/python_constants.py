"""Texts that are in Python source: named constants and `role: system` messages, parsed and never executed."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback import sandbox

LARGEST = 1 << 20  # characters of one text; what doubles itself is not a prompt
LIMITS = sandbox.Limits(seconds=5.0, total=10.0)  # a notebook's parse takes tens of milliseconds
LONG = 8  # words of a text that is a prompt, or a part of one
SHOWN = 200  # characters of an expression that is shown
# Names that say that a text is a system message.
SYSTEM = re.compile(r"SYSTEM(_?(PROMPT|MESSAGE|MSG|TEXT|INSTRUCTION))?S?$", re.IGNORECASE)
MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
Scope = dict[str, "str | None"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text in the source: its name (None for a message's own literal), or None as text where it is computed.

    `code` is the expression where it is computed; a message whose content is a function's own parameter is
    `given` by whoever calls it, and `answered` is one with an answer beside it, as in training.
    """

    text: str | None
    source: int  # which of the sources
    line: int
    name: str | None = None
    code: str = ""
    given: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What the sources hold; `skipped` are sources that are not Python: which, line, reason.

    `others` are system texts that are no message: in a function or a class, or handed over as `system=…`.
    `inner` is the line of the first long text that is no constant: in a function that builds a prompt, or in a dict.
    `imports` are what other files are asked for: module, name in it ("" for all), name here, dots before the module.
    """

    constants: tuple[Text, ...] = ()
    systems: tuple[Text, ...] = ()
    skipped: tuple[tuple[int, int, str], ...] = ()
    stopped: str | None = None  # why nothing was read at all: the parser ran out of time or memory
    others: tuple[Text, ...] = ()
    imports: tuple[tuple[str, str, str, int], ...] = ()
    inner: int | None = None


def look(sources: Sequence[str], known: Mapping[str, str] | None = None) -> Found:
    """The texts of sources that belong together (a file, or a notebook's cells: names of one are known in the next).

    `known` are texts of other files by the names they have here (`SYSTEM`, `prompts.SYSTEM`).
    """
    try:
        work = {"sources": list(sources), "known": dict(known or {})}
        found = sandbox.call("readback.sources.python_constants:work", work, LIMITS)
    except sandbox.Stopped as stopped:
        return Found(stopped=stopped.detail)
    return Found(
        tuple(Text(*one) for one in found["constants"]),
        tuple(Text(*one) for one in found["systems"]),
        tuple((source, line, reason) for source, line, reason in found["skipped"]),
        others=tuple(Text(*one) for one in found["others"]),
        imports=tuple((module, name, here, dots) for module, name, here, dots in found["imports"]),
        inner=found["inner"],
    )


def work(given: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """In the sandbox: parse each source and gather its texts. A name assigned twice keeps its last text."""
    sources: Sequence[str] = given["sources"] if isinstance(given, Mapping) else given
    trees: list[tuple[int, ast.Module]] = []
    skipped: list[tuple[int, int, str]] = []
    for i, source in enumerate(sources):
        try:
            trees.append((i, _parse(source)))
        except SyntaxError as error:
            skipped.append((i, error.lineno or 1, error.msg))
        except (ValueError, RecursionError, MemoryError) as error:
            skipped.append((i, 1, str(error) or "nested too deeply"))
    names: Scope = dict(given["known"]) if isinstance(given, Mapping) else {}
    constants: dict[str, Text] = {}
    systems: list[Text] = []
    others: list[Text] = []
    try:
        for i, tree in trees:
            for name, value, line in _assigned(tree.body):
                names[name] = text = _text(value, names)
                constants[name] = Text(text, i, line, name)
        systems = [text for i, tree in trees for text in _systems(tree, i, names)]
        others = [text for i, tree in trees for text in _others(tree, i, names)]
    except RecursionError:
        skipped.append((i, 1, "nested too deeply"))
    return {
        "constants": [_row(text) for text in constants.values() if text.text is not None],
        "systems": [_row(text) for text in systems],
        "skipped": skipped,
        "others": [_row(text) for text in others],
        "imports": [list(one) for _, tree in trees for one in _imports(tree)],
        "inner": next((line for _, tree in trees for line in _long(tree)), None),
    }


def _long(tree: ast.AST) -> Iterator[int]:
    """The lines of long texts; what is alone as a statement only describes the code."""
    alone = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in alone)
    yield from (one.lineno for one in texts if isinstance(one.value, str) and len(one.value.split()) >= LONG)


def _row(text: Text) -> list[Any]:
    return [text.text, text.source, text.line, text.name, text.code, text.given, text.answered]


def _parse(source: str) -> ast.Module:
    """The syntax tree; where a notebook's magics are in the way, without them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in somebody's source are none of ours
        try:
            return ast.parse(source)
        except SyntaxError:
            if not MAGIC.search(source):
                raise
            return ast.parse(MAGIC.sub(r"\1pass", source))


def _assigned(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr, int]]:
    """The assignments to plain names in these statements, in order, those under if, for, with and try included.

    The line is that of the value: where the text begins.
    """
    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value, statement.value.lineno
        elif isinstance(statement, ast.AnnAssign | ast.AugAssign) and isinstance(statement.target, ast.Name):
            value = statement.value
            if isinstance(statement, ast.AugAssign):
                summed = ast.BinOp(ast.Name(statement.target.id, ast.Load()), statement.op, statement.value)
                value = ast.copy_location(summed, statement)
            if value is not None:
                yield statement.target.id, value, statement.lineno
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for field in ("body", "handlers", "orelse", "finalbody"):
                inner = getattr(statement, field, [])
                yield from _assigned(
                    [s for one in inner for s in (one.body if isinstance(one, ast.ExceptHandler) else [one])]
                )


def _systems(tree: ast.AST, source: int, names: Mapping[str, str | None]) -> Iterator[Text]:
    """The contents of `{"role": "system", "content": …}` and `dict(role="system", content=…)`, by scope."""
    answered: set[ast.AST] = set()  # messages in a list with an answer
    for node, scope, parameters in _scoped(tree, names):
        if isinstance(node, ast.List) and any(_content(one, scope, "assistant") for one in node.elts):
            answered.update(node.elts)
        if content := _content(node, scope):
            text, name = _text(content, scope), _name(content)
            given = text is None and name in parameters
            yield Text(text, source, content.lineno, name, _code(content, text), given, node in answered)


def _others(tree: ast.AST, source: int, names: Mapping[str, str | None]) -> Iterator[Text]:
    """Texts under a name that says system: in functions and classes, handed over, or what a function builds."""
    for node, scope, _ in _scoped(tree, names):
        for name, value in _named(node):
            text = _text(value, scope)
            if SYSTEM.search(name) and (text is not None or isinstance(value, ast.JoinedStr | ast.BinOp)):
                yield Text(text, source, value.lineno, name, _code(value, text))


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names and values that a node states: assignments in functions and classes, arguments, what is returned."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from ((name, value) for name, value, _ in _assigned(node.body))
        returned = (one.value for one in ast.walk(node) if isinstance(one, ast.Return))
        if not isinstance(node, ast.ClassDef):
            yield from ((node.name, one) for one in returned if isinstance(one, ast.JoinedStr | ast.BinOp))
    elif isinstance(node, ast.Call):
        yield from ((word.arg, word.value) for word in node.keywords if word.arg)
    elif isinstance(node, ast.Module):
        computed = ((name, value) for name, value, _ in _assigned(node.body))
        yield from ((name, value) for name, value in computed if isinstance(value, ast.JoinedStr | ast.BinOp))


Scoped = tuple[ast.AST, Mapping[str, "str | None"], frozenset[str]]


def _scoped(tree: ast.AST, names: Mapping[str, str | None]) -> Iterator[Scoped]:
    """Each node in the order of the source, with the texts of the names around it and the parameters among them."""
    waiting: list[Scoped] = [(tree, names, frozenset())]
    while waiting:
        node, scope, parameters = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = dict(scope)
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                inner[argument.arg] = None
                parameters |= {argument.arg}
            for name, value, _ in _assigned(node.body):
                inner[name] = _text(value, inner)
            scope = inner
        yield node, scope, parameters
        waiting.extend((child, scope, parameters) for child in reversed(list(ast.iter_child_nodes(node))))


def _imports(tree: ast.AST) -> Iterator[tuple[str, str, str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", one.name, one.asname or one.name, node.level) for one in node.names)
        elif isinstance(node, ast.Import):
            yield from ((one.name, "", one.asname or one.name, 0) for one in node.names)


def _code(node: ast.expr, text: str | None) -> str:
    """The expression of a text that is computed."""
    return "" if text is not None else ast.unparse(node)[:SHOWN]


def _content(node: ast.AST, scope: Mapping[str, str | None], asked: str = "system") -> ast.expr | None:
    """The content of a message of that role, if the node is one."""
    if isinstance(node, ast.Dict):
        parts = {_text(k, scope): v for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        parts = {word.arg: word.value for word in node.keywords}
    else:
        return None
    role = parts.get("role")
    return parts.get("content") if role is not None and _text(role, scope) == asked else None


def _name(node: ast.expr) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _dotted(node: ast.expr) -> bool:
    """Whether an expression is names with dots between them: `prompts.SYSTEM`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _text(node: ast.expr, scope: Mapping[str, str | None]) -> str | None:
    """The text an expression is without running it; None when it would have to be computed.

    Literals, f-strings whose fields are such texts, sums of these, names bound to these, and `.strip()` and the
    like.
    """
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return _joined([_text(part, scope) for part in parts])
        case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
            return _text(inner, scope)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            # a long sum is a deep tree to the left: walked, not recursed into
            terms = [right]
            while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
                terms.append(left.right)
                left = left.left
            return _joined([_text(term, scope) for term in (left, *reversed(terms))])
        case ast.Name(id=name):
            return scope.get(name)
        case ast.Attribute():
            return scope.get(ast.unparse(node)) if len(scope) and _dotted(node) else None
        case ast.Call(
            func=ast.Attribute(value=inner, attr="strip" | "lstrip" | "rstrip" as trim), args=[], keywords=[]
        ):
            found = _text(inner, scope)
            return (
                None if found is None else {"strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip}[trim](found)
            )
    return None


def _joined(parts: Sequence[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or sum(map(len, known)) > LARGEST:
        return None
    return "".join(known)

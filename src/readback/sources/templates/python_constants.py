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
    `is_argument`, and `answered` is one with an answer beside it, as in training.
    """

    text: str | None
    source: int  # which of the sources
    line: int
    name: str | None = None
    code: str = ""
    is_argument: bool = False
    answered: bool = False


@dataclass(frozen=True, slots=True)
class SourceTexts:
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
    computed: tuple[Text, ...] = ()  # constants of the module that only running it would give, with their expressions


def find_texts(sources: Sequence[str], imported_texts: Mapping[str, str] | None = None) -> SourceTexts:
    """Return the texts of sources that belong together: a file, or a notebook's cells, which know earlier names.

    `known` are texts of other files by the names they have here (`SYSTEM`, `prompts.SYSTEM`).
    """
    try:
        request = {"sources": list(sources), "known": dict(imported_texts or {})}
        reply = sandbox.call("readback.sources.templates.python_constants:parse_sources", request, LIMITS)
    except sandbox.Stopped as stopped:
        return SourceTexts(stopped=stopped.detail)
    return SourceTexts(
        tuple(Text(*row) for row in reply["constants"]),
        tuple(Text(*row) for row in reply["systems"]),
        tuple((source, line, reason) for source, line, reason in reply["skipped"]),
        others=tuple(Text(*row) for row in reply["others"]),
        imports=tuple((module, name, here, dots) for module, name, here, dots in reply["imports"]),
        inner=reply["inner"],
        computed=tuple(Text(*row) for row in reply["computed"]),
    )


def parse_sources(request: Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """In the sandbox: parse each source and gather its texts. A name assigned twice keeps its last text."""
    sources: Sequence[str] = request["sources"] if isinstance(request, Mapping) else request
    trees: list[tuple[int, ast.Module]] = []
    skipped: list[tuple[int, int, str]] = []
    for i, source in enumerate(sources):
        try:
            trees.append((i, _parse(source)))
        except SyntaxError as error:
            skipped.append((i, error.lineno or 1, error.msg))
        except (ValueError, RecursionError, MemoryError) as error:
            skipped.append((i, 1, str(error) or "nested too deeply"))
    names: Scope = dict(request["known"]) if isinstance(request, Mapping) else {}
    constants: dict[str, Text] = {}
    computed: dict[str, Text] = {}
    systems: list[Text] = []
    others: list[Text] = []
    try:
        for i, tree in trees:
            for name, value, line in _list_assignments(tree.body):
                names[name] = text = _evaluate_text(value, names)
                constants[name] = Text(text, i, line, name)
                computed.pop(name, None)
                if text is None and _is_computed_text(value):
                    computed[name] = Text(None, i, line, name, _unparse(value, text))
        systems = [text for i, tree in trees for text in _find_system_messages(tree, i, names)]
        others = [text for i, tree in trees for text in _find_system_names(tree, i, names)]
    except RecursionError:
        skipped.append((i, 1, "nested too deeply"))
    return {
        "constants": [_as_row(text) for text in constants.values() if text.text is not None],
        "systems": [_as_row(text) for text in systems],
        "skipped": skipped,
        "others": [_as_row(text) for text in others],
        "imports": [list(imported) for _, tree in trees for imported in _list_imports(tree)],
        "computed": [_as_row(text) for text in computed.values()],
        "inner": next((line for _, tree in trees for line in _find_long_texts(tree)), None),
    }


def _is_computed_text(node: ast.expr) -> bool:
    """Tell whether an expression makes a text of others: an f-string, a sum with a text, a method of a text."""
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.BinOp):
        return any(map(_is_text, (node.left, node.right))) or _is_computed_text(node.left)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_text(node.func.value)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _find_long_texts(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of long texts; a text that is a statement by itself only describes the code."""
    alone = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in alone)
    yield from (
        constant.lineno for constant in texts if isinstance(constant.value, str) and len(constant.value.split()) >= LONG
    )


def _as_row(text: Text) -> list[Any]:
    return [text.text, text.source, text.line, text.name, text.code, text.is_argument, text.answered]


def _parse(source: str) -> ast.Module:
    """Return the syntax tree, without a notebook's magics where they are in the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in somebody's source are none of ours
        try:
            return ast.parse(source)
        except SyntaxError:
            if not MAGIC.search(source):
                raise
            return ast.parse(MAGIC.sub(r"\1pass", source))


def _list_assignments(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr, int]]:
    """Yield the assignments to plain names in these statements, in order, those under if, for, with and try included.

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
                for part in getattr(statement, field, []):
                    yield from _list_assignments(part.body if isinstance(part, ast.ExceptHandler) else [part])


def _find_system_messages(tree: ast.AST, source: int, names: Mapping[str, str | None]) -> Iterator[Text]:
    """Yield the contents of `{"role": "system", "content": …}` and `dict(role="system", content=…)`, by scope."""
    answered: set[ast.AST] = set()  # messages in a list with an answer
    for node, scope, parameters in _walk_scopes(tree, names):
        if isinstance(node, ast.List) and any(_find_content(element, scope, "assistant") for element in node.elts):
            answered.update(node.elts)
        if content := _find_content(node, scope):
            text, name = _evaluate_text(content, scope), _read_name(content)
            is_argument = text is None and name in parameters
            yield Text(text, source, content.lineno, name, _unparse(content, text), is_argument, node in answered)


def _find_system_names(tree: ast.AST, source: int, names: Mapping[str, str | None]) -> Iterator[Text]:
    """Texts under a name that says system: in functions and classes, handed over, or what a function builds."""
    for node, scope, _ in _walk_scopes(tree, names):
        for name, value in _list_named_values(node):
            text = _evaluate_text(value, scope)
            if SYSTEM.search(name) and (text is not None or isinstance(value, ast.JoinedStr | ast.BinOp)):
                yield Text(text, source, value.lineno, name, _unparse(value, text))


def _list_named_values(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names and values of a node: assignments in functions and classes, arguments, returned values."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from ((name, value) for name, value, _ in _list_assignments(node.body))
        if isinstance(node, ast.ClassDef):
            return
        for part in ast.walk(node):
            if isinstance(part, ast.Return) and isinstance(part.value, ast.JoinedStr | ast.BinOp):
                yield node.name, part.value
    elif isinstance(node, ast.Call):
        yield from ((word.arg, word.value) for word in node.keywords if word.arg)
    elif isinstance(node, ast.Module):
        computed = ((name, value) for name, value, _ in _list_assignments(node.body))
        yield from ((name, value) for name, value in computed if isinstance(value, ast.JoinedStr | ast.BinOp))


Scoped = tuple[ast.AST, Mapping[str, "str | None"], frozenset[str]]


def _walk_scopes(tree: ast.AST, names: Mapping[str, str | None]) -> Iterator[Scoped]:
    """Each node in the order of the source, with the texts of the names around it and the parameters among them."""
    waiting: list[Scoped] = [(tree, names, frozenset())]
    while waiting:
        node, scope, parameters = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = dict(scope)
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                inner[argument.arg] = None
                parameters |= {argument.arg}
            for name, value, _ in _list_assignments(node.body):
                inner[name] = _evaluate_text(value, inner)
            scope = inner
        yield node, scope, parameters
        waiting.extend((child, scope, parameters) for child in reversed(list(ast.iter_child_nodes(node))))


def _list_imports(tree: ast.AST) -> Iterator[tuple[str, str, str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name, alias.asname or alias.name, node.level) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "", alias.asname or alias.name, 0) for alias in node.names)


def _unparse(node: ast.expr, text: str | None) -> str:
    """Return the expression of a text that is computed."""
    if text is not None:
        return ""
    return ast.unparse(node)[:SHOWN]


def _find_content(node: ast.AST, scope: Mapping[str, str | None], wanted_role: str = "system") -> ast.expr | None:
    """Return the content of a message of that role, if the node is one."""
    if isinstance(node, ast.Dict):
        parts = {_evaluate_text(k, scope): v for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        parts = {word.arg: word.value for word in node.keywords}
    else:
        return None
    role = parts.get("role")
    if role is not None and _evaluate_text(role, scope) == wanted_role:
        return parts.get("content")
    return None


def _read_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return None


def _is_dotted(node: ast.expr) -> bool:
    """Tell whether an expression is names with dots between them: `prompts.SYSTEM`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _evaluate_text(node: ast.expr, scope: Mapping[str, str | None]) -> str | None:
    """Return the text that an expression has without running it; None when it would have to be computed.

    Literals, f-strings whose fields are such texts, sums of these, names bound to these, and `.strip()` and the
    like.
    """
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return _join_texts([_evaluate_text(part, scope) for part in parts])
        case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
            return _evaluate_text(inner, scope)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            # a long sum is a deep tree to the left: walked, not recursed into
            terms = [right]
            while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
                terms.append(left.right)
                left = left.left
            return _join_texts([_evaluate_text(term, scope) for term in (left, *reversed(terms))])
        case ast.Name(id=name):
            return scope.get(name)
        case ast.Attribute():
            if len(scope) and _is_dotted(node):
                return scope.get(ast.unparse(node))
            return None
        case ast.Call(
            func=ast.Attribute(value=inner, attr="strip" | "lstrip" | "rstrip" as trim), args=[], keywords=[]
        ):
            inner_text = _evaluate_text(inner, scope)
            if inner_text is None:
                return None
            return {"strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip}[trim](inner_text)
    return None


def _join_texts(parts: Sequence[str | None]) -> str | None:
    texts = [part for part in parts if part is not None]
    if len(texts) < len(parts) or sum(map(len, texts)) > LARGEST:
        return None
    return "".join(texts)

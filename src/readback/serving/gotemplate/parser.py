"""Read a Go template into its tree, refusing what Go's text/template refuses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from readback.serving.gotemplate.lexer import Token, tokens
from readback.serving.gotemplate.nodes import (
    Action,
    Block,
    Break,
    Call,
    Continue,
    If,
    Node,
    Range,
    Text,
    Tree,
    With,
)
from readback.serving.gotemplate.pipelines import Pipelines
from readback.serving.gotemplate.traced_text import clean

DEEPEST = 100  # blocks within blocks, `else if` counted
MOST = 50_000  # tokens of a template that is worth reading
END, ELSE = "end", "else"


def parse(text: str, functions: frozenset[str]) -> Tree:
    """The tree of a template that may call `functions`. Raises TemplateFault."""
    return _Parser(clean(text), functions).tree()


class _Parser(Pipelines):
    """What is being read: the tokens ahead, the variables in force, the templates found so far."""

    def __init__(self, text: str, functions: frozenset[str]) -> None:
        super().__init__(text, _bounded(tokens(text)), functions)
        self.templates: dict[str, Block] = {}
        self.ranges = 0  # range bodies that a break would leave
        self.depth = 0

    def tree(self) -> Tree:
        nodes: list[Node] = []
        while (token := self.peek()).kind != "end":
            if token.kind == "{{" and self.ahead(1).kind == "define":
                self._define()
                continue
            node = self._node()
            if isinstance(node, Token):
                raise self.fault(f"unexpected {{{{{node.kind}}}}}", node)
            nodes.append(node)
        self._add("", tuple(nodes), self.peek())
        return Tree(self.templates)

    def _add(self, name: str, block: Block, token: Token) -> None:
        """Keep a defined template: a blank one gives way to any other."""
        if name not in self.templates or _blank(self.templates[name]):
            self.templates[name] = block
        elif not _blank(block):
            raise self.fault(f"multiple definition of template {name!r}", token)

    def _define(self) -> None:
        self.next()
        self.word()
        token = self.word()
        name = self.template_name(token, "define clause")
        self.expect("}}", "define clause")
        self._add(name, self._own_block("define clause"), token)

    def _own_block(self, context: str) -> Block:
        """The nodes of a defined template: it sees no variable but its own `$`, and no range around it."""
        variables, ranges = self.variables, self.ranges
        self.variables, self.ranges = ["$"], 0
        block, end = self._block()
        if end.kind != END:
            raise self.fault(f"unexpected {{{{{end.kind}}}}} in {context}", end)
        self.variables, self.ranges = variables, ranges
        return block

    def _block(self) -> tuple[Block, Token]:
        """The nodes up to an `end` or `else` on this level, and its token."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault(f"more than {DEEPEST} blocks within each other", self.peek())
        nodes: list[Node] = []
        while (token := self.peek()).kind != "end":
            node = self._node()
            if isinstance(node, Token):
                self.depth -= 1
                return tuple(nodes), node
            nodes.append(node)
        raise self.fault("unexpected EOF", token)

    def _node(self) -> Node | Token:
        """One text or action; the keyword's token where it is an `end` or `else`."""
        token = self.next()
        if token.kind == "text":
            return Text(token.text, *self.at(token))
        if token.kind != "{{":
            raise self.unexpected(token, "input")
        word = self.peek_word()
        match word.kind:
            case "if" | "with" | "range":
                return self._branch(self.word())
            case "end":
                self.word()
                self.expect("}}", "end")
                return word
            case "else":
                return self._else()
            case "break" | "continue":
                return self._leave(self.word())
            case "template" | "block":
                return self._call(self.word())
        return Action(self.pipe("command"), *self.at(word))

    def _else(self) -> Token:
        """The token of an `else`; an `if` or `with` behind it is left for the branch it continues."""
        token = self.word()
        if self.peek_word().kind not in ("if", "with"):
            self.expect("}}", "else")
        return token

    def _leave(self, word: Token) -> Node:
        self.expect("}}", f"{{{{{word.kind}}}}}")
        if not self.ranges:
            raise self.fault(f"{{{{{word.kind}}}}} outside {{{{range}}}}", word)
        return (Break if word.kind == "break" else Continue)(*self.at(word))

    def _branch(self, word: Token) -> Node:
        known = len(self.variables)
        pipe = self.pipe(word.kind)
        self.ranges += word.kind == "range"
        body, end = self._block()
        self.ranges -= word.kind == "range"
        otherwise: Block | None = None
        if end.kind == ELSE:
            following = self.peek_word()
            if word.kind != "range" and following.kind == word.kind:
                self.depth += 1
                if self.depth > DEEPEST:
                    raise self.fault(f"more than {DEEPEST} blocks within each other", following)
                otherwise = (self._branch(self.word()),)
                self.depth -= 1
            else:
                otherwise, end = self._block()
                if end.kind != END:
                    raise self.fault("expected end; found {{else}}", end)
        del self.variables[known:]
        kind = If if word.kind == "if" else With if word.kind == "with" else Range
        return kind(pipe, body, otherwise, *self.at(word))

    def _call(self, word: Token) -> Node:
        context = f"{word.kind} clause"
        token = self.word()
        name = self.template_name(token, context)
        if word.kind == "template" and self.peek_word().kind == "}}":
            self.word()
            return Call(name, None, *self.at(word))
        pipe = self.pipe(context)
        if word.kind == "block":
            self._add(name, self._own_block(context), token)
        return Call(name, pipe, *self.at(word))

    def template_name(self, token: Token, context: str) -> str:
        if token.kind != "string":
            raise self.unexpected(token, context)
        return self.unquoted(token)


def _blank(block: Block) -> bool:
    """Whether a template is nothing but blanks, as Go's bytes.TrimSpace has them."""
    return all(isinstance(node, Text) and not node.text.strip() for node in block)


def _bounded(found: Iterator[Token]) -> Iterator[Token]:
    token = Token("end", "", 0)
    for token in islice(found, MOST):
        yield token
    if token.kind not in ("end", "wrong"):
        yield Token("wrong", f"more than {MOST:,} words in a template", token.at)

"""Parse a Go template into its tree, refusing what Go's text/template refuses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from readback.serving.gotemplate.lexer import Token, tokenize
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
from readback.serving.gotemplate.traced_text import replace_surrogates

DEEPEST = 100  # blocks within blocks, `else if` counted
MOST = 50_000  # tokens of a template that is worth reading
END, ELSE = "end", "else"
BRANCHES: dict[str, type[If] | type[With] | type[Range]] = {"if": If, "with": With, "range": Range}


def parse(text: str, functions: frozenset[str]) -> Tree:
    """Return the tree of a template that may call `functions`. Raises TemplateFault."""
    return _Parser(replace_surrogates(text), functions).parse_all()


class _Parser(Pipelines):
    """Hold the state of parsing: the tokens ahead, the variables in force, the templates defined so far."""

    def __init__(self, text: str, functions: frozenset[str]) -> None:
        super().__init__(text, _limit_tokens(tokenize(text)), functions)
        self.templates: dict[str, Block] = {}
        self.ranges = 0  # range bodies that a break would leave
        self.depth = 0

    def parse_all(self) -> Tree:
        """Parse the whole template."""
        nodes: list[Node] = []
        while (token := self.peek()).kind != "end":
            if token.kind == "{{" and self.peek_ahead(1).kind == "define":
                self._parse_define()
                continue
            node = self._parse_node()
            if isinstance(node, Token):
                raise self.fault(f"unexpected {{{{{node.kind}}}}}", node)
            nodes.append(node)
        self._add_template("", tuple(nodes), self.peek())
        return Tree(self.templates)

    def _add_template(self, name: str, block: Block, token: Token) -> None:
        """Add a defined template; a blank one gives way to any other."""
        if name not in self.templates or _is_blank(self.templates[name]):
            self.templates[name] = block
        elif not _is_blank(block):
            raise self.fault(f"multiple definition of template {name!r}", token)

    def _parse_define(self) -> None:
        self.next()
        self.next_word()
        token = self.next_word()
        name = self._get_template_name(token, "define clause")
        self.expect("}}", "define clause")
        self._add_template(name, self._parse_defined_block("define clause"), token)

    def _parse_defined_block(self, context: str) -> Block:
        """Parse the nodes of a defined template, which sees only its own `$` and no range around it."""
        variables, ranges = self.variables, self.ranges
        self.variables, self.ranges = ["$"], 0
        block, end = self._parse_block()
        if end.kind != END:
            raise self.fault(f"unexpected {{{{{end.kind}}}}} in {context}", end)
        self.variables, self.ranges = variables, ranges
        return block

    def _parse_block(self) -> tuple[Block, Token]:
        """Return the nodes up to an `end` or `else` on this level, and its token."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault(f"more than {DEEPEST} blocks within each other", self.peek())
        nodes: list[Node] = []
        while (token := self.peek()).kind != "end":
            node = self._parse_node()
            if isinstance(node, Token):
                self.depth -= 1
                return tuple(nodes), node
            nodes.append(node)
        raise self.fault("unexpected EOF", token)

    def _parse_node(self) -> Node | Token:
        """Parse one text or action; return the keyword's token if it is an `end` or `else`."""
        token = self.next()
        if token.kind == "text":
            return Text(token.text, *self.locate(token))
        if token.kind != "{{":
            raise self.unexpected(token, "input")
        word = self.peek_word()
        match word.kind:
            case "if" | "with" | "range":
                return self._parse_branch(self.next_word())
            case "end":
                self.next_word()
                self.expect("}}", "end")
                return word
            case "else":
                return self._parse_else()
            case "break" | "continue":
                return self._parse_jump(self.next_word())
            case "template" | "block":
                return self._parse_call(self.next_word())
        return Action(self.parse_pipe("command"), *self.locate(word))

    def _parse_else(self) -> Token:
        """Return the token of an `else`; an `if` or `with` behind it is left for the branch it continues."""
        token = self.next_word()
        if self.peek_word().kind not in ("if", "with"):
            self.expect("}}", "else")
        return token

    def _parse_jump(self, word: Token) -> Node:
        self.expect("}}", f"{{{{{word.kind}}}}}")
        if not self.ranges:
            raise self.fault(f"{{{{{word.kind}}}}} outside {{{{range}}}}", word)
        return (Break if word.kind == "break" else Continue)(*self.locate(word))

    def _parse_branch(self, word: Token) -> Node:
        outer_count = len(self.variables)
        pipe = self.parse_pipe(word.kind)
        self.ranges += word.kind == "range"
        body, end = self._parse_block()
        self.ranges -= word.kind == "range"
        otherwise: Block | None = None
        if end.kind == ELSE:
            following = self.peek_word()
            if word.kind != "range" and following.kind == word.kind:
                self.depth += 1
                if self.depth > DEEPEST:
                    raise self.fault(f"more than {DEEPEST} blocks within each other", following)
                otherwise = (self._parse_branch(self.next_word()),)
                self.depth -= 1
            else:
                otherwise, end = self._parse_block()
                if end.kind != END:
                    raise self.fault("expected end; found {{else}}", end)
        del self.variables[outer_count:]
        return BRANCHES[word.kind](pipe, body, otherwise, *self.locate(word))

    def _parse_call(self, word: Token) -> Node:
        context = f"{word.kind} clause"
        token = self.next_word()
        name = self._get_template_name(token, context)
        if word.kind == "template" and self.peek_word().kind == "}}":
            self.next_word()
            return Call(name, None, *self.locate(word))
        pipe = self.parse_pipe(context)
        if word.kind == "block":
            self._add_template(name, self._parse_defined_block(context), token)
        return Call(name, pipe, *self.locate(word))

    def _get_template_name(self, token: Token, context: str) -> str:
        """Return the name that a quoted token spells."""
        if token.kind != "string":
            raise self.unexpected(token, context)
        return self.unquote(token)


def _is_blank(block: Block) -> bool:
    """Return whether a template is nothing but blanks, as Go's bytes.TrimSpace defines them."""
    return all(isinstance(node, Text) and not node.text.strip() for node in block)


def _limit_tokens(stream: Iterator[Token]) -> Iterator[Token]:
    """Yield at most MOST tokens, then a `wrong` one if the template is not at its end."""
    token = Token("end", "", 0)
    for token in islice(stream, MOST):
        yield token
    if token.kind not in ("end", "wrong"):
        yield Token("wrong", f"more than {MOST:,} words in a template", token.position)

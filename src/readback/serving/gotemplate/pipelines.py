"""Read what is inside the braces: pipelines of commands, and their operands."""

from __future__ import annotations

from collections.abc import Iterator

from readback.serving.gotemplate import literals
from readback.serving.gotemplate.lexer import Token
from readback.serving.gotemplate.nodes import (
    Chain,
    Command,
    Dot,
    Field,
    Literal,
    Name,
    Nil,
    Operand,
    Pipe,
    TemplateFault,
    Variable,
)
from readback.serving.modelfile.grammar import lines, where

DEEPEST = 100  # parentheses within parentheses
FIRST = ("bool", "char", "complex", ".", "field", "name", "number", "nil", "string", "variable", "(")
CLOSING = {"parenthesized pipeline": ")"}


class Pipelines:
    """The tokens ahead and the variables in force; every method reads on from there or raises TemplateFault."""

    def __init__(self, text: str, found: Iterator[Token], functions: frozenset[str]) -> None:
        self.starts = lines(text)
        self.found = found
        self.waiting: list[Token] = []  # read ahead, the next one last
        self.functions = functions
        self.variables = ["$"]
        self.parentheses = 0

    def next(self) -> Token:
        return self.waiting.pop() if self.waiting else next(self.found, Token("end", "", 0))

    def peek(self) -> Token:
        if not self.waiting:
            self.waiting.append(self.next())
        return self.waiting[-1]

    def word(self) -> Token:
        """The next token that is no blank."""
        while (token := self.next()).kind == "space":
            pass
        return token

    def peek_word(self) -> Token:
        token = self.word()
        self.waiting.append(token)
        return token

    def ahead(self, count: int) -> Token:
        """The word that many tokens, without blanks, behind the next one."""
        taken = [self.next()]
        words = 0
        while words < count and taken[-1].kind not in ("wrong", "end"):
            taken.append(self.next())
            words += taken[-1].kind != "space"
        self.waiting.extend(reversed(taken))
        return taken[-1]

    def at(self, token: Token) -> tuple[int, int]:
        return where(self.starts, token.at)

    def fault(self, reason: str, token: Token) -> TemplateFault:
        return TemplateFault(reason, *self.at(token))

    def unexpected(self, token: Token, context: str) -> TemplateFault:
        if token.kind == "wrong":
            return self.fault(token.text, token)
        what = "end of the template" if token.kind == "end" else repr(token.text)
        return self.fault(f"unexpected {what} in {context}", token)

    def expect(self, kind: str, context: str) -> Token:
        token = self.word()
        if token.kind != kind:
            raise self.unexpected(token, context)
        return token

    def unquoted(self, token: Token) -> str:
        try:
            return literals.text(token.text)
        except ValueError as wrong:
            raise self.fault(str(wrong), token) from None

    def pipe(self, context: str) -> Pipe:
        """A pipeline with the braces or parenthesis that end it."""
        first = self.peek_word()
        variables, assigns = self._declared(context)
        end = CLOSING.get(context, "}}")
        commands: list[Command] = []
        while (token := self.word()).kind != end:
            if token.kind not in FIRST:
                raise self.unexpected(token, context)
            self.waiting.append(token)
            commands.append(self._command())
        if not commands:
            raise self.fault(f"missing value for {context}", token)
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.args[0], Dot | Nil | Literal):
                raise TemplateFault(f"non executable command in pipeline stage {stage}", command.line, command.column)
        return Pipe(tuple(commands), variables, assigns, *self.at(first))

    def _declared(self, context: str) -> tuple[tuple[str, ...], bool]:
        """The variables a pipeline begins with, and whether they are set rather than declared."""
        names: list[str] = []
        while self.peek_word().kind == "variable":
            following = self.ahead(1)
            if following.kind not in ("declare", "=", ","):
                break
            token = self.word()
            self.word()
            names.append(token.text)
            self.variables.append(token.text)
            if following.kind != ",":
                return tuple(names), following.kind == "="
            if context != "range" or len(names) == 2:
                raise self.fault(f"too many declarations in {context}", token)
            if (third := self.peek_word()).kind not in ("variable", "}}", ")"):
                raise self.fault("range can only initialize variables", third)
        return tuple(names), False

    def _command(self) -> Command:
        first = self.peek_word()
        args: list[Operand] = []
        while True:
            if (operand := self._operand()) is not None:
                args.append(operand)
            token = self.next()
            if token.kind == "space":
                continue
            if token.kind in ("}}", ")"):
                self.waiting.append(token)
            elif token.kind != "|":
                raise self.unexpected(token, "operand")
            break
        if not args:
            raise self.fault("empty command", first)
        return Command(tuple(args), *self.at(first))

    def _operand(self) -> Operand | None:
        """A term and the fields behind it; None where no term begins."""
        self.peek_word()
        token = self.next()
        term = self._term(token)
        if term is None:
            self.waiting.append(token)
            return None
        if self.peek().kind != "field":
            return term
        if isinstance(term, Literal | Nil | Dot):
            raise self.fault("unexpected . after a value that has no fields", self.peek())
        path: list[str] = []
        while self.peek().kind == "field":
            path.append(self.next().text[1:])
        if isinstance(term, Field | Variable):
            return type(term)((*term.path, *path), term.line, term.column)
        return Chain(term, tuple(path), term.line, term.column)

    def _term(self, token: Token) -> Operand | None:
        at = self.at(token)
        match token.kind:
            case "name":
                if token.text not in self.functions:
                    raise self.fault(f"function {token.text!r} not defined", token)
                return Name(token.text, *at)
            case ".":
                return Dot(*at)
            case "nil":
                return Nil(*at)
            case "variable":
                if token.text not in self.variables:
                    raise self.fault(f"undefined variable {token.text!r}", token)
                return Variable((token.text,), *at)
            case "field":
                return Field((token.text[1:],), *at)
            case "bool":
                return Literal(token.text == "true", token.text, *at)
            case "char" | "number" | "complex":
                return Literal(self._number(token), token.text, *at)
            case "string":
                return Literal(self.unquoted(token), token.text, *at)
            case "(":
                return self._parenthesised(token)
        return None

    def _parenthesised(self, token: Token) -> Pipe:
        self.parentheses += 1
        if self.parentheses > DEEPEST:
            raise self.fault(f"more than {DEEPEST} parentheses within each other", token)
        pipe = self.pipe("parenthesized pipeline")
        self.parentheses -= 1
        return pipe

    def _number(self, token: Token) -> int | float | complex | None:
        read = {"char": literals.character, "number": literals.number, "complex": literals.sum_of_two}[token.kind]
        try:
            return read(token.text)
        except ValueError as wrong:
            raise self.fault(str(wrong), token) from None

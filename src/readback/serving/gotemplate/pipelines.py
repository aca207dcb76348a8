"""Parse what is inside the braces: pipelines of commands, and their operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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
from readback.serving.modelfile.grammar import find_line_starts, locate_offset

DEEPEST = 100  # parentheses within parentheses
FIRST = ("bool", "char", "complex", ".", "field", "name", "number", "nil", "string", "variable", "(")
CLOSING = {"parenthesized pipeline": ")"}
NUMBERS: dict[str, Callable[[str], int | float | complex | None]] = {
    "char": literals.parse_character,
    "number": literals.parse_number,
    "complex": literals.parse_complex,
}


class Pipelines:
    """Hold the tokens ahead and the variables in force; each method reads on or raises TemplateFault."""

    def __init__(self, text: str, stream: Iterator[Token], functions: frozenset[str]) -> None:
        self.starts = find_line_starts(text)
        self.stream = stream
        self.waiting: list[Token] = []  # read ahead, the next one last
        self.functions = functions
        self.variables = ["$"]
        self.parentheses = 0

    def next(self) -> Token:
        """Return the next token; an `end` when there is none."""
        if self.waiting:
            return self.waiting.pop()
        return next(self.stream, Token("end", "", 0))

    def peek(self) -> Token:
        """Return the next token without taking it."""
        if not self.waiting:
            self.waiting.append(self.next())
        return self.waiting[-1]

    def next_word(self) -> Token:
        """Return the next token that is not a blank."""
        while (token := self.next()).kind == "space":
            pass
        return token

    def peek_word(self) -> Token:
        """Return the next token that is not a blank, without taking it."""
        token = self.next_word()
        self.waiting.append(token)
        return token

    def peek_ahead(self, count: int) -> Token:
        """Return the word that many tokens, without blanks, behind the next one."""
        tokens = [self.next()]
        words = 0
        while words < count and tokens[-1].kind not in ("wrong", "end"):
            tokens.append(self.next())
            words += tokens[-1].kind != "space"
        self.waiting.extend(reversed(tokens))
        return tokens[-1]

    def locate(self, token: Token) -> tuple[int, int]:
        """Return the line and column of a token."""
        return locate_offset(self.starts, token.position)

    def fault(self, reason: str, token: Token) -> TemplateFault:
        """Return the fault for a reason at a token."""
        return TemplateFault(reason, *self.locate(token))

    def unexpected(self, token: Token, context: str) -> TemplateFault:
        """Return the fault for a token that may not stand in this context."""
        if token.kind == "wrong":
            return self.fault(token.text, token)
        if token.kind == "end":
            name = "end of the template"
        else:
            name = repr(token.text)
        return self.fault(f"unexpected {name} in {context}", token)

    def expect(self, kind: str, context: str) -> Token:
        """Return the next word, which must be of this kind."""
        token = self.next_word()
        if token.kind != kind:
            raise self.unexpected(token, context)
        return token

    def unquote(self, token: Token) -> str:
        """Return the value of a string token."""
        try:
            return literals.parse_string(token.text)
        except ValueError as error:
            raise self.fault(str(error), token) from None

    def parse_pipe(self, context: str) -> Pipe:
        """Parse a pipeline with the braces or parenthesis that end it."""
        first = self.peek_word()
        variables, assigns = self._parse_declarations(context)
        end = CLOSING.get(context, "}}")
        commands: list[Command] = []
        while (token := self.next_word()).kind != end:
            if token.kind not in FIRST:
                raise self.unexpected(token, context)
            self.waiting.append(token)
            commands.append(self._parse_command())
        if not commands:
            raise self.fault(f"missing value for {context}", token)
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.args[0], Dot | Nil | Literal):
                raise TemplateFault(f"non executable command in pipeline stage {stage}", command.line, command.column)
        return Pipe(tuple(commands), variables, assigns, *self.locate(first))

    def _parse_declarations(self, context: str) -> tuple[tuple[str, ...], bool]:
        """Return the variables a pipeline begins with, and whether they are set rather than declared."""
        names: list[str] = []
        while self.peek_word().kind == "variable":
            following = self.peek_ahead(1)
            if following.kind not in ("declare", "=", ","):
                break
            token = self.next_word()
            self.next_word()
            names.append(token.text)
            self.variables.append(token.text)
            if following.kind != ",":
                return tuple(names), following.kind == "="
            if context != "range" or len(names) == 2:
                raise self.fault(f"too many declarations in {context}", token)
            following = self.peek_word()
            if following.kind not in ("variable", "}}", ")"):
                raise self.fault("range can only initialize variables", following)
        return tuple(names), False

    def _parse_command(self) -> Command:
        first = self.peek_word()
        args: list[Operand] = []
        while True:
            operand = self._parse_operand()
            if operand is not None:
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
        return Command(tuple(args), *self.locate(first))

    def _parse_operand(self) -> Operand | None:
        """Parse a term and the fields behind it; return None where no term begins."""
        self.peek_word()
        token = self.next()
        term = self._parse_term(token)
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

    def _parse_term(self, token: Token) -> Operand | None:
        place = self.locate(token)
        match token.kind:
            case "name":
                if token.text not in self.functions:
                    raise self.fault(f"function {token.text!r} not defined", token)
                return Name(token.text, *place)
            case ".":
                return Dot(*place)
            case "nil":
                return Nil(*place)
            case "variable":
                if token.text not in self.variables:
                    raise self.fault(f"undefined variable {token.text!r}", token)
                return Variable((token.text,), *place)
            case "field":
                return Field((token.text[1:],), *place)
            case "bool":
                return Literal(token.text == "true", token.text, *place)
            case "char" | "number" | "complex":
                return Literal(self._parse_number(token), token.text, *place)
            case "string":
                return Literal(self.unquote(token), token.text, *place)
            case "(":
                return self._parse_parentheses(token)
        return None

    def _parse_parentheses(self, token: Token) -> Pipe:
        self.parentheses += 1
        if self.parentheses > DEEPEST:
            raise self.fault(f"more than {DEEPEST} parentheses within each other", token)
        pipe = self.parse_pipe("parenthesized pipeline")
        self.parentheses -= 1
        return pipe

    def _parse_number(self, token: Token) -> int | float | complex | None:
        try:
            return NUMBERS[token.kind](token.text)
        except ValueError as error:
            raise self.fault(str(error), token) from None

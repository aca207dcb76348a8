"""Parse a Handlebars template. The grammar is that of Handlebars 4.7."""

from __future__ import annotations

import re

from readback.projects.handlebars.lexer import Token, split_template
from readback.projects.handlebars.nodes import (
    Block,
    Call,
    Comment,
    Content,
    Expression,
    HandlebarsFault,
    Literal,
    Mustache,
    Partial,
    Path,
    Program,
    Statement,
    Strip,
)
from readback.projects.handlebars.white_space import remove_white_space
from readback.projects.javascript_text import UNDEFINED

DEEP = 100  # blocks, or parentheses, inside of each other
BRACKET = re.compile(r"\\([\\\]])")
INLINE = "inline"


def parse_template(template: str) -> Program:
    """Return a template, parsed, with the white space around its tags taken away. Raises HandlebarsFault."""
    program = _Parser(template).parse()
    remove_white_space(program)
    return program


def parse_tags(template: str) -> Program:
    """Return a template, parsed, with its white space as it is and backslashes as text. Raises HandlebarsFault."""
    return _Parser(template, has_escapes=False).parse()


class _Parser:
    def __init__(self, template: str, has_escapes: bool = True) -> None:
        self.template = template
        self.has_escapes = has_escapes
        self.tokens = [*split_template(template, has_escapes), Token("end of the template", "", len(template))]
        self.at = 0
        self.depth = 0

    def parse(self) -> Program:
        program = self._parse_program()
        if self._peek().kind != "end of the template":
            raise self._fail(self._peek())
        return program

    # statements

    def _parse_program(self) -> Program:
        body: list[Statement] = []
        while True:
            token = self._peek()
            if token.kind == "content":
                self.at += 1
                body.append(Content(token.text, token.text))
            elif token.kind == "comment":
                self.at += 1
                body.append(Comment(_read_strip(token, token)))
            elif token.kind in ("open", "open raw text"):
                body.append(self._parse_mustache())
            elif token.kind in ("block", "inverse"):
                body.append(self._parse_block())
            elif token.kind == "open raw":
                body.append(self._parse_raw_block())
            elif token.kind in ("partial", "partial block"):
                body.append(self._parse_partial())
            else:
                return Program(body)

    def _parse_mustache(self) -> Mustache:
        opening = self._next()
        if "*" in opening.text:
            raise HandlebarsFault("a decorator that is no inline partial is not known")
        call = self._parse_call()
        closing = self._expect("close raw text" if opening.kind == "open raw text" else "close")
        is_raw = opening.kind == "open raw text" or opening.text.endswith("&")
        return Mustache(call, not is_raw, _read_strip(opening, closing))

    def _parse_block(self) -> Block:
        opening = self._next()
        call = self._parse_call()
        names = self._parse_names()
        open_strip = _read_strip(opening, self._expect("close"))
        self._enter()
        program = self._parse_program()
        program.names = names
        inverse, inverse_strip = self._parse_inverse(allows_chain=opening.kind == "block")
        closing = self._expect("end")
        name = self._parse_path()
        close_strip = _read_strip(closing, self._expect("close"))
        self.depth -= 1
        _check_end(call.path, name)
        is_inline = "*" in opening.text
        if is_inline and (call.path.original != INLINE or inverse):
            raise HandlebarsFault(f"the decorator {call.path.original} is not known")
        _close_chain(inverse, close_strip)
        first: Program | None = program
        if opening.kind == "inverse":
            first, inverse = inverse, program
        return Block(call, first, inverse, open_strip, inverse_strip, close_strip, is_inline)

    def _parse_inverse(self, allows_chain: bool) -> tuple[Program | None, Strip]:
        token = self._peek()
        if token.kind == "else":
            self.at += 1
            return self._parse_program(), _read_strip(token, token)
        if token.kind != "else chain" or not allows_chain:
            return None, Strip()
        self.at += 1
        self._enter()
        call = self._parse_call()
        names = self._parse_names()
        strip = _read_strip(token, self._expect("close"))
        program = self._parse_program()
        program.names = names
        inverse, inverse_strip = self._parse_inverse(allows_chain=True)
        self.depth -= 1
        _close_chain(inverse, inverse_strip)
        block = Block(call, program, inverse, strip, inverse_strip, inverse_strip)
        return Program([block], is_chained=True), strip

    def _parse_raw_block(self) -> Block:
        self._next()
        call = self._parse_call()
        self._expect("close raw")
        body: list[Statement] = []
        while self._peek().kind == "content":
            text = self._next().text
            body.append(Content(text, text))
        end = self._expect("end raw")
        if end.text != call.path.original:
            raise HandlebarsFault(f"{call.path.original} doesn't match {end.text}")
        return Block(call, Program(body), None, Strip(), Strip(), Strip())

    def _parse_partial(self) -> Partial:
        opening = self._next()
        name: Expression = self._parse_nested_call() if self._peek().kind == "(" else self._parse_name()
        call = self._parse_call(path=Path((), "partial"))
        closing = self._expect("close")
        partial = Partial(name, call, _read_strip(opening, closing))
        if opening.kind == "partial":
            return partial
        self._enter()
        partial.program = self._parse_program()
        end = self._expect("end")
        _check_end(name, self._parse_path())
        partial.close_strip = _read_strip(end, self._expect("close"))
        self.depth -= 1
        return partial

    # expressions

    def _parse_call(self, path: Path | None = None) -> Call:
        """Parse a name with its arguments; a literal in the place of the name is one."""
        if path is None:
            name = self._parse_name()
            if isinstance(name, Path):
                path = name
            else:
                path = Path((name.original,), name.original)
        params: list[Expression] = []
        pairs: list[tuple[str, Expression]] = []
        while True:
            token = self._peek()
            if token.kind == "name" and self._peek(1).kind == "=":
                self.at += 2
                pairs.append((_read_name(token.text), self._parse_param()))
            elif pairs or token.kind not in ("name", "@", "string", "number", "boolean", "undefined", "null", "("):
                return Call(path, tuple(params), tuple(pairs))
            else:
                params.append(self._parse_param())

    def _parse_param(self) -> Expression:
        if self._peek().kind == "(":
            return self._parse_nested_call()
        return self._parse_name()

    def _parse_nested_call(self) -> Call:
        self._expect("(")
        self._enter()
        call = self._parse_call()
        self._expect(")")
        self.depth -= 1
        return call

    def _parse_name(self) -> Literal | Path:
        token = self._peek()
        if token.kind in ("name", "@"):
            return self._parse_path()
        self.at += 1
        match token.kind:
            case "string":
                sign = token.text[0]
                text = token.text[1:-1].replace(f"\\{sign}", sign)
                return Literal(text, text)
            case "number":
                number = float(token.text)
                return Literal(number, str(int(number)) if number.is_integer() else str(number))
            case "boolean":
                return Literal(token.text == "true", token.text)
            case "undefined":
                return Literal(UNDEFINED, "undefined")
            case "null":
                return Literal(None, "null")
        raise self._fail(token)

    def _parse_path(self) -> Path:
        of_data = self._peek().kind == "@"
        if of_data:
            self.at += 1
        original, depth = "@" if of_data else "", 0
        parts: list[str] = []
        separator = ""
        while True:
            if parts and not self.has_escapes and self._peek().kind == "number":
                token = self._next()  # only the lexer of JavaScript refuses a number at the end of a path
            else:
                token = self._expect("name")
            part = _read_name(token.text)
            original += separator + part
            if part == token.text and part in ("..", ".", "this"):
                if parts:
                    raise HandlebarsFault(f"Invalid path: {original}")
                depth += part == ".."
            else:
                parts.append(part)
            if self._peek().kind != "separator":
                return Path(tuple(parts), original, depth, of_data)
            separator = self._next().text

    def _parse_names(self) -> tuple[str, ...]:
        if self._peek().kind != "as":
            return ()
        self.at += 1
        names = []
        while self._peek().kind == "name":
            names.append(_read_name(self._next().text))
        self._expect("|")
        if not names:
            raise self._fail(self._peek())
        return tuple(names)

    # tokens

    def _peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def _next(self) -> Token:
        token = self._peek()
        self.at += 1
        return token

    def _expect(self, kind: str) -> Token:
        token = self._next()
        if token.kind != kind:
            raise self._fail(token)
        return token

    def _enter(self) -> None:
        self.depth += 1
        if self.depth > DEEP:
            raise HandlebarsFault(f"the template has more than {DEEP} levels")

    def _fail(self, token: Token) -> HandlebarsFault:
        line = self.template.count("\n", 0, token.start) + 1
        if token.text:
            written = repr(token.text)
        else:
            written = token.kind
        return HandlebarsFault(f"Parse error on line {line} of the template: {written} is not expected here")


def _read_name(written: str) -> str:
    if written.startswith("["):
        return BRACKET.sub(r"\1", written)[1:-1]
    return written


def _read_strip(opening: Token, closing: Token) -> Strip:
    return Strip(opening.text[2:3] == "~", closing.text[-3:-2] == "~")


def _check_end(opened: Expression, closed: Path) -> None:
    if isinstance(opened, Call):
        name = opened.path.original
    else:
        name = opened.original
    if name != closed.original:
        raise HandlebarsFault(f"{name} doesn't match {closed.original}")


def _close_chain(inverse: Program | None, strip: Strip) -> None:
    """Give the block of an `else if` the tildes of the tag that closes the block before it."""
    if inverse is not None and inverse.is_chained and isinstance(inverse.body[0], Block):
        inverse.body[0].close_strip = strip

"""Tokens of a template become its tree, by the grammar of nunjucks and then the precedence of JavaScript."""

from __future__ import annotations

import re
from functools import lru_cache

from readback.projects.javascript_text import SPACES, format_value, import_integer
from readback.projects.nunjucks import nodes
from readback.projects.nunjucks.fault import TemplateFault, refuse_unknown
from readback.projects.nunjucks.lexer import Lexer, Token
from readback.projects.nunjucks.precedence import arrange

TEMPLATES = 256  # kept parsed: the prompts of a project, and the values that are templates
COMPARISONS = frozenset(("==", "===", "!=", "!==", "<", ">", "<=", ">="))
CLOSERS = frozenset(("right-paren", "right-bracket", "right-curly"))
# From the loosest to the tightest: token kind and text, and what JavaScript it becomes.
LEVELS = (
    ("tilde", "~", "~"),
    ("operator", "+", "+"),
    ("operator", "-", "-"),
    ("operator", "*", "*"),
    ("operator", "/", "/"),
    ("operator", "//", "floor"),
    ("operator", "%", "%"),
    ("operator", "**", "pow"),
)
OTHER_FILES = frozenset(("include", "import", "from", "extends"))
ASYNC = frozenset(("ifAsync", "asyncEach", "asyncAll"))
RAW_ENDS = {name: re.compile(rf"\{{%[{SPACES}]*({name}|end{name})[{SPACES}]*%\}}") for name in ("raw", "verbatim")}


@lru_cache(maxsize=TEMPLATES)
def parse(text: str) -> list[nodes.Node]:
    """Return the statements of a template; raises TemplateFault."""
    try:
        return Parser(text).parse_template()
    except RecursionError:
        raise TemplateFault("it has too many levels", unknown=True) from None


class Parser:
    """Read one template; `stops` are the tags that end the block at hand."""

    def __init__(self, text: str) -> None:
        self.lexer = Lexer(text)
        self.peeked: Token | None = None
        self.has_peeked = False
        self.stops: tuple[str, ...] = ()
        self.drops_blanks = False

    def parse_template(self) -> list[nodes.Node]:
        """Return all statements; text after a tag that only ends a block is not read."""
        return self.parse_nodes()

    def next(self) -> Token | None:
        """Take the next token that is not blank."""
        if self.has_peeked:
            self.has_peeked = False
            if self.peeked is not None:
                return self.peeked
        token = self.lexer.next()
        while token and token.kind == "blanks":
            token = self.lexer.next()
        return token

    def push(self, token: Token | None) -> None:
        """Put a token back."""
        self.peeked, self.has_peeked = token, token is not None

    def peek(self) -> Token | None:
        """Return the next token without taking it."""
        token = self.next()
        self.push(token)
        return token

    def expect_token(self) -> Token:
        """Return the next token without taking it; the end of the template is a fault."""
        token = self.peek()
        if token is None:
            raise TemplateFault("unexpected end of the template", len(self.lexer.text))
        return token

    def take(self) -> Token:
        """Take a token that must be there."""
        token = self.expect_token()
        self.next()
        return token

    def skip(self, kind: str, text: str | None = None) -> bool:
        """Take the next token if it is of this kind and text."""
        token = self.next()
        if token is not None and token.kind == kind and (text is None or token.text == text):
            return True
        self.push(token)
        return False

    def skip_word(self, word: str) -> bool:
        """Take the next token if it is this name."""
        return self.skip("symbol", word)

    def fail(self, reason: str, token: Token | None = None) -> TemplateFault:
        """Return the fault at a token."""
        token = token or self.peek()
        return TemplateFault(reason, token.offset if token else len(self.lexer.text))

    def end_tag(self, name: str | None = None) -> None:
        """Take the end of a block tag, after its name where none is stated."""
        if name is None:
            token = self.expect_token()
            if token.kind != "symbol":
                raise self.fail("expected the name of a tag", token)
            name = self.take().text
        end = self.next()
        if end is None or end.kind != "block-end":
            raise self.fail(f"expected block end in {name} statement", end)
        self.drops_blanks = self.drops_blanks or end.text.startswith("-")

    def parse_until(self, *stops: str) -> list[nodes.Node]:
        """Return statements up to one of these tags, whose name is the next token."""
        outer, self.stops = self.stops, stops
        body = self.parse_nodes()
        self.stops = outer
        return body

    def parse_nodes(self) -> list[nodes.Node]:
        """Return statements up to a tag in `stops` or the end."""
        body: list[nodes.Node] = []
        while (token := self.next()) is not None:
            if token.kind == "data":
                body.append(self.trim_data(token))
            elif token.kind == "block-start":
                self.drops_blanks = False
                statement = self.parse_statement()
                if statement is None:
                    break
                body.append(statement)
            elif token.kind == "variable-start":
                expression = self.parse_value()
                end = self.next()
                if end is None or end.kind != "variable-end":
                    raise self.fail("expected variable end", end)
                self.drops_blanks = end.text.startswith("-")
                body.append(nodes.Output(token.offset, expression))
            elif token.kind == "comment":
                self.drops_blanks = token.text[-3:-2] == "-"
            else:
                raise self.fail(f"unexpected {token.kind} at top level", token)
        return body

    def trim_data(self, token: Token) -> nodes.Data:
        """Return text without the blanks that a `-` before or after it removes."""
        text, offset = token.text, token.offset
        following = self.peek()
        if self.drops_blanks:
            text = text.lstrip(SPACES)
            offset += len(token.text) - len(text)
            self.drops_blanks = False
        starts = following is not None and following.kind in ("block-start", "variable-start", "comment")
        if following is not None and starts and following.text[2:3] == "-":
            text = text.rstrip(SPACES)
        return nodes.Data(offset, text)

    def parse_statement(self) -> nodes.Node | None:
        """Return the statement of a block tag, None for one that ends the block at hand."""
        token = self.expect_token()
        if token.kind != "symbol":
            raise self.fail("tag name expected", token)
        name = token.text
        if name in self.stops:
            return None
        if name in ("raw", "verbatim"):
            return self.parse_raw(name)
        if name in OTHER_FILES:
            raise refuse_unknown(f"the tag {name}, which reads another file,", token.offset)
        if name in ASYNC:
            raise refuse_unknown(f"the tag {name}", token.offset)
        parsers = {
            "if": self.parse_if,
            "for": self.parse_for,
            "set": self.parse_set,
            "macro": self.parse_macro,
            "call": self.parse_call,
            "filter": self.parse_filter_block,
            "switch": self.parse_switch,
            "block": self.parse_block,
        }
        if name not in parsers:
            raise self.fail(f"unknown block tag: {name}", token)
        return parsers[name]()

    def parse_raw(self, name: str) -> nodes.Node:
        """Return the text up to the end tag as it stands; without an end tag, what follows is read as usual."""
        self.end_tag()
        lexer, start, level = self.lexer, self.lexer.at, 1
        end = start
        while level and (mark := RAW_ENDS[name].search(lexer.text, lexer.at)):
            level += 1 if mark.group(1) == name else -1
            end = mark.end() if level else mark.start()
            lexer.at = mark.end()
        return nodes.Data(start, lexer.text[start:end])

    def parse_if(self) -> nodes.Node:
        """Return if, elif and else as nested choices."""
        tag = self.take()
        condition = self.parse_value()
        self.end_tag(tag.text)
        body = self.parse_until("elif", "elseif", "else", "endif")
        token = self.peek()
        if token is None:
            raise self.fail("expected elif, else, or endif, got end of file")
        if token.text in ("elif", "elseif"):
            return nodes.If(tag.offset, condition, body, [self.parse_if()])
        other: list[nodes.Node] = []
        self.end_tag()
        if token.text == "else":
            other = self.parse_until("endif")
            self.end_tag()
        return nodes.If(tag.offset, condition, body, other)

    def parse_for(self) -> nodes.Node:
        """Return a loop."""
        tag = self.take()
        names = [self.parse_name("a variable name is expected for the loop")]
        while self.skip("comma"):
            names.append(self.parse_name("a variable name is expected for the loop"))
        if not self.skip_word("in"):
            raise self.fail('expected "in" keyword for loop', tag)
        over = self.parse_value()
        self.end_tag(tag.text)
        body = self.parse_until("endfor", "else")
        other: list[nodes.Node] = []
        if self.skip_word("else"):
            self.end_tag("else")
            other = self.parse_until("endfor")
        self.end_tag()
        return nodes.For(tag.offset, names, over, body, other)

    def parse_name(self, otherwise: str) -> str:
        """Take a plain name."""
        token = self.peek()
        node = self.parse_primary()
        if not isinstance(node, nodes.Symbol):
            raise self.fail(otherwise, token)
        return node.name

    def parse_set(self) -> nodes.Node:
        """Return an assignment of a value or of a block."""
        tag = self.take()
        names = [self.parse_name("set expects a name")]
        while self.skip("comma"):
            names.append(self.parse_name("set expects a name"))
        if self.skip("operator", "="):
            value = self.parse_value()
            self.end_tag(tag.text)
            return nodes.Set(tag.offset, names, value)
        if not self.skip("block-end"):
            raise self.fail("expected = or block end in set tag", tag)
        body = self.parse_until("endset")
        self.end_tag()
        return nodes.Set(tag.offset, names, nodes.Capture(tag.offset, body))

    def parse_macro(self) -> nodes.Node:
        """Return the definition of a macro."""
        tag = self.take()
        name = self.take()
        if name.kind != "symbol":
            raise self.fail("a macro needs a name", name)
        args, defaults = self.parse_parameters(self.parse_arguments())
        self.end_tag(tag.text)
        body = self.parse_until("endmacro")
        self.end_tag()
        return nodes.Macro(tag.offset, name.text, args, defaults, body)

    def parse_parameters(self, written: list[nodes.Node]) -> tuple[list[str], list[tuple[str, nodes.Node]]]:
        """Return the names of a macro's arguments, and those with a default."""
        defaults: list[tuple[str, nodes.Node]] = []
        if written and isinstance(written[-1], nodes.DictOf):
            defaults = written.pop().pairs  # type: ignore[attr-defined]
        args = [node.name for node in written if isinstance(node, nodes.Symbol)]
        if len(args) < len(written):
            raise self.fail("an argument of a macro must be a name")
        return args, defaults

    def parse_call(self) -> nodes.Node:
        """Return a call block: its body is the `caller` of the macro."""
        tag = self.take()
        has_arguments = self.expect_token().kind == "left-paren"
        args, defaults = self.parse_parameters(self.parse_arguments() if has_arguments else [])
        macro = self.parse_primary()
        if not isinstance(macro, nodes.Call):
            raise self.fail("a call block needs a call", tag)
        self.end_tag(tag.text)
        body = self.parse_until("endcall")
        self.end_tag()
        last = macro.args[-1] if macro.args else None
        if isinstance(last, nodes.DictOf) and last.keywords:
            keywords = last
        else:
            keywords = None
        if keywords is None:
            keywords = nodes.DictOf(tag.offset, [], keywords=True)
            macro.args.append(keywords)
        keywords.pairs.append(("caller", nodes.Macro(tag.offset, "", args, defaults, body)))
        return nodes.Output(tag.offset, macro)

    def parse_filter_block(self) -> nodes.Node:
        """Return a filter over what a block writes."""
        tag = self.take()
        name, offset = self.parse_filter_name()
        args = self.parse_filter_arguments(nodes.Symbol(offset, name))
        self.end_tag(tag.text)
        body = self.parse_until("endfilter")
        self.end_tag()
        return nodes.Output(offset, nodes.Filter(offset, name, [nodes.Capture(offset, body), *args]))

    def parse_switch(self) -> nodes.Node:
        """Return the cases of a switch; what stands before the first case is not written."""
        tag = self.take()
        subject = self.parse_value()
        self.end_tag("switch")
        self.parse_until("case", "default", "endswitch")
        cases: list[tuple[nodes.Node, list[nodes.Node]]] = []
        if not self.skip_word("case"):
            raise self.fail("a switch without a case", tag)
        while True:
            condition = self.parse_value()
            self.end_tag("case")
            cases.append((condition, self.parse_until("case", "default", "endswitch")))
            if not self.skip_word("case"):
                break
        default = None
        token = self.expect_token()
        self.end_tag()
        if token.text == "default":
            default = self.parse_until("endswitch")
            self.end_tag()
        return nodes.Switch(tag.offset, subject, cases, default)

    def parse_block(self) -> nodes.Node:
        """Return a named block."""
        tag = self.take()
        name = self.parse_name("a block needs a name")
        self.end_tag(tag.text)
        body = self.parse_until("endblock")
        self.skip_word("endblock")
        self.skip_word(name)
        self.end_tag(self.expect_token().text)
        return nodes.Block(tag.offset, name, body)

    def parse_value(self) -> nodes.Node:
        """Return an expression, arranged as JavaScript groups it."""
        return arrange(self.parse_expression())

    def parse_expression(self) -> nodes.Node:
        """Return `body if condition else other`, or less."""
        node = self.parse_or()
        if not self.skip_word("if"):
            return node
        condition = self.parse_or()
        other: nodes.Node = nodes.Literal(node.offset, "")
        if self.skip_word("else"):
            other = self.parse_or()
        return nodes.Choice(node.offset, arrange(condition), arrange(node), arrange(other))

    def parse_or(self) -> nodes.Node:
        """Return expressions joined by `or`."""
        node = self.parse_and()
        while self.skip_word("or"):
            node = nodes.Binary(node.offset, "||", node, self.parse_and())
        return node

    def parse_and(self) -> nodes.Node:
        """Return expressions joined by `and`."""
        node = self.parse_not()
        while self.skip_word("and"):
            node = nodes.Binary(node.offset, "&&", node, self.parse_not())
        return node

    def parse_not(self) -> nodes.Node:
        """Return `not` before an expression, or less."""
        token = self.peek()
        if token and self.skip_word("not"):
            return nodes.Unary(token.offset, "!", self.parse_not())
        return self.parse_in()

    def parse_in(self) -> nodes.Node:
        """Return `in` and `not in`."""
        node = self.parse_is()
        while True:
            token = self.next()
            inverted = token is not None and token.kind == "symbol" and token.text == "not"
            if not inverted:
                self.push(token)
            if not self.skip_word("in"):
                if inverted:
                    self.push_two(token)
                return node
            node = nodes.Binary(node.offset, "in", arrange(node), arrange(self.parse_is()))
            if inverted:
                node = nodes.Unary(node.offset, "!", node)

    def push_two(self, token: Token | None) -> None:
        """Refuse a `not` that no `in` follows: nunjucks has no place to put it back."""
        raise self.fail("unexpected not", token)

    def parse_is(self) -> nodes.Node:
        """Return a test."""
        node = self.parse_compare()
        if not self.skip_word("is"):
            return node
        inverted = self.skip_word("not")
        right = self.parse_compare()
        args: list[nodes.Node] = []
        name = "undefined"  # JavaScript's word for the name of what has none, and there is a test called so
        if isinstance(right, nodes.Filter):
            name, args = right.name, right.args
        elif isinstance(right, nodes.Call):
            args, right = right.args, right.target
        if isinstance(right, nodes.Symbol):
            name = right.name
        elif isinstance(right, nodes.Literal):
            if right.value is None:
                name = "null"
            else:
                name = format_value(right.value)
        if len(args) > 1:
            raise self.fail("a test has one argument at most")
        test = nodes.Is(node.offset, arrange(node), name, [arrange(each) for each in args])
        if inverted:
            return nodes.Unary(node.offset, "!", test)
        return test

    def parse_compare(self) -> nodes.Node:
        """Return operands and comparisons."""
        node = self.parse_binary(0)
        rest: list[tuple[str, nodes.Node]] = []
        while (token := self.next()) and token.text in COMPARISONS and token.kind == "operator":
            rest.append((token.text, self.parse_binary(0)))
        self.push(token)
        if rest:
            return nodes.Compared(node.offset, node, rest)
        return node

    def parse_binary(self, level: int) -> nodes.Node:
        """Return operands and one operator of a level, and tighter ones inside."""
        if level == len(LEVELS):
            return self.parse_unary()
        kind, text, operator = LEVELS[level]
        node = self.parse_binary(level + 1)
        while self.skip(kind, text):
            node = nodes.Binary(node.offset, operator, node, self.parse_binary(level + 1))
        return node

    def parse_unary(self, with_filters: bool = True) -> nodes.Node:
        """Return a sign and an operand, with its filters."""
        token = self.peek()
        if token and token.kind == "operator" and token.text in ("-", "+"):
            self.next()
            operand = self.parse_unary(with_filters=False)
            is_doubled = isinstance(operand, nodes.Unary) and operand.operator == token.text
            # which JavaScript takes for an increment
            if is_doubled:
                operator = token.text * 2
            else:
                operator = token.text
            node: nodes.Node = nodes.Unary(token.offset, operator, operand)
        else:
            node = self.parse_primary()
        while with_filters and self.skip("pipe"):
            name, offset = self.parse_filter_name()
            args = self.parse_filter_arguments(nodes.Symbol(offset, name))
            node = nodes.Filter(offset, name, [arrange(node), *args])
        return node

    def parse_filter_name(self) -> tuple[str, int]:
        """Return a filter's name, which may have dots, and where it stands."""
        token = self.take()
        if token.kind != "symbol":
            raise self.fail(f"expected symbol, got {token.kind}", token)
        name = token.text
        while self.skip("operator", "."):
            part = self.take()
            if part.kind != "symbol":
                raise self.fail(f"expected symbol, got {part.kind}", part)
            name += f".{part.text}"
        return name, token.offset

    def parse_filter_arguments(self, name: nodes.Node) -> list[nodes.Node]:
        """Return the arguments of a filter."""
        if self.expect_token().kind != "left-paren":
            return []
        call = self.parse_postfix(name)
        if not isinstance(call, nodes.Call):
            raise self.fail("a filter's arguments must end the expression")
        return call.args

    def parse_primary(self) -> nodes.Node:
        """Return a literal, a name, or something in brackets, and what follows it."""
        token = self.take()
        node: nodes.Node
        if token.kind == "string":
            node = nodes.Literal(token.offset, token.text)
        elif token.kind == "int":
            node = nodes.Literal(token.offset, import_integer(int(token.text[:400])))
        elif token.kind == "float":
            node = nodes.Literal(token.offset, float(token.text))
        elif token.kind == "boolean":
            node = nodes.Literal(token.offset, token.text == "true")
        elif token.kind == "none":
            node = nodes.Literal(token.offset, None)
        elif token.kind == "symbol":
            node = nodes.Symbol(token.offset, token.text)
        else:
            node = self.parse_aggregate(token)
        return self.parse_postfix(node)

    def parse_postfix(self, node: nodes.Node) -> nodes.Node:
        """Return an operand with its calls and members."""
        while token := self.peek():
            if token.kind == "left-paren":
                node = nodes.Call(token.offset, node, self.parse_arguments())
            elif token.kind == "left-bracket":
                items = self.parse_aggregate(self.take())
                if not isinstance(items, nodes.ListOf) or len(items.items) != 1:
                    raise self.fail("invalid index", token)
                node = nodes.Member(token.offset, node, items.items[0])
            elif token.kind == "operator" and token.text == ".":
                self.next()
                name = self.take()
                if name.kind != "symbol":
                    raise self.fail(f"expected name as lookup value, got {name.text}", name)
                node = nodes.Member(token.offset, node, nodes.Literal(name.offset, name.text))
            else:
                break
        return node

    def parse_aggregate(self, token: Token) -> nodes.Node:
        """Return what stands in brackets, the first of which was taken."""
        if token.kind not in ("left-paren", "left-bracket", "left-curly"):
            raise self.fail(f"unexpected token: {token.text}", token)
        items: list[nodes.Node] = []
        pairs: list[tuple[str, nodes.Node]] = []
        while self.expect_token().kind not in CLOSERS:
            if (items or pairs) and not self.skip("comma"):
                raise self.fail("expected comma after expression", token)
            if token.kind != "left-curly":
                items.append(self.parse_value())
                continue
            key = self.parse_primary()
            if not self.skip("colon"):
                raise self.fail("expected colon after dict key", token)
            pairs.append((self.get_key(key), self.parse_value()))
        self.next()
        if token.kind == "left-curly":
            return nodes.DictOf(token.offset, pairs)
        if token.kind == "left-bracket":
            return nodes.ListOf(token.offset, items)
        if not items:
            raise self.fail("empty parentheses", token)
        return nodes.Group(token.offset, items)

    def get_key(self, node: nodes.Node) -> str:
        """Return the key of a pair: a name or a text."""
        if isinstance(node, nodes.Symbol):
            return node.name
        if isinstance(node, nodes.Literal) and isinstance(node.value, str):
            return node.value
        raise TemplateFault("keys of a dict must be texts or names", node.offset)

    def parse_arguments(self) -> list[nodes.Node]:
        """Return the arguments of a call, the named ones last and in one."""
        token = self.expect_token()
        if token.kind != "left-paren":
            raise self.fail("expected arguments", token)
        self.next()
        args: list[nodes.Node] = []
        keywords: list[tuple[str, nodes.Node]] = []
        needs_comma = False
        while self.expect_token().kind != "right-paren":
            if needs_comma and not self.skip("comma"):
                raise self.fail("expected comma after expression", token)
            arg = self.parse_value()
            if self.skip("operator", "="):
                keywords.append((self.get_key(arg), self.parse_value()))
            else:
                args.append(arg)
            needs_comma = True
        self.next()
        if keywords:
            args.append(nodes.DictOf(token.offset, keywords, keywords=True))
        return args

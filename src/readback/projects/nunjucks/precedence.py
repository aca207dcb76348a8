"""Group operators as JavaScript does: nunjucks writes them in a row, without parentheses.

So `not a == b` is `(!a) == b`, and `"a" + 1 - 1` is `("a" + 1) - 1`. `//`, `**`, `in` and tests become calls, whose
operands are grouped for themselves. `~` is `+ "" +`.
"""

from __future__ import annotations

from readback.projects.nunjucks import nodes

STRENGTH = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "===": 3, "!==": 3, "<": 4, ">": 4, "<=": 4, ">=": 4,
    "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}  # fmt: skip
IN_A_ROW = frozenset((*STRENGTH, "~"))

Part = str | nodes.Node


def arrange(node: nodes.Node) -> nodes.Node:
    """Return an expression with its operators grouped anew."""
    if not isinstance(node, nodes.Binary | nodes.Compared | nodes.Unary):
        return node
    return _Row(write_row(node), node.offset).group(0)


def write_row(node: nodes.Node) -> list[Part]:
    """Return operands and operators as nunjucks writes them."""
    if isinstance(node, nodes.Unary):
        return [f"u{node.operator}", *write_row(node.operand)]
    if isinstance(node, nodes.Compared):
        row = write_row(node.first)
        for operator, right in node.rest:
            row += [operator, *write_row(right)]
        return row
    if not isinstance(node, nodes.Binary):
        return [*_write_test(node)]
    if node.operator == "~":
        return [*write_row(node.left), "+", nodes.Literal(node.offset, ""), "+", *write_row(node.right)]
    if node.operator in IN_A_ROW:
        return [*write_row(node.left), node.operator, *write_row(node.right)]
    if node.operator == "floor":
        quotient = _Row([*write_row(node.left), "/", *write_row(node.right)], node.offset).group(0)
        return [nodes.Binary(node.offset, "floor", quotient, nodes.Literal(node.offset, 1.0))]
    return [nodes.Binary(node.offset, node.operator, arrange(node.left), arrange(node.right))]


def _write_test(node: nodes.Node) -> list[Part]:
    """Return a test as `call === true`."""
    if isinstance(node, nodes.Is):
        return [node, "===", nodes.Literal(node.offset, True)]
    return [node]


class _Row:
    """Operands and operators in a row, read from the left."""

    def __init__(self, parts: list[Part], offset: int) -> None:
        self.parts, self.offset, self.at = parts, offset, 0

    def group(self, strength: int) -> nodes.Node:
        """Return what operators stronger than `strength` hold together."""
        left = self.read_operand()
        while self.at < len(self.parts):
            operator = str(self.parts[self.at])
            if STRENGTH[operator] <= strength:
                break
            self.at += 1
            left = nodes.Binary(left.offset, operator, left, self.group(STRENGTH[operator]))
        return left

    def read_operand(self) -> nodes.Node:
        """Return one operand with the signs before it."""
        part = self.parts[self.at]
        self.at += 1
        if isinstance(part, str):
            return nodes.Unary(self.offset, part[1:], self.read_operand())
        return part

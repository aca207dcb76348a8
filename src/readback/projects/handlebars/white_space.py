"""Take away the white space around tags: at a tilde, and around block tags that stand alone on their lines.

The rules are those of Handlebars 4.7: a block tag, a comment or a partial with nothing but blanks around it on its line
takes the line away, and a partial hands the blanks before it on as its indentation.
"""

from __future__ import annotations

from readback.projects.handlebars.nodes import Block, Comment, Content, Mustache, Partial, Program, Statement, Strip
from readback.projects.javascript_text import SPACES


def remove_white_space(program: Program) -> None:
    """Take away the white space around the tags of a whole template."""
    _walk(program, is_root=True)


def _walk(program: Program, is_root: bool = False) -> None:
    body = program.body
    for at, node in enumerate(body):
        if isinstance(node, Content):
            continue
        strip, opens_line, closes_line, is_inline = _measure(node)
        before, after = _is_blank_before(body, at, is_root), _is_blank_after(body, at, is_root)
        if strip.close:
            _cut_right(body, at, whole=True)
        if strip.open:
            _cut_left(body, at, whole=True)
        if is_inline and before and after:
            _cut_right(body, at)
            if _cut_left(body, at) and isinstance(node, Partial):
                _indent_partial(node, body[at - 1])
        if isinstance(node, Block | Partial):
            first, last = _get_ends(node)
            if opens_line and before:
                _cut_right(first.body, None)
                _cut_left(body, at)
            if closes_line and after:
                _cut_right(body, at)
                _cut_left(last.body, None)


def _get_ends(node: Block | Partial) -> tuple[Program, Program]:
    if isinstance(node, Partial):
        program = node.program or Program([])
        return program, program
    first, last = node.program or node.inverse, node.inverse or node.program
    return first or Program([]), last or Program([])


def _indent_partial(partial: Partial, before: Statement) -> None:
    if isinstance(before, Content):
        partial.indent = before.original[len(before.original.rstrip(" \t")) :]


def _measure(node: Statement) -> tuple[Strip, bool, bool, bool]:
    """Return the tildes of a node, whether its tags stand on lines of their own inside, and whether it may as a whole.

    What is inside of a block is walked through first.
    """
    if isinstance(node, Mustache):
        return node.strip, False, False, False
    if isinstance(node, Comment) or (isinstance(node, Partial) and node.program is None):
        return node.strip, False, False, True
    if isinstance(node, Block):
        return _measure_block(node)
    if isinstance(node, Partial) and node.program is not None:
        _walk(node.program)
        return _measure_ends(node.program, node.program, None, node.strip, Strip(), node.close_strip)
    return Strip(), False, False, False


def _measure_block(block: Block) -> tuple[Strip, bool, bool, bool]:
    for program in (block.program, block.inverse):
        if program is not None:
            _walk(program)
    program = block.program or block.inverse or Program([])
    if block.program is not None:
        inverse = block.inverse
    else:
        inverse = None
    first = last = inverse
    if inverse is not None and inverse.is_chained:
        chained = inverse.body[0]
        if isinstance(chained, Block):
            first = chained.program
        while last is not None and last.is_chained:
            deeper = last.body[-1]
            if isinstance(deeper, Block):
                last = deeper.program
            else:
                last = None
    return _measure_ends(program, first or program, last, block.open_strip, block.inverse_strip, block.close_strip)


def _measure_ends(
    program: Program, first: Program, last: Program | None, opening: Strip, middle: Strip, closing: Strip
) -> tuple[Strip, bool, bool, bool]:
    """`first` is where the stretch for `else` begins, `last` where it ends; without one `last` is None."""
    strip = Strip(opening.open, closing.close)
    opens_line, closes_line = _is_blank_after(program.body, -1), _is_blank_before(first.body, len(first.body))
    if opening.close:
        _cut_right(program.body, None, whole=True)
    if last is None:
        if closing.open:
            _cut_left(program.body, None, whole=True)
        return strip, opens_line, closes_line, False
    if middle.open:
        _cut_left(program.body, None, whole=True)
    if middle.close:
        _cut_right(first.body, None, whole=True)
    if closing.open:
        _cut_left(last.body, None, whole=True)
    if _is_blank_before(program.body, len(program.body)) and _is_blank_after(first.body, -1):
        _cut_left(program.body, None)
        _cut_right(first.body, None)
    return strip, opens_line, closes_line, False


def _is_blank_before(body: list[Statement], at: int, is_root: bool = False) -> bool:
    """Whether nothing but blanks stands before a place on its line."""
    before = body[at - 1] if at >= 1 else None
    if before is None:
        return is_root
    if not isinstance(before, Content):
        return False
    blanks = before.original[len(before.original.rstrip(SPACES)) :]
    return "\n" in blanks or (is_root and at == 1 and blanks == before.original)


def _is_blank_after(body: list[Statement], at: int, is_root: bool = False) -> bool:
    """Whether nothing but blanks stands after a place on its line."""
    if at + 1 < len(body):
        after = body[at + 1]
    else:
        after = None
    if after is None:
        return is_root
    if not isinstance(after, Content):
        return False
    blanks = after.original[: len(after.original) - len(after.original.lstrip(SPACES))]
    return "\n" in blanks or (is_root and at + 2 == len(body) and blanks == after.original)


def _cut_right(body: list[Statement], at: int | None, whole: bool = False) -> None:
    """Take the blanks and their line's end, or all white space, from the text after a place, or from the first."""
    where = 0 if at is None else at + 1
    node = body[where] if where < len(body) else None
    if not isinstance(node, Content) or (not whole and node.right_stripped):
        return
    if whole:
        cut = node.value.lstrip(SPACES)
    else:
        cut = node.value.lstrip(" \t")
        if cut.startswith("\r\n"):
            cut = cut.removeprefix("\r\n")
        else:
            cut = cut.removeprefix("\n")
    node.right_stripped = cut != node.value
    node.value = cut


def _cut_left(body: list[Statement], at: int | None, whole: bool = False) -> bool:
    """Take the blanks, or all white space, from the end of the text before a place, or of the last."""
    where = len(body) - 1 if at is None else at - 1
    node = body[where] if where >= 0 else None
    if not isinstance(node, Content) or (not whole and node.left_stripped):
        return False
    cut = node.value.rstrip(SPACES if whole else " \t")
    node.left_stripped = cut != node.value
    node.value = cut
    return node.left_stripped

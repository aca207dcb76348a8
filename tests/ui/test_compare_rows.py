"""Two texts as rows: nothing is lost, lines are beside each other, and what is equal is folded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from readback.compare.texts import list_changes
from readback.types import Segment
from readback.ui.prompts.two_texts.compare_rows import LINES, NEAR, WORTH, Fold, Part, Row, rows
from readback.ui.prompts.two_texts.compare_text import Text, inline, side_by_side

LINE = "a line that is the same on both sides\n"
texts = some.text(alphabet="ab \n\r\té", max_size=60)
longer = some.lists(some.sampled_from([LINE * 9, "one ", "two\n", "three", "\n", "x" * 300]), max_size=8).map("".join)


def made(a: str, b: str, whole: bool = False) -> list[Row | Fold]:
    return list(rows(a, b, list_changes(a, b), whole=whole))


def parts(found: list[Row | Fold]) -> list[Part]:
    return [part for one in found for part in ((one.part,) if isinstance(one, Fold) else one.parts)]


@given(texts | longer, texts | longer, some.booleans())
def test_the_rows_cover_both_texts_exactly(a: str, b: str, whole: bool) -> None:
    found = parts(made(a, b, whole))
    assert a == "".join(a[slice(*part.a)] for part in found)
    assert b == "".join(b[slice(*part.b)] for part in found)
    assert all(a[slice(*part.a)] == b[slice(*part.b)] for part in found if not part.number)


@given(texts | longer, texts | longer)
def test_differences_are_counted_from_one_in_the_order_of_the_text(a: str, b: str) -> None:
    numbers = [part.number for part in parts(made(a, b)) if part.number]
    assert list(range(1, len(numbers) + 1)) == numbers


@given(texts | longer, texts | longer)
def test_a_row_with_a_line_number_begins_a_line(a: str, b: str) -> None:
    for row in (one for one in made(a, b) if isinstance(one, Row)):
        for text, line, start in ((a, row.line_a, row.parts[0].a[0]), (b, row.line_b, row.parts[0].b[0])):
            assert line in (0, text.count("\n", 0, start) + 1)
            assert bool(line) == (start == 0 or text[start - 1] == "\n")


@given(texts | longer)
def test_a_whole_view_folds_nothing(a: str) -> None:
    assert not [one for one in made(a, f"x{a}", whole=True) if isinstance(one, Fold)]


def test_what_is_equal_is_folded_but_for_the_lines_near_a_change() -> None:
    a, b = LINE * 30 + "one\n" + LINE * 30, LINE * 30 + "two\n" + LINE * 30
    before, above, row, below, after = made(a, b)
    assert isinstance(before, Fold)
    assert before.lines == 30 - LINES
    assert [a[slice(*part.a)] for part in parts([row])] == ["one", "\n"]
    assert [sum(a.count("\n", *part.a) for part in parts([near])) for near in (above, below)] == [LINES, LINES - 1]
    assert isinstance(after, Fold)


def test_a_long_line_without_an_end_is_folded_at_a_blank() -> None:
    text = "word " * 400
    found = made(f"{text}one", f"{text}two")
    assert isinstance(found[0], Fold)
    assert text[found[0].part.a[1] - 1] == " "
    assert NEAR >= len(text) - found[0].part.a[1] > 0


def test_little_that_is_equal_is_not_worth_a_fold() -> None:
    assert not [
        one for one in made(f"one {'x' * (WORTH - 50)} two", f"1 {'x' * (WORTH - 50)} 2") if isinstance(one, Fold)
    ]


def test_a_line_that_is_only_on_one_side_leaves_the_next_lines_beside_each_other() -> None:
    found = [one for one in made("a\nb\nc\n", "a\nnew\nb\nc\n") if isinstance(one, Row)]
    assert [(one.line_a, one.line_b) for one in found] == [(1, 1), (2, 2), (2, 3)]


def test_the_html_of_a_column_holds_the_text_and_marks_what_changed() -> None:
    def describe(segment: Segment) -> str:
        return segment.name or ""

    a = Text([Segment("You are ", "system", "s"), Segment("<b>", "variable", "v")], describe, False)
    b = Text([Segment("You are <i>", "template", "t")], describe, False)
    found = made(a.text, b.text)
    said = side_by_side(a, b, found)
    assert '<del class="rb-del" data-rb-change="1" tabindex="-1">' in said
    assert '<ins class="rb-ins"' in said
    assert "&lt;</span>" in said
    assert "<i>" not in said
    assert 'data-from="A: v; B: t"' in inline(a, b, found)


def test_a_difference_in_blanks_alone_is_drawn() -> None:
    a, b = (Text([Segment(text, "template")], lambda one: "", False) for text in ("Answer:\n", "Answer:"))
    assert "rb-nl" in side_by_side(a, b, made(a.text, b.text))

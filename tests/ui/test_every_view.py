"""Prompts, every mode and adapter of a record: each distinct text once, with its first differing line in view."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from looking import drawn, page, said, words
from streamlit.testing.v1 import AppTest

from readback.checks.run.prompt_lengths import EXCERPT, Excerpt
from readback.types import Segment
from readback.ui.prompts.every.cut import LINES, cut

Serve = Callable[[Mapping[str, Any]], Path]
MISTAKES = {"workspace": "six-conditions-mistakes"}
MODES = [
    {"mode": "plain", "template": "Question: {{ q }}\nAnswer:\n\n", "system": "You are x."},
    {"mode": "kind", "template": "Question: {{ q }}\nAnswer:", "system": "You are x."},
    {"mode": "same", "template": "Question: {{ q }}\nAnswer:", "system": "You are x."},
    {"mode": "bare", "template": "Answer {{ q }}"},
]


def three(*modes: Mapping[str, Any], rows: str = '{"id": "r1", "q": "one"}\n') -> Mapping[str, Any]:
    return {"readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": [*modes]}, "d.jsonl": rows}


def every(**params: str) -> AppTest:
    """The view, once every cell of it is built: a busy machine has some that are late."""
    test = page("prompts", **{"view": "every", **params})
    while "grid_go_on" in {button.key for button in test.button}:
        test = drawn(test.button(key="grid_go_on").click().run())
    return test


def cells(test: AppTest) -> dict[str, list[str]]:
    """The markup of the cells by the name of their row."""
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', said(test), re.DOTALL)
    return {html.unescape(name): re.findall(r"<td(.*?)</td>", row, re.DOTALL) for name, row in rows}


def texts(cell: str) -> list[str]:
    """The texts of a cell's messages as a browser has them."""
    messages = cell.split('<div class="rb-every-message"')[1:]
    parts = (re.findall(r'<div class="rb-exact[^"]*"[^>]*>(.*?)</div>', message, re.DOTALL) for message in messages)
    return [html.unescape(re.sub(r"<[^>]+>", "", "".join(part))) for part in parts]


def marked(cell: str) -> list[str]:
    return [
        html.unescape(re.sub(r"<[^>]+>", "", mark))
        for mark in re.findall(r'<mark class="rb-first-differs"[^>]*>(.*?)</mark>', cell, re.DOTALL)
    ]


def link(cell: str, label: str) -> dict[str, str]:
    """The parameters of the link in a cell that is read out so."""
    match = re.search(rf'href="([^"]*)"[^>]*aria-label="{re.escape(html.escape(label))}"', cell)
    assert match, label
    return {key: value[0] for key, value in parse_qs(urlsplit(html.unescape(match[1])).query).items()}


def test_each_distinct_text_is_shown_once_exactly_and_the_others_name_it(serving: Serve) -> None:
    serving(three(*MODES))
    table = cells(every())
    assert texts(table["Mode: plain"][0]) == ["You are x.", "Question: one\nAnswer:\n"]
    assert texts(table["Mode: kind"][0]) == ["You are x.", "Question: one\nAnswer:"]
    assert texts(table["Mode: same"][0]) == []
    assert "Same text as" in table["Mode: same"][0]
    assert 'data-rb-to="cell-1-0">Mode: kind</a>' in table["Mode: same"][0]


def test_the_first_line_that_differs_is_marked_and_said(serving: Serve) -> None:
    serving(three(*MODES))
    table = cells(every())
    assert marked(table["Mode: plain"][0]) == []
    assert marked(table["Mode: kind"][0]) == ["Answer:"]
    assert "differs from the first text in spaces or line ends" in table["Mode: kind"][0]
    assert marked(table["Mode: bare"][0]) == ["Answer one"]
    assert "System message: only the first text has one." in table["Mode: bare"][0]


def test_a_cell_opens_in_one_and_becomes_b(serving: Serve) -> None:
    serving(three(*MODES))
    table = cells(every(mode="plain"))
    opened = link(table["Mode: kind"][0], "Open Mode: kind")
    assert (opened["mode"], opened.get("view")) == ("kind", None)
    compared = link(table["Mode: kind"][0], "Compare Mode: kind with Mode: plain")
    assert (compared["view"], compared["mode"], compared["b_mode"]) == ("difference", "plain", "kind")
    assert "this is A" in table["Mode: plain"][0]


def test_rows_are_conditions_columns_adapters_and_findings_are_counted_in_each_cell() -> None:
    test = every(**MISTAKES, record="ellery-03")
    table = cells(test)
    assert len(table) == 11
    row = table["base, closed book"]
    assert ["Same text as" in cell for cell in row] == [False, True, True, False]
    assert ">No adapter</a>" in row[1]
    assert "Keep the answer under 60 words." in texts(row[3])[0]
    opened = link(table["base, open book"][3], "Open base, open book, through gateway")
    assert (opened["condition"], opened["adapter"]) == ("base, open book", "gateway")
    assert "2 errors" in table["mistake 1: system text in the question"][0]
    assert "is planned through an adapter" in table["RAG-trained, open book, through the gateway"][0]
    assert not re.search(r"\bText \d", words(test))


def test_what_cannot_be_built_says_so_beside_the_others(serving: Serve) -> None:
    serving(three(MODES[0], {"mode": "broken", "template": "{% for %}"}))
    table = cells(every())
    assert "cannot be built" in table["Mode: broken"][0]
    assert texts(table["Mode: plain"][0])


def test_an_axis_of_one_and_a_single_text(serving: Serve) -> None:
    serving(three(MODES[0]))
    test = every()
    assert "No adapter" not in said(test)
    assert texts(cells(test)["Mode: plain"][0]) == ["You are x.", "Question: one\nAnswer:\n"]


def test_many_rows_come_a_page_at_a_time(serving: Serve) -> None:
    modes = [{"mode": f"m{n:02}", "template": f"{n % 3} {{{{ q }}}}"} for n in range(96)]
    serving(
        {
            **three(),
            "readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": modes, "adapters": ["langchain", "manual"]},
        }
    )
    test = every()
    assert "Rows 1 to 24 of 96" in said(test)
    test = drawn(test.button(key="rows_later").click().run())
    assert test.query_params["rows"] in ("24", ["24"])
    assert "Mode: m24" in said(test)


def test_a_record_of_two_megabytes_is_shown_around_its_first_difference_with_a_link_to_the_rest(serving: Serve) -> None:
    row = json.dumps({"id": "r1", "q": "word " * 400_000}) + "\n"
    modes = [{"mode": "a", "template": "{{ q }}\nShort."}, {"mode": "b", "template": "{{ q }}\nLong."}]
    serving(three(*modes, rows=row))
    test = every()
    table = cells(test)
    assert marked(table["Mode: b"][0]) == ["Long."]
    assert len(said(test)) < 200_000
    assert "See the whole text" in table["Mode: b"][0]


@pytest.mark.parametrize("name", ["א" * 150 + " نص", "n" * 300])
def test_names_and_texts_of_any_length_and_direction(serving: Serve, name: str) -> None:
    modes = [{"mode": name, "template": "שלום {{ q }} <b>\u202e x"}, {"mode": "b", "template": "שלום {{ q }}"}]
    serving(three(*modes))
    table = cells(every())
    assert texts(table[f"Mode: {name}"][0]) == ["שלום one <b>\u202e x"]


def excerpt(text: str, differs: int | None = None) -> Excerpt:
    return Excerpt("user", (Segment(text, "template"),), 0, len(text), text.count("\n") + 1, differs)


def test_thirty_lines_are_whole_and_of_more_the_difference_is_in_view() -> None:
    short = "".join(f"line {n}\n" for n in range(LINES - 1))
    assert [piece.visible for piece in cut((excerpt(short),))] == [(0, len(short))]
    long = "".join(f"line {n}\n" for n in range(500))
    (first,) = cut((excerpt(long),))
    assert long[slice(*first.visible)].count("\n") == LINES
    (piece,) = cut((excerpt(long, long.index("line 400\n") + 5),))
    assert long[slice(*piece.visible)].startswith("line 397\n")
    assert piece.marked is not None
    assert long[slice(*piece.marked)] == "line 400\n"


def test_lines_without_an_end_are_cut_too() -> None:
    text = "word " * (EXCERPT // 5)
    (piece,) = cut((excerpt(text, 9_000),))
    assert piece.marked is not None
    assert piece.visible[0] <= piece.marked[0] < piece.marked[1] <= piece.visible[1]
    assert piece.visible[1] - piece.visible[0] <= 31 * 100

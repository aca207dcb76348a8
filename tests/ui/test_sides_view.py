"""Prompts, side by side: two to four texts of a record in level columns, differences against the first."""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import page, said, words
from streamlit.testing.v1 import AppTest

from readback.compare.texts import compare_texts
from readback.ui.prompts.sides.rows import Other, align

Serve = Callable[[Mapping[str, Any]], Path]
SIX = {"workspace": "six-conditions-mistakes"}
MODES = [
    {"mode": "plain", "template": "Question: {{ q }}\nAnswer:", "system": "You are x."},
    {"mode": "kind", "template": "Question: {{ q }}\nPlease answer:", "system": "You are x."},
    {"mode": "same", "template": "Question: {{ q }}\nAnswer:", "system": "You are x."},
    {"mode": "bare", "template": "Question: {{ q }}\nAnswer: "},
]


def serve(serving: Serve, *modes: Mapping[str, Any], rows: str = '{"id": "r1", "q": "one"}\n') -> None:
    serving({"readback.yml": {"dataset": {"path": "d.jsonl"}, "modes": [*modes]}, "d.jsonl": rows})


def sides(**params: str) -> AppTest:
    return page("prompts", **{"view": "sides", **params})


def column(test: AppTest, number: int) -> list[str]:
    """The texts of a column, one for each message, as a browser has them."""
    messages = said(test).split('<div class="rb-diff')[1:]
    cells = (re.findall(rf'data-column="{number}"[^>]*>(.*?)</div>', message, re.DOTALL) for message in messages)
    return [html.unescape(re.sub(r"<[^>]+>", "", "".join(parts))) for parts in cells]


def heads(test: AppTest) -> list[list[str]]:
    """The names above each column."""
    parts = re.findall(r'<p class="rb-side-name">(.*?)</p>', said(test), re.DOTALL)
    return [[html.unescape(name) for name in re.findall(r"<strong>(.*?)</strong>", part)] for part in parts]


def marks(test: AppTest, tag: str) -> list[str]:
    return [
        html.unescape(re.sub(r"<[^>]+>", "", mark))
        for mark in re.findall(rf'<{tag} class="rb-{tag}"[^>]*>(.*?)</{tag}>', said(test), re.DOTALL)
    ]


def test_columns_are_the_exact_texts_with_words_marked_against_the_first(serving: Serve) -> None:
    serve(serving, *MODES)
    test = sides(mode="plain", **{"with": "mode:kind,mode:bare"})
    assert heads(test) == [["Mode: plain"], ["Mode: kind"], ["Mode: bare"]]
    assert column(test, 0) == ["You are x.", "Question: one\nAnswer:"]
    assert column(test, 1) == ["You are x.", "Question: one\nPlease answer:"]
    assert column(test, 2) == ["", "Question: one\nAnswer: "]
    assert "Please answer" in " ".join(marks(test, "ins"))
    assert marks(test, "del")[0] == "You are x."
    assert "missing in Mode: bare" in words(test)


def test_what_is_not_known_is_said_and_nothing_differs_from_it() -> None:
    base, trained, other = "base, open book", "RAG-trained, open book", "instruction-only, open book"
    for first, *others in ((base, trained), (trained, base), (trained, base, other)):
        names = ",".join(f'"condition:{name}"' for name in others)
        test = sides(workspace="six-conditions-mistakes", record="ellery-01", condition=first, **{"with": names})
        at = [first, *others].index(base)
        assert column(test, at)[0] == "Not known: no Modelfile of base is among the files."
        assert f"not known of {base}" in words(test)
        known = column(test, 1 if first == base else 0)[0]
        assert known.startswith("You are")
        assert known not in [*marks(test, "ins"), *(marks(test, "del") if len(others) == 1 else [])]


def test_equal_texts_are_one_column_with_all_their_names(serving: Serve) -> None:
    serve(serving, *MODES)
    test = sides(mode="plain", **{"with": "mode:same,mode:kind"})
    assert heads(test) == [["Mode: plain", "Mode: same"], ["Mode: kind"]]
    assert "2 different texts among 3" in words(test)
    alone = sides(mode="plain", **{"with": "mode:same"})
    assert heads(alone) == [["Mode: plain", "Mode: same"]]
    assert "have the same text, byte for byte" in words(alone)


def test_what_is_planned_stands_beside_it_and_the_list_is_in_the_address() -> None:
    test = sides(**SIX, record="ellery-01", condition="RAG-trained, open book")
    assert test.multiselect(key="with").value == ["condition:base, open book"]
    test.multiselect(key="with").set_value(["condition:base, closed book", "adapter:gateway"]).run()
    assert not test.exception
    link = dict(test.query_params)["with"]
    link = link if isinstance(link, str) else link[0]
    assert link == '"base, closed book",adapter:gateway'
    again = sides(**SIX, record="ellery-01", condition="RAG-trained, open book", **{"with": link})
    assert [names[0] for names in heads(again)][:2] == ["RAG-trained, open book", "base, closed book"]
    assert again.multiselect(key="with").value == ["condition:base, closed book", "adapter:gateway"]


def test_b_of_the_difference_comes_along(serving: Serve) -> None:
    serve(serving, *MODES)
    assert sides(mode="plain", b_mode="bare").multiselect(key="with").value == ["mode:bare"]


def test_where_nothing_is_planned_the_first_others_are_shown_and_unknown_names_are_left_out(serving: Serve) -> None:
    serve(serving, *MODES)
    assert sides(mode="plain").multiselect(key="with").value == ["mode:kind", "mode:same"]
    assert sides(mode="plain", **{"with": "nowhere,mode:bare"}).multiselect(key="with").value == ["mode:bare"]


def test_what_the_model_reads_is_compared_too() -> None:
    test = sides(
        **SIX,
        record="ellery-01",
        condition="RAG-trained, open book",
        layer="wire",
        **{"with": '"RAG-trained, closed book"'},
    )
    assert "One text" in words(test)
    assert len(heads(test)) == 2


def test_what_cannot_be_built_is_said_and_the_rest_is_shown(serving: Serve) -> None:
    serve(serving, MODES[0], {"mode": "broken", "template": "{% for %}"}, MODES[1])
    test = sides(mode="plain", **{"with": "mode:broken,mode:kind"})
    assert "Mode: broken could not be built" in words(test)
    assert heads(test) == [["Mode: plain"], ["Mode: kind"]]
    first = sides(mode="broken", **{"with": "mode:plain,mode:kind"})
    assert heads(first) == [["Mode: plain"], ["Mode: kind"]]
    assert "Please" in " ".join(marks(first, "ins"))


def test_one_condition_says_what_there_is_instead(serving: Serve) -> None:
    serve(serving, MODES[0])
    test = sides()
    assert "nothing can stand beside it" in words(test)
    assert column(test, 0) == ["You are x.", "Question: one\nAnswer:"]


@pytest.mark.parametrize("name", ["א" * 150 + " نص", "n" * 300])
def test_names_and_texts_of_any_length_and_direction(serving: Serve, name: str) -> None:
    modes = [{"mode": name, "template": "שלום {{ q }} <b>\u202e x"}, {"mode": "b", "template": "שלום {{ q }}"}]
    serve(serving, *modes)
    assert column(sides(), 0) == ["שלום one <b>\u202e x"]


def test_a_record_of_two_megabytes_is_folded_and_bounded(serving: Serve) -> None:
    rows = json.dumps({"id": "r1", "q": "some words in a line\n" * 100_000}) + "\n"
    serve(serving, MODES[0], MODES[1], rows=rows)
    test = sides()
    assert len(said(test)) < 200_000
    assert "too many to open here" in words(test)
    assert "Please answer" in " ".join(marks(test, "ins"))
    assert heads(test) == [["Mode: plain"], ["Mode: kind"]]


PARTS = ("alpha", "beta\n", "gamma ", "delta\n\n", " x", "\n", "y. ")


def change(base: list[str], chance: random.Random) -> str:
    parts = list(base)
    for _ in range(chance.randint(0, 4)):
        at = chance.randrange(len(parts) + 1)
        parts[at : at + chance.randint(0, 3)] = [chance.choice(PARTS) for _ in range(chance.randint(0, 3))]
    return "".join(parts)


def test_the_cells_of_a_column_are_its_text_and_equal_rows_are_equal() -> None:
    chance = random.Random(3)
    for _ in range(300):
        base = [chance.choice(PARTS) for _ in range(chance.randint(0, 60))]
        first = "".join(base)
        texts = [first, *(change(base, chance) for _ in range(chance.randint(1, 3)))]
        others = [Other(text, compare_texts(first, text).changes) for text in texts[1:]]
        rows = list(align(first, others, whole=chance.random() < 0.5))
        cells = [[[text[slice(*p.span)] for p in c] for text, c in zip(texts, row.cells, strict=True)] for row in rows]
        for number, text in enumerate(texts):
            assert "".join("".join(row[number]) for row in cells) == text
        assert all(len(set(map("".join, row))) == 1 for row, own in zip(cells, rows, strict=True) if not own.number)
        numbers = [row.number for row in rows if row.number]
        assert numbers == list(range(1, len(numbers) + 1))

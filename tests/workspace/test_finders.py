"""Searching and going to records on Messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import drawn, page, said
from streamlit.testing.v1 import AppTest
from test_editing_loop import change

from readback import workspace
from readback.checks.run import engine, finding_search
from readback.records.dataset import open_dataset
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
SIX = {"workspace": "six-conditions-mistakes"}
MODES = [{"mode": "a", "system": "Be kind.", "template": "Q: {{ q }}"}, {"mode": "b", "template": "{{ q }} {{ q }}"}]


def find(test: AppTest, text: str, button: str, **settings: Any) -> AppTest:
    test.text_input(key="find_text").set_value(text)
    for name, value in settings.items():
        (test.radio if isinstance(value, str) else test.toggle)(key=name).set_value(value)
    test.button(key=f"FormSubmitter:find_form-{button}").click().run()
    return drawn(test)


def go(test: AppTest, name: str) -> AppTest:
    test.button(key=f"go_{name}").click().run()
    return drawn(test)


def test_all_records_that_hold_it_are_listed_by_condition() -> None:
    test = find(page("prompts", **SIX, condition="base, open book"), "life jackets?", "List all", find_regex=True,
                find_under="all")  # fmt: skip
    assert "3 of 24 records contain it" in said(test)
    assert "instruction-only, open book" in said(test)
    assert "record=ellery-12" in said(test)
    assert "jacket" not in str(dict(test.query_params))


def test_the_hit_is_marked_in_the_message_until_the_search_ends() -> None:
    test = find(page("prompts", **SIX, condition="base, open book"), "life jacket", "Find next", find_where="prompt")
    assert test.query_params["record"] == ["ellery-12"] or test.query_params["record"] == "ellery-12"
    assert 'class="rb-find rb-hit rb-here"' in said(test)
    test.button(key="search_end").click().run()
    assert "rb-hit " not in said(test)


def test_find_next_goes_through_the_hits_and_begins_anew() -> None:
    test = page("prompts", **SIX, condition="base, open book")
    seen = []
    for _ in range(4):
        find(test, "life jacket", "Find next", find_where="prompt")
        seen.append(test.query_params["record"])
    assert [one if isinstance(one, str) else one[0] for one in seen] == [
        "ellery-12", "ellery-16", "ellery-21", "ellery-12",
    ]  # fmt: skip


def test_an_expression_that_is_refused_is_a_sentence() -> None:
    test = find(page("prompts", **SIX), "(?<=a)b", "List all", find_regex=True)
    assert "look-ahead and look-behind" in said(test)


def test_a_search_without_hits_says_so() -> None:
    assert "No message of any record contains it" in said(find(page("prompts", **SIX), "no such words", "List all"))


def test_the_longest_prompt_is_found_and_says_why() -> None:
    test = go(page("prompts", **SIX, condition="base, closed book"), "longest")
    assert "the longest of 24 records under base, closed book" in said(test)
    assert "record" in test.query_params


def test_the_record_where_conditions_differ_most_is_found() -> None:
    test = go(page("prompts", **SIX, condition="base, closed book"), "widest")
    assert "no other record differs more" in said(test)


def test_nearest_its_limit_says_what_counted_and_calls_an_estimate_an_estimate(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "tokens (qwen3)" in said(go(page("prompts", **SIX), "limit"))
    files = {"readback.yml": {"dataset": "d.jsonl", "modes": MODES, "models": {"m": {"context": 50}},
                              "conditions": [{"name": "c", "mode": "a", "model": "m"}]},
             "d.jsonl": [{"id": "1", "q": "x"}, {"id": "2", "q": "x" * 100}]}  # fmt: skip
    monkeypatch.setenv("READBACK_WORKSPACE", str(write(files)))
    assert "Record 2, c:" in said(test := go(page("prompts"), "limit"))
    assert "tokens (bytes ÷ 4, an estimate)" in said(test)


def test_an_empty_field_is_found_and_named(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": f"r{n}", "q": "x", "more": {"inner": " " if n == 2 else "y"}} for n in range(4)]
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"readback.yml": {"dataset": "d.jsonl", "modes": MODES},
                                                        "d.jsonl": rows})))  # fmt: skip
    test = go(page("prompts"), "empty")
    assert "Record r2: more.inner is empty." in said(test)


def test_the_newest_finding_is_one_that_came_with_the_change(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"dataset": "d.jsonl", "modes": [{"mode": "a", "system": "Be kind.", "template_file": "t.jinja"}]}
    rows = [{"id": f"r{n}", "q": "why"} for n in range(3)]
    folder = write({"readback.yml": config, "t.jinja": "{{ q }}", "d.jsonl": rows})
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    test = go(page("prompts"), "longest")
    assert "go_newest" not in {one.key for one in test.button}
    change(folder / "t.jinja", "Be kind. {{ q }}")
    test.run()
    test.button(key="show_new").click().run()
    test = go(test, "newest")
    assert "since the files changed" in said(test)


def test_next_and_previous_with_a_finding_agree_with_the_check(write: Write) -> None:
    rows = [{"id": f"r{n}", "q": "Be kind." if n in (3, 7, 8) else "why"} for n in range(12)]
    opened = workspace.open(write({"readback.yml": {"dataset": "d.jsonl", "modes": MODES}, "d.jsonl": rows}))
    data, audit = open_dataset(opened.root, opened.dataset), engine.check(opened, engine.CheckOptions(select=["fmt"]))
    for at, back, there in ((0, False, 3), (3, False, 7), (8, False, 3), (0, True, 8), (7, True, 3), (3, True, 8)):
        near = finding_search.nearest(opened, data, Selection(mode="a"), at, back).there
        assert near is not None
        assert near[0] == there
        assert finding_search.pick(finding_search.of_audit(audit, Selection(mode="a")), at, back) == near


def test_the_previous_finding_is_one_key_away(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": f"r{n}", "q": "Be kind." if n == 1 else "why"} for n in range(4)]
    folder = write({"readback.yml": {"dataset": "d.jsonl", "modes": MODES}, "d.jsonl": rows})
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    test = page("prompts", record="r3")
    drawn(test.button(key="previous_finding").click().run())
    assert test.query_params["record"] in ("r1", ["r1"])
    assert "F&#34;: &#34;previous_finding" in said(test)


def test_no_empty_field_is_said(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write({"readback.yml": {"dataset": "d.jsonl", "modes": MODES}, "d.jsonl": [{"id": "r", "q": "x"}]})
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    assert "No record has an empty field." in said(go(page("prompts"), "empty"))

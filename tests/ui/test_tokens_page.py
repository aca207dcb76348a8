"""Tokens on the pages: how many, where they meet, how many fit, and what if it were other."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from looking import page, said, words
from streamlit.testing.v1 import AppTest

from readback.html import exact
from readback.types import Segment

CONTEXTS = [f"[{n}] The mole is {n} metres high." for n in range(1, 9)]
FILE = """dataset: {path: data.jsonl}
modes:
- {mode: a, system: "Be brief.", template: "{%% for c in rag.contexts %%}{{ c }}\\n{%% endfor %%}Q: {{ question }}"}
models: {m: {%s}}
conditions: [{name: c, mode: a, model: m}]
"""
ROW = {"id": "1", "question": "How high?", "rag": {"contexts": CONTEXTS}}
Serving = Callable[[Mapping[str, Any]], Path]


def messages(serving: Serving, known: str, row: Mapping[str, Any] = ROW, **params: str) -> AppTest:
    serving({"readback.yml": FILE % known, "data.jsonl": [row]})
    return page("prompts", **params)


def test_each_message_says_its_tokens_and_an_estimate_is_called_one(serving: Serving) -> None:
    assert "9 characters, 3 tokens " in words(messages(serving, "tokenizer: qwen3")) + " "


def test_without_a_tokenizer_counts_are_estimated_and_the_switch_is_greyed_with_its_cure(serving: Serving) -> None:
    test = messages(serving, "context: 500", tokens="1")
    assert "9 characters, 3 tokens (estimated)" in words(test)
    assert "about 432 left of 500" in words(test)
    switch = test.toggle(key="tokens")
    assert switch.disabled
    assert "add tokenizer: to this model" in switch.help
    assert "rb-t-begin" not in said(test)


@pytest.mark.parametrize(
    ("known", "sentence", "looks"),
    [
        (
            "tokenizer: qwen3, context: 500, reserve: 100",
            "tokens, 304 left of 500 less 100 for the answer.",
            "rb-reserve",
        ),
        ("tokenizer: qwen3, context: 90", "tokens, 6 more than fit into 90.", "rb-warn"),
        ("tokenizer: qwen3", "Context length unknown", "rb-small"),
    ],
)
def test_the_room_that_is_left_stands_below_the_bar(known: str, sentence: str, looks: str, serving: Serving) -> None:
    test = messages(serving, known)
    assert sentence in words(test)
    assert looks in said(test)


def test_what_if_leaves_out_the_last_contexts_and_takes_another_limit(serving: Serving) -> None:
    test = messages(serving, "tokenizer: qwen3, context: 500")
    test.number_input(key="what_if_limit").set_value(60)
    test.number_input(key="what_if_drop").set_value(5)
    next(button for button in test.button if button.label == "Show").click()
    test.run()
    assert re.search(r"With 3 of 8 items of rag\.contexts: \d+ tokens, \d+ left of 60\.", words(test))
    assert not set(test.query_params) & {"what_if", "what_if_limit", "what_if_drop"}


def test_what_the_messages_do_not_come_from_changes_nothing_and_it_is_said(serving: Serving) -> None:
    stored = {**ROW, "rag": {"contexts": CONTEXTS, "prompt": "Stored."}}
    serving({"readback.yml": FILE % "tokenizer: qwen3, context: 500", "data.jsonl": [stored]})
    test = page("prompts")
    test.number_input(key="what_if_drop").set_value(1)
    next(button for button in test.button if button.label == "Show").click()
    test.run()
    assert "With 7 of 8 items of rag.contexts" in words(test)


def test_tokens_are_drawn_with_their_numbers_and_the_text_stays_the_same(serving: Serving) -> None:
    plain = messages(serving, "tokenizer: qwen3, serving: {format: chatml}", layer="wire")
    drawn = page("prompts", layer="wire", tokens="1")
    assert _text(plain) == _text(drawn)
    assert re.search(r'rb-t rb-t-special rb-t-begin" data-from="special token 151644', said(drawn))
    assert 'data-from="token ' in said(drawn)
    assert not page("prompts", layer="wire").toggle(key="tokens").value


def test_a_beginning_that_stands_twice_is_marked(serving: Serving) -> None:
    template = "{{ bos_token }}{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"
    config = {"chat_template": template, "bos_token": "<|begin_of_text|>"}
    files = {"readback.yml": FILE % "tokenizer: llama3, serving: {chat_template: tokenizer_config.json}"}
    serving({**files, "tokenizer_config.json": config, "data.jsonl": [ROW]})
    test = page("prompts", layer="wire", tokens="1")
    assert "for the second time: the text begins twice" in said(test)


def test_of_a_long_text_only_a_part_is_cut_into_tokens(serving: Serving) -> None:
    test = messages(serving, "tokenizer: qwen3", {**ROW, "question": "word " * 40_000}, tokens="1")
    assert said(test).count("rb-t-begin") < exact.SHOWN_MARKED
    assert "are shown. The download has all of them." in words(test)
    assert "show_all_1-user" not in {button.key for button in test.button}


def test_compare_and_overview_count_tokens(serving: Serving) -> None:
    two = (FILE % "tokenizer: qwen3, context: 90").replace("conditions: [", "conditions: [{name: d, mode: a}, ")
    serving({"readback.yml": two, "data.jsonl": [ROW]})
    grid = words(page("prompts", view="every"))
    assert "96 tokens" in grid
    assert "about 68 tokens" in grid
    assert "96 of 90 tokens" in words(page())


def test_tokens_that_cross_segments_and_marks_are_cut_with_them() -> None:
    segments = (Segment("Hel", "system"), Segment("lo world", "variable"))
    tokens = [exact.Token(0, 5, "even", "token 1"), exact.Token(5, 11, "odd", "token 2")]
    cut = list(exact.pieces(segments, [exact.Mark(1, 2, 1, "error", "bad")], tokens))
    assert [(one.text, one.token and one.token.description) for one in cut] == [
        ("H", "token 1"), ("e", "token 1"), ("l", "token 1"), ("lo", "token 1"), (" world", "token 2"),
    ]  # fmt: skip
    assert exact.html(segments, tokens=tokens).count("rb-t-begin") == 2


def _text(test: AppTest) -> str:
    found = re.search(r'id="text-wire"[^>]*>(.*?)</div></div>', said(test), re.DOTALL)
    assert found
    return unescape(re.sub(r"<[^>]+>", "", found[1]))

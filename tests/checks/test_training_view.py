"""Prompts, the layer Training text: three texts beside each other, where they part, and every system message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from looking import page, said, words
from served_twice import ANSWER, ASKED, MODELFILES, ROW, SYSTEM, TRAINED, workspace
from streamlit.testing.v1 import AppTest

from readback import workspace as workspaces
from readback.checks.system_places import system_places
from readback.prompts.training_text import build_trained_text
from readback.records.dataset import open_dataset
from readback.types import Message, Segment
from readback.ui.prompts.one.three_texts import placed

Write = Callable[[Mapping[str, Any]], Path]
CHATML = "format: chatml-plain"
VIEW = {"layer": "training", "condition": "closed"}


def view(**more: str) -> AppTest:
    return page("prompts", **VIEW, **more)


def column(test: AppTest, name: str) -> str:
    """The text of a column, as the page has it."""
    body = said(test).split('class="rb-diff', 1)[1].split('<table class="rb-table"><caption>System')[0]
    cells = re.findall(rf'<div class="rb-cell {name}"[^>]*>(.*?)</div>(?=<div class="rb-cell|</div>)', body, re.DOTALL)
    plain = re.sub(r'<span class="rb-role">.*?</span>|<summary>.*?</summary>', "", "".join(cells))
    return unescape(re.sub(r"<[^>]+>", "", plain))


def test_the_three_texts_stand_beside_each_other_with_the_sentence_above(serving: Write) -> None:
    serving(workspace("newline", CHATML))
    test = view(whole="1")
    assert (
        "After <|im_end|> training has a newline, serving has none (character 65, line 2 of training); 1 more"
        in words(test)
    )
    assert column(test, "rb-a") == TRAINED + ANSWER
    assert column(test, "rb-b") == TRAINED.replace("<|im_end|>\n", "<|im_end|>") + "The model's answer begins here."
    assert column(test, "rb-c-cell") == SYSTEM + ASKED


def test_equal_texts_are_called_equal(serving: Write) -> None:
    serving(workspace("right", CHATML))
    test = view()
    assert "Training and serving are equal byte for byte, up to the answer." in words(test)
    assert "rb-ins" not in said(test)


def test_a_doubled_system_message_is_marked(serving: Write) -> None:
    serving(workspace("twice", CHATML))
    test = view()
    assert "the system message once more" in words(test)
    marked = "".join(re.findall(r'<ins class="rb-ins"[^>]*>(.*?)</ins>', said(test), re.DOTALL))
    assert unescape(re.sub(r"<[^>]+>", "", marked)) == f"<|im_start|>system\n{SYSTEM}<|im_end|>\n"


def test_who_says_which_template_it_was_is_on_the_screen(serving: Write) -> None:
    serving(workspace("newline", CHATML))
    assert "made with chatml-plain, which the model's training: names" in words(view())


def test_an_assumed_template_is_called_that(serving: Write) -> None:
    serving(workspace("newline"))
    assert "Assumed: no file says which template made the training text. chatml-plain is used" in words(view())


def test_every_difference_has_its_place_and_its_token(serving: Write) -> None:
    serving(workspace("newline", CHATML, "tokenizer: qwen3, "))
    told = words(view())
    assert "2 differences, up to the answer" in told
    assert "character 65, line 2, token 12 written by the training template chatml-plain" in told
    assert "Modelfile line 4" in told


def test_messages_can_still_be_compared_one_by_one(serving: Write) -> None:
    serving(workspace("newline", CHATML))
    told = words(view(by="role"))
    assert "The user message has the same bytes in training and evaluation." in told
    assert "System message in all its places" in told


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"Modelfile": 'FROM x\nTEMPLATE """{{ .System }}{{ .Prompt }}"""\n'},
            "no training template is known. Name it",
        ),
        ({"Modelfile": "FROM x\n"}, "no training template is known. Name it"),
    ],
)
def test_without_a_template_the_messages_are_compared_and_the_cure_is_named(
    serving: Write, files: Mapping[str, str], expected: str
) -> None:
    serving({**workspace("right"), **files})
    told = words(view())
    assert expected in told
    assert "The user message has the same bytes in training and evaluation." in told


def test_without_a_server_the_messages_are_compared_and_the_cure_is_named(serving: Write) -> None:
    files = workspace("right", CHATML)
    serving(
        {**files, "readback.yml": files["readback.yml"].replace("serving: {modelfile: Modelfile}", "context: 9000")}
    )
    assert "no file says how this model is served. Name it: serving:" in words(view())


def test_a_training_template_that_raises_says_why(serving: Write) -> None:
    serving({**workspace("right", "chat_template: own.jinja"), "own.jinja": "{{ raise_exception('no system here') }}"})
    told = words(view())
    assert "the training template made no text." in told
    assert "no system here" in told


def test_a_long_answer_is_folded(serving: Write) -> None:
    serving({**workspace("right", CHATML), "data.jsonl": [{**ROW, "expected_response": "At ten. " * 60}]})
    assert "The answer that was learnt, 491 characters" in words(view())


def test_a_very_long_prompt_shows_its_beginning_and_the_way_to_the_rest(serving: Write) -> None:
    lines = [f"line {n} of the question" for n in range(6_000)]
    modelfile = MODELFILES["right"].replace("{{ .Content }}", "{{ .Content }}x")
    serving(
        {**workspace("right", CHATML), "Modelfile": modelfile, "data.jsonl": [{**ROW, "instruction": "\n".join(lines)}]}
    )
    assert "The rest is under Difference." in words(view(whole="1"))


def test_the_table_of_system_messages_marks_the_odd_one(serving: Write) -> None:
    files = workspace("right", f'{CHATML}, system: "{SYSTEM}"')
    serving({**files, "Modelfile": files["Modelfile"].replace(f'"{SYSTEM}"', '"You are a research paper  assistant."')})
    test = view()
    odd = re.findall(r'<tr class="rb-odd">(.*?)</tr>', said(test))
    assert ["Modelfile" in odd[0], "Sent with this record" in odd[1], len(odd)] == [True, True, 2]
    assert "only whitespace differs, first at character 26" in unescape(odd[0])
    assert "Training, typed into the workspace file" in words(test)
    assert "Definition of the prompt format" in words(test)


@pytest.mark.parametrize(
    ("training", "modelfile", "expected"),
    [
        (SYSTEM, SYSTEM, [("typed", True), ("modelfile", True), ("format", True)]),
        (SYSTEM, "Else.", [("typed", True), ("modelfile", False), ("format", True)]),
        ("Else.", "Else.", [("typed", True), ("modelfile", True), ("format", False)]),
        (SYSTEM, "", [("typed", True), ("format", True), ("modelfile", False)]),
    ],
)
def test_the_text_that_most_places_have_is_the_usual_one(
    write: Write, training: str, modelfile: str, expected: list[tuple[str, bool]]
) -> None:
    files = workspace("right", f'{CHATML}, system: "{training}"')
    file = files["Modelfile"].replace(f'SYSTEM "{SYSTEM}"\n', f'SYSTEM "{modelfile}"\n' if modelfile else "")
    found = workspaces.open(write({**files, "Modelfile": file}))
    places = system_places(found, found.models["m"])
    assert [(one.kind, one.same) for one in places] == expected


def test_the_overview_tells_of_the_text_around_the_messages(serving: Write) -> None:
    serving(workspace("newline"))
    told = words(page())
    assert "differs in 2 places, first after <|im_end|>, assumed: chatml-plain" in told
    serving(workspace("right", CHATML))
    assert "same as trained" in words(page())


def test_compare_says_which_training_text_it_shows(serving: Write) -> None:
    serving(workspace("newline"))
    told = words(
        page("prompts", view="difference", condition="closed", differs="layer", layer="training", b_layer="wire")
    )
    assert "After <|im_end|> A has a newline, B has none" in told
    assert "A: the training text up to the answer, made with chatml-plain, which is assumed" in told


def test_messages_find_their_places_in_the_text_and_none_is_lost() -> None:
    messages = [Message("system", (Segment(" S ", "system"),)), Message("user", (Segment("Q", "variable"),)),
                Message("user", (Segment("gone", "variable"),))]  # fmt: skip
    assert [(one.message, one.start, one.end, one.at) for one in placed(messages, "<s>S</s><u>Q</u>")] == [
        (0, 0, 3, 2),
        (1, 0, 1, 11),
        (2, 0, 4, 12),
    ]
    messages.insert(1, messages.pop())
    assert [(one.message, one.start, one.end, one.at) for one in placed(messages, "<s>S</s><u>Q</u>")] == [
        (0, 0, 3, 2),
        (1, 0, 4, 5),
        (2, 0, 1, 11),
    ]


def test_the_prompt_of_the_view_is_the_prompt_of_the_diff(write: Write) -> None:
    found = workspaces.open(write(workspace("right", CHATML)))
    known = build_trained_text(found, open_dataset(found.root, found.dataset).record(0), "m")
    assert "".join(one.text for one in known.prompt) == TRAINED

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
from counts import LONG
from looking import drawn, page, said, words
from streamlit.testing.v1 import AppTest

from readback import workspace
from readback.checks.run.prompt_lengths import EXCERPT, Excerpt, PromptLengths
from readback.project_files import EXAMPLES
from readback.prompts import assemble
from readback.records.dataset import open_dataset
from readback.types import Segment, Selection
from readback.ui.prompts.every import matrix as matrix_code
from readback.ui.prompts.every.cells import Row
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


def rows(test: AppTest) -> dict[str, str]:
    """The markup of the rows by their names."""
    found = re.findall(
        r'<section class="rb-every-row"[^>]* aria-label="([^"]*)">(.*?)</section>', said(test), re.DOTALL
    )
    return {html.unescape(name): row for name, row in found}


def cells(test: AppTest) -> dict[str, list[str]]:
    """The markup of the texts of each row, by its name."""
    return {name: row.split('class="rb-every-text"')[1:] for name, row in rows(test).items()}


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
    test = every()
    table = cells(test)
    assert texts(table["Mode: plain"][0]) == ["You are x.", "Question: one\nAnswer:\n"]
    assert texts(table["Mode: kind"][0]) == ["You are x.", "Question: one\nAnswer:"]
    assert table["Mode: same"] == []
    same = rows(test)["Mode: same"]
    assert 'same text as <a class="rb-link" href="#" data-rb-to="cell-1">Mode: kind</a>' in same
    assert link(same, "Open Mode: same")["mode"] == "same"


def test_the_first_line_that_differs_is_marked_and_described(serving: Serve) -> None:
    serving(three(*MODES))
    table = cells(every())
    assert marked(table["Mode: plain"][0]) == []
    assert marked(table["Mode: kind"][0]) == ["Answer:"]
    assert "Only white space differs: drops the final newline in the user message." in table["Mode: kind"][0]
    assert marked(table["Mode: bare"][0]) == ["Answer one"]
    assert "Has no system message" in table["Mode: bare"][0]


def test_what_is_in_view_stands_first_and_the_others_are_compared_with_it(serving: Serve) -> None:
    serving(three(*MODES))
    test = every(mode="bare")
    assert [*rows(test)] == ["Mode: bare", "Mode: plain", "Mode: kind", "Mode: same"]
    assert ["rb-matrix-view" in line for line in matrix(test).values()] == [True, False, False, False]
    table = cells(test)
    assert ">in view<" in table["Mode: bare"][0]
    assert marked(table["Mode: bare"][0]) == []
    assert "Adds a system message" in table["Mode: plain"][0]
    assert ">compared with what is in view</a>" in table["Mode: plain"][0]


def test_a_text_opens_in_one_and_beside_what_it_is_compared_with(serving: Serve) -> None:
    serving(three(*MODES))
    table = cells(every(mode="plain"))
    opened = link(table["Mode: kind"][0], "Open Mode: kind")
    assert (opened["mode"], opened.get("view")) == ("kind", None)
    compared = link(table["Mode: kind"][0], "compared with what is in view: compare Mode: kind with Mode: plain")
    assert (compared["view"], compared["mode"], compared["b_mode"]) == ("difference", "plain", "kind")


def test_equal_texts_of_a_row_share_a_place_with_all_their_adapters_and_findings_are_counted() -> None:
    test = every(**MISTAKES, record="ellery-03", condition="base, open book")
    table = cells(test)
    assert len(table) == 11
    assert next(iter(table)) == "base, open book"
    row = table["base, closed book"]
    assert [re.findall(r'rb-every-open"[^>]*>(.*?)</a>', cell) for cell in row] == [
        ["No adapter", "manual", "no_system"],
        ["gateway"],
    ]
    assert "Keep the answer under 60 words." in texts(row[1])[0]
    opened = link(row[1], "Open base, closed book, gateway")
    assert (opened["condition"], opened["adapter"]) == ("base, closed book", "gateway")
    assert "2 errors" in "".join(table["mistake 1: system text in the question"])
    assert not re.search(r"\bText \d", words(test))


def test_an_adapter_is_compared_with_the_same_condition_and_a_condition_with_a() -> None:
    test = every(**MISTAKES, record="ellery-03", condition="base, open book")
    (adapter,) = (line for line in adapters(test) if line.startswith("no_system"))
    assert "Puts the system message into the user message, in 8 of 11." in adapter
    assert "The system text is in the user message, and the Modelfile has one, too" in adapter
    row = cells(test)["instruction-only, closed book"]
    assert [re.findall(r">(compared with .*?)</a>", cell) for cell in row] == [
        ["compared with what is in view"],
        ["compared with No adapter"],
        ["compared with No adapter"],
    ]
    assert "States a system message" in row[0]
    assert "Puts the system message into the user message." in row[1]
    compared = link(
        row[1],
        "compared with No adapter: compare instruction-only, closed book, through no_system "
        "with instruction-only, closed book",
    )
    assert (compared["condition"], compared["b_condition"], compared["b_adapter"]) == (
        "instruction-only, closed book",
        "instruction-only, closed book",
        "no_system",
    )


def test_through_the_adapter_of_a_the_other_conditions_come_first() -> None:
    test = every(**MISTAKES, record="ellery-03", condition="base, open book", adapter="gateway")
    assert heads(test) == [
        "Through the adapter gateway",
        "Without an adapter (manual: the same) compared with the text at its left",
    ]
    first = cells(test)["instruction-only, closed book"][0]
    assert ">gateway</a>" in first
    assert ">compared with what is in view</a>" in first
    planned = rows(test)["RAG-trained, open book, through the gateway"]
    assert re.search(r">gateway</a>.*?same text as .*?>RAG-trained, open book, through gateway</a>", planned)


def test_a_key_names_the_marks_that_are_there(serving: Serve) -> None:
    serving(three(*MODES))
    (key,) = re.findall(r'<ul class="rb-legend rb-every-key"[^>]*>(.*?)</ul>', said(every()), re.DOTALL)
    assert [re.sub(r"<[^>]+>", "", entry).strip() for entry in re.findall(r"<li>(.*?)</li>", key, re.DOTALL)] == [
        "first line that differs",
        "Written by you: not marked",
        "From the data",
        "Tokens are those of the messages alone, without a chat format.",
    ]


def test_a_prompt_of_a_judge_is_not_a() -> None:
    test = every(workspace="six-conditions", judge="harbour-judge", condition="base, open book")
    first, second = [*rows(test)][:2]
    assert (first, second) == ("base, closed book", "base, open book")
    assert "the others are compared with it" in cells(test)[first][0]
    compared = link(cells(test)[second][0], f"compared with {first}: compare {second} with {first}")
    assert (compared["condition"], compared.get("judge"), compared["b_condition"]) == (first, None, second)


def test_what_cannot_be_built_says_so_beside_the_others(serving: Serve) -> None:
    serving(three(MODES[0], {"mode": "broken", "template": "{% for %}"}))
    test = every()
    assert "cannot be built" in rows(test)["Mode: broken"]
    assert texts(cells(test)["Mode: plain"][0])
    test = every(mode="broken")
    assert "What is in view cannot be built, so nothing is compared with it." in words(test)
    assert "compared with" not in rows(test)["Mode: plain"]


def test_an_axis_of_one_and_a_single_text(serving: Serve) -> None:
    serving(three(MODES[0]))
    test = every()
    assert "No adapter" not in said(test)
    assert "There is one condition and no adapter" in words(test)
    assert "rb-matrix" not in said(test)
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


def test_a_long_record_is_shown_around_its_first_difference_with_a_link_to_the_rest(serving: Serve) -> None:
    row = json.dumps({"id": "r1", "q": "word " * (400_000 if LONG else 100_000)}) + "\n"
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


def matrix(test: AppTest) -> dict[str, str]:
    """The markup of each line of the table, by the name of its row."""
    table = re.findall(r'<div class="rb-matrix.*?</table>', said(test), re.DOTALL)[0]
    lines = re.findall(r'<span class="rb-matrix-name" title="([^"]*)">(.*?)</tr>', table, re.DOTALL)
    return {html.unescape(name): line for name, line in lines}


def plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def heads(test: AppTest) -> list[str]:
    return [plain(head) for head in re.findall(r'<th scope="col">(.*?)</th>', said(test), re.DOTALL)]


def adapters(test: AppTest) -> list[str]:
    """What is written of each adapter that does something; of those that no condition uses last."""
    lines = re.findall(r'<p class="rb-matrix-adapter">(.*?)</p>', said(test), re.DOTALL)
    return [plain(line) for line in (*lines, *re.findall(r"<summary>(<strong>.*?)</summary>", said(test), re.DOTALL))]


def unused(test: AppTest) -> str:
    """The markup of the texts through adapters that no condition uses."""
    return "".join(re.findall(r'<details class="rb-matrix-unused">(.*?)</details>', said(test), re.DOTALL))


def messages(line: str) -> list[tuple[str, str]]:
    """The head and the text in short of each column of a role, in a line."""
    pattern = r'rb-matrix-way">(.*?)</span>.*?(?:rb-matrix-same">|rb-outline-text" dir="auto">)(.*?)(?:<p|</td>)'
    return [(head, plain(text)) for head, text in re.findall(pattern, line, re.DOTALL)]


def outlines(line: str) -> list[list[tuple[str, str]]]:
    """The role and the text in short of each message, in each cell of a line."""
    pattern = r'rb-outline-role">(.*?)</span><div class="rb-outline-text" dir="auto">(.*?)(?:<a class|</div>)'
    return [
        [(role, plain(text)) for role, text in re.findall(pattern, cell, re.DOTALL)] for cell in line.split("<td")[1:]
    ]


def new_words(line: str) -> list[str]:
    return [plain(mark) for mark in re.findall(r"<mark[^>]*>(.*?)</mark>", line, re.DOTALL)]


def test_a_cell_has_the_words_of_the_template_and_the_beginning_of_what_the_data_put_in() -> None:
    table = matrix(every(workspace="six-conditions", condition="instruction-only, open book"))
    planned = messages(table["instruction-only, open book"])
    assert planned == [
        ("System message", "You are a research paper assistant."),
        (
            "User message",
            "Question: Where does a vessel longer than 60 metres take its pilot on board?↵↵ Context:↵ "
            "[1] Section: Approach↵ Vessels longer than … 439 more characters in 4 rag.contexts↵↵ Answer using the "
            "provided context. Cite sources inline as [#] based on the order of the snippets. If the answer is not in "
            "the context, say you don't know.↵↵ Answer:",
        ),
    ]
    closed = messages(table["base, closed book"])
    assert closed[0] == ("System message", "? not stated, so not known")
    assert new_words(table["RAG-trained, open book"])[0].startswith("You are a scientific research assistant")


def test_a_message_that_a_row_above_has_is_named_and_not_repeated() -> None:
    table = matrix(every(workspace="six-conditions", condition="instruction-only, open book"))
    shown = {name: [text for _, text in messages(line)] for name, line in table.items()}
    assert shown["instruction-only, closed book"][0] == "= the same as “instruction-only, open book”"
    assert shown["base, closed book"][1] == "The text is that of “instruction-only, closed book”."
    assert shown["RAG-trained, open book"][1] == "= the same as “base, open book”"
    assert shown["RAG-trained, closed book"][0] == "The text is that of “RAG-trained, open book”."


def test_texts_with_other_roles_or_two_of_one_role_have_no_column_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_code, "explain_unknown", lambda cell: None)
    choose = Selection(mode="kind")
    row = Row("kind", (choose,), ("",))

    def measured(*roles: str) -> dict[Selection, PromptLengths]:
        excerpts = tuple(Excerpt(role, (Segment("x", "template"),), 0, 1, 1) for role in roles)
        return {choose: PromptLengths(choose, 1, "f", 0, 0, excerpts=excerpts)}

    assert matrix_code.list_roles([row], measured("system", "user")) == ("system", "user")
    assert matrix_code.list_roles([row], measured("system", "user", "user")) == ()
    assert matrix_code.list_roles([row], measured("system", "assistant")) == ()


def test_what_an_adapter_that_no_condition_uses_sends_is_folded() -> None:
    folded = unused(every(workspace="six-conditions", condition="instruction-only, open book"))
    names = re.findall(r'<span class="rb-matrix-name" title="([^"]*)">', folded)
    assert names == [  # the texts of "base" are as without it
        "instruction-only, open book",
        "instruction-only, closed book",
        "RAG-trained, open book",
        "RAG-trained, closed book",
    ]
    moved = "You are a research paper assistant.↵↵ … 733 characters that are the same ▲ warning"
    assert outlines(folded)[0] == [("User", moved)]
    assert '<mark class="rb-moved">' in folded
    looked_at = every(workspace="six-conditions", condition="instruction-only, open book", adapter="no_system")
    assert unused(looked_at) == ""
    assert heads(looked_at)[0] == "Through the adapter no_system"


def test_the_two_of_a_planned_comparison_stand_together_and_are_compared_with_each_other() -> None:
    test = every(workspace="six-conditions", condition="instruction-only, open book")
    assert [*rows(test)][:2] == ["instruction-only, open book", "instruction-only, closed book"]
    assert [*rows(test)][3:5] == ["base, open book", "RAG-trained, open book"]
    closed = matrix(test)["instruction-only, closed book"]
    assert "User message≠ Drops the context and 3 sentences" in plain(closed)
    assert "against the baseline" in plain(closed)
    trained = matrix(test)["RAG-trained, open book"]
    assert "against “base, open book”" in plain(trained)
    assert "≠ States a system message, where it is not known" in plain(trained)
    compared = link(
        cells(test)["RAG-trained, open book"][0],
        "compared with base, open book: compare RAG-trained, open book with base, open book",
    )
    assert (compared["condition"], compared["b_condition"]) == ("base, open book", "RAG-trained, open book")


def test_adapters_that_give_the_same_text_in_every_row_share_a_column_and_texts_are_counted() -> None:
    test = every(**MISTAKES, record="ellery-03", condition="base, open book")
    assert [head.split(" compared ")[0] for head in heads(test)] == [
        "Without an adapter (manual: the same)",
        "Through the adapter gateway",
    ]
    assert adapters(test)[-1].startswith("no_system, which no condition uses: ")
    opened = workspace.open(EXAMPLES / MISTAKES["workspace"])
    record = next(each for each in open_dataset(opened.root, opened.dataset).records() if each.id == "ellery-03")
    texts = {
        assemble.assemble(opened, record, Selection(condition=each.name, adapter=adapter)).fingerprint
        for each in opened.conditions
        for adapter in (None, *opened.adapters)
    }
    assert "11 conditions get 11 different texts." in words(test)
    assert len(re.findall(r"data-rb-cell", "".join(matrix(test).values()))) <= len(texts)


def test_what_is_found_on_a_text_stands_in_its_cell_or_at_the_head_of_the_adapter() -> None:
    test = every(**MISTAKES, record="ellery-03", condition="base, open book")
    table = matrix(test)
    assert "The user message contains system text" in table["mistake 1: system text in the question"]
    *_, gateway = table["base, closed book"].split("<td")
    assert "rb-warning" in gateway
    assert "rb-warning" not in table["base, closed book"].replace(gateway, "")


def test_what_was_logged_is_not_held_against_an_adapter_that_nobody_plans() -> None:
    test = every(workspace="six-conditions", condition="instruction-only, closed book")
    assert "What was sent differs" not in "".join(matrix(test).values())
    assert "What was sent differs" not in " ".join(adapters(test))


def test_a_cell_leads_to_its_whole_text_and_one_of_them_is_a_stop_of_the_tab_key(serving: Serve) -> None:
    serving(three(*MODES))
    test = every()
    table = matrix(test)
    targets = re.findall(r'data-rb-to="([^"]*)"', "".join(table.values()))
    assert len(targets) == len(set(targets)) == 3
    assert all(f'<div id="{target}"' in said(test) for target in targets)
    assert "".join(table.values()).count('tabindex="0"') == 1
    assert "4 modes get 3 different texts. " in words(test)
    assert "The same text as “Mode: kind”." in table["Mode: same"]


def test_what_cannot_be_built_says_so_in_its_cell(serving: Serve) -> None:
    serving(three(*MODES, {"mode": "broken", "template": "{% for %}"}))
    broken = matrix(every())["Mode: broken"]
    assert "cannot be built" in broken
    assert "data-rb-to" not in broken


def test_it_is_said_what_the_tokens_are_of(serving: Serve) -> None:
    serving(three(*MODES))
    assert "Tokens are those of the messages alone, without a chat format." in words(every())
    assert "Tokens include the chat format where it is known." in words(every(**MISTAKES, record="ellery-03"))


def test_the_same_text_counted_by_two_tokenizers_says_by_which(serving: Serve) -> None:
    config = {
        "dataset": {"path": "d.jsonl"},
        "modes": [{"mode": "ask", "template": "Antworte: {{ q }} 1234567890"}],
        "models": {"one": {"tokenizer": "qwen3"}, "two": {"tokenizer": "cl100k"}},
        "conditions": [{"name": "x", "mode": "ask", "model": "one"}, {"name": "y", "mode": "ask", "model": "two"}],
    }
    serving({**three(), "readback.yml": config})
    test = every()
    assert "The same text as “x”." in matrix(test)["y"]
    same = rows(test)["y"]
    assert re.search(r"\d+ tokens by cl100k[^,]*, not qwen3", same), same


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

"""Files of raw replies are score files, and stored scores are held against what the judge wrote."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from score_files import TIDY, Write, codes, load, states

from readback import workspace
from readback.scores import loading
from readback.scores.pairwise.contestants import find_families
from readback.types import Judge

SAYS = '{"evaluation_notes": "n", "relevance_score": %s, "faithfulness_score": %s}'
RAW = {"item": "q1", "condition": "closed", "judge": "j"}


def by(found: Any) -> dict[str, list[tuple[str, str]]]:
    return {name: [(s.item, s.state) for s in found.scores if s.criterion == name] for name in found.criteria}


@pytest.mark.parametrize("column", ["content", "reply", "raw_reply", "raw_response", "judge_raw_response", "output"])
def test_rows_with_replies_and_no_scores_are_read(write: Write, column: str) -> None:
    found = load(write({"r.jsonl": [{**RAW, column: SAYS % (2, -1)}, {**RAW, "item": "q2", column: "No."}]}))
    assert by(found) == {
        "relevance_score": [("q1", "scored"), ("q2", "missing")],
        "faithfulness_score": [("q1", "scored"), ("q2", "missing")],
    }
    assert found.sources[0].what == "judges' replies"
    assert found.sources[0].columns["read"] == ("whole 1", "nothing 1")
    assert [one.rationale for one in found.scores if one.item == "q1"] == ["n", "n"]  # its own note, not all of it
    assert [one.rationale for one in found.scores if one.item == "q2"] == ["No.", "No."]


def test_each_state_has_its_reason_and_its_note(write: Write) -> None:
    rows = [
        {**RAW, "item": str(n), "content": text, "finish_reason": reason}
        for n, (text, reason) in enumerate(
            [
                (SAYS % ('"2"', 0), "stop"),
                (SAYS % (9, "true"), "stop"),
                (SAYS % ("null", 1), "stop"),
                ('{"evaluation_notes": "on and', "length"),
                ("", "stop"),
                (f"{SAYS % (1, 1)} no, {SAYS % (2, 1)}", "stop"),
            ]
        )
    ]
    found = load(write({"r.jsonl": rows}))
    relevance = [(s.state, s.why) for s in found.scores if s.criterion == "relevance_score"]
    assert [state for state, _ in relevance] == ["scored", "failed", "missing", "failed", "missing", "scored"]
    assert relevance[3][1].endswith("it was cut at its token limit")
    assert Counter(codes(found)) == {"jdg-score-text": 1, "jdg-out-of-range": 2, "jdg-reply-ambiguous": 1}
    assert {dict(s.condition)["condition"] for s in found.scores} == {"closed"}


def test_the_criteria_are_those_of_the_workspaces_judge_else_those_in_the_replies(write: Write) -> None:
    rows = [{**RAW, "content": '{"scores": {"clarity": 1, "depth": 3}, "verdict": "pass"}'}]
    root = write({"r.jsonl": rows})
    assert set(load(root).criteria) == {"clarity", "depth"}
    judges = {"j": Judge("j", "", criteria=("clarity", "verdict"))}
    assert {s.criterion: s.value for s in load(root, judges=judges).scores} == {"clarity": 1.0, "verdict": 1.0}


def test_answers_under_conditions_are_no_replies(write: Write) -> None:
    found = load(write({"a.jsonl": [{"id": "1", "condition": "closed", "content": "An answer."}]}))
    assert codes(found) == ["scr-no-scores"]


def test_replies_are_read_as_upstream_does_where_the_workspace_says_so(write: Write) -> None:
    rows = [{**RAW, "content": f"<think>{{}}</think>{SAYS % (2, 1)}"}, {**RAW, "item": "q2", "content": SAYS % (1, 1)}]
    root = write({"r.jsonl": rows})
    assert states(load(root)) == ["scored"] * 4
    assert states(load(root, options={"reply_parser": "upstream"})) == ["failed", "failed", "scored", "scored"]


def test_the_option_stands_in_the_workspace_file(write: Write) -> None:
    file = "scores: [r.jsonl]\noptions: {reply_parser: upstream}\n"
    root = write({"readback.yml": file, "r.jsonl": [{**RAW, "content": f"{SAYS % (2, 1)} {SAYS % (1, 1)}"}]})
    opened = workspace.open(root)
    assert opened.diagnostics == ()
    assert states(loading.load(opened)) == ["failed", "failed"]


@pytest.mark.parametrize(
    ("stored", "reply", "expected"),
    [
        (2, SAYS % (2, 1), None),
        (2, SAYS % ("2.0", 1), None),
        (0, SAYS % (2, 1), ("0", "2", "whole")),
        (-1, f"so {SAYS % (1, 1)}", ("−1", "1", "braces")),
        (None, SAYS % (2, 1), ("missing", "2", "whole")),
        (2, SAYS % ("null", 1), ("2", "null", "whole")),
        (2, SAYS % ('"good"', 1), ("2", "not a number: good", "whole")),
        (None, SAYS % ("null", 1), None),
        (2, '{"other": 1}', None),
        (2, "free text", None),
        (2, None, None),
    ],
)
def test_a_stored_score_is_held_against_the_reply(write: Write, stored: Any, reply: Any, expected: Any) -> None:
    found = load(write({"r.jsonl": [{**RAW, "relevance_score": stored, "raw_reply": reply}]}))
    diagnostics = [diagnostic for diagnostic in found.diagnostics if diagnostic.code == "scr-reply-differs"]
    told = [(n.values["stored"], n.values["written"], n.values["step"]) for n in diagnostics]
    assert told == ([expected] if expected else [])
    assert {(n.place.file, n.place.line, n.place.record) for n in diagnostics} <= {("r.jsonl", 1, "q1")}
    assert "raw_reply" not in found.factors


def test_of_very_many_replies_that_differ_from_their_scores_all_are_counted(write: Write) -> None:
    rows = [{**RAW, "item": f"q{n}", "relevance_score": 0, "raw_reply": SAYS % (2, 1)} for n in range(1_010)]
    found = load(write({"r.jsonl": rows}))
    assert codes(found) == ["scr-reply-differs"] * 1_000 + ["dat-many-faults"]
    assert found.diagnostics[-1].values["count"] == 1_010


def test_a_failure_that_was_stored_as_zero_is_told_when_the_reply_can_be_read(write: Write) -> None:
    row = {
        **RAW,
        "relevance_score": 0,
        "note": "JSON parsing error: x",
        "raw_reply": f"<think>{{</think>{SAYS % (2, 1)}",
    }
    found = load(write({"r.jsonl": [row]}))
    assert [n.values["stored"] for n in found.diagnostics if n.code == "scr-reply-differs"] == ["judge failed"]


def test_details_of_a_run_are_read_again_too(write: Write) -> None:
    reply = '{"scores": {"factuality": 0.5, "grounding": 1}, "verdict": "fail"}'
    row = {
        "task_id": "t1", "model_label": "run", "judge_scores": {"factuality": 0.8, "grounding": 1},
        "judge_verdict": "pass", "judge_raw_response": reply,
    }  # fmt: skip
    found = load(write({"details.jsonl": [row]}))
    told = {n.values["criterion"]: n.values["written"] for n in found.diagnostics if n.code == "scr-reply-differs"}
    assert told == {"factuality": "0.5", "judge_verdict": "0"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-4o-mini", [("GPT", "4o")]),
        ("RMITIR-GPT4o", [("GPT", "4o")]),
        ("gpt-4-turbo", [("GPT", "4")]),
        ("o3-mini", [("OpenAI o", "3")]),
        ("qwen2.5:0.5b-instruct", [("Qwen", "2.5")]),
        ("qwen3_8b_thinking", [("Qwen", "3")]),
        ("Qwen/Qwen-72B", [("Qwen", None)]),
        ("llama-3.1-405b-instruct", [("Llama", "3.1")]),
        ("RMITIR-llama70B", [("Llama", None)]),
        ("llama3:8b", [("Llama", "3")]),
        ("claude-3-5-sonnet-20241022", [("Claude", "3.5")]),
        ("claude-sonnet-4-20250514", [("Claude", "4")]),
        ("gemma-2-9b-it", [("Gemma", "2")]),
        ("Mistral-7B-Instruct-v0.3", [("Mistral", None)]),
        ("smollm2-135m/free/t0", [("SmolLM", "2")]),
        ("deepseek-r1-distill-qwen-7b", [("DeepSeek", "r1"), ("Qwen", None)]),
        ("human:46373812", []),
        ("lora_science_0p5", []),
        ("system", []),
        ("reference", []),
        ("scheme-v2", []),
    ],
)
def test_names_tell_families(name: str, expected: list[tuple[str, str | None]]) -> None:
    assert sorted((one.name, one.generation) for one in find_families(name)) == sorted(expected)


@pytest.mark.parametrize(
    ("condition", "judge", "severities"),
    [
        ("gpt-4o-mini", "gpt-4o", [None]),
        ("gpt-4o", "gpt-4.1", ["info"]),
        ("qwen2.5:0.5b", "qwen3:8b", ["info"]),
        ("llama-70b", "llama-3.1-8b", ["info"]),
        ("gpt-4o", "human", []),
    ],
)
def test_a_judge_of_the_contestants_family_is_told_once(
    write: Write, condition: str, judge: str, severities: list[str | None]
) -> None:
    rows = "".join(f"q{n},{condition},{name},1,{judge},\n" for n in range(3) for name in ("relevance", "clarity"))
    found = load(write({"s.csv": TIDY + rows}))
    diagnostics = [diagnostic for diagnostic in found.diagnostics if diagnostic.code == "scr-judge-is-contestant"]
    assert [diagnostic.severity for diagnostic in diagnostics] == severities
    assert {diagnostic.values["how"] for diagnostic in diagnostics} <= {"inferred from names"}


@pytest.mark.realdata
def test_the_real_replies_have_the_states_that_were_counted(shared: Path) -> None:
    found = loading.load(workspace.open(shared / "data" / "judge-outputs"))
    # 38 of the free ones have a brace and no object, or were cut; 17 are whole and of no known form; an object without
    # the criterion is not read, too. The sentence "a high relevance score of 2" is a label of that one criterion.
    free = {"relevance_score": {"failed": 38, "missing": 18, "scored": 2},
            "faithfulness_score": {"failed": 38, "missing": 19, "scored": 1}}  # fmt: skip
    for criterion, counts in free.items():
        cells = [one for one in found.scores if one.criterion == criterion]
        assert Counter(one.state for one in cells if "free" in one.judge) == counts
        assert Counter(one.state for one in cells if "schema" in one.judge) == {"scored": 28, "failed": 1}
        assert sum(one.why.startswith("not read") for one in cells) == counts["missing"]
    cut = sum("cut at its token limit" in s.why for s in found.scores if s.criterion == "relevance_score")
    assert cut == 38  # 37 of the free ones, one under the schema
    assert found.sources[0].columns["read"] == ("nothing 56", "whole 28", "plain form 1", "fence json 1", "braces 1")


@pytest.mark.realdata
def test_a_judge_of_another_generation_is_no_warning_in_the_study_that_chose_it(shared: Path) -> None:
    from readback.scores.pairwise import contestants

    diagnostics = contestants.find_family_judges(workspace.open(shared / "data" / "prompt-formats"))
    assert {diagnostic.severity for diagnostic in diagnostics} == {"info"}
    assert {diagnostic.values["relation"] for diagnostic in diagnostics} == {
        "the same maker, another generation (3 and 2.5)"
    }


def test_criteria_come_in_the_order_in_which_replies_name_them(write: Write) -> None:
    names = [f"{letter}_score" for letter in "qwertzuiopas"]
    rows = [{"item": f"q{n}", "condition": "a", "raw_reply": json.dumps(dict.fromkeys(names, n % 2))} for n in (1, 2)]
    assert list(load(write({"r.jsonl": rows})).columns.criteria) == names

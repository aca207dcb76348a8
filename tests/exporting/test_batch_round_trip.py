"""What is exported as a batch comes back by its `custom_id`: as answers of a condition, as scores of a judge."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readback import workspace as workspaces
from readback.checks.workspace_check import list_diagnostics
from readback.cli import main
from readback.records.dataset import open_dataset
from readback.records.replies.answers import open_answers
from readback.records.replies.batch_replies import read_reply
from readback.scores.loading import load
from readback.scores.table import STATES

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
LONG = "a condition whose name is far too long for the custom_id of a batch of requests"
YML = """dataset: {{path: d.jsonl, id: id}}
modes: [{{mode: ask, template: '{{{{ question }}}}'}}]
models: {{m: {{}}}}
conditions:
  - {{name: {name}, mode: ask, model: m{answers}}}
"""
ROWS = [{"id": f"net-{at}", "question": f"Who mends net {at}?"} for at in range(4)]


def exported(capsys: Output, folder: Path) -> list[str]:
    assert main(["export", str(folder), "--as", "openai-batch"]) == 0
    return [json.loads(line)["custom_id"] for line in capsys.readouterr().out.splitlines()]


def reply(name: str, text: str | None) -> dict[str, Any]:
    if text is None:
        return {"id": "b", "custom_id": name, "response": None, "error": {"code": "batch_expired"}}
    body = {"model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}
    return {"id": "b", "custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}


@pytest.mark.parametrize("name", ["short", LONG])
def test_replies_come_back_as_answers_in_any_order(write: Write, capsys: Output, name: str) -> None:
    folder = write({"readback.yml": YML.format(name=name, answers=""), "d.jsonl": ROWS})
    names = exported(capsys, folder)
    assert all(len(each) <= 64 and "net-0"[:3] in each for each in names)
    replies = [reply(each, f"Answer {at}.") for at, each in enumerate(names)]
    replies[2] = reply(names[2], None)
    opened = workspaces.open(
        write({"readback.yml": YML.format(name=name, answers=", answers: out.jsonl"), "out.jsonl": replies[::-1]})
    )
    answers = open_answers(opened, opened.conditions[0])
    texts = [answer.text if (answer := answers.get(row["id"])) else None for row in ROWS]
    assert texts == ["Answer 0.", "Answer 1.", None, "Answer 3."]
    assert [answer.record for answer in answers] == ["net-3", "net-2", "net-1", "net-0"]
    assert answers.get("net-9") is None


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "Yes."}]}}}, "Yes."),
        ({"result": {"type": "errored", "error": {}}}, None),
        ({"response": {"status_code": 200, "body": {"choices": []}}}, None),
        ({"response": {"status_code": 200, "body": {"choices": [{"text": "Plain."}]}}}, "Plain."),
    ],
)
def test_a_reply_is_read_in_both_layouts(fields: dict[str, Any], text: str | None) -> None:
    assert read_reply(fields).text == text


JUDGES = """dataset: {{path: d.jsonl, id: id}}
modes: [{{mode: ask, template: '{{{{ question }}}}'}}]
models: {{m: {{}}}}
conditions:
  - {{name: {name}, mode: ask, model: m, answers: a.jsonl, judge: {judge}}}
  - {{name: other, mode: ask, model: m, answers: a.jsonl, judge: {judge}}}
judges:
  {judge}: {{prompts: {{user: judge.txt}}, criteria: [relevance_score]}}
criteria: {{relevance_score: {{scale: ordinal, values: [-1, 0, 1, 2]}}}}
"""
ASK = "Q: {question} A: {answer}\nReply with JSON: relevance_score (-1, 0, 1, 2)."
ANSWERS = [{"id": row["id"], "response": f"Anna, {at}."} for at, row in enumerate(ROWS)]


def judged(write: Write, capsys: Output, name: str = "base", judge: str = "strict") -> tuple[Path, list[str]]:
    """A folder with answers of two conditions and a judge, and the names of the requests of its judge."""
    yml = JUDGES.format(name=name, judge=judge)
    folder = write({"readback.yml": yml, "judge.txt": ASK, "d.jsonl": ROWS, "a.jsonl": ANSWERS})
    assert main(["export", str(folder), "--as", "openai-batch", "--judge", judge, "--model", "big", "-q"]) == 0
    return folder, [json.loads(line)["custom_id"] for line in capsys.readouterr().out.splitlines()]


def cells(folder: Path) -> dict[tuple[str, str, str], tuple[str, float]]:
    """State and value of every cell, by condition, item and judge."""
    table = load(workspaces.open(folder))
    c = table.columns
    return {
        (
            dict(c.conditions[c.condition[at]])["condition"],
            c.items[c.item[at]],
            c.judges[c.judge[at]],
        ): (STATES[c.state[at]], c.value[at])
        for at in range(len(c))
    }


@given(
    graded=st.lists(st.sampled_from([-1, 0, 1, 2, None]), min_size=8, max_size=8),
    order=st.permutations(range(8)),
    long=st.booleans(),
)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_replies_of_a_judge_come_back_as_scores_in_any_order(
    write: Write, capsys: Output, graded: list[int | None], order: list[int], long: bool
) -> None:
    name, judge = (LONG, "a judge whose name is long as well") if long else ("base", "strict")
    folder, names = judged(write, capsys, name, judge)
    texts = [None if grade is None else f'{{"relevance_score": {grade}}}' for grade in graded]
    rows = [reply(names[at], texts[at]) for at in order]
    (folder / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    grades = {}
    for at, grade in enumerate(graded):  # conditions alternate within a record
        record, choice = f"net-{at // 2}", (name, "other")[at % 2]
        grades[choice, record, judge] = ("failed", None) if grade is None else ("scored", grade)
    found = cells(folder)
    assert {key: (state, None if math.isnan(value) else value) for key, (state, value) in found.items()} == grades


def test_a_batch_that_asked_a_model_and_one_that_asked_a_judge_are_told_apart(write: Write, capsys: Output) -> None:
    folder = write({"readback.yml": YML.format(name="base", answers=""), "d.jsonl": ROWS})
    (folder / "back.jsonl").write_text(
        "".join(json.dumps(reply(one, f"Answer {at}.")) + "\n" for at, one in enumerate(exported(capsys, folder))),
        "utf-8",
    )
    opened = workspaces.open(folder)
    assert [one.answers for one in opened.conditions] == ["back.jsonl"]
    assert opened.scores == ()
    (used,) = [one for one in opened.recognised if one.path == "back.jsonl"]
    assert (used.what, used.used, used.detail) == ("replies of a batch", True, "4 answers of base")
    answers = open_answers(opened, opened.conditions[0])
    assert [answer.text for answer in answers] == [f"Answer {at}." for at in range(4)]


def findings(folder: Path) -> dict[str, dict[str, Any]]:
    """The values of the findings about a batch, by code."""
    opened = workspaces.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    return {one.code: dict(one.values) for one in list_diagnostics(opened, data) if one.code.startswith("dat-batch")}


EVIL: dict[str, tuple[list[Any], dict[str, int]]] = {
    "twice": (["0", "0"], {}),
    "forged record": (["index=0&record=net-9&condition=base&judge=strict"], {"unmatched": 1}),
    "forged condition": (["index=0&record=net-0&condition=none&judge=strict"], {"unmatched": 1}),
    "forged judge": (["index=0&record=net-0&condition=base&judge=mild"], {"unmatched": 1}),
    "forged digest": (["index=0&name=net-0&sha256=0123456789abcdef"], {"unmatched": 1}),
    "index of thousands of digits": ([f"index={'9' * 5000}&record=net-0&condition=base&judge=strict"], {}),
    "index beyond the records": (["index=99&sha256=0123456789abcdef"], {"unmatched": 1}),
    "of another program": (["request-1"], {"unmatched": 1}),
    "no text at all": ([7, None, ["a"], {"b": 1}], {"unmatched": 4}),
}


@pytest.mark.parametrize("case", EVIL)
def test_names_that_are_of_no_request_are_counted_and_the_rest_is_read(write: Write, capsys: Output, case: str) -> None:
    folder, names = judged(write, capsys)
    called = [names[0] if one == "0" else one for one in EVIL[case][0]]
    rows = [reply(one, '{"relevance_score": 2}') for one in (*called, names[3])]
    (folder / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert cells(folder)["other", "net-1", "strict"] == ("scored", 2.0)
    found = findings(folder)
    unmatched = EVIL[case][1].get("unmatched")
    if unmatched:
        told = found["dat-batch-unmatched"]
        assert told["count"] == unmatched
    for told in found.values():
        assert told["used"] + told["failed"] + told["unmatched"] == told["all"] == len(rows)


BODIES: dict[str, tuple[dict[str, Any], str, str]] = {
    "status": ({"response": {"status_code": 429, "body": {"error": {"code": "rate_limit"}}}}, "failed", "status 429"),
    "expired": ({"response": None, "error": {"code": "batch_expired"}}, "failed", "batch_expired"),
    "error as text": ({"response": None, "error": "no room"}, "failed", "no room"),
    "a text for the response": ({"response": "2", "error": None}, "failed", "it has no response"),
    "a list for the body": ({"response": {"status_code": 200, "body": [1]}, "error": None}, "failed", "its body is"),
    "status as text": ({"response": {"status_code": "200", "body": {}}, "error": None}, "failed", "status 200"),
    "no choice": ({"response": {"status_code": 200, "body": {"choices": []}}, "error": None}, "failed", "it was ans"),
    "errored": ({"result": {"type": "errored", "error": {"type": "x"}}}, "failed", "errored"),
}


@pytest.mark.parametrize("case", BODIES)
def test_a_request_that_failed_is_failed_and_counted(write: Write, capsys: Output, case: str) -> None:
    body, state, why = BODIES[case]
    folder, names = judged(write, capsys)
    good = reply(names[1], '{"relevance_score": 0}')
    rows = [{"custom_id": names[0], **body}, good if "result" not in body else {**good, "result": None}]
    if "result" in body:
        content = [{"type": "text", "text": '{"relevance_score": 0}'}]
        rows[1] = {"custom_id": names[1], "result": {"type": "succeeded", "message": {"content": content}}}
    (folder / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = cells(folder)
    assert found["base", "net-0", "strict"][0] == state
    assert found["other", "net-0", "strict"] == ("scored", 0.0)
    told = findings(folder)["dat-batch-failed"]
    assert (told["count"], told["all"], told["used"]) == (1, 2, 1)
    assert told["kinds"][0].startswith(why)


@pytest.mark.parametrize(
    ("text", "state"),
    [("x" * 3_000_000, "failed"), ("no JSON", "failed"), ('{"relevance_score": "two"}', "failed"), ("", "missing")],
)
def test_a_reply_that_gives_no_number_is_not_scored(write: Write, capsys: Output, text: str, state: str) -> None:
    folder, names = judged(write, capsys)
    rows = [reply(names[0], text), reply(names[1], '{"relevance_score": 1}')]
    (folder / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = cells(folder)
    assert found["base", "net-0", "strict"][0] in (state, "missing")
    assert found["other", "net-0", "strict"] == ("scored", 1.0)


def test_the_record_of_a_reply_is_the_one_of_its_id_after_rows_were_added_before_it(
    write: Write, capsys: Output
) -> None:
    folder, names = judged(write, capsys)
    rows = [reply(one, '{"relevance_score": 1}') for one in names]
    (folder / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "d.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in [{"id": "new", "question": "?"}, *ROWS]), "utf-8"
    )
    assert {item for _, item, _ in cells(folder)} == {row["id"] for row in ROWS}

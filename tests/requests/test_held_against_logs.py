"""Logs of other tools beside prompts: which row belongs to which record and prompt, and what equals the files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.held_requests import count_held, describe_held
from readback.checks.run import engine
from readback.cli import main
from readback.records.dataset import open_dataset
from readback.records.replies.answers import open_answers
from readback.records.replies.log_records import match_records
from readback.requests.first_difference import find_first_difference
from readback.requests.log import open_log
from readback.requests.request import Request
from readback.scores.loading import load

Write = Callable[[Mapping[str, Any]], Path]
QUESTIONS = ("Where is it?", 'Who "says" so?', "Où ?\nLà ?", "7")
PROMPTS = {
    "short": "Reply briefly. Do not guess.\n{{ question }}",
    "long": "Reply at length. Do not guess.\n{{ question }}",
}


def make_row(test: int, label: str, text: str, score: float, question: str) -> dict[str, Any]:
    """One row of a promptfoo results file."""
    return {
        "promptIdx": 0, "testIdx": test, "promptId": label, "provider": {"id": "echo", "label": ""},
        "prompt": {"raw": text, "label": label}, "vars": {"question": question},
        "testCase": {"vars": {"question": question}},
        "response": {"output": f"answer {test} of {label}"}, "success": True, "score": score, "namedScores": {},
        "gradingResult": {"pass": True, "score": score, "reason": "ok", "namedScores": {}, "componentResults": []},
        "failureReason": 0,
    }  # fmt: skip


def make_results(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "evalId": "eval-1",
        "results": {"version": 3, "results": list(rows), "prompts": [], "stats": {}},
        "config": {},
    }


def make_files(labels: Mapping[str, str], dropped: str = "", csv: bool = True) -> dict[str, Any]:
    """Two prompts, four questions, and a results file under `labels`; of prompt `dropped` a sentence was left out."""
    rows = [
        make_row(
            number, labels[mode],
            (template.replace(" Do not guess.", "") if mode == dropped else template)
            .replace("{{ question }}", question),
            number / 4, question,
        )
        for number, question in enumerate(QUESTIONS) for mode, template in PROMPTS.items()
    ]  # fmt: skip
    quoted = ['"' + question.replace('"', '""') + '"' for question in QUESTIONS]
    table = "id,question\n" + "".join(f"q{number},{question}\n" for number, question in enumerate(quoted))
    return {
        "records.csv": table,
        **{f"{mode}.jinja": template for mode, template in PROMPTS.items()},
        "log/results.json": make_results(rows),
    }


SAME = {"short": "short", "long": "long"}


def check(root: Path) -> str:
    opened = workspace.open(root)
    audit = engine.check(opened)
    held = count_held(audit, open_log(opened, open_dataset(opened.root, opened.dataset)).rows)
    assert held is not None
    assert held.rows == held.equal + held.differing + held.apart
    return describe_held(held)


def test_all_requests_that_equal_the_files_are_counted(write: Write) -> None:
    assert check(write(make_files(SAME))) == "All 8 logged requests equal your files, byte for byte."


def test_a_sentence_left_out_names_the_prompt_and_the_count(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write(make_files(SAME, dropped="long"))
    equal = "4 of 8 logged requests equal your files, byte for byte"
    sentence = f"{equal}; 4 differ, all by text that the request lacks in “long”."
    assert check(root) == sentence
    assert main(["check", str(root)]) == 1
    printed = capsys.readouterr().out
    assert sentence in printed
    assert "text that the request lacks: ' Do not guess.'" in printed
    main(["check", str(root), "--format", "json"])
    (kind,) = json.loads(capsys.readouterr().out)["request_differences"]
    assert (kind["change"], kind["ours"], kind["sent"], kind["count"]) == ("left out", " Do not guess.", "", 4)


@pytest.mark.parametrize(
    ("labels", "sign"),
    [
        (SAME, "name"),
        ({"short": "prompts/short.txt: Reply", "long": "prompts/long.txt: Reply"}, "file"),
        ({"short": "A", "long": "B"}, "text"),
    ],
)
def test_the_prompt_of_a_label_is_told_by_a_sign(write: Write, labels: Mapping[str, str], sign: str) -> None:
    opened = workspace.open(write(make_files(labels)))
    log = open_log(opened, open_dataset(opened.root, opened.dataset))
    (matched,) = log.matched
    assert (matched.record_sign, matched.columns, matched.unmatched) == ("fields", ("question",), ())
    here = {name.partition(" | ")[0]: mode.partition(" | ")[0] for name, (mode, _) in matched.conditions.items()}
    assert set(here) == set(labels.values())
    signs = {mark for _, mark in matched.conditions.values()}
    assert signs == (
        {"name"} if sign == "file" else {sign}
    )  # a label that is a file's name made a condition of its own


def test_a_label_that_is_like_no_prompt_here_is_not_taken_for_one(write: Write) -> None:
    files = make_files({"short": "A", "long": "B"})
    rows = [make_row(0, "C", "Völlig anderes: 1, 2, 3.", 1.0, QUESTIONS[0])]
    opened = workspace.open(write({**files, "log/results.json": make_results(rows)}))
    (matched,) = open_log(opened, open_dataset(opened.root, opened.dataset)).matched
    assert (matched.conditions, matched.unmatched) == ({}, ("C | echo",))
    assert check(opened.root).startswith("1 logged request; none is about a record and a prompt here")


def test_answers_and_scores_of_a_log_belong_to_the_records_here(write: Write) -> None:
    opened = workspace.open(write(make_files(SAME)))
    condition = opened.conditions[0]
    answers = open_answers(opened, condition)
    texts = {record: getattr(answers.get(record), "text", None) for record in ("q0", "q3")}
    assert texts == {"q0": f"answer 0 of {condition.mode}", "q3": f"answer 3 of {condition.mode}"}
    assert sorted(answer.record for answer in answers) == ["q0", "q1", "q2", "q3"]
    columns = load(opened).columns
    assert set(columns.items) == {"q0", "q1", "q2", "q3"}


@pytest.mark.parametrize(
    ("rows", "records", "expected"),
    [
        ([("a", "x"), ("b", "y")], "id,question\na,x\nb,z\n", ("id", {"a": "a", "b": "b"})),
        ([(0, "x"), (1, "y")], "id,question\nq,y\np,x\n", ("fields", {"0": "p", "1": "q"})),
        ([(0, "x"), (1, "x")], "id,question\np,x\nq,x\n", ("order", {"0": "p", "1": "q"})),
        ([(0, "1"), (1, "2"), (2, "3")], "id,question\np,x\nq,y\n", ("id", {})),
    ],
)
def test_records_are_matched_by_the_surest_sign(
    write: Write, rows: Sequence[tuple[Any, str]], records: str, expected: tuple[str, Mapping[str, str]]
) -> None:
    results = [make_row(number, "short", text, 1.0, text) for number, text in rows if isinstance(number, int)]
    batch = [
        {
            "custom_id": name, "method": "POST", "url": "/v1/chat/completions",
            "body": {"model": "m", "messages": [{"role": "user", "content": text}]},
        }
        for name, text in rows if isinstance(name, str)
    ]  # fmt: skip
    log: dict[str, Any] = {"log.json": make_results(results)} if results else {"log.jsonl": batch}
    root = write({"records.csv": records, "short.jinja": "{{ question }}", **log})
    opened = workspace.open(root)
    matched = match_records(opened.root, open_dataset(opened.root, opened.dataset), next(iter(log)))
    assert (matched.sign, dict(matched.ids)) == expected


@pytest.mark.parametrize(
    ("ours", "sent", "change", "spans"),
    [
        ("a b c", "a c", "left out", ("b ", "")),
        ("a c", "a b c", "put in", ("", "b ")),
        ("a b", "a  b", "white space", ("", " ")),
        ("a b\n", "a b", "white space", ("\n", "")),
        ("abc", "adc", "replaced", ("b", "d")),
        ("aaa", "aa", "left out", ("a", "")),
    ],
)
def test_the_kind_of_a_change(ours: str, sent: str, change: str, spans: tuple[str, str]) -> None:
    first = find_first_difference([("user", ours)], Request("chat", (("user", sent),)))
    assert first is not None
    assert (first.change, (first.ours_span, first.sent_span)) == (change, spans)


def test_a_log_alone_is_shown_as_it_is(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"results.json": make_results([make_row(3, "A", "Why {x}?\n", 0.5, "Why?")])})
    opened = workspace.open(root)
    assert [(one.name, one.logged, one.mode) for one in opened.conditions] == [("A | echo", "results.json", None)]
    assert main(["render", str(root), "--condition", "A | echo", "--quiet"]) == 0
    assert "Why {x}?\n" in capsys.readouterr().out
    assert main(["export", str(root), "--as", "messages-jsonl", "--quiet"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["record"], line["prompt"], line["messages"]) == (
        "3",
        None,
        [{"role": "user", "content": "Why {x}?\n"}],
    )


def test_what_was_observed_and_scored_is_exported(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"results.json": make_results([make_row(3, "A", "Why?", 0.5, "Why?")])})
    export = ["export", str(root / "results.json"), "--as", "messages-jsonl", "--quiet", "--what"]
    assert main([*export, "observed"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert list(line)[:10] == [
        *("index", "record", "epoch", "call", "role", "condition", "prompt", "messages", "output", "error"),
    ]  # fmt: skip
    assert (line["record"], line["output"], line["messages"]) == (
        3,
        "answer 3 of A",
        [{"role": "user", "content": "Why?"}],
    )
    assert "key" not in line
    assert main([*export, "scores"]) == 0
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert ("overall", 0.5, "scored") in {(row["criterion"], row["value"], row["status"]) for row in rows}
    assert main([*export[:-1], "--what", "observed", "--mode", "x"]) == 2


def test_of_two_logs_with_the_same_requests_one_counts(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    results = make_results([make_row(3, "A", "Why?", 0.5, "Why?")])
    root = write({"a.json": results, "b.json": {**results, "evalId": "another"}})
    assert main(["export", str(root), "--as", "messages-jsonl", "--what", "observed"]) == 0
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 1
    assert "b.json holds the same requests" in printed.err
    assert {one.path: one.used for one in workspace.open(root).recognised} == {"a.json": True, "b.json": False}


def test_two_logs_of_different_requests_have_conditions_with_names_of_their_own(write: Write) -> None:
    first, second = (make_results([make_row(3, "A", text, 0.5, "Why?")]) for text in ("Why?", "How?"))
    opened = workspace.open(write({"a/results.json": first, "b/results.json": second}))
    names = [condition.name for condition in opened.conditions]
    assert sorted(names) == ["A | echo (a/results.json)", "A | echo (b/results.json)"]


def state_names(root: Any, short: str, long: str) -> str:
    """Return the JSON text that says what the two prompts of the log of `make_files` are here."""
    opened = workspace.open(root)
    (log,) = opened.sent
    names = open_log(opened, open_dataset(opened.root, opened.dataset)).matched[0].requests
    return json.dumps({log: {name: short if name.startswith("A") else long for name in names}})


@pytest.mark.parametrize("by_file", [True, False])
def test_what_is_stated_of_a_log_wins_over_every_sign(write: Write, by_file: bool) -> None:
    root = write(make_files({"short": "A", "long": "B"}))
    assert check(root) == "All 8 logged requests equal your files, byte for byte."
    text = state_names(root, "long", "")
    chosen = {"matched": text}
    if by_file:
        names = json.loads(text.replace('""', "null"))
        (root / "readback.yml").write_text(f"logs: {json.dumps(names)}\n", encoding="utf-8")
        chosen = {}
    opened = workspace.open(root, chosen=chosen)
    assert [each.code for each in opened.diagnostics if each.code == "asm-unknown-name"] == []
    (matched,) = open_log(opened, open_dataset(opened.root, opened.dataset)).matched
    assert set(matched.conditions.values()) == {("long", "stated")}
    assert [name[0] for name in matched.unmatched] == ["B"]
    (root / "readback.yml").write_text(workspace.init_text(opened), encoding="utf-8")
    assert workspace.open(root).log_names == opened.log_names


def test_a_name_that_is_nothing_here_is_a_finding(write: Write) -> None:
    root = write(make_files({"short": "A", "long": "B"}))
    opened = workspace.open(root, chosen={"matched": state_names(root, "shrt", "")})
    assert [each.values["name"] for each in opened.diagnostics if each.values.get("kind") == "condition"] == ["shrt"]
    opened = workspace.open(root, chosen={"matched": '{"other.json": {"a": "b"}}'})
    assert [each.values["name"] for each in opened.diagnostics if each.values.get("kind") == "log"] == ["other.json"]
    assert workspace.open(root, chosen={"matched": "no JSON"}).log_names == {}


def test_a_stated_name_counts_where_labels_made_conditions(write: Write) -> None:
    root = write(make_files(SAME))
    opened = workspace.open(root)
    (log,) = opened.sent
    opened = workspace.open(root, chosen={"matched": json.dumps({log: {"short | echo": "long"}})})
    (matched,) = open_log(opened, open_dataset(opened.root, opened.dataset)).matched
    assert matched.conditions["short | echo"] == ("short | echo", "stated")
    condition = opened.condition("short | echo")
    assert condition is not None
    assert condition.mode == "long"

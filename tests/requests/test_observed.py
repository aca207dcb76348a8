"""What was logged is held against what the files assemble to."""

from __future__ import annotations

import json
from typing import Any

import pytest
import verification_files
from hypothesis import given
from hypothesis import strategies as st

import readback
from readback import cli, workspace
from readback.checks import rules
from readback.checks.run import engine
from readback.checks.run.prompt_lengths import measure
from readback.project_files import EXAMPLES
from readback.prompts import assemble, selections
from readback.records.dataset import open_dataset
from readback.requests.first_difference import find_first_difference
from readback.requests.observer import Observer
from readback.requests.request import Request, read_request
from readback.types import Selection

CHAT = [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
PAIRS = (("system", "S"), ("user", "U"))


@pytest.mark.parametrize(
    ("row", "form", "messages"),
    [
        ({"messages": CHAT}, "chat", PAIRS),
        ({"request": {"model": "m", "messages": CHAT}}, "chat", PAIRS),
        ({"body": json.dumps({"messages": CHAT})}, "chat", PAIRS),
        ({"custom_id": "1", "body": {"system": "S", "messages": CHAT[1:]}}, "chat", PAIRS),
        ({"request": {"body": {"messages": CHAT}}}, "chat", PAIRS),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "U"}]}]}, "chat", PAIRS[1:]),
        ({"prompt": "U"}, "prompt", PAIRS[1:]),
        ({"prompt_text": "U"}, "prompt", PAIRS[1:]),
        ({"request": {"model": "m", "prompt": "U", "system": "S"}}, "prompt", PAIRS),
        ({"instructions": "S", "input": "U"}, "prompt", PAIRS),
        ({"instructions": "S", "input": CHAT[1:]}, "chat", PAIRS),
        ({"prompt": ""}, "prompt", (("user", ""),)),
        ({"metadata": {"question_id": "q"}, "template": {"conversation_context": CHAT}}, "chat", PAIRS),
        ({"key": "k", "result": {"metadata": {}, "template": {"conversation_context": CHAT}}}, "chat", PAIRS),
        ({"question_id": "q", "conversation_context": CHAT[1:]}, "chat", PAIRS[1:]),
    ],
)
def test_a_request_is_found_in_every_usual_row(row: dict[str, Any], form: str, messages: Any) -> None:
    found = read_request(row)
    assert isinstance(found, Request)
    assert (form, messages) == (found.form, found.messages)


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"status": 200},
        {"messages": []},
        {"messages": ["U"]},
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]},
        {"request": "not JSON"},
        {"prompt": 7},
        {"messages": [{"content": "U"}]},
    ],
)
def test_a_row_without_a_request_says_why(row: dict[str, Any]) -> None:
    assert isinstance(read_request(row), str)


@given(st.dictionaries(st.text(max_size=8), st.recursive(st.none() | st.text(), lambda c: st.lists(c), max_leaves=5)))
def test_any_row_is_a_request_or_a_reason(row: dict[str, Any]) -> None:
    assert isinstance(read_request(row), Request | str)


@given(st.text(), st.text())
def test_the_first_difference_is_the_first(one: str, other: str) -> None:
    found = find_first_difference([("user", one)], Request("chat", (("user", other),)))
    if one == other:
        assert found is None
    else:
        assert found is not None
        assert one[: found.at] == other[: found.at]
        assert one[found.at : found.at + 1] != other[found.at : found.at + 1]


def _said(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


HEAD = "dataset: data.jsonl\nmodes: [{mode: plain, system: 'Be kind.', template: 'Q: {{ question }}'}]\n"


@pytest.mark.parametrize(
    ("logged", "verdict"),
    [
        ({"messages": [_said("system", "Be kind."), _said("user", "Q: Why?")]}, "equal"),
        ({"messages": [_said("system", "Be kind."), _said("user", "Q: Why?\n")]}, "differs"),
        ({"messages": [_said("user", "Q: Why?")]}, "differs"),
        ({"messages": [_said("system", "Be kind."), _said("user", "Q: Why?"), _said("user", "x")]}, "differs"),
        ({"prompt": "Q: Why?"}, "equal"),
        ({"prompt": "Q: Why?", "system": "Be kind."}, "equal"),
        ({"prompt": "Q: Why?", "system": "Be cruel."}, "differs"),
        ({"prompt": "Why?"}, "differs"),
    ],
)
def test_a_logged_request_is_equal_or_its_first_difference_is_known(
    write: Any, logged: dict[str, Any], verdict: str
) -> None:
    folder = write(
        {
            "readback.yml": HEAD + "sent: [logs/*.jsonl]\n",
            "data.jsonl": [{"id": "1", "question": "Why?"}],
            "logs/a.jsonl": [{"record": "1", **logged}],
        }
    )
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    made = assemble.assemble(opened, data.record(0), selections.list_selections(opened)[0])
    seen = Observer(opened, data).observe(data.record(0), made)
    assert seen is not None
    assert verdict == seen.verdict
    assert seen.place.file == "logs/a.jsonl"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"record": "9", "prompt": "x"}], "no record is called '9'"),
        ([{"prompt": "x"}], "it names no record"),
        ([{"record": "1", "condition": "c", "prompt": "x"}], "no condition is called 'c'"),
        ([{"record": "1", "prompt": "x"}], "no condition is named, and there are several"),
        ([{"record": "1", "condition": "a"}], "it contains no messages, prompt or request body"),
    ],
)
def test_a_row_that_matches_nothing_is_noted_and_counted(write: Any, rows: list[Any], reason: str) -> None:
    folder = write(
        {
            "readback.yml": HEAD + "conditions: [{name: a, mode: plain}, {name: b, mode: plain}]\nsent: [log.jsonl]\n",
            "data.jsonl": [{"id": "1", "question": "Why?"}],
            "log.jsonl": [*rows, {"record": "1", "condition": "b", "prompt": "Q: Why?"}],
        }
    )
    opened = workspace.open(folder)
    log = Observer(opened, open_dataset(opened.root, opened.dataset)).log
    assert [diagnostic.code for diagnostic in log.diagnostics] == ["dat-request-unmatched"]
    assert log.diagnostics[0].values["reason"].startswith(reason)
    assert log.diagnostics[0].place.line == 1
    assert (log.rows, len(log.get("b", "1"))) == (2, 1)


def test_of_very_many_rows_that_match_nothing_all_are_counted(write: Any) -> None:
    folder = write(
        {
            "readback.yml": HEAD + "conditions: [{name: a, mode: plain}]\nsent: [log.jsonl, more.jsonl]\n",
            "data.jsonl": [{"id": "1", "question": "Why?"}],
            "log.jsonl": '{"id": "9", "prompt": "x"}\n' * 1_010,
            "more.jsonl": [{"id": "9", "prompt": "x"}],
        }
    )
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    for _ in range(2):  # read, and then from what is kept of it
        log = Observer(opened, data).log
        told = [diagnostic.code for diagnostic in log.diagnostics]  # ids may repeat in a log: nothing is told of them
        assert told == ["dat-request-unmatched"] * 1_000 + ["dat-many-faults", "dat-request-unmatched"]
        assert log.diagnostics[1_000].values["count"] == 1_010
        assert log.diagnostics[1_000].place.file == "log.jsonl"


def test_a_file_is_known_by_its_condition_and_retries_are_all_looked_at(write: Any) -> None:
    folder = write(
        {
            "readback.yml": HEAD
            + "conditions: [{name: a, mode: plain}, {name: b, mode: plain}]\nsent: ['*/requests.jsonl', b.jsonl]\n",
            "data.jsonl": [{"id": "1", "question": "Why?"}],
            "a/requests.jsonl": [{"id": 1, "prompt": "Q: Why?"}, {"id": 1, "prompt": "Q: Why? Again."}],
            "b.jsonl": [{"id": "chatcmpl-1", "metadata": {"record": "1"}, "prompt": "Q: Why?"}],
        }
    )
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    observer = Observer(opened, data)
    seen = [
        observer.observe(data.record(0), assemble.assemble(opened, data.record(0), choice))
        for choice in selections.list_selections(opened)
    ]
    assert [one and one.verdict for one in seen] == ["differs", "equal"]


def test_a_system_message_that_the_server_adds_need_not_be_in_the_request(write: Any) -> None:
    folder = write(
        {
            "readback.yml": "dataset: data.jsonl\nprompts: ['builtin:prompt-formats']\n"
            "models: {m: {serving: {modelfile: Modelfile}}}\n"
            "conditions: [{name: a, mode: instruction, model: m}]\nsent: [log.jsonl]\n",
            "Modelfile": 'FROM x\nSYSTEM "Be kind."\n',
            "data.jsonl": [{"task_id": "1", "instruction": "Why?"}],
            "log.jsonl": [{"task_id": "1", "messages": [_said("user", "Question: Why?\n\nAnswer:")]}],
        }
    )
    opened = workspace.open(folder)
    data = open_dataset(opened.root, opened.dataset)
    made = assemble.assemble(opened, data.record(0), selections.list_selections(opened)[0])
    assert [message.role for message in made.messages] == ["system", "user"]
    seen = Observer(opened, data).observe(data.record(0), made)
    assert seen is not None
    assert seen.verdict == "equal"


CONDITION = "RAG-trained, open book, through the gateway"


def _is_of_one(code: str) -> bool:
    """Whether a check tells findings of a code record by record; others stand once, at the first record of a kind."""
    return not rules.RULES()[code].alike and not hasattr(rules.RULES()[code].logic, "get_group_key")


def test_every_way_in_tells_the_same_about_a_request_that_differs(capsys: pytest.CaptureFixture[str]) -> None:
    demo = EXAMPLES / "six-conditions-mistakes"
    asked = ["render", str(demo), "--condition", CONDITION, "--record", "ellery-09", "--format", "json"]
    assert cli.main(asked) == 1
    rendered = {one["key"] for one in json.loads(capsys.readouterr().out)["findings"] if _is_of_one(one["code"])}
    opened = workspace.open(demo)
    audited = {
        one.key
        for one in engine.check(opened, engine.CheckOptions(conditions=[CONDITION])).findings
        if one.place.record == "ellery-09" and one.place.condition in (CONDITION, None)
    }
    found = readback.open(demo).assemble(CONDITION, "ellery-09").findings
    assert "fmt-assembly-differs" in {one.code for one in found}
    assert rendered == audited == {one.key for one in found if _is_of_one(one.code)}
    (seen,) = measure(opened, 8, [Selection(condition=CONDITION)])
    assert seen.errors == len([one for one in found if one.severity == "error"])


def test_values_that_are_tried_are_not_held_against_what_was_sent(capsys: pytest.CaptureFixture[str]) -> None:
    demo = str(EXAMPLES / "six-conditions-mistakes")
    cli.main(["render", demo, "--condition", "instruction-only, closed book", "--set", "instruction=Why?"])
    assert "fmt-assembly-differs" not in capsys.readouterr().out


def test_a_look_at_one_record_finds_logs_that_nobody_has_indexed_yet(
    write: Any, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path_factory.mktemp("cache")))
    folder = write(
        {
            "readback.yml": HEAD + "sent: [log.jsonl]\n",
            "data.jsonl": [{"id": "1", "question": "Why?"}],
            "log.jsonl": [{"id": "1", "prompt": "other"}],
        }
    )
    (seen,) = measure(workspace.open(folder), 0, [Selection(mode="plain")])
    assert seen.errors == 1


@pytest.mark.parametrize("kind", ["results.json", "results.jsonl", "sidecar.jsonl"])
def test_what_verification_results_say_was_sent_is_held_against_the_prompts(write: Any, kind: str) -> None:
    asked = {"q1": "What?", "q2": "Who?"}
    rows = [
        verification_files.row(
            record, run_name="ours", template={"conversation_context": [{"role": "user", "content": text}]}
        )
        for record, text in asked.items()
    ]
    rows[1]["template"]["conversation_context"][0]["content"] = "Who? "
    body: Any = {
        "results.json": verification_files.whole(rows),
        "results.jsonl": rows,
        "sidecar.jsonl": [{"key": str(at), "result": row} for at, row in enumerate(rows)],
    }[kind]
    yml = """dataset: {path: d.jsonl, id: id}
modes: [{mode: plain, template: "{{ question }}"}]
conditions: [{name: ours, mode: plain}, {name: others, mode: plain}]
sent: [%s]
"""
    opened = workspace.open(
        write({
            "readback.yml": yml % kind, kind: body,
            "d.jsonl": [{"id": record, "question": text} for record, text in asked.items()],
        })
    )  # fmt: skip
    found = engine.check(opened)
    assert [f.place.record for f in found.findings if f.code == "fmt-assembly-differs"] == ["q2"]
    assert [f for f in found.findings if f.code == "dat-request-unmatched"] == []
    assert {(row.name, row.observed) for row in found.conditions} == {("ours", (1, 2)), ("others", (0, 0))}


LONG = "a condition with a name that is much too long for the custom_id of a batch"
BATCH = f"""\
dataset: data.jsonl
modes:
  - {{mode: plain, system: 'Be kind.', template: 'Q: {{{{ question }}}}'}}
  - {{mode: terse, template: '{{{{ question }}}}'}}
conditions: [{{name: {LONG}, mode: plain}}, {{name: b, mode: terse}}, {{name: judged, answers: a.jsonl}}]
judges: {{j: {{prompts: {{user: judge.txt}}, fields: {{question: question, answer: response}}}}}}
sent: [batch.jsonl, judge-batch.jsonl]
"""


def test_an_exported_batch_is_held_against_what_is_assembled_now(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": str(n), "question": f"Why {n}?"} for n in range(3)]
    answers = [{"id": "1", "response": "So."}]
    files = {"data.jsonl": rows, "a.jsonl": answers, "judge.txt": "{question} {answer}"}
    root = write({**files, "readback.yml": BATCH.replace("sent: [batch.jsonl, judge-batch.jsonl]\n", "")})
    batch = root / "batch.jsonl"
    for more in (["-o", str(batch)], ["--judge", "j", "-o", str(root / "judge-batch.jsonl")]):
        cli.main(["export", str(root), "--as", "openai-batch", "--model", "m", *more, "-q"])
    ids = [json.loads(line)["custom_id"] for line in batch.read_text("utf-8").splitlines()]
    assert all(len(one) <= 64 for one in ids)
    assert (len(set(ids)), sum("sha256=" in one for one in ids)) == (6, 3)
    (root / "readback.yml").write_text(BATCH, "utf-8")
    capsys.readouterr()
    cli.main(["check", str(root), "--format", "json"])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [one["message"] for one in found if one["code"] == "fmt-assembly-differs"] == []
    assert [one for one in found if one["code"] == "dat-request-unmatched"] == []
    seen = _states(root)
    assert seen == {(condition, record): "equal" for condition in (LONG, "b") for record in "012"}
    (root / "readback.yml").write_text(BATCH.replace("Be kind.", "Be cruel."), "utf-8")
    assert {key for key, state in _states(root).items() if state == "differs"} == {(LONG, record) for record in "012"}


def _states(root: Any) -> dict[tuple[str, str], str]:
    """What was observed of each condition and record."""
    opened = workspace.open(root)
    data = open_dataset(opened.root, opened.dataset)
    observer = Observer(opened, data)
    found = {}
    for condition in (LONG, "b"):
        for record in data.records():
            seen = observer.observe(record, assemble.assemble(opened, record, Selection(condition=condition)))
            found[condition, record.id or ""] = seen.verdict if seen else "none"
    return found


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("index=7&record=9&condition=b", "no record is called '9'"),
        ("index=0&record=0&condition=c", "no condition is called 'c'"),
        ("index=0&sha256=" + "0" * 32, "is of a record or a condition that is not here any more"),
        ("index=1&record=0&condition=b", "shares the id '0' with an earlier one"),
    ],
)
def test_an_exported_request_that_belongs_to_nothing_says_why(write: Any, said: str, reason: str) -> None:
    rows = [{"id": "0", "question": "Why?"}, {"id": "0", "question": "How?"}]
    batch = [{"custom_id": said, "method": "POST", "url": "/v1", "body": {"messages": CHAT}}]
    files = {"data.jsonl": rows, "batch.jsonl": batch, "judge-batch.jsonl": batch, "judge.txt": "x", "a.jsonl": []}
    opened = workspace.open(write({**files, "readback.yml": BATCH}))
    found = [one.message for one in engine.check(opened).findings if one.code == "dat-request-unmatched"]
    assert found
    assert all(reason in one for one in found)


JUDGED = """\
dataset: data.jsonl
modes: [{mode: plain, template: '{{ question }}'}]
models: {m: {}}
conditions:
  - {name: a, mode: plain, model: m, answers: a.jsonl, judge: strict}
  - {name: b, mode: plain, model: m, answers: b.jsonl, judge: strict}
judges:
  strict: {prompts: {system: strict.txt, user: judge.txt}, settings: {model: big}}
  kind: {prompts: {user: judge.txt}}
sent: ["*log.jsonl"]
"""
ASKED = [_said("system", "Be strict."), _said("user", "Q: Why? A: So.")]
OTHER = [_said("system", "Be strict!"), _said("user", "Q: Why? A: So.")]


def _judged(write: Any, rows: list[Any], name: str = "log.jsonl", yml: str = JUDGED) -> Any:
    return workspace.open(
        write({
            "readback.yml": yml,
            "data.jsonl": [{"id": "1", "question": "Why?"}],
            "a.jsonl": [{"id": "1", "response": "So."}],
            "b.jsonl": [{"id": "1", "response": "No."}],
            "strict.txt": "Be strict.",
            "judge.txt": "Q: {question} A: {answer}",
            name: rows,
        })
    )  # fmt: skip


@pytest.mark.parametrize(
    ("row", "observed"),
    [
        ({"judge": "strict", "condition": "a", "messages": ASKED}, {("a", "strict"): (1, 1)}),
        ({"evaluator": "big", "condition": "a", "messages": OTHER}, {("a", "strict"): (0, 1)}),
        ({"condition": "a", "messages": ASKED}, {("a", "strict"): (1, 1)}),  # by its system text
        ({"condition": "a", "model": "big", "messages": OTHER}, {("a", "strict"): (0, 1)}),  # by its model
        ({"condition": "b", "model": "big", "messages": ASKED}, {("b", "strict"): (0, 1)}),  # another answer
        ({"condition": "a", "model": "m", "prompt": "Why?"}, {("a", None): (1, 1)}),
        ({"judge": "kind", "condition": "b", "prompt": "Q: Why? A: No."}, {("b", "kind"): (1, 1)}),
    ],
)
def test_the_request_of_a_judge_is_held_against_what_it_is_asked(write: Any, row: Any, observed: Any) -> None:
    opened = _judged(write, [{"record": "1", **row}])
    audit = engine.check(opened)
    assert [one for one in audit.findings if one.code == "dat-request-unmatched"] == []
    seen = {(row.name, None): row.observed for row in audit.conditions if row.observed[1]}
    seen |= {(one.choice.condition, one.choice.judge): (one.equal, one.logged) for one in audit.judge_requests}
    assert seen == observed
    equal = all(equal == logged for equal, logged in observed.values())
    differing = [one for one in audit.findings if one.code == "fmt-assembly-differs"]
    assert (len(differing) == 0) == equal


def test_the_first_difference_of_a_judges_request_is_told_by_its_character(write: Any) -> None:
    opened = _judged(write, [{"record": "1", "judge": "strict", "condition": "a", "messages": OTHER}])
    (found,) = [one for one in engine.check(opened).findings if one.code == "fmt-assembly-differs"]
    assert (found.place.judge, found.place.condition, found.place.record) == ("strict", "a", "1")
    assert (found.place.role, found.place.start) == ("system", len("Be strict"))
    assert "log.jsonl:1" in found.fix


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"judge": "stern", "condition": "a", "messages": ASKED}, "no judge is called 'stern'"),
        ({"judge": "strict", "messages": ASKED}, "no condition is named, and there are several"),
        ({"judge": "strict", "condition": "c", "messages": ASKED}, "no condition is called 'c'"),
        ({"judge": "strict", "custom_id": "index=0&record=1&judge=strict", "messages": ASKED}, "the judge 'strict' is"),
        ({"custom_id": "index=0&record=1&condition=a&judge=stern", "messages": ASKED}, "no judge is called 'stern'"),
    ],
)
def test_a_judges_request_that_matches_nothing_says_why(write: Any, row: Any, reason: str) -> None:
    opened = _judged(write, [{"record": "1", **row}])
    (found,) = Observer(opened, open_dataset(opened.root, opened.dataset)).log.diagnostics
    assert found.code == "dat-request-unmatched"
    assert found.values["reason"].startswith(reason)


def test_a_judge_alone_is_known_by_the_name_of_its_log(write: Any) -> None:
    yml = """\
dataset: data.jsonl
judges: {kind: {prompts: {user: judge.txt}}}
sent: [kind.jsonl]
"""
    rows = [{"id": "1", "prompt": "Q: Why? A: So."}]
    files = {"readback.yml": yml, "judge.txt": "Q: {question} A: {answer}", "kind.jsonl": rows}
    opened = workspace.open(write({**files, "data.jsonl": [{"id": "1", "question": "Why?", "answer": "So."}]}))
    assert [(one.equal, one.logged) for one in engine.check(opened).judge_requests] == [(1, 1)]


def test_an_exported_batch_of_a_judge_is_equal_until_its_prompt_changes(
    write: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = _judged(write, [], "log.jsonl", JUDGED.replace('sent: ["*log.jsonl"]\n', ""))
    root = opened.root
    name = str(root / "batch-log.jsonl")
    cli.main(["export", str(root), "--as", "openai-batch", "--judge", "strict", "-o", name, "-q"])
    (root / "readback.yml").write_text(JUDGED.replace("*log", "batch-log"), "utf-8")

    def observed() -> list[tuple[int, int]]:
        audit = engine.check(workspace.open(root))
        assert "dat-request-unmatched" not in {one.code for one in audit.findings}
        return [(one.equal, one.logged) for one in audit.judge_requests]

    assert observed() == [(1, 1), (1, 1)]
    (root / "strict.txt").write_text("Be stern.", "utf-8")
    assert observed() == [(0, 1), (0, 1)]
    capsys.readouterr()
    asked = ["render", str(root), "--condition", "a", "--judge", "strict", "--record", "1", "--format", "json"]
    assert cli.main(asked) == 1
    assert "fmt-assembly-differs" in {one["code"] for one in json.loads(capsys.readouterr().out)["findings"]}

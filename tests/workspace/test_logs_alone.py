"""A log that is opened alone: every request is reached, none is called missing that was never to be sent."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import page, said, words

import readback
from readback import workspace
from readback.message_parts import part_title, parts
from readback.prompts.assemble import assemble
from readback.readers.logs.decode import NO_MODEL
from readback.records.dataset import open_dataset
from readback.records.replies.logged_calls import read_first_request
from readback.scores import loading
from readback.types import Assembly, Diagnostic, Selection
from readback.ui.common.draw.text.message import role_title

Write = Callable[[Mapping[str, Any]], Path]
GEMINI = {
    "key": "k0",
    "request": {
        "systemInstruction": {"parts": [{"text": "You run a bakery."}]},
        "contents": [{"role": "user", "parts": [{"text": "What is fresh?\n"}]}],
    },
}


def ask(number: int, model: str, text: str) -> dict[str, Any]:
    """Return a line of a batch file."""
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    return {"custom_id": f"r{number}", "method": "POST", "url": "/v1/chat/completions", "body": body}


def write_lines(*rows: Mapping[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


TWO_MODELS = write_lines(ask(0, "small", "Why?"), ask(1, "large", "Où ?\n"), ask(2, "small", "How?"))


def show(root: Path, condition: str, record: int) -> Assembly:
    opened = workspace.open(root)
    return assemble(opened, open_dataset(opened.root, opened.dataset).record(record), Selection(condition=condition))


def test_requests_of_a_file_that_names_no_model_are_shown(write: Write) -> None:
    root = write({"batch.jsonl": write_lines(GEMINI)})
    assert [condition.name for condition in workspace.open(root).conditions] == [NO_MODEL]
    assert [message.text for message in show(root, NO_MODEL, 0).messages] == ["You run a bakery.", "What is fresh?\n"]


def test_a_row_without_a_request_says_why_though_its_file_names_no_model(write: Write) -> None:
    root = write({"batch.jsonl": write_lines(GEMINI, {"key": "k1", "request": 7})})
    (fault,) = show(root, NO_MODEL, 1).diagnostics
    assert isinstance(fault, Diagnostic)
    assert "request is" in fault.values["reason"]


def test_a_record_that_was_sent_to_another_model_lacks_nothing(write: Write, monkeypatch: Any) -> None:
    root = write({"batch.jsonl": TWO_MODELS})
    (fault,) = show(root, "small", 1).diagnostics
    assert isinstance(fault, Diagnostic)
    assert (fault.severity, fault.values["reason"]) == ("info", "it was sent under 'large'")
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    assert "No fault was found in the files. See the messages" in words(page("overview"))
    rows = readback.open(root).audit().conditions
    assert [(row.errors, row.warnings, row.system) for row in rows] == [(0, 0, None), (0, 0, None)]


@pytest.mark.parametrize("packed", [False, True])
def test_the_first_request_of_a_log_is_read_before_the_rest_as_it_is_afterwards(packed: bool, write: Write) -> None:
    unreadable = {"custom_id": "r9", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": 7}}
    lines = (write_lines(unreadable) + TWO_MODELS).encode()
    root = write({"batch.jsonl": gzip.compress(lines) if packed else lines})
    first = read_first_request(root / "batch.jsonl")
    assert first == show(root, "small", 1).messages
    assert [message.text for message in first] == ["Why?"]
    assert read_first_request(write({"notes.txt": "no log"}) / "notes.txt") == ()


def test_the_system_message_of_a_log_is_the_logs(write: Write) -> None:
    (row,) = readback.open(write({"batch.jsonl": write_lines(GEMINI)})).audit().conditions
    assert row.system == "log"


def test_a_record_is_shown_under_the_model_that_it_was_sent_to(write: Write, monkeypatch: Any) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"batch.jsonl": TWO_MODELS})))
    assert "Où ?" in words(page("prompts", record="r1"))
    test = page("prompts", record="r0", condition="small")
    test.button(key="next").click().run()
    assert "Où ?" in words(test)
    assert test.query_params["condition"] in ("large", ["large"])


def test_the_replies_of_a_batch_are_called_read(write: Write) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "So."}}
    body = {"object": "chat.completion", "choices": [choice]}
    reply = {"id": "x", "custom_id": "r0", "error": None, "response": {"status_code": 200, "body": body}}
    opened = workspace.open(write({"batch.jsonl": TWO_MODELS, "output.jsonl": write_lines(reply)}))
    (note,) = [file for file in opened.recognised if file.path == "output.jsonl"]
    assert (note.used, note.detail) == (True, "its replies are read with batch.jsonl")


RAGAS = "user_input,response,retrieved_contexts,faithfulness\nWhy?,So.,['a'],0.5\nHow?,Thus.,[],1.0\nWho?,Me.,[],\n"


def test_a_share_is_no_grade_though_a_grade_has_its_name(write: Write) -> None:
    table = loading.load(workspace.open(write({"results.csv": RAGAS})))
    assert [score.value for score in table.scores if score.state == "scored"] == [0.5, 1.0]
    assert {score.condition for score in table.scores} == {(("condition", "results"),)}
    assert (table.criteria["faithfulness"].low, table.criteria["faithfulness"].high) == (0, 1)


PROMPTFOO = (
    "question,[small] plain,Status,Score,Named Scores,Grader Reason,Comment\n"
    "Why?,So.,PASS,1.00,{},All assertions passed,\n"
)


def test_a_table_of_answers_is_not_called_requests(write: Write, monkeypatch: Any) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"results.csv": PROMPTFOO})))
    text = words(page("overview"))
    assert "1 answer as the log has it; the log does not hold what was sent." in text
    assert "1 request" not in text
    text = words(page("prompts"))
    assert "The log does not hold what was sent for this record." in text
    assert "No messages could be built" not in text


def test_where_a_request_has_its_system_text_is_said_in_words() -> None:
    message = {"role": "system", "content": "x", "from": "instructions"}
    assert [part_title(part) for part in parts(message)] == ["In the field instructions of the request"]
    assert role_title("prompt") == "Text, sent without roles"


def test_a_text_that_is_shown_as_the_log_has_it_carries_no_mark(write: Write, monkeypatch: Any) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(write({"batch.jsonl": TWO_MODELS})))
    test = page("prompts", record="r1")
    assert 'class="rb-all-unknown"' in said(test)
    labels = [each.label for each in test.expander]
    assert "Origin of the text: a log, which does not tell its parts apart" in labels
    text = words(test)
    assert "This text comes from batch.jsonl. A log holds what was sent;" in text
    assert "As batch.jsonl has it: what was sent. No file here says how it is assembled." in text
    assert "Assembled from the files" not in text
    assert "Origin not known" not in text


def write_down(root: Path) -> str:
    """Write readback.yml as `readback init` does, and return its text."""
    text = workspace.init_text(workspace.open(root), {})
    (root / "readback.yml").write_text(text, "utf-8")
    return text


@pytest.mark.parametrize(
    "files", [{"batch.jsonl": TWO_MODELS}, {"r.csv": RAGAS}, {"b.jsonl": write_lines(GEMINI), "r.csv": PROMPTFOO}]
)
def test_what_is_written_down_of_logs_changes_nothing(write: Write, files: Mapping[str, str]) -> None:
    root = write(files)
    first = workspace.open(root)
    write_down(root)
    second = workspace.open(root)
    assert (second.dataset, second.sent) == (first.dataset, first.sent)
    assert [source.path for source in second.scores] == [source.path for source in first.scores]
    assert second.conditions == first.conditions
    assert [each.code for each in second.diagnostics] == [each.code for each in first.diagnostics]


def test_a_log_alone_is_named_by_the_file_that_is_written_and_opens_as_before(write: Write) -> None:
    root = write({"batch.jsonl": TWO_MODELS, "results.csv": PROMPTFOO})
    first = workspace.open(root)
    text = write_down(root)
    assert "sent: [batch.jsonl, results.csv]" in text
    second = workspace.open(root)
    assert [each.name for each in second.conditions] == [each.name for each in first.conditions]
    assert [each.logged for each in second.conditions] == [each.logged for each in first.conditions]
    assert second.dataset is not None
    assert first.dataset is not None
    assert (second.dataset.path, second.dataset.format) == (first.dataset.path, first.dataset.format)
    assert [source.path for source in second.scores] == [source.path for source in first.scores]
    assert [each.code for each in second.diagnostics] == [each.code for each in first.diagnostics]


def test_a_log_beside_prompts_brings_the_records_after_it_is_written_down_too(write: Write) -> None:
    root = write({"ask.txt": "Why {id}?", "batch.jsonl": TWO_MODELS})
    first = workspace.open(root)
    write_down(root)
    second = workspace.open(root)
    assert first.dataset is not None
    assert second.dataset is not None
    assert (second.dataset.path, second.sent) == (first.dataset.path, first.sent)
    assert list(second.prompts) == list(first.prompts)

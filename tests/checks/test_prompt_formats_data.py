"""The real study behind the prompt formats: what must be found in its files, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from counts import part
from in_time import spent

from readback import cli, workspace
from readback.checks.run import engine
from readback.checks.summary import Audit

pytestmark = pytest.mark.realdata
STORED = ("rag_baseline_0p5b", "hybrid_science_0p5b_rag_trained")  # the conditions that send the stored prompt
CONDITIONS = [
    ("base_baseline_0p5b", "instruction", "base_ollama"),
    ("rag_baseline_0p5b", "rag", "base_ollama"),
    ("lora_science_0p5b_ft_only", "instruction", "lora_instruction_only"),
    ("hybrid_science_0p5b_instruction_only", "hybrid", "lora_instruction_only"),
    ("lora_science_0p5b_rag_trained_ft_only", "instruction", "lora_rag_trained"),
    ("hybrid_science_0p5b_rag_trained", "rag", "lora_rag_trained"),
]


@pytest.fixture(scope="module")
def audit(shared: Path) -> Audit:
    return engine.check(workspace.open(shared / "data" / "prompt-formats"))


def places(audit: Audit, code: str) -> list[tuple[int | None, str | None]]:
    return [(one.place.index, one.place.condition) for one in audit.findings if one.code == code]


def test_all_sixteen_records_are_read(audit: Audit) -> None:
    records = audit.records
    assert (records.read, records.bad, records.blank, records.lines) == (16, 0, 0, 16)


def test_the_six_conditions_of_the_plan_are_there(audit: Audit) -> None:
    assert [(row.name, row.mode, row.model) for row in audit.conditions] == CONDITIONS


def test_every_stored_prompt_repeats_system_text_and_the_span_is_marked(audit: Audit) -> None:
    found = [one for one in audit.findings if one.code == "fmt-system-text-in-user"]
    assert sorted(places(audit, "fmt-system-text-in-user")) == sorted(
        (n, condition) for n in range(16) for condition in STORED
    )
    assert {(one.severity, one.place.role, one.place.start, one.place.end) for one in found} == {
        ("warning", "user", 0, 35)  # the text of another model than those that are asked
    }
    assert {one.values["text"] for one in found} == {"You are a research paper assistant."}
    assert audit.records_by_code["fmt-system-text-in-user"] == 16


def test_four_records_list_contexts_that_are_not_inside_their_prompt(audit: Audit) -> None:
    found = [one for one in audit.findings if one.code == "fmt-context-not-sent"]
    counts = {one.place.index: one.message.partition(" contexts")[0] for one in found}
    assert counts == {2: "2 of 4", 6: "1 of 4", 9: "2 of 4", 14: "1 of 4"}
    assert {one.place.condition for one in found} == set(STORED)


def test_one_reference_cites_a_context_that_is_not_there(audit: Audit) -> None:
    (found,) = (one for one in audit.findings if one.code == "fmt-reference-cites-missing")
    assert (found.place.index, found.place.line, found.place.field) == (6, 7, "expected_response")
    assert found.message == "the reference cites [6], but there are 4 contexts"


def test_the_dataset_the_plan_names_is_missing_and_the_only_one_is_used_instead(audit: Audit) -> None:
    (found,) = (one for one in audit.findings if one.code == "dat-file-missing")
    assert (found.place.file, found.place.line) == ("configs/evaluation/six_condition_experiment.yaml", 20)
    assert "eval_dataset.jsonl" in found.message
    assert "offline_dataset.jsonl is used" in found.message


def test_nothing_else_is_an_error(audit: Audit) -> None:
    codes = {one.code for one in audit.findings if one.severity == "error"}
    assert codes == {
        "dat-file-missing",
        "fmt-context-not-sent",
        "fmt-reference-cites-missing",
        "oll-chatml-newline",
        "oll-system-twice",
    }


def test_a_condition_says_what_is_wrong_with_its_model_whatever_it_sends(audit: Audit) -> None:
    assert [(row.model, row.model_errors) for row in audit.conditions] == [
        ("base_ollama", 0),
        ("base_ollama", 0),
        ("lora_instruction_only", 2),
        ("lora_instruction_only", 2),
        ("lora_rag_trained", 2),
        ("lora_rag_trained", 2),
    ]


def test_the_dataset_alone_gives_the_same_findings_once_for_each_record(shared: Path) -> None:
    alone = engine.check(workspace.open(shared / "data" / "prompt-formats" / "offline_dataset.jsonl"))
    assert [index for index, _ in places(alone, "fmt-system-text-in-user")] == list(range(16))
    assert [index for index, _ in places(alone, "fmt-context-not-sent")] == [2, 6, 9, 14]
    assert [index for index, _ in places(alone, "fmt-reference-cites-missing")] == [6]
    assert places(alone, "fmt-markers") == []


def test_the_command_answers_in_seconds_with_the_same_counts(
    shared: Path, audit: Audit, capsys: pytest.CaptureFixture[str]
) -> None:
    began = spent()
    assert cli.main(["check", str(shared / "data" / "prompt-formats"), "--format", "json"]) == 1
    assert spent() - began < 10  # measured 1.3 s
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert answer["counts"] == dict(audit.counts)
    assert [one["key"] for one in answer["findings"]] == [one.key for one in audit.findings]


def test_every_record_renders_under_every_condition_to_segments_that_join(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for condition, _, _ in CONDITIONS:
        for index in part((6, 0, 15), 1):
            words = ["render", str(shared / "data" / "prompt-formats"), "--condition", condition, "--index", str(index)]
            assert cli.main([*words, "--format", "json"]) in (0, 1)
            for message in json.loads(capsys.readouterr().out)["messages"]:
                assert "".join(segment["text"] for segment in message["segments"]) == message["text"]


def test_the_stored_prompts_say_more_than_the_standard_one_and_the_summaries_say_why(audit: Audit) -> None:
    found = [one for one in audit.findings if one.code == "fmt-rag-drift" and one.place.condition == STORED[0]]
    # The summaries say why in their metadata; of the others each task type has sentences of its own in every prompt.
    assert [(one.place.index, one.values["records"], one.severity) for one in found] == [
        (0, 9, "info"),
        (2, 4, "info"),
        (3, 3, "info"),
    ]
    assert [len(one.values["extra"]) for one in found] == [3, 0, 3]
    assert not any("research paper assistant" in one.message for one in found)  # told by fmt-system-text-in-user


def test_two_conditions_differ_from_training_by_design_and_no_row_does_otherwise(audit: Audit) -> None:
    found = [one for one in audit.findings if one.code == "fmt-train-serve-diff"]
    assert [(one.severity, one.place.condition) for one in found] == [
        ("info", CONDITIONS[3][0]),
        ("info", CONDITIONS[4][0]),
    ]


def test_no_message_says_the_same_block_twice(audit: Audit) -> None:
    assert places(audit, "asm-duplicate-block") == []

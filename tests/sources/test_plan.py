"""Experiment plans, the YAML they name, and what a model's name tells about its type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.sources import comparisons, model_yaml, plan
from readback.sources.prompt_formats import MODES, SYSTEM, infer_type
from readback.types import Diagnostic, Workspace

Write = Callable[[dict[str, Any]], Path]
ROW = {"task_id": "t1", "instruction": "Why?", "expected_response": "So.", "rag": {"prompt": "P", "contexts": ["c"]}}


def codes(diagnostics: Any) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


def diagnostic(found: Workspace, code: str) -> Diagnostic:
    return next(n for n in found.diagnostics if n.code == code)


@pytest.mark.parametrize(
    ("expected", "model", "file"),
    [
        ("rag_trained", "lora_science_0p5", None),
        ("instruction_only", "lora_science_0p5_instruction_only", None),
        ("base", "lora_science_instruction", None),
        ("base", "my-rag-trained", None),
        ("base", "hybrid_science_0p5b", None),
        ("rag_trained", "x", "hybrid.yaml"),
        ("base", "x", "hybrid_instruction.yaml"),
        ("rag_trained", "lora_science", "hybrid_instruction.yaml"),
        ("rag_trained", "x", "instruction_only_rag_trained.yaml"),
        ("instruction_only", "lora_science_0p5_f16", "lora_instruction_only.yaml"),
        ("rag_trained", "X", "deep/folder/LORA-RAG-TRAINED.yaml"),
        ("base", "x", "rag_trained/m.yaml"),
    ],
)
def test_a_models_type_follows_the_documents_order(expected: str, model: str, file: str | None) -> None:
    assert expected == infer_type(model, file).type


@pytest.mark.parametrize(
    ("expected", "model", "file", "explicit"),
    [
        ([], "my-rag-trained", "x.yaml", "rag_trained"),
        (["fmt-model-type-inferred"], "qwen", "x.yaml", None),
        (["fmt-model-type-inferred"], "x", "lora_rag_trained.yaml", None),
        (["fmt-model-type-inferred", "fmt-model-type-guess"], "my-rag-trained", "x.yaml", None),
        (["fmt-model-type-inferred", "fmt-model-type-guess"], "x", "hybrid_instruction.yaml", None),
        (["fmt-model-type-inferred", "fmt-model-type-conflict"], "lora_science_0p5", "instruction_only.yaml", None),
    ],
)
def test_a_guessed_type_is_said_to_be_one(expected: list[str], model: str, file: str, explicit: str | None) -> None:
    assert expected == codes(infer_type(model, file, explicit).diagnostics)


def test_a_plan_folder_is_a_workspace(write: Write) -> None:
    found = workspace.open(
        write(
            {
                "plans/study.yaml": {
                    "defaults": {"dataset": "../data/eval.jsonl", "output_dir": "../results", "prompt_mode": "rag"},
                    "runs": [
                        {"label": "closed", "model_config": "../m/only.yaml", "prompt_mode": "instruction"},
                        {"label": "open", "model_config": "../m/only.yaml", "judge_config": "../judges/rag.yaml"},
                        {"label": "trained", "model_config": "../m/trained.yaml"},
                    ],
                },
                "m/only.yaml": {"provider": "x", "model": "a", "model_type": " Instruction_Only "},
                "m/trained.yaml": {"provider": "x", "model": "b", "model_type": "rag_trained"},
                "judges/rag.yaml": {"name": "r", "prompt": "{{QUESTION}}", "criteria": [{"id": "facts"}]},
                "ollama/Modelfile.instruction_only": 'FROM x\nSYSTEM "You read."\n',
                "ollama/Modelfile.my_rag_trained_q4": 'FROM x\nSYSTEM "You cite."\n',
                "data/eval.jsonl": [ROW],
                "study_comparisons.yaml": {
                    "models": {"A": {"result_dir": "results/closed"}, "B": {"result_dir": "results/open/"}},
                    "cross_group_comparisons": {
                        "comparable_metrics": ["facts"],
                        "comparisons": [{"name": "q", "model_a": "A", "model_b": "B", "research_question": "Which?"}],
                    },
                },
                "out/responses/closed.jsonl": [{"task_id": "t1", "response": "x", "prompt_text": "y"}],
                "results/open/details.jsonl": [{"task_id": "t1", "model_answer": "x", "judge_scores": {"facts": 1}}],
            }
        )
    )
    assert tuple(MODES) == tuple(found.prompts)
    assert [(c.name, c.mode, c.model, c.judge, c.answers, c.aliases) for c in found.conditions] == [
        ("closed", "instruction", "only", None, "out/responses/closed.jsonl", ("A",)),
        ("open", "hybrid", "only", "rag", "results/open/details.jsonl", ("B",)),
        ("trained", "rag", "trained", None, None, ()),
    ]
    assert found.dataset is not None
    assert found.dataset.path == "data/eval.jsonl"
    assert [(s.path, s.label) for s in found.scores] == [("results/open/details.jsonl", "open")]
    assert found.models["only"].modelfile is not None
    assert found.models["only"].modelfile.system == "You read."
    assert found.models["trained"].modelfile is not None
    assert found.models["trained"].modelfile.system == "You cite."
    assert {key: found.comparisons[0][key] for key in ("a", "b", "name", "question")} == {
        "a": "closed",
        "b": "open",
        "name": "q",
        "question": "Which?",
    }
    assert {*SYSTEM.values(), "You read.", "You cite."} <= {text.text for text in found.system_texts}
    assert found.condition("B") is found.conditions[1]
    assert codes(found.diagnostics) == []


def test_the_only_dataset_stands_in_for_one_that_is_missing_and_it_is_said(write: Write) -> None:
    root = write({"p.yaml": "defaults:\n  dataset: gone.jsonl\nruns:\n  - label: a\n", "data/rows.jsonl": [ROW]})
    found = workspace.open(root)
    assert found.dataset is not None
    assert found.dataset.path == "data/rows.jsonl"
    missing = diagnostic(found, "dat-file-missing")
    assert (missing.place.file, missing.place.line) == ("p.yaml", 2)
    assert missing.values["instead"] == "data/rows.jsonl"
    assert "data/rows.jsonl" in missing.values["reason"]
    assert "gone.jsonl" in next(r.detail for r in found.recognised if r.path == "data/rows.jsonl")


def test_two_datasets_stand_in_for_nothing(write: Write) -> None:
    root = write(
        {"p.yaml": "defaults: {dataset: gone.jsonl}\nruns: [{label: a}]\n", "a.jsonl": [ROW], "b.jsonl": [ROW]}
    )
    found = workspace.open(root)
    assert found.dataset
    assert (found.dataset.path, found.dataset.absent) == ("gone.jsonl", True)
    assert diagnostic(found, "dat-file-missing").values["instead"] == ""


def test_a_plan_may_not_leave_the_workspace(write: Write) -> None:
    root = write(
        {"w/p.yaml": "runs: [{label: a, model_config: ../m.yaml, judge_config: /etc/passwd}]\n", "m.yaml": "x"}
    )
    found = workspace.open(root / "w")
    assert [n.code for n in found.diagnostics if n.code.startswith("dat-path")] == [
        "dat-path-outside",
        "dat-path-outside",
    ]
    assert found.conditions[0].model == "m"


def test_faults_of_a_plan_are_notes_and_the_good_rest_loads(write: Write) -> None:
    text = """\
defaults: {promt_mode: rag, limit: 3}
runs:
  - label: a
    prompt_mode: instructoin
  - model_config: m.yaml
  - label: a
  - 7
  - {label: b, temperature: 1}
"""
    found = workspace.open(write({"p.yaml": text}))
    assert [c.name for c in found.conditions] == ["a", "b"]
    assert {code: codes(found.diagnostics).count(code) for code in set(codes(found.diagnostics))} == {
        "dat-unknown-key": 2,
        "dat-wrong-value": 2,
        "dat-duplicate-name": 1,
        "fmt-unknown-mode": 1,
    }
    assert diagnostic(found, "dat-unknown-key").values["nearest"] == "prompt_mode"
    unknown = diagnostic(found, "fmt-unknown-mode")
    assert (unknown.values["nearest"], unknown.place.line) == ("instruction", 3)


def test_an_unsaid_mode_is_rag_as_in_the_program(write: Write) -> None:
    path = write({"p.yaml": "runs: [{label: a}]\n"}) / "p.yaml"
    read, diagnostics = plan.read(path, path.parent)
    assert (read.runs[0].mode, diagnostics) == ("rag", ())


@pytest.mark.parametrize(
    ("expected", "files"),
    [
        ("Modelfile.rag_trained", ["Modelfile.rag_trained", "Modelfile.rag_trained_f16"]),
        ("x/Modelfile.my-rag_trained", ["x/Modelfile.my-rag_trained", "Modelfile.base"]),
        (None, ["a/Modelfile.rag_trained", "b/Modelfile.rag_trained"]),
        (None, ["Modelfile.rag_trained_a", "Modelfile.rag_trained_b"]),
        (None, ["Modelfile"]),
        (None, []),
    ],
)
def test_a_modelfile_is_taken_by_its_exact_name_else_when_it_is_the_only_one(
    write: Write, expected: str | None, files: list[str]
) -> None:
    model = {"m.yaml": "provider: x\nmodel: m\nmodel_type: rag_trained\n"}
    served = dict.fromkeys(files, "FROM x\n")
    found = workspace.open(write({"p.yaml": "runs: [{label: a, model_config: m.yaml}]\n"} | model | served))
    taken = found.models["m"].modelfile
    assert expected == (taken.place.file if taken else None)
    assert ("fmt-modelfile-unmapped" in codes(found.diagnostics)) == (expected is None)


def test_a_base_model_has_no_modelfile_and_needs_none(write: Write) -> None:
    plan_text = "runs: [{label: a, model_config: m.yaml}]\n"
    files = {"p.yaml": plan_text, "m.yaml": "provider: x\nmodel: m\nmodel_type: base\n", "Modelfile.base": "FROM x\n"}
    found = workspace.open(write(files))
    assert found.models["m"].modelfile is None
    assert codes(found.diagnostics) == []


def test_a_model_yaml_keeps_its_settings_and_says_what_upstream_would_refuse(write: Write) -> None:
    text = (
        "provider: x\nmodel: m\nmodel_type: tuned\nstop_sequences: END\ntop_p: 2\ntimeout: soon\napi_key: k\nwhat: 1\n"
    )
    path = write({"lora_rag_trained.yaml": text}) / "lora_rag_trained.yaml"
    model, diagnostics = model_yaml.read(path, path.parent)
    assert (model.name, model.type, model.settings["stop_sequences"]) == ("lora_rag_trained", "rag_trained", ["END"])
    wrong = [n.values["where"] for n in diagnostics if n.code == "dat-wrong-value"]
    assert sorted(wrong) == ["model_type", "timeout", "top_p"]
    assert [n.flagged for n in diagnostics if n.code == "dat-unknown-key"] == ["api_key", "what"]


def test_an_older_judge_inference_file_is_one(write: Write) -> None:
    value = {"inference": {"model": "m", "base_url": "http://h", "max_tokens": 3}, "name": "j"}
    assert model_yaml.recognise(Path("judges/x.yaml"), value)
    assert model_yaml.is_inference(Path("x.yaml"), value)
    assert not model_yaml.recognise(Path("x.yaml"), {"model": "m", "temperature": 0})


def test_a_comparisons_file_of_another_study_is_left_alone(write: Write) -> None:
    other = {"models": {"A": {"result_dir": "r/zzz"}}, "within_group_comparisons": {"g": {"comparisons": [7]}}}
    found = workspace.open(write({"p.yaml": "runs: [{label: a}]\n", "c.yaml": other}))
    assert (next(r.used for r in found.recognised if r.path == "c.yaml"), found.comparisons) == (False, ())
    assert not comparisons.recognise(Path("c.yaml"), {"comparisons": []})


@pytest.mark.realdata
def test_the_published_study_gives_its_six_conditions(shared: Path) -> None:
    found = workspace.open(shared / "data" / "prompt-formats")
    assert [(c.name, c.mode, found.models[c.model or ""].type, c.judge, c.aliases) for c in found.conditions] == [
        ("base_baseline_0p5b", "instruction", "base", "instruction", ("base_baseline",)),
        ("rag_baseline_0p5b", "rag", "base", "rag", ("rag_baseline",)),
        ("lora_science_0p5b_ft_only", "instruction", "instruction_only", "instruction", ("ft_only_instruction",)),
        ("hybrid_science_0p5b_instruction_only", "hybrid", "instruction_only", "rag", ("ft_rag_instruction",)),
        (
            "lora_science_0p5b_rag_trained_ft_only",
            "instruction",
            "rag_trained",
            "instruction",
            ("ft_only_rag_trained",),
        ),
        ("hybrid_science_0p5b_rag_trained", "rag", "rag_trained", "rag", ("ft_rag_trained",)),
    ]
    assert sorted(found.judges) == ["instruction", "rag"]
    assert found.dataset is not None
    assert found.dataset.path == "offline_dataset.jsonl"
    assert codes(found.diagnostics) == ["dat-file-missing"]
    assert found.diagnostics[0].place.line == 20
    taken = {m.name: m.modelfile.place.file if m.modelfile else None for m in found.models.values()}
    assert taken == {
        "base_ollama": None,
        "lora_instruction_only": "ollama/Modelfile.instruction_only",
        "lora_rag_trained": "ollama/Modelfile.rag_trained",
        "rag_trained_f16": "ollama/Modelfile.rag_trained_f16",  # no run names it; it stands for itself
    }
    used = {r.path: (r.what, r.used) for r in found.recognised}
    assert used["configs/judges/qwen3_8b_thinking.yaml"] == ("judge inference", True)
    assert used["configs/models/lora_rag_trained_f16.yaml"] == ("model", False)
    assert used["ollama/Modelfile.rag_trained_f16"] == ("Modelfile", True)
    assert len(found.comparisons) == 11

"""Other people's repositories open as they are: what is found in them, and that no verdict about them is wrong."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from looking import page, words

import readback
from readback import workspace
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.workspace.left_out import count_files

pytestmark = pytest.mark.realdata
INSTRUCTION, RAG = "lora_science_v1_instruction_only_ollama", "lora_science_v1_rag_trained_ollama"
NOTEBOOKS = "notebooks/finetuning"
# Each was read by hand against the files; nothing else is said of them.
FIRST = {
    "dat-file-missing": 1,  # the plan's dataset is not in the repository
    "fmt-model-type-guess": 1,  # rag_baseline_ollama.yaml states no model_type
    "fmt-model-type-inferred": 3,
    "fmt-train-serve-diff": 2,  # conditions 4 and 5, on purpose
    "oll-chatml-newline": 2,
    "oll-engine-unknown": 1,
    "oll-system-twice": 2,
    "scr-judge-is-contestant": 2,  # Qwen 2.5 judges Qwen 2.5
    "srv-estimate-only": 1,
    "trn-system-candidates": 1,  # cells 19 and 25 of lora_science_v1.ipynb
}
LATER = {
    "dat-file-missing": 1,
    "dat-several-files": 1,
    "dat-unread": 1,  # two rubrics of judges in an archive, which no plan names
    "fmt-system-mismatch": 1,  # prompts.py and the Modelfile of the instruction-only model
    "fmt-train-serve-diff": 2,
    "oll-chatml-newline": 3,
    "oll-engine-unknown": 1,
    "oll-system-twice": 3,
    "scr-judge-is-contestant": 2,
    "srv-estimate-only": 1,
}
ROWS = {  # what the sixteen rows add, as the specification has it
    "fmt-context-not-sent": 8,  # four records under two conditions
    "fmt-own-source-missing": 5,
    "fmt-rag-drift": 6,
    "fmt-reference-cites-missing": 1,
    "fmt-system-text-in-user": 32,
}


def copied(shared: Path, name: str, to: Path) -> Path:
    root = to / name
    shutil.copytree(shared / "checkouts" / name, root)
    (root / "evaluation/datasets").mkdir(parents=True)
    shutil.copy(shared / "data/prompt-formats/offline_dataset.jsonl", root / "evaluation/datasets")
    return root


def checked(root: Path, plan: str | None = None) -> Audit:
    return engine.check(workspace.open(root, chosen={"plan": plan} if plan else None))


def test_b1_the_notebooks_of_a_real_study_belong_to_their_models(shared: Path) -> None:
    found = workspace.open(shared / "checkouts/beyond-the-cutoff")
    trained = {name: model.training for name, model in found.models.items()}
    instruction, rag, base = trained[INSTRUCTION], trained[RAG], trained["rag_baseline_ollama"]
    assert instruction
    assert rag
    assert base is None
    assert instruction.text == "You are a research paper assistant."
    assert (instruction.place.file, instruction.place.field) == (
        f"{NOTEBOOKS}/lora_science_v1_instruction_only.ipynb", "cell 19")  # fmt: skip
    assert rag.text.startswith("You are a scientific research assistant who answers with concise")
    assert (rag.place.file, rag.place.field) == (f"{NOTEBOOKS}/lora_science_v1.ipynb", "cell 19")
    listed = {one.path: one for one in found.recognised}
    assert "FROM in ollama/Modelfile.rag_trained" in listed[f"{NOTEBOOKS}/lora_science_v1.ipynb"].detail
    assert not listed[f"{NOTEBOOKS}/lora_science_qwen2_5_3b.ipynb"].used
    (diagnostic,) = [one for one in found.diagnostics if one.code == "trn-system-candidates"]
    assert diagnostic.place.file == f"{NOTEBOOKS}/lora_science_v1.ipynb"
    assert "cell 19 line 79" in diagnostic.values["places"]
    assert "cell 25 line 11" in diagnostic.values["places"]
    assert (diagnostic.place.line, diagnostic.place.field) == (None, "cell 19 line 79")


def test_b7_two_plans_are_offered_and_the_larger_study_is_proposed(shared: Path) -> None:
    found = workspace.open(shared / "checkouts/beyond-the-cutoff-later")
    assert [one.name for one in found.conditions][:2] == ["base_baseline_0p5b", "rag_baseline_0p5b"]
    assert len(found.conditions) == 6
    plans = found.alternatives["plan"]
    assert [one.rpartition("/")[2] for one in plans[:2]] == [
        "six_condition_experiment.yaml", "quantization_comparison.yaml"]  # fmt: skip
    assert all("/archive/" in one for one in plans[2:])
    other = workspace.open(found.root, chosen={"plan": plans[1]})
    assert [one.name for one in other.conditions] == [
        "hybrid_science_0p5b_rag_trained_f16", "hybrid_science_0p5b_rag_trained"]  # fmt: skip
    served = {name: model.modelfile.place.file for name, model in other.models.items() if model.modelfile}
    assert served["lora_rag_trained_f16"] == "ollama/Modelfile.rag_trained_f16"
    assert served["lora_rag_trained"] == "ollama/Modelfile.rag_trained"


def test_b1_a_module_of_constants_is_a_further_place_of_the_system_message(shared: Path) -> None:
    found = workspace.open(shared / "checkouts/beyond-the-cutoff-later")
    stated = {name: [one.place.field for one in model.stated] for name, model in found.models.items() if model.stated}
    assert stated == {
        "lora_instruction_only": ["INSTRUCTION_ONLY_SYSTEM_MESSAGE"],
        "lora_rag_trained": ["RAG_SYSTEM_MESSAGE"],
    }
    (wrong,) = [one for one in checked(found.root).findings if one.code == "fmt-system-mismatch"]
    assert "src/beyond_the_cutoff/prompts.py:27" in wrong.message
    assert "ollama/Modelfile.instruction_only:37" in wrong.message


@pytest.mark.parametrize(("name", "expected"), [("beyond-the-cutoff", FIRST), ("beyond-the-cutoff-later", LATER)])
def test_real_studies_open_as_they_are_without_a_wrong_verdict(
    shared: Path, name: str, expected: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = shared / "checkouts" / name
    audit = checked(root)
    assert expected == audit.counts
    assert [one for one in audit.findings if one.place.record is not None or one.place.index is not None] == []
    assert Counter(one.key for one in readback.open(root).audit().findings) == Counter(
        one.key for one in audit.findings
    )
    found = workspace.open(root)
    assert sum(count_files(found.recognised)) == sum(not path.is_dir() for path in root.rglob("*"))
    monkeypatch.setenv("READBACK_WORKSPACE", str(root))
    said = words(page("open"))
    assert all(code in said for code in expected)


def test_every_row_of_a_real_study_is_judged_as_the_specification_has_it(shared: Path, tmp_path: Path) -> None:
    first = {code: n for code, n in FIRST.items() if code != "dat-file-missing"}
    assert {**first, **ROWS} == checked(copied(shared, "beyond-the-cutoff", tmp_path)).counts
    later = copied(shared, "beyond-the-cutoff-later", tmp_path)
    audit = checked(later)
    assert audit.counts == {**LATER, **ROWS}
    (missing,) = [one for one in audit.findings if one.code == "dat-file-missing"]
    assert missing.values["instead"] == "evaluation/datasets/offline_dataset.jsonl"
    rows = {row.name: row.system for row in audit.conditions}
    assert rows["hybrid_science_0p5b_rag_trained"] == "modelfile ollama/Modelfile.rag_trained:34"


def test_a_real_study_written_down_opens_to_the_same_findings(shared: Path, tmp_path: Path) -> None:
    for name in ("beyond-the-cutoff", "beyond-the-cutoff-later"):
        root = copied(shared, name, tmp_path)
        before = checked(root).counts
        (root / "readback.yml").write_text(workspace.init_text(workspace.open(root)), "utf-8")
        after = checked(root).counts
        guesses = {"dat-several-files", "dat-file-missing", "fmt-model-type-guess", "fmt-model-type-inferred"}
        assert {code: n for code, n in before.items() if code not in guesses} == after

"""Notebooks and scripts of a folder are found, parsed and never run, and matched to their models by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.sources.training import training_code, training_text
from readback.types import Finding, Recognised, Workspace
from readback.workspace import training

Write = Callable[[dict[str, Any]], Path]
SAYS, OWN = 'm = {"role": "system", "content": %s}\n', f"SYSTEM = {'You are kind.'!r}\n"
DATA = [{"id": "1", "question": "Why?"}]
KIND, BRIEF = "You are kind.", "You are brief."


def notebook(*cells: str) -> dict[str, Any]:
    return {"cells": [{"cell_type": "code", "source": source} for source in cells]}


def message(text: str, more: str = "") -> str:
    return f'm = [{{"role": "system", "content": {text!r}}}, {{"role": "user", "content": q}}{more}]\n'


def listed(found: Workspace, file: str) -> Recognised:
    return next(one for one in found.recognised if one.path == file)


def mismatches(root: Path) -> list[Finding]:
    return [one for one in engine.check(workspace.open(root)).findings if one.code == "fmt-system-mismatch"]


@pytest.mark.parametrize(
    "source",
    ['SYSTEM = "You are kind."\n', 'system = "You are kind."\n', message(KIND), 'chat(q, system="You are kind.")\n'],
)
@pytest.mark.parametrize("name", ["train.ipynb", "tutor.ipynb", "notebooks/train_tutor_v2.ipynb", "train_tutor.py"])
def test_b1_a_notebook_or_script_is_found_matched_and_held_against_the_modelfile(
    write: Write, source: str, name: str
) -> None:
    code = source + "open('ran', 'w').close()\n"
    root = write({"data.jsonl": DATA, "Modelfile.tutor": f"FROM x\nSYSTEM {BRIEF}\n",
                  name: notebook(code) if name.endswith("ipynb") else code})  # fmt: skip
    found = workspace.open(root)
    text = found.models["tutor"].training
    assert text
    assert (text.text, text.place.file) == (KIND, name)
    assert listed(found, name).used
    assert listed(found, name).detail.startswith("taken for tutor: ")
    (wrong,) = mismatches(root)
    assert wrong.severity == "error"
    assert wrong.values["texts"] == [KIND, BRIEF]
    assert not (root / "ran").exists()


def test_b1_each_model_gets_the_file_that_is_called_like_it(write: Write) -> None:
    files: dict[str, Any] = {
        "Modelfile.rag_trained": "FROM ../out/science_v1/x.gguf\nSYSTEM RAG.\n",
        "Modelfile.instruction_only": "FROM ../out/science_v1_instruction_only/x.gguf\nSYSTEM INSTRUCTION.\n",
        "nb/science_v1.ipynb": notebook(message("I am for RAG.")),
        "nb/science_v1_instruction_only.ipynb": notebook(message("I am for instructions.")),
        "nb/science_3b.ipynb": notebook("# ollama create x -f Modelfile.instruction_only\n" + message("I am large.")),
    }
    found = workspace.open(write(files))
    texts = {name: model.training and model.training.text for name, model in found.models.items()}
    assert texts == {"rag_trained": "I am for RAG.", "instruction_only": "I am for instructions."}
    assert "FROM in Modelfile.rag_trained" in listed(found, "nb/science_v1.ipynb").detail
    other = listed(found, "nb/science_3b.ipynb")
    assert (other.used, other.what) == (False, "code with a system message")
    assert [text.text for text in found.code_texts] == [
        "I am large.",
        "I am for RAG.",
        "I am for instructions.",
    ]


def test_b1_where_two_files_fit_as_well_none_is_taken(write: Write) -> None:
    files: dict[str, Any] = {name: notebook(message(name)) for name in ("a/tutor.ipynb", "b/tutor.ipynb")}
    found = workspace.open(write({"Modelfile.tutor": f"FROM x\nSYSTEM {BRIEF}\n", **files}))
    assert found.models["tutor"].training is None
    assert [listed(found, name).used for name in files] == [False, False]


def test_b1_code_that_is_called_like_no_model_gives_no_verdict(write: Write) -> None:
    files = {
        "Modelfile.tutor": f"FROM x\nSYSTEM {BRIEF}\n",
        "app/server.py": message(KIND),
        "judge.ipynb": notebook(message(KIND)),
    }
    root = write(files)
    assert mismatches(root) == []
    assert {file: listed(workspace.open(root), file).used for file in files} == {
        "Modelfile.tutor": True, "app/server.py": False, "judge.ipynb": False}  # fmt: skip


def test_b1_two_system_texts_of_one_notebook_are_named_with_their_cells(write: Write) -> None:
    answered = message(KIND, ', {"role": "assistant", "content": a}')
    nb = notebook("x = 1\n", message("You are curt."), answered)
    for files in ({"Modelfile.tutor": "FROM x\n", "tutor.ipynb": nb}, {"d.jsonl": DATA, "tutor.ipynb": nb}):
        found = workspace.open(write(files))
        (diagnostic,) = [one for one in found.diagnostics if one.code == "trn-system-candidates"]
        assert "cell 2 line 1 'You are curt.'" in diagnostic.values["places"]
        assert "cell 3 line 1 'You are kind.'" in diagnostic.values["places"]
        (Path(found.root) / "Modelfile.tutor").unlink(missing_ok=True)


def test_b1_of_several_messages_the_one_with_an_answer_is_what_was_trained(write: Write) -> None:
    nb = notebook(message("You are curt."), message(KIND, ', {"role": "assistant", "content": a}'))
    text, _ = training_text.read(write({"t.ipynb": nb}) / "t.ipynb", write({}))
    assert text
    assert text.text == KIND


@pytest.mark.parametrize(
    "source",
    [
        'def system_prompt(topic):\n    return f"You are an expert on {topic}."\n',
        'def make(topic):\n    system = f"You are an expert on {topic}."\n    return ask(system)\n',
        'def make(topic):\n    return [{"role": "system", "content": f"You are an expert on {topic}."}]\n',
        'ask(q, system_prompt=f"You are an expert on {topic}.")\n',
    ],
)
def test_b1_a_text_built_in_a_function_is_a_candidate_and_no_verdict(write: Write, source: str) -> None:
    root = write({"Modelfile.tutor": f"FROM x\nSYSTEM {BRIEF}\n", "tutor.ipynb": notebook(source)})
    found = workspace.open(root)
    (diagnostic,) = [one for one in found.diagnostics if one.code == "trn-system-candidates"]
    assert diagnostic.severity == "info"
    assert "You are an expert on {topic}." in diagnostic.values["places"]
    assert "(computed)" in diagnostic.values["places"]
    assert (found.models["tutor"].training, mismatches(root)) == (None, [])


@pytest.mark.parametrize(
    ("source", "files"),
    [
        ("from prompts import SYSTEM\n" + SAYS % "SYSTEM", {"prompts.py": OWN}),
        ("from lab.prompts import TUTOR as T\n" + SAYS % "T", {"src/lab/prompts.py": OWN.replace("SYSTEM", "TUTOR")}),
        ("import prompts\n" + SAYS % "prompts.SYSTEM", {"prompts.py": OWN}),
        ("from lab import prompts as p\n" + SAYS % "p.SYSTEM", {"lab/prompts.py": OWN}),
        ("from prompts import *\n" + SAYS % "SYSTEM", {"nb/prompts.py": OWN}),
        ("from prompts import SYSTEM\n" + SAYS % "SYSTEM", {"prompts.py": "from lab import SYSTEM\n", "lab.py": OWN}),
    ],
)  # fmt: skip
def test_b1_a_constant_of_a_file_nearby_is_known(write: Write, source: str, files: dict[str, str]) -> None:
    root = write({"nb/tutor.ipynb": notebook(source), **files})
    assert [one.text for one in training_code.read(root / "nb/tutor.ipynb", root).messages] == [KIND]


def test_b1_an_import_never_leads_out_of_the_folder(write: Write) -> None:
    root = write(
        {
            "prompts.py": f"SYSTEM = {KIND!r}\n",
            "w/t.py": 'from prompts import SYSTEM\nm = {"role": "system", "content": SYSTEM}\n',
        }
    )
    assert [one.text for one in training_code.read(root / "w/t.py", root / "w").messages] == [None]


def test_b1_constants_called_like_a_type_are_further_places_of_its_text(write: Write) -> None:
    root = write({
        "plan.yaml": "runs: [{label: a, model_config: m.yaml, prompt_mode: instruction}]\n",
        "m.yaml": {"provider": "x", "model": "m", "model_type": "instruction_only"},
        "Modelfile.instruction_only": "FROM x\nSYSTEM You are a research paper assistant.\n",
        "src/prompts.py": 'RAG_SYSTEM_MESSAGE = "You cite."\nINSTRUCTION_ONLY_SYSTEM_MESSAGE = "You are another."\n',
    })  # fmt: skip
    found = workspace.open(root)
    (stated,) = found.models["m"].stated
    assert (stated.text, stated.place.file, stated.place.line) == ("You are another.", "src/prompts.py", 2)
    (wrong,) = mismatches(root)
    assert "src/prompts.py:2" in wrong.message
    text = workspace.init_text(found)
    assert "stated_in: [{from: src/prompts.py, constant: INSTRUCTION_ONLY_SYSTEM_MESSAGE}]" in text
    (root / "readback.yml").write_text(text)
    assert [one.text for one in workspace.open(root).models["m"].stated] == ["You are another."]
    assert len(mismatches(root)) == 1


def test_b1_a_guess_is_written_down_as_one_and_opens_as_itself(write: Write) -> None:
    root = write(
        {"data.jsonl": DATA, "Modelfile.tutor": f"FROM x\nSYSTEM {BRIEF}\n", "tutor.ipynb": notebook(message(KIND))}
    )
    text = workspace.init_text(workspace.open(root))
    (line,) = [line for line in text.splitlines() if "tutor.ipynb" in line]
    assert "training: {system: {from: tutor.ipynb}}" in line
    assert "# a guess: taken for tutor" in line
    (root / "readback.yml").write_text(text)
    assert len(mismatches(root)) == 1


def test_b1_the_mapping_can_be_changed_and_is_written_down(write: Write) -> None:
    nb = notebook(message(KIND), message("You are curt."))
    root = write({"data.jsonl": DATA, "Modelfile.tutor": f"FROM x\nSYSTEM {BRIEF}\n", "tutor.ipynb": nb})
    for place, expected in (("tutor.ipynb#cell 2", "You are curt."), ("tutor.ipynb#cell 1", KIND), ("", None)):
        found = workspace.open(root, chosen={"training": training.format_places({"tutor": place})})
        text = found.models["tutor"].training
        assert expected == (text.text if text else None)
        written = root / "again"
        written.mkdir(exist_ok=True)
        (root / "readback.yml").write_text(workspace.init_text(found))
        again = workspace.open(root).models["tutor"].training
        assert expected == (again.text if again else None)
        (root / "readback.yml").unlink()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\0system", b'{"cells": 3, "x": "system"}', b"system(" * 5000])
@pytest.mark.parametrize("name", ["t.ipynb", "t.py"])
def test_b1_broken_code_is_listed_and_stops_nothing(write: Write, name: str, content: bytes) -> None:
    found = workspace.open(write({"data.jsonl": DATA, "Modelfile.tutor": f"FROM x\nSYSTEM {BRIEF}\n", name: content}))
    assert found.models["tutor"].training is None

"""What `readback init` writes opens to the same workspace, and says why each guess was made."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_workspace import FILES

from readback import project_files, workspace
from readback.types import NOWHERE, Condition, DatasetSource, Workspace

Write = Callable[[dict[str, Any]], Path]
KEPT = (
    "name", "prompts", "tasks", "adapters", "instructions", "context", "judges", "criteria", "sent", "options",
    "comparisons", "language", "headline", "ignore",
)  # fmt: skip


def without_places(value: object) -> str:
    """A value as text, without where it was read: that is the one thing that must differ."""
    return re.sub(r"(system_|template_)?place=Location\([^)]*\)", "", repr(value))


def bare(found: Workspace) -> tuple[DatasetSource | None, list[Condition]]:
    source = replace(found.dataset, place=NOWHERE) if found.dataset else None
    return source, [replace(condition, place=NOWHERE) for condition in found.conditions]


def written_down(root: Path) -> tuple[Workspace, Workspace, str]:
    """The workspace as it was, as it opens from what init wrote, and that text."""
    first = workspace.open(root)
    text = workspace.init_text(first)
    (root / "readback.yml").unlink(missing_ok=True)
    (root / "readback.yml").write_text(text, "utf-8")
    return first, workspace.open(root), text


def check_same(first: Workspace, second: Workspace) -> None:
    assert bare(first) == bare(second)
    for name in KEPT:
        assert without_places(getattr(first, name)) == without_places(getattr(second, name)), name
    assert {m.name: without_places(replace(m, type_reason="")) for m in first.models.values()} == {
        m.name: without_places(replace(m, type_reason="")) for m in second.models.values()
    }
    assert [(s.path, s.label) for s in first.scores] == [(s.path, s.label) for s in second.scores]
    assert {t.text for t in first.system_texts} == {t.text for t in second.system_texts}


@pytest.mark.parametrize("demo", sorted(set(project_files.demos()) - {"copied-prompts"}))  # a log is not written down
def test_a_demo_written_down_opens_as_itself(demo: str, tmp_path: Path) -> None:
    root = tmp_path / demo
    shutil.copytree(project_files.EXAMPLES / demo, root)
    first, second, _ = written_down(root)
    check_same(first, second)


@pytest.mark.parametrize("demo", sorted(set(project_files.demos()) - {"copied-prompts"}))  # a log is not written down
def test_what_is_found_in_a_demo_without_its_workspace_file_can_be_written_down(demo: str, tmp_path: Path) -> None:
    root = tmp_path / demo
    shutil.copytree(project_files.EXAMPLES / demo, root, ignore=shutil.ignore_patterns("readback.yml"))
    first, second, _ = written_down(root)
    check_same(first, second)


def test_a_whole_workspace_file_written_down_opens_as_itself(write: Write) -> None:
    first, second, _ = written_down(write(FILES))
    check_same(first, second)
    assert list(second.diagnostics) == []


def test_each_guess_has_its_reason_beside_it(write: Write) -> None:
    row = {"task_id": "1", "instruction": "Why?", "rag": {"prompt": "P", "contexts": []}}
    root = write(
        {
            "plans/p.yaml": "defaults: {dataset: gone.jsonl}\nruns: [{label: a, model_config: ../rag_trained.yaml}]\n",
            "rag_trained.yaml": "provider: x\nmodel: m\n",
            "other.yaml": "provider: x\nmodel: m\nmodel_type: base\n",
            "Modelfile.rag_trained": 'FROM x\nSYSTEM "You cite."\n',
            "d.jsonl": [row],
        }
    )
    first, second, text = written_down(root)
    check_same(first, second)
    for said in (
        "used, since it is the only dataset in the folder; the plan names gone.jsonl",
        "a guess: file name contains rag_trained",
        "taken for rag_trained: it is called Modelfile.rag_trained",
        "which the plan plans/p.yaml speaks of",
        "other.yaml: model",
    ):
        assert said in text
    assert sorted(n.code for n in first.diagnostics) == ["dat-file-missing", "fmt-model-type-inferred"]
    assert list(second.diagnostics) == []


def test_how_to_state_which_prompt_was_sent_is_written_down_as_a_comment(write: Write) -> None:
    """It is no statement until somebody takes the signs of the comment away; then scores and prompts are one."""
    scores = "id,condition,good\n1,short,1\n1,a: {b}\\nlong,0\n"
    modes = {"short": {"template": "{{ q }}"}, "a: {b}\nlong": {"template": "Well: {{ q }}"}}
    rows = '{"id": "1", "q": "Why?"}\n'
    root = write({"readback.yml": {"modes": modes, "scores": ["s.csv"]}, "s.csv": scores, "d.jsonl": rows})
    first, again, text = written_down(root)
    assert again.conditions == first.conditions == ()
    (root / "readback.yml").write_text(re.sub(r"^# (?=conditions:|- \{)", "", text, flags=re.MULTILINE), "utf-8")
    stated = workspace.open(root).conditions
    assert [(condition.name, condition.mode) for condition in stated] == [(mode, mode) for mode in modes]


def test_alternatives_are_named(write: Write) -> None:
    files = {"a.jsonl": [{"question": "a"}], "b.jsonl": [{"question": "b"}]}
    text = workspace.init_text(workspace.open(write(files)))
    assert "dataset: {path: a.jsonl}" in text
    assert "other datasets here: b.jsonl" in text


def test_hostile_names_and_texts_stay_texts(write: Write) -> None:
    name = "evil: [x]\n# yes\n.jsonl"
    text = 'modes:\n  - {mode: "a: b # c", template: "yes\\n\\t\\u2028\\u0085 {{ q }} \\"x\\" \\\\"}\n'
    root = write({"readback.yml": f"name: 'off'\n{text}", name: [{"question": "Why?"}]})
    first, second, _ = written_down(root)
    check_same(first, second)
    assert second.name == "off"
    (root / "readback.yml").unlink()
    first, second, _ = written_down(root)
    assert second.dataset is not None
    assert name == second.dataset.path


def test_fields_mapped_on_a_page_are_written_down(write: Write) -> None:
    root = write({"d.csv": "id,question\n1,Why?\n"})
    text = workspace.init_text(workspace.open(root, fields={"query": "question"}))
    assert "dataset: {path: d.csv, fields: {query: question}}" in text


@pytest.mark.realdata
@pytest.mark.parametrize(
    "folder", ["prompt-formats", "albert", "mtrag", "modelfiles", "judge-prompts", "liverag-judge"]
)
def test_a_real_folder_written_down_opens_as_itself(shared: Path, folder: str, tmp_path: Path) -> None:
    root = tmp_path / folder
    shutil.copytree(shared / "data" / folder, root, copy_function=shutil.copyfile)
    root.chmod(0o755)
    first, second, _ = written_down(root)
    check_same(first, second)

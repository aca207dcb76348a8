"""What a file is: the table of recognisers, its order, and the share of known keys that it asks for."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.scores.files import formats
from readback.scores.files.formats import list_formats, tidy
from readback.workspace.kinds import OF_MAPPINGS, OF_ROWS, classify_mapping
from readback.workspace.recognise import recognise

Write = Callable[[Mapping[str, Any]], Path]

MODEL = {"provider": "ollama", "model": "tern:1b", "max_new_tokens": 64, "temperature": 0.1}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (MODEL, "model"),
        ({**MODEL, "name": "tern", "description": "a small one", "_comment": "x", "notes": "y"}, "model"),
        ({**MODEL, "train_file": "a", "lora_r": 8, "epochs": 3}, "model"),
        ({**MODEL, "train_file": "a", "lora_r": 8, "epochs": 3, "bf16": True}, None),
        ({"model": "m", "device": "cuda", "lr": 1, "epochs": 1}, None),
        ({"name": "desk", "extends": "langchain"}, "adapter"),
        ({"name": "desk", "system_prompt": "Judge.", "model": "m", "threshold": 0.5, "batch": 4}, None),
        ({"runs": [{"label": "a"}], "defaults": {}}, "experiment plan"),
        ({"runs": [{"label": "a"}], "on": {}, "jobs": {}, "steps": []}, None),
        ({"prompts": [{"mode": "rag", "template": "a.jinja"}], "max_tokens": 1}, "prompt configuration"),
        ({"prompts": [{"template": "a"}], "routes": [], "port": 1, "workers": 2}, None),
        ({"parsing": "Be exact.", "gradng": "x"}, None),
        ({"parsing": "Be exact.", "generaton": "x"}, "user instructions"),
        ({"prompt": "{{QUESTION}}", "criteria": [], "name": "j"}, "judge prompt"),
        ({"prompt": "x", "criteria": [], "route": 1, "queue": 1, "retries": 2}, None),
        ({"dataset": {"path": "a"}, "modes": {}}, "workspace file"),
        ({"dataset": {"path": "a"}, "lr": 1, "seed": 2}, None),
        ([1, 2], None),
        ("text", None),
        (None, None),
    ],
)  # fmt: skip
def test_a_configuration_is_of_a_kind_where_most_of_its_keys_belong_to_it(value: Any, kind: str | None) -> None:
    assert classify_mapping(Path("some.yml"), value).kind == kind


def test_keys_that_anybody_writes_decide_nothing() -> None:
    remarks = {"name": "x", "description": "y", "version": 2, "$schema": "z", "x-owner": "me", "_note": "n"}
    for value in ({"extends": "langchain"}, MODEL, {"runs": [{"label": "a"}]}):
        assert classify_mapping(Path("a.yml"), {**value, **remarks}).kind is not None


def test_a_file_with_the_marks_of_a_kind_says_why_it_is_not_of_it() -> None:
    value = {"model": "m", "device": "cuda", "lr": 1, "epochs": 1, "warmup": 2, "seed": 3}
    said = "only 2 of its 6 keys belong to the kind 'model'; it has lr, epochs, warmup and 1 more"
    assert classify_mapping(Path("a.yml"), value).reason == said


def test_the_name_of_the_albert_document_decides_alone() -> None:
    assert classify_mapping(Path("prompt_config.yml"), {"port": 1}).kind == "prompt configuration"
    assert classify_mapping(Path("prompt_config.yml"), None).kind == "prompt configuration"
    assert classify_mapping(Path("other.yml"), {"port": 1}).kind is None


def test_the_order_is_written_down() -> None:
    assert list(dict.fromkeys(one.kind for one in OF_MAPPINGS)) == [
        *("prompt configuration", "experiment plan", "comparisons", "judge prompt", "model"),
        *("user instructions", "adapter", "workspace file"),
    ]
    assert [one.kind for one in OF_ROWS] == [
        *("file of another tool", "judge prompt", "scores", "answers", "answers", "training data"),
    ]
    order = (
        *("grades of a log", "judges' replies of a batch", "judge columns", "verification results", "run details"),
        *("run metadata", "run metrics", "evaluation rows", "AlpacaEval annotations", "pairwise outcomes"),
        *("judges' replies", "tidy", "means", "wide"),
    )
    assert [each.name for each in list_formats() if each.name in order] == [*order]  # a new one has its place


@pytest.mark.parametrize(
    ("columns", "kind", "detail"),
    [
        ("user_input,response,faithfulness", "scores", "wide"),
        ("id,response,relevance_score", "scores", "wide"),
        ("prompt_text,model_label,prompt_mode,response", "answers", ""),
        ("id,response", "answers", ""),
        ("id,item,score,judge,response", "scores", "tidy"),
        ("id,question,response,faithfulness", "dataset", ""),
        ("prompt,completion", "training data", "prompts with completions: prompt, completion"),
        ("id,question", "dataset", ""),
    ],
)
def test_the_most_specific_kind_of_table_wins(write: Write, columns: str, kind: str, detail: str) -> None:
    count = columns.count(",") + 1
    root = write({"t.csv": f"{columns}\n" + "".join(",".join([str(row)] * count) + "\n" for row in range(3))})
    found = recognise(root / "t.csv", root)
    assert (found.what, found.detail) == (kind, detail)


def test_a_table_of_answers_with_a_known_criterion_gives_scores(write: Write) -> None:
    from readback.scores import loading

    root = write({"a.csv": "user_input,response,faithfulness\nWhy?,So.,0.8\nWhen?,Then.,0.4\nWho?,Me.,1.0\n"})
    columns = loading.load(workspace.open(root)).columns
    assert sorted(columns.value) == [0.4, 0.8, 1.0]


@pytest.mark.parametrize("key", ["prompts", "instructions"])
def test_a_file_of_instructions_that_is_named_is_read_and_its_wrong_key_is_named(write: Write, key: str) -> None:
    root = write({"readback.yml": f"{key}: [p.yml]\n".replace("instructions: [p.yml]", "instructions: p.yml"),
                  "p.yml": "parsing: Be exact.\ngradng: x\n"})  # fmt: skip
    opened = workspace.open(root)
    assert opened.instructions["parsing"] == "Be exact."
    assert [one.flagged for one in opened.diagnostics if one.code != "dat-not-recognised"] == ["gradng"]
    assert "dat-not-recognised" not in [one.code for one in opened.diagnostics]


def test_a_named_file_of_no_kind_is_a_finding(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": "prompts: [p.json]\n", "p.json": '{"port": 1, "host": "x"}'}))
    (found,) = [one for one in opened.diagnostics if one.code == "dat-not-recognised"]
    assert found.values["reason"] == "its content is not of a kind that Readback knows"


class _Stars(types.ModuleType):
    """A score format of somebody's own: a column of stars for each answer."""

    def recognise(self, rows: Sequence[Mapping[str, Any]], asked: Any) -> bool:
        return any("stars" in row for row in rows)

    def read(self, rows: Any, head: Any, asked: Any) -> Any:
        def renamed(row: Any) -> Any:
            fields = {"item": row.fields["ticket"], "criterion": "stars", "score": row.fields["stars"]}
            return types.SimpleNamespace(fields=fields, line=row.line)

        return tidy.read((renamed(row) for row in rows), [renamed(row) for row in head], asked)


@pytest.fixture
def own_formats(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Add formats to the table of score formats by name, as somebody's copy of Readback has them."""

    def add(name: str) -> None:
        module = _Stars(name)
        added = formats.ScoreFormat(name, module.recognise, module.read)
        general = next(at for at, known in enumerate(formats.FORMATS) if known.is_general)
        monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS[:general], added, *formats.FORMATS[general:]))

    return add


@pytest.mark.parametrize(
    "columns", ["ticket,response,stars", "ticket,question,response,stars", "ticket,id,faithfulness,stars"]
)
def test_a_format_of_ones_own_reads_its_files_before_the_general_ones(
    write: Write, own_formats: Callable[[str], None], columns: str
) -> None:
    from readback.scores import loading

    own_formats("stars")
    count = columns.count(",") + 1
    root = write({"t.csv": f"{columns}\n" + "".join(",".join([str(row)] * count) + "\n" for row in range(3))})
    found = recognise(root / "t.csv", root)
    assert (found.what, found.detail) == ("scores", "stars")
    table = loading.load(workspace.open(root))
    assert [source.what for source in table.sources] == ["tidy"]
    assert sorted(table.columns.value) == [0, 1, 2]


def test_two_formats_of_ones_own_that_know_a_file_are_both_named(
    write: Write, own_formats: Callable[[str], None]
) -> None:
    own_formats("moons")
    own_formats("stars")
    root = write({"t.csv": "ticket,stars\n1,2\n"})
    assert recognise(root / "t.csv", root).detail == "moons; stars would read it as well"

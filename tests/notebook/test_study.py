"""A workspace for a program: records, model input, differences and scores are those of the commands."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import readback
from readback.cli import main
from readback.notebook.unknown_name import build_unknown_name_error
from readback.project_files import PROJECT

DEMO = PROJECT / "configs" / "examples" / "six-conditions-mistakes"
OPEN, CLOSED, RECORD = "RAG-trained, open book", "RAG-trained, closed book", "ellery-06"


@pytest.fixture(scope="module")
def study() -> readback.Study:
    return readback.open(DEMO)


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    main([*words, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def test_every_public_name_is_there_and_named() -> None:
    assert {name: getattr(readback, name).__name__ for name in readback.__all__} == {
        name: name for name in readback.__all__
    }
    assert set(readback.__all__) <= set(dir(readback))


def test_records_are_iterated_counted_and_given_by_id_or_number(study: readback.Study) -> None:
    listed = list(study.records)
    assert len(listed) == len(study.records) == 24
    assert [record.id for record in listed] == list(study.records.ids())
    assert study.records[RECORD] == listed[5] == study.records[5] == study.records[-19]
    assert study.assemble(OPEN, listed[5]).fingerprint == study.assemble(OPEN, RECORD).fingerprint


def test_records_become_a_data_frame_under_their_ids_and_no_value_is_changed(write: Any) -> None:
    rows = [{"id": "007", "q": "NA", "rag": ["a"]}, {"id": "8", "n": 3}]
    frame = readback.open(write({"data.jsonl": rows})).records.to_pandas()
    assert list(frame.index) == ["007", "8"]
    assert (frame.loc["007", "q"], frame.loc["007", "rag"], frame.loc["8", "n"]) == ("NA", ["a"], 3)
    assert frame.loc["8", ["q", "rag"]].isna().all()


def test_a_workspace_without_data_has_no_records(write: Any) -> None:
    opened = readback.open(write({"readback.yml": "modes: [{mode: m, template: Hello}]\n"}))
    assert (len(opened.records), list(opened.records), len(opened.records.to_pandas())) == (0, [], 0)
    assert opened.assemble().text() == "Hello"


def test_the_model_input_is_that_of_render(study: readback.Study, capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(capsys, "render", str(DEMO), "--condition", OPEN, "--record", RECORD, "--wire")
    read = study.model_input(OPEN, RECORD)
    assert (read.text, read.format) == (told["wire"]["text"], told["wire"]["format"])


def test_without_a_server_it_is_said_what_would_name_one(write: Any) -> None:
    opened = readback.open(write({"readback.yml": "modes: [{mode: m, template: Hello}]\n"}))
    with pytest.raises(ValueError, match="no chat format is known here; a model's serving:"):
        opened.model_input(mode="m")


def test_what_cannot_be_built_has_no_model_input_and_says_why(write: Any) -> None:
    opened = readback.open(write({"readback.yml": "modes: [{mode: m, template: '{% if %}'}]\n"}))
    with pytest.raises(ValueError, match="nothing could be built; "):
        opened.model_input(mode="m")


def test_a_comparison_is_that_of_diff(study: readback.Study, capsys: pytest.CaptureFixture[str]) -> None:
    told = answer(
        capsys, "diff", str(DEMO), "--a", f'condition="{CLOSED}",record={RECORD}', "--b", f'condition="{OPEN}"'
    )
    made = study.compare(CLOSED, OPEN, RECORD)
    assert (made.equal, made.sentence) == (told["equal"], told["sentence"])
    changed = [one for pair in told["messages"] for one in pair["changes"] if one["kind"] != "equal"]
    assert [(row["a"], row["b"]) for row in made.changes()] == [(one["text_a"], one["text_b"]) for one in changed]
    assert made.sentence in repr(made)
    counted = answer(
        capsys, "diff", str(DEMO), "--a", f'condition="{CLOSED}"', "--b", f'condition="{OPEN}"', "--records"
    )
    assert made.over_records().differing == counted["differing"] == 24


def test_a_side_may_be_anything_that_diff_compares(study: readback.Study) -> None:
    made = study.compare({"condition": OPEN, "layer": "training"}, {"layer": "wire"}, RECORD)
    assert (made.a.layer, made.b.layer) == ("training", "wire")
    assert "A  condition RAG-trained, open book, record ellery-06, layer training" in repr(made)
    same = study.compare(OPEN, {"condition": OPEN}, 3)
    assert (same.equal, list(same.changes())) == (True, [])


@pytest.mark.parametrize(
    ("a", "b", "kind", "said"),
    [
        ("gatway", OPEN, KeyError, "there is no condition 'gatway'; choose one of 'base, closed book', "),
        ({"colour": "red"}, OPEN, ValueError, "a: unknown key 'colour'"),
        ({"layer": "red"}, OPEN, ValueError, "a: layer is messages or wire or training, not 'red'"),
    ],
)
def test_a_wrong_side_says_what_there_is(study: readback.Study, a: Any, b: Any, kind: Any, said: str) -> None:
    with pytest.raises(kind, match=re.escape(said)):
        study.compare(a, b)


def test_conclusions_are_those_of_the_command(study: readback.Study, capsys: pytest.CaptureFixture[str]) -> None:
    expected = answer(capsys, "scores", str(DEMO))["conclusions"]
    assert study.conclusions() == expected
    assert {one["criterion"] for one in expected} == {"relevance", "faithfulness"}
    assert {one["fairness"] for one in expected} == {"not checked"}
    alone = study.conclusions("relevance")
    assert alone == [one for one in expected if one["criterion"] == "relevance"] != expected
    with pytest.raises(KeyError, match="there is no criterion"):
        study.conclusions("nonsense")


def test_conclusions_of_a_folder_without_scores_are_none(write: Any) -> None:
    assert readback.open(write({"data.jsonl": [{"id": "1", "q": "x"}]})).conclusions() == []


def test_scores_are_the_rows_of_the_command_with_the_interval_that_pages_show(
    study: readback.Study, capsys: pytest.CaptureFixture[str]
) -> None:
    told = answer(capsys, "scores", str(DEMO))["rows"]
    frame = study.scores()
    assert len(frame) == len(told) > 0
    for row, (_, found) in zip(told, frame.iterrows(), strict=True):
        assert (row["criterion"], row["n"], row["mean"]) == (found["criterion"], found["n"], found["mean"])
        assert row["interval_used"] == [found["ci_low"], found["ci_high"]]
        assert {**row["condition"]} == {name: found[name] for name in row["condition"]}
    assert frame["synthetic"].all()
    assert frame["ci_low"].dtype.kind == "f"


def test_a_mean_of_too_few_has_no_interval(write: Any) -> None:
    frame = readback.open(write({"s.csv": "item,condition,judge,criterion,score\n1,a,j,c,2.5\n2,a,j,c,4\n"})).scores()
    assert frame["mean"].tolist() == [3.25]
    assert frame[["ci_low", "ci_high"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"criterion": "relevanc"}, "there is no criterion 'relevanc'; choose one of '"),
        ({"judge": "x"}, "there is no judge 'x'; choose one of '"),
        ({"by": "x"}, "there is no factor 'x'; choose one of 'condition'"),
    ],
)
def test_a_wrong_name_of_a_score_says_what_there_is(study: readback.Study, asked: Any, said: str) -> None:
    with pytest.raises(KeyError) as error:
        study.scores(**asked)
    assert str(error.value).startswith(said)


AGREE = "item,condition,criterion,anna,model\n" + "".join(f"{n},a,c,{n % 3},{(n + (n > 7)) % 3}\n" for n in range(12))


def test_agreement_is_the_table_of_the_command(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    root = write({"s.csv": AGREE, "readback.yml": "scores: [{path: s.csv, judges: [anna, model], criterion: c}]\n"})
    main(["agreement", str(root), "--format", "csv"])
    told = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    frame = readback.open(root).agreement("c")
    assert [row["measure"] for row in told] == frame["measure"].tolist()
    assert [float(row["value"]) for row in told] == pytest.approx(frame["value"].tolist())
    assert {"ci_low", "ci_high"} <= set(frame.columns)


def test_where_nobody_can_agree_the_reason_is_said(study: readback.Study) -> None:
    with pytest.raises(ValueError, match="agreement needs a second judge"):
        study.agreement()


def test_of_many_names_the_nearest_is_first_and_the_rest_counted() -> None:
    said = str(build_unknown_name_error("condition", "c_77x", [f"c_{n}" for n in range(100)]))
    assert said.startswith("there is no condition 'c_77x'; choose one of 'c_77', 'c_0', 'c_1', ")
    assert said.endswith(" and 80 more")
    assert str(build_unknown_name_error("judge", "x", [])) == "there is no judge 'x': the workspace has none"


@pytest.mark.slow
def test_the_wheel_says_that_it_has_types(tmp_path: Path) -> None:
    import subprocess
    import sys
    import zipfile

    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)], cwd=PROJECT, check=True
    )
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        assert {"readback/py.typed", "readback/_bundle/app.py"} <= set(wheel.namelist())

"""Tasks of lm-eval are modes: the text or the chat of each document is that which `lm_eval run` sends."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.exporting.export import export
from readback.exporting.selections import list_default_selections
from readback.projects.lm_eval import Run, open_tasks, render_row, stream_rows
from readback.projects.lm_eval.documents import Unreadable, _give_types
from readback.projects.lm_eval.render import delimit
from readback.projects.lm_eval.shots import draw_shots, take_first_shots
from readback.projects.owned_text import OwnedText
from readback.prompts.project_messages import build_project_messages
from readback.types import Prompt, Record

LEAST = 0.95  # of all lines, as the issue asks
ROWS = [{"q": "Who?", "a": "me", "c": ["x", "y"], "g": 1}, {"q": "Où ?", "a": "là", "c": ["é", "z"], "g": 0}]
SHOTS = [{"q": "S1", "a": "A1", "c": ["p", "q"], "g": 0}, {"q": "S2", "a": "A2", "c": ["r", "s"], "g": 1}]
TASK = """task: t
dataset_path: json
dataset_kwargs: {data_files: {test: test.jsonl, train: train.jsonl}}
test_split: test
fewshot_split: train
"""
FIRST = "fewshot_config: {sampler: first_n}\nnum_fewshot: 1\n"
ASK = "doc_to_text: 'Q: {{q}}'\ndoc_to_target: '{{a}}'\n"


def write_task(folder: Path, text: str, rows: list[Any] | None = None, name: str = "t.yaml") -> Path:
    (folder / name).write_text(TASK + text, encoding="utf-8")
    for file, content in (("test.jsonl", ROWS if rows is None else rows), ("train.jsonl", SHOTS)):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    return folder / name


def render_all(path: Path, *runs: Run) -> dict[str, list[Any]]:
    """Return by mode what is sent for each document: a text, messages as pairs, or why there are none."""
    (task,) = open_tasks([path], path.parent, runs, 0)
    listed = [{"file": run.file, "shots": run.shots, "is_chat": run.is_chat, "seed": run.seed} for run in runs]
    rows = list(stream_rows({"path": str(path), "root": str(path.parent), "runs": listed}))
    answers: dict[str, list[Any]] = {}
    for mode in task.modes:
        for row in rows:
            payload = [{**mode.settings, "mode": mode.name}, {"shots": row["shots"]}, row["fields"]]
            answers.setdefault(mode.name, []).append(describe(render_row(payload)))
    return answers


def describe(answer: Mapping[str, Any]) -> Any:
    if answer.get("hidden") or answer["error"]:
        return {"error": answer.get("hidden") or answer["error"]}
    if answer["messages"] is None:
        assert "".join(part[0] for part in answer["segments"][0]) == answer["text"]
        return answer["text"]
    return [(each["role"], each["content"]) for each in answer["messages"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ASK, "Q: Who?"),
        ("doc_to_text: q\ndoc_to_target: a\n", "Who?"),
        ("doc_to_text: |\n  {{q}}\ndoc_to_target: a\n", "Who?\n"),
        ("doc_to_text: \"{{ q | regex_replace('W', 'w') }}\"\ndoc_to_target: a\n", "who?"),
        (ASK + "description: 'Be {{a}}.'\n", "Be me.Q: Who?"),
        (ASK + "gen_prefix: 'A:'\n", "Q: Who? A:"),
        (ASK + FIRST, "Q: S1 A1\n\nQ: Who?"),
        (ASK + FIRST + "target_delimiter: '|'\nfewshot_delimiter: '#'\n", "Q: S1|A1#Q: Who?"),
        (ASK + FIRST + "gen_prefix: 'A:'\n", "Q: S1 A: A1\n\nQ: Who? A:"),
        (ASK + "fewshot_config: {sampler: first_n, doc_to_text: '{{a}}?'}\nnum_fewshot: 1\n", "A1? A1\n\nQ: Who?"),
        ("doc_to_text: q\ndoc_to_target: g\ndoc_to_choice: c\n" + FIRST, "S1 p\n\nWho?"),
        ("doc_to_text: q\ndoc_to_target: '{{g}}'\ndoc_to_choice: '{{c + [1]}}'\n" + FIRST, "S1 p\n\nWho?"),
        ("doc_to_text: q\ndoc_to_target: ''\n" + FIRST, "S1Who?"),
        ("doc_to_text: q\ndoc_to_target: \"['u', 'v']\"\n" + FIRST, "S1 u\n\nWho?"),
        ("output_type: loglikelihood_rolling\ndoc_to_text: ''\ndoc_to_target: '{{a}}!'\n", "me!"),
        ("output_type: loglikelihood\n" + ASK, "Q: Who?"),
        (
            "fewshot_config: {sampler: first_n, samples: [{q: own, a: b}]}\nnum_fewshot: 1\nfewshot_split: null\n"
            "doc_to_text: '{{q}}'\ndoc_to_target: '{{a}}'\n",
            "own b\n\nWho?",
        ),
    ],
)
def test_the_text_of_a_document_is_that_of_the_tool(text: str, expected: str, tmp_path: Path) -> None:
    assert render_all(write_task(tmp_path, text))["t"][0] == expected


def test_a_chat_has_a_turn_for_each_part_and_no_delimiter(tmp_path: Path) -> None:
    path = write_task(tmp_path, ASK + FIRST + "description: D.\ngen_prefix: 'A:'\n")
    assert render_all(path)["t (chat)"][0] == [
        ("system", "D."), ("user", "Q: S1"), ("assistant", "A: A1"), ("user", "Q: Who?"), ("assistant", "A:")
    ]  # fmt: skip


def test_a_run_says_whether_it_was_a_chat_and_how_it_began(tmp_path: Path) -> None:
    path = write_task(tmp_path, ASK + FIRST + "description: D.\n")
    run = Run("results.json", {"t": 1}, is_chat=True, is_multiturn=False, system="S.")
    (task,) = open_tasks([path], tmp_path, [run], 0)
    answer = render_row([{**task.modes[0].settings, "mode": "t"}, {}, ROWS[0]])
    assert [mode.name for mode in task.modes] == ["t"]
    assert describe(answer) == [("system", "S.\n\nD."), ("user", "Q: S1 A1\n\nQ: Who?")]


def test_questions_that_are_the_choices_are_a_text_each(tmp_path: Path) -> None:
    text = "output_type: multiple_choice\ndoc_to_text: g\ndoc_to_choice: c\ndoc_to_target: a\n"
    assert render_all(write_task(tmp_path, text))["t"][0] == [("prompt", "x"), ("prompt", "y")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("doc_to_text: '{{ nope }}'\ndoc_to_target: a\n", "stops at its document 0"),
        ("doc_to_text: q\ndoc_to_target: '{{ nope.x }}'\n", "stops at its document 0"),
        ("doc_to_text: '{% if %}'\ndoc_to_target: a\n", "stops at its document 0"),
        ("doc_to_text: g\ndoc_to_target: a\n", "gives no text but 1"),
        (ASK + "output_type: guess\n", "output_type"),
        (ASK + "fewshot_config: {sampler: best}\nnum_fewshot: 1\n", "sampler 'best'"),
        (ASK + "fewshot_config: {sampler: first_n}\nnum_fewshot: 3\n", "it asks for 3 examples, and there are 2"),
        (ASK + "include: other.yaml\n", "other.yaml"),
        (ASK + "include: t.yaml\n", "includes itself"),
        (ASK + "x: !python/object:os.system []\n", "tag"),
        (ASK + "target_delimiter: 1\n", "target_delimiter"),
    ],
)
def test_what_the_tool_refuses_is_said(text: str, reason: str, tmp_path: Path) -> None:
    path = write_task(tmp_path, text)
    (task,) = open_tasks([path], tmp_path, [], 0)
    assert reason in (task.refused or "") or reason in json.dumps([each.values for each in task.diagnostics])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("doc_to_text: !function utils.ask\ndoc_to_target: a\n", "dat-made-by-code"),
        (ASK + "process_docs: !function utils.change\n", "dat-made-by-code"),
        (ASK + "process_results: !function utils.score\n", "dat-made-by-code"),
        (ASK + "num_fewshot: 2\n", "dat-shots-unknown"),
        (ASK + "num_fewshot: 1\nfewshot_config: {sampler: !function utils.Sampler}\n", "dat-shots-unknown"),
        (ASK + "dataset_path: cais/mmlu\n", "dat-documents-elsewhere"),
        (ASK + "dataset_kwargs: {data_files: {test: ../../x.jsonl}}\n", "dat-path-outside"),
        (ASK + "dataset_kwargs: {data_files: {test: /etc/passwd}}\n", "dat-path-outside"),
        (ASK + "dataset_kwargs: {data_files: {test: gone.jsonl}}\n", "dat-file-missing"),
    ],
)  # fmt: skip
def test_what_files_do_not_say_is_a_finding(text: str, code: str, tmp_path: Path) -> None:
    path = write_task(tmp_path, text)
    (task,) = open_tasks([path], tmp_path, [], 0)
    assert code in {each.code for each in task.diagnostics}


def test_examples_are_drawn_again_where_a_run_states_its_seed(tmp_path: Path) -> None:
    path = write_task(tmp_path, ASK + "num_fewshot: 1\n")
    assert "not known" in str(render_all(path)["t"][0])
    texts = render_all(path, Run("results.json", {"t": 1}, seed=7))["t"]
    assert [text.endswith(f"Q: {row['q']}") for text, row in zip(texts, ROWS, strict=True)] == [True, True]
    assert all(text.startswith(("Q: S1 A1", "Q: S2 A2")) for text in texts)


def test_a_document_is_never_its_own_example(tmp_path: Path) -> None:
    path = write_task(tmp_path, ASK + FIRST + "fewshot_split: test\n")
    assert render_all(path)["t"] == ["Q: Où ? là\n\nQ: Who?", "Q: Who? me\n\nQ: Où ?"]
    assert take_first_shots([{"q": 1}, {"q": 1}, {"q": 2}, {"q": 3}], 1, excludes=True) == [
        {"q": 1},
        {"q": 1},
        {"q": 2},
    ]
    assert draw_shots(SHOTS, SHOTS, 1, 3, excludes=True) == [[SHOTS[1]], [SHOTS[0]]]


def test_columns_have_one_type_and_what_is_missing_is_null() -> None:
    rows, _ = _give_types([{"a": 1, "b": "x"}, {"a": 1.5}, {"a": None, "c": {"d": 1}}], None)
    assert rows == [
        {"a": 1.0, "b": "x", "c": None},
        {"a": 1.5, "b": None, "c": None},
        {"a": None, "b": None, "c": {"d": 1}},
    ]
    assert isinstance(rows[0]["a"], float)
    assert _give_types([{"a": 1}, {"a": "x"}], None)[0] == [{"a": 1}, {"a": "x"}]
    assert _give_types([{"a": {"x": 1}}, {"a": {"y": 2}}], None)[0] == [{"a": {"x": 1}}, {"a": {"y": 2}}]
    null_first = [{"c": [None, "b"]}, {"c": ["a", "b"]}]
    assert _give_types(null_first, None)[0] == null_first
    assert _give_types([{"d": "2020-01-02"}, {"d": "2021-01-02"}], None)[0][0] == {"d": "2020-01-02 00:00:00"}


@given(st.text(" a\n", max_size=4), st.text(" b\n", max_size=4))
def test_a_delimiter_stands_only_between_two_texts_without_white_space(first: str, second: str) -> None:
    joined = delimit(OwnedText(first), OwnedText(second), "#").text
    assert joined.replace("#", "") == first + second
    assert ("#" in joined) == bool(first and second and not first[-1].isspace() and not second[0].isspace())


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(-9, 9) | st.text(max_size=3)), max_size=6)
)
def test_no_row_is_lost_by_its_types(rows: list[dict[str, Any]]) -> None:
    try:
        typed, _ = _give_types(rows, None)
    except Unreadable:
        return
    assert len(typed) == len(rows)
    assert all(
        str(before[name]) == str(after[name]) for before, after in zip(rows, typed, strict=True) for name in before
    )


def test_tasks_about_the_same_documents_are_modes_of_one_workspace(tmp_path: Path) -> None:
    write_task(tmp_path, ASK)
    (tmp_path / "u.yaml").write_text("include: t.yaml\ntask: u\ndescription: 'U. '\n", encoding="utf-8")
    (tmp_path / "g.yaml").write_text("group: g\ntask: [t, u]\n", encoding="utf-8")
    opened = workspace.open(tmp_path)
    assert set(opened.prompts) >= {"u", "u (chat)"}
    assert opened.dataset is not None
    assert opened.dataset.format == "documents of a task"
    assert [one.detail for one in opened.recognised if one.path == "g.yaml"] == ["a group of lm-eval: t, u"]


def test_what_another_split_lacks_stops_the_tool_and_the_documents_are_shown(tmp_path: Path) -> None:
    path = write_task(tmp_path, ASK, [{"q": "New?", "a": "b"}])
    (task,) = open_tasks([path], tmp_path, [], 0)
    assert "'c' is not in the first split" in (task.refused or "")
    assert task.rows == 1


def test_a_change_of_the_documents_is_seen(tmp_path: Path) -> None:
    path = write_task(tmp_path, ASK)
    assert read_texts(path) == ["Q: Who?", "Q: Où ?"]
    write_task(tmp_path, ASK, [{**ROWS[0], "q": "New?"}])
    assert read_texts(path) == ["Q: New?"]


def read_texts(path: Path) -> list[str]:
    out = path.parent / "out.lines"
    opened = workspace.open(path)
    with out.open("wb") as stream:
        export(opened, list_default_selections(opened), "messages-jsonl", stream)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [line["text"] for line in lines if line["prompt"] == "t"]


def test_a_prompt_of_a_task_says_which_column_wrote_what(tmp_path: Path) -> None:
    (task,) = open_tasks([write_task(tmp_path, ASK + FIRST)], tmp_path, [], 0)
    mode = task.modes[0]
    prompt = Prompt("t", mode.template, project={"tool": "lm_eval", "mode": "t", **mode.settings})
    (message,), notes = build_project_messages(prompt, Record("0", ROWS[0]))
    assert (message.role, notes) == ("prompt", ())
    assert [(part.text, part.name) for part in message.segments][-1] == ("Who?", "q")


@pytest.mark.realdata
def test_what_lm_eval_sent_equals_its_tasks(shared: Path) -> None:
    folder = shared / "vectors" / "ecosystem" / "lm-eval"
    lines = [json.loads(line) for line in (folder / "expected.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line.get("row") is not None]
    texts = {}
    for case in {line["case"] for line in lines}:
        opened = workspace.open(folder / case)
        out = open_out(opened)
        texts |= {(case, row["index"]): row.get("text") or row.get("messages") for row in out}
    equal = [line for line in lines if texts.get((line["case"], line["row"])) == (line.get("text") or line["messages"])]
    assert len(equal) >= LEAST * len(lines)


def open_out(opened: Any) -> list[Any]:
    out = io.BytesIO()
    export(opened, list_default_selections(opened), "messages-jsonl", out)
    return [json.loads(line) for line in out.getvalue().splitlines()]

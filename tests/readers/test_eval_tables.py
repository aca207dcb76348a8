"""Tables of ragas, deepeval and MLflow: questions, answers and grades; a failed judge gives no number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import read_log_files as logs
from counts import many
from hypothesis import given, settings
from hypothesis import strategies as st
from log_events import check_frames

from readback.readers.logs import formats
from readback.readers.logs.events import LogScore


@pytest.mark.realdata
def test_every_expected_row_has_its_answer_and_its_scores(shared: Path) -> None:
    wrong = []
    for first, expected in logs.list_expected(shared, "eval-tables"):
        for name in expected["file"]:
            path = first.parent / name
            events = logs.read_log(path)
            calls = logs.calls_of(events)
            if expected["row"] is None:
                call = next(call for call in calls if call.messages == expected["messages"])
            else:
                call = next(call for call in calls if call.index == expected["row"])
            if call.output != expected["answer"] or call.messages != expected["messages"]:
                wrong.append((name, call.index, call.output, call.messages))
            scores = {score.criterion: score for score in logs.scores_of(events) if score.record == call.record}
            if scores.keys() != expected["scores"].keys():
                wrong.append((name, call.index, sorted(scores), None))
            wrong += [
                (name, call.index, criterion, scores[criterion])
                for criterion, value in expected["scores"].items()
                if not _is_equal(scores[criterion], value)
            ]
    assert wrong == []


def _is_equal(score: LogScore, expected: Any) -> bool:
    if expected is None:
        return score.value is None and score.status == "failed"
    number = {"yes": 1, "no": 0}.get(expected, expected) if isinstance(expected, str) else expected
    return score.value == number and score.raw == expected and score.status == "scored"


RAGAS_CSV = (
    "user_input,retrieved_contexts,response,reference,faithfulness,answer_relevancy\n"
    'Who?,"[\'[1] It\'\'s ""so"".\', \'b, c\']","A\nB",Ref,1.0,0.83\n'.replace("''", "\\'")
    + "Qui ?,[],,Ref,0.0,\n"
)
RAGAS_ROWS = [
    {"user_input": "Who?", "retrieved_contexts": ["a"], "response": "A", "reference": "R", "faithfulness": 0.5},
    {"user_input": "Qui ?", "retrieved_contexts": [], "response": "B", "reference": "R", "faithfulness": None},
]


def test_lists_in_a_table_of_ragas_are_read_as_literals_and_an_empty_grade_has_failed(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(RAGAS_CSV, "utf-8")
    events = logs.read_log(path)
    assert logs.records_of(events)[0].fields["retrieved_contexts"] == ['[1] It\'s "so".', "b, c"]
    assert [call.output for call in logs.calls_of(events)] == ["A\nB", None]
    grades = [(score.record, score.criterion, score.value, score.status) for score in logs.scores_of(events)]
    assert grades == [
        (0, "faithfulness", 1.0, "scored"),
        (0, "answer_relevancy", 0.83, "scored"),
        (1, "faithfulness", 0.0, "scored"),
        (1, "answer_relevancy", None, "failed"),
    ]


def test_rows_of_ragas_as_json_lines_have_scores(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in RAGAS_ROWS), "utf-8")
    scores = [(score.record, score.value, score.status) for score in logs.scores_of(logs.read_log(path))]
    assert scores == [(0, 0.5, "scored"), (1, None, "failed")]


LITERALS = [
    ("['a' 'b']", "['a' 'b']"),
    ("[1, 2]", [1, 2]),
    ("[__import__('os').system('true')]", "[__import__('os').system('true')]"),
    ("[open('/etc/passwd')]", "[open('/etc/passwd')]"),
    ("[" * 5_000 + "]" * 5_000, "[" * 5_000 + "]" * 5_000),
    ("['a'", "['a'"),
]


@pytest.mark.parametrize(("cell", "expected"), LITERALS)
def test_a_cell_that_is_no_list_of_python_stays_text(tmp_path: Path, cell: str, expected: Any) -> None:
    path = tmp_path / "scores.csv"
    quoted = cell.replace('"', '""')
    path.write_text(f'user_input,retrieved_contexts,response,faithfulness\nq,"{quoted}",a,1\n', "utf-8")
    assert expected == logs.records_of(logs.read_log(path))[0].fields["retrieved_contexts"]


NO_TABLES = [
    ("user_input,response,comment\nq,a,good\n", "rows.csv"),
    ("user_input,reference_contexts,reference\nq,[],a\n", "testset.csv"),
    ("user_input,response,faithfulness\nq,a,1\n", "scores.csv"),
    ("user_input,response,reference,year\nq,a,b,1998\n", "rows.csv"),
    ("question,answer,contexts\nq,a,[]\n", "rows.csv"),
    ("record,value\na,1\n", "scores.csv"),
    ('{"testCases": []}', "run.json"),
    ('{"cases": [{"input": "a", "metricsData": []}]}', "run.json"),
    ("request,response,score\nq,a,1\n", "rows.csv"),
]


@pytest.mark.parametrize(("text", "name"), NO_TABLES)
def test_a_table_without_the_marks_of_a_tool_is_left_alone(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert formats.find_format(path) is None


DEEPEVAL = {"testFile": "t.py", "testCases": [
    {"name": "a", "input": "Who?", "actualOutput": "A", "metricsData": [
        {"name": "Answer Relevancy", "score": 0.0, "success": False, "evaluationModel": "j"},
        {"name": "Faithfulness", "success": False, "error": "no JSON"},
        {"name": "G-Eval Tone", "score": None},
    ]},
    {"name": "a", "input": "Qui ?", "actualOutput": "B", "metricsData": None},
    "damaged",
], "conversationalTestCases": [
    {"name": "c", "turns": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
     "metricsData": [{"name": "Role Adherence", "score": 1}]},
]}  # fmt: skip


def test_a_run_of_deepeval_has_each_case_and_failed_metrics_without_a_number(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(DEEPEVAL, indent=1), "utf-8")
    events = logs.read_log(path)
    assert [call.record for call in logs.calls_of(events)] == ["a", 1, None, "c"]
    assert [call.output for call in logs.calls_of(events)] == ["A", "B", None, "Hello"]
    assert [(score.criterion, score.judge, score.value, score.status) for score in logs.scores_of(events)] == [
        ("answer_relevancy", "j", 0.0, "scored"),
        ("faithfulness", None, None, "failed"),
        ("g_eval_tone", None, None, "failed"),
        ("role_adherence", None, 1.0, "scored"),
    ]


MLFLOW_CSV = (
    "trace_id,exact/value,graded/value,graded/error_message,expected_response/value,request,response,state\n"
    'tr-1,True,,no JSON,90 m,"{""messages"": [{""role"": ""user"", ""content"": ""How long?""}]}",90 m,OK\n'
    "tr-2,yes,0.5,,90 m,How wide?,,ERROR\n"
)


def test_a_table_of_mlflow_without_assessments_is_read_by_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(MLFLOW_CSV, "utf-8")
    events = logs.read_log(path)
    first, second = logs.calls_of(events)
    assert first.messages == [{"role": "user", "content": "How long?"}]
    assert (first.output, first.error) == ("90 m", None)
    assert (second.output, second.error) == (None, "the trace failed")
    assert [(score.record, score.criterion, score.value, score.status) for score in logs.scores_of(events)] == [
        ("tr-1", "exact", 1.0, "scored"),
        ("tr-1", "graded", None, "failed"),
        ("tr-2", "exact", 1.0, "scored"),
        ("tr-2", "graded", 0.5, "scored"),
    ]


SAMPLES = (
    RAGAS_CSV.encode(),
    b"".join(json.dumps(row).encode() + b"\n" for row in RAGAS_ROWS),
    json.dumps(RAGAS_ROWS, indent=1).encode(),
    json.dumps(DEEPEVAL, indent=1).encode(),
    MLFLOW_CSV.encode(),
)
places = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 600)), max_size=6)


@pytest.mark.long
@settings(max_examples=many(2_000, 20))
@given(st.sampled_from(SAMPLES), places)
def test_damaged_files_are_accounted_for(tmp_path_factory: pytest.TempPathFactory, sample: bytes, places: Any) -> None:
    path = tmp_path_factory.mktemp("damaged") / "damaged.jsonl"
    path.write_bytes(logs.mutate(sample, places))
    formats.find_format(path)
    for key in ("ragas_table", "mlflow_table", "deepeval_run"):
        events = list(formats.get_format(key).read(path, path.name))
        check_frames(path, key)
        calls = logs.calls_of(events)
        assert list(range(logs.counts_of(events)["rows"])) == [call.index for call in calls]
        assert all(score.value is None for score in logs.scores_of(events) if score.status != "scored")

"""Samples and results of lm-evaluation-harness become calls, scores and means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from log_events import check_frames, count_runs, iterate_lines, list_events, mutate, read_log

from readback.readers.logs.events import Aggregate, Call, LogRecord, LogScore, Run
from readback.readers.logs.formats import find_format
from readback.types import Diagnostic

SAMPLES, RESULTS = "lm_eval_samples", "lm_eval_results"
CHAT = [{"role": "system", "content": "é"}, {"role": "user", "content": "Q"}]


@pytest.fixture(scope="module")
def vectors(shared: Path) -> Path:
    """The folder of what lm-evaluation-harness wrote and what is expected of it."""
    return shared / "vectors" / "ecosystem" / "lm-eval"


def make_sample(document: int = 0, **changes: Any) -> dict[str, Any]:
    """Return a sample as lm-eval writes it."""
    sample: dict[str, Any] = {
        "doc_id": document,
        "doc": {"id": f"own {document}", "q": "Why?"},
        "target": "because",
        "arguments": {"gen_args_0": {"arg_0": f"Q{document}:", "arg_1": {"until": ["\n"]}}},
        "resps": [["so"]],
        "filtered_resps": ["so"],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "a",
        "exact_match": 1.0,
    }
    return sample | changes


def write_samples(folder: Path, samples: list[Any], name: str = "samples_my_task_2026-11-22T05-12-02.82.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), "utf-8")
    return path


def read_samples(folder: Path, samples: list[Any], name: str = "samples_my_task.jsonl") -> dict[type, list[Any]]:
    return read_log(write_samples(folder, samples, name), SAMPLES)


@pytest.mark.realdata
def test_every_expected_sample_is_read(vectors: Path) -> None:
    lines = [line for line in iterate_lines(vectors / "expected.jsonl") if "observed_file" in line]
    assert lines
    logs = {
        path: read_log(path, SAMPLES) for path in {vectors / line["case"] / line["observed_file"] for line in lines}
    }
    for line in lines:
        events = logs[vectors / line["case"] / line["observed_file"]]
        [call] = [call for call in events[Call] if call.index == line["row"]]
        assert line.get("messages") == call.messages
        assert line.get("text") == call.text
        assert line["condition"] == call.condition
        assert line.get("continuations") == call.details.get("continuations")
        assert line.get("settings") == call.details.get("settings")
        assert (line["filtered"], line["target"]) == (call.details["filtered"], call.details["target"])
        answers = line["answers"]
        is_text = len(answers) == len(answers[0]) == 1 and "continuations" not in line
        assert (answers[0][0] if is_text else answers) == call.output
        scores = [score for score in events[LogScore] if score.record == call.record]
        assert line["scores"] == {score.criterion: score.raw for score in scores}
        for score in scores:
            is_list = isinstance(score.raw, list)
            assert (score.value, score.status) == ((None, "not applicable") if is_list else (score.raw, "scored"))
        [record] = [record for record in events[LogRecord] if record.id == call.record]
        assert line["doc"] == {key: value for key, value in record.fields.items() if key in line["doc"]}
    for events in logs.values():
        assert not events[Diagnostic]
        assert events[Run][0].is_complete
        assert all(call.model for call in events[Call])


@pytest.mark.realdata
def test_every_expected_mean_is_read(vectors: Path) -> None:
    lines = [line for line in iterate_lines(vectors / "expected.jsonl") if line.get("kind") == "results"]
    assert lines
    for line in lines:
        events = read_log(vectors / line["case"] / line["file"], RESULTS)
        means = {(a.condition, a.criterion, a.name == "standard error"): a for a in events[Aggregate]}
        count = 0
        for task, metrics in line["results"].items():
            for key, value in metrics.items():
                if "," in key:
                    metric = key.split(",")[0]
                    mean = means[task, metric.removesuffix("_stderr"), metric.endswith("_stderr")]
                    assert (None if value == "N/A" else value) == mean.value
                    assert line["n_samples"][task]["effective"] == mean.n
                    count += 1
        assert count == len(means)
        assert events[Run][0].details["n_shot"] == line["n_shot"]


@pytest.mark.realdata
def test_the_order_of_rows_is_that_of_means(vectors: Path) -> None:
    for path in vectors.glob("*/output/samples*.jsonl"):
        scores = read_log(path, SAMPLES)[LogScore]
        for mean in read_log(path.parent / "results.json", RESULTS)[Aggregate]:
            values = [score.value for score in scores if score.criterion == mean.criterion]
            if mean.name == "mean":
                assert sum(values) / len(values) == pytest.approx(mean.value)


def test_a_chat_is_a_list_with_one_text(tmp_path: Path) -> None:
    arguments = {"gen_args_0": {"arg_0": [json.dumps(CHAT)], "arg_1": {}}}
    [call] = read_samples(tmp_path, [make_sample(arguments=arguments)])[Call]
    assert (call.messages, call.text) == (CHAT, None)


@pytest.mark.parametrize("context", [["[{"], [1, 2], 5, {"a": 1}, ["[1]"], None, ["a", "b"]])
def test_what_is_neither_text_nor_chat_is_shown_with_a_warning(tmp_path: Path, context: Any) -> None:
    [call] = read_samples(tmp_path, [make_sample(arguments=[[context, {}]])])[Call]
    assert call.messages is None
    assert call.warning


def test_old_files_have_lists(tmp_path: Path) -> None:
    old = make_sample(arguments=[["Q:", " a"], ["Q:", " b"]], resps=[[[-1, False]], [[-2, False]]])
    del old["metrics"], old["filter"]
    path = tmp_path / "pretrained__gpt2_my_task.jsonl"
    path.write_text(json.dumps([old, make_sample(1)], indent=2), "utf-8")
    (tmp_path / "results.json").write_text('{"results": {"my_task": {}}, "versions": {}, "config": {"model": "hf"}}')
    events = read_log(path, SAMPLES)
    assert [(c.text, c.details.get("continuations")) for c in events[Call]] == [("Q:", [" a", " b"]), ("Q1:", None)]
    assert {(call.condition, call.model) for call in events[Call]} == {("my_task", "hf")}
    assert [s.criterion for s in events[LogScore]] == ["exact_match", "exact_match"]


def test_texts_that_differ_are_several_calls(tmp_path: Path) -> None:
    arguments = {f"gen_args_{n}": {"arg_0": text, "arg_1": " x"} for n, text in enumerate("abab")}
    calls = read_samples(tmp_path, [make_sample(arguments=arguments, resps=[[1], [2], [3], [4]])])[Call]
    assert [(c.text, c.call, c.output) for c in calls] == [("a", 0, [[1], [3]]), ("b", 1, [[2], [4]])]
    assert [c.is_answer for c in calls] == [True, False]


def test_arguments_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    arguments = {f"gen_args_{n}": {"arg_1": f" {n}", "arg_0": "Q"} for n in (10, 2, 0)}
    [call] = read_samples(tmp_path, [make_sample(arguments=arguments)])[Call]
    assert call.details["continuations"] == [" 0", " 2", " 10"]


def test_filters_are_criteria_and_one_call(tmp_path: Path) -> None:
    samples = [
        make_sample(n, filter=name, filtered_resps=["[invalid]" if n else "so"], exact_match=n)
        for name in ("strict-match", "flexible-extract")
        for n in range(3)
    ]
    events = read_samples(tmp_path, samples)
    assert [call.record for call in events[Call]] == [0, 1, 2]
    assert [call.warning is not None for call in events[Call]] == [False, True, True]
    assert {"exact_match,strict-match", "exact_match,flexible-extract"} == {s.criterion for s in events[LogScore]}
    assert len(events[LogScore]) == 6
    assert {call.details["filter"] for call in events[Call]} == {"strict-match"}


def test_a_document_again_is_a_replicate(tmp_path: Path) -> None:
    calls = read_samples(tmp_path, [make_sample(0), make_sample(1), make_sample(0), make_sample(0)])[Call]
    assert [(call.record, call.epoch) for call in calls] == [(0, 1), (1, 1), (0, 2), (0, 3)]
    assert [call.index for call in calls] == [0, 1, 2, 3]


def test_replies_of_repeats_stay_a_list(tmp_path: Path) -> None:
    [call] = read_samples(tmp_path, [make_sample(resps=[["a", "b"]])])[Call]
    assert call.output == [["a", "b"]]


def test_grades_that_are_no_numbers_are_not_counted(tmp_path: Path) -> None:
    metrics = {"a": float("nan"), "b": None, "c": [1, 2], "d": "x", "e": True, "f": 2}
    scores = read_samples(tmp_path, [make_sample(metrics=[*metrics, "missing", 7], **metrics)])[LogScore]
    assert {s.criterion: (s.value, s.status) for s in scores} == {
        "a": (None, "failed"),
        "b": (None, "failed"),
        "c": (None, "not applicable"),
        "d": (None, "not applicable"),
        "e": (1.0, "scored"),
        "f": (2.0, "scored"),
        "missing": (None, "missing"),
    }


def test_the_task_is_that_of_the_results_of_the_same_run(tmp_path: Path) -> None:
    facts = {
        "results": {"my": {}, "my_task": {}},
        "configs": {},
        "versions": {},
        "model_name": "m",
        "n-samples": {"my_task": {"effective": 5}},
    }
    (tmp_path / "results_2026-11-22T05-12-02.82.json").write_text(json.dumps(facts))
    (tmp_path / "results_2026-11-23T05-12-02.82.json").write_text(json.dumps(facts | {"model_name": "other"}))
    events = read_log(write_samples(tmp_path, [make_sample()]), SAMPLES)
    assert (events[Call][0].condition, events[Call][0].model) == ("my_task", "m")
    assert not events[Run][0].is_complete
    assert "5 documents" in events[Run][0].state_reason


def test_without_results_the_name_of_the_file_counts(tmp_path: Path) -> None:
    assert read_log(write_samples(tmp_path, [make_sample()]), SAMPLES)[Call][0].condition == "my_task"
    assert read_samples(tmp_path, [make_sample()], "other.jsonl")[Call][0].condition == "other"


def test_groups_are_no_items(tmp_path: Path) -> None:
    value = {
        "results": {"g": {"acc,none": 1}, "t": {"acc,none": 0.5, "em,strict": 1, "alias": "t"}},
        "group_subtasks": {"g": ["t"], "t": []},
        "configs": {"t": {"metric_list": [{"metric": "em", "aggregation": "median"}]}},
        "versions": {},
        "n-shot": {},
    }
    path = tmp_path / "results.json"
    path.write_text(json.dumps(value))
    events = read_log(path, RESULTS)
    assert [(a.condition, a.criterion, a.name) for a in events[Aggregate]] == [
        ("t", "acc", "mean"),
        ("t", "em,strict", "median"),
    ]
    assert [d.code for d in events[Diagnostic]] == ["dat-log-part"]


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [None], {"a": {"b": []}}, -1, 1.5, 10**40])
def test_members_of_other_kinds_raise_nothing(tmp_path: Path, value: Any) -> None:
    for key in make_sample():
        path = write_samples(tmp_path, [make_sample(), make_sample(1) | {key: value}])
        parts = check_frames(path, SAMPLES)
        assert len(parts["calls"]) >= 1
    whole = {
        "results": {"t": {"acc,none": 1}},
        "configs": {},
        "versions": {},
        "n-shot": {},
        "n-samples": {},
        "config": {},
        "group_subtasks": {},
        "model_name": "x",
    }
    path = tmp_path / "results.json"
    for key in whole:
        path.write_text(json.dumps(whole | {key: value}))
        check_frames(path, RESULTS)
    path.write_text(json.dumps(whole | {"results": {"t": {"acc,none": value}, "u": value}}))
    check_frames(path, RESULTS)


def test_evil_samples_are_named_or_shown(tmp_path: Path) -> None:
    good = json.dumps(make_sample())
    rows = [
        good,
        good.replace('"doc_id": 0', '"doc_id": 1, "doc": ' + '{"a":' * 3000 + "1" + "}" * 3000),
        json.dumps(make_sample(2, resps=[["\ud800"]], doc={"x": "\udc00"})),
        json.dumps(make_sample(3, target="x" * (17 << 20))),
        good.replace('"doc_id": 0', '"doc_id": 9, "doc_id": 4'),
        good.replace('"doc_id": 0', '"doc_id": 5').replace('"Why?"', "NaN").replace('"so"', "Infinity"),
        "{",
        "[1]",
        "",
        '{"doc_id": 7',
    ]
    path = tmp_path / "samples_t.jsonl"
    path.write_bytes("\n".join(rows).encode() + b'\n{"doc_id": "\xff"}')
    parts = check_frames(path, SAMPLES)
    assert [call["record"] for call in parts["calls"]][:6] == [0, None, 2, None, 4, 5]
    assert all(call["error"] for call in parts["calls"][6:])
    assert len(parts["calls"]) == 10


@pytest.mark.parametrize("indent", [None, 1])
def test_damaged_samples_raise_nothing_and_lose_nothing(indent: int | None, tmp_path: Path) -> None:
    samples = [make_sample(n) for n in range(6)]
    text = "\n".join(map(json.dumps, samples)) if indent is None else json.dumps(samples, indent=indent)
    path = tmp_path / "samples_t.jsonl"
    for seed in range(count_runs(1000)):
        path.write_bytes(mutate(text.encode(), seed))
        parts = check_frames(path, SAMPLES)
        find_format(path)
        readable = [call for call in parts["calls"] if call["record"] is not None]
        complaints = parts["diagnostics"] or any(not run["is_complete"] for run in parts["runs"])
        assert len(readable) == len(parts["calls"]) or complaints, seed


def test_damaged_results_raise_nothing(tmp_path: Path) -> None:
    value = {
        "results": {"t": {"acc,none": 0.5, "acc_stderr,none": "N/A"}},
        "group_subtasks": {"t": []},
        "configs": {"t": {"metric_list": []}},
        "versions": {},
        "n-shot": {"t": 1},
    }
    path = tmp_path / "results.json"
    whole = json.dumps(value, indent=2).encode()
    for seed in range(count_runs(1000)):
        path.write_bytes(mutate(whole, seed))
        events = list_events(path, RESULTS)
        [run] = [event for event in events if isinstance(event, Run)]
        means = [event for event in events if isinstance(event, Aggregate)]
        assert len(means) >= 2 or not run.is_complete or len(mutate(whole, seed)) != len(whole), seed

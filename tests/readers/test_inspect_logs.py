"""Logs of Inspect are read as the tool wrote them: every request, its reply, the scores; and no damage raises."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from readback.readers.logs.events import Aggregate, Call, Event, LogRecord, LogScore, Run
from readback.readers.logs.formats import find_format
from readback.readers.logs.formats.inspect.sample import convert_score

CASES = "vectors/ecosystem/inspect_ai"


def read_events(path: Path) -> list[Event]:
    log = find_format(path)
    assert log is not None, path
    assert log.key == "inspect"
    return list(log.read(path, path.name))


def keep(events: Iterable[Event], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def list_logs(shared: Path) -> list[tuple[str, Path, list[dict[str, Any]]]]:
    folder = shared / CASES
    lines = [json.loads(line) for line in (folder / "expected.jsonl").read_text("utf-8").splitlines()]
    files = sorted({(line["case"], name) for line in lines for name in _list_names(line["file"])})
    return [
        (
            f"{case}/{name}",
            folder / case / name,
            [e for e in lines if e["case"] == case and name in _list_names(e["file"])],
        )
        for case, name in files
    ]


def _list_names(file: str | list[str]) -> list[str]:
    return [file] if isinstance(file, str) else file


def project(value: Any, model: Any) -> Any:
    """Return of a value only the keys that the expected one has; the vectors leave out ids and notes of the tool."""
    if isinstance(model, dict) and isinstance(value, dict):
        return {key: project(value.get(key), item) for key, item in model.items()}
    if isinstance(model, list) and isinstance(value, list) and len(model) == len(value):
        return [project(*pair) for pair in zip(value, model, strict=True)]
    return value


@pytest.mark.realdata
def test_every_expected_line_of_every_log_is_read(shared: Path) -> None:
    logs = list_logs(shared)
    assert logs
    for name, path, lines in logs:
        events = read_events(path)
        [run] = keep(events, Run)
        for line in lines:
            if line.get("kind") == "log":
                assert_run(name, run, keep(events, Aggregate), line)
        samples = [line for line in lines if line.get("kind") != "log"]
        keys = list(dict.fromkeys((call.record, call.epoch) for call in keep(events, Call)))
        assert sorted(keys, key=str) == sorted(((line["id"], line["epoch"]) for line in samples), key=str), name
        for line in samples:
            assert_sample(f"{name} {line['id']} {line['epoch']}", events, line)


def assert_run(name: str, run: Run, aggregates: list[Aggregate], line: dict[str, Any]) -> None:
    assert (run.state, run.name, run.state_reason) == (line["status"], line["task"], line["error"]), name
    assert run.is_complete == (line["status"] == "success"), name
    expected = {
        (block["scorer"], block["name"], f"{metric} ({block['reducer']})" if block["reducer"] else metric):
        (value, block["scored"], block["unscored"])
        for block in line["metrics"]
        for metric, value in block["metrics"].items()
    }  # fmt: skip
    read = {(a.judge, a.criterion.split(".")[-1], a.name): (a.value, a.n, a.unscored) for a in aggregates}
    assert read == expected, name


def assert_sample(name: str, events: list[Event], line: dict[str, Any]) -> None:
    calls = [e for e in keep(events, Call) if (e.record, e.epoch) == (line["id"], line["epoch"])]
    recorded = [call for call in calls if not (call.warning or "").startswith("the log holds no request")]
    assert [call.call for call in calls] == list(range(len(calls))), name
    for call, expected in zip(recorded, line["calls"], strict=True):
        assert project(call.messages, expected["messages"]) == expected["messages"], name
        assert (call.output, call.model) == (expected["output"], expected["model"]), name
        assert (call.role == "judge") == (expected["model"] != line["condition"]), name
        assert call.condition == line["condition"], name
    [answer] = [call for call in calls if call.is_answer and call.role == "model"]
    assert answer.error == line["error"], name
    assert project(answer.details["conversation"], line["messages"]) == line["messages"], name
    record = next(e for e in keep(events, LogRecord) if e.id == line["id"])
    for field in ("input", "target", "metadata", "choices"):
        assert record.fields.get(field) == line[field], name
    assert_scores(name, events, line)


def assert_scores(name: str, events: list[Event], line: dict[str, Any]) -> None:
    scores = [e for e in keep(events, LogScore) if (e.record, e.epoch) == (line["id"], line["epoch"])]
    read = {score.criterion: score for score in scores if score.status != "missing"}
    expected = {}
    for scorer, score in line["scores"].items():
        value = score["value"]
        expected.update({f"{scorer}.{k}": v for k, v in value.items()} if isinstance(value, dict) else {scorer: value})
    assert {criterion: score.raw for criterion, score in read.items()} == expected, name
    for criterion, value in expected.items():
        assert read[criterion].status == ("failed" if value is None else "scored"), name
        assert read[criterion].value == convert_score(value), name


def list_texts(call: Call) -> list[tuple[Any, Any]]:
    return [(message["role"], message["content"]) for message in call.messages or ()]


@pytest.mark.realdata
def test_the_two_spellings_of_a_log_give_the_same_calls_in_the_same_order(shared: Path) -> None:
    for folder in sorted((shared / CASES).iterdir()):
        if (folder / "log.json").exists():
            packed, plain = (
                [(c.index, c.record, c.epoch, c.call, list_texts(c), c.output) for c in keep(read_events(path), Call)]
                for path in (folder / "log.eval", folder / "log.json")
            )
            assert packed == plain, folder.name

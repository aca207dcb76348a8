"""Logs of Inspect are read as the tool wrote them: every request, its reply, the scores; and no damage raises."""

from __future__ import annotations

import gzip
import json
import tempfile
import warnings
import zipfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from counts import many
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readback.readers.logs.events import Aggregate, Call, Event, LogRecord, LogScore, Run
from readback.readers.logs.formats import find_format
from readback.readers.logs.formats import inspect as inspect_log
from readback.readers.logs.formats.inspect import archive, byte_walk, json_log
from readback.readers.logs.formats.inspect.sample import convert_score
from readback.types import Diagnostic

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
    assert (run.state, run.name) == (line["status"], line["task"]), name
    assert (line["error"] or "") in (run.state_reason or ""), name
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


def make_sample(identity: Any = 1, epoch: int = 1, **more: Any) -> dict[str, Any]:
    """A sample of one call, in the words of logs before messages were pooled."""
    output = {"choices": [{"message": {"role": "assistant", "content": "Yes."}, "stop_reason": "stop"}]}
    request = {"event": "model", "model": "m", "input": [{"role": "user", "content": "Why?"}], "output": output}
    return {
        "id": identity, "epoch": epoch, "input": "Why?", "target": "Yes", "messages": [], "output": output,
        "scores": {"match": {"value": "C"}}, "events": [request], **more,
    }  # fmt: skip


HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "plan": {}}


def write_archive(path: Path, members: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", method) as archive:
        warnings.simplefilter("ignore")  # two members of one name
        for name, content in members:
            archive.writestr(name, content)
    return path


def write_log(path: Path, *samples: Any, header: dict[str, Any] = HEADER) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps({**header, "samples": samples}), "utf-8")
        return path
    members = [(f"samples/{s['id']}_epoch_{s['epoch']}.json", json.dumps(s).encode()) for s in samples]
    return write_archive(path, [*members, ("header.json", json.dumps(header).encode())])


def list_reasons(events: Iterable[Event]) -> list[str]:
    return [str(e.values.get("reason") or e.values.get("what")) for e in keep(events, Diagnostic)]


def test_a_score_is_the_number_that_inspect_counts_it_as() -> None:
    table = {
        "C": 1, "I": 0, "P": 0.5, "N": 0, "yes": 1, "False": 0, " 2.5 ": 2.5, "1e3": 1000, "-.5": -0.5, "1_0": None,
        "good": None, "": None, "1e999": None, True: 1, 3: 3, 0.25: 0.25,
    }  # fmt: skip
    assert {value: convert_score(value) for value in table} == table
    assert [convert_score(value) for value in (None, [1], {"a": 1})] == [None, None, None]


def test_a_score_without_a_grade_is_failed_and_one_that_is_absent_is_missing(tmp_path: Path) -> None:
    results = {
        "scores": [
            {"name": "match", "scorer": "match", "metrics": {}},
            {"name": "polite", "scorer": "several", "metrics": {"mean": {"name": "mean", "value": float("nan")}}},
        ]
    }
    samples = [
        make_sample(1, scores={"match": {"value": float("nan"), "explanation": "no grade"}}),
        make_sample(2, scores={"match": {"value": "x"}, "several": {"value": {"polite": None, "length": 4}}}),
        make_sample(3, scores={"match": {"value": "C"}}, error={"message": "out of memory"}),
        make_sample(4, scores=None, error={"message": "cancelled"}),
    ]
    for name in ("log.json", "log.eval"):
        events = read_events(write_log(tmp_path / name, *samples, header={**HEADER, "results": results}))
        read = [(s.record, s.criterion, s.value, s.raw, s.status, s.reason) for s in keep(events, LogScore)]
        absent = "the scorer gave this sample no score"
        assert read == [
            (1, "match", None, None, "failed", "no grade"),
            (1, "several.polite", None, None, "missing", absent),
            (2, "match", None, "x", "scored", None),
            (2, "several.polite", None, None, "failed", None),
            (2, "several.length", 4.0, 4, "scored", None),
            (3, "match", None, "C", "failed", "out of memory"),
            (3, "several.polite", None, None, "missing", "out of memory"),
            (4, "match", None, None, "missing", "cancelled"),
            (4, "several.polite", None, None, "missing", "cancelled"),
        ]
        assert [call.error for call in keep(events, Call)] == [None, None, "out of memory", "cancelled"]
        [mean] = keep(events, Aggregate)
        assert (mean.criterion, mean.name, mean.value) == ("several.polite", "mean", None)


def test_a_log_without_its_header_is_of_a_run_that_goes_on_or_was_killed(tmp_path: Path) -> None:
    sample = json.dumps(make_sample()).encode()
    start = json.dumps({"version": 2, "eval": HEADER["eval"], "plan": {}}).encode()
    path = write_archive(tmp_path / "a.eval", [("_journal/start.json", start), ("samples/1_epoch_1.json", sample)])
    events = read_events(path)
    [run] = keep(events, Run)
    assert (run.state, run.is_complete, run.name) == ("started", False, "t")
    assert run.state_reason == "the run still goes on, or was killed"
    assert [call.output for call in keep(events, Call)] == ["Yes."]


def test_a_zip_that_lost_its_end_gives_the_samples_that_are_whole(tmp_path: Path) -> None:
    start = json.dumps({"version": 2, "eval": HEADER["eval"]}).encode()
    members = [(f"samples/{n}_epoch_1.json", json.dumps(make_sample(n)).encode()) for n in range(3)]
    whole = write_archive(tmp_path / "a.eval", [("_journal/start.json", start), *members]).read_bytes()
    cut = tmp_path / "b.eval"
    cut.write_bytes(whole[: whole.rindex(b"samples/2", 0, whole.index(b"PK\1\2")) + 40])
    events = read_events(cut)
    assert [(call.record, call.output, call.error) for call in keep(events, Call)] == [
        (0, "Yes.", None), (1, "Yes.", None), (2, None, "the file ends within it"),
    ]  # fmt: skip
    assert list_reasons(events)[0].startswith("the ZIP cannot be read to its end")


def test_samples_come_in_the_order_in_which_the_tool_lists_them(tmp_path: Path) -> None:
    keys = [("b", 1), (10, 1), ("a/b", 1), (9, 1), (9, 2), ("7", 1)]
    header = {**HEADER, "eval": {**HEADER["eval"], "dataset": {"sample_ids": ["b", 10, "a/b", 9, "7"]}}}
    path = write_log(tmp_path / "a.eval", *(make_sample(*key) for key in keys), header=header)
    calls = keep(read_events(path), Call)
    assert [(call.record, call.epoch) for call in calls] == [
        (9, 1), (10, 1), ("7", 1), ("a/b", 1), ("b", 1), (9, 2),
    ]  # fmt: skip
    assert [call.index for call in calls] == list(range(6))


def test_a_call_in_a_scorer_is_the_judges_and_the_last_by_the_model_is_the_answer(tmp_path: Path) -> None:
    def request(text: str, **more: Any) -> dict[str, Any]:
        return {**make_sample()["events"][0], "input": [{"role": "user", "content": text}], **more}

    def begin(identity: str, parent: str | None, kind: str) -> dict[str, Any]:
        return {"event": "span_begin", "id": identity, "parent_id": parent, "type": kind, "name": f"{kind} {identity}"}

    events = [
        begin("a", None, "solver"), request("1", span_id="a"), request("2", span_id="a", model="other"),
        request("3", span_id="a"), request("4", span_id="a", role="critic"),
        {"event": "tool", "events": [request("5")]},
        begin("s", "t", "scorer"), begin("t", "s", "x"), request("6", span_id="t"), request("7", role="grader"),
        {"event": "step", "action": "begin", "type": "scorer", "name": "old"}, request("8"),
        {"event": "step", "action": "end", "type": "scorer", "name": "old"},
        request("9", model="other", pending=True, error="gone"), {"event": "new kind"}, {"event": "new kind"}, 7,
    ]  # fmt: skip
    read = read_events(write_log(tmp_path / "a.json", make_sample(events=events)))
    calls = keep(read, Call)
    assert [(c.messages[0]["content"], c.role, c.judge, c.is_answer) for c in calls] == [
        ("1", "model", None, False), ("2", "model", None, False), ("3", "model", None, False),
        ("4", "model", None, False), ("5", "model", None, True), ("6", "judge", "scorer s", False),
        ("7", "judge", "grader", False), ("8", "judge", "old", False), ("9", "model", None, False),
    ]  # fmt: skip
    assert [call.call for call in calls] == list(range(9))
    assert (calls[-1].error, calls[-1].warning) == ("gone", "this request was still under way")
    assert list_reasons(read) == ["1 of its events are none", "events of unknown kinds: new kind (2)"]


def test_references_are_resolved_once_and_those_in_vain_stay(tmp_path: Path) -> None:
    content = ["attachment://a", "attachment://gone", "tc://old", "attachment://list", "see attachment://a"]
    attachments = {"a": "attachment://b", "b": "attachment://a", "old": "as it was", "list": [1]}
    events = [{**make_sample()["events"][0], "input": [{"role": "user", "content": content}]}]
    read = read_events(write_log(tmp_path / "a.json", make_sample(events=events, attachments=attachments)))
    [call] = keep(read, Call)
    assert call.messages[0]["content"] == ["attachment://b", content[1], "as it was", content[3], content[4]]
    assert list_reasons(read) == ["2 of its attachments are missing (gone, list): the reference stays"]


def test_ranges_beyond_the_messages_are_a_reason_and_no_other_messages(tmp_path: Path) -> None:
    pool = {"messages": [{"id": "x", "role": "user", "content": str(n), "source": "input"} for n in range(3)]}
    table: dict[str, Any] = {
        "[[0, 1], [2, 3]]": ["0", "2"], "[[1, 4]]": None, "[[2, 1]]": None, "[[-1, 2]]": None, "[5]": None,
        "[[0]]": None,
    }  # fmt: skip
    for refs, expected in table.items():
        events = [{**make_sample()["events"][0], "input": [], "input_refs": json.loads(refs)}]
        [call] = keep(read_events(write_log(tmp_path / "a.json", make_sample(events=events, events_data=pool))), Call)
        texts = None if call.messages is None else [message["content"] for message in call.messages]
        assert (texts, call.warning is None) == (expected, expected is not None), refs
        assert call.messages is None or call.messages[0] == {"role": "user", "content": "0"}


def test_a_sample_without_a_request_is_shown_with_its_input_and_a_warning(tmp_path: Path) -> None:
    chat = [{"role": "system", "content": "Brief.", "id": "x"}, {"role": "user", "content": "Why?"}]
    samples = [make_sample(1, events=[]), make_sample(2, input=chat, events=None), make_sample(3, input=5, events={})]
    calls = keep(read_events(write_log(tmp_path / "a.json", *samples)), Call)
    assert [call.messages for call in calls] == [
        [{"role": "user", "content": "Why?"}], [{"role": "system", "content": "Brief."}, chat[1]], None,
    ]  # fmt: skip
    assert all("no request" in call.warning for call in calls[:2])
    assert calls[2].error == "its events are no list"


@pytest.mark.parametrize("identity", [None, [1, 2], {"a": 1}, True])
def test_an_id_that_is_none_is_a_finding_and_the_sample_is_read(tmp_path: Path, identity: Any) -> None:
    events = read_events(write_log(tmp_path / "a.json", make_sample(identity)))
    [call] = keep(events, Call)
    assert (call.record, call.output) == (None, "Yes.")
    assert len(list_reasons(events)) == 1
    assert not keep(events, LogRecord)


def test_the_later_of_two_members_with_one_name_counts(tmp_path: Path) -> None:
    samples = [json.dumps(make_sample(target=target)).encode() for target in ("first", "second")]
    name = "samples/../../1_epoch_1.json"
    members = [(name, samples[0]), (name, samples[1]), ("header.json", json.dumps(HEADER).encode())]
    events = read_events(write_archive(tmp_path / "a.eval", members))
    assert [record.fields["target"] for record in keep(events, LogRecord)] == ["second"]
    assert list_reasons(events) == ["1 earlier members of a name that comes again: the sample ran again"]


def test_a_log_is_known_whose_header_comes_after_very_many_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "LOOKED_AT", 2)
    samples = [make_sample(number) for number in range(5)]
    for name, expected in (("a.eval", True), ("a.zip", False)):
        assert archive.recognise(write_log(tmp_path / name, *samples)) is expected, name


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = b'{"id": 1, "x": "' + b"0" * (65 << 20) + b'"}'
    members = [("samples/1_epoch_1.json", bomb), ("header.json", json.dumps(HEADER).encode())]
    events = read_events(write_archive(tmp_path / "a.eval", members))
    [call] = keep(events, Call)
    assert call.error == "the log unpacks to more than can be true of texts"


def test_a_member_that_is_longer_than_it_says_is_refused(tmp_path: Path) -> None:
    path = write_log(tmp_path / "a.eval", make_sample(1), make_sample(2))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\1\2") + 24  # the unpacked size in the list of members
    data[at : at + 4] = (100).to_bytes(4, "little")
    path.write_bytes(data)
    assert [bool(call.error) for call in keep(read_events(path), Call)] == [True, False]


@pytest.mark.parametrize("depth", [101, 5_000, 200_000])
def test_nesting_too_deep_to_be_written_out_is_refused(tmp_path: Path, depth: int) -> None:
    text = json.dumps({**HEADER, "samples": [make_sample(1), make_sample(2, metadata="HERE"), make_sample(3)]})
    path = tmp_path / "a.json"
    path.write_text(text.replace('"HERE"', '{"a":' * depth + "1" + "}" * depth), "utf-8")
    events = read_events(path)
    assert [bool(call.error) for call in keep(events, Call)] == [False, True, False]
    assert list_reasons(events) == ["nested deeper than 100 levels"]


def test_a_sample_that_is_broken_in_an_indented_log_does_not_take_others_along(tmp_path: Path) -> None:
    text = json.dumps({**HEADER, "samples": [make_sample(n) for n in range(4)]}, indent=2)
    path = tmp_path / "a.json"
    path.write_text(text.replace('"id": 1,', '"id: 1, {', 1), "utf-8")
    events = read_events(path)
    assert [(call.record, bool(call.error)) for call in keep(events, Call)] == [
        (0, False), (None, True), (2, False), (3, False),
    ]  # fmt: skip


def test_a_log_is_read_packed_and_with_its_samples_first(tmp_path: Path) -> None:
    text = json.dumps({"version": 2, "samples": [make_sample(1), make_sample(2)], **HEADER}).encode()
    for name, content in (("a.json", text), ("b.json", b"\xef\xbb\xbf" + text), ("c.json.gz", gzip.compress(text))):
        (tmp_path / name).write_bytes(content)
        events = read_events(tmp_path / name)
        assert [(call.record, call.condition) for call in keep(events, Call)] == [(1, "m"), (2, "m")], name
        assert not list_reasons(events), name


@pytest.mark.parametrize(
    "text", ['{"eval": 5}', '{"eval": {}, "samples": []}', "[]", '{"evalId": "x", "results": {}}', "{"]
)
def test_other_objects_are_no_logs(tmp_path: Path, text: str) -> None:
    assert not inspect_log.recognise(text.encode(), tmp_path)
    other = write_archive(tmp_path / "a.zip", [("header.json", b"{}"), ("word/document.xml", b"")])
    assert not inspect_log.recognise(other.read_bytes(), other)


def test_samples_that_the_run_counts_and_the_log_lacks_are_a_finding(tmp_path: Path) -> None:
    header = {**HEADER, "results": {"total_samples": 3, "scores": []}}
    for samples, expected in (
        ((), "none of the 3 samples of the run are in the log, only their means"),
        ((make_sample(1), make_sample(2)), "2 of the 3 samples of the run are in the log"),
    ):
        for name in ("a.json", "a.eval"):
            events = read_events(write_log(tmp_path / name, *samples, header=header))
            assert list_reasons(events) == [expected]
            assert keep(events, Run)[0].rows == 3


@pytest.mark.realdata
def test_a_sample_too_long_to_be_held_is_read_as_any_other(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [path for _, path, _ in list_logs(shared)]
    whole = [read_events(path) for path in logs]
    for module in (archive, json_log):
        monkeypatch.setattr(module, "LONGEST_SAMPLE", 6_500)
    monkeypatch.setattr(byte_walk, "CHUNK", 100)
    assert [read_events(path) for path in logs] == whole


@st.composite
def damage(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes cut short, with some of them changed, or with pieces put elsewhere."""
    match draw(st.sampled_from(("cut", "flip", "swap", "drop"))):
        case "cut":
            return data[: draw(st.integers(0, len(data)))]
        case "flip":
            changed = bytearray(data)
            for _ in range(draw(st.integers(1, 8))):
                changed[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
            return bytes(changed)
        case "drop":
            begin = draw(st.integers(0, len(data)))
            return data[:begin] + data[begin + draw(st.integers(0, 500)) :]
        case _:
            one, two = sorted(draw(st.integers(0, len(data))) for _ in range(2))
            length = draw(st.integers(1, 200))
            return data[:one] + data[two : two + length] + data[one + length :]


VALUES = (
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    float("nan"),
    "",
    "attachment://x",
    [],
    {},
    [[]],
    [[0, 10**9]],
    [{"a": [1]}],
)


def exchange_value(value: Any, draw: st.DrawFn) -> Any:
    """Put another kind of value at one place within a value."""
    if isinstance(value, dict | list) and value and draw(st.integers(0, 9)):
        copy: Any = value.copy()
        key = draw(st.sampled_from(list(copy) if isinstance(copy, dict) else range(len(copy))))
        copy[key] = exchange_value(copy[key], draw)
        return copy
    return draw(st.sampled_from(VALUES))


@pytest.mark.realdata
@pytest.mark.long
@given(st.data())
@settings(max_examples=many(2_000), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_damage_raises_and_every_sample_is_a_call_or_a_finding(shared: Path, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([path for _, path, _ in list_logs(shared)]))
    whole = path.read_bytes()
    if path.suffix == ".json" and data.draw(st.booleans()):
        log = json.loads(whole)
        for _ in range(data.draw(st.integers(1, 3))):
            log = exchange_value(log, data.draw)
        content = json.dumps(log, indent=data.draw(st.sampled_from((None, 2)))).encode()
        samples = log.get("samples") if isinstance(log, dict) else None
        expected = len(samples) if isinstance(samples, list) else 0
    else:
        content, expected = data.draw(damage(whole)), None
    with tempfile.TemporaryDirectory() as folder:
        damaged = Path(folder) / path.name
        damaged.write_bytes(content)
        find_format(damaged)
        events = list(inspect_log.read(damaged, path.name))
    indices = {call.index for call in keep(events, Call)}
    assert indices == set(range(len(indices)))
    if expected is not None:
        assert len(indices) == expected
    elif content != whole:
        assert len(indices) == len({e.index for e in keep(read_events(path), Call)}) or keep(events, Diagnostic)
    json.dumps([asdict(event) for event in events])

"""Scores by a field of the records, and by the length of what was sent and replied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from in_time import spent
from score_files import Write

from readback import workspace
from readback.project_files import EXAMPLES
from readback.readers.files.progress import Cancelled
from readback.scores import loading
from readback.scores.slices import by_field as slices
from readback.scores.slices import lengths, text_sizes
from readback.scores.table import ScoreTable
from readback.types import Workspace

PLAN = "dataset: {path: d.jsonl, id: id, private: [secret]}\nscores: [s.csv]\n"
A, B = ((("condition", name),) for name in "ab")


def records(count: int) -> str:
    rows = (
        {
            "id": f"q{i}",
            "question": f"what is {i}?",
            "topic": "tides" if i % 2 else "locks",
            "meta": {"hard": i % 3 == 0, "level": i % 4 if i % 5 else None},
            "contexts": ["one"],
            "secret": "xy"[i % 2],
            "serial": i,
        }
        for i in range(count)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def scores(count: int, more: str = "") -> str:
    """Condition b is one better on every record about tides, and the same on the others."""
    rows = "".join(f"q{i},a,clear,{i % 3}\nq{i},b,clear,{i % 3 + i % 2}\n" for i in range(count))
    return "item,condition,criterion,score\n" + rows + more


def opened(root: Path) -> tuple[Workspace, ScoreTable]:
    opened = workspace.open(root)
    return opened, loading.load(opened)


def test_fields_with_few_values_are_offered_and_texts_lists_and_private_ones_are_not(write: Write) -> None:
    workspace, table = opened(write({"readback.yml": PLAN, "d.jsonl": records(40), "s.csv": scores(40)}))
    found = slices.list_fields(workspace, table)
    assert {one.name: one.values for one in found.fields} == {
        "topic": ("locks", "tides"),
        "meta.hard": ("false", "true"),
        "meta.level": ("1", "2", "3", "0"),
    }
    assert (found.items, found.records, found.left) == (40, 40, 0)
    (level,) = (one for one in found.fields if one.name == "meta.level")
    assert (sum(level.counts), level.without) == (32, 8)


def test_a_slice_has_its_paired_difference_and_a_p_adjusted_over_all_slices(write: Write) -> None:
    more = "".join(f"z{i},a,clear,1\nz{i},b,clear,2\n" for i in range(3))  # no records of the dataset
    workspace, table = opened(write({"readback.yml": PLAN, "d.jsonl": records(40), "s.csv": scores(40, more)}))
    topic = next(one for one in slices.list_fields(workspace, table).fields if one.name == "topic")
    found = slices.slice_scores(table, topic.value_of, "clear", "", A, B)
    assert (found.n, found.without) == (43, 3)
    by = {one.value: one for one in found.slices}
    assert (by["tides"].n, by["tides"].difference, by["tides"].wins) == (20, 1.0, 20)
    assert (by["locks"].n, by["locks"].difference, by["locks"].ties) == (20, 0.0, 20)
    assert by["tides"].p == pytest.approx(2 / 2**20)
    assert by["tides"].p_adjusted == pytest.approx(4 / 2**20)
    assert by["locks"].p_adjusted == 1.0


def test_a_slice_of_one_condition_has_its_mean_and_interval_and_none_below_five(write: Write) -> None:
    _, table = opened(write({"readback.yml": PLAN, "d.jsonl": records(40), "s.csv": scores(40)}))
    few = {f"q{i}": "few" if i < 4 else "many" for i in range(40)}
    by = {one.value: one for one in slices.slice_scores(table, few, "clear", "", B).slices}
    assert list(by) == ["many", "few"]
    low, high = by["many"].interval or (0.0, 0.0)
    assert low < by["many"].mean_a < high
    assert (by["few"].n, by["few"].interval, by["few"].p, by["many"].p) == (4, None, None, None)


def test_without_a_dataset_there_are_no_fields(write: Write) -> None:
    workspace, table = opened(write({"readback.yml": "scores: [s.csv]\n", "s.csv": scores(9)}))
    assert slices.list_fields(workspace, table).fields == ()


def test_a_hundred_thousand_records_are_read_in_part_and_it_is_said(write: Write, monkeypatch: Any) -> None:
    monkeypatch.setattr("readback.scores.slices.by_field.RECORDS", 2_000)
    workspace, table = opened(write({"readback.yml": PLAN, "d.jsonl": records(5_000), "s.csv": scores(5_000)}))
    begun = spent()
    found = slices.list_fields(workspace, table)
    assert spent() - begun < 5
    assert (found.records, found.left) == (2_000, 3_000)
    assert slices.list_fields(workspace, table) is found


def test_scores_are_counted_by_the_length_of_prompt_and_answer() -> None:
    workspace, table = opened(EXAMPLES / "six-conditions-mistakes")
    key = next(key for key in table.columns.conditions if "instruction-only, open book" in dict(key).values())
    found = {
        (one.text, one.unit): one
        for one in lengths.measure_lengths(workspace, table, key, "relevance", "harbour-judge")
    }
    assert set(found) == {(of, unit) for of in ("prompt", "answer") for unit in ("characters", "tokens")}
    for one in found.values():
        assert one.n == sum(map(sum, one.counts)) == 23
        assert len(one.counts) == len(one.means) == len(one.ranges) <= lengths.BINS
        assert one.values == ("-1", "0", "1", "2")
        assert one.exact  # the model names a tokenizer table
        assert one.left_out == {}
    low, high = found["answer", "characters"].interval or (1.0, 0.0)
    assert low < (found["answer", "characters"].rho or 0) < high


def test_what_has_no_length_is_counted_by_its_reason(write: Write) -> None:
    plan = PLAN + (
        'modes: [{mode: m, template: "{{ question }}"}]\nconditions: [{name: a, mode: m, answers: a.jsonl}]\n'
    )
    more = "z1,a,clear,1\n"
    answers = "".join(json.dumps({"id": f"q{i}", "response": "x" * (i + 1)}) + "\n" for i in range(10))
    files = {"readback.yml": plan, "d.jsonl": records(12), "a.jsonl": answers, "s.csv": scores(12, more)}
    workspace, table = opened(write(files))
    prompt, _, answer, tokens = lengths.measure_lengths(workspace, table, A, "clear", "")
    assert (prompt.n, prompt.left_out) == (12, {text_sizes.NO_RECORD: 1})
    assert (answer.n, answer.left_out) == (10, {text_sizes.NO_ANSWER: 3})
    assert (answer.ranges, tokens.exact) == (((1, 4), (5, 10)), False)
    assert lengths.list_items_between(workspace, table, A, "answer", "characters", 9, 10) == {"q8", "q9"}
    unknown = lengths.measure_lengths(workspace, table, B, "clear", "")
    assert [(one.n, one.left_out) for one in unknown] == [(0, {text_sizes.NO_CONDITION: 12})] * 4


def test_a_long_study_is_measured_in_evenly_spaced_records(write: Write, monkeypatch: Any) -> None:
    monkeypatch.setattr(text_sizes, "RECORDS", 10)
    plan = PLAN + 'modes: [{mode: m, template: "{{ question }}"}]\nconditions: [{name: a, mode: m}]\n'
    workspace, table = opened(write({"readback.yml": plan, "d.jsonl": records(35), "s.csv": scores(35)}))
    prompt = lengths.measure_lengths(workspace, table, A, "clear", "")[0]
    assert (prompt.n, prompt.left_out) == (9, {text_sizes.NOT_TAKEN: 26})


def test_measuring_tells_how_far_it_is_and_stops_when_asked(write: Write) -> None:
    plan = PLAN + 'modes: [{mode: m, template: "{{ question }}"}]\nconditions: [{name: a, mode: m}]\n'
    workspace, table = opened(write({"readback.yml": plan, "d.jsonl": records(12), "s.csv": scores(12)}))
    seen: list[tuple[int, int]] = []

    def going(done: int, total: int) -> bool:
        seen.append((done, total))
        return len(seen) < 6

    with pytest.raises(Cancelled):
        lengths.measure_lengths(workspace, table, A, "clear", "", going)
    assert seen[-1][1] == 24  # prompts and answers
    assert lengths.measure_lengths(workspace, table, A, "clear", "")[0].n == 12  # what was stopped is measured again

"""Verification results: every shape of the program's files, what counts as a score, and what is never lost."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from score_files import Write, codes, load, name_kind
from verification_files import (
    ANSWERING,
    FAILED_CONTENT,
    INDEXED,
    PARSING,
    RUBRIC,
    STAMPED,
    flat,
    lines,
    row,
    short_table,
    table,
    whole,
)

from readback.scores import summary
from readback.scores.files.formats.verification.apart import from_display, identity
from readback.scores.files.formats.verification.outcome import GROUPS
from readback.scores.table import ScoreTable
from readback.types import Condition, Criterion, ScoreSource
from readback.workspace.recognise import SCORES, recognise

CONDITION = (("answering", "api:small"), ("parsing", "api:judge"), ("run_name", "run"))
PASS = {"verify_result": [("q1", 1.0, "scored"), ("q2", 0.0, "scored")]}


def cells(found: ScoreTable) -> dict[str, list[Any]]:
    by: dict[str, list[Any]] = {}
    for s in found.scores:
        by.setdefault(s.criterion, []).append((s.item, None if math.isnan(s.value) else s.value, s.state))
    return by


def read(write: Write, rows: Any, name: str = "results.json", **more: Any) -> ScoreTable:
    return load(write({name: rows}), name, **more)


TWO = [row("q1"), row("q2", False)]
FLAT = [flat("q1"), flat("q2", False)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("results.json", whole(TWO)),
        ("results.json", json.dumps(whole(TWO), indent=2)),
        ("results.json", lines(TWO)),
        ("results.json", json.dumps(whole(TWO), sort_keys=True)),
        ("results.json.gz", gzip.compress(lines(TWO).encode(), mtime=0)),
        ("bom.json", b"\xef\xbb\xbf" + lines(TWO).encode()),
        ("list.json", TWO),
        ("list.json", [{**one, "row_index": at} for at, one in enumerate(FLAT, 1)]),
        ("server.json", {"metadata": {"job_summary": {}}, "results": {"a": FLAT[0], "b": FLAT[1]}}),
        ("runs.json", {"runs": {"run": FLAT}}),
        ("runs.json", {"runs": {"run": {"a": TWO[0], "b": TWO[1]}}}),
        ("ids.json", {"0a1b": TWO[0], "2c3d": TWO[1]}),
        ("run.results.jsonl", TWO),
        ("run.results.jsonl", [{"task": "x", "result": one} for one in TWO]),
    ],
)
def test_every_shape_of_the_file_gives_the_same_results(write: Write, name: str, content: Any) -> None:
    root = write({name: content})
    found = load(root, name)
    assert {k: v for k, v in cells(found).items() if k == "verify_result"} == PASS
    assert found.sources[0].what == "verification results"
    assert found.sources[0].rows == 2
    assert set(codes(found)) <= {"scr-scale-unknown", "dat-bom"}
    assert recognise(root / name, root).what == SCORES


def test_the_condition_is_who_answered_who_judged_and_the_run_and_the_judge_is_said_too(write: Write) -> None:
    tools = {**ANSWERING, "tools": ["b", "a"], "config_id": "warm"}
    found = read(write, whole([row("q1", replicate=1), row("q1", False, replicate=2), row("q1", answering=tools)]))
    assert found.columns.conditions == (CONDITION, (("answering", "api:small (warm) +[a, b]"), *CONDITION[1:]))
    assert {(s.judge, s.run) for s in found.scores} == {("api:judge", "1"), ("api:judge", "2"), ("api:judge", None)}
    assert found.varying == ("answering",)
    assert [(facts.model, facts.judge_model) for facts in found.about] == [("small", "judge")] * 2


@pytest.mark.parametrize(
    ("text", "key", "display"),
    [
        ("api:small", "api:small:", "api:small"),
        ("api:small +[b, a]", "api:small:a|b", "api:small +[a, b]"),
        ("api:small:8b (warm) +[x]", "api:small:8b:warm:x", "api:small:8b (warm) +[x]"),
        ("openai/small", ":openai/small:", "openai/small"),
        ("api:small (1)", "api:small:1:", "api:small (1)"),
    ],
)
def test_a_model_is_taken_apart_and_put_together_again(text: str, key: str, display: str) -> None:
    assert (from_display(text).key, from_display(text).display) == (key, display)
    parts = from_display(text)
    given_ = {"interface": parts.interface, "model_name": parts.name, "config_id": parts.config or None}
    assert identity({**given_, "tools": list(reversed(parts.tools))}) == parts


def test_two_models_that_are_shown_alike_stay_two(write: Write) -> None:
    named = {**ANSWERING, "model_name": "small (warm)"}
    configured = {**ANSWERING, "config_id": "warm"}
    found = read(write, whole([row("q1", answering=named), row("q1", answering=configured)]))
    assert [dict(c)["answering"] for c in found.columns.conditions] == ["api:small (warm)", "api:small:warm:"]


def test_a_turn_of_a_conversation_is_an_item_and_the_conversation_its_cluster(write: Write) -> None:
    turns = [row("q1", scenario_id="talk", scenario_turn=turn) for turn in (0, 1)]
    found = read(write, whole([*turns, row("q9")], scenario_results=[{"history": [{"a": "}]"}]}, {}]))
    assert [(s.item, s.cluster) for s in found.scores] == [
        ("q1 | talk | turn 0", "talk"), ("q1 | talk | turn 1", "talk"), ("q9", "q9"),
    ]  # fmt: skip
    assert sum(found.sources[0].left_out.values()) == 2


@pytest.mark.parametrize(
    ("category", "state", "value"),
    [
        ("content", "scored", 0.0), ("recursion_limit", "scored", 0.0), ("abstention", "missing", None),
        ("timeout", "failed", None), ("parsing", "failed", None), ("of_next_year", "failed", None),
    ],
)  # fmt: skip
def test_a_failure_without_a_result_counts_by_its_group(
    write: Write, category: str, state: str, value: float | None
) -> None:
    failure = {"category": category, "stage": "s", "reason": "why"}
    for template in ({}, None):
        found = read(write, whole([row("q1"), row("q2", None, failure=failure, template=template)]))
        assert cells(found)["verify_result"][1] == ("q2", value, state)
        assert found.sources[0].failures[GROUPS.get(category, "unknown")] == 1
        assert "why" in found.scores[1].why
        assert all(code != "jdg-out-of-range" for code in codes(found))


def test_what_the_file_states_counts_whatever_failed_beside_it(write: Write) -> None:
    timeout = {"category": "timeout", "stage": "s", "reason": "r"}
    found = read(write, whole([row("q1", failure=timeout), row("q2", False, failure=timeout), row("q3", None)]))
    assert cells(found)["verify_result"] == [("q1", 1.0, "scored"), ("q2", 0.0, "scored"), ("q3", None, "missing")]
    assert found.sources[0].failures == {"retry": 2, "contradicted": 1, "passed": 1}
    rubric_only = row(
        "q1", None, template=None, evaluation_mode="rubric_only", rubric={"llm_trait_scores": {"a": True}}
    )
    assert set(cells(read(write, whole([rubric_only])))) == {"a"}


def test_a_pass_rate_counts_wrong_answers(write: Write) -> None:
    (only,) = summary.rows(read(write, whole([row("q1"), row("q2", False), row("q3", False), row("q4")])))
    assert (only.n, only.mean) == (4, 0.5)


SCORES_OF_A_ROW: dict[str, Any] = {
    "llm_trait_scores": {"clear": True, "depth": 4, "tone": 1, "lost": None, "free": "a text", "report.length": 3},
    "llm_trait_labels": {"tone": "warm"},
    "regex_trait_scores": {"cites": False},
    "callable_trait_scores": {"length": 2.5},
    "metric_trait_scores": {"facts": {"precision": 1.0, "recall": 0.5, "f1": None}},
    "agentic_trait_scores": {"ran": True},
    "dynamic_rubric_skipped_traits": {"clear2": "not there"},
}


def test_traits_are_criteria_of_their_own_kind_with_the_scale_of_the_rubric(write: Write) -> None:
    template = {
        "verify_granular_result": 0.5, "field_scores": {"dose": 0.25, "unit": None},
        "abstention_check_performed": True, "abstention_detected": False, "abstention_reasoning": "it answers",
    }  # fmt: skip
    found = read(write, whole([row("q1", rubric=SCORES_OF_A_ROW, template=template)], RUBRIC))
    assert {name: (one[0][1], one[0][2]) for name, one in cells(found).items()} == {
        "verify_result": (1.0, "scored"), "verify_granular_result": (0.5, "scored"),
        "abstention_detected": (0.0, "scored"), "field_scores.dose": (0.25, "scored"),
        "field_scores.unit": (None, "failed"), "clear": (1.0, "scored"), "depth": (4.0, "scored"),
        "tone": (1.0, "scored"), "lost": (None, "failed"), "report.length": (3.0, "scored"),
        "cites": (0.0, "scored"), "length": (2.5, "scored"), "facts.precision": (1.0, "scored"),
        "facts.recall": (0.5, "scored"), "facts.f1": (None, "failed"), "ran": (1.0, "scored"),
        "clear2": (None, "not applicable"),
    }  # fmt: skip
    scale = {name: (c.scale, c.low, c.high, c.direction) for name, c in found.criteria.items()}
    assert scale["depth"] == ("ordinal", 1.0, 5.0, "down")
    assert scale["cites"] == ("binary", 0.0, 1.0, "down")
    assert scale["length"] == ("numeric", 0.0, 10.0, "up")
    assert scale["facts.precision"] == ("numeric", 0.0, 1.0, "up")
    assert scale["abstention_detected"] == ("binary", 0.0, 1.0, "down")
    assert (found.criteria["tone"].scale, found.criteria["tone"].meanings) == ("ordinal", {"0": "dry", "1": "warm"})
    assert {s.judge for s in found.scores if s.criterion in ("cites", "length")} == {"computed"}
    assert found.sources[0].columns["unused"] == ("free",)
    assert {s.criterion: s.rationale for s in found.scores}["abstention_detected"] == "it answers"


def test_a_class_without_a_rubric_is_nominal_and_an_invalid_one_is_the_judges_failure(write: Write) -> None:
    def toned(value: Any, label: str) -> dict[str, Any]:
        return {"llm_trait_scores": {"tone": value}, "llm_trait_labels": {"tone": label}}

    rows = [row("q1", rubric=toned(1, "warm")), row("q2", rubric=toned(-1, "rude")), row("q3", rubric=toned(0, "dry"))]
    found = read(write, whole(rows))
    assert cells(found)["tone"] == [("q1", 1.0, "scored"), ("q2", None, "failed"), ("q3", 0.0, "scored")]
    assert found.criteria["tone"].scale == "nominal"
    assert found.criteria["tone"].meanings == {"0": "dry", "1": "warm"}


def test_a_number_without_a_rubric_gets_a_scale_that_is_called_inferred(write: Write) -> None:
    rows = [row(f"q{n}", rubric={"llm_trait_scores": {"depth": n}}) for n in (1, 2, 3)]
    found = read(write, whole(rows))
    assert found.inferred == {"depth"}
    assert codes(found) == ["scr-scale-unknown"]
    off = read(write, whole([row("q1", rubric={"llm_trait_scores": {"depth": 7}})], RUBRIC))
    assert (cells(off)["depth"], codes(off)) == ([("q1", None, "failed")], ["jdg-out-of-range"])


def test_a_trait_that_changes_its_kind_is_kept_apart_and_said(write: Write) -> None:
    rows = [
        row(f"q{n}", rubric={"llm_trait_scores": {"clear": value}}) for n, value in enumerate((None, True, 3, False))
    ]
    found = read(write, whole(rows))
    assert cells(found)["clear"] == [("q1", 1.0, "scored"), ("q3", 0.0, "scored"), ("q0", None, "failed")]
    assert cells(found)["clear (score)"] == [("q2", 3.0, "scored")]
    assert "scr-kind-differs" in codes(found)


def test_traits_of_one_name_in_two_places_are_two(write: Write) -> None:
    rubric = {"llm_trait_scores": {"clear": True, "verify_result": False}, "regex_trait_scores": {"clear": False}}
    found = cells(read(write, whole([row("q1", rubric=rubric)])))
    assert set(found) == {"verify_result", "clear", "clear (regex)", "verify_result (llm)"}
    assert found["verify_result"] == [("q1", 1.0, "scored")]


def test_two_files_that_scale_a_trait_differently_are_not_averaged(write: Write) -> None:
    def one(value: Any) -> dict[str, Any]:
        return whole([row("q1", rubric={"llm_trait_scores": {"depth": value}})], RUBRIC)

    found = load(write({"a.json": one(3), "b.json": one(True)}))
    assert cells(found)["depth"] == [("q1", 3.0, "scored")]
    assert cells(found)["depth (0 or 1)"] == [("q1", 1.0, "scored")]
    own = {"depth": Criterion("depth", "numeric", (), 0.0, 10.0)}
    assert load(write({"a.json": one(3)}), "a.json", criteria=own).criteria["depth"].high == 10.0


def test_names_are_bounded_and_the_rest_is_said(write: Write) -> None:
    found = read(write, whole([row("q1", template={"field_scores": {f"f{n}": 1.0 for n in range(150)}})]))
    assert len(found.criteria) == 101
    assert codes(found) == ["dat-limit"]


def test_the_workspace_names_models_by_alias_and_a_file_by_its_label(write: Write) -> None:
    root = write({"r.json": whole([row("q1")])})
    rest = CONDITION[1:]
    aliased = load(root, "r.json", conditions=(Condition("closed", aliases=("api:small:",)),))
    assert aliased.columns.conditions == ((("condition", "closed"), *rest),)
    labelled = load(root, ScoreSource("r.json", label="mine"))
    assert labelled.columns.conditions == ((("condition", "mine"), *rest),)
    without = load(root, ScoreSource("r.json", condition=("answering",)))
    assert without.columns.conditions == (CONDITION[:1],)
    assert without.columns.judges == ("api:judge",)


def test_the_sidecar_counts_the_last_try(write: Write) -> None:
    failed = row("q1", None, failure={"category": "parsing"}, template=None)
    found = read(write, [failed, row("q2"), row("q1")], "run.results.jsonl")
    assert cells(found)["verify_result"] == [("q2", 1.0, "scored"), ("q1", 1.0, "scored")]
    assert (found.sources[0].rows, sum(found.sources[0].left_out.values())) == (2, 1)
    assert codes(found) == []


def test_versions_before_the_failure_keep_an_error(write: Write) -> None:
    rows = [
        flat("q1", None, success=False, error="boom"), flat("q2", None, success="abstained"), flat("q3", "False"),
        flat("q4", None, error="verify_template returned False", success=False),
    ]  # fmt: skip
    found = read(write, rows)
    assert cells(found)["verify_result"] == [
        ("q1", None, "failed"), ("q2", None, "missing"), ("q3", 0.0, "scored"), ("q4", 0.0, "scored"),
    ]  # fmt: skip
    assert found.columns.runs == ("1",)
    older = row("q1", None, completed_without_errors=False, error="boom", answering_model="openai/small")
    for name in ("failure", "answering"):
        del older["metadata"][name]
    found = read(write, whole([older], format_version="2.0"))
    assert cells(found)["verify_result"] == [("q1", None, "failed")]
    assert dict(found.columns.conditions[0])["answering"] == "openai/small"


def stamped(question: str, result: str = "", error: str = "", **more: Any) -> dict[str, Any]:
    return {
        "question_id": question, "success": str(not error), "error": error, "verify_result": result,
        "template_verification_performed": "True", "answering_model": "api:small +[a, b]", "parsing_model": "api:judge",
        "run_name": "run", "export_timestamp": "2026-01-01", "embedding_check_performed": "False", **more,
    }  # fmt: skip


def test_an_empty_cell_of_the_stamped_table_is_a_fail_only_by_its_error(write: Write) -> None:
    rows = [
        stamped("q1", "true", verify_granular_result="0.5"),
        stamped("q2", "", FAILED_CONTENT["reason"]),
        stamped("q3", "", "timeout"),
        stamped("q4", "", embedding_check_performed="True"),
        stamped("q5", "", template_verification_performed="False"),
    ]
    found = read(write, table(STAMPED, rows), "out.csv")
    assert cells(found)["verify_result"] == [
        ("q1", 1.0, "scored"), ("q2", 0.0, "scored"), ("q3", None, "missing"), ("q4", None, "missing"),
    ]  # fmt: skip
    assert [state for _, _, state in cells(found)["verify_granular_result"]] == ["scored"] + ["missing"] * 3
    (diagnostic,) = (n for n in found.diagnostics if n.code == "scr-lossy-csv")
    assert diagnostic.values == {"path": "out.csv", "failed": 1, "unknown": 2, "shares": 4}
    assert dict(found.columns.conditions[0])["answering"] == "api:small +[a, b]"


def test_traits_of_a_table_are_read_from_json_and_minus_one_is_no_score(write: Write) -> None:
    rubrics = json.dumps({"clear": True, "depth": 4, "tone": -1, "facts": {"f1": 0.5}})
    metrics = json.dumps({"facts": {"f1": 0.5}})
    one = stamped("007", "true", question_specific_rubrics=rubrics, metric_trait_metrics=metrics)
    found = read(write, table(STAMPED, [one, stamped("NA", "true", question_specific_rubrics="{'a': 1}")]), "out.csv")
    assert {name: one_[0] for name, one_ in cells(found).items()} == {
        "verify_result": ("007", 1.0, "scored"), "clear": ("007", 1.0, "scored"), "depth": ("007", 4.0, "scored"),
        "tone": ("007", None, "failed"), "facts.f1": ("007", 0.5, "scored"),
    }  # fmt: skip
    assert found.columns.items == ("007", "NA")
    assert "dat-wrong-value" in codes(found)


@pytest.mark.parametrize("make", [lambda rows: table(INDEXED, rows), short_table], ids=["with job", "without"])
def test_the_indexed_table_is_read_also_where_its_writer_forgets_a_cell(
    write: Write, make: Callable[[Any], str]
) -> None:
    base = {"answering_model": "api:small +[a, b]", "parsing_model": "api:judge", "run_name": "run",
            "rubric_summary": "1/1", "embedding_check_performed": "False"}  # fmt: skip
    rows = [
        {**base, "row_index": 1, "question_id": "a, b", "verify_result": "true", "success": "True",
         "question_specific_rubrics": '{"clear": true}', "verify_granular_result": "N/A"},
        {**base, "row_index": 2, "question_id": "q2", "verify_result": "false", "success": "True"},
        {**base, "row_index": 3, "question_id": "q3", "verify_result": "N/A", "success": "abstained"},
        {**base, "row_index": 4, "question_id": "q4", "verify_result": "N/A", "success": "False", "error": "boom"},
    ]  # fmt: skip
    root = write({"out.csv": make(rows)})
    found = load(root, "out.csv")
    assert cells(found) == {
        "verify_result": [
            ("a, b", 1.0, "scored"), ("q2", 0.0, "scored"), ("q3", None, "missing"), ("q4", None, "failed"),
        ],
        "clear": [("a, b", 1.0, "scored")],
    }  # fmt: skip
    assert dict(found.columns.conditions[0])["answering"] == "api:small +[a, b]"
    assert codes(found) == ["dat-crlf"]
    assert recognise(root / "out.csv", root).what == SCORES


@pytest.mark.parametrize("layout", ["lines", "one line", "pretty"])
def test_a_result_that_is_no_json_is_a_finding_and_the_rest_is_read(write: Write, layout: str) -> None:
    rows = [row(f"q{n}") for n in range(5)]
    text = {"lines": lines(rows), "one line": json.dumps(whole(rows)), "pretty": json.dumps(whole(rows), indent=2)}[
        layout
    ]
    broken = text.replace('"q1"', '"q1', 1).replace('"q3"', 'q3"', 1)
    found = read(write, broken)
    assert {"q0", "q2", "q4"} <= set(found.columns.items)
    assert found.sources[0].refused >= 2
    assert {"dat-bad-line"} == set(codes(found))
    assert all(diagnostic.place.line for diagnostic in found.diagnostics)


def test_a_file_that_breaks_off_keeps_what_came_before(write: Write) -> None:
    text = lines([row(f"q{n}") for n in range(5)])
    found = read(write, text[: text.index('"q4"')])
    assert found.columns.items == ("q0", "q1", "q2", "q3")
    assert "dat-bad-line" in codes(found)


def test_rows_that_are_no_results_are_refused_and_parts_of_a_wrong_kind_are_said(write: Write) -> None:
    odd = row("q2", rubric=[1])
    odd["template"] = "x"
    found = read(write, whole([row("q1"), odd, {}, 7, None, {"metadata": []}]))
    assert found.columns.items == ("q1",)
    assert found.sources[0].refused == 4
    assert sorted(codes(found)) == ["dat-bad-line"] * 4 + ["dat-wrong-value"] * 2


def test_results_without_a_question_are_counted_and_named_by_their_number(write: Write) -> None:
    found = read(write, whole([row(""), row("")]))
    assert found.columns.items == ("result_1", "result_2")
    assert codes(found) == ["dat-missing-id"] * 2


def test_a_long_header_and_long_summaries_are_passed_over_without_being_held(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readback.readers.json_file.LONGEST", 3_000)
    monkeypatch.setattr("readback.readers.json_file.CHUNK", 512)
    long = {"text": 'a "{" \\ ' * 2_000, "deep": [[{}]]}
    first = {"format_version": "2.2", "metadata": {"karenina_version": "1"}, "shared_data": long}
    found = read(write, {**first, "results": TWO, "scenario_results": [long, long]})
    assert cells(found) == PASS
    assert found.sources[0].left_out == {"summaries of conversations, which name no model": 2}


def test_a_checkpoint_holds_no_scores_and_nothing_of_it_is_carried_out(write: Write) -> None:
    checkpoint = {"@context": "https://schema.org", "hasPart": [{"text": "class Answer: raise SystemExit"}]}
    found = read(write, checkpoint, "bench.jsonld")
    assert codes(found) == ["scr-no-scores"]


@pytest.mark.parametrize(
    "content",
    [
        [{"question_id": "q1", "model": "m", "score": 2, "criterion": "clear"}],
        {"summary": {"factuality": 0.5}, "examples": []},
        [{"question_id": "q1", "answering_model": "m", "clear_score": 3}],
    ],
)
def test_other_score_files_stay_what_they_are(write: Write, content: Any) -> None:
    root = write({"s.json": content})
    assert name_kind(root / "s.json") not in (None, "verification results")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, max_examples=some(150))
@given(data=st.data())
def test_a_file_with_anything_anywhere_is_read_without_an_exception(tmp_path: Path, data: st.DataObject) -> None:
    full = row("q1", rubric=SCORES_OF_A_ROW, template={"field_scores": {"dose": 1.0}}, scenario_id="s", scenario_turn=1)
    document = json.loads(json.dumps(whole([full, row("q2", False)], RUBRIC)))
    for _ in range(data.draw(st.integers(1, 3))):
        holder: Any = document
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(holder[key], dict | list) and holder[key] and data.draw(st.booleans()):
                holder = holder[key]
                continue
            holder[key] = data.draw(anything)
            break
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document), "utf-8")
    found = load(tmp_path, "r.json")
    assert all(math.isnan(s.value) == (s.state != "scored") for s in found.scores)
    path.write_text(json.dumps(document)[: data.draw(st.integers(0, 2_000))], "utf-8")
    load(tmp_path, "r.json")


@settings(deadline=None, max_examples=some(100))
@given(rows=st.lists(st.dictionaries(st.sampled_from(STAMPED), st.text(max_size=8)), min_size=1, max_size=3))
def test_a_table_with_anything_in_its_cells_is_read_without_an_exception(tmp_path: Path, rows: Any) -> None:
    (tmp_path / "t.csv").write_text(table(STAMPED, rows), "utf-8", newline="")
    load(tmp_path, "t.csv")


def test_the_parsing_model_alone_makes_another_condition(write: Write) -> None:
    other = {**PARSING, "model_name": "judge2"}
    found = read(write, whole([row("q1"), row("q1", parsing=other)]))
    assert len(found.columns.conditions) == 2
    assert found.columns.judges == ("api:judge", "api:judge2")

"""Checkpoints: questions as records, traits as criteria, embedded results as scores, examples before the question."""

from __future__ import annotations

import copy
import gzip
import hashlib
import io
import json
import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import readback
from readback import cli, workspace
from readback.checks.run import engine
from readback.project_files import PROJECT
from readback.prompts.assemble import assemble
from readback.readers.files.text_file import LONGEST
from readback.records.dataset import Dataset, open_dataset
from readback.scores.loading import load
from readback.types import DatasetSource, Selection, Workspace
from readback.ui.common.uploads import store as upload

Write = Callable[[Mapping[str, Any]], Path]
POOL = [{"question": f"q{n}", "answer": f"a{n}"} for n in range(6)]
PRESET = {"answering_models": [{"interface": "langchain", "model_name": name} for name in ("m", "n")]}
SCORED = "GlobalRubricTrait"


def prop(name: Any, value: Any) -> dict[str, Any]:
    return {"@type": "PropertyValue", "name": name, "value": value}


def entry(called: Any = "q1", text: Any = "Why?", *props: Any, **item: Any) -> dict[str, Any]:
    asked = {"@type": "Question", "text": text, **({"additionalProperty": list(props)} if props else {}), **item}
    return {"@type": "DataFeedItem", **({"@id": called} if called is not None else {}), "item": asked}


def feed(*entries: Any, **root: Any) -> dict[str, Any]:
    context = {"dataFeedElement": {"@id": "x"}}
    return {"@context": context, "@type": "DataFeed", **root, "dataFeedElement": list(entries)}


def rating(name: Any, kind: Any, worst: Any = 0, best: Any = 1, /, **details: Any) -> dict[str, Any]:
    made = {"name": name, "worstRating": worst, "bestRating": best, "additionalType": kind}
    return {**made, "additionalProperty": [prop(key, value) for key, value in details.items()]}


def opened(folder: Path, name: str = "b.jsonld") -> Dataset:
    return open_dataset(folder, DatasetSource(name))


def one(write: Write, element: Any) -> tuple[dict[str, Any], list[str]]:
    """The fields of the only question, and the codes of what was said."""
    data = opened(write({"b.jsonld": feed(element)}))
    return dict(data.record(0).fields) if len(data) else {}, [found.code for found in data.diagnostics]


# questions


FULL = entry(
    "urn:q1", "Why?",
    prop("finished", True), prop("author", '{"name": "A"}'), prop("sources", '["s"]'),
    prop("few_shot_examples", json.dumps(POOL[:1])), prop("answer_notes", "n"), prop("workspace_path", "w"),
    prop("custom_level", 3), prop("custom_deep", {"a": [1]}), prop("anything", None),
    acceptedAnswer={"text": "So."}, hasPart={"text": "raise SystemExit"}, keywords=["a", "b"],
)  # fmt: skip


def test_a_question_has_the_fields_that_the_file_gives_it(write: Write) -> None:
    fields, codes = one(write, FULL)
    assert codes == []
    assert fields == {
        "id": "urn:q1", "question": "Why?", "reference": "So.", "template_source": "raise SystemExit",
        "keywords": ["a", "b"], "finished": True, "author": {"name": "A"}, "sources": ["s"],
        "few_shot_examples": POOL[:1], "answer_notes": "n", "workspace_path": "w",
        "custom": {"level": 3, "deep": {"a": [1]}}, "anything": None,
    }  # fmt: skip


ODD: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({**entry(), "keywords": ["older"]}, {"keywords": ["older"]}, []),
    ({**entry(keywords=["own"]), "keywords": ["older"]}, {"keywords": ["own"]}, []),
    ({**entry(), "additionalProperty": [prop("finished", False)]}, {"finished": False}, []),
    (entry("q1", "Why?", name="N", dateCreated="d"), {"name": "N", "dateCreated": "d"}, []),
    ({**entry(), "item": [entry()["item"]]}, {}, []),  # JSON-LD: a list of one
    (entry(acceptedAnswer=[{"text": "A"}]), {"reference": "A"}, []),
    (entry(acceptedAnswer=None, hasPart={}, keywords=None), {}, []),
    (entry(hasPart={"text": ""}), {"template_source": ""}, []),
    (entry(acceptedAnswer={"text": 4}), {}, ["dat-wrong-value"]),
    (entry(acceptedAnswer="A", hasPart=[1, 2], keywords=[3]), {}, ["dat-wrong-value"] * 3),
    (entry(7), {"id": "urn:uuid:question-why-2673ce82"}, ["dat-wrong-value"]),
    (entry("q1", "Why?", prop("few_shot_examples", "[broken")), {"few_shot_examples": "[broken"}, ["dat-wrong-value"]),
    (entry("q1", "Why?", prop("author", "Ann")), {"author": "Ann"}, ["dat-wrong-value"]),
    (entry("q1", "Why?", prop("sources", "")), {"sources": ""}, []),
    (entry("q1", "Why?", prop("sources", [1])), {"sources": [1]}, []),
    (entry("q1", "Why?", prop("a", 1), prop("a", 2)), {"a": 2}, ["dat-duplicate-key"]),
    (entry("q1", "Why?", prop("question", "x")), {}, ["dat-wrong-value"]),
    (entry("q1", "Why?", prop(4, "x"), "y"), {}, ["dat-wrong-value"] * 2),
    (entry(additionalProperty="x"), {}, ["dat-wrong-value"]),
    (entry(additionalProperty=prop("a", 1)), {"a": 1}, []),
    (entry("q1", "Why?", prop("sources", "[NaN]")), {}, ["dat-nan"]),
]


@pytest.mark.parametrize(("element", "more", "codes"), ODD)
def test_what_is_odd_in_a_question_is_left_out_and_said(
    write: Write, element: Any, more: dict[str, Any], codes: list[str]
) -> None:
    fields, said = one(write, element)
    assert said == codes
    expected = {"id": "q1", "question": "Why?", **more}
    assert {key: fields.get(key) for key in expected} == expected
    assert fields.keys() == expected.keys() or codes == ["dat-nan"]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("What is 2+2?", "urn:uuid:question-what-is-2+2-" + hashlib.md5(b"What is 2+2?").hexdigest()[:8]),
        ("A, b. C?\n", "urn:uuid:question-a-b-c\n-" + hashlib.md5(b"A, b. C?\n").hexdigest()[:8]),
        ("x" * 60, "urn:uuid:question-" + "x" * 50 + "-" + hashlib.md5(b"x" * 60).hexdigest()[:8]),
        ("Où ?", "urn:uuid:question-où--" + hashlib.md5("Où ?".encode()).hexdigest()[:8]),
    ],
)
@pytest.mark.parametrize("given_id", [None, "", " "])
def test_a_question_without_an_id_is_called_as_the_program_calls_it(
    write: Write, text: str, called: str, given_id: Any
) -> None:
    data = opened(write({"b.jsonld": feed(entry(given_id, text))}))
    assert data.ids() == (called,)
    assert list(data.search(called[:20])) == [0]


@pytest.mark.parametrize(
    "bad", [5, None, "x", [], {}, {"item": 4}, {"item": {}}, entry("q", 5), entry("q", " "), {"item": [{}, {}]}]
)
def test_an_entry_that_is_no_question_is_refused_and_the_rest_is_read_in_order(write: Write, bad: Any) -> None:
    data = opened(write({"b.jsonld": feed(entry("z"), bad, entry("a"))}))
    assert (data.ids(), data.counts.read, data.counts.bad) == (("z", "a"), 2, 1)
    assert [found.code for found in data.diagnostics] == ["dat-bad-line"]


BROKEN = json.dumps(feed(entry(), entry("q2"), entry("q3")), indent=1).replace('"q2"', "q2")
ROOTS: list[tuple[str, tuple[str, ...], list[str]]] = [
    (json.dumps({**feed(entry()), "@type": "Feed"}), ("q1",), ["dat-wrong-value"]),
    (json.dumps({**feed(entry()), "@type": ["DataFeed", "x"]}), ("q1",), []),
    (json.dumps({"@type": "DataFeed", "dataFeedElement": entry()}), ("q1",), []),
    (json.dumps({"@type": "DataFeed", "dataFeedElement": 4}), (), ["dat-wrong-value", "dat-empty-file"]),
    (json.dumps({"@type": "DataFeed"}), (), ["dat-wrong-value", "dat-empty-file"]),
    (json.dumps(feed()), (), ["dat-empty-file"]),
    ('{"@type": "Recipe"}', (), ["dat-bad-line"]),
    ("[1]", (), ["dat-bad-line"]),
    ("", (), ["dat-empty-file"]),
    ("{", (), ["dat-bad-line"]),
    (json.dumps(feed(entry(), rating=[])).replace('"rating": []', '"rating": [oops]'), ("q1",), ["dat-bad-line"]),
    (json.dumps(feed(entry())) + " x", ("q1",), ["dat-bad-line"]),
    (json.dumps(feed(entry()))[:-1], ("q1",), ["dat-bad-line"]),
    (json.dumps(feed(entry(), name="a"))[:-1] + ', "name": "b"}', ("q1",), ["dat-duplicate-key"]),
    (
        json.dumps(feed(entry()))[:-1] + ', "dataFeedElement": [{"item": {"text": "other"}}]}',
        ("q1",),
        ["dat-duplicate-key", "dat-bad-line"],
    ),
    (
        BROKEN,
        ("q1", "q3"),
        ["dat-bad-line"],
    ),
]


@pytest.mark.parametrize(("text", "ids", "codes"), ROOTS)
def test_a_fault_around_the_questions_is_said_and_the_questions_are_read(
    write: Write, text: str, ids: tuple[str, ...], codes: list[str]
) -> None:
    data = opened(write({"b.jsonld": text}))
    assert (data.ids(), sorted(found.code for found in data.diagnostics)) == (ids, sorted(codes))


def test_a_value_that_is_too_long_is_passed_over(write: Write) -> None:
    long = {"text": "x" * (LONGEST + 9)}
    data = opened(write({"b.jsonld": feed(entry("q1"), entry("q2", **long), entry("q3"), name="x", hasPart=[long])}))
    assert {found.code for found in data.diagnostics} == {"dat-too-large"}
    assert data.ids() in {("q1", "q3"), ("q1",)}


# what is taken for a checkpoint


def test_an_uploaded_checkpoint_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_UPLOADS", str(tmp_path / "uploads"))
    me = upload.owner("me")
    token, _ = upload.save([("b.jsonld", io.BytesIO(json.dumps(feed(entry())).encode()))], me)
    folder = upload.path(token, me)
    assert folder is not None
    assert opened(folder, (workspace.open(folder).dataset or DatasetSource("")).path).ids() == ("q1",)


@pytest.mark.parametrize("name", ["b.jsonld", "b.json", "b.jsonld.gz", "b.json.gz"])
def test_a_checkpoint_is_recognised_by_its_content(write: Write, name: str) -> None:
    text = json.dumps(feed(entry(), name="N", rating=[rating("T", "GlobalRubricTrait", 1, 5)]))
    root = write({name: gzip.compress(text.encode(), mtime=0) if name.endswith("gz") else text})
    for path in (root, root / name):
        found = workspace.open(path)
        assert found.dataset is not None
        assert (found.dataset.path, list(found.tasks), list(found.criteria)) == (name, ["generation"], ["T"])
        (said,) = [one for one in found.recognised if one.path == name]
        assert (said.what, said.detail.endswith("a benchmark, N; 1 criterion: T (1, 2, 3, 4, 5)")) == ("dataset", True)
        assert open_dataset(found.root, found.dataset).ids() == ("q1",)


@pytest.mark.parametrize(
    "value",
    [
        {"@type": "Recipe", "name": "x"},
        {"inner": {"@type": "DataFeed", "dataFeedElement": {}}, "@type": "Dataset"},
        {"note": '"@type": "DataFeed", "dataFeedElement": []'},
    ],
)
def test_other_json_ld_in_a_folder_is_no_dataset_and_named_it_is_a_finding(write: Write, value: Any) -> None:
    root = write({"b.jsonld": value, "d.jsonl": [{"id": "1", "question": "Why?"}]})
    found = workspace.open(root)
    assert found.dataset is not None
    assert found.dataset.path == "d.jsonl"
    assert [one.code for one in found.diagnostics if one.place.file == "b.jsonld"] == ["dat-not-recognised"]
    (root / "readback.yml").write_text("dataset: b.jsonld\n")
    assert [one.code for one in engine.check(workspace.open(root)).findings if one.severity == "error"] == [
        "dat-bad-line"
    ]


def test_what_the_workspace_says_itself_stays(write: Write) -> None:
    said = (
        "dataset: b.jsonld\ncriteria: {T: {scale: binary, direction: down}}\n"
        'tasks: {generation: {user: "Q: {{ question }}"}}\n'
    )
    root = write({"readback.yml": said, "b.jsonld": feed(entry(), rating=[rating("T", "GlobalRubricTrait", 1, 5)])})
    found = workspace.open(root)
    assert (found.criteria["T"].scale, found.criteria["T"].direction) == ("binary", "down")
    assert readback.open(root).assemble(task="generation").text("user") == "Q: Why?"


# traits


TRAITS: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
    (rating("T", "karenina:GlobalRubricTrait"), ("T", "binary", (0.0, 1.0), "up")),
    (rating("T", "GlobalRubricTrait", 1, 5), ("T", "ordinal", (1.0, 2.0, 3.0, 4.0, 5.0), "up")),
    (rating("T", "GlobalRubricTrait", 1, 3, higher_is_better=False), ("T", "ordinal", (1.0, 2.0, 3.0), "down")),
    (rating("T", "GlobalRubricTrait", 3, 1), ("T", "ordinal", (1.0, 2.0, 3.0), "down")),
    (rating("T", "GlobalRubricTrait", 0, 100), ("T", "numeric", (), "up")),
    (rating("T", "GlobalRubricTrait", 0, 1, kind="score"), ("T", "ordinal", (0.0, 1.0), "up")),
    (rating("T", "GlobalRegexTrait", 1, 5, higher_is_better=False), ("T", "binary", (0.0, 1.0), "down")),
    (rating("T", "GlobalCallableTrait", 1, 2), ("T", "ordinal", (1.0, 2.0), "up")),
    (
        rating("T", "GlobalCallableTrait", 1, 9, kind="score", min_score=2, max_score=3),
        ("T", "ordinal", (2.0, 3.0), "up"),
    ),
    (rating("T", "GlobalAgenticRubricTrait", kind="boolean"), ("T", "binary", (0.0, 1.0), "up")),
    (rating("T", "GlobalDynamicRubricTrait", 1, 2), ("T", "ordinal", (1.0, 2.0), "up")),
    (rating("T", "GlobalAgenticRubricTrait", kind="template"), ("T", "unknown", (), "up")),
    (
        rating("T", "GlobalLLMRubricTrait", kind="literal", classes={"bad": "b", "good": "g"}, higher_is_better=True),
        ("T", "ordinal", (0.0, 1.0), "up"),
    ),
    (rating("T", "GlobalLLMRubricTrait", classes='["x", "y", "z"]'), ("T", "nominal", (), "none")),
    (rating("T", "GlobalMetricRubricTrait", metrics=["recall"]), ("T.recall", "numeric", (), "up")),
]


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(("trait", "expected"), TRAITS)
def test_a_trait_is_a_criterion_with_its_scale_and_direction(
    write: Write, trait: dict[str, Any], expected: tuple[Any, ...], own: bool
) -> None:
    trait = {**trait, "additionalType": trait["additionalType"].replace("Global", "QuestionSpecific")} if own else trait
    made = feed(entry(rating=[trait])) if own else feed(entry(), rating=[trait])
    found = workspace.open(write({"b.jsonld": made}))
    (criterion,) = found.criteria.values()
    assert (criterion.name, criterion.scale, criterion.values, criterion.direction) == expected
    assert found.diagnostics == ()


@pytest.mark.parametrize(
    ("ratings", "names", "codes"),
    [
        ("x", [], ["dat-wrong-value"]),
        ([4], [], ["dat-wrong-value"]),
        ([rating(None, "GlobalRubricTrait")], [], ["dat-wrong-value"]),
        ([rating("T", None)], ["T"], ["dat-wrong-value"]),
        ([rating("T", "GlobalOtherTrait")], ["T"], ["dat-wrong-value"]),
        ([rating("T", "GlobalRubricTrait", "a", 5)], ["T"], ["dat-wrong-value"]),
        ([rating("T", "GlobalRubricTrait", kind="odd")], ["T"], ["dat-wrong-value"]),
        ([rating("T", "GlobalRubricTrait", higher_is_better="yes")], ["T"], ["dat-wrong-value"]),
        ([rating("T", "GlobalLLMRubricTrait")], ["T"], ["dat-wrong-value"]),
        (
            [rating("T", SCORED, 1, 5), rating("T", SCORED, 1, 3)],
            ["T"],
            ["scr-scale-differs"],
        ),
        ([rating("T", "GlobalRubricTrait", 1, 5)] * 2, ["T"], []),
        ([rating(f"T{n}", "GlobalRubricTrait") for n in range(301)], [f"T{n}" for n in range(300)], ["dat-limit"]),
    ],
)
def test_what_is_wrong_with_a_trait_is_said(write: Write, ratings: Any, names: list[str], codes: list[str]) -> None:
    found = workspace.open(write({"b.jsonld": feed(entry(), rating=ratings)}))
    assert (list(found.criteria), [one.code for one in found.diagnostics]) == (names, codes)
    if codes == ["scr-scale-differs"]:
        assert found.criteria["T"].scale == "unknown"


OLDER = {"name": "C", "kind": "score", "min_score": 1, "max_score": 2}


def test_traits_that_older_files_have_as_json_texts_are_read(write: Write) -> None:
    older = [
        prop("global_regex_rubric_traits", json.dumps([{"name": "R", "pattern": "x"}])),
        prop(
            "global_callable_rubric_traits",
            json.dumps([OLDER]),
        ),
        prop("global_metric_rubric_traits", json.dumps([{"name": "M", "metrics": ["f1"]}, 5])),
    ]
    found = workspace.open(write({"b.jsonld": feed(entry(), additionalProperty=older)}))
    scales = [(name, one.scale) for name, one in found.criteria.items()]
    assert scales == [("R", "binary"), ("C", "ordinal"), ("M.f1", "numeric")]
    assert [one.code for one in found.diagnostics] == ["dat-wrong-value"]


# results


def table(root: Path) -> list[tuple[str, str, str, float, str]]:
    columns = load(workspace.open(root)).columns
    return [
        (
            columns.items[columns.item[at]],
            columns.criteria[columns.criterion[at]],
            "/".join(value for _, value in columns.conditions[columns.condition[at]]),
            columns.value[at],
            columns.judges[columns.judge[at]],
        )
        for at in range(len(columns))
    ]


BY_HAND = {
    "template_result": {"passed": False},
    "rubric_results": {"R": {"passed": True, "score": 1}, "S": {"passed": True, "score": 4}, "L": "good"},
}
RATED = [
    rating("R", "GlobalRegexTrait"),
    rating("S", "GlobalRubricTrait", 1, 5),
    rating("L", "GlobalLLMRubricTrait", classes=["bad", "good"], higher_is_better=True),
]
FROM_HAND = [
    ("q1", "verify_result", "b", 0.0, ""), ("q1", "S", "b", 4.0, ""), ("q1", "L", "b", 1.0, ""),
    ("q1", "R", "b", 1.0, "computed"),
]  # fmt: skip
NESTED = {
    "metadata": {"question_id": "q1", "answering": {"interface": "i", "model_name": "m"}, "template_id": "t",
                 "parsing": {"interface": "i", "model_name": "j"}},
    "template": {"verify_result": True},
    "rubric": {"llm_trait_scores": {"S": 3}},
}  # fmt: skip
UNNAMED = {**NESTED, "metadata": {**NESTED["metadata"], "question_id": None}}
FROM_NESTED = [("q1", "verify_result", "i:m/i:j", 1.0, "i:j"), ("q1", "S", "i:m/i:j", 3.0, "i:j")]
FLAT = {"question_id": "q1", "answering_model": "i:m", "parsing_model": "i:j", "verify_result": True,
        "llm_trait_scores": {"S": 3}}  # fmt: skip


@pytest.mark.parametrize("where", ["item", "element", "root property"])
@pytest.mark.parametrize("name", ["custom_verification_results", "verification_results"])
@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (BY_HAND, FROM_HAND),
        (NESTED, FROM_NESTED),
        (FLAT, FROM_NESTED),
        ([NESTED], FROM_NESTED),
        ({"id": NESTED}, FROM_NESTED),
        ({"results": [NESTED], "format_version": "2.2"}, FROM_NESTED),
        ({"runs": {"one": [NESTED]}}, [(a, b, f"{c}/one", d, e) for a, b, c, d, e in FROM_NESTED]),
    ],
)
def test_results_are_found_wherever_they_are_embedded(
    write: Write, where: str, name: str, as_text: bool, value: Any, expected: list[Any]
) -> None:
    held = prop(name, json.dumps(value) if as_text else value)
    made = feed(entry("q1", "Why?", *([held] if where == "item" else [])), rating=RATED)
    if where == "element":
        made["dataFeedElement"][0]["additionalProperty"] = [held]
    if where == "root property":
        made["additionalProperty"] = [held]
        expected = expected if value is not BY_HAND else [("result_1", *rest) for _, *rest in expected]
    root = write({"b.jsonld": made})
    assert table(root) == [tuple(row) for row in expected]
    assert {one.code for one in load(workspace.open(root)).diagnostics} <= {"dat-missing-id"}


@pytest.mark.parametrize("name", ["results", "verification_results"])
def test_results_at_the_root_are_read_one_by_one(write: Write, name: str) -> None:
    assert table(write({"b.jsonld": feed(entry(), rating=RATED, **{name: [NESTED]})})) == FROM_NESTED


def test_a_result_beside_a_question_is_about_that_question(write: Write) -> None:
    inner = {key: value for key, value in NESTED["metadata"].items() if key != "question_id"}
    made = feed(entry("q7", "Why?", prop("verification_results", {**NESTED, "metadata": inner})), rating=RATED)
    assert {item for item, *_ in table(write({"b.jsonld": made}))} == {"q7"}


@pytest.mark.parametrize("value", ["words", 4, {"a": 1}, [5], {"a": {"b": {"c": {"d": {"e": {}}}}}}])
def test_what_is_no_result_is_refused_and_counted(write: Write, value: Any) -> None:
    made = feed(
        entry("q1", "Why?", prop("verification_results", value)), entry("q2", "How?", prop("results", NESTED)),
        rating=RATED,
    )  # fmt: skip
    root = write({"b.jsonld": made})
    read = load(workspace.open(root))
    assert (read.sources[0].rows, read.sources[0].refused) == (1, 1)
    assert "dat-bad-line" in {one.code for one in read.diagnostics}
    assert table(root) == FROM_NESTED


def test_the_scale_of_a_trait_is_that_of_results_in_another_file(write: Write) -> None:
    made = feed(entry("q1"), rating=[rating("S", "GlobalRubricTrait", 1, 9, higher_is_better=False)])
    root = write({"b.jsonld": made, "run.results.jsonl": [NESTED]})
    read = load(workspace.open(root))
    assert (read.criteria["S"].values[-1], read.criteria["S"].direction) == (9.0, "down")
    assert "S" not in read.inferred


def test_a_name_that_nothing_can_show_is_spelled_out_and_keeps_its_scale(write: Write) -> None:
    name = "\ud800 T\n"
    held = prop("results", {"rubric_results": {name: {"score": 3}}})
    made = json.dumps(feed(entry("q1", "Why?", held), rating=[rating(name, SCORED, 1, 5)], name=name))
    read = load(workspace.open(write({"b.jsonld": made})))
    assert {called: one.values for called, one in read.criteria.items()} == {"\\ud800 T\n": (1.0, 2.0, 3.0, 4.0, 5.0)}
    assert read.diagnostics == ()


def test_a_checkpoint_without_results_that_is_named_under_scores_is_a_finding(write: Write) -> None:
    root = write({"readback.yml": "dataset: b.jsonld\nscores: [b.jsonld]\n", "b.jsonld": feed(entry(), rating=RATED)})
    assert [one.code for one in load(workspace.open(root)).diagnostics] == ["scr-no-scores"]


# a study: questions and answering models, examples before the question


def study(write: Write, few_shot: Any, *entries: Any, yml: str = "") -> Workspace:
    files = {"b.jsonld": feed(*entries), "p.json": {**PRESET, "few_shot_config": few_shot}}
    return workspace.open(write({**files, **({"readback.yml": yml} if yml else {})}))


def user(found: Workspace, number: int = 0) -> str:
    record = open_dataset(found.root, found.dataset).record(number)
    made = assemble(found, record, Selection(condition=found.conditions[0].name))
    return next(message.text for message in made.messages if message.role == "user")


@pytest.mark.parametrize("yml", ["", "dataset: b.jsonld\nprompts: [p.json]\n"])
def test_a_checkpoint_beside_a_preset_is_asked_of_every_answering_model(write: Write, yml: str) -> None:
    found = study(write, None, entry("q1"), entry("q2", "How?"), yml=yml)
    assert [one.model for one in found.conditions] == ["m", "n"]
    assert (user(found, 0), user(found, 1)) == ("Why?", "How?")
    assert "asm-no-task-text" not in {one.code for one in found.diagnostics}  # no model is asked to parse


def test_a_checkpoint_beside_a_preset_that_parses_says_that_parsing_has_no_text(write: Write) -> None:
    parser = {"id": "p", "model_name": "x", "interface": "langchain"}
    preset = {**PRESET, "parsing_models": [parser]}
    found = workspace.open(write({"b.jsonld": feed(entry("q1")), "p.json": preset}))
    (lacking,) = [one for one in found.diagnostics if one.code == "asm-no-task-text"]
    assert (lacking.severity, lacking.values["tasks"]) == ("info", ["parsing"])


def written(*examples: Mapping[str, str]) -> str:
    lines = [f"Question: {one['question']}\nAnswer: {one['answer']}\n" for one in examples]
    return "\n".join([*lines, "Question: Why?", "Answer:"])


CHOICES: list[tuple[Any, str]] = [
    ({}, written(*POOL)),
    ({"source": "disabled"}, "Why?"),
    ({"source": "global", "global_examples": POOL[:1]}, written(POOL[0])),
    ({"source": "both", "pool_mode": "all", "global_examples": [{"question": "g", "answer": "h"}]},
     written(*POOL, {"question": "g", "answer": "h"})),
    ({"question_configs": {"q1": {"mode": "custom", "selected_examples": [2, 0]}}}, written(POOL[2], POOL[0])),
    ({"question_configs": {"q1": {"excluded_examples": [0]}}}, written(*POOL[1:])),
]  # fmt: skip


def test_the_two_texts_are_given_before_they_are_messages(write: Write) -> None:
    folder = write({
        "b.jsonld": feed(entry("q1", "Why?", prop("few_shot_examples", json.dumps(POOL[:1])))),
        "p.json": {**PRESET, "few_shot_config": {}, "prompt_config": {"generation": "Be brief."}},
    })  # fmt: skip
    found = readback.open(folder)
    assert found.assemble_text(found.conditions[0], "q1") == ("Be brief.", written(POOL[0]))
    for adapter, roles in (("no_system", ["user"]), ("langchain", ["system", "user"])):
        asked = {"task": "generation", "adapter": adapter}
        assert found.assemble_text(record="q1", **asked) == ("Be brief.", written(POOL[0]))
        assert [one.role for one in found.assemble(record="q1", **asked).messages] == roles
    assert found.assemble_text(found.conditions[0], values={"question": "How?"})[1].endswith("Question: How?\nAnswer:")


def test_two_texts_that_cannot_be_built_are_a_value_error(write: Write) -> None:
    folder = write({
        "b.jsonld": feed(entry("q1", "Why?", prop("few_shot_examples", json.dumps(POOL)))),
        "p.json": {**PRESET, "few_shot_enabled": True, "few_shot_mode": "k-shot"},
    })  # fmt: skip
    found = readback.open(folder)
    with pytest.raises(ValueError, match="nothing could be built"):
        found.assemble_text(found.conditions[0])


@pytest.mark.parametrize(("few_shot", "expected"), CHOICES)
def test_the_examples_of_a_checkpoint_are_before_the_question(write: Write, few_shot: Any, expected: str) -> None:
    found = study(write, few_shot, entry("q1", "Why?", prop("few_shot_examples", json.dumps(POOL))))
    assert user(found) == expected


def test_the_draw_of_two_hundred_questions_is_that_of_python(write: Write) -> None:
    ids = [f"urn:uuid:question-{n}-é" if n % 2 else str(n) for n in range(200)]
    pool = [{"question": f"q{n}", "answer": f"a{n}"} for n in range(9)]
    held = prop("few_shot_examples", json.dumps(pool))
    found = study(write, {"pool_mode": "k-shot", "pool_k": 4}, *(entry(called, "Why?", held) for called in ids))
    for at, called in enumerate(ids):
        random.seed(int(hashlib.md5(called.encode()).hexdigest(), 16) & 0x7FFFFFFF)
        assert user(found, at) == written(*random.sample(pool, 4)), called


def test_a_question_without_an_id_is_drawn_by_the_id_that_the_program_gives_it(write: Write) -> None:
    held = prop("few_shot_examples", json.dumps(POOL))
    found = study(write, {"pool_mode": "k-shot", "pool_k": 2}, entry(None, "Why?", held))
    random.seed(int(hashlib.md5(b"urn:uuid:question-why-2673ce82").hexdigest(), 16) & 0x7FFFFFFF)
    assert user(found) == written(*random.sample(POOL, 2))


# whatever is in the file


WHOLE = feed(
    FULL, entry("q2", "How?", prop("verification_results", [BY_HAND, NESTED]), rating=[rating("Q", "x")]),
    name="N", rating=[*RATED, rating("M", "GlobalMetricRubricTrait", metrics=["f1"])],
    additionalProperty=[prop("global_regex_rubric_traits", '[{"name": "R"}]')], results=[NESTED],
)  # fmt: skip
NAMES = st.sampled_from(["name", "text", "a"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x", "[", '{"a": [NaN]}', "\ud800", "q1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at]
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found += paths(inner, (*at, key))
    return found


PATHS = [path for path in paths(WHOLE) if path]


def mutated(changes: list[tuple[tuple[Any, ...], Any]]) -> Any:
    made = copy.deepcopy(WHOLE)
    for path, value in changes:
        inner = made
        try:
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took that place away
    return made


def read_all(text: bytes) -> tuple[Dataset, Workspace]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "b.jsonld")
        path.write_bytes(text)
        found = workspace.open(path)
        data = open_dataset(found.root, found.dataset)
        for record in data.records():
            for choice in (Selection(task="generation"),):
                assemble(found, record, choice)
        load(found)
        return data, found


@given(st.lists(st.tuples(st.sampled_from(PATHS), VALUES), min_size=1, max_size=3))
def test_no_change_to_a_checkpoint_is_a_traceback_and_the_counts_add_up(changes: list[Any]) -> None:
    made = mutated(changes)
    data, _ = read_all(json.dumps(made).encode())
    listed = made["dataFeedElement"]
    entries = len(listed) if isinstance(listed, list) else int(isinstance(listed, dict))
    if isinstance(listed, list | dict) or made["@type"] == "DataFeed":
        assert data.counts.read + data.counts.bad == entries
    assert data.counts.read == len(data)
    assert bool(data.diagnostics) or data.counts.bad == 0


@given(st.integers(0, 4000), st.binary(max_size=3), st.booleans())
def test_no_broken_text_is_a_traceback(at: int, put: bytes, cut: bool) -> None:
    text = json.dumps(WHOLE, indent=1).encode()
    at %= len(text)
    data, _ = read_all(text[:at] if cut else text[:at] + put + text[at + 1 :])
    assert data.counts.read == len(data)


# the real files


REAL: list[tuple[str, list[str], dict[str, tuple[str, str]], list[tuple[str, str, float]]]] = [
    ("minimal", ["urn:karenina:test:q001"], {}, []),
    (
        "multi_question",
        [f"urn:karenina:test:mq00{n}" for n in range(1, 6)],
        {"Completeness": ("ordinal", "up"), "Case Sensitivity": ("binary", "up")},
        [],
    ),
    (
        "with_results",
        ["urn:karenina:test:q002"],
        {"Conciseness": ("ordinal", "up"), "Citations": ("binary", "up")},
        [("urn:karenina:test:q002", "verify_result", 1.0), ("urn:karenina:test:q002", "Citations", 1.0)],
    ),
    (
        "with_rubrics",
        [f"urn:karenina:test:rq00{n}" for n in range(1, 4)],
        {
            "Clarity": ("ordinal", "up"), "Accuracy": ("binary", "up"), "Completeness": ("ordinal", "up"),
            "HasCitations": ("binary", "up"), "HasNumbers": ("binary", "up"), "ContainsCitations": ("binary", "up"),
            "ResponseLength": ("ordinal", "up"),
        },
        [],
    ),
]  # fmt: skip


@pytest.mark.realdata
@pytest.mark.parametrize(("name", "ids", "criteria", "scores"), REAL)
def test_the_real_checkpoints_open(
    shared: Path, capsys: pytest.CaptureFixture[str], name: str, ids: list[str], criteria: Any, scores: Any
) -> None:
    path = shared / "data" / "checkpoints" / f"{name}.jsonld"
    elements = json.loads(path.read_text("utf-8"))["dataFeedElement"]
    found = workspace.open(path)
    data = open_dataset(found.root, found.dataset)
    assert (list(data.ids()), data.counts.bad, data.diagnostics) == (ids, 0, ())
    for record, element in zip(data.records(), elements, strict=True):
        item = element["item"]
        assert record.fields["question"] == item["text"]
        assert record.fields["reference"] == item["acceptedAnswer"]["text"]
        assert record.fields["template_source"] == item["hasPart"]["text"]
        assert record.fields["keywords"] == item["keywords"]
        made = assemble(found, record, Selection(task="generation"))
        assert [message.text for message in made.messages] == [item["text"]]
    assert {called: (one.scale, one.direction) for called, one in found.criteria.items()} == criteria
    assert [(item, criterion, value) for item, criterion, _, value, _ in table(path)] == scores
    assert {one.severity for one in engine.check(found).findings} <= ({"warning"} if scores else set())
    assert cli.main(["check", str(path), "-v"]) == 0
    assert cli.main(["render", str(path)]) == 0
    cli.main(["scores", str(path)])
    assert elements[0]["item"]["text"] in capsys.readouterr().out


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["with_results", "with_rubrics"])
@pytest.mark.parametrize("page", ["overview", "prompts", "results", "findings", "review"])
def test_the_pages_of_a_real_checkpoint_are_drawn(
    shared: Path, monkeypatch: pytest.MonkeyPatch, name: str, page: str
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(shared / "data" / "checkpoints" / f"{name}.jsonld"))
    app = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=60)
    app.run()
    app.switch_page(f"pages/{page}_page.py").run()
    assert not app.exception

"""May two conditions be compared? One answer, the same on Overview, in Prompts and on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from looking import page, words

from readback import cli, workspace
from readback.checks.comparisons import (
    Missing,
    Pair,
    Verdict,
    Weighed,
    differs,
    planned,
    verdict,
    verdicts,
    weighed,
)
from readback.checks.groups import Group, groups
from readback.checks.run import engine
from readback.checks.summary import Audit

Write = Callable[[Mapping[str, Any]], Path]
ROWS = [{"id": f"r{n}", "q": "Why?", **({"c": "So."} if n else {})} for n in range(4)]


def study(**modes: str) -> dict[str, Any]:
    """A study with a condition for each mode, all compared with the first one."""
    names = list(modes)
    config = {
        "dataset": "d.jsonl",
        "modes": [{"mode": name, "template": text} for name, text in modes.items()],
        "conditions": [{"name": name, "mode": name} for name in names],
        "comparisons": [{"a": names[0], "b": name} for name in names[1:]],
    }
    return {"readback.yml": config, "d.jsonl": ROWS}


def judged(folder: Path, **how: Any) -> tuple[Audit, tuple[Verdict, ...]]:
    opened = workspace.open(folder)
    audit = engine.check(opened, engine.CheckOptions(jobs=1, **how))
    pairs = planned(opened)
    return audit, verdicts(audit, weighed(audit, groups(audit), pairs), pairs)


BROKEN = "{{ q | nothing }}"
LATER = "{{ q }}{% if c %}{{ q.x.y }}{% endif %}"  # breaks for every record but the first
SOME = "{{ q }}{% if not c %}{{ q.x.y }}{% endif %}"  # breaks for the first record alone


@pytest.mark.parametrize(
    ("a", "b", "kind", "sides", "records"),
    [
        ("{{ q }}", "Q: {{ q }}", "fair", [], 0),
        ("{{ q }}", BROKEN, "unfair", [("b",)], 4),
        (BROKEN, "{{ q }}", "unfair", [("a",)], 4),
        (LATER, LATER, "same", [("a", "b")], 0),
        (SOME, SOME, "unknown", [("a", "b")], 0),  # nothing was built of the first record, whose system text is known
        (SOME, BROKEN, "unfair", [("a", "b")], 3),  # the same error, in other records
    ],
)
def test_errors_decide(write: Write, a: str, b: str, kind: str, sides: list[tuple[str, ...]], records: int) -> None:
    _, (found,) = judged(write(study(a=a, b=b)))
    assert found.kind == kind
    assert [fault.sides for fault in found.faults] == sides
    assert sum(len(fault.records) for fault in found.faults) == records
    assert found.unchecked == ("requests",)


def test_what_is_missing_is_said_where_nothing_speaks_against_it(write: Write) -> None:
    files = study(a="{{ q }}", b="Q: {{ q }}")
    files["readback.yml"]["comparisons"].append({"a": "a", "b": "gone"})
    _, (_, lost) = judged(write(files))
    assert (lost.kind, [(one.what, one.side) for one in lost.missing]) == ("unknown", [("condition", "gone")])
    _, (stopped, _) = judged(write(files), progress=lambda done, total: False)
    assert (stopped.kind, [one.what for one in stopped.missing][:1]) == ("unknown", ["stopped"])


@pytest.mark.parametrize("rows", [None, []])
def test_without_a_record_it_is_the_records_that_are_missing(
    rows: list[Any] | None, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**study(a="{{ q }}", b="Q: {{ q }}"), "d.jsonl": rows}
    root = write({name: content for name, content in files.items() if content is not None})
    _, (found,) = judged(root)
    assert (found.kind, found.missing) == ("unknown", (Missing("records"),))
    cli.main(["check", str(root)])
    said = capsys.readouterr().out
    assert "Cannot tell. No record could be read, so nothing was built of the conditions and nothing could be" in said
    assert "The files have no condition" not in said


def test_an_error_of_which_not_all_places_are_kept_leaves_it_open(write: Write) -> None:
    audit, (fair,) = judged(write(study(a="{{ q }}", b="Q: {{ q }}")))
    many = Weighed(Group("fmt-markers", "error", "Marks", 20_000, 10_000, ("c",), ()), ("c",), (), ())
    assert fair.kind == "fair"
    assert verdict(audit, (many,), fair.pair).missing == (Missing("kept", why="Marks"),)


def test_a_sample_says_that_it_is_one(write: Write) -> None:
    _, (found,) = judged(write(study(a="{{ q }}", b="Q: {{ q }}")), sample=2)
    assert (found.kind, found.unchecked) == ("fair", ("sample", "requests"))


@pytest.mark.parametrize(
    ("b", "row", "said"),
    [
        (BROKEN, "✕ not fair A template cannot be rendered: 4 places in b", "Not fair."),
        ("Q: {{ q }}", "✓ fair Only the prompt differs.", "Fair."),
        (SOME, "✕ not fair A template cannot be rendered: 1 place in b", "A template cannot be rendered: 1 place in b"),
    ],
)
def test_the_pages_and_the_command_line_say_the_same(
    serving: Callable[[Mapping[str, Any]], Path], capsys: pytest.CaptureFixture[str], b: str, row: str, said: str
) -> None:
    folder = serving(study(a="{{ q }}", b=b))
    assert f"“b” versus “a” {row}" in words(page())
    compared = words(page("prompts", view="difference", condition="a", b_condition="b"))
    assert "May A be compared with B?" in compared
    assert said in compared
    cli.main(["check", str(folder)])
    told = capsys.readouterr().out
    assert "“b” versus “a”: may they be compared? " in told
    cli.main(["check", str(folder), "--format", "json"])
    answer = json.loads(capsys.readouterr().out)["comparisons"]
    (_, (found,)) = judged(folder)
    assert [(one["a"], one["b"], one["verdict"]) for one in answer] == [("a", "b", found.kind)]
    assert [one["records_on_one_side"] for one in answer[0]["faults"]] == [len(one.records) for one in found.faults]


TWO = {
    "dataset": "d.jsonl",
    "modes": [{"mode": "m", "template": "{{ q }}"}, {"mode": "n", "template": "Q: {{ q }}"},
              {"mode": "same as m", "template": "{{ q }}"}],
    "models": {"x": {"serving": {"modelfile": "Modelfile.x"}}, "y": {"serving": {"modelfile": "Modelfile.y"}}},
    "adapters": ["manual"],
}  # fmt: skip
SERVED = 'FROM ./w.gguf\nTEMPLATE "{{ .System }} {{ .Prompt }}"\nSYSTEM %s\n'


@pytest.mark.parametrize(
    ("a", "b", "more", "kind", "varied"),
    [
        ({"mode": "m"}, {"mode": "n"}, {}, "fair", ("mode",)),
        ({"mode": "m"}, {"mode": "same as m"}, {}, "fair", ()),
        ({"mode": "m", "model": "x"}, {"mode": "m", "model": "y"}, {}, "fair", ("model",)),
        ({"mode": "m", "model": "x"}, {"mode": "n", "model": "y"}, {}, "unfair", ("mode", "model")),
        ({"mode": "m"}, {"mode": "n", "adapter": "manual"}, {}, "unfair", ("mode", "adapter")),
        ({"mode": "m", "model": "x"}, {"mode": "n", "model": "y"}, {"varies": ["mode", "model"]}, "fair",
         ("mode", "model")),
        ({"mode": "m", "model": "x"}, {"mode": "n", "model": "y"}, {"varies": ["mode"]}, "unfair", ("mode", "model")),
    ],
)  # fmt: skip
def test_more_than_one_thing_that_differs_is_not_fair(
    write: Write, a: dict[str, str], b: dict[str, str], more: dict[str, Any], kind: str, varied: tuple[str, ...]
) -> None:
    named = [{"name": "a", **a}, {"name": "b", **b}]
    config = TWO | {"conditions": named, "comparisons": [{"a": "a", "b": "b", **more}]}
    files = {"Modelfile.x": SERVED % "Be brief.", "Modelfile.y": SERVED % "Be brief."}
    _, (found,) = judged(write({"readback.yml": config, "d.jsonl": ROWS, **files}))
    assert (found.kind, found.varied) == (kind, varied)


def test_another_system_message_than_the_other_models_is_a_second_thing(write: Write) -> None:
    named = [{"name": "a", "mode": "m", "model": "x"}, {"name": "b", "mode": "m", "model": "y"}]
    config = TWO | {"conditions": named, "comparisons": [{"a": "a", "b": "b"}]}
    files = {"Modelfile.x": SERVED % "Be brief.", "Modelfile.y": SERVED % "Be long."}
    _, (found,) = judged(write({"readback.yml": config, "d.jsonl": ROWS, **files}))
    assert (found.kind, found.varied) == ("unfair", ("model", "system"))
    trained = {name: {**model, "training": {"system": text}} for (name, model), text in
               zip(TWO["models"].items(), ("Be brief.", "Be long."), strict=True)}  # fmt: skip
    _, (found,) = judged(write({"readback.yml": config | {"models": trained}, "d.jsonl": ROWS, **files}))
    assert (found.kind, found.varied) == ("fair", ("model",))


def test_a_modelfile_that_is_not_there_leaves_the_system_message_open(write: Write) -> None:
    """Known to be equal where both sides run the one model, else open."""
    files = {"d.jsonl": ROWS, "Modelfile.x": SERVED % "Be brief."}
    named = [{"name": "a", "mode": "m", "model": "x"}, {"name": "b", "mode": "m", "model": "y"},
             {"name": "c", "mode": "n", "model": "y"}]  # fmt: skip
    plan = [{"a": "a", "b": "b"}, {"a": "b", "b": "c"}]
    audit, (other, one) = judged(write({"readback.yml": TWO | {"conditions": named, "comparisons": plan}, **files}))
    assert [row.system_unknown for row in audit.conditions][1:] == ["its Modelfile (Modelfile.y) cannot be read"] * 2
    assert (other.kind, [(each.what, each.side) for each in other.missing]) == ("unknown", [("system", "b")])
    assert (one.kind, one.unchecked) == ("fair", ("system", "requests"))


@pytest.mark.parametrize(("server", "unchecked"), [("", True), ("serving: {ollama: {go_template: true}}\n", False)])
def test_which_template_is_sent_is_among_what_was_not_checked(write: Write, server: str, unchecked: bool) -> None:
    setup = (
        "dataset: d.jsonl\nmodes: [{mode: m, system: Be brief., template: '{{ q }}'}, {mode: n, system: Be brief., "
        "template: 'Q: {{ q }}'}]\nmodels: {one: {serving: {modelfile: Modelfile}}}\ncomparisons: [{a: c, b: d}]\n"
        "conditions: [{name: c, mode: m, model: one}, {name: d, mode: n, model: one}]\n"
    )
    file = "FROM llama3.2\nTEMPLATE {{ .System }} {{ .Prompt }}\n"
    folder = write({"readback.yml": server + setup, "Modelfile": file, "d.jsonl": ROWS})
    _, (one,) = judged(folder)
    assert ("engine" in one.unchecked) is unchecked


def test_where_no_file_states_the_system_message_only_what_is_known_is_said_to_differ() -> None:
    known = Verdict(Pair("a", "b"), "fair", varied=("mode",))
    assert differs(known) == "Only the prompt differs."
    unstated = differs(replace(known, unchecked=("system",)))
    assert unstated == "Of what is known, only the prompt differs; no file states the system message of the two."

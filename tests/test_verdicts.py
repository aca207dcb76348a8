"""May two conditions be compared? One answer, the same on Overview, on Compare and on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from looking import page, words

from readback import cli, workspace
from readback.checks import engine
from readback.checks.comparisons import Weighed, planned, weighed
from readback.checks.groups import Group, groups
from readback.checks.summary import Audit
from readback.checks.verdicts import Missing, Verdict, verdict, verdicts

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
    audit = engine.check(opened, jobs=1, **how)
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


def test_an_error_of_which_not_all_places_are_kept_leaves_it_open(write: Write) -> None:
    audit, (fair,) = judged(write(study(a="{{ q }}", b="Q: {{ q }}")))
    many = Weighed(Group("fmt-markers", "error", "Marks", 20_000, 10_000, ("c",), ()), ("c",), (), ())
    assert fair.kind == "fair"
    assert verdict(audit, (many,), fair.pair).missing == (Missing("kept", why="Marks"),)


def test_a_sample_says_that_it_is_one(write: Write) -> None:
    _, (found,) = judged(write(study(a="{{ q }}", b="Q: {{ q }}")), sample=2)
    assert (found.kind, found.unchecked) == ("fair", ("sample", "requests"))


@pytest.mark.parametrize(
    ("b", "said"),
    [(BROKEN, "Not fair."), ("Q: {{ q }}", "Fair."), (SOME, "A template cannot be rendered: 1 place in b")],
)
def test_the_pages_and_the_command_line_say_the_same(
    serving: Callable[[Mapping[str, Any]], Path], capsys: pytest.CaptureFixture[str], b: str, said: str
) -> None:
    folder = serving(study(a="{{ q }}", b=b))
    overview = words(page("overview"))
    assert said in overview
    compared = words(page("compare", condition="a", b_condition="b"))
    assert "May a be compared with b?" in compared
    assert said in compared
    cli.main(["check", str(folder)])
    told = capsys.readouterr().out
    assert "May a be compared with b? " in told
    cli.main(["check", str(folder), "--format", "json"])
    answer = json.loads(capsys.readouterr().out)["comparisons"]
    (_, (found,)) = judged(folder)
    assert [(one["a"], one["b"], one["verdict"]) for one in answer] == [("a", "b", found.kind)]
    assert [one["records_on_one_side"] for one in answer[0]["faults"]] == [len(one.records) for one in found.faults]

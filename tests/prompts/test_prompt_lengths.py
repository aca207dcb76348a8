"""One record under many choices at once: the same bytes and findings as one by one, and nothing stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run.prompt_lengths import measure
from readback.project_files import EXAMPLES
from readback.prompts import assemble, children, selections
from readback.records.dataset import open_dataset
from readback.types import Selection


def test_each_look_is_what_is_assembled() -> None:
    opened = workspace.open(EXAMPLES / "six-conditions-mistakes")
    record = open_dataset(opened.root, opened.dataset).record(2)
    choices = selections.list_selections(opened)[:8]
    made = [assemble.assemble(opened, record, choice) for choice in choices]
    seen = list(measure(opened, 2, choices))
    assert [one.fingerprint for one in seen] == [one.fingerprint for one in made]
    assert [one.characters for one in seen] == [sum(len(m.text) for m in one.messages) for one in made]
    assert sum(one.errors for one in seen) > 0
    assert {bool(one.errors) for one in seen if any(severity == "error" for severity, _ in one.codes)} == {True}


@pytest.mark.usefixtures("hurried")
def test_a_choice_that_takes_too_long_does_not_stop_the_others(write: Callable[[Mapping[str, Any]], Path]) -> None:
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    modes = (
        f"modes:\n  - {{mode: a, template: x}}\n  - {{mode: b, template: '{endless}'}}\n  - {{mode: c, template: y}}\n"
    )
    opened = workspace.open(write({"readback.yml": modes}))
    seen = list(measure(opened, 0, [Selection(mode=name) for name in "abc"]))
    assert [bool(one.fingerprint) for one in seen] == [True, False, True]
    assert seen[1].errors >= 1


def test_a_choice_of_nothing_that_is_there_is_an_error(write: Callable[[Mapping[str, Any]], Path]) -> None:
    opened = workspace.open(write({"readback.yml": "modes:\n  - {mode: a, template: x}\n"}))
    assert [(one.fingerprint, one.errors) for one in measure(opened, 0, [Selection(mode="z")])] == [("", 1)]


def test_a_text_is_compared_with_its_reference(write: Callable[[Mapping[str, Any]], Path]) -> None:
    modes = (
        "modes:\n  - {mode: a, template: 'x {{ q }}', system: s}\n  - {mode: b, template: 'x {{ q }}!'}\n"
        "  - {mode: c, template: 'x {{ q }}!?'}\n"
    )
    opened = workspace.open(write({"readback.yml": f"dataset: d.jsonl\n{modes}", "d.jsonl": '{"q": "long"}\n'}))
    a, b, c = (Selection(mode=name) for name in "abc")
    seen = list(measure(opened, 0, [a, b, c], {a: a, b: a, c: b}))
    assert [one.reference for one in seen] == [None, a, b]
    assert [[(part.role, part.differs) for part in one.excerpts] for one in seen] == [
        [("system", None), ("user", None)],
        [("user", 6)],
        [("user", 7)],
    ]
    assert [one.lacks for one in seen] == [(), ("system",), ()]
    assert seen[0].changes == ()
    words = [[(change.role, change.words) for change in each.changes] for each in seen]
    assert words[1] == [("system", "Has no system message"), ("user", "User message: adds “!” after the q")]
    assert words[2] == [("user", "Adds “?” at the end")]


def test_what_cannot_be_built_is_no_reference(write: Callable[[Mapping[str, Any]], Path]) -> None:
    modes = "modes:\n  - {mode: a, template: '{% for %}'}\n  - {mode: b, template: x}\n"
    opened = workspace.open(write({"readback.yml": modes}))
    a, b = (Selection(mode=name) for name in "ab")
    (seen,) = measure(opened, 0, [b], {b: a})
    assert (seen.reference, seen.excerpts[0].differs, seen.lacks) == (None, None, ())


def test_what_takes_too_long_is_no_reference_and_the_others_are_compared(
    write: Callable[[Mapping[str, Any]], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        children, "LIMITS", replace(children.LIMITS, seconds=0.6)
    )  # of the processor, also on a busy one
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    modes = (
        f"modes:\n  - {{mode: a, template: x}}\n  - {{mode: b, template: '{endless}'}}\n"
        "  - {mode: c, template: xy}\n  - {mode: d, template: xyz}\n"
    )
    opened = workspace.open(write({"readback.yml": modes}))
    a, b, c, d = (Selection(mode=name) for name in "abcd")
    seen = {one.choice: one for one in measure(opened, 0, [a, b, c, d], {a: b, c: a, d: b, b: c})}
    assert {choice: bool(one.fingerprint) for choice, one in seen.items()} == {a: True, b: False, c: True, d: True}
    assert {choice: one.reference for choice, one in seen.items()} == {a: None, b: None, c: a, d: None}
    assert seen[c].excerpts[0].differs == 1

"""One record under many choices at once: the same bytes and findings as one by one, and nothing stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run.prompt_lengths import measure
from readback.project_files import EXAMPLES
from readback.prompts import assemble, selections
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


def test_a_text_is_held_against_the_first_one(write: Callable[[Mapping[str, Any]], Path]) -> None:
    modes = "modes:\n  - {mode: a, template: 'x {{ q }}', system: s}\n  - {mode: b, template: 'x {{ q }}!'}\n"
    opened = workspace.open(write({"readback.yml": f"dataset: d.jsonl\n{modes}", "d.jsonl": '{"q": "long"}\n'}))
    a, b = measure(opened, 0, [Selection(mode="a"), Selection(mode="b")], Selection(mode="a"))
    assert ([one.differs for one in a.excerpts], a.lacks) == ([None, None], ())
    assert ([(one.role, one.differs, one.length) for one in b.excerpts], b.lacks) == ([("user", 6, 7)], ("system",))


@pytest.mark.usefixtures("hurried")
def test_where_the_first_one_takes_too_long_the_others_are_shown(write: Callable[[Mapping[str, Any]], Path]) -> None:
    endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    modes = f"modes:\n  - {{mode: a, template: x}}\n  - {{mode: b, template: '{endless}'}}\n"
    opened = workspace.open(write({"readback.yml": modes}))
    seen = list(measure(opened, 0, [Selection(mode="a"), Selection(mode="b")], Selection(mode="b")))
    assert [bool(one.fingerprint) for one in seen] == [True, False]
    assert seen[0].excerpts[0].differs is None

"""The same input gives the same findings, whatever else the machine is doing and however many children work."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2
import pytest
from busy import busy
from counts import many, part
from in_time import in_time

from readback import as_json, project_files, workspace
from readback.checks.run import engine
from readback.compare.search import search
from readback.compare.search_expression import Query
from readback.project_files import EXAMPLES
from readback.prompts import children, render
from readback.prompts.assemble import assemble
from readback.prompts.render import Template
from readback.records.dataset import open_dataset
from readback.types import Selection, Workspace
from readback.workspace import survey

Write = Callable[[Mapping[str, Any]], Path]
DEMOS = sorted(project_files.demos())


def found(folder: Path, jobs: int | None = None) -> list[Any]:
    """What `check` answers: every finding with its key, in its order."""
    audit = engine.check(workspace.open(folder), engine.CheckOptions(jobs=jobs))
    return [
        [as_json.place_from_json(as_json.known_place_to_json(one.place)), one.code, one.key, one.message]
        for one in audit.findings
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", part(DEMOS[::-1], 1))
def test_b8_a_busy_machine_finds_what_an_idle_one_finds(name: str) -> None:
    expected = found(EXAMPLES / name)
    assert expected
    with busy():
        for _ in range(many(50)):
            assert found(EXAMPLES / name) == expected


def test_b8_work_within_its_limit_is_done_on_a_machine_that_is_four_times_too_busy() -> None:
    heavy = "{% for a in range(2500) %}" + "{% for b in range(1000) %}{% endfor %}" + "{% endfor %}done"
    with busy(each=4):
        (rendered,) = render.render([Template(heavy)], {})
    assert (rendered.ok, rendered.text) == (True, "done")


SLOW = "{% for a in range(n) %}{% for b in range(1000) %}{% endfor %}{% endfor %}{{ q }}"


def slow(write: Write, count: int, turns: Callable[[int], int]) -> Workspace:
    rows = [{"id": str(number), "q": "here", "n": turns(number)} for number in range(count)]
    modes = [{"mode": "slow", "template": SLOW}, {"mode": "quick", "template": "{{ q }}"}]
    return workspace.open(write({"readback.yml": {"dataset": "d.jsonl", "modes": modes}, "d.jsonl": rows}))


def test_b15_a_choice_whose_records_are_slow_is_given_up_early_and_once_in_check_and_search(write: Write) -> None:
    began = time.process_time()
    jinja2.Template(SLOW).render(n=500, q="")
    once = (time.process_time() - began) / 500
    turns = int(0.45 / (2 * once))  # rendered twice: more than SLOW, less than a template may take
    workspace = slow(write, 300, lambda number: turns)
    audit = in_time(8, lambda: engine.check(workspace))
    (limit,) = [one for one in audit.findings if one.code == "dat-limit"]
    assert (limit.place.mode, limit.place.index) == ("slow", None)
    searched = search(workspace, [Selection(mode="slow"), Selection(mode="quick")], Query("here"))
    (lost,) = searched.failures
    assert (lost.choice, lost.index) == (Selection(mode="slow"), None)
    assert lost.why in limit.message
    assert [condition.count for condition in searched.hits] == [0, 300]


@pytest.mark.usefixtures("hurried")
def test_b15_one_slow_record_condemns_no_other(write: Write) -> None:
    workspace = slow(write, 40, lambda number: 10**7 if number == 13 else 1)
    audit = engine.check(workspace)
    assert [one.place.index for one in audit.findings if one.code == "dat-limit"] == [13]
    searched = search(workspace, [Selection(mode="slow")], Query("here"))
    assert [one.index for one in searched.failures] == [13]
    assert searched.hits[0].count == 39


def test_b15_check_says_of_a_slow_record_what_render_says(write: Write) -> None:
    workspace = slow(
        write, 3, lambda number: 30_000 if number == 1 else 1
    )  # more than a template's 0.8 s, less than 2 s
    record = open_dataset(workspace.root, workspace.dataset).record(1)
    rendered = assemble(workspace, record, Selection(mode="slow"))
    (diagnostic,) = rendered.diagnostics
    (found_,) = [one for one in engine.check(workspace).findings if one.code == "dat-limit"]
    assert (found_.code, found_.values) == (diagnostic.code, diagnostic.values)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("jobs", part([5, 1, 2], 1))
def test_b8_the_findings_are_the_same_for_any_number_of_children(
    write: Write, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 4)
    monkeypatch.setattr(engine, "KILLS", 2)
    workspace = slow(write, 20, lambda number: 10**7 if number in (6, 15, 17) else 1)
    audit = engine.check(workspace, engine.CheckOptions(jobs=jobs))
    assert [(one.place.mode, one.place.index) for one in audit.findings if one.code == "dat-limit"] == [
        ("slow", 6), ("slow", 15), ("slow", None),
    ]  # fmt: skip
    assert audit.records.read == 20


@pytest.mark.parametrize(
    "text", ["{{ lipsum(1) }}", "{{ q }}{{ range(1000) | random }}", "{{ [xs] | map('random') | join }}"]
)
def test_b15_text_at_random_is_shown_alike_everywhere_and_said(write: Write, text: str) -> None:
    opened = workspace.open(write({"readback.yml": {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": text}]},
                                 "d.jsonl": [{"id": "1", "q": "here", "xs": list(range(100))}] * 2}))  # fmt: skip
    record = open_dataset(opened.root, opened.dataset).record(0)
    first, again = (assemble(opened, record, Selection(mode="m")) for _ in range(2))
    assert (first.fingerprint, first.messages) == (again.fingerprint, again.messages)
    assert [diagnostic.code for diagnostic in first.diagnostics] == ["asm-random-text"]
    assert {one.code for one in engine.check(opened).findings} >= {"asm-random-text"}
    audit = engine.check(opened)
    assert next(iter(audit.lengths.values())).longest == sum(len(message.text) for message in first.messages)
    assert not [one.message for one in audit.findings if "/" in one.message]


def test_b8_a_folder_is_looked_through_by_work_and_not_by_the_clock(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "PARSED", 100)
    configuration = "prompts: {plain: p.jinja}\n" + "# more\n" * 9
    folder = write({f"c{number}.yml": configuration for number in range(6)})
    looked = survey.survey(folder)
    (diagnostic,) = [one for one in looked.diagnostics if one.code == "dat-limit"]
    assert diagnostic.flagged == "c2.yml"
    assert diagnostic.values["limit"] == "0 MiB"

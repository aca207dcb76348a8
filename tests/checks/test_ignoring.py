"""Ignoring: the lines a page offers do what it says when they are pasted; nothing that is ignored is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st

from readback import workspace
from readback.checks import ignoring
from readback.checks.run import engine
from readback.checks.summary import Audit, covers
from readback.readers.yaml.yaml_file import read_yaml
from readback.types import Finding, Ignored, Location

Write = Callable[[Mapping[str, Any]], Path]
FILE = """\
dataset: data.jsonl
modes:
  - {mode: short, system: 'Be brief.', template: '{{ q }}'}
  - {mode: long, system: 'Be brief.', template: 'Q: {{ q }}'}
conditions: [{name: "one: the 1st, \\"short\\"", mode: short}, {name: \"no\", mode: long}]
"""
CODE = "fmt-system-text-in-user"
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)


def audit(folder: Path) -> Audit:
    return engine.check(workspace.open(folder))


@pytest.fixture
def folder(write: Write) -> Path:
    rows = [{"id": name, "q": "Be brief. Why?"} for name in ("1", "0x1f", "no", "2026-01-31", "ä\u2028b", "")]
    return write({"readback.yml": FILE, "data.jsonl": rows})


def pasted(folder: Path, *lines: str) -> Audit:
    (folder / "readback.yml").write_text(FILE + "".join(lines), "utf-8")
    return audit(folder)


def leaks(found: Audit) -> list[Finding]:
    return [one for one in found.findings if one.code == CODE]


def test_each_place_that_is_offered_ignores_exactly_what_it_says(folder: Path) -> None:
    found = leaks(audit(folder))
    assert len(found) == 12
    for one in found:
        entry = Ignored(CODE, "as the paper does", "me", "2026-01-31", ignoring.place(one.place))
        assert ignoring.covered(entry, found) == 1
        after = pasted(folder, ignoring.lines(entry))
        assert {each.key for each in found} - {each.key for each in leaks(after)} == {one.key}
        assert [(kept.why, kept.by, kept.date, n) for kept, n in after.ignored] == [
            ("as the paper does", "me", "2026-01-31", 1)
        ]
        assert [each.key for each in after.ignored_findings] == [one.key]


def test_each_condition_and_everywhere_are_offered_too(folder: Path) -> None:
    found = leaks(audit(folder))
    conditions = ignoring.conditions(found)
    assert [dict(where) for where in conditions] == [{"condition": 'one: the 1st, "short"'}, {"condition": "no"}]
    for where in (*conditions, {}):
        entry = Ignored(CODE, "meant", "me", "2026-01-31", where)
        after = pasted(folder, ignoring.lines(entry))
        assert len(leaks(after)) == 12 - ignoring.covered(entry, found) < 12
        assert not {one.code for one in after.findings} & {"dat-unknown-key", "dat-wrong-value", "dat-bad-config"}


def test_more_lines_go_below_the_first(folder: Path) -> None:
    conditions = ignoring.conditions(leaks(audit(folder)))
    entries = [Ignored(CODE, "meant", "me", "2026-01-31", where) for where in conditions]
    after = pasted(folder, *(ignoring.lines(one, first=n == 0) for n, one in enumerate(entries)))
    assert [n for _, n in after.ignored] == [6, 6]
    assert not leaks(after)


def test_lines_that_ignore_nothing_are_counted_as_such(folder: Path) -> None:
    after = pasted(folder, ignoring.lines(Ignored(CODE, "gone", "me", "2026-01-31", {"record": "gone"})))
    assert [n for _, n in after.ignored] == [0]


def test_what_is_about_a_file_is_ignored_by_its_file(write: Write) -> None:
    folder = write({"readback.yml": FILE, "data.jsonl": '{"id": "1", "q": "x"}\nnot json\n'})
    (bad,) = (one for one in audit(folder).findings if one.code == "dat-bad-line")
    assert ignoring.place(bad.place)["file"] == "data.jsonl"
    assert ignoring.conditions([bad]) == ({"file": "data.jsonl"},)
    after = pasted(folder, ignoring.lines(Ignored("dat-bad-line", "known", "me", "", ignoring.place(bad.place))))
    assert "dat-bad-line" not in after.counts


def test_a_place_without_a_name_is_not_the_name_none() -> None:
    one = Finding("c", "error", {}, "", "", Location(), "k")
    assert not covers(Ignored("c", where={"record": "None"}), one)


@settings(deadline=None, max_examples=some(60))  # each reads a file in a bounded child
@given(st.dictionaries(st.sampled_from(ignoring.WHERE), NAMES), NAMES, NAMES)
def test_the_lines_read_back_as_they_were_meant(where: dict[str, str], why: str, by: str) -> None:
    import tempfile

    entry = Ignored(CODE, why, by, "2026-01-31", where)
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "lines.yml"
        path.write_text(ignoring.lines(entry), "utf-8")
        (read,) = read_yaml(path, "lines.yml").value["ignore"]
    expected = {"code": CODE, "why": why, "by": by, "date": "2026-01-31", **({"where": where} if where else {})}
    assert json.dumps(read, sort_keys=True) == json.dumps(expected, sort_keys=True)


def test_a_name_that_no_yaml_holds_is_left_out_and_breaks_no_file(write: Write) -> None:
    text = json.dumps({"id": "torn \ud800", "q": "Be brief."}) + "\n"
    folder = write({"readback.yml": FILE, "data.jsonl": text})
    found = leaks(audit(folder))
    where = ignoring.place(found[0].place)
    assert where == {"condition": 'one: the 1st, "short"', "role": "user"}
    after = pasted(folder, ignoring.lines(Ignored(CODE, "torn \ud800", "me", "2026-01-31", where)))
    assert len(found) - len(leaks(after)) == 1 == after.ignored[0][1]
    assert after.ignored[0][0].why == "torn \ufffd"

"""Who among the judges is a person: as the workspace says, else a column of the file, else the name."""

from __future__ import annotations

import pytest
from score_files import Write

from readback import workspace
from readback.scores import loading, summary
from readback.scores.agreement.measures import measure_agreement
from readback.scores.agreement.ratings import is_person

ROWS = "".join(
    f"q{at},a,{judge},ok,{at % 2 ^ (at % 5 == 0 and judge == 'm')}{{{judge}}}\n" for at in range(12) for judge in "nm"
)
PLAIN = "item,condition,judge,criterion,score\n" + ROWS.format(n="", m="").replace(",n,", ",anna,")
TYPED = "item,condition,judge,criterion,score,judge_type\n" + ROWS.format(n=",Human", m=",llm").replace(",n,", ",anna,")
SCORES = "scores: [s.csv]\ncriteria: {ok: {scale: binary}}\n"


@pytest.mark.parametrize(
    ("said", "text", "people"),
    [
        ("", PLAIN, set()),
        ("judges: {anna: {kind: person}}\n", PLAIN, {"anna"}),
        ("", TYPED, {"anna"}),
        ("judges: {m: {kind: person}, anna: {kind: model}}\n", TYPED, {"m"}),  # the workspace has the last word
    ],
)
def test_a_person_may_be_declared(write: Write, said: str, text: str, people: set[str]) -> None:
    opened = workspace.open(write({"readback.yml": SCORES + said, "s.csv": text}))
    table = loading.load(opened)
    assert [diagnostic.code for diagnostic in (*opened.diagnostics, *table.diagnostics)] == []
    assert {name for name in table.columns.judges if is_person(name, table.people)} == people
    found = measure_agreement(table, "ok")
    assert {one.judge for one in found.judges if one.person} == people
    assert {one.person for one in found.corrected} == people
    assert [row.condition for row in summary.rows(table)] == [(("condition", "a"),)] * 2  # the column is no factor


def test_a_column_that_says_both_of_one_judge_leaves_it_to_the_name(write: Write) -> None:
    text = TYPED.replace(",Human\n", ",llm\n", 1)
    table = loading.load(workspace.open(write({"readback.yml": SCORES, "s.csv": text})))
    assert dict(table.people) == {"m": False}


def test_where_only_the_kind_of_judge_is_said_it_is_the_judges_name(write: Write) -> None:
    rows = "".join(f"q{at},{by},ok,1\n" for at in range(6) for by in ("human", "llm"))
    text = "item,judge_type,criterion,score\n" + rows
    table = loading.load(workspace.open(write({"readback.yml": SCORES, "s.csv": text})))
    assert table.columns.judges == ("human", "llm")
    assert (is_person("human", table.people), is_person("llm", table.people)) == (True, False)


@pytest.mark.parametrize("said", ["{}", "{kind: robot}", "{kind: 7}", "[]", "{settings: {model: x}}"])
def test_a_judge_without_prompts_and_without_a_known_kind_is_said(write: Write, said: str) -> None:
    opened = workspace.open(write({"readback.yml": f"{SCORES}judges: {{anna: {said}}}\n", "s.csv": PLAIN}))
    assert [diagnostic.code for diagnostic in opened.diagnostics] == ["dat-wrong-value"]
    assert dict(opened.people) == {}

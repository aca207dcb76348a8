"""Whether a planned comparison is fair, and what it says without the records that errors touch: values in and out."""

from __future__ import annotations

import json

import looking
import numpy as np
import pytest

from readback import workspace
from readback.checks.fair_pairs import fairness
from readback.checks.run import engine
from readback.cli import main
from readback.project_files import EXAMPLES
from readback.records.dataset import open_dataset
from readback.scores import loading
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.comparing.paired_items import drop_items, pair_items

SIX = EXAMPLES / "six-conditions-mistakes"


def test_the_difference_without_the_touched_records_is_that_of_all_the_others() -> None:
    opened = workspace.open(SIX)
    table = loading.load(opened)
    audit = engine.check(opened)
    made = [one for one in compare.compare(table, list_planned(opened)).comparisons if one.planned]
    found = {dict(one.a)["condition"]: (one, fairness(opened, open_dataset(SIX, opened.dataset), audit, table, one))
             for one in made if one.criterion == "relevance"}  # fmt: skip
    one, fair = found["instruction-only, closed book"]
    assert fair is not None
    assert (fair.verdict.kind, fair.untouched) == ("fair", None)
    one, fair = found["base, open book"]
    assert fair is not None
    assert fair.untouched is not None
    assert (fair.verdict.kind, fair.one_sided, fair.both_sided, len(fair.touched)) == ("unknown", 0, 1, 2)
    pair = pair_items(table, one.a, one.b, one.criterion, one.judge)
    kept = np.array([item not in fair.touched for item in pair.items])
    assert fair.untouched.n_shared == int(kept.sum()) == one.n_shared - 2
    assert fair.untouched.difference == pytest.approx(float((pair.b - pair.a)[kept].mean()))


def test_a_table_without_items_has_all_other_cells_as_they_were() -> None:
    table = loading.load(workspace.open(SIX))
    gone = frozenset(table.columns.items[:3])
    assert [one.value for one in drop_items(table, gone).scores] == pytest.approx(
        [one.value for one in table.scores if one.item not in gone], nan_ok=True
    )


def test_the_page_says_that_nothing_was_checked_yet_and_then_what_overview_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(SIX))
    app = looking.scores()
    if "the prompts were not checked" in looking.words(app):  # else somebody has checked them before
        assert any(True for _ in looking.links(app, ""))
    app = looking.turned(looking.page(), "results")
    said = looking.words(app)
    assert "“instruction-only, open book” versus “instruction-only, closed book”: may they be compared? Fair." in said
    assert "“RAG-trained, open book” versus “base, open book”: may they be compared? Cannot tell." in said
    pair = "RAG-trained, open book minus base, open book"
    rest = "is +0.32 (22 questions, 95 % interval −0.31 to 0.95) instead of +0.46."
    assert f"Without the 2 records in which errors were found, {pair} {rest}" in said


def test_the_command_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    main(["scores", str(SIX), "--findings", "--format", "json"])
    found = json.loads(capsys.readouterr().out)["fair"]
    assert [(one["criterion"], one["fair"], one["touched"]) for one in found][:2] == [
        ("relevance", True, 0), ("relevance", False, 2),
    ]  # fmt: skip
    assert found[1]["n_untouched"] == 22
    assert found[1]["said"].endswith("is +0.32 (22 questions, 95 % interval −0.31 to 0.95) instead of +0.46.")

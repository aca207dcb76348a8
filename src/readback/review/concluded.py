"""What the scores say of each planned comparison: under one criterion, by one judge, with the verdict on fairness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readback.checks.comparisons import Pair, Verdict
from readback.scores import conclusion, criterion_kinds, in_view
from readback.scores.comparing.compare import list_planned
from readback.scores.conclusion import Conclusion
from readback.scores.table import ScoreTable
from readback.scores.workspace_condition import find_workspace_name
from readback.types import Workspace


@dataclass(frozen=True, slots=True)
class Concluded:
    """What is concluded of a planned comparison under a `criterion` by a `judge`; `view` is the table it is from."""

    criterion: str
    judge: str
    conclusion: Conclusion
    view: ScoreTable


def conclude_planned(workspace: Workspace, table: ScoreTable, verdicts: Sequence[Verdict]) -> Mapping[Pair, Concluded]:
    """Return what Results says first of each planned comparison: under the first criterion, in the order of Results,
    that the plan has for it, by the judge (or the judges together) that Results begins with. A pair without scores of
    both sides is left out.
    """
    concluded: dict[Pair, Concluded] = {}
    plan, kinds = list_planned(workspace), {verdict.pair: verdict.kind for verdict in verdicts}
    for criterion in criterion_kinds.order_of(table, workspace) if plan else ():
        judge = next(iter(in_view.judges(table, criterion)), None)
        if judge is None or concluded.keys() == kinds.keys():
            break
        view = in_view.get_judge_table(table, judge)
        for line in in_view.of_plan(view, plan, criterion, judge):
            a, b = (find_workspace_name(workspace, view, key) or "" for key in (line.a, line.b))
            pair = next((pair for pair in kinds if {pair.a, pair.b} == {a, b}), None)
            if pair is None or pair in concluded:
                continue
            # the fault is said beside it
            if kinds[pair] == "same":
                kind = "fair"
            else:
                kind = kinds[pair]
            concluded[pair] = Concluded(criterion, judge, conclusion.conclude(view, line, kind), view)
    return concluded

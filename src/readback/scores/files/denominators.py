"""Tell scales of judges' replies apart by their denominators: `4/5` beside `8/10` is not 4 beside 8.

docs/statistics.md, *Denominators*, has the exact rules.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from readback.scores.files.intake import Intake
from readback.scores.table import MISSING, NOT_READ, SCORED
from readback.scores.values.criteria import look_up, number, scale_text
from readback.types import Criterion, Diagnostic, Location

NEARLY_ALL = 0.9  # of the denominators of a file: from this share on a number without one is out of the same
SCALE = "scr-scale-differs"


@dataclass(slots=True)
class Denominators:
    """The denominators of one file's cells, by the number of the cell."""

    of_cell: dict[int, float] = field(default_factory=dict)
    # what the file calls each criterion that `split` has given a name of its own
    on_other_scale: dict[str, str] = field(default_factory=dict)

    def see(self, cell: int, denominator: float | None) -> None:
        """Take in the denominator that the reply of a cell writes; None where it writes none."""
        if denominator is not None:
            self.of_cell[cell] = denominator

    def split(self, intake: Intake, declared: Mapping[str, Criterion]) -> tuple[dict[str, Criterion], list[Diagnostic]]:
        """Return the scales that the replies state, and a finding for each criterion of several denominators.

        The commonest denominator keeps the criterion's name; numbers out of another one go under a name of their own.
        A number without denominator among several different ones becomes *not read*.
        """
        stated: dict[str, Criterion] = {}
        findings: list[Diagnostic] = []
        if not self.of_cell:
            return stated, findings
        for name, code in list(intake.criteria.codes.items()):
            cells = [at for at in range(len(intake.value)) if intake.criterion[at] == code]
            scored = [at for at in cells if intake.state[at] == SCORED]
            counts = Counter(self.of_cell[at] for at in scored if at in self.of_cell)
            if not counts:
                continue
            main = max(counts, key=lambda denominator: (counts[denominator], denominator))
            usual = look_up(name, declared)
            if counts.total() * 2 >= len(scored) and main > 0 and not _ends_at(usual, main):
                stated[name] = _scale(name, main)
            if len(counts) > 1:
                for denominator in counts:
                    if denominator != main and denominator > 0:
                        called = f"{name} ({scale_text(_scale(name, denominator))})"
                        stated[called] = _scale(called, denominator)
                        self.on_other_scale[called] = name
                self._move(intake, cells, name, main, counts)
                findings.append(_report(intake.file, name, counts))
        return stated, findings

    def _move(self, intake: Intake, cells: list[int], name: str, main: float, counts: Counter[float]) -> None:
        """Put each cell under the criterion of its denominator."""
        usual_of = self._commonest(intake, cells)
        bare_is_main = counts[main] >= NEARLY_ALL * counts.total()
        for at in cells:
            scored = intake.state[at] == SCORED
            if at in self.of_cell:
                denominator = self.of_cell[at]
            elif scored and bare_is_main:
                denominator = main
            else:
                denominator = usual_of.get(intake.combo[at], main)
                if scored:
                    intake.value[at], intake.state[at], intake.whys[at] = math.nan, MISSING, NOT_READ
            if denominator != main and denominator > 0:
                called = f"{name} ({scale_text(_scale(name, denominator))})"
                intake.criterion[at] = intake.criteria.code(called)

    def _commonest(self, intake: Intake, cells: list[int]) -> dict[int, float]:
        """Return the commonest denominator of each combination of the condition's columns."""
        by: dict[int, Counter[float]] = {}
        for at in cells:
            if at in self.of_cell:
                by.setdefault(intake.combo[at], Counter())[self.of_cell[at]] += 1
        return {combo: counts.most_common(1)[0][0] for combo, counts in by.items()}


def _scale(name: str, denominator: float) -> Criterion:
    return Criterion(name, "numeric", (), 0.0, denominator)


def _ends_at(criterion: Criterion | None, denominator: float) -> bool:
    """Tell whether a scale that is known already ends at the denominator."""
    if criterion is None or criterion.scale == "unknown":
        return False
    return denominator in (criterion.high, max(criterion.values, default=None))


def _report(file: str, name: str, counts: Counter[float]) -> Diagnostic:
    parts = [f"{count} written as /{number(denominator)}" for denominator, count in counts.most_common()]
    values = {
        "criterion": name,
        "judge": "",
        "a": "",
        "b": "",
        "differs": ", ".join(parts),
        "part": [],
        "pairs": 1,
    }
    return Diagnostic(SCALE, values, Location(file=file), flagged=name)

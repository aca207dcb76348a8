"""Gather the results of one file into columns: items, conditions, judges, replicates and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from readback.files.bounded_diagnostics import BoundedDiagnostics
from readback.results._cells import stem
from readback.results._intake import Intake, columns, overflow
from readback.results._rows import Asked, Read
from readback.results.verification.apart import Apart, Taken
from readback.results.verification.definitions import Definition, definitions
from readback.results.verification.naming import Criteria
from readback.results.verification.shapes import is_result
from readback.results.verification.stream import SCENARIOS
from readback.results.verification.tables import GRANULAR
from readback.results.verification.traits import Scored
from readback.scores.table import NONE, ConditionKey, RunFacts, SourceRead
from readback.types import Diagnostic, Location

COMPUTED = "computed"  # the judge of what a program decides
PASSED, CONTRADICTED = "passed", "contradicted"
AGAIN = "results that a later line replaces"
SUMMARIES = "summaries of conversations, which name no model"


class Taking:
    """The growing columns of one file. `lines`: it is append-only, so of two tries the later one counts."""

    def __init__(self, asked: Asked, lines: bool = False) -> None:
        self.asked = asked
        self.diagnostics = BoundedDiagnostics()
        self._apart = Apart(asked, self.diagnostics)
        self._intake = Intake(asked.source.path)
        self._criteria = Criteria()
        self._rubric: Mapping[tuple[str, str], Definition] = {}
        self._latest: dict[tuple[Any, ...], Taken] | None = {} if lines else None
        self._waiting: list[tuple[Taken, Scored]] = []
        self._firsts: dict[tuple[str, ...], Taken] = {}  # of each condition
        self._groups: Counter[str] = Counter()
        self._left: Counter[str] = Counter()
        self._rows = self._refused = 0

    def take(self, fields: Mapping[str, Any], line: int) -> None:
        """One row of the file: a result, what is beside the results, or something else, which is refused."""
        if is_result(fields):
            taken = self._apart.result(fields, line)
            if self._latest is None:
                self._add(taken)
                return
            key = (taken.item, taken.values, taken.run)
            self._left[AGAIN] += self._latest.pop(key, None) is not None
            self._latest[key] = taken
        elif "shared_data" in fields or "metadata" in fields or SCENARIOS in fields:
            self._rubric = definitions(fields.get("shared_data")) or self._rubric
            if isinstance(count := fields.get(SCENARIOS), int):
                self._left[SUMMARIES] += count
        else:
            self._refused += 1
            reason = "no verification result: it names no question and model"
            self.diagnostics.add(Diagnostic("dat-bad-line", {"reason": reason}, self._apart.place(line)))

    def finished(self, what: str) -> Read:
        """Everything that came of the file."""
        for taken in (self._latest or {}).values():
            self._add(taken)
        self._resolve()
        self._clusters()
        source, intake, lost = self.asked.source, self._intake, self._apart.lost
        keys = [self._condition(combo) for combo in intake.combos]
        if lost:
            shares = lost.granular + lost.similar
            values = {"path": source.path, "failed": lost.failed, "unknown": lost.unknown, "shares": shares}
            self.diagnostics.add(Diagnostic("scr-lossy-csv", values, Location(file=source.path), source.path))
        self.diagnostics.extend(self._criteria.diagnostics(source.path))
        account = SourceRead(
            path=source.path,
            what=what,
            rows=self._rows,
            cells=len(intake.value),
            columns={
                "item": source.item or ("question_id",),
                "condition": tuple(dict.fromkeys(name for key in keys for name, _ in key)),
                "judge": ("parsing",),
                "score": tuple(intake.criteria.codes),
                "unused": tuple(sorted(self._apart.texts)),
            },
            left_out={name: count for name, count in self._left.items() if count},
            synthetic=source.synthetic,
            refused=self._refused,
            texts_left=intake.texts_left,
            failures={group: count for group, count in self._groups.items() if count},
        )
        return Read(
            columns(intake, keys) if len(intake.value) else None,
            account,
            (*self.diagnostics.kept, *overflow(self.diagnostics, source.path)),
            about=tuple(self._about(key, combo) for combo, key in zip(intake.combos, keys, strict=True)),
            criteria=self._criteria.declared(self._rubric),
        )

    def _add(self, taken: Taken) -> None:
        self._rows += 1
        self._groups[taken.group or PASSED] += 1
        self._groups[CONTRADICTED] += taken.contradicted
        self._intake.combos.setdefault(taken.values, len(self._intake.combos))
        self._firsts.setdefault(taken.values, taken._replace(scores=()))
        for scored in taken.scores:
            called = self._criteria.name(scored, taken.line)
            if called is not None:
                self._cell(taken, scored, called)
            elif scored.kind in ("", "?"):
                self._waiting.append((taken._replace(scores=()), scored))

    def _cell(self, taken: Taken, scored: Scored, called: str) -> None:
        intake = self._intake
        if scored.kind == "?":
            self._apart.lost.granular += scored.name == GRANULAR
        judge = taken.parsing.display if taken.parsing else self.asked.judge
        intake.add(
            intake.items.code(taken.item),
            intake.combos[taken.values],
            called,
            COMPUTED if scored.computed else judge,
            scored.cell,
            rationale=scored.rationale,
            cluster=taken.cluster,
            run=taken.run,
            line=taken.line,
        )

    def _resolve(self) -> None:
        """Scores whose kind no row had told yet get the name that later rows gave."""
        for taken, scored in self._waiting:
            called = self._criteria.name(scored, taken.line)
            if called is None and scored.kind != "?":
                called = self._criteria.called(scored)
            if called is not None:
                self._cell(taken, scored, called)

    def _clusters(self) -> None:
        """Turns of one conversation go together; beside them every other question is alone."""
        intake = self._intake
        if not intake.clusters.codes or NONE not in intake.cluster:
            return
        items = list(intake.items.codes)
        for at, cluster in enumerate(intake.cluster):
            if cluster == NONE:
                intake.cluster[at] = intake.clusters.code(items[intake.item[at]])

    def _condition(self, combo: tuple[str, ...]) -> ConditionKey:
        """The factors that say something.

        A model that the workspace knows by the alias of a condition is that condition, and so is the only model of a
        file that the workspace gives a label.
        """
        given = {name: value for name, value in zip(self._apart.factors, combo, strict=True) if value}
        model = given.get("answering", "")
        aliases, label = self.asked.aliases, self.asked.source.label
        named = aliases.get(model) or aliases.get(self._apart.keys.get(model, ""))
        if named or (label and self._single()):
            given.pop("answering", None)
        condition = named or label
        found = (*((("condition", condition),) if condition else ()), *given.items())
        return found or (("condition", stem(self.asked.source.path)),)

    def _single(self) -> bool:
        """Whether one model answered everything in the file."""
        return len({taken.answering for taken in self._firsts.values()}) <= 1

    def _about(self, key: ConditionKey, combo: tuple[str, ...]) -> RunFacts:
        first = self._firsts[combo]
        return RunFacts(
            condition=key,
            model=first.answering.name if first.answering else None,
            judge=first.parsing.display if first.parsing else None,
            judge_model=first.parsing.name if first.parsing else None,
            place=self._apart.place(first.line),
        )

"""Gather the results of one file into columns: items, conditions, judges, replicates and scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.scores.files.cells import legible, stem, text_of
from readback.scores.files.formats.verification.apart import Apart, Result
from readback.scores.files.formats.verification.shapes import is_result
from readback.scores.files.formats.verification.stream import SCENARIOS
from readback.scores.files.formats.verification.tables import GRANULAR
from readback.scores.files.formats.verification.traits import Scored
from readback.scores.files.intake import Intake, columns
from readback.scores.files.score_rows import FileScores, FileSettings
from readback.scores.table import NONE, SCORED, ConditionKey, RunFacts, SourceRead
from readback.types import Criterion, Diagnostic, Location

FEW = 12  # grades of a scale that are listed one by one; a scale with more is a range
LISTS = {
    "llm_traits": "llm",
    "traits": "llm",  # before the kinds of traits had lists of their own
    "regex_traits": "regex",
    "manual_traits": "regex",
    "callable_traits": "callable",
    "metric_traits": "metric",
    "agentic_traits": "agentic",
}
KINDS = ("boolean", "score", "literal")
MOST_EXACT = 1e15  # bounds beyond this are no numbers of a scale


@dataclass(frozen=True, slots=True)
class Definition:
    """One trait as the rubric defines it."""

    kind: str
    low: float | None = None
    high: float | None = None
    classes: tuple[str, ...] = ()
    up: bool | None = None  # whether more is better


# What each score of a results file is called: one criterion for one trait of one kind, never two under one name.
# names that belong to what is said about the template, whatever a trait is called
OURS = {
    "verify_result": ("template", "boolean"),
    "verify_granular_result": ("template", "share"),
    "abstention_detected": ("template", "boolean"),
    "sufficiency_detected": ("template", "boolean"),
    "embedding_similarity_score": ("embedding", "share"),
}
DOWN = "abstention_detected"  # more of it is not better
LIMITS = {"field": 100, "": 300}  # names of one file; a page with a thousand criteria helps nobody
MOST_LABELS = 100

Key = tuple[str, str, str]  # name, bucket, kind


@dataclass(slots=True)
class _Naming:
    """What is known of one criterion while a file is read."""

    called: str
    key: Key
    line: int
    whole: bool = True
    labels: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Criteria:
    """The criteria of one file. `beyond` counts, by bucket, names for which there is no room."""

    namings: dict[Key, _Naming] = field(default_factory=dict)
    owners: dict[str, tuple[str, str]] = field(default_factory=lambda: dict(OURS))
    first: dict[tuple[str, str], _Naming] = field(default_factory=dict)  # by bucket and name
    beyond: dict[str, set[str]] = field(default_factory=dict)
    changed: list[tuple[_Naming, _Naming]] = field(default_factory=list)

    def name(self, scored: Scored, line: int) -> str | None:
        """Return the name of the score's criterion; None while its kind is unknown, or where the limit is reached."""
        kind = scored.kind
        if kind in ("", "?"):
            earlier = self.first.get((scored.bucket, scored.name))
            if earlier:
                return earlier.called
            return None
        key = (scored.name, scored.bucket, kind)
        naming = self.namings.get(key) or self._add(key, line)
        if naming is None:
            return None
        if scored.cell[1] == SCORED:
            naming.whole = naming.whole and scored.cell[0].is_integer()
            if scored.label and len(naming.labels) < MOST_LABELS:
                naming.labels.setdefault(int(scored.cell[0]), scored.label)
        return naming.called

    def called(self, scored: Scored) -> str:
        """Return the name of a score whose kind no row of the file tells."""
        if scored.name not in self.owners:
            return scored.name
        return f"{scored.name} ({scored.bucket})"

    def _add(self, key: Key, line: int) -> _Naming | None:
        name, bucket, kind = key
        room = "field" if bucket == "field" else ""
        if (
            sum((other_naming.key[1] == "field") == bool(room) for other_naming in self.namings.values())
            >= LIMITS[room]
        ):
            over = self.beyond.setdefault(room, set())
            if len(over) < LIMITS[""]:
                over.add(name)
            return None
        owner = self.owners.get(name)
        called = name
        if owner not in (None, (bucket, kind)):
            spellings = (kind if owner and owner[1] != kind else bucket, f"{bucket}, {kind}")
            called = next(s for word in spellings if (s := f"{name} ({word})") not in self.owners)
        self.owners[called] = (bucket, kind)
        naming = self.namings[key] = _Naming(called, key, line)
        before = self.first.setdefault((bucket, name), naming)
        if before is not naming:
            self.changed.append((before, naming))
        return naming

    def declared(self, definitions: Mapping[tuple[str, str], Definition]) -> dict[str, Criterion]:
        """Return the scales that the kinds and the rubric state, by criterion."""
        scales: dict[str, Criterion] = {}
        for (name, bucket, kind), naming in self.namings.items():
            scale = criterion(naming.called, kind, definitions.get((bucket, name)), naming.whole, naming.labels)
            if scale is not None:
                up = bucket == "template" and name == DOWN
                scales[naming.called] = (
                    Criterion(naming.called, "binary", (0.0, 1.0), 0.0, 1.0, direction="down") if up else scale
                )
        return scales

    def diagnostics(self, file: str) -> Iterator[Diagnostic]:
        """Yield what was odd: traits of two kinds, and names beyond the limit."""
        for before, naming in self.changed:
            values = {
                "criterion": before.key[0],
                "kind": before.key[2],
                "first": before.line,
                "other": naming.key[2],
                "called": naming.called,
            }
            yield Diagnostic("scr-kind-differs", values, Location(file=file, line=naming.line), before.key[0])
        for room in self.beyond:
            if room:
                what = "names under field_scores"
            else:
                what = "names of traits"
            yield Diagnostic("dat-limit", {"what": what, "limit": LIMITS[room]}, Location(file=file), what, "warning")


COMPUTED = "computed"  # the judge of what a program decides
PASSED, CONTRADICTED = "passed", "contradicted"
AGAIN = "results that a later line replaces"
SUMMARIES = "summaries of conversations, which name no model"


class Taking:
    """The growing columns of one file. `lines`: it is append-only, so of two tries the later one counts."""

    def __init__(self, settings: FileSettings, lines: bool = False) -> None:
        self.settings = settings
        self.diagnostics = BoundedDiagnostics()
        self._apart = Apart(settings, self.diagnostics)
        self._intake = Intake(settings.source.path)
        self._criteria = Criteria()
        self._rubric: Mapping[tuple[str, str], Definition] = {}
        self._latest: dict[tuple[Any, ...], Result] | None = {} if lines else None
        self._waiting: list[tuple[Result, Scored]] = []
        self._firsts: dict[tuple[str, ...], Result] = {}  # of each condition
        self._groups: Counter[str] = Counter()
        self._left: Counter[str] = Counter()
        self._rows = self._refused = 0

    def take(self, fields: Mapping[str, Any], line: int) -> None:
        """One row of the file: a result, what is beside the results, or something else, which is refused."""
        if is_result(fields):
            result = self._apart.result(fields, line)
            if self._latest is None:
                self._add(result)
                return
            key = (result.item, result.values, result.run)
            self._left[AGAIN] += self._latest.pop(key, None) is not None
            self._latest[key] = result
        elif "shared_data" in fields or "metadata" in fields or SCENARIOS in fields:
            self._rubric = definitions(fields.get("shared_data")) or self._rubric
            if isinstance(count := fields.get(SCENARIOS), int):
                self._left[SUMMARIES] += count
        else:
            self._refused += 1
            reason = "no verification result: it names no question and model"
            self.diagnostics.add(Diagnostic("dat-bad-line", {"reason": reason}, self._apart.place(line)))

    def finished(self, what: str) -> FileScores:
        """Everything that came of the file."""
        for result in (self._latest or {}).values():
            self._add(result)
        self._resolve()
        self._clusters()
        source, intake, losses = self.settings.source, self._intake, self._apart.losses
        keys = [self._condition(combo) for combo in intake.combos]
        if losses:
            shares = losses.granular + losses.similar
            values = {"path": source.path, "failed": losses.failed, "unknown": losses.unknown, "shares": shares}
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
        return FileScores(
            columns(intake, keys) if len(intake.value) else None,
            account,
            self.diagnostics.list_all(source.path),
            about=tuple(self._about(key, combo) for combo, key in zip(intake.combos, keys, strict=True)),
            criteria=self._criteria.declared(self._rubric),
        )

    def _add(self, result: Result) -> None:
        self._rows += 1
        self._groups[result.group or PASSED] += 1
        self._groups[CONTRADICTED] += result.contradicted
        self._intake.combos.setdefault(result.values, len(self._intake.combos))
        self._firsts.setdefault(result.values, result._replace(scores=()))
        for scored in result.scores:
            called = self._criteria.name(scored, result.line)
            if called is not None:
                self._cell(result, scored, called)
            elif scored.kind in ("", "?"):
                self._waiting.append((result._replace(scores=()), scored))

    def _cell(self, result: Result, scored: Scored, called: str) -> None:
        intake = self._intake
        if scored.kind == "?":
            self._apart.losses.granular += scored.name == GRANULAR
        if result.parsing:
            judge = result.parsing.display
        else:
            judge = self.settings.judge
        intake.add(
            intake.items.code(result.item),
            intake.combos[result.values],
            called,
            COMPUTED if scored.computed else judge,
            scored.cell,
            rationale=scored.rationale,
            cluster=result.cluster,
            run=result.run,
            line=result.line,
        )

    def _resolve(self) -> None:
        """Scores whose kind no row had told yet get the name that later rows gave."""
        for result, scored in self._waiting:
            called = self._criteria.name(scored, result.line)
            if called is None and scored.kind != "?":
                called = self._criteria.called(scored)
            if called is not None:
                self._cell(result, scored, called)

    def _clusters(self) -> None:
        """Put the turns of one conversation in one cluster; every other question becomes a cluster alone."""
        intake = self._intake
        if not intake.clusters.codes or NONE not in intake.cluster:
            return
        items = list(intake.items.codes)
        for at, cluster in enumerate(intake.cluster):
            if cluster == NONE:
                intake.cluster[at] = intake.clusters.code(items[intake.item[at]])

    def _condition(self, combo: tuple[str, ...]) -> ConditionKey:
        """Return the condition: the factors that are not empty.

        A model that the workspace knows by the alias of a condition is that condition, and so is the only model of a
        file that the workspace gives a label.
        """
        factors = {name: value for name, value in zip(self._apart.factors, combo, strict=True) if value}
        model = factors.get("answering", "")
        aliases, label = self.settings.aliases, self.settings.source.label
        named = aliases.get(model) or aliases.get(self._apart.keys.get(model, ""))
        if named or (label and self._single()):
            factors.pop("answering", None)
        condition = named or label
        key = (*((("condition", condition),) if condition else ()), *factors.items())
        return key or (("condition", stem(self.settings.source.path)),)

    def _single(self) -> bool:
        """Whether one model answered everything in the file."""
        return len({result.answering for result in self._firsts.values()}) <= 1

    def _about(self, key: ConditionKey, combo: tuple[str, ...]) -> RunFacts:
        first = self._firsts[combo]
        return RunFacts(
            condition=key,
            model=first.answering.name if first.answering else None,
            judge=first.parsing.display if first.parsing else None,
            judge_model=first.parsing.name if first.parsing else None,
            place=self._apart.place(first.line),
        )


# The rubric that a results file carries: which kind each trait is, between which bounds, and which way is better.


def definitions(shared: Any) -> Mapping[tuple[str, str], Definition]:
    """Return the traits of `shared_data`, by where their scores stand (llm, regex, …) and name."""
    if isinstance(shared, Mapping):
        rubric = shared.get("rubric_definition")
    else:
        rubric = None
    if isinstance(rubric, Mapping):
        return dict(_traits(rubric))
    return {}


def _traits(rubric: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Definition]]:
    for listed, bucket in LISTS.items():
        traits = rubric.get(listed)
        for trait in traits if isinstance(traits, list) else ():
            if isinstance(trait, Mapping) and (name := text_of(trait.get("name"))):
                yield (bucket, name), _definition(trait, bucket)


def _definition(trait: Mapping[str, Any], bucket: str) -> Definition:
    stated_kind = trait.get("kind")
    kind = {"regex": "boolean", "metric": "metric"}.get(bucket) or (stated_kind if stated_kind in KINDS else "")
    classes = trait.get("classes")
    return Definition(
        kind=str(kind),
        low=_number(trait.get("min_score")),
        high=_number(trait.get("max_score")),
        classes=tuple(legible(str(name)) for name in classes) if isinstance(classes, Mapping | list) else (),
        up=up if isinstance(up := trait.get("higher_is_better"), bool) else None,
    )


def criterion(
    name: str, kind: str, definition: Definition | None, whole: bool, labels: Mapping[int, str]
) -> Criterion | None:
    """Return the scale of a criterion; None where neither its kind nor the rubric states it.

    `whole` says whether all its scores are whole numbers, `labels` the class names met, by their index.
    """
    if definition and definition.kind == kind:
        same = definition
    else:
        same = None
    better: Any = {"direction": "down" if same.up is False else "up"} if same else {}
    if kind == "boolean":
        return Criterion(name, "binary", (0.0, 1.0), 0.0, 1.0, **better)
    if kind in ("metric", "share"):
        return Criterion(name, "numeric", (), 0.0, 1.0)
    if kind == "literal":
        return _classes(name, same, labels, better)
    if kind != "score" or same is None or same.low is None or same.high is None or same.low >= same.high:
        return None
    grades = same.high - same.low + 1
    if whole and grades <= FEW and same.low.is_integer() and same.high.is_integer():
        values = tuple(same.low + step for step in range(int(grades)))
        return Criterion(name, "ordinal", values, same.low, same.high, **better)
    return Criterion(name, "numeric", (), same.low, same.high, **better)


def _classes(name: str, definition: Definition | None, labels: Mapping[int, str], better: Any) -> Criterion:
    """Classes in an order that the rubric means are ordinal; classes of which only names are known are nominal."""
    if definition and definition.classes and definition.up is not None:
        values = tuple(float(at) for at in range(len(definition.classes)))
        meanings = {str(at): label for at, label in enumerate(definition.classes)}
        return Criterion(name, "ordinal", values, 0.0, values[-1], meanings, **better)
    named = dict(enumerate(definition.classes)) if definition and definition.classes else labels
    return Criterion(name, "nominal", meanings={str(at): named[at] for at in sorted(named)}, direction="none")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST_EXACT:
        return None
    return float(value)

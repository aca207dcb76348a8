"""What a checkpoint says beside its questions: the traits that answers are judged by, and where results are embedded.

Source: `.jsonld` files of biocypher/karenina (facts only). Values only: code that belongs to a trait is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers.checkpoint import (
    CUSTOM,
    QUESTIONS,
    Part,
    compute_question_id,
    decode_property,
    parts,
    properties,
    report_wrong_value,
    unwrap_single,
)
from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.readers.files.row import Event, Row
from readback.records.raw_rows import read_raw_rows
from readback.tasks import GENERATION
from readback.types import Diagnostic, Location, Prompt, PromptConfig, Values

NAME = "checkpoint"
# What is sent where nothing else says it: the question, as the program's call that answers it does.
CONFIG = PromptConfig(
    name="builtin:checkpoint",
    dialect=NAME,
    tasks={GENERATION: Prompt(GENERATION, "{{ question }}")},
)
PREFIX = "karenina:"
SCOPES = ("Global", "QuestionSpecific")
LISTS = {  # the list of a rubric in which the traits of a type stand
    "RubricTrait": "llm_traits",
    "LLMRubricTrait": "llm_traits",
    "RegexTrait": "regex_traits",
    "CallableTrait": "callable_traits",
    "MetricRubricTrait": "metric_traits",
    "AgenticRubricTrait": "agentic_traits",
    "DynamicRubricTrait": "llm_traits",
}
KINDS = {"LLMRubricTrait": "literal", "RegexTrait": "boolean", "MetricRubricTrait": "metric"}  # of the types with one
STATED = ("boolean", "score", "literal", "metric")
EARLIER = {  # lists of traits as JSON texts, among the properties of the root
    f"global_{kind}_rubric_traits": f"{kind}_traits" for kind in ("regex", "callable", "metric")
}
RESULTS = ("verification_results", "verification_result", "results")  # of a property, also behind custom_
MOST = 300  # traits of one benchmark
MOST_EXACT = 1e15  # bounds beyond this are no numbers of a scale


@dataclass(frozen=True, slots=True)
class Trait:
    """One trait. `listed` is the list of a rubric it belongs to; `kind` is "" where nothing tells it."""

    name: str
    listed: str
    kind: str = ""
    low: float | None = None
    high: float | None = None
    classes: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    up: bool | None = None
    question: str = ""  # the id of the only question it belongs to
    place: Location = field(default=Location(), compare=False)

    @property
    def scale(self) -> tuple[object, ...]:
        """What two traits of one name must share to be scored as one."""
        return self.kind, self.low, self.high, self.classes, self.up


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A checkpoint without its questions. `differs` are names whose traits are not on one scale."""

    name: str = ""
    traits: tuple[Trait, ...] = ()
    differs: frozenset[str] = frozenset()
    results: bool = False  # whether results are embedded
    diagnostics: tuple[Diagnostic, ...] = ()

    def rubric(self) -> dict[str, list[Values]]:
        """Return the traits in the form in which results carry them."""
        traits_by_list: dict[str, list[Values]] = {}
        for trait in self.traits:
            if trait.name not in self.differs:
                traits_by_list.setdefault(trait.listed, []).append(
                    {
                        "name": trait.name,
                        "kind": trait.kind,
                        "min_score": trait.low,
                        "max_score": trait.high,
                        "classes": list(trait.classes),
                        "higher_is_better": trait.up,
                    }
                )
        return traits_by_list


def read(path: Path, file: str) -> Benchmark:
    """Return what the checkpoint says beside its questions; their reader reports questions that cannot be read."""
    reading = _Reading(file)
    for _ in read_raw_rows(path, file, NAME, walk=reading.walk):
        pass
    return reading.build_benchmark()


def list_embedded_results(holder: Mapping[str, Any], place: Location) -> Iterator[tuple[str, Any]]:
    """Yield the results among the properties of the root, of an entry, or of its question: the name and the content."""
    for name, value in properties(holder, [], place):
        if name.removeprefix(CUSTOM) in RESULTS and value not in (None, "", [], {}):
            yield name, decode_property(name, value, [], place)


class _Reading:
    """What one pass gathers."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.name = ""
        self.results = False
        self.diagnostics = BoundedDiagnostics()
        self.traits: dict[tuple[str, str], Trait] = {}
        self.differs: dict[str, Diagnostic] = {}
        self.beyond = 0

    def walk(self, stream: BinaryIO, file: str) -> Iterator[Event]:
        """Take in everything; there are no rows."""
        for part in parts(stream, file, (QUESTIONS, *RESULTS)):
            match part:
                case Part(name="name", value=str(name)):
                    self.name = name
                case Part(name="rating", value=value, line=line):
                    self._read_ratings(value, Location(file=file, line=line))
                case Part(name="additionalProperty", value=value, line=line):
                    self._read_root({"additionalProperty": value}, Location(file=file, line=line))
                case Part(name="dataFeedElement", value=Row() as row):
                    self._read_question(row)
                case Part(name=name, value=Row()) if name in RESULTS:
                    self.results = True
        yield from ()

    def build_benchmark(self) -> Benchmark:
        self.diagnostics.extend(self.differs.values())
        if self.beyond:
            values = {"what": "traits of one checkpoint", "limit": MOST}
            self.diagnostics.add(Diagnostic("dat-limit", values, Location(file=self.file), "traits", "warning"))
        diagnostics = self.diagnostics.list_all(self.file)
        return Benchmark(self.name, tuple(self.traits.values()), frozenset(self.differs), self.results, diagnostics)

    def _read_root(self, holder: Mapping[str, Any], place: Location) -> None:
        diagnostics: list[Diagnostic] = []
        for name, value in properties(holder, diagnostics, place):
            if listed := EARLIER.get(name):
                inner = decode_property(name, value, diagnostics, place)
                for n, trait in enumerate(inner if isinstance(inner, list) else ()):
                    if isinstance(trait, Mapping):
                        self._add_trait(
                            _build_trait(
                                trait, trait, listed, KINDS_OF.get(listed, ""), f"{name}[{n}]", diagnostics, place
                            )
                        )
                    else:
                        diagnostics.append(_report_wrong(f"{name}[{n}]", trait, "a trait, an object with name", place))
        self.results = self.results or any(True for _ in list_embedded_results(holder, place))
        self.diagnostics.extend(diagnostics)

    def _read_question(self, row: Row) -> None:
        element = row.fields
        item = unwrap_single(element.get("item"))
        place = Location(file=self.file, line=row.line)
        if isinstance(item, Mapping):
            if item.get("rating") is not None:
                self._read_ratings(
                    item["rating"], replace(place, record=compute_question_id(element)), compute_question_id(element)
                )
            self.results = self.results or any(True for _ in list_embedded_results(item, place))
        self.results = self.results or any(True for _ in list_embedded_results(element, place))

    def _read_ratings(self, stated: Any, place: Location, question: str = "") -> None:
        diagnostics: list[Diagnostic] = []
        if isinstance(stated, Mapping):
            listed = [stated]
        else:
            listed = stated
        if not isinstance(listed, list):
            diagnostics.append(_report_wrong("rating", stated, "a list of traits", place))
            listed = []
        for n, rating in enumerate(listed):
            if isinstance(rating, Mapping):
                self._add_trait(_read_trait(rating, f"rating[{n}]", diagnostics, place, question))
            else:
                diagnostics.append(
                    _report_wrong(f"rating[{n}]", rating, "a trait, an object with name and additionalType", place)
                )
        self.diagnostics.extend(diagnostics)

    def _add_trait(self, trait: Trait | None) -> None:
        if trait is None:
            return
        same = [earlier for (_, name), earlier in self.traits.items() if name == trait.name]
        if not same and len(self.traits) >= MOST:
            self.beyond += 1
            return
        self.traits.setdefault((trait.listed, trait.name), trait)
        if same and same[0].scale != trait.scale:
            differs = f"{_describe_scale(same[0])} and {_describe_scale(trait)}"
            values = {"criterion": trait.name, "differs": differs}
            self.differs.setdefault(trait.name, Diagnostic("scr-scale-differs", values, trait.place, trait.name))


def _read_trait(
    rating: Mapping[str, Any], where: str, diagnostics: list[Diagnostic], place: Location, question: str
) -> Trait | None:
    """One rating; a type that is not known is a finding, and its range is taken for that of a judge's trait."""
    stated = unwrap_single(rating.get("additionalType"))
    if isinstance(stated, str):
        kind = stated.removeprefix(PREFIX)
    else:
        kind = ""
    for scope in SCOPES:
        kind = kind.removeprefix(scope)
    if kind not in LISTS or kind == stated:
        diagnostics.append(
            _report_wrong(f"{where}.additionalType", stated, f"a type such as {PREFIX}GlobalRubricTrait", place)
        )
    details: dict[str, Any] = {"min_score": rating.get("worstRating"), "max_score": rating.get("bestRating")}
    details |= dict(properties(rating, diagnostics, place, f"{where}."))
    usual = KINDS.get(kind) or ("boolean" if _is_boolean(details) else "score")
    trait = _build_trait(rating, details, LISTS.get(kind, "llm_traits"), usual, where, diagnostics, place)
    if trait:
        return replace(trait, question=question)
    return None


KINDS_OF = {"regex_traits": "boolean", "metric_traits": "metric", "callable_traits": "boolean"}


def _is_boolean(details: Mapping[str, Any]) -> bool:
    return {_as_number(details.get("min_score")), _as_number(details.get("max_score"))} == {0.0, 1.0}


def _build_trait(
    named: Mapping[str, Any],
    details: Mapping[str, Any],
    listed: str,
    usual: str,
    where: str,
    diagnostics: list[Diagnostic],
    place: Location,
) -> Trait | None:
    """Return the trait with a name and details; `usual` is its kind where the details do not state it."""
    name = named.get("name")
    if not isinstance(name, str) or not name.strip():
        diagnostics.append(_report_wrong(f"{where}.name", name, "a text", place))
        return None
    stated_kind = details.get("kind")
    if stated_kind is not None and stated_kind not in (*STATED, "template"):
        diagnostics.append(_report_wrong(f"{where}.kind", stated_kind, "boolean, score or literal", place))
    kind = usual
    if stated_kind == "template":
        kind = ""
    elif stated_kind in STATED:
        kind = stated_kind
    low, high = _as_number(details.get("min_score")), _as_number(details.get("max_score"))
    up = details.get("higher_is_better")
    if up is not None and not isinstance(up, bool):
        diagnostics.append(_report_wrong(f"{where}.higher_is_better", up, "true or false", place))
        up = None
    if kind == "score":
        if low is None or high is None or low == high:
            bounds = f"{details.get('min_score')!s:.20} to {details.get('max_score')!s:.20}"
            diagnostics.append(_report_wrong(where, bounds, "a scale: two numbers, worstRating and bestRating", place))
            low = high = None
        elif low > high:  # the best grade is the lowest one
            low, high, up = high, low, False if up is None else up
    else:
        low = high = None
    classes = decode_property("classes", details.get("classes"), diagnostics, place)
    if kind == "literal" and not isinstance(classes, list | Mapping):
        diagnostics.append(_report_wrong(f"{where}.classes", classes, "the classes in their order", place))
    metrics = decode_property("metrics", details.get("metrics"), diagnostics, place)
    return Trait(
        name,
        listed,
        kind,
        low,
        high,
        tuple(map(str, classes)) if kind == "literal" and isinstance(classes, list | Mapping) else (),
        tuple(map(str, metrics)) if kind == "metric" and isinstance(metrics, list) else (),
        up,
        place=place,
    )


def _describe_scale(trait: Trait) -> str:
    if trait.low is not None and trait.high is not None:
        scale = f"{trait.low:g} to {trait.high:g}"
    else:
        scale = trait.kind
    if trait.up is not False:
        direction = ""
    else:
        direction = ", lower is better"
    return f"{scale or 'a scale that is not stated'}{direction} ({trait.question or 'all questions'})"


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST_EXACT:
        return None
    return float(value)


def _report_wrong(where: str, value: Any, expected: str, place: Location) -> Diagnostic:
    return report_wrong_value(where, value, expected, place, "warning")

"""Results that are embedded in a checkpoint: at its root, or among the properties of a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers import checkpoint
from readback.readers.checkpoint import QUESTIONS, Part, compute_question_id, parts, unwrap_single
from readback.readers.choose_format import choose_format
from readback.readers.row import Event, Refused, Row
from readback.records.raw_rows import read_raw_rows
from readback.scores.files.formats.verification.outcome import truth
from readback.scores.files.formats.verification.shapes import MODELS, OUTCOMES, PARTS, SAID, is_result
from readback.scores.files.formats.verification.stream import RUN
from readback.scores.files.formats.verification.taking import LISTS
from readback.sources.checkpoint import RESULTS, Benchmark, Trait, list_embedded_results, read
from readback.types import Diagnostic, Location

TEMPLATE, RUBRIC = "template_result", "rubric_results"  # of a result that was written by hand
NONE = "no verification result: it names no question and model, and has neither template_result nor rubric_results"
DEEPEST = 4  # a run, in a list of results, in an object that holds it


def rows(path: Path, file: str, refused: Callable[[], None] = lambda: None) -> Iterator[Row | Diagnostic] | None:
    """The results of a checkpoint after one row with its traits; None for every other file."""
    try:
        chosen = choose_format(path, file)
    except OSError:
        return None
    if isinstance(chosen, Diagnostic) or chosen.module is not checkpoint:
        return None
    results = _Results(read(path, file))
    return read_raw_rows(path, file, checkpoint.NAME, refused=refused, walk=results.walk)


class _Results:
    """Goes through one checkpoint, whose traits are known."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.traits: dict[str, Trait] = {}
        for one in benchmark.traits:
            self.traits.setdefault(one.name, one)

    def walk(self, stream: BinaryIO, file: str) -> Iterator[Event]:
        """The traits, then every result. What is wrong with a question, the reader of the questions says."""
        rubric = {"format_version": checkpoint.NAME, "shared_data": {"rubric_definition": self.benchmark.rubric()}}
        yield Row(rubric, 1, 1, 0, 0, b"")
        for part in parts(stream, file, (QUESTIONS, *RESULTS)):
            match part:
                case Part(name="dataFeedElement", value=Row() as row):
                    yield from self._question(row, file)
                case Part(name="dataFeedElement", value=Refused() as bad):
                    yield bad._replace(diagnostic=None)
                case Part(name=name, value=Row() as row) if name in RESULTS:
                    yield from self._taken(row.fields, "", row, file)
                case Part(name=name, value=Refused() as bad) if name in RESULTS:
                    yield bad
                case Part(name="additionalProperty", value=value, line=line):
                    at = Row({}, line, line, 0, 0, b"")
                    for _, found in list_embedded_results(
                        {"additionalProperty": value}, Location(file=file, line=line)
                    ):
                        yield from self._taken(found, "", at, file)

    def _question(self, row: Row, file: str) -> Iterator[Event]:
        item = unwrap_single(row.fields.get("item"))
        for holder in (row.fields, item) if isinstance(item, Mapping) else (row.fields,):
            for _, found in list_embedded_results(holder, Location(file=file, line=row.line)):
                yield from self._taken(found, compute_question_id(row.fields), row, file)

    def _taken(
        self, found: Any, question: str, at: Row, file: str, run: str = "", level: int = 0
    ) -> Iterator[Row | Refused]:
        """What is embedded: one result, several in a list or by id, or runs of them by name."""
        if isinstance(found, list) and level < DEEPEST:
            for one in found:
                yield from self._taken(one, question, at, file, run, level + 1)
        elif isinstance(found, Mapping) and (result := self._result(found, question)):
            yield at._replace(fields={RUN: run, **result} if run else result, diagnostics=(), raw=b"")
        elif isinstance(found, Mapping) and _holds(found) and level < DEEPEST:
            for name, inner in found.items():
                named = name if isinstance(inner, list) and name not in RESULTS else run
                if isinstance(inner, Mapping | list):
                    yield from self._taken(inner, question, at, file, named, level + 1)
        else:
            reason = Diagnostic("dat-bad-line", {"reason": NONE}, Location(file=file, line=at.line), question)
            yield Refused(reason, at.line, at.end_line, at.end)

    def _result(self, found: Mapping[str, Any], question: str) -> dict[str, Any] | None:
        """One result as results files have it; one beside a question is about that question."""
        if TEMPLATE in found or RUBRIC in found:
            return self._by_hand(found, question)
        metadata = found.get("metadata")
        if question and isinstance(metadata, Mapping) and (MODELS | SAID) & metadata.keys() and PARTS & found.keys():
            return {**found, "metadata": {"question_id": question, **metadata}}
        if question and MODELS & found.keys() and OUTCOMES & found.keys():
            return {"question_id": question, **found}
        return dict(found) if is_result(found) else None

    def _by_hand(self, found: Mapping[str, Any], question: str) -> dict[str, Any]:
        rest = {name: value for name, value in found.items() if name not in (TEMPLATE, RUBRIC)}
        template, stated = found.get(TEMPLATE), found.get(RUBRIC)
        rubric: dict[str, Any] = {}
        for name, value in stated.items() if isinstance(stated, Mapping) else ():
            trait = self.traits.get(name)
            bucket = LISTS[trait.listed] if trait else "llm"
            score, label = _score(value, trait)
            rubric.setdefault(f"{bucket}_trait_scores", {})[name] = score
            if label is not None:
                rubric.setdefault("llm_trait_labels", {})[name] = label
        made: dict[str, Any] = {"metadata": {"question_id": question, "timestamp": "", **rest}}
        if isinstance(template, Mapping):
            made["template"] = {"verify_result": template.get("passed"), **template}
        elif template is not None:
            made["template"] = {"verify_result": template}
        if stated is not None:
            made["rubric"] = rubric if isinstance(stated, Mapping) else stated
        return made


def _holds(found: Mapping[str, Any]) -> bool:
    """Whether an object holds results: under one of the usual names, or nothing but objects and lists."""
    inner = [value for value in found.values() if isinstance(value, Mapping | list)]
    return bool(inner) and (len(inner) == len(found) or bool({*RESULTS, "runs"} & found.keys()))


def _score(value: Any, trait: Trait | None) -> tuple[Any, str | None]:
    """What a trait was given, and the name of the class that was: a truth value where its scale is one."""
    kind = trait.kind if trait else ""
    if kind == "metric":
        return value, None
    if isinstance(value, Mapping):
        passed, score = truth(value.get("passed")), value.get("score")
        boolean = kind == "boolean" or (kind == "" and score in (None, 0, 1))
        value = passed if passed is not None and (boolean or score is None) else score
    if kind == "boolean" and not isinstance(value, bool) and value in (0, 1):
        return bool(value), None
    if kind == "literal" and trait and isinstance(value, str):
        return (trait.classes.index(value) if value in trait.classes else -1), value
    return value, None

"""Results that are embedded in a checkpoint: at its root, or among the properties of a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from readback.readers import checkpoint
from readback.readers.checkpoint import QUESTIONS, Part, compute_question_id, parts, unwrap_single
from readback.readers.choose_format import choose_format
from readback.readers.files.row import Event, Refused, Row
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
    """Return the results of a checkpoint after one row with its traits; None for every other file."""
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
        for trait in benchmark.traits:
            self.traits.setdefault(trait.name, trait)

    def walk(self, stream: BinaryIO, file: str) -> Iterator[Event]:
        """Yield the traits, then every result. Faults of a question are reported by the reader of the questions."""
        rubric = {"format_version": checkpoint.NAME, "shared_data": {"rubric_definition": self.benchmark.rubric()}}
        yield Row(rubric, 1, 1, 0, 0, b"")
        for part in parts(stream, file, (QUESTIONS, *RESULTS)):
            match part:
                case Part(name="dataFeedElement", value=Row() as row):
                    yield from self._question(row, file)
                case Part(name="dataFeedElement", value=Refused() as bad):
                    yield bad._replace(diagnostic=None)
                case Part(name=name, value=Row() as row) if name in RESULTS:
                    yield from self._list_results(row.fields, "", row, file)
                case Part(name=name, value=Refused() as bad) if name in RESULTS:
                    yield bad
                case Part(name="additionalProperty", value=value, line=line):
                    at = Row({}, line, line, 0, 0, b"")
                    for _, result in list_embedded_results(
                        {"additionalProperty": value}, Location(file=file, line=line)
                    ):
                        yield from self._list_results(result, "", at, file)

    def _question(self, row: Row, file: str) -> Iterator[Event]:
        item = unwrap_single(row.fields.get("item"))
        for holder in (row.fields, item) if isinstance(item, Mapping) else (row.fields,):
            for _, result in list_embedded_results(holder, Location(file=file, line=row.line)):
                yield from self._list_results(result, compute_question_id(row.fields), row, file)

    def _list_results(
        self, value: Any, question: str, at: Row, file: str, run: str = "", level: int = 0
    ) -> Iterator[Row | Refused]:
        """Yield the embedded results: one, several in a list or by id, or runs of them by name."""
        if isinstance(value, list) and level < DEEPEST:
            for entry in value:
                yield from self._list_results(entry, question, at, file, run, level + 1)
        elif isinstance(value, Mapping) and (result := self._result(value, question)):
            yield at._replace(fields={RUN: run, **result} if run else result, diagnostics=(), raw=b"")
        elif isinstance(value, Mapping) and _holds(value) and level < DEEPEST:
            for name, inner in value.items():
                if isinstance(inner, list) and name not in RESULTS:
                    named = name
                else:
                    named = run
                if isinstance(inner, Mapping | list):
                    yield from self._list_results(inner, question, at, file, named, level + 1)
        else:
            reason = Diagnostic("dat-bad-line", {"reason": NONE}, Location(file=file, line=at.line), question)
            yield Refused(reason, at.line, at.end_line, at.end)

    def _result(self, fields: Mapping[str, Any], question: str) -> dict[str, Any] | None:
        """One result as results files have it; one beside a question is about that question."""
        if TEMPLATE in fields or RUBRIC in fields:
            return self._by_hand(fields, question)
        metadata = fields.get("metadata")
        if question and isinstance(metadata, Mapping) and (MODELS | SAID) & metadata.keys() and PARTS & fields.keys():
            return {**fields, "metadata": {"question_id": question, **metadata}}
        if question and MODELS & fields.keys() and OUTCOMES & fields.keys():
            return {"question_id": question, **fields}
        if is_result(fields):
            return dict(fields)
        return None

    def _by_hand(self, fields: Mapping[str, Any], question: str) -> dict[str, Any]:
        rest = {name: value for name, value in fields.items() if name not in (TEMPLATE, RUBRIC)}
        template, stated = fields.get(TEMPLATE), fields.get(RUBRIC)
        rubric: dict[str, Any] = {}
        for name, value in stated.items() if isinstance(stated, Mapping) else ():
            trait = self.traits.get(name)
            bucket = LISTS[trait.listed] if trait else "llm"
            score, label = _score(value, trait)
            rubric.setdefault(f"{bucket}_trait_scores", {})[name] = score
            if label is not None:
                rubric.setdefault("llm_trait_labels", {})[name] = label
        result: dict[str, Any] = {"metadata": {"question_id": question, "timestamp": "", **rest}}
        if isinstance(template, Mapping):
            result["template"] = {"verify_result": template.get("passed"), **template}
        elif template is not None:
            result["template"] = {"verify_result": template}
        if stated is not None:
            result["rubric"] = rubric if isinstance(stated, Mapping) else stated
        return result


def _holds(fields: Mapping[str, Any]) -> bool:
    """Whether an object holds results: under one of the usual names, or nothing but objects and lists."""
    inner = [value for value in fields.values() if isinstance(value, Mapping | list)]
    return bool(inner) and (len(inner) == len(fields) or bool({*RESULTS, "runs"} & fields.keys()))


def _score(value: Any, trait: Trait | None) -> tuple[Any, str | None]:
    """Return the score of a trait and the name of its class: a truth value where the trait's scale is boolean."""
    kind = trait.kind if trait else ""
    if kind == "metric":
        return value, None
    if isinstance(value, Mapping):
        passed, score = truth(value.get("passed")), value.get("score")
        boolean = kind == "boolean" or (kind == "" and score in (None, 0, 1))
        if passed is not None and (boolean or score is None):
            value = passed
        else:
            value = score
    if kind == "boolean" and not isinstance(value, bool) and value in (0, 1):
        return bool(value), None
    if kind == "literal" and trait and isinstance(value, str):
        return (trait.classes.index(value) if value in trait.classes else -1), value
    return value, None

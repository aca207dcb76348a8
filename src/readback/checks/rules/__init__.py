"""Load the rules, run those that have logic, and turn a diagnostic into a finding with its sentence and key."""

from __future__ import annotations

import hashlib
import json
import re
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from string import Formatter
from typing import Any

from readback import as_json, catalogue, plugins
from readback.checks.rule import Rule, RuleFilter, build_plugin_rule, build_rule
from readback.folder import by
from readback.quantity import FORMS, choose_form
from readback.records.changed import DatasetChanged
from readback.types import NOWHERE, Condition, Diagnostic, Finding, Location, Record, RuleContext, Values, Workspace

AREAS = {
    "dat": "loading",
    "fmt": "prompt formats",
    "alb": "Albert configurations",
    "asm": "prompt assembly",
    "oll": "Ollama",
    "srv": "other serving and tokens",
    "trn": "training data",
    "jdg": "judges",
    "scr": "scores and comparability",
    "ext": "rules of other packages",
}
NOTHING = "–"  # stands for an empty value in a sentence
BRACES = frozenset("{}[]")  # one of these is in every sentence that has something to fill in
OPTIONAL_PART = re.compile(r"\[\[(.*?)\]\]")
NO_COUNT: Values = {"records": "", "of": ""}  # of a finding of one record
MAX_VALUE = 200  # characters of one value inside a sentence; the whole value stays in Finding.values

_FORMATTER = Formatter()
_encode_for_sentence = json.JSONEncoder(ensure_ascii=False).encode
_encode_for_key = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

Seen = dict[str, dict[tuple[str, Location], int]]  # by key: a number for each sentence and place


@cache
def RULES() -> Mapping[str, Rule]:  # noqa: N802 - it stands for a constant
    """Return every rule by its code: Readback's in the order of their codes, then those of plugins."""
    entries, logic = catalogue.entries(), by(__name__, "CODE")
    without_words = logic.keys() - entries.keys()
    if without_words:
        raise ValueError(f"rules without words in the catalogue: {', '.join(sorted(without_words))}")
    rules = {code: build_rule(code, entries[code], logic.get(code)) for code in sorted(entries)}
    return {
        **rules,
        **{code: build_plugin_rule(plugin.value) for code, plugin in plugins.load_plugins("rules").items()},
    }


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that failed with an error: a mistake of the rule, and not of the input."""

    rule: str
    error: str
    place: Location = NOWHERE


# From a diagnostic to a finding


def build_finding(diagnostic: Diagnostic) -> Finding:
    """Return the finding of a diagnostic, with the sentence and severity of its rule.

    A code without a rule is a mistake of Readback (a test looks for it); its finding lists the values.
    """
    rule = RULES().get(diagnostic.code)
    values = diagnostic.values
    if rule and rule.alike:
        values = {**NO_COUNT, **values}
    if rule:
        sentence = rule.sentence
    else:
        sentence = ", ".join(f"{name} {{{name}}}" for name in values)
    return Finding(
        code=diagnostic.code,
        severity=diagnostic.severity or (rule.severity if rule else "warning"),
        values=values,
        message=fill(sentence, values),
        fix=fill(rule.fix, values) if rule else "",
        place=diagnostic.place,
        key=compute_key(diagnostic),
    )


def build_case_finding(diagnostic: Diagnostic, case: RuleContext) -> Finding:
    """Return the finding of a diagnostic of a case, whose place is completed before its key is computed.

    The key of a record whose id an earlier record has contains its number.
    """
    finding = build_finding(replace(diagnostic, place=complete_place(diagnostic.place, case)))
    if case.record is not None and case.record.again:
        return replace(finding, key=compute_digest([finding.key, "record", case.record.place.index]))
    return finding


def make_key_unique(finding: Finding, earlier: Seen) -> Finding:
    """Return a finding with another key if a different finding has its key already, and add it to `earlier`.

    The new key depends on the number of findings with the key before, so that a baseline with one of two hides one of
    two. Findings with the same sentence and place are the same.
    """
    numbers = earlier.setdefault(finding.key, {})
    number = numbers.setdefault((finding.message, finding.place), len(numbers))
    if number:
        return replace(finding, key=compute_digest([finding.key, number]))
    return finding


def compute_key(diagnostic: Diagnostic) -> str:
    """Return the key of a finding, 16 hex digits over what it is about and never over lines or offsets.

    It is the same from run to run.
    """
    place = diagnostic.place
    choice = (place.mode, place.condition, place.adapter, place.task, place.judge)
    parts = [diagnostic.code, place.file, *choice, place.record, place.role, place.field, diagnostic.flagged]
    return compute_digest(parts)


def compute_digest(parts: list[Any]) -> str:
    """Return 16 hex digits of the SHA-256 over JSON values."""
    return hashlib.sha256(_encode_for_key(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def complete_place(place: Location, case: RuleContext) -> Location:
    """Return a place with the record, condition or mode, adapter, task and judge of its case, if it has none."""
    values: dict[str, Any] = {}
    record = case.record
    if record:
        values |= {"record": record.id, "index": record.place.index if case.workspace.dataset else None}
        if place.file is None:
            values |= {"file": record.place.file, "line": record.place.line}
    if case.assembly:
        choice = case.assembly.choice
        condition = case.workspace.condition(choice.condition or "") or Condition("")
        values |= {
            "condition": choice.condition,
            "mode": choice.mode or condition.mode,
            "adapter": choice.adapter or condition.adapter,
            "task": choice.task or condition.task,
            "judge": choice.judge,
        }
    own_values = as_json.known_place_to_json(place)
    if values:
        return Location(**{**values, **own_values})
    return place


# Sentences


def fill(sentence: str, values: Values) -> str:
    """Return a sentence with its names filled in.

    A name without a value stays visible as `{name}`. A name with two forms has the word that fits the number:
    `{count} {count:task|tasks}`. What is in `[[ ]]` is left out if a value in it is empty:
    `unknown key '{key}'[[; nearest: {nearest}]]`.
    """
    if not BRACES.intersection(sentence):  # as in most fixes
        return sentence
    words = _SentenceWords()
    for name in _list_names(sentence):
        if name in values:
            words[name] = _Word(_format_value(values[name]), values[name])
    parts = []
    for part, is_optional in _split_parts(sentence):
        if is_optional and any(words.get(name) in ("", NOTHING) for name in _list_names(part)):
            continue
        parts.append(part)
    return "".join(parts).format_map(words)


@lru_cache(maxsize=2048)
def _split_parts(sentence: str) -> tuple[tuple[str, bool], ...]:
    """Return the parts of a sentence, and which of them are optional."""
    return tuple((part, bool(number % 2)) for number, part in enumerate(OPTIONAL_PART.split(sentence)) if part)


@lru_cache(maxsize=2048)
def _list_names(part: str) -> tuple[str, ...]:
    """Return the names in a part of a sentence, each once."""
    return tuple(dict.fromkeys(name for _, name, _, _ in _FORMATTER.parse(part) if name))


class _Word(str):
    """A value as it is in a sentence, with the number that chooses between two forms of a word."""

    number: Any

    def __new__(cls, text: str, value: Any) -> _Word:
        word = super().__new__(cls, text)
        word.number = value
        return word

    def __format__(self, spec: str) -> str:
        if FORMS in spec:
            return choose_form(self.number, spec)
        return super().__format__(spec)


class _SentenceWords(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_format_value, value))
    if isinstance(value, str):
        text = value
    else:
        text = _encode_for_sentence(value)
    text = " ".join(text.split()) or NOTHING
    if len(text) <= MAX_VALUE:
        return text
    return text[: MAX_VALUE - 1] + "…"


# Running rules


def check(
    case: RuleContext, on: str, codes: Collection[str] | None = None, rule_filter: RuleFilter | None = None
) -> Iterator[Finding | Fault]:
    """Yield what the rules for `on` (workspace, record, assembly) find; only those of the `codes`, if given.

    With the result of `filter_rules`, for the same workspace and codes, rules that cannot find anything are not called.
    """
    for rule in _list_rules(case, on, codes, rule_filter):
        yield from _run_rule(rule.code, rule.logic.check, case)  # a list, which is empty most times


def filter_rules(opened: Workspace, codes: Collection[str] | None = None) -> RuleFilter:
    """Return which rules to call for many records of a workspace."""
    rules = ((on, rule) for on in ("record", "assembly", "dataset") for rule in _list_rules_on(on))
    return RuleFilter(opened, [(on, rule) for on, rule in rules if codes is None or rule.code in codes])


def list_marks(
    case: RuleContext, codes: Collection[str] | None = None, rule_filter: RuleFilter | None = None
) -> Iterator[tuple[str, str, str]]:
    """Yield code, kind and text of everything in a case's record that a rule on the dataset expects only once.

    `codes` and `rule_filter` are those of `check`.
    """
    for rule in _list_rules(case, "dataset", codes, rule_filter):
        yield from ((rule.code, kind, text) for kind, text in rule.logic.list_marks(case))


def report_repeats(code: str, first: Record, later: RuleContext, kinds: Sequence[str]) -> Iterator[Finding | Fault]:
    """Yield what a rule on the dataset finds where the record of `later` repeats marks of `first` of these kinds."""
    yield from _run_rule(code, lambda case: RULES()[code].logic.report_repeats(first, case, kinds), later)


def _run_rule(
    code: str, run: Callable[[RuleContext], Iterator[Diagnostic]], case: RuleContext
) -> list[Finding | Fault]:
    """Return the findings of one rule; a rule that fails must stop no other."""
    findings: list[Finding | Fault] = []
    try:
        for diagnostic in run(case):
            findings.append(build_case_finding(diagnostic, case))
    except (MemoryError, DatasetChanged):  # a bounded child is full, or the caller's files have changed meanwhile
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error} ({frame.name}, line {frame.lineno})"
        findings.append(Fault(code, message, complete_place(NOWHERE, case)))
    return findings


def _list_rules(
    case: RuleContext, on: str, codes: Collection[str] | None, rule_filter: RuleFilter | None
) -> Sequence[Rule]:
    if rule_filter is not None:
        return rule_filter.list_rules(case, on)
    return [rule for rule in _list_rules_on(on) if codes is None or rule.code in codes]


@cache
def _list_rules_on(on: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES().values() if on in rule.on)

"""The rules: what turns a diagnostic into a finding, and what runs the rules that have logic, one module each."""

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
NOTHING = "–"  # what is said of an empty value
PLACES = frozenset("{}[]")  # one of these is in every sentence that is not said as it is written
PART = re.compile(r"\[\[(.*?)\]\]")
NO_COUNT: Values = {"records": "", "of": ""}  # of a finding that stands for itself
LONGEST = 200  # characters of one value inside a sentence; the whole value stays in Finding.values

_FORMATTER = Formatter()
_spoken = json.JSONEncoder(ensure_ascii=False).encode
_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

Seen = dict[str, dict[tuple[str, Location], int]]  # by key: what was said of which place, numbered


@cache
def RULES() -> Mapping[str, Rule]:  # noqa: N802 - it stands for a constant
    """Every rule by its code: ours in the order of their codes, then those of plugins."""
    entries, logic = catalogue.entries(), by(__name__, "CODE")
    if strange := logic.keys() - entries.keys():
        raise ValueError(f"rules without words in the catalogue: {', '.join(sorted(strange))}")
    ours = {code: build_rule(code, entries[code], logic.get(code)) for code in sorted(entries)}
    return {**ours, **{code: build_plugin_rule(one.value) for code, one in plugins.load_plugins("rules").items()}}


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that failed: our mistake, told apart from what is wrong with the input."""

    rule: str
    error: str
    place: Location = NOWHERE


def finding(diagnostic: Diagnostic) -> Finding:
    """The finding a diagnostic is: the sentence and severity of the rule of its code.

    A code without a rule is our mistake (a test looks for it), yet the reader still gets to see the note.
    """
    rule = RULES().get(diagnostic.code)
    values = diagnostic.values
    if rule and rule.alike:
        values = {**NO_COUNT, **values}
    sentence = rule.sentence if rule else ", ".join(f"{name} {{{name}}}" for name in values)
    return Finding(
        code=diagnostic.code,
        severity=diagnostic.severity or (rule.severity if rule else "warning"),
        values=values,
        message=fill(sentence, values),
        fix=fill(rule.fix, values) if rule else "",
        place=diagnostic.place,
        key=key(diagnostic),
    )


def noted(diagnostic: Diagnostic, case: RuleContext) -> Finding:
    """The finding of a note that belongs to a case: its place is completed before its key is made.

    A record whose id an earlier one has is told from it by its number.
    """
    made = finding(replace(diagnostic, place=placed(diagnostic.place, case)))
    if case.record is not None and case.record.again:
        return replace(made, key=digest([made.key, "record", case.record.place.index]))
    return made


def told_apart(one: Finding, seen: Seen) -> Finding:
    """The finding, with a key of its own where another one that differs has its key already.

    It depends on how many like it came before, so that a baseline with one of two hides one of two. `seen` holds those
    and takes this one in; a finding is the same as another when it says the same of the same place.
    """
    similar = seen.setdefault(one.key, {})
    number = similar.setdefault((one.message, one.place), len(similar))
    return replace(one, key=digest([one.key, number])) if number else one


def fill(sentence: str, values: Values) -> str:
    """`sentence` with its places filled; in any language, for the values carry no words of ours.

    A place without a value stays visible as `{name}`. A place with two forms has the word that fits the number:
    `{count} {count:task|tasks}`. What is in `[[ ]]` is left out where a value in it says nothing:
    `unknown key '{key}'[[; nearest: {nearest}]]`.
    """
    if not PLACES.intersection(sentence):  # as in most fixes
        return sentence
    said = _Said((name, _Word(_say(values[name]), values[name])) for name in _names(sentence) if name in values)
    kept = (
        part for part, optional in _cut(sentence)
        if not optional or not any(said.get(name) in ("", NOTHING) for name in _names(part))
    )  # fmt: skip
    return "".join(kept).format_map(said)


@lru_cache(maxsize=2048)
def _cut(sentence: str) -> tuple[tuple[str, bool], ...]:
    """The parts of a sentence, and which of them are optional."""
    return tuple((part, bool(number % 2)) for number, part in enumerate(PART.split(sentence)) if part)


@lru_cache(maxsize=2048)
def _names(part: str) -> tuple[str, ...]:
    """The names of the places in a part of a sentence, each once."""
    return tuple(dict.fromkeys(name for _, name, _, _ in _FORMATTER.parse(part) if name))


def key(diagnostic: Diagnostic) -> str:
    """What a finding is called from run to run: 16 hex digits over what it is about, never over lines or offsets."""
    at = diagnostic.place
    condition = (at.mode, at.condition, at.adapter, at.task, at.judge)
    return digest([diagnostic.code, at.file, *condition, at.record, at.role, at.field, diagnostic.flagged])


def digest(about: list[Any]) -> str:
    """16 hex digits over JSON values."""
    return hashlib.sha256(_encoded(about).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def check(
    case: RuleContext, on: str, codes: Collection[str] | None = None, decided: RuleFilter | None = None
) -> Iterator[Finding | Fault]:
    """What the rules of one kind (`on`: workspace, record, assembly) find; `codes` narrows them down.

    `decided` (of the same workspace and codes): those that cannot find anything there are not called.
    """
    for rule in _list_rules(case, on, codes, decided):
        yield from _told(rule.code, rule.logic.check, case)  # a list, which is empty most times


def decide(opened: Workspace, codes: Collection[str] | None = None) -> RuleFilter:
    """Return which rules to call for many records of a workspace."""
    rules = ((on, rule) for on in ("record", "assembly", "dataset") for rule in _that_look_at(on))
    return RuleFilter(opened, [(on, rule) for on, rule in rules if codes is None or rule.code in codes])


def marks(
    case: RuleContext, codes: Collection[str] | None = None, decided: RuleFilter | None = None
) -> Iterator[tuple[str, str, str]]:
    """Code, kind and text of everything in a case's record that a rule about the dataset expects only once.

    `codes` and `decided` are those of `check`.
    """
    for rule in _list_rules(case, "dataset", codes, decided):
        yield from ((rule.code, kind, text) for kind, text in rule.logic.list_marks(case))


def repeats(code: str, first: Record, later: RuleContext, kinds: Sequence[str]) -> Iterator[Finding | Fault]:
    """What a rule about the dataset says where the record of `later` repeats the kinds of marks of `first`."""
    yield from _told(code, lambda case: RULES()[code].logic.report_repeats(first, case, kinds), later)


def _told(code: str, look: Callable[[RuleContext], Iterator[Diagnostic]], case: RuleContext) -> list[Finding | Fault]:
    """The findings of one rule; a rule that fails is our fault and must stop no other."""
    found: list[Finding | Fault] = []
    try:
        for diagnostic in look(case):
            found.append(noted(diagnostic, case))
    except (MemoryError, DatasetChanged):  # a bounded child that is full, or whose caller's files are other ones by now
        raise
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({last.name}, line {last.lineno})"
        found.append(Fault(code, said, placed(NOWHERE, case)))
    return found


def _list_rules(
    case: RuleContext, on: str, codes: Collection[str] | None, decided: RuleFilter | None
) -> Sequence[Rule]:
    if decided is not None:
        return decided.list_rules(case, on)
    return [rule for rule in _that_look_at(on) if codes is None or rule.code in codes]


@cache
def _that_look_at(on: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES().values() if on in rule.on)


def placed(place: Location, case: RuleContext) -> Location:
    """`place` with what the case knows: the record, and the condition or mode, adapter, task and judge."""
    known: dict[str, Any] = {}
    if record := case.record:
        known |= {"record": record.id, "index": record.place.index if case.workspace.dataset else None}
        if place.file is None:
            known |= {"file": record.place.file, "line": record.place.line}
    if case.assembly:
        choice = case.assembly.choice
        condition = case.workspace.condition(choice.condition or "") or Condition("")
        known |= {
            "condition": choice.condition,
            "mode": choice.mode or condition.mode,
            "adapter": choice.adapter or condition.adapter,
            "task": choice.task or condition.task,
            "judge": choice.judge,
        }
    own = as_json.known_place_to_json(place)
    return Location(**{**known, **own}) if known else place


class _Word(str):
    """A value as a sentence says it, which knows the number it is."""

    number: Any

    def __new__(cls, said: str, value: Any) -> _Word:
        made = super().__new__(cls, said)
        made.number = value
        return made

    def __format__(self, spec: str) -> str:
        return choose_form(self.number, spec) if FORMS in spec else super().__format__(spec)


class _Said(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def _say(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_say(one) for one in value)
    text = value if isinstance(value, str) else _spoken(value)
    text = " ".join(text.split()) or NOTHING
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

"""A rule: the words of its code from the catalogue, and its logic where it has any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any

from readback.checks import needs
from readback.types import Severity

Files = Mapping[str, str | bytes]  # a small workspace: file name -> content


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known of a code.

    `on`: what is looked at, some of load, workspace, record, assembly, dataset; what a reader of files notices is
    `load`. `logic` has `check(case)`, or `marks` and `repeats` for dataset, and perhaps `once`; None for load alone.
    `passes` and `fails` are small workspaces without and with the fault.
    """

    code: str
    severity: Severity
    on: tuple[str, ...]
    title: str
    paragraphs: tuple[str, ...]  # what is found, why it matters, how it is put right
    sentence: str
    fix: str
    passes: tuple[Files, ...]
    fails: tuple[Files, ...]
    because: Mapping[str, str] = field(default_factory=dict)  # why a finding has another severity, by that severity
    needs: needs.Needs = field(default_factory=dict)  # by what is looked at: what must hold before it finds anything
    alike: tuple[str, ...] = ()  # values: findings of records in one condition that share them are one, with its count
    of_a_row: bool = False  # a row lacks something: nothing is said where there is no row
    logic: Any = None


def of_entry(code: str, entry: Mapping[str, Any], logic: Any = None) -> Rule:
    """A rule whose words are in the catalogue; `logic` is its module, which then has its examples."""
    passes, fails = (logic.PASS, logic.FAIL) if logic else (_examples(entry["pass"]), _examples(entry["fail"]))
    return Rule(
        code=code,
        severity=entry["severity"],
        on=_kinds(logic.ON if logic else "load"),
        needs=needs.read(getattr(logic, "NEEDS", {}), _kinds(logic.ON if logic else "load")),
        title=entry["title"],
        paragraphs=(entry["what"], entry["why"], entry["how"]),
        sentence=entry["sentence"],
        fix=entry["fix"],
        passes=passes,
        fails=fails,
        because=entry.get("because", {}),
        alike=tuple(entry.get("alike", ())),
        of_a_row=entry.get("of_a_row", False),
        logic=logic,
    )


def of_plugin(module: Any) -> Rule:
    """A rule of another package, whose module has its words, too: in its docstring, SENTENCE and FIX."""
    title, *paragraphs = (" ".join(part.split()) for part in cleandoc(module.__doc__).split("\n\n"))
    return Rule(
        code=module.CODE,
        severity=module.SEVERITY,
        on=_kinds(module.ON),
        needs=needs.read(getattr(module, "NEEDS", {}), _kinds(module.ON)),
        title=title,
        paragraphs=tuple(paragraphs),
        sentence=module.SENTENCE,
        fix=module.FIX,
        passes=tuple(getattr(module, "PASS", ())),
        fails=tuple(getattr(module, "FAIL", ())),
        because=getattr(module, "BECAUSE", {}),
        alike=tuple(getattr(module, "ALIKE", ())),
        of_a_row=getattr(module, "OF_A_ROW", False),
        logic=module,
    )


def _kinds(on: str | Sequence[str]) -> tuple[str, ...]:
    return (on,) if isinstance(on, str) else tuple(on)


def _examples(written: Sequence[Mapping[str, Any]]) -> tuple[Files, ...]:
    return tuple({name: _content(one) for name, one in files.items()} for files in written)


def _content(written: Any) -> str | bytes:
    """A file's content; a text that is too long to be written out is {times, text, end}."""
    if isinstance(written, Mapping):
        return str(written["text"]) * int(written["times"]) + str(written["end"])
    content: str | bytes = written
    return content

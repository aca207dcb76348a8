"""What a decision or a sign-off is about: the whole study, a condition, a prompt (a mode) or a comparison of two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from readback.html.exact import written_out
from readback.review.leaves import NothingToLock, list_choices
from readback.types import Selection, Workspace
from readback.words import t

Kind = Literal["study", "condition", "mode", "comparison"]
STUDY = "study"
BETWEEN = "|"  # between the two names of a comparison


@dataclass(frozen=True, slots=True)
class Subject:
    """`names` are none of the study, one of a condition or a mode, two of a comparison."""

    kind: Kind
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As it is written on the command line."""
        if self.kind == STUDY:
            return STUDY
        return f"{self.kind}:{BETWEEN.join(self.names)}"


class UnknownSubject(Exception):  # noqa: N818 - an outcome to say in one sentence
    """Nothing in the workspace is called that; the text says what there is."""


def parse_subject(opened: Workspace, text: str) -> Subject:
    """Parse a subject: `study`, `condition:NAME`, `mode:NAME`, `comparison:A|B`, or a condition's or a mode's
    name alone. Raises UnknownSubject.
    """
    if text == STUDY:
        return Subject("study")
    kind, colon, rest = text.partition(":")
    if colon and kind in ("condition", "mode", "comparison"):
        for subject in _find_named(opened, kind, rest):
            return subject
    for kind in ("condition", "mode", "comparison"):
        for subject in _find_named(opened, kind, text):
            return subject
    conditions = ", ".join(condition.name for condition in opened.conditions)
    if conditions:
        there = f"the conditions are {conditions}"
    else:
        there = f"the modes are {', '.join(opened.prompts) or 'none'}"
    raise UnknownSubject(
        f"nothing here is called '{text}'; write study, condition:NAME, mode:NAME or comparison:A|B; {there}"
    )


def _find_named(opened: Workspace, kind: str, text: str) -> Iterator[Subject]:
    if kind == "mode" and text in opened.prompts:
        yield Subject("mode", (text,))
    if kind == "condition" and (condition := opened.condition(text)):
        yield Subject("condition", (condition.name,))
    if kind == "comparison":
        for at in (place for place, char in enumerate(text) if char == BETWEEN):
            pair = [opened.condition(name.strip()) for name in (text[:at], text[at + 1 :])]
            if pair[0] and pair[1]:
                yield Subject("comparison", (pair[0].name, pair[1].name))


def describe_subject(subject: Subject) -> str:
    """Describe a subject."""
    if subject.kind == "comparison":
        return t("review.subject_comparison", a=written_out(subject.names[0]), b=written_out(subject.names[1]))
    return t(f"review.subject_{subject.kind}", name=written_out(subject.names[0]) if subject.names else "")


def list_covered(opened: Workspace, subject: Subject) -> tuple[Selection, ...]:
    """List what is sent, and what judges are shown, under a subject. Raises NothingToLock where that is nothing."""
    if subject.kind == "mode":
        return (Selection(mode=subject.names[0]),)
    every = list_choices(opened)
    if subject.kind == "study":
        return every
    choices = tuple(choice for choice in every if choice.condition in subject.names)
    if not choices:
        raise NothingToLock(f"{subject} sends nothing")
    return choices


def to_json(subject: Subject) -> dict[str, Any]:
    """{"kind", "names"}"""
    return {"kind": subject.kind, "names": list(subject.names)}


def from_json(value: Mapping[str, Any]) -> Subject:
    """Build the subject of an event."""
    return Subject(value["kind"], tuple(value["names"]))

"""What was told of a range for each choice, and of its records alone, as it lies on the disk: in sections of one file.

In the file lie: how long the head is; the head, a list of [name, bytes] of the sections; these, each packed, so that
one is read without the others; a checksum of all that.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby, repeat
from pathlib import Path
from typing import Any

from readback import as_json
from readback.checks import kept_answers, marks, regular_records
from readback.checks.marks import Marks
from readback.checks.regular_records import Looks
from readback.checks.variables import Shape

LENGTH = 4  # bytes that say how long the head is


@dataclass(slots=True)
class Section:
    """What was told of a range for one choice, or of its records alone; by the places of records in the range."""

    findings: dict[int, list[str]] = field(default_factory=dict)
    marks: Marks = field(default_factory=Marks)  # of the records alone; the rest of a choice
    longest: list[int] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)  # the number of each record's shape
    observed: list[bool | None] = field(default_factory=list)
    looks: list[Any] = field(default_factory=list)  # of the records alone: `Looks.sizes`, and what they are about
    about: Any = None
    kept_looks: str = ""  # both as they were kept
    alike: bool = False  # as it was kept, all have the same shape, and nothing was logged of them
    numbers: dict[Shape, int] = field(default_factory=dict)  # of the shapes, while they come

    def packed(self) -> bytes:
        """What `read` reads."""
        of_choice = [self.longest, self.shapes, _runs(self.uses), _runs(self.observed)]
        looks = as_json.packed([self.about, self.looks]).decode()  # a text, which is read where somebody asks for it
        return zlib.compress(as_json.packed([list(self.findings.items()), self.marks.as_json(), *of_choice, looks]), 1)

    def seen(self) -> Looks | None:
        """What a child saw of the records; None where there is nothing, or no sense in it."""
        try:
            about, looks = as_json.unpacked(self.kept_looks.encode()) if self.kept_looks else (self.about, self.looks)
            return regular_records.looks([about, looks]) if len(looks) == self.marks.count else None
        except (TypeError, ValueError):
            return None


def read(kept: bytes, count: int) -> Section:
    """A section as it was kept. Raises ValueError where it is of another number of records, and zlib.error."""
    findings, kept_marks, longest, shapes, uses, observed, looks = as_json.unpacked(zlib.decompress(kept))
    alike = len(uses) == 1 and all(value is None for value, _ in observed)
    its_marks, uses, observed = marks.read(kept_marks), _unrolled(uses), _unrolled(observed)
    if not isinstance(looks, str):
        raise ValueError("it has no looks")
    if {its_marks.count, len(longest)} != {0, count} or not len(longest) == len(uses) == len(observed):
        raise ValueError("it is of another range")
    shapes = [tuple(map(tuple, one)) for one in shapes]
    return Section(dict(findings), its_marks, longest, shapes, uses, observed, kept_looks=looks, alike=alike)


def _runs(values: Iterable[Any]) -> list[list[Any]]:
    """[value, how many times] of values that follow each other."""
    return [[value, len([*same])] for value, same in groupby(values)]


def _unrolled(runs: Iterable[Any]) -> list[Any]:
    """The values that `_runs` was told."""
    return [*chain.from_iterable(repeat(value, times) for value, times in runs)]


def sections(path: Path) -> dict[str, bytes]:
    """The sections of a range by their names, each packed; none where the file is not there, damaged or of another
    Readback.
    """
    whole = kept_answers.read(path) or b""
    at = LENGTH + int.from_bytes(whole[:LENGTH], "big")
    found: dict[str, bytes] = {}
    try:
        for name, size in as_json.unpacked(bytes(whole[LENGTH:at])):
            found[name] = bytes(whole[at : at + size])
            at += size
    except (ValueError, TypeError):
        return {}
    return found if at == len(whole) else {}


def in_one_file(kept: Mapping[str, bytes]) -> bytes:
    """What `sections` reads, but for the checksum."""
    head = as_json.packed([(name, len(section)) for name, section in kept.items()])
    return b"".join((len(head).to_bytes(LENGTH, "big"), head, *kept.values()))

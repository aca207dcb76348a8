"""What is known about one legal citation in a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal[
    "full case",  # Smith v. Jones, 123 F.3d 456 (2020): one citation
    "case name",  # Smith v. Jones, alone
    "reporter",  # 123 F.3d 456, without a name
    "short case",  # Smith, 123 F.3d at 460
    "reference",  # Smith at 460, after a full citation
    "supra",
    "id",
    "rule",  # Fed. R. Civ. P. 12(b)(6)
    "short rule",  # Rule 12(b)(6)
    "statute",  # 28 U.S.C. § 1331, and regulations
    "journal",
    "upstream",  # found by the patterns of the program that the data was made with
]
SHORT: frozenset[Kind] = frozenset(("short case", "reference", "supra", "id", "short rule"))


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation. `start` and `end` are character offsets into the text that was searched.

    `normal` is the form for comparison: volume, reporter without blanks and case, page; a rule's set and number; a
    case name in small letters without punctuation; of a short form the form of what it stands for, "" where that is
    not known. `resolves_to` is the index of that citation among those found. `confidence` is 1 where the form alone
    says what is meant, lower where it is read from its surroundings.
    """

    start: int
    end: int
    kind: Kind
    text: str
    normal: str = ""
    name: str = ""  # the parties, normalised: "smith v jones"
    plaintiff: str | None = None
    defendant: str | None = None
    volume: str | None = None
    reporter: str | None = None  # as the database of reporters spells it
    page: str | None = None
    last: str | None = None  # of a range of rules or sections that begins with `page`
    year: int | None = None
    pin: str | None = None
    court: str | None = None
    resolves_to: int | None = None
    confidence: float = 1.0

    @property
    def short(self) -> bool:
        """Whether it stands for a citation that is given in full elsewhere."""
        return self.kind in SHORT


def as_json(citation: Citation) -> dict[str, Any]:
    """As it travels out of the bounded child."""
    return asdict(citation)


def from_json(value: Mapping[str, Any]) -> Citation:
    return Citation(**value)

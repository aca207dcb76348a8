"""Define one legal citation in a text, and its JSON form."""

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

    `normal` is the form for comparison: volume, reporter without blanks and case, page; a rule's set and number; a case
    name in small letters without punctuation. A short form has the `normal` of the citation it stands for, "" where
    that is not known; `resolves_to` is the index of that citation among those of the text. `confidence` is 1 where the
    form alone is unambiguous, lower where the meaning depends on the surroundings.
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
    last: str | None = None  # the end of a range of rules or sections that begins with `page`
    year: int | None = None
    pin: str | None = None
    court: str | None = None
    resolves_to: int | None = None
    confidence: float = 1.0

    @property
    def is_short(self) -> bool:
        """Whether it refers to a citation that stands in full elsewhere."""
        return self.kind in SHORT


def as_json(citation: Citation) -> dict[str, Any]:
    """Return the form in which a citation leaves the bounded child."""
    return asdict(citation)


def from_json(value: Mapping[str, Any]) -> Citation:
    """Return the citation whose `as_json` is `value`."""
    return Citation(**value)

"""What eyecite finds in a text: citations with a reporter, statutes, journals, and short forms of them.

Loaded only where a text is searched: importing eyecite compiles its database of reporters (0.2 s).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from eyecite import get_citations
from eyecite.regexes import PIN_CITE_REGEX
from eyecite.tokenizers import EXTRACTORS, AhocorasickTokenizer, default_tokenizer
from eyecite.utils import is_valid_name

from readback.citations.citation import Kind
from readback.citations.name_words import words

KINDS: dict[str, Kind] = {
    "FullCaseCitation": "reporter",
    "ShortCaseCitation": "short case",
    "SupraCitation": "supra",
    "IdCitation": "id",
    "FullLawCitation": "statute",
    "FullJournalCitation": "journal",
}  # what else eyecite answers is a bare section sign, or a reference, which we look for ourselves in the whole text
MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?",
    re.IGNORECASE,
)
STATES = frozenset(("Idaho", "Iowa", "Ohio", "Utah", "WL", "LEXIS"))  # reporters that are whole words
OREGON = "Or"  # as its own courts write it; `5 Or 6` is none
PIN_CITE = re.compile(PIN_CITE_REGEX, re.VERBOSE)  # `at 460`, behind a name
WORD_REPORTER = re.compile(r"[A-Z][a-z]+\.?|[A-Z]")
GOES_ON = re.compile(r" ([a-z]{2,})")
# Words in small letters that may be behind a citation; before any other one it is a number of something.
FOLLOWING = words(
    """
    the and or of in is are was were has had held holds holding states stated says said where which that who whose
    when with without as to on by at for from but because since if it its he she they we an this these those also not
    does did do would should can could may might must that applies applied requires required provides provided
    controls governs governed remains there here then cited citing quoting see note per et aff cert rev supra infra
    """
)
NEEDED = re.compile(r"\d|§|\b(?:id|ibid)\.|supra", re.IGNORECASE)  # without any of these eyecite finds nothing
BLANK = re.compile(r"\s+")
WORD_OR_LETTER = re.compile(r"[A-Z][a-z]+|[A-Z]")


@dataclass(frozen=True, slots=True)
class Seen:
    """One citation as eyecite tells it: `start` and `end` are of its core (volume to page), `from_` and `to` of all."""

    start: int
    end: int
    from_: int
    to: int
    kind: Kind
    volume: str | None
    reporter: str | None  # as the database spells it
    page: str | None
    rest: tuple[str, ...]  # of a statute: chapter, section
    plaintiff: str | None
    defendant: str | None
    antecedent: str | None
    year: int | None
    pin: str | None
    pin_end: int | None
    court: str | None
    scotus: bool  # whether the reporter is one of the Supreme Court's


def look(text: str, offset: int = 0) -> Iterator[Seen]:
    """What eyecite finds in a text whose white space is even, in its order, without what is none to a reader.

    `offset` is added to every place: where the text begins in a longer one.
    """
    logging.getLogger("eyecite").setLevel(logging.CRITICAL)  # it tells the terminal of overlaps that it settles itself
    if not NEEDED.search(text):
        return
    found = []
    for citation in get_citations(text, tokenizer=_tokenizer()):
        if kind := KINDS.get(type(citation).__name__):
            seen = _seen(citation, kind, offset)
            if not _accidental(citation, seen, text[citation.token.end :][:20]):
                found.append(seen)
    yield from sorted(found, key=lambda one: (one.start, -one.end))


class _InOrder(AhocorasickTokenizer):
    """eyecite's tokenizer, which tries its patterns in the order of their list.

    Its own keeps them in a set by a hash of their text: slow, and in another order in every process.
    """

    def __init__(self) -> None:
        self.__dict__.update(default_tokenizer.__dict__)
        self.places = {id(one): number for number, one in enumerate(EXTRACTORS)}
        self.always = [self.places[id(one)] for one in self.unfiltered_extractors]

    def get_extractors(self, text: str) -> list[Any]:  # type: ignore[override]  # a list keeps its order
        """The patterns that can match, for which the text holds what they need."""
        stripped = BLANK.sub("", text)
        numbers = set(self.always)
        for searched, filtered in (
            (stripped, self.case_sensitive_filter),
            (stripped.lower(), self.case_insensitive_filter),
        ):
            for _, extractors in filtered.iter(searched):
                numbers.update(self.places[id(one)] for one in extractors)
        return [EXTRACTORS[number] for number in sorted(numbers)]


@cache
def _tokenizer() -> _InOrder:
    return _InOrder()


def _seen(citation: Any, kind: Kind, offset: int) -> Seen:
    groups, more = citation.groups, citation.metadata
    start, end = citation.span()
    end = max(end, citation.token.end)  # behind a range of pages in another dash it stops too early
    from_, to = citation.full_span()
    written = groups.get("reporter")
    spelt = citation.corrected_reporter() if written else None
    known = ("volume", "title", "reporter", "page", "volume_nominative", "reporter_nominative")
    return Seen(
        start + offset,
        end + offset,
        min(from_, start) + offset,
        max(to, end) + offset,
        kind,
        groups.get("volume") or groups.get("title"),
        spelt,
        groups.get("page"),
        tuple(value for name, value in groups.items() if value and name not in known),
        _party(getattr(more, "plaintiff", None)),
        _party(getattr(more, "defendant", None)),
        _party(getattr(more, "antecedent_guess", None)),
        getattr(citation, "year", None),
        more.pin_cite,
        more.pin_cite_span_end and more.pin_cite_span_end + offset,
        getattr(more, "court", None),
        any(edition.reporter.is_scotus for edition in getattr(citation, "all_editions", ())),
    )


def _party(said: str | None) -> str | None:
    """A party within its paragraph: eyecite also takes the heading above it."""
    return (said or "").rpartition("\n")[2].strip() or None


def may_be_a_name(party: str) -> bool:
    """Whether a party's name alone can mean its case; `State`, `United States` and attorneys general cannot."""
    return bool(is_valid_name(party))


def _accidental(citation: Any, seen: Seen, following: str) -> bool:
    """A date, or words between two numbers, that happen to be spelt like a reporter: `1 Mar. 2020`, `10 Miles 20`."""
    written = str(citation.groups.get("reporter") or "")
    if MONTH.fullmatch(written):
        return True
    known = seen.year or seen.plaintiff
    if seen.kind == "reporter" and (seen.page or "").isalpha() and not known:
        return True  # `1240 C. civ.`: eyecite reads a Roman number
    if seen.kind != "reporter" or known or seen.scotus:
        return False
    goes_on = GOES_ON.match(following) if WORD_REPORTER.fullmatch(written) else None
    if goes_on and goes_on[1] not in FOLLOWING:
        return True  # `12 Cal. 5 apples`
    if written == OREGON:
        return max(len(seen.volume or ""), len(seen.page or "")) < 3
    return written not in STATES and WORD_OR_LETTER.fullmatch(written) is not None

"""Search a text with eyecite: citations with a reporter, statutes, journals, and short forms of them.

Import this module only where a text is searched: importing eyecite compiles its database of reporters (0.2 s).
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
}  # eyecite also answers bare section signs, and references, which `references` finds in the whole text
MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?",
    re.IGNORECASE,
)
STATES = frozenset(("Idaho", "Iowa", "Ohio", "Utah", "WL", "LEXIS"))  # reporters that are whole words
OREGON = "Or"  # as Oregon's courts write it; `5 Or 6` is not a citation
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
class EyeciteCitation:
    """One citation as eyecite reads it.

    `start` and `end` are the offsets of its core (volume to page), `from_` and `to` those of the whole.
    """

    start: int
    end: int
    from_: int
    to: int
    kind: Kind
    volume: str | None
    reporter: str | None  # as the database spells it
    page: str | None
    rest: tuple[str, ...]  # a statute's chapter and section
    plaintiff: str | None
    defendant: str | None
    antecedent: str | None
    year: int | None
    pin: str | None
    pin_end: int | None
    court: str | None
    scotus: bool  # whether the reporter is one of the Supreme Court's


def search(text: str, offset: int = 0) -> Iterator[EyeciteCitation]:
    """Yield the citations that eyecite finds in a text with normalised white space, in the text's order.

    Accidental ones (see `_is_accidental`) are left out. `offset`, where the text begins in a longer one, is added to
    every offset.
    """
    logging.getLogger("eyecite").setLevel(logging.CRITICAL)  # it logs overlaps that it resolves itself
    if not NEEDED.search(text):
        return
    citations = []
    for citation in get_citations(text, tokenizer=_tokenizer()):
        kind = KINDS.get(type(citation).__name__)
        if kind is None:
            continue
        converted = _read_citation(citation, kind, offset)
        if not _is_accidental(citation, converted, text[citation.token.end :][:20]):
            citations.append(converted)
    yield from sorted(citations, key=lambda item: (item.start, -item.end))


class _OrderedTokenizer(AhocorasickTokenizer):
    """eyecite's tokenizer with its patterns in the order of their list.

    The original keeps them in a set by a hash of their text: slow, and in another order in every process.
    """

    def __init__(self) -> None:
        self.__dict__.update(default_tokenizer.__dict__)
        self.positions = {id(extractor): position for position, extractor in enumerate(EXTRACTORS)}
        self.always = [self.positions[id(extractor)] for extractor in self.unfiltered_extractors]

    def get_extractors(self, text: str) -> list[Any]:  # type: ignore[override]  # a list keeps its order
        """Return the patterns whose required strings the text contains."""
        stripped = BLANK.sub("", text)
        positions = set(self.always)
        for searched, filtered in (
            (stripped, self.case_sensitive_filter),
            (stripped.lower(), self.case_insensitive_filter),
        ):
            for _, extractors in filtered.iter(searched):
                positions.update(self.positions[id(extractor)] for extractor in extractors)
        return [EXTRACTORS[position] for position in sorted(positions)]


@cache
def _tokenizer() -> _OrderedTokenizer:
    return _OrderedTokenizer()


def _read_citation(citation: Any, kind: Kind, offset: int) -> EyeciteCitation:
    groups, metadata = citation.groups, citation.metadata
    start, end = citation.span()
    end = max(end, citation.token.end)  # eyecite stops too early behind a range of pages with another dash
    from_, to = citation.full_span()
    reporter = groups.get("reporter")
    if reporter:
        spelling = citation.corrected_reporter()
    else:
        spelling = None
    other_groups = ("volume", "title", "reporter", "page", "volume_nominative", "reporter_nominative")
    return EyeciteCitation(
        start + offset,
        end + offset,
        min(from_, start) + offset,
        max(to, end) + offset,
        kind,
        groups.get("volume") or groups.get("title"),
        spelling,
        groups.get("page"),
        tuple(value for name, value in groups.items() if value and name not in other_groups),
        _last_line(getattr(metadata, "plaintiff", None)),
        _last_line(getattr(metadata, "defendant", None)),
        _last_line(getattr(metadata, "antecedent_guess", None)),
        getattr(citation, "year", None),
        metadata.pin_cite,
        metadata.pin_cite_span_end and metadata.pin_cite_span_end + offset,
        getattr(metadata, "court", None),
        any(edition.reporter.is_scotus for edition in getattr(citation, "all_editions", ())),
    )


def _last_line(party: str | None) -> str | None:
    """Return a party without the lines above it: eyecite also takes the heading before a paragraph."""
    return (party or "").rpartition("\n")[2].strip() or None


def can_name_a_case(party: str) -> bool:
    """Return whether a party's name alone can mean its case; `State`, `United States` and attorneys general cannot."""
    return bool(is_valid_name(party))


def _is_accidental(citation: Any, converted: EyeciteCitation, following: str) -> bool:
    """Return whether a date, or words between two numbers, are spelt like a reporter: `1 Mar. 2020`, `10 Miles 20`."""
    reporter = str(citation.groups.get("reporter") or "")
    if MONTH.fullmatch(reporter):
        return True
    has_context = converted.year or converted.plaintiff
    if converted.kind == "reporter" and (converted.page or "").isalpha() and not has_context:
        return True  # `1240 C. civ.`: eyecite reads a Roman number
    if converted.kind != "reporter" or has_context or converted.scotus:
        return False
    if WORD_REPORTER.fullmatch(reporter):
        next_word = GOES_ON.match(following)
        if next_word and next_word[1] not in FOLLOWING:
            return True  # `12 Cal. 5 apples`
    if reporter == OREGON:
        return max(len(converted.volume or ""), len(converted.page or "")) < 3
    return reporter not in STATES and WORD_OR_LETTER.fullmatch(reporter) is not None

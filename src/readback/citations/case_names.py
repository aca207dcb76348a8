"""Find case names without a reporter: `Smith v. Jones`, `Brown v. Board of Education`, `In re Smith`.

eyecite does not find a case name that stands alone. A party is a run of capitalised words with the small words between
them; it ends where a sentence does, where a word in small letters begins, or at a comma that no `Inc.` follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from readback.citations.name_words import ABBREVIATED, FIRMS, OPENERS, PARTICLES, SIGNALS, SMALL
from readback.citations.normal import simplify

VERSUS = re.compile(r"(?<=[\w.,)’'\]] )(?:[vV]\.?|vs\.|VS\.)(?= [\"“(\[]?[^\W_])")
IN_RE = re.compile(r"(?<![\w.])(?:In [Rr]e:?|In the Matter of|Matter of|Ex parte|IN RE:?|EX PARTE)(?= [^\W\d_])")
WORD = re.compile(r"[^ \n]+")
# What is between a short name and its reporter: `Smith, 123 F.3d at 460`, `Smith, supra, 123 F.3d at 460`.
SHORT = re.compile(r"(?<=[\w.’'])(?:,? supra)?,? [\[(]?\Z")
FAR = 120  # characters before a reporter in which a short name is looked for
# Words that show that the name near them is that of a court's decision.
COURTS = re.compile(
    r"\b(?:cases?|courts?|held|holdings?|holds?|decisions?|decided|rulings?|ruled|judge?ments?|opinions?|precedents?|"
    r"plaintiffs?|defendants?|appell?[a-z]{2,5}|overrul[a-z]{2,3}|distinguish[a-z]{0,3}|affirm[a-z]{0,3}|"
    r"doctrine|citing|cited|see|cf|supra|ex rel|et al|C\.J|J)\b",
    re.IGNORECASE,
)
# Parties that go to court more often than to the cinema.
SUING = re.compile(
    r"\b(?:States?|People|Commonwealth|Queen|King|Regina|Rex|R|Crown|Inc|Corp|Co|Ltd|LLC|LLP|Bank|Board|Bd|City|County|"
    r"Department|Dep[’']t|Commission(?:er)?|Comm[’'][nr]|Secretary|Minister|Attorney|Ass[’']n|University|Univ|Estate|"
    r"School|Sch|District|Dist|Ins|Railway|Ry)\b"
)
CITED = re.compile(r",? \[(?:1[5-9]|20)\d\d\]")  # `[1932] A.C. 562`, and neutral citations
NEAR = 60  # characters
LONGEST = 14  # words of a party

CUT = re.compile(r"['’](?:[tnlgyrd]|rs)$")  # Dep't, Comm'n, Int'l
MIXED = re.compile(r"\d\S*[A-Z]|[a-z]{1,2}[A-Z][a-z]")  # 3M, eBay
CLOSERS = ';:?!)”"]'


@dataclass(frozen=True, slots=True)
class Name:
    """A case name at character offsets of the searched text."""

    start: int
    end: int
    plaintiff: str | None
    defendant: str
    sure: bool = True  # False for a mere `v` or `vs.` where no word nearby speaks of a case: `Batman v Superman`


def find_names(text: str) -> tuple[Name, ...]:
    """Return the case names in a text with normalised white space, in its order; none overlaps another."""
    words = [(match.start(), match.end()) for match in WORD.finditer(text)]
    index = {start: number for number, (start, _) in enumerate(words)}
    names: list[Name] = []
    parties: set[str] = set()
    last_end = 0
    matches = sorted((*VERSUS.finditer(text), *IN_RE.finditer(text)), key=lambda match: match.start())
    for match in matches:
        if match.start() < last_end:
            continue
        versus = match[0].lower().startswith("v")
        following = index.get(match.end() + 1)
        if following is None or (match[0][0] in "Vv" and not _is_written_alike(text, words, match, following)):
            continue
        right = tuple(_party_behind(text, words, following))
        left: tuple[Span, ...] = ()
        if versus:
            left = tuple(_party_before(text, words, index[match.start()] - 1, last_end))
        if len(left) > 2 and _word_at(text, left, 1) == "and" and _word_at(text, left, 0) in parties:
            left = left[2:]  # `Grutter and Regents v. Bakke`, where Grutter is a case that was named before
        if not right or (versus and not left):
            continue
        start = left[0][0] if left else match.start()
        end = right[-1][1]
        if left:
            plaintiff = text[start : left[-1][1]]
        else:
            plaintiff = None
        sure = match[0] in ("v.", "V.") or not versus or _concerns_court(text, start, end)
        names.append(Name(start, end, plaintiff, text[right[0][0] : end], sure))
        parties |= {_word_at(text, left or right, 0), _word_at(text, right, 0)}
        last_end = end
    return tuple(names)


def normalise_name(plaintiff: str | None, defendant: str | None) -> str:
    """Return a case name for comparison: small letters, no punctuation, `in re` for a case with one party."""
    if plaintiff:
        return f"{simplify(plaintiff)} v {simplify(defendant or '')}"
    if defendant:
        return f"in re {simplify(defendant)}"
    return ""


def find_short_name(text: str, start: int, end: int) -> tuple[int, str] | None:
    """Return the offset and the text of the short name right before `end`: `Smith` in `See Smith, 123 F.3d at 460`."""
    begin = max(start, end - FAR)
    match = SHORT.search(text, begin, end)
    if match is None:
        return None
    words = [word.span() for word in WORD.finditer(text, begin, match.start())]
    party = _party_before(text, words, len(words) - 1, start)
    if not party:
        return None
    return party[0][0], text[party[0][0] : party[-1][1]]


Span = tuple[int, int]


def _word_at(text: str, words: Sequence[Span], number: int) -> str:
    return text[slice(*words[number])]


def _party_before(text: str, words: Sequence[Span], at: int, lower_bound: int) -> Sequence[Span]:
    """Return the words of the party before `v.`, from index `at` backwards, none of them before `lower_bound`."""
    party: list[Span] = []
    while at >= 0 and len(party) < LONGEST and words[at][0] >= lower_bound:
        start, end = words[at]
        word = text[start:end]
        if party and (text[end : end + 1] == "\n" or _ends_before(word, text[slice(*party[-1])])):
            break
        opened = len(word) - len(word.lstrip('([“"‘'))
        bare = word[opened:]
        small = party and (bare.lower() in SMALL or _is_inner_in(text, words, at))
        if not (_is_capitalised(bare) or small or bare == "al.,"):
            break
        party.append((start + opened, end))
        if opened:
            break
        at -= 1
    party.reverse()
    while party:
        first_word = text[slice(*party[0])]
        if _is_capitalised(first_word) and not _is_signal(first_word, party, text):
            break
        party.pop(0)
    if party:
        start, end = party[-1]
        party[-1] = (start, start + len(text[start:end].rstrip(",")))
    return party


def _is_inner_in(text: str, words: Sequence[Span], at: int) -> bool:
    """Return whether the word at an index is an `in` inside a name: `Parents Involved in Community Schools`."""
    if at < 2 or _word_at(text, words, at) != "in":
        return False
    preceding, participle = _word_at(text, words, at - 2), _word_at(text, words, at - 1)
    is_named = (
        _is_capitalised(preceding)
        and not _ends_before(preceding, participle)
        and preceding.lower().rstrip(".,") not in SIGNALS
    )
    return is_named and _is_capitalised(participle) and len(participle) > 4 and participle.endswith("ed")


def _is_written_alike(text: str, words: Sequence[Span], match: re.Match[str], following: int) -> bool:
    """Return whether `v.` is small, or a capital `V.` stands between words in capitals: `SMITH V. JONES`."""
    if not match[0].isupper():
        return True
    if following < 2:
        return False
    sides = (_word_at(text, words, following - 2), _word_at(text, words, following))
    return all(side.isupper() and len(re.sub(r"[\W\d]", "", side)) > 1 for side in sides)


def _concerns_court(text: str, start: int, end: int) -> bool:
    around = f"{text[max(0, start - NEAR) : start]} {text[end : end + NEAR]}"
    return bool(SUING.search(text, start, end) or COURTS.search(around) or CITED.match(text, end))


def _ends_before(word: str, following: str) -> bool:
    """Return whether a word ends a sentence or a clause, so that a name may begin at `following`."""
    if word[-1] in CLOSERS + "—–":
        return True
    if word.endswith(","):
        return _strip_punctuation(following) not in FIRMS
    return word.endswith(".") and not _is_abbreviation(word)


def _is_signal(word: str, party: Sequence[Span], text: str) -> bool:
    if len(party) > 1 and word.lower().rstrip(".,") == "in" and text[slice(*party[1])].lower() in ("re", "re:"):
        return False
    return word.lower().rstrip(".,") in SIGNALS


def _party_behind(text: str, words: Sequence[Span], at: int) -> Sequence[Span]:
    """Return the words of the party behind `v.` or `In re`, from index `at` on."""
    party: list[Span] = []
    while at < len(words) and len(party) < LONGEST:
        start, end = words[at]
        word = text[start:end]
        if party and (text[start - 1] == "\n" or word[0] in '([“"'):
            break
        if party and re.fullmatch(r"v\.?|vs\.", word):
            return _cut_at_next_case(text, party)
        small = (word.lower().rstrip(",;:.") in SMALL and word[0].islower()) or word == "&"
        small = small or (word == "in" and at + 1 < len(words) and _is_inner_in(text, words, at))
        numbered = word[0].isdigit() and party and text[slice(*party[-1])] in ("No.", "Nos.")
        if not (_is_capitalised(word) or small or numbered) or (not party and small and word not in PARTICLES):
            break
        stripped = word.rstrip(',;:?!)]”"—–')
        if not stripped:
            break
        party.append((start, start + len(stripped)))
        if at + 1 < len(words):
            following = text[slice(*words[at + 1])]
        else:
            following = ""
        if _ends_party(word, stripped, following):
            break
        at += 1
    while party:
        last_word = text[slice(*party[-1])]
        if last_word.lower() not in SMALL or last_word.startswith("al"):
            break
        party.pop()
    return _strip_sentence_dot(text, party)


def _ends_party(word: str, stripped: str, following: str) -> bool:
    """Return whether a party ends with this word; `stripped` is the word without closing punctuation."""
    next_word = _strip_punctuation(following)
    if word != stripped:
        return not (word == f"{stripped}," and next_word in FIRMS)
    if not word.endswith("."):
        return False
    if not _is_abbreviation(word):
        return True
    return next_word in OPENERS and following[:1].isupper() and next_word not in FIRMS


def _cut_at_next_case(text: str, party: Sequence[Span]) -> Sequence[Span]:
    """Return the words up to the last `and`: the words behind it belong to the next case."""
    for index in range(len(party) - 1, -1, -1):
        if text[slice(*party[index])] in ("and", "&"):
            return party[:index]
    return party


def _strip_sentence_dot(text: str, party: list[Span]) -> Sequence[Span]:
    """Remove a sentence's dot from the end of a party: `Smith v. Jones.`"""
    if party:
        start, end = party[-1]
        last = text[start:end]
        if last.endswith(".") and not _is_abbreviation(last):
            party[-1] = (start, end - 1)
    return party


def _is_capitalised(word: str) -> bool:
    first = word.lstrip("([“\"‘'’")[:1]
    return first.isupper() or MIXED.match(word) is not None


def _is_abbreviation(word: str) -> bool:
    bare = word.rstrip(".,").lower()
    return len(bare) == 1 or "." in bare or CUT.search(bare) is not None or bare in ABBREVIATED


def _strip_punctuation(word: str) -> str:
    return word.lower().strip('([“"').rstrip('.,;:)]”"')

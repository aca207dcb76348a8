"""Case names without a reporter: `Smith v. Jones`, `Brown v. Board of Education`, `In re Smith`.

eyecite finds no case name alone. A party is a run of capitalised words with the small words between them; it ends
where a sentence does, where a word in small letters begins, or at a comma that no `Inc.` follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from readback.citations.name_words import ABBREVIATED, FIRMS, OPENERS, PARTICLES, SIGNALS, SMALL
from readback.citations.normal import plain

VERSUS = re.compile(r"(?<=[\w.,)’'\]] )(?:[vV]\.?|vs\.|VS\.)(?= [\"“(\[]?[^\W_])")
IN_RE = re.compile(r"(?<![\w.])(?:In [Rr]e:?|In the Matter of|Matter of|Ex parte|IN RE:?|EX PARTE)(?= [^\W\d_])")
WORD = re.compile(r"[^ \n]+")
# What is between a short name and its reporter: `Smith, 123 F.3d at 460`, `Smith, supra, 123 F.3d at 460`.
SHORT = re.compile(r"(?<=[\w.’'])(?:,? supra)?,? [\[(]?\Z")
FAR = 120  # characters before a reporter in which a short name is looked for
# Words that say of what is near them that a court decided it.
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
    sure: bool = True  # False of a mere `v` or `vs.` that nothing near it calls a case: `Batman v Superman`


def names(text: str) -> tuple[Name, ...]:
    """The case names in a text whose white space is even, in its order; none overlaps another."""
    words = [(hit.start(), hit.end()) for hit in WORD.finditer(text)]
    index = {start: number for number, (start, _) in enumerate(words)}
    found: list[Name] = []
    parties: set[str] = set()
    after = 0
    hits = sorted((*VERSUS.finditer(text), *IN_RE.finditer(text)), key=lambda hit: hit.start())
    for hit in hits:
        if hit.start() < after:
            continue
        versus = hit[0].lower().startswith("v")
        following = index.get(hit.end() + 1)
        if following is None or (hit[0][0] in "Vv" and not _written_alike(text, words, hit, following)):
            continue
        right = tuple(_right(text, words, following))
        left = tuple(_left(text, words, index[hit.start()] - 1, after)) if versus else ()
        if len(left) > 2 and _word(text, left, 1) == "and" and _word(text, left, 0) in parties:
            left = left[2:]  # `Grutter and Regents v. Bakke`, where Grutter is a case named before
        if not right or (versus and not left):
            continue
        start = left[0][0] if left else hit.start()
        end = right[-1][1]
        plaintiff = text[start : left[-1][1]] if left else None
        sure = hit[0] in ("v.", "V.") or not versus or _of_a_court(text, start, end)
        found.append(Name(start, end, plaintiff, text[right[0][0] : end], sure))
        parties |= {_word(text, left or right, 0), _word(text, right, 0)}
        after = end
    return tuple(found)


def normal(plaintiff: str | None, defendant: str | None) -> str:
    """A case name for comparison: small letters, no punctuation, `in re` for what has one party."""
    if plaintiff:
        return f"{plain(plaintiff)} v {plain(defendant or '')}"
    return f"in re {plain(defendant)}" if defendant else ""


def before(text: str, start: int, end: int) -> tuple[int, str] | None:
    """The short name that is right before `end`, and where it begins: `Smith` in `See Smith, 123 F.3d at 460`."""
    begin = max(start, end - FAR)
    hit = SHORT.search(text, begin, end)
    words = [word.span() for word in WORD.finditer(text, begin, hit.start())] if hit else []
    taken = _left(text, words, len(words) - 1, start)
    return (taken[0][0], text[taken[0][0] : taken[-1][1]]) if taken else None


Span = tuple[int, int]


def _word(text: str, words: Sequence[Span], number: int) -> str:
    return text[slice(*words[number])]


def _left(text: str, words: Sequence[Span], at: int, bound: int) -> Sequence[Span]:
    """The words of the party before `v.`, from the one at index `at` backwards; nothing that begins before `bound`."""
    taken: list[Span] = []
    while at >= 0 and len(taken) < LONGEST and words[at][0] >= bound:
        start, end = words[at]
        word = text[start:end]
        if taken and (text[end : end + 1] == "\n" or _stops(word, text[slice(*taken[-1])])):
            break
        opened = len(word) - len(word.lstrip('([“"‘'))
        bare = word[opened:]
        small = taken and (bare.lower() in SMALL or _involved(text, words, at))
        if not (_capital(bare) or small or bare == "al.,"):
            break
        taken.append((start + opened, end))
        if opened:
            break
        at -= 1
    taken.reverse()
    while taken and (first := text[slice(*taken[0])]) and (_lead(first, taken, text) or not _capital(first)):
        taken.pop(0)
    if taken:
        start, end = taken[-1]
        taken[-1] = (start, start + len(text[start:end].rstrip(",")))
    return taken


def _involved(text: str, words: Sequence[Span], at: int) -> bool:
    """Whether the word at an index is an `in` inside a name: `Parents Involved in Community Schools`."""
    if at < 2 or _word(text, words, at) != "in":
        return False
    before, participle = _word(text, words, at - 2), _word(text, words, at - 1)
    named = _capital(before) and not _stops(before, participle) and before.lower().rstrip(".,") not in SIGNALS
    return named and _capital(participle) and len(participle) > 4 and participle.endswith("ed")


def _written_alike(text: str, words: Sequence[Span], hit: re.Match[str], following: int) -> bool:
    """Whether a small `v.` is anywhere, and a capital one between words in capitals: `SMITH V. JONES`."""
    if not hit[0].isupper():
        return True
    sides = (_word(text, words, following - 2), _word(text, words, following)) if following > 1 else ("",)
    return all(side.isupper() and len(re.sub(r"[\W\d]", "", side)) > 1 for side in sides)


def _of_a_court(text: str, start: int, end: int) -> bool:
    around = f"{text[max(0, start - NEAR) : start]} {text[end : end + NEAR]}"
    return bool(SUING.search(text, start, end) or COURTS.search(around) or CITED.match(text, end))


def _stops(word: str, following: str) -> bool:
    """Whether the word before `following` ends a sentence, or a clause, so that a name begins after it."""
    if word[-1] in CLOSERS + "—–":
        return True
    if word.endswith(","):
        return _bare(following) not in FIRMS
    return word.endswith(".") and not _abbreviation(word)


def _lead(word: str, taken: Sequence[Span], text: str) -> bool:
    if len(taken) > 1 and word.lower().rstrip(".,") == "in" and text[slice(*taken[1])].lower() in ("re", "re:"):
        return False
    return word.lower().rstrip(".,") in SIGNALS


def _right(text: str, words: Sequence[Span], at: int) -> Sequence[Span]:
    """The words of the party behind `v.` or `In re`, from the one at index `at` on."""
    taken: list[Span] = []
    while at < len(words) and len(taken) < LONGEST:
        start, end = words[at]
        word = text[start:end]
        if taken and (text[start - 1] == "\n" or word[0] in '([“"'):
            break
        if taken and re.fullmatch(r"v\.?|vs\.", word):
            return _before_next(text, taken)
        small = (word.lower().rstrip(",;:.") in SMALL and word[0].islower()) or word == "&"
        small = small or (word == "in" and at + 1 < len(words) and _involved(text, words, at))
        numbered = word[0].isdigit() and taken and text[slice(*taken[-1])] in ("No.", "Nos.")
        if not (_capital(word) or small or numbered) or (not taken and small and word not in PARTICLES):
            break
        kept = word.rstrip(',;:?!)]”"—–')
        if not kept:
            break
        taken.append((start, start + len(kept)))
        following = text[slice(*words[at + 1])] if at + 1 < len(words) else ""
        if _ends(word, kept, following):
            break
        at += 1
    while taken and (last := text[slice(*taken[-1])]) and last.lower() in SMALL and not last.startswith("al"):
        taken.pop()
    return _without_dot(text, taken)


def _ends(word: str, kept: str, following: str) -> bool:
    """Whether a party ends with this word."""
    bare = _bare(following)
    if word != kept:
        return not (word == f"{kept}," and bare in FIRMS)
    if not word.endswith("."):
        return False
    if not _abbreviation(word):
        return True
    return bare in OPENERS and following[:1].isupper() and bare not in FIRMS


def _before_next(text: str, taken: Sequence[Span]) -> Sequence[Span]:
    """The words up to the last `and`: what follows it is the next case's party."""
    cut = max((n for n, span in enumerate(taken) if text[slice(*span)] in ("and", "&")), default=len(taken))
    return taken[:cut]


def _without_dot(text: str, taken: list[Span]) -> Sequence[Span]:
    """A sentence's dot does not belong to its last name: `Smith v. Jones.`"""
    if taken:
        start, end = taken[-1]
        last = text[start:end]
        if last.endswith(".") and not _abbreviation(last):
            taken[-1] = (start, end - 1)
    return taken


def _capital(word: str) -> bool:
    first = word.lstrip("([“\"‘'’")[:1]
    return first.isupper() or MIXED.match(word) is not None


def _abbreviation(word: str) -> bool:
    bare = word.rstrip(".,").lower()
    return len(bare) == 1 or "." in bare or CUT.search(bare) is not None or bare in ABBREVIATED


def _bare(word: str) -> str:
    return word.lower().strip('([“"').rstrip('.,;:)]”"')

"""Looks for trn-damaged-text; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from readback.checks.facts import training_rows
from readback.types import Diagnostic, RuleContext

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
FULL_STOP = re.compile(r"[.!?](?:\s*\Z|\s+[\"'“(]?[A-Z])")  # the end of a sentence
GOES_ON = re.compile(r"\s*\Z| +[A-Z]")  # the next sentence, or the end, without any mark
# How no English word ends: what is left of one that was cut. Other prefixes of a word are mostly words themselves (stop
# and stopped, diverge and divergent).
TORN = re.compile(r"(?:[bcdfgkptz]l|[bcdfgkptv]r)\Z")
TORN_FROM_E = ("v", "u")  # receiv, argu: endings of words that lost an e
LEAST = 3  # letters of a word that is said to be cut
LONG = 6  # letters from which on a word is known to be cut without the word before it
TAIL = 2  # letters that such a word may lack
RUN = 4  # words that have to be those of the intact answer before its full stop is missed;
SHORT = 3  # fewer where the text begins with them


class Damage(NamedTuple):
    """The stretch that was damaged, and what it was before."""

    start: int
    end: int
    whole: str


class _Known:
    """The words of the intact answer and of the prompt."""

    def __init__(self, intact: str, prompt: str) -> None:
        hits = list(WORD.finditer(intact))
        self.intact = [hit[0].lower() for hit in hits]
        self.words = {*self.intact, *(hit[0].lower() for hit in WORD.finditer(prompt))}
        self.after: dict[str, list[str]] = {}
        for before, word in pairwise(("", *self.intact)):
            self.after.setdefault(before, []).append(word)
        self.full = {number for number, hit in enumerate(hits) if FULL_STOP.match(intact, hit.end())}
        self.begin = {self.intact[at + 1] for at in self.full if at + 1 < len(hits)}

    def longer(self, before: str, word: str) -> str | None:
        """The whole word that a cut one was; None where it is none."""
        cut = word.lower()
        if len(cut) < LEAST or cut in self.words:
            return None
        beside = (one for one in self.after.get(before.lower(), ()) if _cut_of(one, cut))
        anywhere = (one for one in sorted(self.words) if len(cut) >= LONG and len(one) - len(cut) <= TAIL
                    and _cut_of(one, cut))  # fmt: skip
        return next(beside, None) or next(anywhere, None)

    def stops(self, run: list[str], then: str | None = None) -> bool:
        """Whether the intact answer has a full stop behind these words each time it has them.

        `then` is the word behind them, which has to begin a sentence there.
        """
        if len(run) < SHORT or (then is not None and then not in self.begin):
            return False
        ends = [at for at in range(len(run) - 1, len(self.intact)) if self.intact[at - len(run) + 1 : at + 1] == run]
        return bool(ends) and self.full.issuperset(ends)


CODE = "trn-damaged-text"
ON = "record"
NEEDS = "training rows"
_ROW = '{"prompt": "Why?", "chosen": "%s", "rejected": "%s"}\n'
PASS = (
    {"train.jsonl": _ROW % ("It is inadmissible. See Fed. R. Evid. 802.", "It is inadmissible.")},
    {"train.jsonl": _ROW % ("He asked the courts.", "He asked the court.")},
    {"train.jsonl": _ROW % ("It was granted (A v. B).", "It was granted.")},
    {"train.jsonl": _ROW % ("The pump had stopped, so call fill(all=True).", "The pump did stop. Call fill().")},
)
FAIL = (
    {"train.jsonl": _ROW % ("It is inadmissible. See Fed. R. Evid. 802.", "It is inadmissibl.")},
    {"train.jsonl": _ROW % ("It was granted. He appealed.", "It was granted He appealed.")},
    {"train.jsonl": _ROW % ("It was granted (A v. B).", "It was granted ().")},
    {"train.jsonl": _ROW % ("It was not granted.", "It was not granted")},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = training_rows.read_row(case)
    if row is None or not (row.chosen and row.rejected):
        return
    rejected, prompt = row.rejected[-1], " ".join(turn.text for turn in row.prompt)
    if damage := next(damages(rejected.text, row.chosen[-1].text, prompt), None):
        place = training_rows.locate(rejected, damage.start, damage.end)
        damaged = rejected.text[damage.start : damage.end]
        yield Diagnostic(
            CODE, {"field": place.field, "damaged": repr(damaged), "whole": repr(damage.whole)}, place, damaged
        )


# Where a text was cut in the middle of a word or lost the end of a sentence, seen beside a text that was not.


def damages(text: str, intact: str, prompt: str) -> Iterator[Damage]:
    """The damages of `text`, held against the `intact` answer to the same prompt; texts of other wording have none.

    A word that is cut ends a sentence or the text, has a longer form in the intact answer (after the same word, or in
    the prompt too where it is long), is itself no word of either, and ends as no English word does. A sentence that
    lost its end goes straight on, or stops, with words behind which the intact answer has a full stop. Parentheses that
    became empty had contents, and a blank before them.
    """
    known = _Known(intact, prompt)
    words = list(WORD.finditer(text))
    for number, word in enumerate(words):
        before = words[number - 1][0] if number else ""
        if _is_end(text, word.end()) and (whole := known.longer(before, word[0])):
            yield Damage(word.start(), word.end(), whole)
        elif GOES_ON.match(text, word.end()) and known.stops(
            [one[0].lower() for one in words[: number + 1][-RUN:]], *(one[0].lower() for one in words[number + 1 :][:1])
        ):
            yield Damage(word.start(), word.end(), f"{word[0]}.")
    for hit in re.finditer(r"(\w+)([ \t]+)\([ \t]*\)", text):  # without a blank it is a call: fill()
        if filled := re.search(rf"\b{re.escape(hit[1])}[ \t]+(\([^()]+\))", intact):
            yield Damage(hit.start(), hit.end(), f"{hit[1]} {filled[1]}")


def _cut_of(whole: str, cut: str) -> bool:
    if len(whole) <= len(cut) or not whole.startswith(cut):
        return False
    return TORN.search(cut) is not None or (whole == f"{cut}e" and cut.endswith(TORN_FROM_E))


def _is_end(text: str, at: int) -> bool:
    """Whether a sentence or the text ends behind a word."""
    return bool(re.compile(r"\Z|[.!?](?:\s|\Z)|[)\]]\.?\Z").match(text, at))

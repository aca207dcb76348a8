"""Find damage in a rejected answer that the chosen one does not have: words, sentences and parentheses that were cut.

Programs that remove citations with patterns leave it, and the model then learns to tell damage from text.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from readback.checks.facts import training_rows
from readback.types import Diagnostic, RuleContext

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
FULL_STOP = re.compile(r"[.!?](?:\s*\Z|\s+[\"'“(]?[A-Z])")  # the end of a sentence
CONTINUES = re.compile(r"\s*\Z| +[A-Z]")  # the next sentence, or the end, without any mark
# How no English word ends: what is left of one that was cut. Other prefixes of a word are mostly words themselves (stop
# and stopped, diverge and divergent).
TORN = re.compile(r"(?:[bcdfgkptz]l|[bcdfgkptv]r)\Z")
TORN_FROM_E = ("v", "u")  # receiv, argu: endings of words that lost an e
LEAST = 3  # letters of a word that is said to be cut
LONG = 6  # letters from which on a word is known to be cut without the word before it
TAIL = 2  # letters that such a word may lack
RUN = 4  # words that have to be those of the intact answer before its full stop is missed;
SHORT = 3  # fewer where the text begins with them
SENTENCE_END = re.compile(r"\Z|[.!?](?:\s|\Z)|[)\]]\.?\Z")

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


class Damage(NamedTuple):
    """The span that is damaged, and the text before."""

    start: int
    end: int
    whole: str


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for the first damage of a rejected answer."""
    row = training_rows.read_row(case)
    if row is None or not (row.chosen and row.rejected):
        return
    rejected, prompt = row.rejected[-1], " ".join(turn.text for turn in row.prompt)
    damage = next(find_damages(rejected.text, row.chosen[-1].text, prompt), None)
    if damage:
        place = training_rows.locate(rejected, damage.start, damage.end)
        damaged = rejected.text[damage.start : damage.end]
        values = {"field": place.field, "damaged": repr(damaged), "whole": repr(damage.whole)}
        yield Diagnostic(CODE, values, place, damaged)


def find_damages(text: str, intact: str, prompt: str) -> Iterator[Damage]:
    """Yield the damages of a text, compared with the `intact` answer to the same prompt.

    A word that is cut ends a sentence or the text, has a longer form in the intact answer (after the same word, or in
    the prompt too if it is long), is itself no word of either, and ends as no English word does. A sentence that lost
    its end continues directly, or stops, with words after which the intact answer has a full stop. Parentheses that
    became empty had contents, and a blank before them. Texts of other wording have no damage.
    """
    intact_text = _IntactText(intact, prompt)
    words = list(WORD.finditer(text))
    for number, word in enumerate(words):
        before = words[number - 1][0] if number else ""
        if _is_sentence_end(text, word.end()):
            whole = intact_text.find_longer_word(before, word[0])
        else:
            whole = None
        if whole:
            yield Damage(word.start(), word.end(), whole)
        elif CONTINUES.match(text, word.end()):
            run = [match[0].lower() for match in words[: number + 1][-RUN:]]
            if number + 1 < len(words):
                following = words[number + 1][0].lower()
            else:
                following = None
            if intact_text.has_full_stop(run, following):
                yield Damage(word.start(), word.end(), f"{word[0]}.")
    for hit in re.finditer(r"(\w+)([ \t]+)\([ \t]*\)", text):  # without a blank it is a call: fill()
        filled = re.search(rf"\b{re.escape(hit[1])}[ \t]+(\([^()]+\))", intact)
        if filled:
            yield Damage(hit.start(), hit.end(), f"{hit[1]} {filled[1]}")


class _IntactText:
    """The words of the intact answer and of the prompt, and where the answer's sentences end."""

    def __init__(self, intact: str, prompt: str) -> None:
        hits = list(WORD.finditer(intact))
        self.intact = [hit[0].lower() for hit in hits]
        self.words = {*self.intact, *(hit[0].lower() for hit in WORD.finditer(prompt))}
        self.following: dict[str, list[str]] = {}
        for before, word in pairwise(("", *self.intact)):
            self.following.setdefault(before, []).append(word)
        self.full_stops = {number for number, hit in enumerate(hits) if FULL_STOP.match(intact, hit.end())}
        self.first_words = {self.intact[number + 1] for number in self.full_stops if number + 1 < len(hits)}

    def find_longer_word(self, before: str, word: str) -> str | None:
        """Return the whole word that a cut one was; None if it was not cut."""
        cut = word.lower()
        if len(cut) < LEAST or cut in self.words:
            return None
        for candidate in self.following.get(before.lower(), ()):
            if _is_cut_of(candidate, cut):
                return candidate
        if len(cut) < LONG:
            return None
        candidates = (candidate for candidate in sorted(self.words) if len(candidate) - len(cut) <= TAIL)
        return next((candidate for candidate in candidates if _is_cut_of(candidate, cut)), None)

    def has_full_stop(self, run: list[str], following: str | None = None) -> bool:
        """Return whether the intact answer has a full stop after these words each time it has them.

        The word that follows them in the other text must begin a sentence in the intact answer.
        """
        if len(run) < SHORT or (following is not None and following not in self.first_words):
            return False
        last_words = range(len(run) - 1, len(self.intact))
        ends = [number for number in last_words if self.intact[number - len(run) + 1 : number + 1] == run]
        return bool(ends) and self.full_stops.issuperset(ends)


def _is_cut_of(whole: str, cut: str) -> bool:
    if len(whole) <= len(cut) or not whole.startswith(cut):
        return False
    return TORN.search(cut) is not None or (whole == f"{cut}e" and cut.endswith(TORN_FROM_E))


def _is_sentence_end(text: str, offset: int) -> bool:
    """Return whether a sentence or the text ends after a word."""
    return bool(SENTENCE_END.match(text, offset))

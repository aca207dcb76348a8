"""Records of which nothing is to be said, known by one look at their values.

Most records of the prompt formats are as the formats want them: what a built-in format sends of such a record is the
format's sentences around values in which no rule can find anything. Then no rule is asked and nothing is assembled.
Where more can be said than this file knows of (by a server, from logged requests, by a rule that is not in SILENT), it
is assembled, and only the rules of SILENT are not asked. What is only nearly regular is looked at in full, and so is
every choice with a template.

A rule belongs in SILENT where it finds nothing in the messages of any regular record, if it finds nothing in those of
two that are made up; where it does find something there, it is asked about every record, and only the others are not.
`Look.at` says at each of its demands for the sake of which rules it is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from readback import sandbox
from readback.checks import made_up_records
from readback.checks.facts import near_texts
from readback.checks.facts.leaked_texts import listed, phrases, system_texts
from readback.checks.facts.overlapping import RUN, overlaps
from readback.checks.facts.prompt_drift import BEGINNING
from readback.checks.facts.text_units import Unit, index, may_hold
from readback.checks.facts.text_words import GAP, Words, stem, words
from readback.checks.made_up_records import ASKED, HEAD, SILENT, TAIL, WITH_CONTEXTS, Plan, Regular, Sizes
from readback.checks.needs import Decided
from readback.checks.rules import Deciding
from readback.checks.rules.asm_duplicate_block import twice
from readback.checks.rules.asm_template_in_value import MARK
from readback.serving.tokens import Counter
from readback.types import Record, Selection, Workspace

THREE = 3  # words of a run: a block that comes twice is longer, so each of its runs comes twice
COUNTED = 16  # texts whose tokens are remembered: more than the choices of most workspaces send of one record
LONG = 1_000_000  # characters of all contexts: beyond, some rules look at a part only


class About(NamedTuple):
    """What a look depends on beside the record and what holds for the whole workspace: the texts that are looked for,
    the formats' own ones around a question, and whether contexts and the stored prompt were looked at.
    """

    sources: Sequence[str]
    own: Sequence[str]
    contexts: bool
    prompt: bool

    def covers(self, other: About) -> bool:
        """Whether each record that is regular by this one is regular by the other: it demands no less."""
        return (
            {*self.sources} >= {*other.sources}
            and {*self.own} >= {*other.own}
            and self.contexts >= other.contexts
            and self.prompt >= other.prompt
        )


class Looks(NamedTuple):
    """What a look saw of the records of a range: the sizes of those that are regular."""

    about: About
    sizes: Sequence[Sizes | None]


class Look:
    """What is asked of a record, so that nothing is to be said about what the choices with `plans` send of it.

    Of what the `quiet` choices send, only these rules may say something. Without `alone` more is known of what was sent
    than the files say, and no choice has a plan.
    """

    def __init__(self, opened: Workspace, choices: Iterable[Selection], decided: Deciding, alone: bool = True) -> None:
        silent: Deciding = Decided(opened, [one for one in decided.rules if one[1][0] in SILENT])
        every = (
            (choice, made_up_records.probe(opened, choice, silent, decided if alone else None)) for choice in choices
        )
        probes = {choice: one for choice, one in every if one}
        stated = dict.fromkeys(one.text for probe in probes.values() for one in system_texts(probe.case))
        self._sources, self._phrases, self._leaks = tuple(stated), listed(opened.leaks), opened.leaks
        self._index = index((*self._sources, *self._phrases))
        self.plans: dict[Selection, Plan] = {}
        self.quiet: dict[Selection, Deciding] = {}
        asked: dict[frozenset[str], Deciding] = {}
        kinds, texts = set[str](), set[str]()
        enough = [_enough(unit, unit.which >= len(self._sources)) for unit in self._index.units]
        self._room, self._runs = enough, set[Words]()
        before, after = set[Words](), set[Words]()
        around = dict[tuple[str, str], None]()
        for choice, probe in probes.items():
            own = words(probe.own)
            there = self._places(pairwise(map(stem, own)))
            room = [most - len(there.get(number, ())) for number, most in enumerate(enough)]
            runs = [run for run in _runs(own) if ASKED not in run and not any(word[0] == GAP for word in run)]
            if min(room, default=1) > 0 and len(set(runs)) == len(runs):  # else what is asked decides
                silenced = SILENT - probe.told
                if silenced not in asked:
                    others = [one for one in decided.rules if one[1][0] not in silenced]
                    asked[silenced] = Decided(opened, others)
                self.quiet[choice] = asked[silenced]
                self.plans |= {choice: probe.plan} if probe.plan else {}
                kinds.add(probe.kind)
                texts.add(probe.own)
                self._room = list(map(min, self._room, room))
                self._runs.update(runs)
                at = own.index(ASKED)
                before.add(own[max(0, at - 2) : at])
                after.add(own[at + 1 : at + 3])
                left, _, right = probe.own.partition(f"{ASKED}?")
                around[left, right] = None
        self._around = tuple(around)
        self._before = sorted({one[-2:] for one in before if len(one) > 1})
        self._first = sorted({one[-1] for one in before})
        self._after = sorted({one[:2] for one in after if len(one) > 1})
        self._last = sorted({one[0] for one in after})
        self._counted: dict[tuple[str, str], int] = {}
        self._of_contexts, self._of_prompt = bool(kinds & WITH_CONTEXTS), "stored" in kinds
        self.about = About(self._sources, sorted(texts), self._of_contexts, self._of_prompt)

    def at(self, record: Record) -> Regular | None:
        """The values of a record of which nothing is to be said; None where that is not sure."""
        asked = record.fields.get("instruction")
        if record.masked or not isinstance(asked, str):
            return None
        question = asked.strip()
        if not self._is_plain(question):
            return None
        if not self._of_contexts:
            return Regular(Sizes(len(question)), question)
        rag = record.fields.get("rag")
        listed_ = rag.get("contexts") if isinstance(rag, dict) else None
        if not isinstance(rag, dict) or not isinstance(listed_, list) or not listed_:
            return None
        tail = TAIL % question
        contexts: list[str] = []
        for number, one in enumerate(listed_, 1):
            mark = f"[{number}]"
            # Numbered in their order; none seems to go on in the question (fmt-rag-drift), as one without a word would.
            if not isinstance(one, str) or not one.startswith(mark):
                return None
            text = one.rstrip()
            bare = text[len(mark) :].lstrip()
            if bare[:BEGINNING] in tail or ("[" in question and text[:BEGINNING] in tail):
                return None
            contexts.append(text)
        block = "\n\n".join(listed_)
        prompt = f"{HEAD}{block}{tail}"
        if self._of_prompt and rag.get("prompt") != prompt:
            return None  # else fmt-context-not-sent, fmt-markers and fmt-rag-drift have nothing to say
        # A context is found nowhere but among the contexts: it begins with a number in brackets, and does not go over
        # into the question.
        if len(block) > LONG or GAP in block or (block.count("\n") > 2 * len(listed_) - 2 and "\n\nQ" in block):
            return None
        if "{" in block and MARK.search(block):  # asm-template-in-value
            return None
        if may_hold(block, self._index) and not self._are_free(block, listed_):  # fmt-system-text-in-user
            return None
        sizes = Sizes(len(question), len(prompt), len(contexts), sum(map(len, contexts)))
        return Regular(sizes, question, prompt, tuple(contexts))

    def seen(self, earlier: Looks | None, start: int, choices: Iterable[Selection]) -> Mapping[int, Sizes]:
        """By its number, what an `earlier` look at the records from `start` on saw of each of which nothing more has
        to be known, so that it need not be read again.
        """
        plans = [self.plans.get(choice) for choice in choices]
        if earlier and all(one and one.room is None for one in plans) and earlier.about.covers(self.about):
            return {at: one for at, one in enumerate(earlier.sizes, start) if one}
        return {}

    def fits(self, plan: Plan, values: Regular) -> bool:
        """Whether the messages of a plan surely have no more tokens than there is room for."""
        if plan.room is None:
            return True
        user, (room, by) = plan.text(values), plan.room
        if by.surely_fits("".join((*plan.system, user)), room):
            return True
        try:
            return sum(self._count(by, text) for text in (*plan.system, user)) <= room
        except sandbox.Stopped:
            return False

    def _count(self, by: Counter, text: str) -> int:
        """The tokens of a text; the last ones are kept, for several choices send the same."""
        if (known := self._counted.get((by.name, text))) is None:
            if len(self._counted) >= COUNTED:
                self._counted.clear()
            known = self._counted[by.name, text] = by.count(text, special=False)
        return known

    def _is_plain(self, question: str) -> bool:
        """Whether what is asked changes nothing of what rules say about the text around it."""
        if GAP in question or "Question:" in question or "Answer:" in question:
            return False
        if "{" in question and MARK.search(question):  # asm-template-in-value
            return False
        own = words(question)
        if len(own) < 2:
            return False
        # asm-duplicate-block: no run of words that has one of the question's is there twice, or no block is
        first, last = own[0], own[-1]
        runs = [
            *_runs(own),
            *((*two, first) for two in self._before),
            *((one, first, own[1]) for one in self._first),
            *((own[-2], last, one) for one in self._last),
            *((last, *two) for two in self._after),
        ]
        found = set(runs)
        once = len(found) == len(runs) and found.isdisjoint(self._runs)
        if not once and any(any(twice(f"{left}{question}{right}")) for left, right in self._around):
            return False
        # fmt-system-text-in-user: too few pairs of words in common with any text that is looked for
        stems = [*map(stem, own)]
        pairs = [*pairwise(stems), *((stem(one), stems[0]) for one in self._first)]
        pairs += [(stems[-1], stem(one)) for one in self._last]
        if self._index.pairs.keys().isdisjoint(pairs):
            return True
        return all(len(there) < self._room[number] for number, there in self._places(pairs).items())

    def _places(self, pairs: Iterable[tuple[str, str]]) -> Mapping[int, set[int]]:
        """By the number of a unit: which of its pairs of neighbouring words are among these."""
        found: dict[int, set[int]] = defaultdict(set)
        for pair in pairs:
            for number, place in self._index.pairs.get(pair, ()):
                found[number].add(place)
        return found

    def _are_free(self, block: str, contexts: Sequence[str]) -> bool:
        """Whether no context holds system text or a phrase; and none another, so that each is looked at by itself."""
        if block.count("\n\n[") >= len(contexts):
            return False
        texts = [one.rstrip() for one in contexts]
        return not any(
            overlaps(one, self._sources, self._leaks.threshold, False) or phrases(one, self._phrases) for one in texts
        )


def looks(kept: Any) -> Looks | None:
    """Looks from their JSON; None where there are none."""
    try:
        about, sizes = kept
        return Looks(About(*about), [one and Sizes(*one) for one in sizes]) if about else None
    except (TypeError, ValueError):
        return None


def _runs(own: Words) -> list[Words]:
    return list(zip(*(own[at:] for at in range(THREE)), strict=False))


def _enough(unit: Unit, of_phrase: bool) -> int:
    """From how many of a unit's pairs of neighbouring words on a text may hold it, or something like it."""
    all_of_it = len(unit.words) - 1
    if of_phrase:
        return all_of_it
    in_a_row = RUN - 1 if unit.whole else all_of_it
    return min(all_of_it, in_a_row, near_texts.least(unit) if near_texts.worth_it(unit) else all_of_it)

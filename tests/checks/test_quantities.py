"""Numbers and the words beside them agree, in every sentence of the rules, the pages and the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from string import Formatter
from typing import Any

import pytest

from readback import quantity
from readback.checks import rules
from readback.words import words

MANY = """
answers bytes cells characters chunks conditions contexts cases differences duels entries errors factors fences fields
files findings functions hits hours items judgements judges kinds lines means messages minutes models modes notes
outcomes pairs places prompts questions ratings records requests rows scores seconds segments shares tasks tokens turns
types values variables warnings words
""".split()  # noqa: SIM905 - a column of words is easier to read than one of quoted ones
WRONG = re.compile(
    rf"(?<![\w.,])1 (?:(?:(?!(?:of|with|has|and)\b)[a-z-]+ ){{0,2}}(?:{'|'.join(MANY)})|are|have|differ)\b"
)
PLURAL = re.compile(r"\b(?:there are|are) 1\b")
# "0.5 of 1 records" is as wrong as "1 records"; "1 of 3 records" is right, since the last number governs the word.
NUMBERS = {"n", "count"}


def numeric(sentence: str) -> set[str]:
    """The places of a sentence that take numbers: those with a format for numbers, or with forms."""
    found = [(name, spec) for _, name, spec, _ in Formatter().parse(sentence) if name]
    return {name for name, spec in found if spec and ("," in spec or "|" in spec or spec.endswith("f"))} | (
        NUMBERS & {name for name, _ in found}
    )


def filled(sentence: str, number: int, n: int | None = None) -> str:
    names = {name for _, name, _, _ in Formatter().parse(sentence) if name}
    numbers = numeric(sentence)
    values: dict[str, Any] = {name: number if name in numbers else "X" for name in names}
    if n is not None and "n" in names:
        values["n"] = n
    return quantity.fill_sentence(sentence, values)


def sentences() -> Iterator[tuple[str, str, int | None]]:
    for key, text in words("en").items():
        # A key with two forms is used as `one` for 1 only, as `other` for any other number.
        n = {"one": 1, "other": 2}.get(key.rpartition(".")[2])
        if "{" in text:
            yield key, text, n


# Sentences of the pages whose number is never one: one condition has another sentence, and the limit is large.
NEVER_ONE = {
    "findings.missing_entry_of",  # more than it shows
    "held.many_prompts",  # more than it names
    "overview.lead_none",
    "overview.ranked_aloud",
    "overview.ranked_of_span",  # from a number to a larger one, as the others here
    "scores.matrix_answers_span",
    "scores.who_some.one",
    "scores.who_some.other",
    "sides.cut",
}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_b16_a_sentence_of_the_pages_has_the_word_that_fits_its_number(number: int) -> None:
    wrong = {}
    for key, text, n in sentences():
        if number == 1 and key in NEVER_ONE:
            continue
        said = filled(text, number, n)
        if WRONG.search(said) or PLURAL.search(said):
            wrong[key] = said
    assert wrong == {}


COUNTS = {
    "absent", "characters", "contexts", "count", "failed", "fences", "found", "given", "items", "kept", "limit",
    "lines", "listed", "messages", "pairs", "present", "rows", "times", "turns", "words",
}  # fmt: skip
# Numbers that are never below two.
SEVERAL = {"fmt-modelfile-unmapped", "fmt-system-varies", "trn-system-candidates", "asm-duplicate-block"}  # 2 or more


@pytest.mark.parametrize("code", sorted(set(rules.RULES()) - SEVERAL))
def test_b16_a_sentence_of_a_rule_has_the_word_that_fits_its_number(code: str) -> None:
    rule = rules.RULES()[code]
    for sentence, number in product((rule.sentence, rule.fix), (0, 1, 2)):
        parts = [(name, form or "") for _, name, form, _ in Formatter().parse(sentence) if name]
        counts = COUNTS | {name for name, form in parts if "|" in form}
        said = rules.fill(sentence, {name: number if name in counts else "X" for name, _ in parts})
        assert not WRONG.search(said), said
        assert not PLURAL.search(said), said


def test_a_quantity_has_the_word_that_fits() -> None:
    said = [quantity.quantity(n, "record") for n in (0, 1, 2, 1000)]
    assert said == ["0 records", "1 record", "2 records", "1,000 records"]
    assert quantity.quantity(2, "index", "indices") == "2 indices"

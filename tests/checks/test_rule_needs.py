"""Rules are called only where what they need is there, and that hides nothing."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counts import many
from drawn_workspaces import files, near_files
from hypothesis import given
from hypothesis import strategies as st
from told import told_of_each

from readback import workspace
from readback.checks import rules
from readback.checks.facts.text_units import BECOME_ASCII, MIXED, split_words
from readback.checks.rule import RuleFilter, read_needs
from readback.checks.run import chunk
from readback.prompts import selections
from readback.records.dataset import open_dataset
from readback.types import Workspace


def call_all_rules(opened: Workspace, codes: frozenset[str] | None = None) -> RuleFilter:
    """Return what `rules.filter_rules` returns, as if no rule needed anything."""
    kinds = ("record", "assembly", "dataset")
    wanted = [replace(rule, needs={}) for rule in rules.RULES().values() if codes is None or rule.code in codes]
    return RuleFilter(opened, [(on, rule) for on in kinds for rule in wanted if on in rule.on])


def differing(folder: Path, content: Mapping[str, str | bytes]) -> list[Any]:
    """Return the records in which all rules together find something else than those that are called."""
    folder.mkdir()
    for name, text in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    opened = workspace.open(folder)
    if opened.dataset is None:
        return []
    records, choices = len(open_dataset(opened.root, opened.dataset)), selections.list_selections(opened)
    work = chunk.payload(opened, choices, 0, records)
    chunk._last.clear()
    called = list(told_of_each(work))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk.rules, "filter_rules", call_all_rules)
        chunk._last.clear()
        every = list(told_of_each({**work, "each": True}))
    chunk._last.clear()
    assert len(called) == len(every) == records
    return [(one, other) for one, other in zip(called, every, strict=True) if one != other]


@pytest.mark.parametrize("drawn", [files, near_files])
def test_random_workspaces_have_the_same_findings_whichever_rules_are_called(drawn: Any, tmp_path: Path) -> None:
    for seed in range(many(1_000)):
        assert differing(tmp_path / str(seed), drawn(random.Random(seed))) == [], f"seed {seed}"


def test_every_character_that_becomes_ascii_in_one_case_is_known() -> None:
    every = "".join(map(chr, range(0x80, 0x110000)))
    become = [one for one in every if (said := one.casefold()) != one and min(said) < "\x80"]
    assert len(become) == 19
    assert [one for one in become if not BECOME_ASCII.fullmatch(one.encode("utf-8", "surrogatepass"))] == []


@pytest.mark.parametrize("code", [code for code, rule in rules.RULES().items() if rule.needs])
def test_what_a_rule_says_it_needs_hides_nothing_of_its_examples(code: str, tmp_path: Path) -> None:
    rule = rules.RULES()[code]
    for number, example in enumerate((*rule.passes, *rule.fails)):
        assert differing(tmp_path / str(number), example) == []


@given(st.text(st.sampled_from("aB'_7 \0\n.-\x0b\x1c\x7f")))
def test_the_words_of_plain_text_are_those_of_any_text(text: str) -> None:
    assert split_words(text) == tuple(map(str.casefold, MIXED.findall(text)))


def test_a_need_that_nobody_knows_is_said() -> None:
    with pytest.raises(ValueError, match="'weather'"):
        read_needs("weather", ("record",))

"""How well system text is told from what only looks like it: sixty pairs of a system and a user text."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from readback.checks import rules
from readback.types import Assembly, Finding, Message, Record, RuleContext, Segment, Selection, SystemText, Workspace

PAIRS: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("leak_pairs.yml").read_text("utf-8"))
LEAKS = ("verbatim", "rewrapped", "edited")


def found(pair: dict[str, Any], stored: bool) -> list[Finding]:
    """The findings for a pair; the prompt is put together from its parts, or stored whole in the record."""
    contexts = [str(one) for one in pair.get("contexts", ())]
    own = [Segment(pair["user"], "variable", "question")]
    between = [Segment("\n\nQuestion: ", "template")]
    retrieved = [Segment(f"{one}\n\n", "variable", f"contexts[{n}]") for n, one in enumerate(contexts)]
    segments = [Segment("Context:\n", "template"), *retrieved, *between, *own] if contexts else own
    text = "".join(segment.text for segment in segments)
    if stored:
        segments = [Segment(text, "variable", "rag.prompt")]
    workspace = Workspace(Path(), "pairs", system_texts=(SystemText(pair["system"], "training"),))
    record = Record("1", {"rag": {"contexts": contexts, "prompt": text}})
    made = Assembly(Selection(mode="m"), "1", 0, (Message("user", tuple(segments)),), "")
    hits = list(rules.check(RuleContext(workspace, record, made), "assembly", {"fmt-system-text-in-user"}))
    assert all(isinstance(hit, Finding) for hit in hits)
    for hit in hits:
        assert isinstance(hit, Finding)
        assert text[hit.place.start : hit.place.end] == hit.values["text"]
    return [hit for hit in hits if isinstance(hit, Finding)]


@cache
def caught(stored: bool) -> list[tuple[str, bool, int]]:
    """For each pair its kind, whether there is an error or a warning, and its number."""
    return [
        (pair["kind"], any(hit.severity != "info" for hit in found(pair, stored)), number)
        for number, pair in enumerate(PAIRS)
    ]


def test_there_are_sixty_pairs_twelve_of_a_kind() -> None:
    assert Counter(pair["kind"] for pair in PAIRS) == dict.fromkeys((*LEAKS, "quoted", "similar"), 12)


@pytest.mark.parametrize("stored", [False, True], ids=["put together", "stored"])
def test_copies_and_light_edits_are_found(stored: bool) -> None:
    leaks = [(hit, number) for kind, hit, number in caught(stored) if kind in LEAKS]
    recall = sum(hit for hit, _ in leaks) / len(leaks)
    assert recall >= 0.95, [PAIRS[number]["user"] for hit, number in leaks if not hit]


@pytest.mark.parametrize("stored", [False, True], ids=["put together", "stored"])
def test_what_is_quoted_in_a_context_or_merely_similar_raises_no_alarm(stored: bool) -> None:
    alarms = [number for kind, hit, number in caught(stored) if hit and kind not in LEAKS]
    assert [PAIRS[number]["user"] for number in alarms] == []


def test_a_quotation_is_still_told_as_information() -> None:
    quoted = [pair for pair in PAIRS if pair["kind"] == "quoted"]
    told = [pair for pair in quoted if any(hit.severity == "info" for hit in found(pair, False))]
    assert len(told) >= 10

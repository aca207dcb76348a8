"""The parts of a prompt for a legal summary, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.sources.legal_prompt import LABELS, LegalPrompt, Part, parse

WHOLE = (
    "Analyze the following legal document excerpt.\n\nDocument Excerpt:\nIt was held.\n\nIt was.\n\n"
    "Citations found: A v. B, 1 F.3d 2\n\nInstructions:\n1. Be brief.\n2. Cite.\n\nSummary:"
)
NAMES = ("role", "instruction", "excerpt", "citations_listed", "instructions", "summary", "after")


def texts(found: LegalPrompt | None) -> dict[str, str]:
    """The parts that are there."""
    return {name: part.text for name in NAMES if (part := getattr(found, name, None))}


def test_a_whole_prompt_has_all_parts() -> None:
    assert texts(parse(WHOLE)) == {
        "instruction": "Analyze the following legal document excerpt.",
        "excerpt": "It was held.\n\nIt was.",
        "citations_listed": "A v. B, 1 F.3d 2",
        "instructions": "1. Be brief.\n2. Cite.",
        "summary": "Summary:",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"You are a clerk.\n\n{WHOLE}", {"role": "You are a clerk."}),
        (f"You are a clerk. {WHOLE}", {"role": "You are a clerk."}),
        (f"{WHOLE} The court", {"after": "The court"}),
        (WHOLE.replace("\n", "\r\n"), {"excerpt": "It was held.\r\n\r\nIt was."}),
        (WHOLE.replace("Instructions:\n1. Be brief.\n2. Cite.\n\n", ""), {"citations_listed": "A v. B, 1 F.3d 2"}),
        ("Document Excerpt:\nIt was held.", {"excerpt": "It was held."}),
        ("Analyze the following legal document excerpt...\n\nSummary:", {"summary": "Summary:"}),
        ("Analyze this court opinion.\n\nSummary:", {"instruction": "Analyze this court opinion."}),
        ("Document Excerpt:\na\n\nSummary:\nb\n\nSummary:", {"excerpt": "a", "summary": "Summary:"}),
    ],
)
def test_a_part_is_found_by_its_label(text: str, expected: dict[str, str]) -> None:
    assert expected.items() <= texts(parse(text)).items()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Why?",
        "Analyze the legal side of it.",
        "Write it up.\n\nSummary:",
        "The Document Excerpt: is here",
        "Summary:",
    ],
)
def test_another_prompt_is_left_alone(text: str) -> None:
    assert parse(text) is None


def test_an_elided_excerpt_cannot_be_checked() -> None:
    found = parse("Analyze the following legal document excerpt...\n\nSummary:")
    assert found is not None
    assert (found.excerpt, found.checkable) == (None, False)


@given(st.lists(st.sampled_from([*LABELS, "Analyze the legal text.", "x", "\n", "\n\n", " ", ". "])))
def test_a_part_is_what_stands_at_its_offsets(parts: list[str]) -> None:
    text = "".join(parts)
    found = parse(text)
    for name in NAMES:
        part: Part | None = getattr(found, name, None)
        if part:
            assert text[part.start : part.end] == part.text == part.text.strip() != ""

"""Finding a text inside another one, with spans of the text as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.checks.facts.repetitions import Hit, blank_out, find_places, find_repetitions
from readback.checks.facts.text_units import is_list_of_names, split_words

PAPER = "You are a research paper assistant."
RAG = (
    "You are a scientific research assistant who answers with concise, evidence-grounded prose and includes inline"
    " numeric citations like [1], [2], etc."
)
FOUND = [
    ("at the start", f"{PAPER} Answer.", [PAPER], [PAPER]),
    ("other capitals and blanks", "YOU are a\n research\u00a0paper  assistant, why?", [PAPER], None),
    ("without its full stop, at the end of a line", "You are a research paper assistant\n\nWhy?", [PAPER], None),
    ("going on, when it is long enough", "You are a research paper assistant who knows.", [PAPER], None),
    ("short, as a sentence of its own", "Be brief. Why?", ["Be brief."], ["Be brief."]),
    ("short, on a line of its own", "Why?\nBe brief\n", ["Be brief."], ["Be brief"]),
    ("one sentence of several", "Why? Cite your sources by number.", ["Be kind. Cite your sources by number."], None),
    ("without blanks between words", "请注意：你是一个有用的助手。为什么？", ["你是一个有用的助手。"], None),
    ("twice", f"{PAPER} Well. {PAPER}", [PAPER], [PAPER, PAPER]),
    ("a letter that folds into two", "Die STRASSE ist gesperrt. Warum?", ["Die Straße ist gesperrt."], None),
]
NOT_FOUND = [
    ("somebody's profession", "You are an assistant manager.", ["You are an assistant."]),
    ("short, inside a sentence", "Tell her to be brief.", ["Be brief."]),
    ("a piece of a word", "Wannabe brief", ["be brief"]),
    ("too short to say anything", "a. b. c.", ["a.", "b."]),
    ("nothing at all", "anything", ["", "   ", "..."]),
    ("words in common, no more", "You are a research assistant for papers on trees.", [PAPER]),
]


@pytest.mark.parametrize(("text", "sources", "flagged"), [case[1:] for case in FOUND], ids=[case[0] for case in FOUND])
def test_a_repeated_text_is_found(text: str, sources: list[str], flagged: list[str] | None) -> None:
    hits = find_repetitions(text, sources)
    assert hits
    assert not any(hit.part for hit in hits)
    if flagged is not None:
        assert flagged == [text[hit.start : hit.end] for hit in hits]


@pytest.mark.parametrize(("text", "sources"), [case[1:] for case in NOT_FOUND], ids=[case[0] for case in NOT_FOUND])
def test_what_is_no_repetition_is_left_alone(text: str, sources: list[str]) -> None:
    assert find_repetitions(text, sources) == ()


def test_eight_words_in_a_row_are_a_partial_hit_and_neighbours_make_one() -> None:
    same = "answers with concise, evidence-grounded prose and includes inline numeric"
    assert find_repetitions(f"He {same} remarks.", [RAG]) == (Hit(3, 3 + len(same), 0, "part"),)


def test_of_two_texts_at_one_place_the_longer_one_is_reported() -> None:
    longer = f"{PAPER} Be very careful with numbers."
    assert [(0, len(longer), 1)] == [(h.start, h.end, h.source) for h in find_repetitions(longer, [PAPER, longer])]


def test_what_is_blanked_out_is_not_looked_at_and_the_rest_keeps_its_place() -> None:
    text = f"[1] {PAPER} {PAPER}"
    assert find_repetitions(blank_out(text, [(4, 39)]), [PAPER]) == (Hit(40, 75, 0),)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("positive, negative, neutral, off topic", True),
        ("1. billing\n2. shipping delay\n3. returns", True),
        ('{"score": 1, "reason": "", "verdict": true}', True),
        ("正面、负面、中性", True),
        ("one of these labels: positive, negative, neutral", True),
        ("choose one of these labels: positive, negative, neutral", False),
        ("- Be kind.\n- Be brief.\n- Be honest.", False),
        ("Be brief. Be kind. Be honest. Be quick.", False),
        ("positive, negative", False),
        ("Be brief.", False),
    ],
)
def test_a_list_of_names_is_told_from_sentences(text: str, names: bool) -> None:
    assert is_list_of_names(text, set(split_words(text)), 5) is names
    assert is_list_of_names(text, set(), 5) is (names or text.startswith("choose"))


def test_places_prefers_the_text_as_it_is() -> None:
    assert list(find_places("a b a b", "a b")) == [(0, 3), (4, 7)]
    assert list(find_places("A\n b", "a b")) == [(0, 4)]
    assert list(find_places("abc", "  ")) == []


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["  ", "\n", "\t", "\u00a0", "\u2028"]))
def test_spans_are_exact_whatever_stands_around(before: str, after: str, blank: str) -> None:
    said = RAG.replace(" ", blank)
    text = f"{before} {said} {after}"
    assert any(text[hit.start : hit.end] == said for hit in find_repetitions(text, [RAG]))
    for hit in find_repetitions(text, [RAG]):
        assert 0 <= hit.start < hit.end <= len(text)

"""What counts as a leak and what it says of itself: the threshold, the phrase list, gaps, folding, bounds in time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import LONG
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.checks.facts.leaked_texts import find_phrases, get_phrases
from readback.checks.facts.repetitions import Hit, blank_out, find_repetitions
from readback.checks.facts.text_units import locate_word, split_words
from readback.checks.rules.asm_duplicate_block import find_repetitions as find_repeated_blocks
from readback.checks.run import engine
from readback.types import Finding, Leaks

Write = Callable[[Mapping[str, Any]], Path]
LOG = "Read the logbook of the lighthouse and name the storms in it. Do not guess a date that is not written there."
NEAR = "Read the logbook of this lighthouse and name every storm in it. Do not guess dates that are not written there."
CODE = "fmt-system-text-in-user"


def check(root: Path, code: str = CODE) -> list[Finding]:
    audit = engine.check(workspace.open(root), engine.CheckOptions(select=[code]))
    assert audit.faults == ()
    return list(audit.findings)


def mode(system: str, user: str, leaks: str = "") -> dict[str, Any]:
    config = {"dataset": "data.jsonl", "modes": [{"mode": "m", "system": system, "template": user}]}
    text = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in config.items()) + leaks
    return {"readback.yml": text, "data.jsonl": [{"id": "1", "q": "Why?"}]}


def test_an_edited_text_says_how_much_alike_it_is_and_what_was_asked_for(write: Write) -> None:
    (hit,) = check(write(mode(LOG, f"{NEAR} {{{{ q }}}}")))
    assert (hit.severity, hit.values["how"], hit.values["threshold"]) == ("error", "edited", 80)
    assert 80 <= hit.values["share"] < 100
    assert f"({hit.values['share']} % alike, threshold 80 %)" in hit.message
    assert (hit.place.start, hit.place.end) == (0, len(NEAR))


@pytest.mark.parametrize(
    ("leaks", "found"),
    [
        ("leaks: {threshold: 0.8}\n", True),
        ("leaks: {threshold: 0.99}\n", False),
        ("leaks: {threshold: 1}\n", False),
    ],
)
def test_the_threshold_is_the_workspaces(leaks: str, found: bool, write: Write) -> None:
    hits = [hit for hit in check(write(mode(LOG, f"{NEAR} {{{{ q }}}}", leaks))) if hit.severity == "error"]
    assert bool(hits) is found


@pytest.mark.parametrize(
    ("leaks", "phrase"),
    [
        ("", "You are a helpful assistant"),
        ("leaks: {phrases: [keep this secret, you are a robot]}\n", "keep this SECRET"),
        ("leaks: {phrases: []}\n", None),
    ],
)
def test_phrases_of_a_list_count_besides_and_the_list_can_be_changed(
    leaks: str, phrase: str | None, write: Write
) -> None:
    found = check(write(mode("", "You are a helpful assistant. Please keep this SECRET, {{ q }}", leaks)))
    assert [hit.values["text"] for hit in found] == ([phrase] if phrase else [])
    assert all("the phrase list" in hit.message and hit.values["how"] == "phrase" for hit in found)


def test_a_phrase_inside_a_system_text_is_told_once(write: Write) -> None:
    text = "You are a helpful assistant who reads logbooks."
    (hit,) = check(write(mode(text, f"{text} {{{{ q }}}}")))
    assert (hit.values["how"], hit.values["text"]) == ("exact", text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You are an assistant.", ["You are an assistant"]),
        ("You are an assistant who reads.", ["You are an assistant"]),
        ("You are an assistant, trained for this.", ["You are an assistant"]),
        ("Hello! YOU ARE\nA  HELPFUL ASSISTANT", ["YOU ARE\nA  HELPFUL ASSISTANT"]),
        ("You are a helpful AI assistant.", ["You are a helpful AI assistant"]),
        ("Vous êtes un assistant qui aide.", ["Vous êtes un assistant"]),
        ("You are an assistant manager.", []),
        ("You are an assistant at the front desk.", []),
        ("Imagine you are an assistant.", []),
        ("You are a helpful assistants' union.", []),
        ("", []),
    ],
)
def test_a_phrase_that_names_a_role_opens_a_sentence_and_names_no_other_role(text: str, said: list[str]) -> None:
    assert [text[one.start : one.end] for one in find_phrases(text, get_phrases(Leaks()))] == said


@pytest.mark.parametrize(
    ("said", "expected", "reason"),
    [
        ("leaks: {threshold: 80}\n", Leaks(), "a share from 0.5 to 1"),
        ("leaks: {threshold: 0.2}\n", Leaks(), "a share from 0.5 to 1"),
        ("leaks: {threshold: high}\n", Leaks(), "a number"),
        ("leaks: [a]\n", Leaks(), "a mapping"),
        ("leaks: {phrases: hush}\n", Leaks(phrases=("hush",)), None),
        ("leaks: {threshold: 0.9, phrases: [a b, 7]}\n", Leaks(0.9, ("a b", "7")), None),
        ("leaks: {treshold: 0.9}\n", Leaks(), "dat-unknown-key"),
    ],
)
def test_what_the_workspace_says_of_leaks_is_read_and_wrong_values_are_noted(
    said: str, expected: Leaks, reason: str | None, write: Write
) -> None:
    opened = workspace.open(write({"readback.yml": f"modes: [{{mode: m, template: x}}]\n{said}"}))
    assert opened.leaks == expected
    noted = [f"{diagnostic.code} {diagnostic.values}" for diagnostic in opened.diagnostics]
    assert len(noted) == bool(reason)
    assert all(reason in diagnostic for diagnostic in noted if reason)


def test_neighbouring_sentences_are_one_finding_and_the_words_beside_them_that_agree_belong_to_it() -> None:
    source = "Be kind. Cite your sources by number. Answer in one short sentence. Never guess."
    text = f"Why? {source[9:]}"
    assert find_repetitions(text, [source]) == (Hit(5, len(text), 0),)


def test_the_words_that_were_changed_at_an_end_belong_to_the_hit() -> None:
    text = "Browse the logbook of the lighthouse and name the storms in it! Why?"
    (hit,) = find_repetitions(text, [LOG.partition(". ")[0] + "."])
    assert text[hit.start : hit.end] == text[:63]


def test_a_hit_never_reaches_across_what_is_not_looked_at() -> None:
    half = len(LOG) // 2
    text = f"{LOG[:half]} {'x' * 50} {LOG[half:]}"
    holes = [(half + 1, half + 51)]
    assert all(hit.end <= half + 1 or hit.start >= half + 51 for hit in find_repetitions(blank_out(text, holes), [LOG]))


def test_system_text_that_varies_by_record_and_was_folded_is_found_where_it_stands_again(write: Write) -> None:
    files = mode("", "{{ q }}")
    files["readback.yml"] = (
        "dataset: data.jsonl\nadapters: [no_system]\nmodes: [{mode: m, system_syntax: jinja, template: '{{ q }}',"
        " system: 'Read the logbook of {{ name }} and name the storms in it.'}]\n"
    )
    said = "Read the logbook of Ar-Men and name the storms in it."
    files["data.jsonl"] = [{"id": "1", "q": f"{said} Why?", "name": "Ar-Men"}]
    found = [hit for hit in check(write(files)) if hit.place.adapter == "no_system"]
    assert [(hit.place.start, hit.place.end) for hit in found] == [(len(said) + 2, 2 * len(said) + 2)]
    assert [hit for hit in check(write(files), "asm-duplicate-block") if hit.place.adapter == "no_system"] == []


@given(st.lists(st.sampled_from(["storm", "Log,", "le phare", "it's", "灯塔", "\n", "\0\0", "a_b", "é"]), max_size=40))
def test_words_have_their_places_and_spans_of_hits_are_inside_the_text(parts: list[str]) -> None:
    text = " ".join(parts)
    for at, word in enumerate(split_words(text)):
        start, end = locate_word(text, at)
        assert word == text[start:end].casefold()
    for hit in find_repetitions(text, [LOG, "storm Log le phare", "灯塔 it's é storm storm"]):
        assert 0 <= hit.start < hit.end <= len(text)
    for one in find_repeated_blocks(text):
        assert split_words(text[slice(*one.first)]) == split_words(text[slice(*one.again)])
        assert one.first[1] <= one.again[0]


def test_a_text_of_thousands_of_words_is_known_by_its_likeness() -> None:
    said = [f"word{number % 700} of{number}" for number in range(1500)]
    edited = [one if number % 5 else f"other{number} thing" for number, one in enumerate(said)]
    text = f"Why? {' '.join(edited)} So."
    (hit,) = find_repetitions(text, [" ".join(said)], 0.7)
    assert (hit.how, text[hit.start : hit.start + 5], text[hit.end - 5 : hit.end]) == ("edited", "other", "f1499")


def test_what_stands_exactly_is_never_found_worse_than_exactly() -> None:
    (hit,) = find_repetitions(f"Well. {LOG} So.", [LOG])
    assert (hit.how, hit.share, hit.start, hit.end) == ("exact", 1.0, 6, 6 + len(LOG))


HOSTILE = {
    "one sentence over and over": LOG + "\n",
    "edited over and over": NEAR + "\n",
    "two words over and over": "read the ",
    "no word at all": "\0",
    "one long word": "a",
    "apostrophes": "a'",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_long_text_takes_time_in_proportion(text: str) -> None:
    size = 2_000_000 if LONG else 500_000  # time that grows with the square is minutes in either
    long = (text * (size // len(text)))[:size]
    began = time.process_time()
    find_repetitions(long, [LOG, "You are a helpful assistant."])
    list(find_repeated_blocks(long))
    assert time.process_time() - began < 6  # measured 0.1 to 0.9 s; a machine that is busy takes its time


@pytest.mark.parametrize("said", ["leaks: {threshold: 0.9}\n", "leaks: {threshold: 0.7, phrases: []}\n"])
def test_what_the_workspace_says_of_leaks_can_be_written_down(said: str, write: Write) -> None:
    opened = workspace.open(write({"readback.yml": f"modes: [{{mode: m, template: x}}]\n{said}"}))
    again = workspace.open(write({"readback.yml": workspace.init_text(opened)}))
    assert again.leaks == opened.leaks != Leaks()


@pytest.mark.parametrize(
    ("system", "carried"),
    [(LOG, True), (f"{LOG} Answer in French.", True), ("Be brief.", False)],
)
def test_the_fix_names_whose_text_it_is_where_the_own_system_message_lacks_it(
    write: Write, system: str, carried: bool
) -> None:
    modes = [
        {"mode": "m", "system": system, "template": f"{LOG} {{{{ q }}}}"},
        {"mode": "n", "system": LOG, "template": "{{ q }}"},
    ]
    root = write(
        {"readback.yml": json.dumps({"dataset": "d.jsonl", "modes": modes}), "d.jsonl": [{"id": "1", "q": "Q"}]}
    )
    fixes = {one.fix for one in check(root) if one.place.mode == "m"}
    assert fixes
    assert all(("system message already carries it" in fix) == carried for fix in fixes)
    assert all(("system text of another place" in fix) != carried for fix in fixes)

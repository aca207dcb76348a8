"""What a rule says as a sentence: a capital first letter, a short form, files named from the workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from readback.words import sentence


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("model base: no system message", "Model base: no system message"),
        ("'q' has no value", "'q' has no value"),
        ("data.jsonl cannot be read", "data.jsonl cannot be read"),
        ("system_prompt is not known", "system_prompt is not known"),
        ("iPhone is a name", "iPhone is a name"),
        ("2 contexts are missing", "2 contexts are missing"),
        ("über alles", "Über alles"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_unless_with_a_name(text: str, shown: str) -> None:
    assert sentence.capitalise(text) == shown


def test_a_path_in_the_workspace_is_written_from_its_folder(tmp_path: Path) -> None:
    text = f"{tmp_path}/data/a.jsonl is not {tmp_path.parent}/b"
    assert sentence.shorten_paths(text, tmp_path) == f"data/a.jsonl is not {tmp_path.parent}/b"
    assert sentence.shorten_paths(text, None) == text
    assert sentence.shorten_paths("/a/b", Path("/")) == "/a/b"


def test_a_message_is_at_most_two_sentences_and_ends_in_three_dots_where_it_was_cut() -> None:
    assert sentence.cut_brief("First one. Second one.") == "First one. Second one."
    assert sentence.cut_brief("First one. Second one. Third one.") == "First one. Second one. …"
    long = sentence.cut_brief("word " * 200)
    assert long.endswith(" …")
    assert len(long) <= sentence.BRIEF + 2
    assert sentence.cut_brief("x" * 1_000) == f"{'x' * sentence.BRIEF}…"
    assert sentence.cut_brief("version 1.2.3 of e. g. this") == "version 1.2.3 of e. g. this"

"""Pages over a review that was damaged or made to do harm: they say so, show the rest, and answer soon."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import hostile_reviews as hostile
import pytest
import streamlit as st
from looking import page, words
from small_study import study

from readback.review import state_folder
from readback.review.event import Draft, new_id
from readback.review.store import Store

Write = Callable[[Mapping[str, Any]], Path]
PAGES = ("review", "overview", "prompts")
SOON = 10.0  # seconds


@pytest.fixture
def root(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path_factory.mktemp("state")))
    folder = study(write)
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    st.cache_resource.clear()
    st.cache_data.clear()
    return folder


def drawn(name: str, **params: str) -> str:
    began = time.process_time()
    told = words(page(name, **params))
    assert time.process_time() - began < SOON, name
    return told


def test_a_damaged_entry_is_named_and_the_others_are_shown(root: Path) -> None:
    held = Store(root)
    for text in ("first", "second", "third"):
        held.save(Draft("note", {"text": text, "anchor": {"kind": "study"}}, "Ada", "cli", new_id()))
    with closing(sqlite3.connect(held.file)) as there:
        there.execute("DROP TRIGGER events_update")
        there.execute("UPDATE events SET payload = '{' WHERE sequence = 2")
        there.commit()
    held.close()
    told = drawn("review", view="decided")
    assert "One entry of this review cannot be used and is not shown:" in told
    assert ("first" in told, "second" in told, "third" in told) == (True, False, True)
    assert all(drawn(name) for name in PAGES)


@pytest.mark.parametrize("name", ["endless view", "a column that is worked out", "a view as version"])
def test_a_store_that_works_by_itself_is_refused_with_a_sentence(root: Path, name: str) -> None:
    file = state_folder.find_file(root)
    state_folder.prepare_folder(file)
    with closing(sqlite3.connect(file)) as there:
        there.executescript(hostile.SCHEMAS[name])
        there.commit()
    assert "The review of this workspace cannot be read." in drawn("review", view="decided")
    assert all(drawn(one) for one in PAGES)


def test_a_signoff_and_a_note_on_a_bomb_and_a_forged_author_are_shown_as_what_they_are(root: Path) -> None:
    events, kept = hostile.bomb(256 << 20)
    file = state_folder.find_file(root)
    state_folder.prepare_folder(file)
    hostile.store(file, events, kept)
    with closing(sqlite3.connect(file)) as there:
        there.execute("INSERT INTO about VALUES ('imported', '1-2')")
        there.commit()
    told = drawn("review", view="decided")
    assert ("The CEO (imported" in told, "name from the proxy" in told) == (True, False)
    assert all(drawn(one) for one in PAGES)

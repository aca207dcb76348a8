"""How far a piece of work is, on a page that waits for it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from looking import drawn, said, words
from streamlit.testing.v1 import AppTest

from readback.project_files import PROJECT
from readback.readers.files.progress import report_progress
from readback.readers.logs import decode as decoding
from readback.ui.common.state import caches, session
from readback.workspace.tools import tool_logs


def waiting() -> None:
    import time

    import streamlit as st

    from readback.ui.common.state import work

    done, total = st.session_state["done"], st.session_state["total"]

    def read(progress: work.Progress) -> None:
        progress(done, total)
        time.sleep(2 * work.PATIENCE)

    work.wait(work.Job(read), st.session_state["sentence"], "reading")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("frame.reading", "Reading the dataset, 671.1 MB of 1.4 GB"),
        ("frame.loading", "Checking scores and answers, 671.1 MB of 1.4 GB"),
        ("scores.reading", "Reading the scores, 671.1 MB of 1.4 GB"),
        ("frame.checking", "Checking, 671,090,300 of 1,353,061,097 records"),
    ],
)
def test_how_far_it_is_is_said_in_records_or_in_sizes(sentence: str, expected: str) -> None:
    test = AppTest.from_function(waiting)
    for name, value in {"sentence": sentence, "done": 671_090_300, "total": 1_353_061_097}.items():
        test.session_state[name] = value
    test.run()
    assert not test.exception
    assert [one.proto.text for one in test.get("progress")] == [expected]
    assert [one.label for one in test.button] == ["Stop"]


def test_a_log_that_takes_longer_to_read_says_how_far_it_is_and_can_be_stopped_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Why?"}]}
    row = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": body}
    log = tmp_path / "batch.jsonl"
    log.write_text(json.dumps(row) + "\n", "utf-8")
    go_on = Event()

    def decode(path: Path, file: str) -> Any:
        while not go_on.wait(0.01):
            report_progress(300_000_000, 1_400_000_000)
        return decoding.decode(path, file)

    monkeypatch.setenv("READBACK_WORKSPACE", str(log))
    monkeypatch.setattr(tool_logs, "decode", decode)
    monkeypatch.setattr(session, "PATIENCE", 0.0)
    caches.opening.clear()
    caches.workspace.clear()
    test = AppTest.from_file(PROJECT / "app.py", default_timeout=600).run()
    assert not test.exception
    assert [each.proto.text for each in test.get("progress")] == ["Reading the log, 300.0 MB of 1.4 GB"]
    assert re.findall(r'<div class="rb-exact[^>]*><span [^>]*>(.*?)</span></div>', said(test)) == ["Why?"]
    assert "The first request of the log" in words(test)
    test.button(key="stop_opening").click().run()
    while test.get("progress"):
        test.run()
    assert "Reading the log was stopped, so there is nothing to show." in words(test)
    test.button(key="again_opening").click().run()
    assert len(test.get("progress")) == 1
    go_on.set()
    assert "1 record" in words(drawn(test))
    assert "The first request of the log" not in words(test)

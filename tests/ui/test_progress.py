"""How far a piece of work is, on a page that waits for it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


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
    ("sentence", "said"),
    [
        ("frame.reading", "Reading the dataset, 671.1 MB of 1.4 GB"),
        ("frame.loading", "Checking scores and answers, 671.1 MB of 1.4 GB"),
        ("scores.reading", "Reading the scores, 671.1 MB of 1.4 GB"),
        ("frame.checking", "Checking, 671,090,300 of 1,353,061,097 records"),
    ],
)
def test_how_far_it_is_is_said_in_records_or_in_sizes(sentence: str, said: str) -> None:
    test = AppTest.from_function(waiting)
    for name, value in {"sentence": sentence, "done": 671_090_300, "total": 1_353_061_097}.items():
        test.session_state[name] = value
    test.run()
    assert not test.exception
    assert [one.proto.text for one in test.get("progress")] == [said]
    assert [one.label for one in test.button] == ["Stop"]

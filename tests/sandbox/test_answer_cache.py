"""What is asked of a child again and again is answered from what it said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from readback import sandbox
from readback.sandbox.answer_cache import LONGEST, AnswerCache
from readback.serving.modelfile import read_file
from readback.serving.ollama import model_input
from readback.types import Message, Segment


def asker(said: list[Any]) -> Any:
    def ask(payload: Mapping[str, Any]) -> str:
        said.append(payload["text"])
        if payload["text"] == "bad":
            raise sandbox.Stopped("time", "more than it may")
        return str(payload["text"]).upper()

    return ask


def test_the_last_answers_are_kept_and_the_oldest_goes_first() -> None:
    said: list[Any] = []
    kept, ask = AnswerCache[str](len, 2), asker(said)

    def answers(*texts: str) -> list[str]:
        return [kept.get_or_ask({"text": text}, ask) for text in texts]

    assert answers("a", "b", "a", "b", "c", "b", "a") == ["A", "B", "A", "B", "C", "B", "A"]
    assert said == ["a", "b", "c", "a"]


def test_what_is_too_long_or_raised_is_asked_each_time() -> None:
    said: list[Any] = []
    kept, ask = AnswerCache[str](lambda answer: LONGEST + len(answer) - 1), asker(said)
    for _ in range(2):
        assert (kept.get_or_ask({"text": "a"}, ask), kept.get_or_ask({"text": "ab"}, ask)) == ("A", "AB")
        with pytest.raises(sandbox.Stopped):
            kept.get_or_ask({"text": "bad"}, ask)
    assert said == ["a", "ab", "bad", "ab", "bad"]


def test_an_ollama_template_is_carried_out_once_for_the_same_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    really = sandbox.call
    monkeypatch.setattr(sandbox, "call", lambda *given: asked.append(given) or really(*given))
    served = read_file.parse(b'FROM x\nTEMPLATE "{{ .System }}|{{ .Prompt }}|asked again"\n', "Modelfile")
    texts = []
    for text in ("one", "one", "two", "one"):
        sent = model_input.build_model_input(
            served, [Message("user", (Segment(text, "variable"),))], today="2026-11-28"
        )
        texts.append("".join(segment.text for segment in sent.segments))
    assert texts == ["|one|asked again", "|one|asked again", "|two|asked again", "|one|asked again"]
    assert len(asked) == 2

"""What a download or a copy holds: the bytes, and JSON that reads back as the same texts."""

from __future__ import annotations

import json
import shlex

from hypothesis import given
from hypothesis import strategies as st

from readback.types import Message, Segment
from readback.ui.common.draw import exports

texts = st.text(st.characters(exclude_categories=()) | st.sampled_from("\0\r\n\t '\"\\\ud800\u2028"))


def said(*pairs: tuple[str, str]) -> list[Message]:
    return [Message(role, (Segment(text, "template"),)) for role, text in pairs]


@given(texts)
def test_the_bytes_are_the_text(text: str) -> None:
    assert text == exports.exact(text).decode("utf-8", "surrogatepass")


@given(texts)
def test_the_json_reads_back_as_the_same_messages(text: str) -> None:
    made = said(("system", text), ("user", text + "\n"))
    assert [{"role": "system", "content": text}, {"role": "user", "content": text + "\n"}] == json.loads(
        exports.as_json(made)
    )


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",))))
def test_a_shell_reads_the_curl_line_as_one_body(text: str) -> None:
    line = exports.curl(said(("user", text)), "ollama", "m'x")
    words = shlex.split(line)
    assert {"model": "m'x", "messages": [{"role": "user", "content": text}], "stream": False} == json.loads(words[-1])


def test_a_file_name_is_made_of_harmless_characters() -> None:
    assert exports.name("a/ b", None, "user") == "a_b-user"

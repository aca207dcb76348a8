"""Headers of GGUF files: what they say of the chat template, and files that lie about themselves."""

from __future__ import annotations

import struct
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from gguf_files import ARRAY, TEXT, gguf, model, text
from hypothesis import given
from hypothesis import strategies as st

from readback.serving.gguf import HeaderError, Weights, read_weights


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "weights.gguf"
    path.write_bytes(data)
    return path


def test_the_template_and_its_tokens_are_read(tmp_path: Path) -> None:
    data = model("{{ bos_token }}é", "qwen2", **{"tokenizer.chat_template.tool_use": "T", "more": [[1, 2], [3]]})
    weights = read_weights(_file(tmp_path, data + b"\0" * 64))
    assert weights == Weights(
        "qwen2", {"": "{{ bos_token }}é", "tool_use": "T"}, {"bos_token": "<s>", "eos_token": "</s>"}, True
    )


@pytest.mark.parametrize(("version", "order"), [(2, "<"), (3, "<"), (3, ">")])
def test_both_versions_and_both_orders_of_bytes_are_read(tmp_path: Path, version: int, order: str) -> None:
    data = gguf({"general.architecture": "x", "tokenizer.chat_template": "T"}, version=version, order=order)
    assert read_weights(_file(tmp_path, data)) == Weights("x", {"": "T"})


def test_weights_without_a_template_say_so(tmp_path: Path) -> None:
    assert read_weights(_file(tmp_path, model())).templates == {}


HUGE = struct.pack("<Q", 1 << 62)
EVIL = {
    "nothing": (b"", "the file ends in its header"),
    "another kind of file": (b"PK\x03\x04" + b"\0" * 100, "it does not begin with GGUF"),
    "a version of tomorrow": (gguf({}, version=9), "its version 9 is none of 2, 3"),
    "more keys than there are": (gguf({}, count=3), "the file ends in its header"),
    "a number of keys beyond all": (gguf({}, count=1 << 60), "keys"),
    "a key without end": (gguf({}, count=1) + HUGE, "longer than"),
    "a text without end": (
        gguf({"tokenizer.chat_template": struct.pack("<I", TEXT) + HUGE}),
        "longer than",
    ),
    "a text that is passed over, without end": (gguf({"x": struct.pack("<I", TEXT) + HUGE}), "the file ends"),
    "an array of numbers without end": (gguf({"x": struct.pack("<II", ARRAY, 4) + HUGE}), "the file ends"),
    "an array of texts without end": (gguf({"x": struct.pack("<II", ARRAY, TEXT) + HUGE}), "elements"),
    "arrays in arrays": (gguf({"x": struct.pack("<I", ARRAY) + struct.pack("<IQ", ARRAY, 1) * 50}), "nested deeper"),
    "a type that there is not": (gguf({"x": struct.pack("<I", 99) + b"\0" * 8}), "there is no type 99"),
    "a template of two megabytes": (gguf({"tokenizer.chat_template": "x" * (2 << 20)}), "longer than"),
    "tokens without end": (
        gguf({"tokenizer.ggml.tokens": struct.pack("<II", ARRAY, TEXT) + struct.pack("<Q", 1 << 20) + text("a") * 9}),
        "the file ends in its header",
    ),
}


@pytest.mark.parametrize("name", EVIL)
def test_a_file_that_lies_is_refused_at_once_and_costs_nothing(tmp_path: Path, name: str) -> None:
    data, reason = EVIL[name]
    path = _file(tmp_path, data)
    tracemalloc.start()
    began = time.process_time()
    with pytest.raises(HeaderError, match=reason):
        read_weights(path)
    assert time.process_time() - began < 2
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def test_a_token_number_beyond_the_vocabulary_names_no_token(tmp_path: Path) -> None:
    data = model("T", **{"tokenizer.ggml.bos_token_id": 4_000_000})
    assert read_weights(_file(tmp_path, data)).tokens == {"eos_token": "</s>"}


@given(data=st.data())
def test_any_change_of_bytes_gives_weights_or_a_reason(tmp_path: Path, data: st.DataObject) -> None:
    whole = bytearray(model("{{ messages }}"))
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = _file(tmp_path, bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    with suppress(HeaderError):
        assert isinstance(read_weights(path), Weights)

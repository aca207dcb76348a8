"""Tokens by a table: counted as the published tokenizers count, cut where they cut, and called an estimate if not."""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import quicktok
import tiktoken
from counts import LONG, part
from hypothesis import given
from hypothesis import strategies as st
from token_texts import plain, texts

from readback.serving import tokens
from readback.serving.tokens import estimate, named_tokenizers, token_pieces

HERE = Path()
TEXTS = 2_000 if LONG else 20
# The patterns by which the tokenizers' makers cut a text into words, and the sha256 of the tables that they publish.
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN3 = LLAMA3.replace("{1,3}", "")
WORD, MORE = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
TAIL = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{WORD}*{MORE}+{TAIL}|[^\r\n\p{{L}}\p{{N}}]?{WORD}+{MORE}*{TAIL}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
PATTERNS = {"cl100k": CL100K, "o200k": O200K, "o200k_harmony": O200K, "llama3": LLAMA3, "qwen3": QWEN3}
PUBLISHED = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "llama3": "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
}


@cache
def ranks(encoding: str) -> dict[bytes, int]:
    table = quicktok.get_encoding(encoding)
    return {table.decode_single_token_bytes(number): number for number in range(len(table.token_byte_values()))}


@cache
def reference(name: str) -> Any:
    """tiktoken's own engine over a table."""
    encoding = named_tokenizers.TABLES[name].encoding
    special = {one: quicktok.get_encoding(encoding).encode_single_token(one) for one in specials(encoding)}
    return tiktoken.Encoding(name, pat_str=PATTERNS[name], mergeable_ranks=ranks(encoding), special_tokens=special)


def specials(encoding: str) -> list[str]:
    return sorted(quicktok.get_encoding(encoding).special_tokens_set)


def counter(name: str) -> tokens.Counter:
    found, diagnostics = tokens.load_counter(name, HERE)
    assert (diagnostics, found.exact) == ((), True)
    return found


@pytest.mark.parametrize(("encoding", "sha256"), PUBLISHED.items(), ids=PUBLISHED)
def test_a_table_is_the_published_one_byte_for_byte(encoding: str, sha256: str) -> None:
    rows = (base64.b64encode(spelt) + b" %d\n" % rank for spelt, rank in ranks(encoding).items())
    assert hashlib.sha256(b"".join(rows)).hexdigest() == sha256


@pytest.mark.parametrize("name", part(sorted(PATTERNS, key="o200k".__eq__), 4))  # o200k_harmony has its table and more
def test_counts_and_pieces_equal_the_reference_on_random_texts(name: str) -> None:
    made, by, there = texts(TEXTS, 36), counter(name), reference(name)
    taken = [
        unicodedata.normalize("NFC", plain(one)) if named_tokenizers.TABLES[name].composed else plain(one)
        for one in made
    ]
    alone = [there.encode_ordinary(one) for one in taken]
    read = [there.encode(one, allowed_special="all") for one in taken]
    assert by.count_each(made, special=False) == tuple(map(len, alone))
    assert by.count_each(made) == tuple(map(len, read))
    for text, ids in list(zip(made, read, strict=True))[:100]:
        cut = by.split(text)
        assert [number for piece in cut for number in piece.ids] == ids
        assert "".join(text[piece.start : piece.end] for piece in cut) == text
        marked = {number for piece in cut if piece.special for number in piece.ids}
        assert marked == set(ids) & set(there._special_tokens.values())


def test_a_special_token_is_one_token_to_the_model_and_text_in_a_message() -> None:
    by = counter("qwen3")
    assert (by.count("<|im_start|>user\n"), by.count("<|im_start|>user\n", special=False)) == (3, 8)
    assert [piece.special for piece in by.split("<|im_start|>user\n")] == [True, False, False]
    assert not any(piece.special for piece in by.split("<|im_start|>", special=False))


def test_a_model_without_a_special_token_of_its_table_reads_it_as_text() -> None:
    assert [counter(name).count("<think>") for name in ("qwen3", "qwen2.5")] == [1, 3]
    assert counter("qwen2.5").count("<|im_start|>") == 1


@pytest.mark.parametrize("alias", [*named_tokenizers.TABLES, *named_tokenizers.ALIASES, " Qwen3 "])
def test_usual_names_of_a_table_are_known(alias: str) -> None:
    assert tokens.is_table(alias)
    assert named_tokenizers.load_counter(alias) == named_tokenizers.TableCounter(
        named_tokenizers.ALIASES.get(alias, alias.strip().lower())
    )


def test_other_names_are_no_tables() -> None:
    assert [one for one in ("qwen3.5", "qwen", "llama", "tokenizer.json", "") if tokens.is_table(one)] == []


def test_a_missing_package_is_a_note_with_the_cure_and_the_count_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_tokenizers, "is_installed", lambda: False)
    found, (diagnostic,) = tokens.load_counter("qwen3", HERE)
    assert (found, diagnostic.code, diagnostic.values["cure"]) == (
        estimate.Estimate(), "srv-tokenizer-unreadable", "pip install readback[tokens]",
    )  # fmt: skip


def test_without_a_tokenizer_bytes_are_counted_and_it_is_called_an_estimate() -> None:
    by, diagnostics = tokens.load_counter(None, HERE)
    assert diagnostics == ()
    assert (by.exact, "an estimate" in by.name, by.split("abc")) == (False, True, ())
    assert [by.count(text) for text in ("", "a", "abcd", "abcde", "éé", "\ud800")] == [0, 1, 1, 2, 1, 1]


def test_no_text_has_more_tokens_by_a_table_than_bytes() -> None:
    made = texts(200, 7)
    for name in PATTERNS:
        sizes = [estimate.count_bytes(unicodedata.normalize("NFC", plain(one))) for one in made]
        assert all(n <= size for n, size in zip(counter(name).count_each(made), sizes, strict=True))


@given(st.lists(st.text(max_size=20), max_size=6))
def test_estimated_shares_add_up_to_the_whole(parts: list[str]) -> None:
    by = estimate.Estimate()
    shares = by.count_by_part(parts)
    assert (len(shares), sum(shares)) == (len(parts), by.count("".join(parts)))
    assert min(shares, default=0) >= 0


def test_shares_add_up_to_the_whole_where_tokens_cross_the_borders() -> None:
    by, parts = counter("cl100k"), ["Hel", "lo", "", " wor", "ld"]
    shares = by.count_by_part(parts)
    assert (shares, sum(shares)) == ((1, 0, 0, 1, 0), by.count("Hello world"))


@given(st.text(), st.data())
def test_pieces_from_bytes_cover_the_text_exactly_and_lose_no_token(text: str, data: st.DataObject) -> None:
    composed = data.draw(st.booleans())
    spelt = (unicodedata.normalize("NFC", text) if composed else text).encode()
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(spelt) - 1)), max_size=20))) if len(spelt) > 1 else []
    edges = [0, *cuts, len(spelt)] if spelt else []
    made = [(number, spelt[a:b], False) for number, (a, b) in enumerate(pairwise(edges))]
    cut = list(token_pieces.split_by_bytes(text, made, composed=composed))
    _whole(text, cut, len(made))


@given(st.text(), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), max_size=12))
def test_pieces_from_spans_cover_the_text_exactly_and_lose_no_token(text: str, spans: list[tuple[int, int]]) -> None:
    inside = sorted((min(a, len(text)), min(a + n, len(text))) for a, n in spans)
    cut = list(token_pieces.split_by_spans(len(text), [(number, a, b, False) for number, (a, b) in enumerate(inside)]))
    _whole(text, cut, len(inside))


def _whole(text: str, cut: list[tokens.Piece], number: int) -> None:
    assert "".join(text[piece.start : piece.end] for piece in cut) == text
    assert [one for piece in cut for one in piece.ids] == list(range(number))
    assert all(a.end == b.start for a, b in pairwise(cut))

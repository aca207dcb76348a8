"""Tokens by a tokenizer.json: counted as Hugging Face's tokenizers counts them; what is wrong with a file is said."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from counts import LONG
from token_texts import SCRIPTS, WORDS, plain, texts
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from readback import sandbox
from readback.serving import tokens
from readback.serving.tokens import estimate, tokenizer_json
from readback.types import Location, Model

TEXTS = 2_000 if LONG else 40
SPECIALS = ["<|im_start|>", "<|im_end|>", "<s>"]


def byte_level(**more: Any) -> Tokenizer:
    """A small tokenizer of the kind of GPT-2, Llama 3 and Qwen, trained on made-up words."""
    made = Tokenizer(models.BPE())
    made.normalizer = more.get("normalizer")
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=SPECIALS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    words = [*WORDS, *SCRIPTS]
    made.train_from_iterator([" ".join(random.Random(n).choices(words, k=30)) for n in range(200)], trainer)
    return made


def word_piece() -> Tokenizer:
    """One that drops blanks and lowers letters, as BERT's does, so that its tokens leave gaps."""
    made = Tokenizer(models.WordPiece({"[UNK]": 0, "the": 1, "cou": 2, "##rt": 3, "held": 4}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def byte_fallback() -> Tokenizer:
    """One of the kind of Llama 2 and Gemma: a blank is a letter, and what it does not know are bytes."""
    made = [("▁", -2.0), ("▁the", -1.0), *((f"<0x{n:02X}>", -9.0) for n in range(256))]
    unigram = Tokenizer(models.Unigram([("<unk>", 0.0), *made], unk_id=0, byte_fallback=True))
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    return unigram


KINDS = {
    "byte level": byte_level,
    "byte level, composed": lambda: byte_level(normalizer=normalizers.NFC()),
    "word piece": word_piece,
    "byte fallback": byte_fallback,
}


@pytest.fixture(params=KINDS)
def made(request: pytest.FixtureRequest) -> Tokenizer:
    found: Tokenizer = KINDS[request.param]()
    return found


def test_counts_and_pieces_equal_the_library_on_random_texts(made: Tokenizer, tmp_path: Path) -> None:
    made.save(str(tmp_path / "tokenizer.json"))
    by, diagnostics = tokens.load_counter("tokenizer.json", tmp_path)
    assert (diagnostics, by.exact, by.name) == ((), True, "tokenizer.json")
    given = texts(TEXTS, 36, SPECIALS)
    read = [made.encode(plain(one), add_special_tokens=False).ids for one in given]
    assert by.count_each(given) == tuple(map(len, read))
    made.encode_special_tokens = True
    alone = [made.encode(plain(one), add_special_tokens=False).ids for one in given]
    assert by.count_each(given, special=False) == tuple(map(len, alone))
    for text, ids in list(zip(given, read, strict=True))[:50]:
        cut = by.split(text)
        assert "".join(text[piece.start : piece.end] for piece in cut) == text
        assert [number for piece in cut for number in piece.ids] == ids
    assert sum(by.count_by_part(given[:20])) == by.count("".join(given[:20]))


def test_only_where_each_token_has_a_byte_do_few_bytes_prove_that_a_text_fits(tmp_path: Path) -> None:
    proofs = {}
    for kind, make in KINDS.items():
        (tmp_path / kind).mkdir()
        make().save(str(tmp_path / kind / "tokenizer.json"))
        by, _ = tokens.load_counter(kind, tmp_path)
        assert isinstance(by, tokenizer_json.FileCounter)
        proofs[kind] = [by.surely_fits(text, 4) for text in ("abcd", "abcde", "e\u0301e\u0301")]
    assert proofs == {
        "byte level": [True, False, False],
        "byte level, composed": [True, False, False],
        "word piece": [False, False, False],
        "byte fallback": [False, False, False],
    }


def test_a_blank_before_a_word_belongs_to_its_token_and_a_character_of_several_tokens_is_one_piece(
    tmp_path: Path,
) -> None:
    byte_level().save(str(tmp_path / "tokenizer.json"))
    by, _ = tokens.load_counter("tokenizer.json", tmp_path)
    assert [(piece.start, piece.end) for piece in by.split("the court")] == [(0, 3), (3, 9)]
    (one,) = by.split("𒀀")
    assert (one.start, one.end, one.id, len(one.ids)) == (0, 1, None, 4)


def test_a_limit_of_length_and_a_beginning_that_the_file_adds_change_no_count(tmp_path: Path) -> None:
    made = byte_level()
    made.enable_truncation(max_length=3)
    made.enable_padding(length=50)
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 2)])
    made.save(str(tmp_path / "tokenizer.json"))
    assert (
        tokens.load_counter("tokenizer.json", tmp_path)[0].count("the court held")
        == 3
        < len(made.encode("the court held").ids)
    )
    made.save(str(tmp_path / "tokenizer.json"))


@pytest.mark.parametrize("named", ["model", "model/", "model/tokenizer.json", "model/tokenizer_config.json"])
def test_a_tokenizer_is_found_by_its_folder_and_beside_its_configuration(named: str, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    byte_level().save(str(tmp_path / "model" / "tokenizer.json"))
    by, diagnostics = tokens.load_counter(named, tmp_path)
    assert (diagnostics, by.count("the court")) == ((), 2)


def test_added_tokens_that_are_not_special_stay_one_token_in_a_message_too(tmp_path: Path) -> None:
    made = byte_level()
    made.add_tokens([AddedToken("hasnoother", special=False)])
    made.save(str(tmp_path / "tokenizer.json"))
    by, _ = tokens.load_counter("tokenizer.json", tmp_path)
    assert [by.count("hasnoother<s>", special=special) > 2 for special in (True, False)] == [False, True]
    assert not by.split("hasnoother")[0].special


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    word_piece().save(str(path))
    first = tokens.load_counter("tokenizer.json", tmp_path)[0].count("the court")
    byte_level().save(str(path))
    assert (first, tokens.load_counter("tokenizer.json", tmp_path)[0].count("the court")) == (3, 2)


BAD = {
    "truncated": b'{"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0',
    "another kind": b'{"version": "1.0", "model": {"type": "Neural"}}',
    "no model": b"{}",
    "a list": b"[]",
    "not JSON": b"<html>",
    "empty": b"",
    "no text": b"\xff\xfe\x00\x01" * 50,
    "deep": b"[" * 200_000,
    "a wrong pattern": json.dumps({
        "version": "1.0", "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"},
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(("}, "behavior": "Isolated", "invert": False},
    }).encode(),
    "no unknown token": b'{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "b"}}',
}  # fmt: skip


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_a_file_that_is_no_tokenizer_is_one_note_with_a_reason_and_the_count_an_estimate(
    data: bytes, tmp_path: Path
) -> None:
    (tmp_path / "t.json").write_bytes(data)
    at = Location(file="readback.yml", line=3)
    by, (diagnostic,) = tokens.load_counter("t.json", tmp_path, at)
    assert (by, diagnostic.code, diagnostic.place, diagnostic.values["tokenizer"]) == (
        estimate.Estimate(), "srv-tokenizer-unreadable", at, "t.json",
    )  # fmt: skip
    assert diagnostic.values["reason"]
    assert "\n" not in diagnostic.values["reason"]


def test_a_file_that_is_too_large_is_not_opened(tmp_path: Path) -> None:
    with (tmp_path / "t.json").open("wb") as file:
        file.truncate(tokenizer_json.LARGEST + 1)
    _, (diagnostic,) = tokens.load_counter("t.json", tmp_path)
    assert diagnostic.values["reason"] == "it has more than 64 MiB"


def test_a_file_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    byte_level().save(str(tmp_path / "t.json"))
    monkeypatch.setattr(tokenizer_json, "LIMITS", sandbox.Limits(total=0.001))
    _, (diagnostic,) = tokens.load_counter("t.json", tmp_path)
    assert diagnostic.values["reason"] in (f"reading it took more than {sandbox.format_time_limit(0.001)} in all",
                                     f"reading it took {sandbox.WAITED_TOO_LONG}")  # fmt: skip


def test_a_missing_package_is_a_note_with_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_json, "is_installed", lambda: False)
    _, (diagnostic,) = tokens.load_counter("tokenizer.json", tmp_path)
    assert diagnostic.values["cure"] == "pip install readback[tokenizers]"


def test_a_text_that_takes_a_tokenizer_too_long_is_estimated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    byte_level().save(str(tmp_path / "t.json"))
    by, _ = tokens.load_counter("t.json", tmp_path)
    assert by.exact
    monkeypatch.setattr(tokenizer_json, "LIMITS", sandbox.Limits(total=0.0001))
    assert tokens.count_tokens(by, "abcde").exact is False
    assert tokens.count_each(by, ["abcde"]) == (2,)


def test_where_bytes_prove_that_a_text_fits_a_file_is_not_asked(tmp_path: Path) -> None:
    byte_level().save(str(tmp_path / "t.json"))
    model = Model("m", tokenizer="t.json")
    found = [tokens.count_within(model, ["the court held"], tmp_path, room) for room in (14, 13, None)]
    assert [(one.count, one.exact) for one in found] == [(4, False), (3, True), (4, False)]

"""What it costs to count the tokens of prompts: a table, tiktoken over the same table, a tokenizer.json, the estimate.

Run: python benchmarks/token_counting.py [--prompts 2000] [--characters 13700]
The baseline is tiktoken's own engine, one prompt at a time, in the same process. Every figure is of one run on one
machine: compare the ratios, not the seconds. Counts are compared before times are.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import quicktok
import tiktoken
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from readback.serving import tokens
from readback.serving.tokens import named_tokenizers, tokenizer_json

TABLE = "cl100k"
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
WORDS = Path(__file__).read_text("utf-8").split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=int, default=2_000)
    parser.add_argument("--characters", type=int, default=13_700, help="of one prompt")
    asked = parser.parse_args()
    made = random.Random(36)
    prompts = [_prompt(made, asked.characters) for _ in range(asked.prompts)]
    size = sum(len(one) for one in prompts) / 1e6
    there = reference()
    expected, baseline = _timed(lambda: [len(there.encode_ordinary(one)) for one in prompts])
    print(f"{len(prompts)} prompts, {size:.1f} MB, {sum(expected):,} tokens")
    _tell("tiktoken, in this process (the baseline)", baseline, baseline, size)
    by, _ = tokens.load_counter(TABLE, Path())
    named_tokenizers.load(named_tokenizers.TABLES[TABLE].encoding)  # as in a child, where it is shared
    alone = {"table": TABLE, "special": False}
    found, seconds = _timed(lambda: named_tokenizers.count_each({**alone, "about": prompts}))
    assert found == expected
    _tell("a table, as the audit's children count", seconds, baseline, size)
    _tell("a table, through a child a prompt, as pages count", _timed(lambda: [by.count(one) for one in prompts])[1],
          baseline, size)  # fmt: skip
    estimated, _ = tokens.load_counter(None, Path())
    _tell("the estimate", _timed(lambda: estimated.count_each(prompts))[1], baseline, size)
    _file(prompts[: max(1, len(prompts) // 10)], size / 10, baseline / 10)


def _file(prompts: Sequence[str], size: float, baseline: float) -> None:
    with TemporaryDirectory() as folder:
        trained = Tokenizer(models.BPE())
        trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trained.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=5_000, initial_alphabet=alphabet, show_progress=False)
        trained.train_from_iterator(prompts[:20], trainer)
        trained.save(f"{folder}/tokenizer.json")
        by, _ = tokens.load_counter("tokenizer.json", Path(folder))
        assert isinstance(by, tokenizer_json.FileCounter)
        asked = {"path": by.path, "stamp": list(by.stamp), "about": list(prompts), "special": False}
        tokenizer_json.count_each({**asked, "about": []})
        _tell(
            "a tokenizer.json, as the audit's children count",
            _timed(lambda: tokenizer_json.count_each(asked))[1],
            baseline,
            size,
        )


def _prompt(made: random.Random, characters: int) -> str:
    words = " ".join(made.choices(WORDS, k=characters // 4))
    return words[:characters]


def reference() -> Any:
    table = quicktok.get_encoding(named_tokenizers.TABLES[TABLE].encoding)
    ranks = {table.decode_single_token_bytes(n): n for n in range(len(table.token_byte_values()))}
    return tiktoken.Encoding(TABLE, pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def _tell(what: str, seconds: float, baseline: float, size: float) -> None:
    print(f"{what:<52} {seconds:7.2f} s {size / seconds:8.1f} MB/s {baseline / seconds:7.2f} x the baseline")


if __name__ == "__main__":
    main()

"""How long it takes to compare two prompts of 20,000 characters and to draw the difference as the page does.

Run: python benchmarks/diff_draw.py [--characters 20000]
Beside it difflib, which compares the same words (not those of the last pair: that takes it minutes). Every figure is
of one run on one machine: compare the ratios.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable
from difflib import SequenceMatcher

from readback.compare.diff import Difference, difference
from readback.compare.sentence import sentence
from readback.compare.side import Shown, Side
from readback.prompts.tri_section import fingerprint
from readback.types import Message, Segment, Selection

TRIES = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=20_000)
    size = parser.parse_args().characters
    print(json.dumps({name: measured(*pair) for name, pair in prompts(size).items()}, indent=2, ensure_ascii=False))


def prompts(size: int) -> dict[str, tuple[str, str]]:
    """Pairs of prompts: a few words edited, another layout, and nothing in common."""
    random.seed(1)
    words = [f"{a}{b}" for a in ("tide", "buoy", "pilot", "quay") for b in ("", "s", "ing", "ed", "er")] + ["the", "of"]
    sentences = [" ".join(random.choices(words, k=12)).capitalize() + "." for _ in range(size // 70)]
    text = "\n".join(sentences)[:size]
    edited = re.sub(r"\bof\b", lambda found: random.choice(["of", "at"]), text)
    lines = text.split("\n")
    turned = "\n".join(lines[40:] + lines[:40])
    other = re.sub(r"\w+", lambda found: found[0][::-1] + "x", text)
    return {"edited": (text, edited), "in another order": (text, turned), "nothing in common": (text, other[:size])}


def measured(a: str, b: str) -> dict[str, float | int | str]:
    """Seconds of each step, the best of a few tries, and what came of it."""
    one, other = side(a), side(b)
    found = difference(one, other)
    compare = best(lambda: difference(one, other))
    made: dict[str, float | int | str] = {
        "changes": sum(len(pair.changes) for pair in found.messages),
        "sentence": sentence(found),
        "compare_seconds": round(compare, 3),
        "sentence_seconds": round(best(lambda: sentence(found)), 3),
        "draw_seconds": round(best(lambda: drawn(found)), 3),
    }
    if len(found.messages[0].changes) > 1:
        naive = best(lambda: by_difflib(a, b), 1)
        made |= {"difflib_seconds": round(naive, 3), "difflib_seconds_per_compare_second": round(naive / compare, 1)}
    return made


def by_difflib(a: str, b: str) -> object:
    words = re.compile(r"\w+|\s+|[^\w\s]")
    return SequenceMatcher(None, words.findall(a), words.findall(b), autojunk=False).get_opcodes()


def side(text: str) -> Shown:
    messages = (Message("user", (Segment(text, "template"),)),)
    return Shown(Side(Selection()), messages, fingerprint(messages), None, (), "")


def drawn(found: Difference) -> str:
    """The HTML of both messages beside each other."""
    from readback.ui.compare.compare_rows import rows
    from readback.ui.compare.compare_text import Text, side_by_side

    pair = found.messages[0]
    assert pair.a is not None
    assert pair.b is not None
    one, other = (Text(message.segments, lambda segment: segment.origin, False) for message in (pair.a, pair.b))
    return side_by_side(one, other, list(rows(one.text, other.text, pair.changes)))


def best(work: Callable[[], object], tries: int = TRIES) -> float:
    times = []
    for _ in range(tries):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()

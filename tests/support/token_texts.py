"""Made-up texts to count tokens of: words, numbers, code, many scripts, blanks, broken and special characters."""

from __future__ import annotations

import random
from collections.abc import Sequence

# fmt: off
WORDS = (
    "the", "court", "held", "that", "Plaintiff's", "claim", "isn't", "barred", "WE'LL", "don'T", "über", "naïve",
    "coöperate", "Straße", "ﬁnal",
)
# fmt: on
SCRIPTS = (
    "абвгд",
    "漢字仮名交じり",
    "한국어각",
    "عربي",
    "हिन्दी",
    "ไทย",
    "😀👩‍👩‍👧🇫🇷",
    "𝔘𝔫𝔦",
    "e\u0301o\u0308",
    "\u1100\u1161\u11a8",
)
MARKS = ("\n", "\n\n", "\r\n", "\t", "  ", "   ", " ", "\u00a0", "\u3000", "\u200b", "\ufeff", "\0", "\x1b", "\ud800")
SIGNS = ("...", "!!", "://", "->", "{}", "[1]", "§", "—", "$", "1", "12", "123456", "3.14", "_", "#", "½", "٣")
SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|begin_of_text|>", "<|", "|>", "<think>")


def texts(number: int, seed: int, specials: Sequence[str] = SPECIALS) -> list[str]:
    """So many texts, the same ones each time."""
    made = random.Random(seed)
    parts = (WORDS, SCRIPTS, MARKS, SIGNS, specials)

    def one() -> str:
        chosen = (made.choice(made.choices(parts, (6, 3, 3, 3, 1))[0]) for _ in range(made.randint(0, 40)))
        return "".join(part + made.choice(("", "", " ")) for part in chosen)

    return [one() for _ in range(number)]


def plain(text: str) -> str:
    """The text as UTF-8 can say it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

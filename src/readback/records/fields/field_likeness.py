"""Compare the name of a variable with the name of a field."""

from __future__ import annotations

from difflib import SequenceMatcher

# Common names of a field for the same thing.
QUESTION = ("query", "question", "instruction", "prompt", "input", "user_query", "query_text", "user_input", "text")
CONTEXTS = (
    "chunks",
    "contexts",
    "context",
    "documents",
    "docs",
    "passages",
    "sources",
    "retrieved",
    "snippets",
    "links",
)
REPLY = ("answer", "response", "output", "completion", "reply", "generated_answer")
TURNS = ("messages", "history", "conversation", "turns", "dialogue", "input")
REFERENCE = ("reference", "expected_response", "reference_answer", "gold", "target", "ground_truth", "expected")
SAME = (QUESTION, CONTEXTS, REPLY, TURNS, REFERENCE)  # which count before spelling does


def compute_likeness(name: str, path: str) -> float:
    """Return 1 for equal names, about 0.9 for synonyms in SAME, else the similarity of spelling times 0.85."""
    want, have = name.casefold(), path.rpartition(".")[2].casefold()
    if want == have:
        return 1.0
    for words in () if want.startswith("system") else SAME:
        if any(want == word or want.endswith(f"_{word}") for word in words) and have in words:
            return 0.9 - words.index(have) / 100
    return SequenceMatcher(None, want, have).ratio() * 0.85

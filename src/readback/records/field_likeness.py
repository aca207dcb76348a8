"""How far the name of a variable and that of a field may mean the same."""

from __future__ import annotations

from difflib import SequenceMatcher

# What people call the same thing; the name of a variable is looked up among them before spelling counts.
SAME = (
    ("query", "question", "instruction", "prompt", "input", "user_query", "query_text", "user_input", "text"),
    ("chunks", "contexts", "context", "documents", "docs", "passages", "sources", "retrieved", "snippets", "links"),
    ("answer", "response", "output", "completion", "reply", "generated_answer"),
    ("messages", "history", "conversation", "turns", "dialogue", "input"),
    ("reference", "expected_response", "reference_answer", "gold", "target", "ground_truth", "expected"),
)


def likeness(name: str, path: str) -> float:
    """1 for the same name, 0.9 for another word for it, else how much the spelling agrees."""
    want, have = name.casefold(), path.rpartition(".")[2].casefold()
    if want == have:
        return 1.0
    for words in () if want.startswith("system") else SAME:
        if any(want == word or want.endswith(f"_{word}") for word in words) and have in words:
            return 0.9 - words.index(have) / 100
    return SequenceMatcher(None, want, have).ratio() * 0.85

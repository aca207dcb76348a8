"""`leaks:` how system text is looked for in user messages: how much alike counts, and phrases besides."""

from __future__ import annotations

from readback.readers.yaml_node import Node
from readback.types import Leaks
from readback.workspace.draft import Draft

KEY = "leaks"
LEAST = 0.5  # below, texts on one subject are alike by chance


def read(node: Node, draft: Draft) -> None:
    parts = node.mapping("threshold", "phrases")
    threshold, phrases = draft.leaks.threshold, draft.leaks.phrases
    if "threshold" in parts and (said := parts["threshold"].number()) is not None:
        if LEAST <= said <= 1:
            threshold = said
        else:
            parts["threshold"].wrong(f"a share from {LEAST} to 1, such as {threshold}")
    if "phrases" in parts:
        phrases = tuple(phrase for phrase in parts["phrases"].texts() if phrase.strip())
    draft.leaks = Leaks(threshold, phrases)

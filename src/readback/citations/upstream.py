"""The six patterns that the program of the *Data Format Guide* (ChonghaoSu/legal_opensource) searches with.

Kept only to compare old scores (`citation_patterns: upstream`): it finds dates, misses the rules that its own
document promises, cuts names short and counts one full citation as two. It compares texts as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from readback.citations.citation import Citation

NUMBER, BLANK, WORD = r"\d+", r"\s+", r"[A-Z][a-z]+"
PATTERNS = tuple(
    re.compile(BLANK.join(parts))
    for parts in (
        (NUMBER, WORD, NUMBER),  # meant for reporters of one word; a date is one too
        (WORD, r"v\.", WORD),  # one word on each side
        (NUMBER, r"F\.\d+d", NUMBER),  # so not F.4th
        (NUMBER, r"F\.", r"Supp\.", NUMBER),
        (r"[A-Z]\.", r"R\.", r"Evid\.", NUMBER),  # one capital before `. R.`, which `Fed. R. Evid.` has not
        (r"[A-Z]\.", r"R\.", r"Civ\.", r"P\.", NUMBER),
    )
)


def find(text: str) -> Iterator[Citation]:
    """What the patterns find, pattern by pattern as there, so in no order of the text."""
    for pattern in PATTERNS:
        for hit in pattern.finditer(text):
            yield Citation(hit.start(), hit.end(), "upstream", hit[0], hit[0])


def scores(answer: Sequence[Citation], source: Sequence[Citation]) -> tuple[float, float, float]:
    """Precision, recall and hallucination rate as that program computes them, of what `find` answers.

    Nothing found gives 1 where the source has none either, else 0, and no hallucination.
    """
    said, there = ({one.normal for one in found} for found in (answer, source))
    both = len(said & there)
    precision = both / len(said) if said else float(not there)
    recall = both / len(there) if there else float(not said)
    return precision, recall, (len(said) - both) / len(said) if said else 0.0

"""Search with the six patterns of the program of the *Data Format Guide* (ChonghaoSu/legal_opensource).

For comparison with old scores only (`citation_patterns: upstream`): the patterns find dates, miss the rules that the
program's own document promises, cut names short and count one full citation as two. Texts are compared as written.
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


def find_by_patterns(text: str) -> Iterator[Citation]:
    """Yield the matches pattern by pattern, as that program does, and so not in the order of the text."""
    for pattern in PATTERNS:
        for match in pattern.finditer(text):
            yield Citation(match.start(), match.end(), "upstream", match[0], match[0])


def compute_scores(answer: Sequence[Citation], source: Sequence[Citation]) -> tuple[float, float, float]:
    """Return precision, recall and hallucination rate as that program computes them from `find_by_patterns`.

    Without citations in the answer, precision is 1 where the source has none either, else 0, and the hallucination rate
    is 0; recall without citations in the source likewise.
    """
    cited = {citation.normal for citation in answer}
    expected = {citation.normal for citation in source}
    shared = len(cited & expected)
    if cited:
        precision = shared / len(cited)
    else:
        precision = float(not expected)
    if expected:
        recall = shared / len(expected)
    else:
        recall = float(not cited)
    if cited:
        hallucination = (len(cited) - shared) / len(cited)
    else:
        hallucination = 0.0
    return precision, recall, hallucination

"""Two conditions cannot be compared under this criterion.

The criterion does not mean the same on both sides: it does not apply to one of them (the grounding of a run without
documents), it is a total with other weights, it is a total or a verdict across runs with and without documents, or the
study itself lists it as not comparable.

A difference would look like one between the conditions and be one between two measures.

Compare the criteria that mean the same on both sides; the finding names those that have scores.
"""

CODE = "scr-not-comparable"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{criterion} cannot be compared between {a} and {b} ({differs}; pairs: {pairs}); what can be: {part}"
FIX = "compare what means the same on both sides: {part}"
_PLAN = (
    "scores: [scores.csv]\n"
    "conditions: [{name: closed, mode: instruction}, {name: open, mode: rag}, {name: wide, mode: rag}]\n"
    "comparisons: [{a: %s, b: open, criterion: %s}]\n"
)
_ROWS = "item,condition,factuality,grounding\n" + "".join(
    f"q{i},{c},0.{i % 7},0.{i % 5}\n" for i in range(20) for c in ("closed", "open", "wide")
)
PASS = (
    {"readback.yml": _PLAN % ("closed", "factuality"), "scores.csv": _ROWS},
    {"readback.yml": _PLAN % ("wide", "grounding"), "scores.csv": _ROWS},
)
FAIL = (
    {"readback.yml": _PLAN % ("closed", "grounding"), "scores.csv": _ROWS},
    {"scores.csv": _ROWS.replace("condition", "mode").replace("closed", "instruction").replace("open", "rag")},
)

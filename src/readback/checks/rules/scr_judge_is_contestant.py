"""A judge and what it judges are of one model family.

The judge's model and that of a condition belong to one family, as their files state it or, where none does, as their
names suggest it; which of the two is said. It is a warning for the same generation (gpt-4o judging gpt-4o-mini), and
for information for another generation by the same maker (qwen3 judging qwen2.5) or one that is not stated.

Models rate texts in their own manner higher, their own most of all. Against a contestant of another family that is an
advantage which no number of records takes away. Between two conditions of the same model it favours neither.

Let a model of another family judge a part of the records too, and look at the agreement; or have people do it.
"""

CODE = "scr-judge-is-contestant"
SEVERITY = "warning"
ON = "load"
SENTENCE = "judge {judge} ({model}) and what it judges are of one family, {family}: {relation}; {how}: {conditions}"
FIX = "let a judge of another family, or people, score a part of the records, and look at the agreement"
_CSV = "item,condition,relevance_score,judge\nq1,%s,2,%s\nq2,%s,1,%s\n"
PASS = (
    {"scores.csv": _CSV % ("llama-3.1-8b", "gpt-4o", "qwen2.5:7b", "gpt-4o")},
    {"scores.csv": _CSV % ("closed", "gpt-4o", "open", "gpt-4o")},
)
FAIL = (
    {"scores.csv": _CSV % ("gpt-4o-mini", "gpt-4o", "llama-3.1-8b", "gpt-4o")},
    {"scores.csv": _CSV % ("qwen2.5:0.5b", "qwen3:8b", "llama-3.1-8b", "qwen3:8b")},
)

"""Chosen answers are nearly always the longer ones.

In a file of at least 20 preference pairs the chosen answer is longer than the rejected one, in characters, in four of
five pairs or more.

A model that is trained on such pairs learns that long is good, and a judge that likes long answers will agree with it.
What makes the chosen answers better may be lost on it.

Look at whether the longer answers are the better ones because of what they say; add pairs whose better answer is the
shorter one.
"""

CODE = "trn-length-bias"
SEVERITY = "info"
ON = "load"
SENTENCE = "in {longer} of {pairs} {pairs:pair|pairs} ({percent} %) the chosen answer is longer than the rejected one"
FIX = "add pairs whose better answer is the shorter one"
_PAIR = '{"prompt": "Why %s?", "chosen": "%s", "rejected": "No, no."}\n'
PASS = (
    {"train.jsonl": "".join(_PAIR % (n, "So it is.") for n in range(19))},
    {"train.jsonl": "".join(_PAIR % (n, "So it is." if n < 15 else "So.") for n in range(20))},
)
FAIL = ({"train.jsonl": "".join(_PAIR % (n, "So it is." if n < 16 else "So.") for n in range(20))},)

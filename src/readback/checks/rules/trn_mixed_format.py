"""A row has another format than most rows of its file.

The format of a training file is that of most of its rows: prompt and completion, a preference pair, messages. Rows
with the keys of another format, or of none, are reported.

A program that trains expects one format. It stops at the first other row, leaves it out silently, or trains on
empty texts.

Put the rows into a file of their own, or give them the keys of the others.
"""

CODE = "trn-mixed-format"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the keys of this row are not those of most rows of the file: {found} instead of {most}"
FIX = "put rows of another format into a file of their own"
_SFT = '{"prompt": "Why %s?", "completion": "So."}\n'
PASS = ({"train.jsonl": _SFT % 1 + _SFT % 2},)
FAIL = (
    {"train.jsonl": _SFT % 1 + _SFT % 2 + '{"prompt": "How?", "chosen": "So.", "rejected": "No."}\n'},
    {"train.jsonl": _SFT % 1 + _SFT % 2 + '{"text": "How?"}\n'},
)

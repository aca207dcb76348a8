"""A row of pairwise outcomes that says nothing usable.

In a file where two answers were shown side by side, this row's outcome is none of `win_a`, `win_b` and `tie`, or its
two models are the same one, or one of them is not named.

The row is in no win rate. Rows that were typed wrongly are seldom a fair sample: often it is one annotator, or one
kind of question.

Correct the row, or take it out of the file.
"""

CODE = "scr-bad-outcome"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the outcome for {item} is not counted: {reason}"
FIX = "write win_a, win_b or tie, and name two models"
_ROW = '{"task_id": "q%s", "model_a": "closed", "model_b": "%s", "outcome": "%s"}\n'
_GOOD = _ROW % (1, "open", "win_a") + _ROW % (2, "open", "tie")
PASS = ({"pairs.jsonl": _GOOD}, {"pairs.jsonl": _GOOD + _ROW % (3, "open", "")})  # not decided yet: counted apart
FAIL = ({"pairs.jsonl": _GOOD + _ROW % (3, "open", "won")}, {"pairs.jsonl": _GOOD + _ROW % (3, "closed", "win_a")})

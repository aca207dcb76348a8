"""Rows of two conditions are under one name.

Rows of one condition do not agree on what else is recorded: one record was sent two prompts, two templates were used
by turns, or the files of a run name two models, judges or prompts of the judge.

Their mean is of a mixture that nobody ran. A difference to another condition may come from the mixture alone.

Give each its own name: add the column that tells the rows apart to the condition, or keep the files of the runs apart.
"""

CODE = "scr-condition-merged"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{condition}: its rows differ in {what} ({count} different ones under one name)"
FIX = "give each its own condition, by a column that tells the rows apart"
_ROWS = "item,condition,criterion,score,prompt_fingerprint\n"
PASS = (
    {"scores.csv": _ROWS + "".join(f"q{i},closed,clear,{i % 3},{i}\n" for i in range(20))},
    {"scores.csv": _ROWS + "".join(f"q{i},{c},clear,{i % 3},{c}\n" for i in range(20) for c in ("a", "b"))},
)
FAIL = (
    {"scores.csv": _ROWS + "".join(f"q{i},closed,clear,{i % 3},{i % 2}\n" for i in range(20))},
    {"scores.csv": _ROWS + "q1,closed,clear,1,x\nq1,closed,short,1,y\n"},
)

"""Scores are missing under one condition more often than under another.

The share of records that failed or have no score differs between two conditions: by more than 10 points, or by more
than 5 and more than chance would do (Fisher's exact test, p below 0.05).

What is missing is seldom average. A condition that loses its hard records looks better than it is, and comparing only
the records both have leaves out just those on which the conditions differ.

Find out why one condition loses more, judge the missing records again, and report both shares.
"""

CODE = "scr-missing-uneven"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "scores for {criterion} are missing unevenly: {more_lost} of {more_all} under {more}, "
    "{less_lost} of {less_all} under {less}"
)
FIX = "find out why one condition loses more, judge the missing records again, and report both shares"
_ROWS = "item,condition,criterion,score\n"


def _csv(lost: int) -> str:
    rows = (
        f"q{i},{c},clear,{'' if c == 'open' and i < lost else i % 3}\n" for i in range(40) for c in ("closed", "open")
    )
    return _ROWS + "".join(rows)


PASS = ({"scores.csv": _csv(0)}, {"scores.csv": _csv(4)})
FAIL = ({"scores.csv": _csv(5)},)

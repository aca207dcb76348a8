"""Every score of a condition is the same.

Under this criterion a condition got one and the same score for all its records, at least five of them.

Nothing varies, so there is no interval for the mean and no test for a difference. It may be true; often a judge that
does not tell good from bad is behind it, a failure that was written down as a score, or a column filled by default.

Read some of the judge's notes, and look at what the judge gives elsewhere.
"""

CODE = "scr-constant"
SEVERITY = "info"
ON = "load"
SENTENCE = "all scores for {criterion} are the same under {where}, so there is no interval"
FIX = "read some of the judge's notes, to see that the score is meant"
_ROWS = "item,condition,criterion,score\n"
_SAME = "".join(f"q{i},closed,clear,2\n" for i in range(5))
PASS = (
    {"scores.csv": _ROWS + _SAME + "q9,closed,clear,1\n"},
    {"scores.csv": _ROWS + _SAME.replace("q4,closed,clear,2\n", "")},
)
FAIL = ({"scores.csv": _ROWS + _SAME},)

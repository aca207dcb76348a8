"""More than one score in twenty is failed or missing.

Under a condition, by a judge, more than 5 % of the items have no score for this criterion: the judge failed on them, or
they have no row although the same judge scored them elsewhere. All conditions and judges of a criterion of which this
is so are one finding, with each judge's share.

Answers that cannot be judged are seldom average ones: they are the empty, the long and the odd. The mean speaks only
for what is left, and two conditions that lost different items are not compared on the same ground.

Find out why they are missing, judge them again, and report how many there are beside the mean.
"""

CODE = "scr-missing-high"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "{lost} of {all} scores for {criterion} under {condition} are failed ({failed}) or missing ({missing}): {judge}"
)
FIX = "find out why they have no score, judge them again, and say how many there are beside the mean"
_CSV = "item,condition,relevance_score\nq1,closed,2\nq2,closed,1\nq1,open,2\n%s"
PASS = ({"scores.csv": _CSV % "q2,open,-1\n"},)
FAIL = ({"scores.csv": _CSV % ""}, {"scores.csv": _CSV % "q2,open,\n"})

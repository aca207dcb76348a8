"""A score that is not on the criterion's scale.

A judge gave a number that the scale does not have, or something that is not a number. The cell counts as a failure of
the judge: it is in no mean and no distribution, and it is counted.

0 is a grade on many scales, and so is -1; a value beside the scale is none. Left in, one 9 on a scale up to 2 moves a
mean of 20 answers by more than most conditions differ.

Look at the judge's reply in that row. If the scale is really another one, declare it under `criteria:`.
"""

CODE = "jdg-out-of-range"
SEVERITY = "warning"
ON = "load"
SENTENCE = "'{value}' is not on the scale of {criterion} ({scale}), so {item} counts as a failure of the judge"
FIX = "look at the judge's reply, or declare the scale of {criterion} under criteria: in the workspace file"
_CSV = "item,condition,relevance_score\nq1,closed,2\nq2,closed,1\nq3,closed,%s\n"
PASS = ({"scores.csv": _CSV % "-1"}, {"scores.csv": _CSV % "1.0"}, {"scores.csv": _CSV % ""})
FAIL = ({"scores.csv": _CSV % "9"}, {"scores.csv": _CSV % "good"}, {"scores.csv": _CSV % "1.5"})

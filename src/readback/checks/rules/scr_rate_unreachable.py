"""No number of items gives the stated rate.

A file states a rate (passes in percent, a share, the mean of a yes-or-no criterion) and its n, and there is no whole
number k for which k/n is that rate, as exactly as it is printed: 24.1 % of 72 lies between 17/72 and 18/72.

The rate and the n do not belong together. Rows were left out of one and not of the other, the run was stopped and gone
on with, or a number was copied wrongly: nobody can say how many items passed.

Count again from the rows. Where a nearby n fits the rate, it is named: look for that many rows.
"""

CODE = "scr-rate-unreachable"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "{stated} for {criterion} under {condition} is not k/{n} for any k; nearest: {nearest}; it would fit {fitting}"
)
FIX = "count {criterion} again from the rows of {condition}, and state it with its own n"
_YML = "scores: [table.csv]\n"
PASS = (
    {"readback.yml": _YML, "table.csv": "condition,N,pass %\na,72,5.6\nb,72,25.0\n"},
    {"readback.yml": _YML, "table.csv": "condition,N,F\na,72,.43\nb,72,.431\n"},
)
FAIL = (
    {"readback.yml": _YML, "table.csv": "condition,N,pass %\na,72,24.1\nb,72,25.0\n"},
    {"readback.yml": _YML, "table.csv": "condition,N,pass_rate\na,72,0.043\nb,72,0.25\n"},
)

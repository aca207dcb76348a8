"""One criterion is given on two scales.

Under one name there are scores that cannot come from one scale: shares from 0 to 1 in one condition or file and
grades up to 10 in another, grades and percentages, values of the usual scale and of another.

A mean over both, or a difference between them, is of no scale at all. Conditions on different scales are not
compared.

Bring the scores to one scale before they are loaded, or give the criterion another name in one file. If the values do
come from one scale, declare it under `criteria:`.
"""

CODE = "scr-scale-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{criterion} is given on two scales: {differs}"
FIX = "bring {criterion} to one scale, or declare its scale under criteria: if all values are on it"
_ROWS = "item,condition,criterion,score\n"


def _csv(low: str, high: str) -> str:
    rows = (f"q{i},closed,clear,{low % (i % 9 + 1)}\nq{i},open,clear,{high % (i % 9 + 1)}\n" for i in range(20))
    return _ROWS + "".join(rows)


PASS = (
    {"scores.csv": _csv("0.%d", "0.%d")},
    {"scores.csv": _csv("%d", "%d")},
    {
        "readback.yml": "scores: [scores.csv]\ncriteria: {clear: {scale: {min: 0, max: 10}}}\n",
        "scores.csv": _csv("0.%d", "%d"),
    },
)
FAIL = ({"scores.csv": _csv("0.%d", "%d")}, {"scores.csv": _csv("%d", "%d0")})

"""The scale of a criterion is worked out from its values.

Nothing says on which scale a criterion is given: it is not declared in the workspace file and its name is not known,
or the values cannot be on the scale that the name usually has (which was our guess). What the values suggest is used:
0 and 1, a few whole numbers, or a range.

A scale that is worked out cannot show a value that is off the scale, a grade that nobody gave is missing from the
axis, and the same name may stand for two scales in two files.

Declare it under `criteria:` in the workspace file: `clarity: {scale: [1, 2, 3, 4]}`.
"""

CODE = "scr-scale-unknown"
SEVERITY = "info"
ON = "load"
SENTENCE = "the scale of {criterion} is worked out from its values: {scale} (the scale known by this name: {usual})"
FIX = "declare the scale of {criterion} under criteria: in the workspace file"
_CSV = "item,condition,criterion,score\nq1,closed,%s\nq2,closed,%s\n"
PASS = (
    {"scores.csv": _CSV % ("relevance,2", "relevance,-1")},
    {
        "readback.yml": "scores: [scores.csv]\ncriteria: {clarity: {scale: [1, 2, 3, 4]}}\n",
        "scores.csv": _CSV % ("clarity,2", "clarity,4"),
    },
)
FAIL = (
    {"scores.csv": _CSV % ("clarity,2", "clarity,4")},
    {"scores.csv": _CSV % ("faithfulness,4", "faithfulness,3")},
)

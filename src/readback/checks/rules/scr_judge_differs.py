"""No judge scored both conditions.

The two conditions have scores for this criterion, but by different judges; or the files say that another model stands
behind the judge's name.

Judges differ in how strict they are, by more than conditions often differ. What one of them gives is not to be set
against what another gives.

Have one judge score both conditions, or compare the judges first on records that both scored (`readback agreement`).
A judge is known by the model that judges: where one model judged by two rubrics and no file of the runs says so, name
it (`judges: NAME: {settings: {model: …}}`), and what means the same under both rubrics is compared.
"""

CODE = "scr-judge-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{a} and {b} were judged for {criterion} by different judges: {differs} (pairs: {pairs})"
FIX = "have one judge score both conditions for {criterion}"
_ROWS = "item,condition,criterion,score,judge\n"
PASS = ({"scores.csv": _ROWS + "".join(f"q{i},{c},clear,{i % 3},j\n" for i in range(20) for c in "ab")},)
FAIL = (
    {"scores.csv": _ROWS + "".join(f"q{i},{c},clear,{i % 3},j{c}\n" for i in range(20) for c in "ab")},
    {
        "readback.yml": "scores: [scores.csv]\ncomparisons: [{a: a, b: b, criterion: clear}]\n",
        "scores.csv": _ROWS + "".join(f"q{i},{c},clear,{i % 3},j{c}\n" for i in range(20) for c in "ab"),
    },
)

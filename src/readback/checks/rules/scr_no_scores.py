"""A score file in which no scores are seen.

A file is named under `scores:`, and none of its columns is a score by its name: there is no `score` or `value` beside
an item, no column that ends in `_score` or is a known criterion, and the workspace names no columns. Or it is a file of
a known kind in which no cell holds a score: rows of means only, a summary without numbers.

The file is left out, so conditions may look as if they had never been judged.

Name its columns: `scores: [{path: judges.csv, item: [query], judges: [j1, j2], criterion: relevance}]`.
"""

CODE = "scr-no-scores"
SEVERITY = "warning"
ON = "load"
SENTENCE = "no scores are seen in '{path}'; its columns are: {columns}"
FIX = "name its columns under scores: in the workspace file (item, condition, judges, criteria)"
_CSV = "query,j1,j2\nq1,3,2\nq2,0,1\n"
PASS = (
    {"readback.yml": "scores: [{path: s.csv, item: [query], judges: [j1, j2], criterion: relevance}]\n", "s.csv": _CSV},
)
FAIL = ({"readback.yml": "scores: [s.csv]\n", "s.csv": _CSV},)

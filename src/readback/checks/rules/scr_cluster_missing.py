"""A row does not say which cluster it belongs to.

The score file has a column of clusters (`cluster`, or the one the workspace names), and this row has nothing in it. The
score is used; intervals that respect clusters are not computed for its condition.

Rows of one cluster (questions about the same document) go up and down together. Where it is not known which rows belong
together, an interval that takes clusters into account cannot be had, and one that does not is too narrow.

Fill in the cluster of every row. A row that belongs with no other is a cluster of its own: give it its own key.
"""

CODE = "scr-cluster-missing"
SEVERITY = "error"
ON = "load"
SENTENCE = "{item} has no cluster (column {column}), so no clustered interval is computed for its condition"
FIX = "fill in {column} in every row; a row that belongs with no other gets a key of its own"
_CSV = "item,condition,criterion,score,%s\nq1,closed,clear,1,d1\nq2,closed,clear,2,%s\n"
_NAMED = "scores: [{path: scores.csv, cluster: document, condition: [condition]}]\n"
PASS = (
    {"scores.csv": _CSV % ("cluster", "d1")},
    {"scores.csv": _CSV % ("judge", "")},
    {"readback.yml": _NAMED, "scores.csv": _CSV % ("document", "d2")},
)
FAIL = (
    {"scores.csv": _CSV % ("cluster", "")},
    {"readback.yml": _NAMED, "scores.csv": _CSV % ("document", "")},
    {"readback.yml": _NAMED, "scores.csv": _CSV % ("source", "d2")},
)

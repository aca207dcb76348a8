"""Rows of a score file sum up the others.

The id of a row is TOTAL, average, mean score, overall or the like, in whatever case, and each of its numbers is the
mean or the sum of the others in its column (of its condition, judge and criterion, where it names them); or it stands
below all other rows. What is beside a row that agrees with the others (std, median, max) belongs to it. Such rows
are left out and counted. Where the numbers of the last ones do not agree, `scr-summary-differs` says so.

Nothing is wrong. Taken for an item, such a row would be in every mean, interval and pair once more.

Where it is an item (the function `mean`, say), write `all_items: true` beside the path under `scores:`.
"""

CODE = "scr-summary-rows"
SEVERITY = "info"
ON = "load"
SENTENCE = "{rows} {rows:row sums|rows sum} up the others and {rows:is no item|are no items}: {names}"
FIX = "nothing; or all_items: true beside the path under scores: where {rows:it is an item|they are items}"
_ROWS = "id,clear_score\nq1,3\nq2,4\nq3,5\n"
PASS = (
    {"s.csv": "id,clear_score\nmean,3\nq2,4\nq3,4\n"},
    {"readback.yml": "scores: [{path: s.csv, all_items: true}]\n", "s.csv": _ROWS + "mean,4\n"},
)
FAIL = ({"s.csv": _ROWS + "TOTAL,12\nAverage score,4.0\n"}, {"s.csv": "id,clear_score\nmean,4\nq1,3\nq2,5\n"})

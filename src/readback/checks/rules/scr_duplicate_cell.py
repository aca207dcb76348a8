"""Two scores for the same thing.

A score file gives one item, under one condition, by one criterion and one judge, more than one score, and no column
`run` or `replicate` tells them apart. The first is used; the others are left out of every number.

Counting both would give that item twice the weight of the others, and hides that two runs were mixed or that a
column which tells conditions apart is not in the file.

Add the column that tells the rows apart (`run`, `replicate`, `condition`), or remove the row that does not count.
"""

CODE = "scr-duplicate-cell"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{item} has a second score for {criterion} under {condition}; the first, in line {first}, is used"
FIX = "add the column that tells the rows apart (run, replicate, condition), or remove the row that does not count"
PASS = (
    {"scores.csv": "item,condition,criterion,score,run\nq1,closed,clear,1,a\nq1,closed,clear,2,b\n"},
    {"scores.csv": "item,condition,criterion,score\nq1,closed,clear,1\nq1,open,clear,2\n"},
)
FAIL = ({"scores.csv": "item,condition,criterion,score\nq1,closed,clear,1\nq1,closed,clear,2\n"},)

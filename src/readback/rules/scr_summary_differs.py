"""A mean that a file states is not the mean of its rows.

A file of means (`metrics.json`, a table of averages) and the rows behind it are both in the workspace, and for this
condition and criterion the rows give another mean, or are of another number.

One of the two is not what the study reports: rows were added or filtered afterwards, failures were counted as 0, or
the files belong to different runs.

Trust the rows, find out which run each file is from, and write the means again.
"""

CODE = "scr-summary-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the file states {stated} for {criterion} under {condition} (n {stated_n}); its rows give {computed} (n {n})"
FIX = "find out which run each file is from, and write the means again from the rows"
_ROWS = "item,arm,relevance_score\nq1,a,2\nq2,a,1\nq1,b,2\nq2,b,2\n"
PASS = ({"rows.csv": _ROWS, "means.csv": "arm,relevance_score\na,1.5\nb,2.0\n"},)
FAIL = ({"rows.csv": _ROWS, "means.csv": "arm,relevance_score\na,1.4\nb,2.0\n"},)

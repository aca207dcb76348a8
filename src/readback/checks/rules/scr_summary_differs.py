"""A mean, count or spread that a file states is not that of its rows.

A file of means (`metrics.json`, a table of averages) and the rows behind it are both in the workspace, and for this
condition and criterion the rows give another mean, standard deviation, range or rate, or are of another number; or the
file states a rate beside counts that give another one; or the last row of a score file is called TOTAL, mean or the
like, and its number is neither the sum nor the mean of the others. Where a habit of the program that wrote the file
explains the difference (true counted as 1, numbers written as text left out, rows without a verdict counted as not
passed), it is said.

One of the two is not what the study reports: rows were added or filtered afterwards, failures were counted as 0, or
the files belong to different runs.

Trust the rows, find out which run each file is from, and write the means again.
"""

CODE = "scr-summary-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "the file states {stated} as the {what} of {criterion} under {condition} (n {stated_n}); "
    "its rows give {computed} (n {n}); {because}"
)
FIX = "find out which run each file is from, and write the means again from the rows"
_ROWS = "item,arm,relevance_score\nq1,a,2\nq2,a,1\nq1,b,2\nq2,b,2\n"
_DETAILS = (
    '{"task_id": "1", "model_label": "x", "judge_scores": {"factuality": 0.5}, "judge_verdict": "pass"}\n'
    '{"task_id": "2", "model_label": "x", "judge_scores": {"factuality": 0.7}, "judge_verdict": "fail"}\n'
)
_METRICS = '{"judge_scores": {"factuality": {"mean": 0.6, "std": %s, "n": 2}}, "model_label": "x"}'
_YML = "scores: [run/details.jsonl, run/metrics.json]\n"
PASS = (
    {"rows.csv": _ROWS, "means.csv": "arm,relevance_score\na,1.5\nb,2.0\n"},
    {"readback.yml": _YML, "run/details.jsonl": _DETAILS, "run/metrics.json": _METRICS % "0.14142135"},
)
FAIL = (
    {"rows.csv": _ROWS, "means.csv": "arm,relevance_score\na,1.4\nb,2.0\n"},
    {"readback.yml": _YML, "run/details.jsonl": _DETAILS, "run/metrics.json": _METRICS % "0.1"},
    {"s.csv": "id,clear_score\nq1,3\nq2,4\nq3,5\nAVERAGE,4.5\n"},
)

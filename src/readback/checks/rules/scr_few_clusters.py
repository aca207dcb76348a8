"""Scores of few clusters.

The scores belong together in groups (questions about one document, repeats of one question), and a condition has
fewer than ten of these groups.

Scores of one group go up and down together, so the groups are what counts, however many rows there are. The interval
takes that into account, but with so few groups it is itself uncertain, and mostly too narrow.

Take records from more documents, or read the interval as the least uncertainty there is.
"""

CODE = "scr-few-clusters"
SEVERITY = "warning"
ON = "load"
SENTENCE = "fewer than 10 clusters for {criterion} (scores / clusters): {where}"
FIX = "take records from more documents, or read the interval as the least uncertainty there is"
_ROWS = "item,condition,criterion,score,cluster\n"


def _csv(clusters: int) -> str:
    return _ROWS + "".join(f"q{i},closed,clear,{i % 3},d{i % clusters}\n" for i in range(24))


PASS = ({"scores.csv": _csv(10)}, {"scores.csv": _csv(24)})
FAIL = ({"scores.csv": _csv(9)},)

"""A mean of few scores.

Under this criterion, a condition has fewer than 20 scores. Studies of 20 to 200 records are the usual case; below that
even a large difference is seldom told from chance.

With 10 scores the interval of a mean spans about a whole grade, and below 5 no interval can be given at all. One odd
answer moves the mean.

Have more records answered and judged, or say how few they are beside every number.
"""

CODE = "scr-small-n"
SEVERITY = "warning"
ON = "load"
SENTENCE = "fewer than 20 scores for {criterion} under {where}"
FIX = "have more records answered and judged, or say n beside every number"
_ROWS = "item,condition,criterion,score\n%s"


def _csv(n: int) -> str:
    return _ROWS % "".join(f"q{i},closed,clear,{i % 3}\n" for i in range(n))


PASS = ({"scores.csv": _csv(20)},)
FAIL = ({"scores.csv": _csv(19)},)

"""Two conditions were scored on different records.

Only part of the records of two conditions is the same (then this is a note: the comparison is made on that part), or
none at all, or the files of the two runs name different datasets; then they are not compared.

Conditions are compared on the same records, for records differ in difficulty by more than conditions do. What only one
side has is left out, and the rest may be no fair sample.

Score both conditions on the same records.
"""

CODE = "scr-rows-differ"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{a} and {b} were scored for {criterion} on different records: {differs}"
FIX = "score {a} and {b} on the same records"
_ROWS = "item,condition,criterion,score\n"


def _csv(first: int) -> str:
    closed = "".join(f"q{i},closed,clear,{i % 3}\n" for i in range(20))
    return _ROWS + closed + "".join(f"q{i},open,clear,{i % 3}\n" for i in range(first, first + 20))


PASS = ({"scores.csv": _csv(0)},)
FAIL = ({"scores.csv": _csv(20)}, {"scores.csv": _csv(5)})

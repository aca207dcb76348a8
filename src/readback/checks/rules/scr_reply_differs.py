"""A stored score is not what the judge wrote.

The file keeps the judge's raw reply beside the score. Read again, the reply gives another number, or a number where
the score was stored as failed or missing, or none that can be read where one was stored. The sentence says how the
reply was read: as a whole, from a fenced block, or from braces.

Programs that look for the first `{`, or the first fenced block, take a draft from the judge's thinking for its answer,
and write 0 where they find nothing. The mean then holds grades that nobody gave.

Read the reply, and score the row again from it.
"""

CODE = "scr-reply-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{criterion} of {item} is stored as {stored}, and the judge's reply says {written} (read by: {step})"
FIX = "read the reply, and score the row again from it"
_ROW = '{"item": "q%s", "condition": "closed", "relevance_score": %s, "raw_reply": "%s"}\n'
_SAYS = r"<think>{\"relevance_score\": 0}?</think> {\"relevance_score\": %s}"
PASS = (
    {"rows.jsonl": _ROW % (1, 2, _SAYS % 2) + _ROW % (2, 1, _SAYS % "1.0")},
    {"rows.jsonl": _ROW % (1, 2, "Rating: 2")},  # none of this judge's replies is JSON
    {"rows.jsonl": _ROW % (1, 2, _SAYS % 2) + _ROW % (2, "null", "I cannot say.")},
)
FAIL = (
    {"rows.jsonl": _ROW % (1, 0, _SAYS % 2)},
    {"rows.jsonl": _ROW % (1, "null", _SAYS % 2)},
    {"rows.jsonl": _ROW % (1, 2, _SAYS % 2) + _ROW % (2, 0, "I cannot say.")},
)

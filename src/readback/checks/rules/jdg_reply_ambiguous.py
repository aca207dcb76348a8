"""A judge's reply holds two objects that say different things.

A reply is read as one JSON object: the whole text, else the last block fenced as `json`, else any other fenced block,
else the last object in braces, after thinking is dropped. In this reply more than one object could be read, each with
a key that was asked for, and they are not the same. The last one was read; `others` counts the rest.

A judge that changes its mind, repeats the form it was given, or quotes an answer that holds such an object leaves it
open which score is meant. Another reader takes the first one, and the same reply is worth another grade.

Read the reply. Ask the judge for one object and nothing else, or for output under a schema.
"""

CODE = "jdg-reply-ambiguous"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the reply on {item} holds more than one answer ({others} besides the one that was read, by: {step})"
FIX = "read the reply; ask the judge for one JSON object and nothing else"
_ROW = '{"item": "q1", "condition": "closed", "judge": "j", "reply": "%s"}\n'
_TWO = r"First I thought {\"relevance_score\": %s}, but it is {\"relevance_score\": 2}."
PASS = (
    {"replies.jsonl": _ROW % (_TWO % "2")},
    {"replies.jsonl": _ROW % r"<think>{\"relevance_score\": 1}?</think>{\"relevance_score\": 2}"},
)
FAIL = ({"replies.jsonl": _ROW % (_TWO % "1")},)

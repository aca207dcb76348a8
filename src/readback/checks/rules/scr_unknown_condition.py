"""Scores belong to a condition that the workspace does not define.

The workspace names its conditions, and a score file has rows under another name. They are used like all others; the
finding comes once for each such name, with the number of scores.

Nothing connects these scores with prompts, answers or planned comparisons. Most often it is one of the conditions in
another spelling: then its numbers are beside those of the condition it belongs to and not among them.

Write the name as the workspace has it, list it under the condition's `aliases:`, or define the condition.
"""

CODE = "scr-unknown-condition"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "{count} {count:score is|scores are} of a condition '{name}', which the workspace does not define; it has {known}"
)
FIX = "write the name as the workspace has it[[ (nearest: {nearest})]], list it under aliases:, or define the condition"
_YML = "conditions: [{name: closed, aliases: [closed book]}, {name: open}]\nscores: [scores.csv]\n"
_CSV = "item,condition,relevance_score\nq1,closed,2\nq1,%s,1\n"
PASS = (
    {"readback.yml": _YML, "scores.csv": _CSV % "open"},
    {"readback.yml": _YML, "scores.csv": _CSV % "closed book"},
    {"scores.csv": _CSV % "anything"},
)
FAIL = ({"readback.yml": _YML, "scores.csv": _CSV % "Open"},)

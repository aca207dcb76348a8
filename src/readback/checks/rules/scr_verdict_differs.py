"""A judge's verdict is not what its own scores give.

The rubric says when an answer passes (a weighted total of at least 0.65 and every score at least 0.4, say), and for
this answer the scores that the judge gave lead to the other verdict. Only where the rubric is known: it is in the
workspace and says so in its prompt, or the run names one of the two published ones.

A pass rate counts the verdicts, a mean counts the scores: where they contradict each other, the two tell different
stories of the same answers, and a small model that judges is often simply wrong in its sums.

Work the verdict out from the scores, or read the judge's reasons for these answers and say which of the two counts.
"""

CODE = "scr-verdict-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "{item} under {condition}: the verdict is {verdict}, but its scores ({scores}; total {total}) give {expected}"
)
FIX = "work verdicts out from the scores by the rubric's rule: {rule}"
_ROW = (
    '{"task_id": "1", "model_label": "x", "prompt_mode": "rag", "judge_verdict": "%s", "judge_scores": '
    '{"factuality": 0.8, "grounding": %s, "completeness": 0.7, "communication": 0.9}}\n'
)
_METRICS = (
    '{"summary": {"model_label": "x", "judge_name": "scientific_default_rag", "examples_evaluated": 1}, "examples": []}'
)
_YML = "scores: [x/details.jsonl, x/metrics.json]\n"
PASS = (
    {"readback.yml": _YML, "x/details.jsonl": _ROW % ("pass", "0.4"), "x/metrics.json": _METRICS},
    {"readback.yml": _YML, "x/details.jsonl": _ROW % ("fail", "0.3"), "x/metrics.json": _METRICS},
    {"readback.yml": "scores: [x/details.jsonl]\n", "x/details.jsonl": _ROW % ("pass", "0.3")},
)
FAIL = ({"readback.yml": _YML, "x/details.jsonl": _ROW % ("pass", "0.3"), "x/metrics.json": _METRICS},)

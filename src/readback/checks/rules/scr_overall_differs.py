"""A stated total is not the weighted mean of its scores.

Beside the scores of its criteria an answer (or a file of means) has a total, and the weights of the rubric give
another one: the sum of weight times score over the criteria that apply, divided by the sum of their weights. Only
where the weights are known.

The total was worked out with other weights, with a criterion that does not apply counted as 0, on another scale, or
by a judge that cannot add: totals of two conditions then differ by their sums and not by their answers.

Work the total out from the scores, and compare totals only where the weights are the same.
"""

CODE = "scr-overall-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{item} under {condition}: {criterion} is stated as {stated}; {weights} gives {total}"
FIX = "work {criterion} out from the scores and the rubric's weights"
_ROW = (
    '{"task_id": "1", "model_label": "x", "prompt_mode": "rag", "judge_scores": '
    '{"factuality": 0.8, "grounding": 0.6, "completeness": 0.5, "communication": 0.9, "overall": %s}}\n'
)
_METRICS = (
    '{"summary": {"model_label": "x", "judge_name": "scientific_default_rag", "examples_evaluated": 1}, "examples": []}'
)
_YML = "scores: [x/details.jsonl, x/metrics.json]\n"
PASS = (
    {"readback.yml": _YML, "x/details.jsonl": _ROW % "0.69", "x/metrics.json": _METRICS},
    {"readback.yml": "scores: [x/details.jsonl]\n", "x/details.jsonl": _ROW % "0.5"},
)
FAIL = ({"readback.yml": _YML, "x/details.jsonl": _ROW % "0.75", "x/metrics.json": _METRICS},)

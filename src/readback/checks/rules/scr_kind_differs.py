"""One trait is scored in two kinds.

A trait of a results file is true or false in one row, and a number or a class in another. They are kept apart as two
criteria, the later one with its kind in its name.

True and 1 would else be one score, and a mean over both means nothing. Mostly the rubric was changed between two runs
that were put into one file, or a question has a trait of its own under a name that is used for all.

Give the traits different names, or judge the older run again with the newer rubric.
"""

CODE = "scr-kind-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "{criterion} is scored as {kind} (from line {first}) and as {other}; the latter is kept apart as {called}"
FIX = "give the two traits different names, or judge again with one rubric"
_MODELS = '"answering": {"interface": "api", "model_name": "m"}, "parsing": {"interface": "api", "model_name": "j"}'
_ROW = '{"metadata": {"question_id": "%s", "template_id": "t", %s}, "rubric": {"llm_trait_scores": {"clear": %s}}}\n'
PASS = ({"run.results.jsonl": _ROW % ("q1", _MODELS, "true") + _ROW % ("q2", _MODELS, "false")},)
FAIL = ({"run.results.jsonl": _ROW % ("q1", _MODELS, "true") + _ROW % ("q2", _MODELS, "3")},)

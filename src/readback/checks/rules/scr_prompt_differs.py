"""A judge scored two conditions with two different prompts.

The judge has one name, and the prompt it was given for one condition is not the one it was given for the other.

The same model with another prompt is another judge: another scale in other words, stricter or milder. A difference may
come from the prompt alone.

Judge both with one prompt, or give the two judges two names.
"""

CODE = "scr-prompt-differs"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the judge's prompt for {criterion} is not the same for {a} and {b}: {differs} (pairs: {pairs})"
FIX = "judge both conditions with one prompt, or give the two judges two names"
_PLAN = """\
scores: [scores.csv]
conditions: [{name: closed, judge: mild}, {name: open, judge: %s}]
judges:
  mild: {prompts: mild.yaml}
  strict: {prompts: strict.yaml}
comparisons: [{a: closed, b: open, criterion: clear}]
"""
_JUDGE = "prompt: '%s {{QUESTION}} {{ASSISTANT_RESPONSE}}'\ncriteria: [{id: clear}]\n"
_FILES = {
    "mild.yaml": _JUDGE % "Be mild.",
    "strict.yaml": _JUDGE % "Be strict.",
    "scores.csv": "item,condition,criterion,score\n"
    + "".join(f"q{i},{c},clear,{i % 3}\n" for i in range(20) for c in ("closed", "open")),
}
PASS = ({"readback.yml": _PLAN % "mild", **_FILES},)
FAIL = ({"readback.yml": _PLAN % "strict", **_FILES},)

"""A judge's prompt is empty.

The rubric's `prompt` (or a definition's `prompt_template`) has no text.

The program sends the empty text, and a model that is asked nothing still answers with scores.

Write the prompt.
"""

CODE = "jdg-empty-prompt"
SEVERITY = "error"
ON = "load"
SENTENCE = "judge {judge} has an empty prompt"
FIX = "write the prompt"
PASS = ({"judge.yaml": 'prompt: "Grade {{ASSISTANT_RESPONSE}}"\ncriteria: [{id: clarity}]\n'},)
FAIL = ({"judge.yaml": 'prompt: ""\ncriteria: [{id: clarity}]\n'},)

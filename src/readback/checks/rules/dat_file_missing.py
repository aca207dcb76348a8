"""A file cannot be read.

A file that is named somewhere and is not there, is a folder or a device, or may not be read.

Whatever was to come from it is missing: records, a template, answers, scores.

Correct the path: it is seen from the file that names it.
"""

CODE = "dat-file-missing"
SEVERITY = "error"
ON = "load"
SENTENCE = "'{path}' cannot be read: {reason}"
FIX = "correct the path, or put the file there"
PASS = ({"readback.yml": "dataset: {path: data.jsonl}\n", "data.jsonl": '{"id": "1"}\n'},)
FAIL = ({"readback.yml": "dataset: {path: data.jsonl}\n"},)

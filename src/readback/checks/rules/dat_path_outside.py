"""A path leads out of the workspace.

An absolute path, one with too many .. in it, or a link to somewhere else. It is not followed.

A workspace may come from anybody. What it names must not bring other files of this machine onto the page.

Put the file into the workspace. A link may lead elsewhere in the workspace, or into the blobs of the same Hugging Face
cache entry.
"""

CODE = "dat-path-outside"
SEVERITY = "error"
ON = "load"
SENTENCE = "'{path}' leads out of the workspace"
FIX = "put the file into the workspace"
PASS = ({"readback.yml": "dataset: {path: ./deep/../data.jsonl}\n", "data.jsonl": '{"id": "1"}\n'},)
FAIL = ({"readback.yml": "dataset: {path: ../data.jsonl}\n"}, {"readback.yml": "dataset: {path: /etc/passwd}\n"})

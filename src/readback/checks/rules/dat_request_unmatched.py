"""A logged request belongs to no prompt here.

A row of the logs under `sent:` names no record of the dataset or no condition of the workspace, leaves open which of
several it is of, or holds no request at all: no messages, no prompt, no request body.

Such a row proves nothing: it is left out of the count of requests that are equal to what the files assemble to.

Write the record's id and the condition's name into each logged row, or name the log file after its condition.
"""

CODE = "dat-request-unmatched"
SEVERITY = "warning"
ON = "load"
SENTENCE = "a logged request is left out: {reason}"
FIX = "log the record's id and the condition's name with each request"
_HEAD = "dataset: data.jsonl\nmodes: [{mode: plain, template: '{{ question }}'}]\n"
_DATA = '{"id": "1", "question": "Why?"}\n'
PASS = (
    {
        "readback.yml": _HEAD + "sent: [log.jsonl]\n",
        "data.jsonl": _DATA,
        "log.jsonl": '{"record": "1", "prompt": "Why?"}\n',
    },
)
FAIL = (
    {
        "readback.yml": _HEAD + "sent: [log.jsonl]\n",
        "data.jsonl": _DATA,
        "log.jsonl": '{"record": "2", "prompt": "Why?"}\n',
    },
    {
        "readback.yml": _HEAD + "sent: [log.jsonl]\nconditions: [{name: a, mode: plain}, {name: b, mode: plain}]\n",
        "data.jsonl": _DATA,
        "log.jsonl": '{"record": "1", "prompt": "Why?"}\n',
    },
    {
        "readback.yml": _HEAD + "sent: [log.jsonl]\n",
        "data.jsonl": _DATA,
        "log.jsonl": '{"record": "1", "status": 200}\n',
    },
)

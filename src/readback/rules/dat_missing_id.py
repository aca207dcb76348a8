"""Records have no id of their own.

No field gives every record an id (id, task_id, qid, question_id, item_id are tried), or a record lacks the field that
the workspace names, or holds something there that is neither a text nor a number. Such a record is called by its line:
line_12. A private field is no id either, for ids are shown everywhere.

Called by its line, a record gets another name as soon as a line is put before it: notes, decisions and scores then
point to the wrong one, and answers may be taken for those of another record.

Give every record an id, or name the field under dataset: id.
"""

CODE = "dat-missing-id"
SEVERITY = "warning"
ON = "load"
SENTENCE = "no id under {field}; called by line: {called}"
FIX = "give every record an id, or name the field under dataset: id"
PASS = ({"data.jsonl": '{"task_id": 7, "question": "why"}\n'},)
FAIL = (
    {"data.jsonl": '{"question": "why"}\n'},
    {"data.jsonl": '{"id": "1"}\n{"id": null}\n'},
    {"readback.yml": "dataset: {path: d.jsonl, id: key}\n", "d.jsonl": '{"key": "a"}\n{"id": "b"}\n'},
)

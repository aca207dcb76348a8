"""Records have no id of their own.

The id is the first of id, task_id, qid, question_id, item_id that every record has, else the one that most records
have (at least half of them), or the field that the workspace names. A record without it, or with something there that
is neither a text nor a number, is called by its line, line_12, while the others keep their ids; so are all records
where no field is the id. A record that has such a name as its own keeps it, and the other one is called line_12_. A
private field is no id either, for ids are shown everywhere. Of scores without a column of ids it is said once, for
information.

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
    {"data.jsonl": '{"id": "1"}\n{"id": null}\n{"id": "3"}\n'},
    {"readback.yml": "dataset: {path: d.jsonl, id: key}\n", "d.jsonl": '{"key": "a"}\n{"id": "b"}\n'},
)

"""A file holds no records.

A dataset without a single record: an empty file, blank lines only, a header without rows; or a score file that is a
header alone. A table of which only the columns are named, and that nobody names, is no dataset; it is said for
information.

There is nothing to build a prompt from. Often a download or an export broke off before it wrote anything; or the file
is a form that people have yet to fill in.

Write the file again, or name another one.
"""

CODE = "dat-empty-file"
SEVERITY = "error"
ON = "load"
SENTENCE = "it holds no records[[; its columns are: {columns}]]"
FIX = "write the file again, or name another one"
PASS = ({"data.csv": "id,question\n1,why\n"},)
FAIL = (
    {"data.jsonl": ""},
    {"data.csv": "id,question\n"},
    {"human_scores.csv": "id,score\n", "q.jsonl": '{"id": "1"}\n'},
)

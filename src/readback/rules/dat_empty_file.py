"""A file holds no records.

A dataset without a single record: an empty file, blank lines only, a header without rows.

There is nothing to build a prompt from. Often a download or an export broke off before it wrote anything.

Write the file again, or name another one.
"""

CODE = "dat-empty-file"
SEVERITY = "error"
ON = "load"
SENTENCE = "it holds no records"
FIX = "write the file again, or name another one"
PASS = ({"data.csv": "id,question\n1,why\n"},)
FAIL = ({"data.jsonl": ""}, {"data.csv": "id,question\n"})

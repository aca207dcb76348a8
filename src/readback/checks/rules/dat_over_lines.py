"""Records of a file of JSON lines are not one to a line.

A file that is called `.jsonl` holds objects written over several lines, one after the other, or one list of them, as a
JSON library writes them for people to read. All records are read here; an object with a fault in it is one error, with
its line. In a file called `.json` a list is what everybody expects.

A loader that takes each line for a record fails at the first of them, or skips them one by one as broken lines.

Write each object in one line: with the command that the finding names, or without `indent` where a program writes it.
"""

CODE = "dat-over-lines"
SEVERITY = "error"
ON = "load"
SENTENCE = (
    "{records} {records:record has|records have} no line of {records:its|their} own ({how}): "
    "read here, but loaders that read line by line fail"
)
FIX = "write each object in one line: {command}, or no indent in the program that writes the file"
PASS = (
    {"data.jsonl": '{"id": "1", "text": "one"}\n{"id": "2", "text": "two"}\n'},
    {"data.json": '[\n  {"id": "1"},\n  {"id": "2"}\n]\n'},
)
FAIL = (
    {"data.jsonl": '{\n  "id": "1"\n}\n{\n  "id": "2"\n}\n'},
    {"data.jsonl": '[\n  {"id": "1"},\n  {"id": "2"}\n]\n'},
    {"data.jsonl": '{"id": "1"}\n{\n  "id": "2"\n}{\n  "id": "3"\n}\n'},
)

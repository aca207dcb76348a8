"""A column of a table holds JSON, and is read as JSON.

In a CSV or TSV file every cell of a column that is not empty is a JSON list or a JSON object. The cells are read as
lists and objects. A column with one other cell stays text.

A template can then go through the documents of a list, and a judge gets them one by one. A template that prints the
whole cell prints it as Python does, not as it is in the file.

Nothing has to be done. `dataset: {json: []}` keeps every cell a text, `dataset: {json: [column]}` names the columns.
"""

CODE = "dat-json-column"
SEVERITY = "info"
ON = "load"
SENTENCE = "every cell is a JSON list or object in {columns}, so they are read as JSON"
FIX = "nothing has to be done; dataset: {{json: []}} keeps them texts, json: [column] names the columns"
PASS = (
    {"data.csv": 'id,documents\n1,"[""One."", ""Two.""]"\n2,none\n'},
    {"data.csv": "id,documents\n1,One.\n2,\n"},
    {"readback.yml": "dataset: {path: data.csv, json: []}\n", "data.csv": 'id,documents\n1,"[""One.""]"\n'},
)
FAIL = (
    {"data.csv": 'id,documents\n1,"[""One."", ""Two.""]"\n2,\n'},
    {"data.tsv": 'id\tdocuments\n1\t[1, 2.50]\n2\t"{""a"": 1}"\n'},
)

"""A file holds lines of comments.

The first lines of a table begin with `# ` and do not name its columns, or are remarks as spreadsheets write them:
nothing but their first cell is filled, or none is, and the line below names every column. Or a summary is below the
table: an empty line, one that begins with `#`, and rows of another width. Or JSON lines begin with `#` or `//`, the
first of them before the first record. They are left out and counted as blank lines.

Nothing is wrong. But a program that knows nothing of comments takes the first of them for the header, where no cell
then is under its name, or fails at them.

Take the lines out if other programs are to read the file, too.
"""

CODE = "dat-comment-lines"
SEVERITY = "info"
ON = "load"
SENTENCE = "{lines} {lines:line|lines} {lines:is|are} taken for {lines:a comment|comments}: {first}"
FIX = "nothing, or take {lines:this line|these lines} out"
_REMARK = "Please do not train on this.,,\n,,\nid,split,question\n0,TEST,Why?\n"
PASS = (
    {"data.csv": "# ,question\n1,Why?\n2,When?\n"},
    {"data.csv": "#,question\n1,Why?\n"},
    {"data.csv": ",question\n0,Why?\n1,When?\n"},
    {"data.csv": "question,,\n1,Why?,x\n2,When?,y\n"},
)
FAIL = (
    {"data.csv": "# version=2\nid,question\n1,Why?\n"},
    {"data.csv": "# version=2,,\n# two notes\nid,question,answer\n1,Why?,So.\n"},
    {"data.csv": _REMARK},
    {"readback.yml": "dataset: t.csv\n", "t.csv": "id,question,score\n1,Why?,3\n\n# SUMMARY\nall,1\n"},
    {"eval.jsonl": '# made by hand\n{"id": "1", "question": "Why?"}\n'},
)

"""A table begins with lines of comments.

The first lines of a table begin with `# ` and do not name its columns, or are remarks as spreadsheets write them:
nothing but their first cell is filled, or none is, and the line below names every column. They are left out and
counted as blank lines.

Nothing is wrong. But a program that knows nothing of comments takes the first of them for the header, and then no cell
stands under its name.

Take the lines out if other programs are to read the table, too.
"""

CODE = "dat-comment-lines"
SEVERITY = "info"
ON = "load"
SENTENCE = "{lines} {lines:line|lines} above the header {lines:is|are} taken for {lines:a comment|comments}: {first}"
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
)

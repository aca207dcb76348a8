"""A table begins with lines of comments.

The first lines of a table begin with `# ` and do not name its columns; the header stands below them. They are left out,
as the program that wrote them leaves them out, and counted as blank lines.

Nothing is wrong. But a program that knows nothing of comments takes the first of them for the header, and then no cell
stands under its name.

Take the lines out if other programs are to read the table, too.
"""

CODE = "dat-comment-lines"
SEVERITY = "info"
ON = "load"
SENTENCE = "the first lines begin with # and are taken for comments ({lines}): {first}"
FIX = "nothing, or take these lines out"
PASS = (
    {"data.csv": "# ,question\n1,Why?\n2,When?\n"},
    {"data.csv": "#,question\n1,Why?\n"},
)
FAIL = (
    {"data.csv": "# version=2\nid,question\n1,Why?\n"},
    {"data.csv": "# version=2,,\n# two notes\nid,question,answer\n1,Why?,So.\n"},
)

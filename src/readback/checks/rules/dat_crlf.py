"""Lines end as on Windows.

Lines that end in carriage return and line feed. In a dataset the pair only ends the line; in a template, and inside
quoted cells, it is text and is sent.

A prompt with carriage returns has other bytes, and other tokens, than the same prompt without.

Save templates with line feeds only if the model is to see them so.
"""

CODE = "dat-crlf"
SEVERITY = "info"
ON = "load"
SENTENCE = "{lines} {lines:line ends|lines end} in carriage return and line feed"
FIX = "save the file with line feeds only, if these are not meant"
PASS = ({"data.csv": "id,question\n1,why\n"},)
FAIL = ({"data.csv": "id,question\r\n1,why\r\n"},)

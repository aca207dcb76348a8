"""A file or a record is too large.

A record of more than 16 MiB, or a configuration, template or other text of more than its limit. It is refused without
being held in memory.

A file of this size is rarely what it claims to be: a dataset without line ends, a binary file. Reading it would stop
everybody who uses this server.

Split the file, or write one record a line.
"""

CODE = "dat-too-large"
SEVERITY = "error"
ON = "load"
SENTENCE = "larger than {limit} {limit:byte|bytes}"
FIX = "split it, or write one record a line"
TOO_LARGE = {"readback.yml": "modes: [{mode: a, template_file: a.txt}]\n", "a.txt": "-" * (1 << 20) + "\n"}
PASS = ({"data.jsonl": '{"id": "1"}\n'},)
FAIL = (TOO_LARGE,)

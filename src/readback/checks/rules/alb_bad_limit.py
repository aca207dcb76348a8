"""The limit is not a whole number above zero.

`limit` of the record or of the mode's defaults is a text, a list or a negative number. All chunks of the row are used.

The program hands the value to its search, which fails.

Give `limit` as a number.
"""

CODE = "alb-bad-limit"
SEVERITY = "error"
ON = "load"
SENTENCE = "limit is {value}, which is not a number of chunks; the list stays whole ({kept})"
FIX = "give limit as a whole number above zero"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.text }} {% endfor %}{{ query }}\n"
_ROW = '{"id": "1", "query": "Q", "limit": %s, "sheet_chunks": [{"text": "a"}, {"text": "b"}]}\n'
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
PASS = ({"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE, "data.jsonl": _ROW % "2"},)
FAIL = ({"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE, "data.jsonl": _ROW % '"many"'},)

"""Not all chunks of the row are used.

The program searches for `limit` chunks (3 where neither the data nor the mode's defaults say), one more with
`skip_first`, whose first hit is dropped. Readback never searches: it takes the row's list, drops the first item under
`skip_first` and keeps `limit` items.

Rows often store more chunks than were sent. The preview shows what the limit leaves.

Nothing to repair; raise `limit` in the mode's `default`, or set the option `apply_limit: off` if the rows already hold
exactly what was sent.
"""

CODE = "alb-limit-applied"
SEVERITY = "info"
ON = "load"
SENTENCE = "{kept} of {given} {name} {kept:is|are} used (limit {limit}, {skipped} skipped first)"
FIX = "raise limit, or set apply_limit: off if the row holds exactly what was sent"
_TEMPLATE = "{% for chunk in sheet_chunks %}{{ chunk.text }} {% endfor %}{{ query }}\n"
_ROW = '{"id": "1", "query": "Q", "sheet_chunks": [{"text": "a"}, {"text": "b"}, {"text": "c"}, {"text": "d"}]}\n'
PASS = (
    {
        "prompt_config.yml": "prompts: [{mode: rag, template: rag.jinja, default: {limit: 4}}]\n",
        "rag.jinja": _TEMPLATE,
        "data.jsonl": _ROW,
    },
)
FAIL = (
    {
        "prompt_config.yml": "prompts: [{mode: rag, template: rag.jinja}]\n",
        "rag.jinja": _TEMPLATE,
        "data.jsonl": _ROW,
    },
)

"""The query that is sent is not the record's.

The Albert program takes the last turn of the history where there is no query, and spells out acronyms before it renders
(` (long form)` behind each). Its list of acronyms is its own data; Readback uses the table under `acronyms:`, and none
without one. Both texts are shown.

What a judge or a reader finds under `query` in the dataset is then not what the model was asked.

Nothing to repair; take an entry out of `acronyms:` if the program does not have it.
"""

CODE = "alb-query-changed"
SEVERITY = "info"
ON = "load"
SENTENCE = "the query is sent as '{sent}'; the record has '{row}' (changed by its {why})"
FIX = "take the entry out of acronyms: if the program does not spell it out"
_CONFIG = {"prompt_config.yml": "prompts: [{mode: a, template: t.jinja}]\n", "t.jinja": "{{ query }}\n"}
_FILE = "dataset: data.jsonl\nprompts: [prompt_config.yml]\nacronyms: {CNI: carte nationale d'identité}\n"
_ROW = '{"id": "1", "query": "%s"}\n'
PASS = (
    {"readback.yml": _FILE, **_CONFIG, "data.jsonl": _ROW % "Comment obtenir un passeport ?"},
    {"readback.yml": _FILE, **_CONFIG, "data.jsonl": _ROW % "La CNI (carte nationale d'identité) ?"},
)
FAIL = (
    {"readback.yml": _FILE, **_CONFIG, "data.jsonl": _ROW % "Comment refaire sa CNI ?"},
    {**_CONFIG, "data.jsonl": '{"id": "1", "history": [{"role": "user", "content": "Why?"}]}\n'},
)

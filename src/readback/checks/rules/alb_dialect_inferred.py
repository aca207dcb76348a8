"""Albert files are taken for the later program's, because only it reads what they hold.

Nothing says which of the two Albert programs sends these prompts. The configuration has `models`, or a template reads
a name that ends in `_collection`; only the later program reads those, and nothing here is for the program of May 2024
alone. So they are shown as the later program sends them, as if `albert_dialect: current` were set.

It is a guess, so it is for information; yet it decides which text is shown: the two programs fill other names and send
other formats.

Write the option down: `options: {albert_dialect: current}` in readback.yml (`readback init` writes one), or
`albert_dialect: classic` where the program of the document sends these prompts. Compare shows both.
"""

CODE = "alb-dialect-inferred"
SEVERITY = "info"
ON = "load"
SENTENCE = (
    "{file} is read as the later Albert program reads it (albert_dialect: current), since only that one knows {signs}"
)
FIX = (
    "write options: {{albert_dialect: current}} into readback.yml, or albert_dialect: classic if the program of the "
    "document sends these prompts"
)
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
_FILE = "prompts: [prompt_config.yml]\noptions: {albert_dialect: %s}\n"
_TEMPLATE = "{%% for chunk in %s %%}{{ chunk.text }}{%% endfor %%}{{ query }}\n"
_LATER = {"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE % "chunks_collection"}
PASS = (
    {"readback.yml": _FILE % "current", **_LATER},
    {"readback.yml": _FILE % "classic", **_LATER},
    {"prompt_config.yml": _CONFIG, "rag.jinja": _TEMPLATE % "sheet_chunks"},
)
FAIL = (
    _LATER,
    {"prompt_config.yml": "models: [{model_kind: gemma}]\n" + _CONFIG, "rag.jinja": "{{ query }}\n"},
)

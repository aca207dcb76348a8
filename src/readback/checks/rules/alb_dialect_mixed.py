"""Albert files hold what only one of the two programs reads, and what only the other one does.

Nothing says which Albert program sends these prompts. There is `models` or a name that ends in `_collection`, which
only the later program reads; and `prompt_format`, `sheet_chunks` or `experience_chunks`, which only the program of May
2024 reads. They are shown as that of May 2024 sends them.

Whichever program sends these prompts, it leaves a part of what they ask for empty, without an error.

Say which one it is, `options: {albert_dialect: current}` or `albert_dialect: classic`, and take out what it does not
read.
"""

CODE = "alb-dialect-mixed"
SEVERITY = "warning"
ON = "load"
SENTENCE = (
    "only the later Albert program knows {signs} of {file}, and only that of May 2024 knows {against}; shown is what "
    "that of May 2024 sends"
)
FIX = (
    "write options: {{albert_dialect: current}} (or classic) into readback.yml, and take out what that program does "
    "not read"
)
_CONFIG = "prompt_format: %s\nprompts: [{mode: rag, template: rag.jinja}]\n"
_TEMPLATE = "{% for chunk in chunks_collection %}{{ chunk.text }}{% endfor %}{{ query }}\n"
_FILE = "prompts: [prompt_config.yml]\noptions: {albert_dialect: classic}\n"
PASS = (
    {"readback.yml": _FILE, "prompt_config.yml": _CONFIG % "chatml", "rag.jinja": _TEMPLATE},
    {"prompt_config.yml": _CONFIG % "null", "rag.jinja": _TEMPLATE},
)
FAIL = ({"prompt_config.yml": _CONFIG % "chatml", "rag.jinja": _TEMPLATE},)

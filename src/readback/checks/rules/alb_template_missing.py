"""A mode's template cannot be read.

The mode names a file that is not beside the configuration or is not a text, or it names none at all.

The program of the document refuses the whole configuration. Here the other modes are read. A mode that names no
template is shown as the later program sends it: the bare query.

Put the file beside the configuration, or correct its name.
"""

CODE = "alb-template-missing"
SEVERITY = "error"
ON = "load"
SENTENCE = "mode '{mode}' has no template: {reason}"
FIX = "put the template beside the configuration, or correct its name"
_CONFIG = "prompts: [{mode: rag, template: rag.jinja}]\n"
PASS = ({"prompt_config.yml": _CONFIG, "rag.jinja": "{{ query }}\n"},)
FAIL = (
    {"prompt_config.yml": _CONFIG, "rag.jinja2": "{{ query }}\n"},
    {"prompt_config.yml": "prompts: [{mode: rag}]\n"},
)

"""A mode names its template by a path.

A template is a file in the same folder as the configuration; this name has a folder, `..` or a drive in it, is
absolute, leads out by a link, or is not a text.

The program joins the name to the model's repository without looking, so it may read any file, or none after the files
have moved. Such a template is not read here.

Put the file beside the configuration and give its name alone.
"""

CODE = "alb-template-path"
SEVERITY = "error"
ON = "load"
SENTENCE = "mode '{mode}' names its template '{template}': {reason}"
FIX = "put the template beside the configuration and give its name alone"
_CONFIG = "prompts: [{mode: rag, template: %s}]\n"
PASS = ({"prompt_config.yml": _CONFIG % "rag.jinja", "rag.jinja": "{{ query }}\n"},)
FAIL = (
    {"prompt_config.yml": _CONFIG % "../rag.jinja"},
    {"prompt_config.yml": _CONFIG % "templates/rag.jinja", "templates/rag.jinja": "{{ query }}\n"},
)

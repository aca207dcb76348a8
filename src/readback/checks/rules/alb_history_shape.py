"""The conversation so far leaves no place for the rendered text.

The rendered text replaces the last turn of `history` if that is the user's, or the user's turn before a last answer.
This history ends otherwise, or is not a list of {role, content}. (Where the program sends the rendered text alone, for
want of a chat format, nothing is lost but the history, and that has a rule of its own.)

With another ending the program sends the history as it is: template and sources are lost silently. A history
that cannot be read is left out here.

End the history with the user's turn (or with the user's and the assistant's for training).
"""

CODE = "alb-history-shape"
SEVERITY = "error"
ON = "load"
SENTENCE = "the history ends with {roles}, so the rendered text has no place in it"
FIX = "end the history with the user's turn"
_CONFIG = {
    "prompt_config.yml": "prompt_format: chatml\nprompts: [{mode: a, template: a.jinja}]\n",
    "a.jinja": "{{ query }}\n",
}
_ROW = '{"id": "1", "query": "Q", "history": [{"role": "%s", "content": "Hello"}]}\n'
PASS = ({**_CONFIG, "data.jsonl": _ROW % "user"},)
FAIL = ({**_CONFIG, "data.jsonl": _ROW % "assistant"},)

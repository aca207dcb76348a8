"""What was sent is not what the files assemble to.

A logged request, or the prompt that a saved response kept, differs from the messages made here for the same record
and condition. The first difference is shown: the text of a message, a role, or a message that only one of them has.

The answers and scores at hand belong to what was sent. What is read on screen explains them only where both are equal.

Look at the first difference: another version of the template or the data, an option of the program that assembled the
request, or a client that adds, trims or drops something. Load the files of that run, or run again.
"""

CODE = "fmt-assembly-differs"
SEVERITY = "error"
ON = "load"
SENTENCE = "what was sent differs ({what}, {role} message, character {at}): here {ours}, sent {sent}"
FIX = "load the files that the run was made with, set the option it used, or run it again (logged at {logged})"
_HEAD = "dataset: data.jsonl\nmodes: [{mode: plain, system: 'Be kind.', template: 'Q: {{ question }}'}]\n"
_DATA = '{"id": "1", "question": "Why?"}\n'


def _logged(*messages: tuple[str, str]) -> str:
    said = ", ".join(f'{{"role": "{role}", "content": "{text}"}}' for role, text in messages)
    return f'{{"record": "1", "messages": [{said}]}}\n'


PASS = (
    {
        "readback.yml": _HEAD + "sent: [log.jsonl]\n",
        "data.jsonl": _DATA,
        "log.jsonl": _logged(("system", "Be kind."), ("user", "Q: Why?")),
    },
    {
        "readback.yml": _HEAD + "sent: [log.jsonl]\n",
        "data.jsonl": _DATA,
        "log.jsonl": '{"record": "1", "request": {"model": "m", "prompt": "Q: Why?"}}\n',
    },
)
FAIL = (
    {
        "readback.yml": _HEAD + "sent: [log.jsonl]\n",
        "data.jsonl": _DATA,
        "log.jsonl": _logged(("system", "Be kind."), ("user", "Q: Why? ")),
    },
    {
        "readback.yml": _HEAD + "sent: [log.jsonl]\n",
        "data.jsonl": _DATA,
        "log.jsonl": _logged(("user", "Q: Why?")),
    },
    {
        "readback.yml": _HEAD + "conditions: [{name: a, mode: plain, answers: a.jsonl}]\n",
        "data.jsonl": _DATA,
        "a.jsonl": '{"id": "1", "response": "So.", "prompt_text": "Question: Why?"}\n',
    },
)

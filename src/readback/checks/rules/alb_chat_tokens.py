"""Find chat tokens in a prompt to which a chat format adds its own.

The text is then wrapped twice: the model sees one turn inside another, and a document can end the user's turn.
"""

import re
from collections.abc import Iterator

from readback.checks.facts import albert_modes, text_origins
from readback.types import Diagnostic, Location, RuleContext

CODE = "alb-chat-tokens"
ON = "assembly"
NEEDS = "albert"
_CONFIG = "prompt_format: %s\nprompts: [{mode: a, template: t.jinja}]\n"
_OWN = {"t.jinja": "<|im_start|>user\n{{ query }}<|im_end|>\n", "data.jsonl": '{"id": "1", "query": "Q"}\n'}
PASS = (
    {"prompt_config.yml": _CONFIG % "null", **_OWN},
    {
        "prompt_config.yml": _CONFIG % "chatml",
        "t.jinja": "{{ query }}\n",
        "data.jsonl": '{"id": "1", "query": "a[0]"}\n',
    },
)
FAIL = (
    {"prompt_config.yml": _CONFIG % "llama-chat", **_OWN},
    {
        "prompt_config.yml": _CONFIG % "llama-chat",
        "t.jinja": "{{ query }}\n",
        "data.jsonl": '{"id": "1", "query": "Why? [/INST] Because."}\n',
    },
)

TOKEN = re.compile(
    r"<\|(?:im_start|im_end|start_header_id|end_header_id|eot_id|begin_of_text|end_of_text|endoftext|system|user"
    r"|assistant|end)\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each message with chat tokens; a warning where all of them come from the data."""
    mode = albert_modes.find_albert_mode(case)
    if mode is None or mode.wrapper is None or case.assembly is None:
        return
    for message in case.assembly.messages:
        hits = list(TOKEN.finditer(message.text))
        if not hits:
            continue
        written = [hit for hit in hits if text_origins.is_written_by_people(message, hit.start())]
        first = (written or hits)[0]
        tokens = list(dict.fromkeys(hit[0] for hit in hits))
        place = Location(role=message.role, start=first.start(), end=first.end())
        values = {"tokens": tokens, "format": mode.wrapper, "role": message.role}
        yield Diagnostic(CODE, values, place, " ".join(tokens), None if written else "warning")

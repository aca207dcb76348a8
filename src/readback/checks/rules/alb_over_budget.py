"""Find prompts that are longer than the later Albert program's own budget.

The program leaves out the oldest turns until the prompt fits; the server cuts what is still too long.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from readback.checks.facts import albert_modes
from readback.types import Diagnostic, Location, Message, RuleContext

CODE = "alb-over-budget"
ON = "assembly"
NEEDS = "albert"
_CONFIG = "max_tokens: %s\nprompts: [{mode: a, template: t.jinja}]\n"  # of the classic program
_REST = {"t.jinja": "{{ query }}\n", "data.jsonl": '{"id": "1", "query": "one two three four five six seven eight"}\n'}
PASS = ({"prompt_config.yml": _CONFIG % 13, **_REST}, {"prompt_config.yml": _CONFIG % "null", **_REST})
FAIL = ({"prompt_config.yml": _CONFIG % 12, **_REST},)

FEWEST = 3  # turns that are never left out
CUT = "it would leave out the {turns} oldest turns, down to about {left}"  # always pairs
UNCUT = "it would leave out no turn, so the server cuts what does not fit"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding with the estimate, and with the turns that the program would leave out."""
    mode = albert_modes.find_albert_mode(case)
    if mode is None or mode.max_tokens is None or case.assembly is None:
        return
    if not mode.is_current:
        return  # the classic program's cut is applied, and reported, where the messages are assembled
    budget = mode.max_tokens * albert_modes.SHARE
    words = _count_words(case.assembly.messages)
    if words * albert_modes.PER_WORD <= budget:
        return
    system = [message for message in case.assembly.messages[:1] if message.role == "system"]
    turns = case.assembly.messages[len(system) :]
    remaining = turns
    while len(remaining) > FEWEST and _count_words((*system, *remaining)) * albert_modes.PER_WORD > budget:
        remaining = remaining[2:]
    values: dict[str, Any] = {
        "words": words,
        "estimate": math.ceil(words * albert_modes.PER_WORD),
        "max_tokens": mode.max_tokens,
        "budget": round(budget, 1),
        "turns": len(turns) - len(remaining),
        "left": math.ceil(_count_words((*system, *remaining)) * albert_modes.PER_WORD),
    }
    values["cut"] = (CUT if values["turns"] else UNCUT).format(**values)
    yield Diagnostic(CODE, values, Location(role="user"), str(mode.max_tokens))


def _count_words(messages: Sequence[Message]) -> int:
    return sum(len(message.text.split()) for message in messages)

"""Find Modelfiles that put their own turns before every conversation.

Every prompt contains these turns, but no configuration and no log of requests shows them.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from readback.checks.facts.modelfiles import list_served_models
from readback.types import Diagnostic, RuleContext

CODE = "oll-preseeded-turns"
ON = "workspace"
PASS = ({"Modelfile": "FROM x\nSYSTEM Be brief.\n"},)
FAIL = ({"Modelfile": "FROM x\nMESSAGE user Is it high water?\nMESSAGE assistant No.\n"},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each Modelfile with MESSAGE, with the number of turns by role."""
    for served in list_served_models(case):
        commands = [(text, line) for name, text, line in served.modelfile.commands if name == "message"]
        if commands:
            counts = Counter(text.partition(": ")[0] for text, _ in commands)
            roles = ", ".join(f"{count} {role}" for role, count in counts.items())
            place = replace(served.modelfile.place, line=commands[0][1])
            yield Diagnostic(CODE, {"count": len(commands), "roles": roles, "model": served.name}, place, roles)

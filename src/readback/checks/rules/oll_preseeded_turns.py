"""A Modelfile puts turns of its own before every conversation.

It has `MESSAGE` lines. Ollama sends them to the model before whatever a program sends, after the system message.

Every prompt carries them though no configuration or log of requests shows them: answers follow the example they give,
and a model that was trained without them meets turns it does not know.

Take them out where they are not meant, or state them beside the scores.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from readback.checks.facts.served_texts import modelfiles
from readback.types import Diagnostic, RuleContext

CODE = "oll-preseeded-turns"
SEVERITY = "info"
ON = "workspace"
SENTENCE = "Ollama puts {count} {count:turn|turns} of this Modelfile before every conversation ({roles})"
FIX = "take the MESSAGE lines out, or state them beside the scores"
PASS = ({"Modelfile": "FROM x\nSYSTEM Be brief.\n"},)
FAIL = ({"Modelfile": "FROM x\nMESSAGE user Is it high water?\nMESSAGE assistant No.\n"},)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for model in modelfiles(case):
        turns = [(args.partition(": ")[0], line) for name, args, line in model.modelfile.commands if name == "message"]
        if turns:
            counted = Counter(role for role, _ in turns)
            roles = ", ".join(f"{n} {role}" for role, n in counted.items())
            place = replace(model.modelfile.place, line=turns[0][1])
            yield Diagnostic(CODE, {"count": len(turns), "roles": roles, "model": model.name}, place, roles)

"""Looks for oll-preseeded-turns; its words are in catalogue/en.yml."""

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
    for model in list_served_models(case):
        turns = [(args.partition(": ")[0], line) for name, args, line in model.modelfile.commands if name == "message"]
        if turns:
            counted = Counter(role for role, _ in turns)
            roles = ", ".join(f"{n} {role}" for role, n in counted.items())
            place = replace(model.modelfile.place, line=turns[0][1])
            yield Diagnostic(CODE, {"count": len(turns), "roles": roles, "model": model.name}, place, roles)

"""Find answers that show the judge which condition they come from.

A judge that recognises the condition may grade its opinion of the condition instead of the answer.
"""

import re
from collections.abc import Iterator

from readback.checks.facts import judge_prompt
from readback.checks.facts.conditions import find_condition
from readback.types import Condition, Diagnostic, RuleContext

CODE = "jdg-condition-visible"
ON = ("load", "assembly")
NEEDS = {"assembly": "judge"}
_FILE = """\
dataset: {path: data.jsonl}
judges: {j: {prompts: judge.py}}
modes: [{mode: short, template: "{{ question }}"}]
conditions:
  - {name: closed-v1, mode: short, judge: j, answers: closed.jsonl}
  - {name: open-v2, mode: short, judge: j, answers: open.jsonl}
"""
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer} {documents}"\n'
_IDS = "123456"
_DATA = "".join(f'{{"id": "{n}", "question": "Is closed-v1 good?", "documents": ["One."]}}\n' for n in _IDS)
_OWN = {"readback.yml": _FILE, "judge.py": _JUDGE, "data.jsonl": _DATA}
_PLAIN = "".join(f'{{"id": "{n}", "response": "So."}}\n' for n in _IDS)
PASS = (
    {
        **_OWN,
        "closed.jsonl": _PLAIN.replace("So", "The closed-v1 valve is meant [1]"),
        "open.jsonl": _PLAIN.replace("So", "So [1]"),
    },
    {**_OWN, "closed.jsonl": _PLAIN, "open.jsonl": _PLAIN.replace("So", "An AI model was trained by the hospital")},
)
FAIL = (
    {**_OWN, "closed.jsonl": _PLAIN, "open.jsonl": _PLAIN.replace("So", "Here is what open-v2 says")},
    {**_OWN, "closed.jsonl": _PLAIN, "open.jsonl": _PLAIN.replace("So", "As an AI model trained by Acme, I agree")},
    {**_OWN, "closed.jsonl": _PLAIN, "open.jsonl": _PLAIN.replace("So", "So [1]")},
)

MAKER = re.compile(
    r"\b(?:[Aa]s an? (?:AI|large language|language)(?: language)?(?: model| assistant)?,? |I(?: am|'m) [^.\n]{0,60}?)"
    r"(?:trained|developed|created|made|built) by [A-Z][\w.-]*",
)
ODD = re.compile(r"[\d_-]")
SHORTEST = 4  # letters of a name that nothing else has by chance


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each answer that has a name of its condition, or names the maker of its model."""
    if case.assembly:
        choice = case.assembly.choice
    else:
        choice = None
    if choice and choice.judge:
        condition = find_condition(case)
    else:
        condition = None
    if choice is None or condition is None:
        return
    inserted = list(judge_prompt.list_inserted_values(case))
    others = "\n".join(value.text for _, value in inserted if not value.name.startswith("answer"))
    patterns = [_compile_word(name) for name in _list_names(case, condition)]
    patterns = [*(pattern for pattern in patterns if not pattern.search(others)), MAKER]
    for message, value in inserted:
        if not value.name.startswith("answer"):
            continue
        hits = [hit for pattern in patterns if (hit := pattern.search(value.text))]
        if hits:
            first = min(hits, key=lambda hit: hit.start())
            place = value.locate(case, message, first.start(), first.end())
            values = {"condition": condition.name, "judge": choice.judge, "what": f"'{first[0]}'"}
            yield Diagnostic(CODE, values, place, first[0])


def _list_names(case: RuleContext, condition: Condition) -> Iterator[str]:
    """Yield the names of a condition, its model, adapter and mode that no other word has by chance."""
    model = case.workspace.models.get(condition.model or "")
    if model:
        served = model.settings.get("model")
    else:
        served = None
    names = (condition.name, *condition.aliases, condition.model, served, condition.adapter, condition.mode)
    for name in dict.fromkeys(names):
        if isinstance(name, str) and len(name) >= SHORTEST and ODD.search(name) and not name.isdecimal():
            yield name


def _compile_word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)

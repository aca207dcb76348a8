"""Find fences of three backticks in an answer that a judge is shown.

Many judges must reply in a fenced block, and an open fence in the answer makes the rest of the prompt part of it.
"""

import re
from collections.abc import Iterator

from readback.checks.facts import judge_prompt
from readback.types import Diagnostic, RuleContext

CODE = "jdg-answer-has-fence"
ON = "assembly"
NEEDS = "judge"
_FILE = "dataset: {path: data.jsonl}\njudges: {j: {prompts: judge.py}}\n"
_JUDGE = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{answer}\\n```json\\n{{}}\\n```\\n"\n'
_OWN = {"readback.yml": _FILE, "judge.py": _JUDGE}
PASS = ({**_OWN, "data.jsonl": '{"id": "1", "answer": "Use ``x`` or a `y`, not ```z```."}\n'},)
FAIL = (
    {**_OWN, "data.jsonl": '{"id": "1", "answer": "```python\\nprint(1)\\n```"}\n'},
    {
        **_OWN,
        "judge.py": 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{answer}"\n',
        "data.jsonl": '{"id": "1", "answer": "So:\\n```\\nprint(1)"}\n',
    },
)

FENCE = re.compile(r"^[ \t]{0,3}(?:```|~~~)(?!.*```.*$)", re.MULTILINE)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each answer with fences; info if all are closed and the judge's prompt has none."""
    judge = judge_prompt.find_judge(case)
    if judge is None or case.assembly is None:
        return
    has_own_fence = bool(FENCE.search(judge.user) or FENCE.search(judge.system or ""))
    for message, value in judge_prompt.list_inserted_values(case):
        if value.name.startswith(("answer", "response")):
            hits = list(FENCE.finditer(value.text))
        else:
            hits = []
        if hits:
            place = value.locate(case, message, hits[0].start(), hits[0].end())
            values = {"judge": case.assembly.choice.judge, "fences": len(hits)}
            is_light = len(hits) % 2 == 0 and not has_own_fence
            yield Diagnostic(CODE, values, place, str(len(hits)), "info" if is_light else None)

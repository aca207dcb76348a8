"""Find answers that begin with their prompt.

Trainers put the prompt before each answer, so the model learns to repeat what it is asked.
"""

from collections.abc import Iterator

from readback.checks.facts import training_rows
from readback.checks.facts.training_rows import Turn
from readback.types import Diagnostic, RuleContext

CODE = "trn-prompt-repeated"
ON = "record"
NEEDS = "training rows"
_PAIR = '{"prompt": "Human: Why?\\nAssistant:", "chosen": "%s It is so.", "rejected": "%s No."}\n'
_ASKED = '{"role": "user", "content": "Why is it so?"}'
PASS = (
    {"train.jsonl": _PAIR % ("", "")},
    {"train.jsonl": '{"prompt": "Hi", "completion": "Hi there."}\n'},
    {"train.jsonl": '{"chosen": "Human: Why?\\n\\nAssistant: So.", "rejected": "Human: Why?\\n\\nAssistant: No."}\n'},
)
FAIL = (
    {"train.jsonl": _PAIR % (("Human: Why?\\nAssistant:",) * 2)},
    {"train.jsonl": _PAIR % ("", "Human: Why?\\nAssistant:")},
    {"train.jsonl": '{"instruction": "Name the harbour.", "output": "Name the harbour.\\nQuay."}\n'},
    {
        "train.jsonl": f'{{"prompt": [{_ASKED}], '
        '"chosen": [{"role": "assistant", "content": "Why is it so?\\nSo."}], '
        '"rejected": [{"role": "assistant", "content": "No."}]}\n'
    },
)

LEAST = 12  # characters of a prompt that an answer repeats: a shorter one is a word that an answer may begin with


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding with the answers that begin with the whole prompt."""
    row = training_rows.read_row(case)
    if row and row.kind != "rag":
        prompt = row.question
    else:
        prompt = None
    if row is None or prompt is None or len(training_rows.collapse(prompt.text)) < LEAST:
        return
    first_turns = [(name, turns[0]) for name, turns in row.answers]
    repeated = [(name, turn) for name, turn in first_turns if _begins_with_prompt(turn, prompt)]
    if repeated:
        _, first = repeated[0]
        end = len(first.text) - len(first.text.lstrip()) + len(prompt.text.strip())
        values = {"answers": [name for name, _ in repeated], "characters": len(prompt.text)}
        yield Diagnostic(CODE, values, training_rows.locate(first, 0, end), first.field)


def _begins_with_prompt(answer: Turn, prompt: Turn) -> bool:
    """Return whether an answer begins with all of the prompt and continues after it."""
    prompt_text, text = prompt.text.strip(), answer.text.strip()
    return text.startswith(prompt_text) and len(text) > len(prompt_text)

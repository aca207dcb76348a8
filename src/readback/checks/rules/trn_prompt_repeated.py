"""Looks for trn-prompt-repeated; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import training_rows
from readback.checks.facts.training_rows import TrainingRow, Turn
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
    row = training_rows.read_row(case)
    prompt = row.question if row and row.kind != "rag" else None
    if row is None or prompt is None or len(training_rows.collapse(prompt.text)) < LEAST:
        return
    repeated = [(name, turn) for name, turn in _answers(row) if _repeats(turn, prompt)]
    if repeated:
        _, first = repeated[0]
        end = len(first.text) - len(first.text.lstrip()) + len(prompt.text.strip())
        values = {"answers": [name for name, _ in repeated], "characters": len(prompt.text)}
        place = training_rows.locate(first, 0, end)
        yield Diagnostic(CODE, values, place, first.field)


def _answers(row: TrainingRow) -> Iterator[tuple[str, Turn]]:
    """The first message of each answer, by what it is."""
    return ((name, turns[0]) for name, turns in row.answers)


def _repeats(answer: Turn, prompt: Turn) -> bool:
    """Whether an answer begins with all of the prompt and goes on behind it."""
    asked, text = prompt.text.strip(), answer.text.strip()
    return text.startswith(asked) and len(text) > len(asked)

"""Looks for trn-chat-roles; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_rows
from readback.checks.facts.training_rows import TrainingRow, Turn
from readback.types import Diagnostic, Location, RuleContext, Severity

CODE = "trn-chat-roles"
ON = "record"
NEEDS = "training rows"
_ROW = '{"messages": [%s]}\n'
_SYSTEM, _USER, _REPLY = ('{"role": "%s", "content": "x"}' % role for role in ("system", "user", "assistant"))  # noqa: UP031 - braces
_TOOL = '{"role": "tool", "content": "x"}'
_FROM = '{"from": "%s", "value": "x"}'
_CALL, _SEEN = ('{"role": "%s", "content": "x"}' % role for role in ("function_call", "observation"))  # noqa: UP031 - braces
PASS = (
    {"train.jsonl": _ROW % ", ".join((_SYSTEM, _USER, _REPLY, _USER, _REPLY))},
    {"train.jsonl": _ROW % ", ".join((_USER, _REPLY, _TOOL, _TOOL, _REPLY))},
    {"train.jsonl": _ROW % ", ".join((_USER, _REPLY, _CALL, _CALL, _SEEN, _REPLY))},
    {"train.jsonl": _ROW % ", ".join(_FROM % role for role in ("human", "function_call", "observation", "gpt"))},
)
FAIL = (
    {"train.jsonl": _ROW % ", ".join((_USER, '{"role": "bot", "content": "x"}'))},
    {"train.jsonl": _ROW % ", ".join((_USER, _USER, _REPLY))},
    {"train.jsonl": _ROW % ", ".join((_SYSTEM, _USER))},
    {"train.jsonl": _ROW % ", ".join((_USER, _REPLY, _SYSTEM, _USER, _REPLY))},
    {"train.jsonl": f'{{"prompt": "Why?", "chosen": [{_REPLY}], "rejected": [{_USER}]}}\n'},
)

LIKE = {"developer": "system", "function": "tool"}
ROLES = ("system", "user", "assistant", "tool")


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = training_rows.read_row(case)
    if row is None or not row.is_chat:
        return
    seen: set[str] = set()
    for turns in _conversations(row):
        for number, expected in _faults(turns):
            turn = turns[number]
            if turn.field in seen:
                continue
            seen.add(turn.field)
            roles = [one.role for one in turns]
            values = {"number": number + 1, "role": turn.role, "expected": list(expected), "roles": roles}
            # Trainers of this layout leave out a row whose turns do not alternate; others take the roles as they are.
            severity: Severity | None = "error" if _is_sharegpt(case, turn) else None
            yield Diagnostic(CODE, values, Location(field=turn.field), f"{turn.field} {' '.join(roles)}", severity)


def _is_sharegpt(case: RuleContext, turn: Turn) -> bool:
    """Whether the row has its messages as `from` and `value`."""
    fields = case.record.fields if case.record else {}
    messages = fields.get(turn.field.partition("[")[0])
    return isinstance(messages, list) and any(isinstance(one, dict) and "from" in one for one in messages)


def _conversations(row: TrainingRow) -> tuple[tuple[Turn, ...], ...]:
    """What is trained on, from the first message to the last; without messages that say nothing of their role."""
    wholes = [(*row.prompt, *row.completion)]
    if row.is_pair:
        wholes = [(*row.prompt, *row.chosen), (*(row.other_prompt or row.prompt), *row.rejected)]
    return tuple(tuple(turn for turn in whole if turn.role) for whole in wholes)


def _faults(turns: Sequence[Turn]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The numbers of messages whose role is wrong, and the roles that would be right."""
    roles = [LIKE.get(turn.role, turn.role) for turn in turns]
    for number, role in enumerate(roles):
        before = roles[number - 1] if number else None
        if role not in ROLES:
            yield number, ROLES
        elif role == "system" and number:
            yield number, ROLES[1:]
        elif role == before and role != "tool" and not turns[number].calls:
            yield number, tuple(one for one in ROLES[1:] if one != role)
    if roles and roles[-1] in ROLES and roles[-1] != "assistant":
        yield len(roles) - 1, ("assistant",)

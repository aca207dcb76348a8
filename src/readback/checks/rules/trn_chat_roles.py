"""Find training conversations with unexpected roles.

Trainers leave out a row of ShareGPT whose turns do not alternate, and others train on the roles as they are.
"""

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
    """Yield a finding for each field with a wrong role, with the roles that would be right."""
    row = training_rows.read_row(case)
    if row is None or not row.is_chat:
        return
    fields: set[str] = set()
    for turns in _list_conversations(row):
        for number, expected in _find_faults(turns):
            turn = turns[number]
            if turn.field in fields:
                continue
            fields.add(turn.field)
            roles = [turn.role for turn in turns]
            values = {"number": number + 1, "role": turn.role, "expected": list(expected), "roles": roles}
            # Trainers of this layout leave out a row whose turns do not alternate; others take the roles as they are.
            severity: Severity | None = "error" if _is_sharegpt(case, turn) else None
            yield Diagnostic(CODE, values, Location(field=turn.field), f"{turn.field} {' '.join(roles)}", severity)


def _is_sharegpt(case: RuleContext, turn: Turn) -> bool:
    """Return whether the row has its messages as `from` and `value`."""
    fields = case.record.fields if case.record else {}
    messages = fields.get(turn.field.partition("[")[0])
    if not isinstance(messages, list):
        return False
    return any(isinstance(message, dict) and "from" in message for message in messages)


def _list_conversations(row: TrainingRow) -> tuple[tuple[Turn, ...], ...]:
    """Return what is trained on, from the first message to the last, without messages that have no role."""
    conversations = [(*row.prompt, *row.completion)]
    if row.is_pair:
        conversations = [(*row.prompt, *row.chosen), (*(row.other_prompt or row.prompt), *row.rejected)]
    return tuple(tuple(turn for turn in turns if turn.role) for turns in conversations)


def _find_faults(turns: Sequence[Turn]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the index of each message whose role is wrong, with the roles that would be right."""
    roles = [LIKE.get(turn.role, turn.role) for turn in turns]
    for number, role in enumerate(roles):
        before = roles[number - 1] if number else None
        if role not in ROLES:
            yield number, ROLES
        elif role == "system" and number:
            yield number, ROLES[1:]
        elif role == before and role != "tool" and not turns[number].calls:
            yield number, tuple(expected for expected in ROLES[1:] if expected != role)
    if roles and roles[-1] in ROLES and roles[-1] != "assistant":
        yield len(roles) - 1, ("assistant",)

"""The roles of a training conversation are not those of a conversation.

Roles are system, user, assistant and tool (developer stands for system, function for tool). A system message comes
first; user and assistant take turns; what is trained on ends with an assistant's message. Answers of several tools may
follow one another.

A chat template either refuses such a row, so that training stops, or puts the turns together as they come, and the
model learns a conversation that never happens when it is served.

Give each message its role, join messages of one role, and end with the answer that is to be learnt.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import training_facts
from readback.checks.facts.training_facts import TrainingRow, Turn
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-chat-roles"
SEVERITY = "error"
ON = "record"
SENTENCE = "message {number} has the role '{role}', where one of {expected} is expected (roles: {roles})"
FIX = "give message {number} the role it should have, or take it out"
_ROW = '{"messages": [%s]}\n'
_SYSTEM, _USER, _REPLY = ('{"role": "%s", "content": "x"}' % role for role in ("system", "user", "assistant"))  # noqa: UP031 - braces
_TOOL = '{"role": "tool", "content": "x"}'
PASS = (
    {"train.jsonl": _ROW % ", ".join((_SYSTEM, _USER, _REPLY, _USER, _REPLY))},
    {"train.jsonl": _ROW % ", ".join((_USER, _REPLY, _TOOL, _TOOL, _REPLY))},
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
    row = training_facts.row(case)
    if row is None or not row.is_chat:
        return
    seen: set[str] = set()
    for turns in _conversations(row):
        for number, expected in _faults([LIKE.get(turn.role, turn.role) for turn in turns]):
            turn = turns[number]
            if turn.field in seen:
                continue
            seen.add(turn.field)
            roles = [one.role for one in turns]
            values = {"number": number + 1, "role": turn.role, "expected": list(expected), "roles": roles}
            yield Diagnostic(CODE, values, Location(field=turn.field), f"{turn.field} {' '.join(roles)}")


def _conversations(row: TrainingRow) -> tuple[tuple[Turn, ...], ...]:
    """What is trained on, from the first message to the last; without messages that say nothing of their role."""
    wholes = [(*row.prompt, *row.completion)]
    if row.is_pair:
        wholes = [(*row.prompt, *row.chosen), (*(row.other_prompt or row.prompt), *row.rejected)]
    return tuple(tuple(turn for turn in whole if turn.role) for whole in wholes)


def _faults(roles: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The numbers of messages whose role is wrong, and the roles that would be right."""
    for number, role in enumerate(roles):
        before = roles[number - 1] if number else None
        if role not in ROLES:
            yield number, ROLES
        elif role == "system" and number:
            yield number, ROLES[1:]
        elif role == before and role != "tool":
            yield number, tuple(one for one in ROLES[1:] if one != role)
    if roles and roles[-1] in ROLES and roles[-1] != "assistant":
        yield len(roles) - 1, ("assistant",)

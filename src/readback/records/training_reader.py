"""Read one row of training data in any of its formats; what is wrong in it is kept beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from readback.message_parts import parts, whole_message
from readback.records.row_fields import kind as json_kind
from readback.records.training_row import Kind, Stretch, TrainingRow, Turn, Wrong, kind_of
from readback.types import Values

# Other names that are taken for the usual ones.
ALIASES = {"summary": "completion", "response": "completion", "conversations": "messages"}
# Roles that rows have -> the role that trainers read them as. Sources: the data pages of LLaMA-Factory (human, gpt,
# function_call, observation), of ms-swift (tool_call, tool_response) and of axolotl, and FastChat's ShareGPT files.
ROLES = {
    "human": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "function_call": "assistant",
    "tool_call": "assistant",
    "observation": "tool",
    "tool_response": "tool",
    "function_response": "tool",
    "ipython": "tool",
}
CALLS = ("function_call", "tool_call")
# The roles that rows with `role` and `content` have, too; `human` or `gpt` there is no role of any chat template.
OF_TOOLS = (*CALLS, "observation", "tool_response", "function_response", "ipython")
PROMPTS = ("prompt", "instruction", "question", "query")  # what pairs call the text that both answers are for
SILENT = ("name", "weight", "reasoning", "tool_result")  # parts beside which a turn still lacks what it says
ABSENT = "absent"


def read(fields: Values) -> TrainingRow | None:
    """The row; None where it is of no known format. What is wrong in it is in `wrong`, never raised."""
    return _read(_Fields(fields))


class _Fields:
    """The very fields of a row, so that twenty rules that look at it one after another have it read once."""

    __slots__ = ("fields",)

    def __init__(self, fields: Values) -> None:
        self.fields = fields

    def __hash__(self) -> int:
        return id(self.fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Fields) and self.fields is other.fields


@lru_cache(maxsize=4)
def _read(one: _Fields) -> TrainingRow | None:
    kind = kind_of(one.fields)
    return READERS[kind](one.fields, _Seen(kind)) if kind else None


class _Seen:
    """What is noticed while a row is read."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.aliases: list[tuple[str, str]] = []
        self.wrong: list[Wrong] = []

    def row(self, **parts: Any) -> TrainingRow:
        return TrainingRow(self.kind, aliases=tuple(self.aliases), wrong=tuple(self.wrong), **parts)

    def named(self, fields: Values, name: str) -> str:
        """The key a value is under: its own, else one that is taken for it."""
        other = next((one for one, usual in ALIASES.items() if usual == name and one in fields), None)
        if name in fields or other is None:
            return name
        self.aliases.append((other, name))
        return other

    def text(self, fields: Values, field: str) -> tuple[Turn, ...]:
        """The one turn of a field that has to hold a text."""
        value = fields.get(field)
        if isinstance(value, str):
            if not value.strip():
                self.wrong.append(Wrong(field, json_kind(value)))
            return (Turn("", (Stretch(value, field),), field),)
        self.wrong.append(Wrong(field, json_kind(value) if field in fields else ABSENT))
        return ()

    def messages(self, value: Any, field: str, *, there: bool = True) -> tuple[Turn, ...]:
        """The messages of a list; a text alone is what the user or the assistant says."""
        if not isinstance(value, list) or not value:
            empty = isinstance(value, list)
            self.wrong.append(Wrong(field, "[]" if empty else json_kind(value) if there else ABSENT))
            return ()
        return tuple(self._message(one, f"{field}[{index}]") for index, one in enumerate(value))

    def _message(self, value: Any, field: str) -> Turn:
        if not isinstance(value, Mapping):
            self.wrong.append(Wrong(field, json_kind(value)))
            return Turn("", (), field)
        role = value.get("role", value.get("from"))
        calls = role in CALLS if isinstance(role, str) else False
        if isinstance(role, str) and ("role" not in value or role in OF_TOOLS):
            role = ROLES.get(role, role)
        name = "content" if "content" in value or "value" not in value else "value"
        if calls and (called := _called(value.get(name))):
            whole = whole_message({**value, name: "", "tool_calls": called}, "assistant")
            return Turn("assistant", (), field, True, whole)
        stretches = tuple(_stretches(value.get(name), f"{field}.{name}"))
        said = role if isinstance(role, str) else json_kind(role)
        whole = whole_message(value, said)
        if not any(one.text.strip() for one in stretches) and said in ("user", "assistant") and not _says(whole):
            found = json_kind("") if stretches else json_kind(value[name]) if name in value else ABSENT
            self.wrong.append(Wrong(f"{field}.{name}", found))
        return Turn(said, stretches, field, calls, whole)


def _stretches(content: Any, field: str) -> Iterator[Stretch]:
    """The texts of a message's content: one, or those of its parts."""
    if isinstance(content, str):
        yield Stretch(content, field)
    for index, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, str):
            yield Stretch(part, f"{field}[{index}]")
        elif isinstance(part, Mapping):
            name = next((one for one in ("text", "value") if isinstance(part.get(one), str)), None)
            if name:
                yield Stretch(part[name], f"{field}[{index}].{name}")


def _called(text: Any) -> list[dict[str, Any]]:
    """The tool calls that a turn `function_call` of a ShareGPT row holds as JSON: one or a list; [] where it has none.

    Source: how LLaMA-Factory reads such a turn, whose calls have a name and arguments.
    """
    if not isinstance(text, str):
        return []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    calls = value if isinstance(value, list) else [value]
    if not all(isinstance(call, Mapping) and isinstance(call.get("name"), str) for call in calls):
        return []
    return [{"type": "function", "function": dict(call)} for call in calls]


def _says(whole: Values | None) -> bool:
    """Whether a message without a text says something else: a call, a refusal, an image."""
    return any(part.kind not in SILENT for part in parts(whole))


def _system(fields: Values, turns: Sequence[Turn] = ()) -> tuple[Turn, ...]:
    """The system text in a field of its own, as a message; none where the messages have one."""
    text = fields.get("system")
    if not isinstance(text, str) or not text.strip() or any(turn.role in ("system", "developer") for turn in turns):
        return ()
    return (_turn("system", text, "system"),)


def _instruction(fields: Values, name: str, seen: _Seen) -> tuple[Turn, ...]:
    """What a field asks; of an instruction with an input both texts, which trainers join with a newline."""
    (asked, *_) = seen.text(fields, name) or (None,)
    given = fields.get("input")
    if asked is None or name != "instruction" or not isinstance(given, str) or not given.strip():
        return (asked,) if asked else ()
    return (Turn("", (*asked.stretches, Stretch(given, "input")), name),)


def _history(fields: Values) -> Iterator[Turn]:
    """Earlier turns of an instruction: a list of pairs of what was asked and answered."""
    listed = fields.get("history")
    for number, pair in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair):
            for at, role in enumerate(("user", "assistant")):
                yield _turn(f"history[{number}][{at}]", pair[at], role)


def _alpaca(fields: Values, seen: _Seen) -> TrainingRow:
    prompt = (*_system(fields), *_history(fields), *_instruction(fields, "instruction", seen))
    return seen.row(prompt=prompt, completion=seen.text(fields, "output"))


def _ready_text(fields: Values, seen: _Seen) -> TrainingRow:
    """All of the text is what the model learns; where its turns begin is the template's affair."""
    return seen.row(completion=seen.text(fields, "text"))


def _sft(fields: Values, seen: _Seen) -> TrainingRow:
    prompt = (*_system(fields), *seen.text(fields, "prompt"))
    return seen.row(prompt=prompt, completion=seen.text(fields, seen.named(fields, "completion")))


def _dpo(fields: Values, seen: _Seen) -> TrainingRow:
    # pairs may have their prompt inside both answers; one that lacks it among others that have it is the census's
    name = next((name for name in PROMPTS if name in fields), None)
    prompt = (*_system(fields), *_instruction(fields, name, seen)) if name else ()
    return seen.row(prompt=prompt, chosen=seen.text(fields, "chosen"), rejected=seen.text(fields, "rejected"))


def _chat_sft(fields: Values, seen: _Seen) -> TrainingRow:
    name = seen.named(fields, "messages")
    prompt, completion = _cut(seen.messages(fields.get(name), name))
    return seen.row(prompt=(*_system(fields, prompt), *prompt), completion=completion)


def _chat_dpo_input(fields: Values, seen: _Seen) -> TrainingRow:
    inner = fields.get("input")
    holds = inner if isinstance(inner, Mapping) else {}
    prompt = seen.messages(holds.get("messages"), "input.messages", there="messages" in holds)
    return seen.row(
        prompt=prompt,
        chosen=_list(fields, "preferred_output", seen),
        rejected=_list(fields, "non_preferred_output", seen),
    )


def _chat_dpo_lists(fields: Values, seen: _Seen) -> TrainingRow:
    return _of_wholes(_list(fields, "chosen_messages", seen), _list(fields, "rejected_messages", seen), seen)


def _chat_dpo(fields: Values, seen: _Seen) -> TrainingRow:
    """Chosen and rejected as lists of messages (or texts) after a prompt; or as whole conversations without one."""
    chosen, rejected = (_either(fields, name, "assistant", seen) for name in ("chosen", "rejected"))
    named = next((name for name in ("prompt", "messages") if name in fields), None)
    named = named or (seen.named(fields, "messages") if "conversations" in fields else None)
    if named is None and len(chosen) > 1:
        return _of_wholes(chosen, rejected, seen)
    other = next((name for name in PROMPTS if name in fields), "prompt") if named is None else None
    prompt = (
        _either(fields, named, "user", seen)
        if named
        else tuple(replace(turn, role="user") for turn in _instruction(fields, other or "prompt", seen))
    )
    if prompt and all(_begins(turns, prompt[-1]) for turns in (chosen, rejected)):  # the prompt is there twice
        return _of_wholes(chosen, rejected, seen)
    return seen.row(prompt=(*_system(fields, prompt), *prompt), chosen=chosen, rejected=rejected)


def _begins(turns: Sequence[Turn], asked: Turn) -> bool:
    """Whether a conversation goes through what is asked before it answers."""
    return any(turn.same_as == asked.same_as for turn in turns[:-1])


def _rag(fields: Values, seen: _Seen) -> TrainingRow:
    """A row of the prompt formats: its stored prompt, else the instruction; its reference as the answer."""
    rag = fields.get("rag")
    stored = rag.get("prompt") if isinstance(rag, Mapping) else None
    texts = (("rag.prompt", stored), ("rag_prompt", fields.get("rag_prompt")), ("prompt", fields.get("prompt")))
    found = [*texts, ("instruction", fields.get("instruction"))]
    prompt = next((_turn(name, text) for name, text in found if isinstance(text, str) and text.strip()), None)
    answer = fields.get("expected_response")
    completion = _turn("expected_response", answer) if isinstance(answer, str) else None
    return seen.row(prompt=(prompt,) if prompt else (), completion=(completion,) if completion else ())


READERS = {
    "sft": _sft,
    "dpo": _dpo,
    "chat_sft": _chat_sft,
    "chat_dpo_input": _chat_dpo_input,
    "chat_dpo_lists": _chat_dpo_lists,
    "chat_dpo": _chat_dpo,
    "rag": _rag,
    "alpaca": _alpaca,
    "text": _ready_text,
}


def _turn(field: str, text: str, role: str = "") -> Turn:
    return Turn(role, (Stretch(text, field),), field)


def _list(fields: Values, name: str, seen: _Seen) -> tuple[Turn, ...]:
    return seen.messages(fields.get(name), name, there=name in fields)


def _either(fields: Values, name: str, role: str, seen: _Seen) -> tuple[Turn, ...]:
    """A field that holds messages, or a text, which is a message of `role`."""
    if isinstance(fields.get(name), str):
        return tuple(Turn(role, turn.stretches, turn.field) for turn in seen.text(fields, name))
    if isinstance(fields.get(name), Mapping):  # one message where a list is usual
        return (seen._message(fields[name], name),)
    return _list(fields, name, seen)


def _cut(turns: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """A conversation as what leads to the last answer, and that answer; without one, all leads to it."""
    return (turns[:-1], turns[-1:]) if turns and turns[-1].role == "assistant" else (turns, ())


def _of_wholes(chosen: tuple[Turn, ...], rejected: tuple[Turn, ...], seen: _Seen) -> TrainingRow:
    (prompt, better), (other, worse) = _cut(chosen), _cut(rejected)
    apart = other if chosen and rejected and not _same(prompt, other) else None
    return seen.row(prompt=prompt or other, chosen=better, rejected=worse, other_prompt=apart)


def _same(one: Sequence[Turn], other: Sequence[Turn]) -> bool:
    return [turn.same_as for turn in one] == [turn.same_as for turn in other]

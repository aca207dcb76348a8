"""Read a row of training data in any known format, with its faults."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from readback.message_parts import parts, whole_message
from readback.records.fields.row_fields import name_json_type
from readback.records.training.training_row import Kind, Stretch, TrainingRow, Turn, Wrong, find_kind
from readback.types import Values

# Other keys that are read as the usual ones.
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
# Roles that rows with `role` and `content` may have, too; `human` or `gpt` there is no role of any chat template.
OF_TOOLS = (*CALLS, "observation", "tool_response", "function_response", "ipython")
PROMPTS = ("prompt", "instruction", "question", "query")  # keys of the prompt of a pair
SILENT = ("name", "weight", "reasoning", "tool_result")  # parts that are no content of a turn
ABSENT = "absent"


def read(fields: Values) -> TrainingRow | None:
    """Return the row; None if its format is unknown. Its faults are in `wrong`, never raised."""
    return _read(_RowKey(fields))


class _RowKey:
    """The identity of a row as a key of the cache, so that rules that look at a row in turn read it once."""

    __slots__ = ("fields",)

    def __init__(self, fields: Values) -> None:
        self.fields = fields

    def __hash__(self) -> int:
        return id(self.fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _RowKey) and self.fields is other.fields


@lru_cache(maxsize=4)
def _read(key: _RowKey) -> TrainingRow | None:
    kind = find_kind(key.fields)
    if kind:
        return READERS[kind](key.fields, _RowReader(kind))
    return None


class _RowReader:
    """Reads the fields of a row and collects aliases and faults."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.aliases: list[tuple[str, str]] = []
        self.wrong: list[Wrong] = []

    def build_row(self, **parts: Any) -> TrainingRow:
        """Build the row with the collected aliases and faults."""
        return TrainingRow(self.kind, aliases=tuple(self.aliases), wrong=tuple(self.wrong), **parts)

    def find_key(self, fields: Values, name: str) -> str:
        """Return the key of a value in the row: `name`, or an alias of it if only that is there."""
        if name in fields:
            return name
        for alias, usual in ALIASES.items():
            if usual == name and alias in fields:
                self.aliases.append((alias, name))
                return alias
        return name

    def read_text(self, fields: Values, field: str) -> tuple[Turn, ...]:
        """Return the turn of a field that has to be a text; () if it is not."""
        value = fields.get(field)
        if isinstance(value, str):
            if not value.strip():
                self.wrong.append(Wrong(field, name_json_type(value)))
            return (Turn("", (Stretch(value, field),), field),)
        self.wrong.append(Wrong(field, name_json_type(value) if field in fields else ABSENT))
        return ()

    def read_messages(self, value: Any, field: str, *, is_present: bool = True) -> tuple[Turn, ...]:
        """Return the turns of a list of messages; () with a fault if there are none."""
        if not isinstance(value, list) or not value:
            if isinstance(value, list):
                json_type = "[]"
            elif is_present:
                json_type = name_json_type(value)
            else:
                json_type = ABSENT
            self.wrong.append(Wrong(field, json_type))
            return ()
        return tuple(self.read_message(message, f"{field}[{index}]") for index, message in enumerate(value))

    def read_message(self, value: Any, field: str) -> Turn:
        """Return the turn of one message."""
        if not isinstance(value, Mapping):
            self.wrong.append(Wrong(field, name_json_type(value)))
            return Turn("", (), field)
        role = value.get("role", value.get("from"))
        calls = isinstance(role, str) and role in CALLS
        if isinstance(role, str) and ("role" not in value or role in OF_TOOLS):
            role = ROLES.get(role, role)
        if "content" in value or "value" not in value:
            name = "content"
        else:
            name = "value"
        if calls:
            tool_calls = _parse_tool_calls(value.get(name))
        else:
            tool_calls = []
        if tool_calls:
            whole = whole_message({**value, name: "", "tool_calls": tool_calls}, "assistant")
            return Turn("assistant", (), field, True, whole)
        stretches = tuple(_list_stretches(value.get(name), f"{field}.{name}"))
        if isinstance(role, str):
            role_name = role
        else:
            role_name = name_json_type(role)
        whole = whole_message(value, role_name)
        has_text = any(stretch.text.strip() for stretch in stretches)
        if not has_text and role_name in ("user", "assistant") and not _has_content(whole):
            if name in value:
                json_type = name_json_type(value[name])
            else:
                json_type = ABSENT
            if stretches:
                json_type = name_json_type("")
            self.wrong.append(Wrong(f"{field}.{name}", json_type))
        return Turn(role_name, stretches, field, calls, whole)


def _list_stretches(content: Any, field: str) -> Iterator[Stretch]:
    """Yield the texts of a message's content: a text, or those of its parts."""
    if isinstance(content, str):
        yield Stretch(content, field)
    if not isinstance(content, list):
        return
    for index, part in enumerate(content):
        if isinstance(part, str):
            yield Stretch(part, f"{field}[{index}]")
        elif isinstance(part, Mapping):
            name = next((key for key in ("text", "value") if isinstance(part.get(key), str)), None)
            if name:
                yield Stretch(part[name], f"{field}[{index}].{name}")


def _parse_tool_calls(text: Any) -> list[dict[str, Any]]:
    """Return the tool calls in the JSON of a `function_call` turn of a ShareGPT row, [] without any.

    Source: LLaMA-Factory reads one call or a list of them, each with a name and arguments.
    """
    if not isinstance(text, str):
        return []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if isinstance(value, list):
        calls = value
    else:
        calls = [value]
    if not all(isinstance(call, Mapping) and isinstance(call.get("name"), str) for call in calls):
        return []
    return [{"type": "function", "function": dict(call)} for call in calls]


def _has_content(whole: Values | None) -> bool:
    """Tell whether a message without a text has other content: a call, a refusal, an image."""
    return any(part.kind not in SILENT for part in parts(whole))


def _read_system(fields: Values, turns: Sequence[Turn] = ()) -> tuple[Turn, ...]:
    """Return the turn of a `system` field; () without one, or if the messages have a system message."""
    text = fields.get("system")
    if not isinstance(text, str) or not text.strip() or any(turn.role in ("system", "developer") for turn in turns):
        return ()
    return (_build_turn("system", text, "system"),)


def _read_instruction(fields: Values, name: str, reader: _RowReader) -> tuple[Turn, ...]:
    """Return the turn of an instruction or question; an instruction with an input has both texts.

    Trainers join the two with a newline.
    """
    turns = reader.read_text(fields, name)
    extra = fields.get("input")
    if not turns or name != "instruction" or not isinstance(extra, str) or not extra.strip():
        return turns
    return (Turn("", (*turns[0].stretches, Stretch(extra, "input")), name),)


def _read_history(fields: Values) -> Iterator[Turn]:
    """Yield the earlier turns of an instruction, from a list of pairs of question and answer."""
    history = fields.get("history")
    if not isinstance(history, list):
        return
    for number, pair in enumerate(history):
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair):
            for at, role in enumerate(("user", "assistant")):
                yield _build_turn(f"history[{number}][{at}]", pair[at], role)


def _read_alpaca(fields: Values, reader: _RowReader) -> TrainingRow:
    prompt = (*_read_system(fields), *_read_history(fields), *_read_instruction(fields, "instruction", reader))
    return reader.build_row(prompt=prompt, completion=reader.read_text(fields, "output"))


def _read_ready_text(fields: Values, reader: _RowReader) -> TrainingRow:
    """Read a row whose whole text is the completion; the chat template decides where its turns begin."""
    return reader.build_row(completion=reader.read_text(fields, "text"))


def _read_sft(fields: Values, reader: _RowReader) -> TrainingRow:
    prompt = (*_read_system(fields), *reader.read_text(fields, "prompt"))
    return reader.build_row(prompt=prompt, completion=reader.read_text(fields, reader.find_key(fields, "completion")))


def _read_dpo(fields: Values, reader: _RowReader) -> TrainingRow:
    # a pair may have its prompt inside both answers; Census reports pairs that lack it among others that have it
    name = next((name for name in PROMPTS if name in fields), None)
    if name:
        prompt = (*_read_system(fields), *_read_instruction(fields, name, reader))
    else:
        prompt = ()
    return reader.build_row(
        prompt=prompt, chosen=reader.read_text(fields, "chosen"), rejected=reader.read_text(fields, "rejected")
    )


def _read_chat_sft(fields: Values, reader: _RowReader) -> TrainingRow:
    name = reader.find_key(fields, "messages")
    prompt, completion = _split_answer(reader.read_messages(fields.get(name), name))
    return reader.build_row(prompt=(*_read_system(fields, prompt), *prompt), completion=completion)


def _read_chat_dpo_input(fields: Values, reader: _RowReader) -> TrainingRow:
    inner = fields.get("input")
    if isinstance(inner, Mapping):
        messages = inner
    else:
        messages = {}
    prompt = reader.read_messages(messages.get("messages"), "input.messages", is_present="messages" in messages)
    return reader.build_row(
        prompt=prompt,
        chosen=_read_list(fields, "preferred_output", reader),
        rejected=_read_list(fields, "non_preferred_output", reader),
    )


def _read_chat_dpo_lists(fields: Values, reader: _RowReader) -> TrainingRow:
    return _build_pair(
        _read_list(fields, "chosen_messages", reader), _read_list(fields, "rejected_messages", reader), reader
    )


def _read_chat_dpo(fields: Values, reader: _RowReader) -> TrainingRow:
    """Read a pair of lists of messages (or texts) after a prompt, or of whole conversations without one."""
    chosen, rejected = (_read_messages_or_text(fields, name, "assistant", reader) for name in ("chosen", "rejected"))
    name = next((name for name in ("prompt", "messages") if name in fields), None)
    if name is None and "conversations" in fields:
        name = reader.find_key(fields, "messages")
    if name is not None:
        prompt = _read_messages_or_text(fields, name, "user", reader)
    elif len(chosen) > 1:
        return _build_pair(chosen, rejected, reader)
    else:
        text_key = next((key for key in PROMPTS if key in fields), "prompt")
        prompt = tuple(replace(turn, role="user") for turn in _read_instruction(fields, text_key, reader))
    if prompt and all(
        _contains_question(turns, prompt[-1]) for turns in (chosen, rejected)
    ):  # the answers repeat the prompt
        return _build_pair(chosen, rejected, reader)
    return reader.build_row(prompt=(*_read_system(fields, prompt), *prompt), chosen=chosen, rejected=rejected)


def _contains_question(turns: Sequence[Turn], question: Turn) -> bool:
    """Tell whether a conversation contains the question before its last turn."""
    return any(turn.same_as == question.same_as for turn in turns[:-1])


def _read_rag(fields: Values, reader: _RowReader) -> TrainingRow:
    """Read a row of the prompt formats: its stored prompt, else the instruction; its reference is the completion."""
    rag = fields.get("rag")
    if isinstance(rag, Mapping):
        stored = rag.get("prompt")
    else:
        stored = None
    candidates = [
        ("rag.prompt", stored),
        *((name, fields.get(name)) for name in ("rag_prompt", "prompt", "instruction")),
    ]
    prompt: tuple[Turn, ...] = ()
    for name, text in candidates:
        if isinstance(text, str) and text.strip():
            prompt = (_build_turn(name, text),)
            break
    answer = fields.get("expected_response")
    completion = (_build_turn("expected_response", answer),) if isinstance(answer, str) else ()
    return reader.build_row(prompt=prompt, completion=completion)


READERS = {
    "sft": _read_sft,
    "dpo": _read_dpo,
    "chat_sft": _read_chat_sft,
    "chat_dpo_input": _read_chat_dpo_input,
    "chat_dpo_lists": _read_chat_dpo_lists,
    "chat_dpo": _read_chat_dpo,
    "rag": _read_rag,
    "alpaca": _read_alpaca,
    "text": _read_ready_text,
}


def _build_turn(field: str, text: str, role: str = "") -> Turn:
    return Turn(role, (Stretch(text, field),), field)


def _read_list(fields: Values, name: str, reader: _RowReader) -> tuple[Turn, ...]:
    return reader.read_messages(fields.get(name), name, is_present=name in fields)


def _read_messages_or_text(fields: Values, name: str, role: str, reader: _RowReader) -> tuple[Turn, ...]:
    """Return the turns of a field with messages, or with a text, which becomes a turn of `role`."""
    if isinstance(fields.get(name), str):
        return tuple(Turn(role, turn.stretches, turn.field) for turn in reader.read_text(fields, name))
    if isinstance(fields.get(name), Mapping):  # one message in place of a list
        return (reader.read_message(fields[name], name),)
    return _read_list(fields, name, reader)


def _split_answer(turns: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Split a conversation into its prompt and its last answer; () if it does not end with one."""
    if turns and turns[-1].role == "assistant":
        return turns[:-1], turns[-1:]
    return turns, ()


def _build_pair(chosen: tuple[Turn, ...], rejected: tuple[Turn, ...], reader: _RowReader) -> TrainingRow:
    """Build a preference pair from two whole conversations."""
    prompt, chosen_answer = _split_answer(chosen)
    rejected_prompt, rejected_answer = _split_answer(rejected)
    differs = chosen and rejected and not _are_equal(prompt, rejected_prompt)
    return reader.build_row(
        prompt=prompt or rejected_prompt,
        chosen=chosen_answer,
        rejected=rejected_answer,
        other_prompt=rejected_prompt if differs else None,
    )


def _are_equal(first: Sequence[Turn], second: Sequence[Turn]) -> bool:
    return [turn.same_as for turn in first] == [turn.same_as for turn in second]

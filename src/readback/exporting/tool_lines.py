"""Format an assembly as a line for another tool, which sends its texts as they are.

    ollama-chat       {"model", "messages", "stream": false, "options", "custom_id"}       the body of POST /api/chat
    inspect-dataset   {"input": [{"role", "content"}], "target", "id", "metadata"}         a sample of `json_dataset`
    promptfoo         {"label", "template", "vars", "description", "metadata"}             what PromptfooConfig writes

Ollama and Inspect send what they get. promptfoo renders: a value that is a text may be a file's name (`file://`,
`package:`), loses its last line feed, and `{{name}}` acts in it. None of that is done to the items of a list, so the
text of each message is a variable that is a list, and the prompt is a chat, which is JSON, with `{{ name | join }}` in
place of each text. The list is the text, cut between two braces: `{{ env.X }}` is replaced in the whole file when
promptfoo reads it. Lists must not be expanded then, which the configuration says.

What a tool would change all the same is not written, and the line says why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from readback import adapters, as_json
from readback.exporting.lines import ADJACENT, HALVES, NOT_JSON, Form, Line, format_failure
from readback.records import custom_id
from readback.types import Assembly, Record

NOT_SENDABLE = "not-for-this-tool"
ROLES_OF_INSPECT = frozenset(("system", "user", "assistant", "tool"))
PLAIN_KEYS = frozenset(("role", "content"))
TEXT_ROLE = "prompt"  # of a text that is sent without roles
# Fields of a row that hold the expected answer, the first of them counts.
TARGETS = (
    "target",
    "ideal",
    "reference",
    "reference_answer",
    "expected",
    "expected_output",
    "expected_response",
    "expected_answer",
    "gold",
    "gold_answer",
    "ground_truth",
    "answer",
)
# What programs call a setting -> what Ollama calls it among its options; of two spellings the first counts.
OLLAMA_OPTIONS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "typical_p": "typical_p",
    "num_predict": "num_predict",
    "max_tokens": "num_predict",
    "max_completion_tokens": "num_predict",
    "max_new_tokens": "num_predict",
    "stop": "stop",
    "stop_sequences": "stop",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "repeat_penalty": "repeat_penalty",
    "repetition_penalty": "repeat_penalty",
}
VARIABLE = "readback_text_"
BETWEEN_BRACES = re.compile(r"(?<=\{)(?=\{)")
FIXED_KEYS = frozenset(("role", "type"))  # their texts are part of the prompt, not of a row
PLAIN_TEXT = re.compile(r"[\w.-]{1,100}")


class Unsendable(Exception):  # noqa: N818 - an outcome to say in one sentence
    """The tool would not send the messages as they are; the text says why."""


def format_tool_line(
    form: Form,
    assembly: Assembly,
    record: Record,
    index: int,
    model: str,
    options: Mapping[str, Any],
    prompt: str | None = None,
) -> Line:
    """Return the line of an assembly with messages for one of the three tools."""
    own_wordings = adapters.list_own_wordings(assembly.messages)
    marks: dict[str, Any] = {"masked": True} if assembly.masked else {}
    if own_wordings:
        marks["wording"] = {adapters.OURS: own_wordings}
    request_id = custom_id.write(index, assembly.record, assembly.choice)
    messages = [message.value for message in assembly.messages]
    try:
        if form == "ollama-chat":
            value = _make_ollama_body(messages, model, options) | {"custom_id": request_id} | marks
        elif form == "inspect-dataset":
            value = _make_sample(messages, assembly, record, index, request_id, marks)
        else:
            value = _make_test(messages, assembly, index, marks)
    except Unsendable as unsendable:
        return format_failure(index, assembly.record, assembly.choice, NOT_SENDABLE, str(unsendable), prompt)
    text = as_json.encode_line(value)
    if as_json.has_lone_surrogate(text):
        if HALVES.search(text):
            return format_failure(index, assembly.record, assembly.choice, NOT_JSON, ADJACENT, prompt)
        text = as_json.escape_surrogates(text)
    return Line(text, False, assembly.masked, own_wordings)


def make_ollama_options(settings: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options of a request to Ollama, and the names of the settings that it has none for."""
    options: dict[str, Any] = {}
    for name, option in OLLAMA_OPTIONS.items():
        if name in settings:
            options.setdefault(option, settings[name])
    return options, tuple(name for name in settings if name not in OLLAMA_OPTIONS)


def _make_ollama_body(messages: list[dict[str, Any]], model: str, options: Mapping[str, Any]) -> dict[str, Any]:
    for message in messages:
        if message["role"] == TEXT_ROLE:
            raise Unsendable("a text without roles is for /api/generate, not for /api/chat")
        if not isinstance(message.get("content"), str):
            raise Unsendable("Ollama takes one text as the content of a message, and this is a list of parts or null")
        if further := sorted(message.keys() - PLAIN_KEYS):
            raise Unsendable(f"Ollama spells these parts of a message in another way: {', '.join(further)}")
    body: dict[str, Any] = {"model": model, "messages": messages, "stream": False}
    return body | ({"options": dict(options)} if options else {})


def _make_sample(
    messages: list[dict[str, Any]],
    assembly: Assembly,
    record: Record,
    index: int,
    request_id: str,
    marks: Mapping[str, Any],
) -> dict[str, Any]:
    content: Any = messages
    if [message["role"] for message in messages] == [TEXT_ROLE] and isinstance(messages[0].get("content"), str):
        content = messages[0]["content"]
    else:
        for message in messages:
            if message["role"] not in ROLES_OF_INSPECT:
                raise Unsendable(f"Inspect knows no role {message['role']!r}")
            if not isinstance(message.get("content"), str):
                raise Unsendable("Inspect spells the parts of a message in another way, or the content is null")
            if further := sorted(message.keys() - PLAIN_KEYS):
                raise Unsendable(f"Inspect spells these parts of a message in another way: {', '.join(further)}")
    chosen = {
        name: value
        for name in ("condition", "mode", "task", "judge")
        if (value := getattr(assembly.choice, name)) is not None
    }
    return {
        "input": content,
        "target": find_target(record.fields),
        "id": request_id,
        "metadata": {"index": index, "record": assembly.record, **chosen, "fingerprint": assembly.fingerprint, **marks},
    }


def find_target(fields: Mapping[str, Any]) -> str | list[str]:
    """Return the expected answer of a row: a text, or several; an empty text where no field of TARGETS holds one."""
    for name in TARGETS:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return list(value)
    return ""


def _make_test(
    messages: list[dict[str, Any]], assembly: Assembly, index: int, marks: Mapping[str, Any]
) -> dict[str, Any]:
    if any(message["role"] == TEXT_ROLE for message in messages):
        raise Unsendable("promptfoo sends a text without roles as a message of the user")
    variables: dict[str, list[str]] = {}
    template = [_make_template(message, variables) for message in messages]
    return {
        "label": assembly.choice.condition or assembly.choice.mode or assembly.choice.task or assembly.choice.judge,
        "template": as_json.encode_line(template),
        "vars": variables,
        "description": assembly.record,
        "metadata": {"index": index, "record": assembly.record, "fingerprint": assembly.fingerprint, **marks},
    }


def _make_template(value: Any, variables: dict[str, list[str]], key: str = "") -> Any:
    """Return a member of a message with a variable in place of each text, and fill `variables`."""
    if isinstance(value, dict):
        if any("{" in name for name in value):
            raise Unsendable("promptfoo would render the name of a member that holds a brace")
        return {name: _make_template(inner, variables, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_make_template(inner, variables, key) for inner in value]
    if not isinstance(value, str) or (key in FIXED_KEYS and PLAIN_TEXT.fullmatch(value)):
        return value
    name = f"{VARIABLE}{len(variables) + 1}"
    variables[name] = BETWEEN_BRACES.split(value)
    return "{{ " + name + " | join }}"

"""Messages as LangChain keeps and takes them, in the spelling in which a server gets them.

human is user and ai is assistant; a chat message has the role that it names; tool calls are written as functions with
their arguments as JSON. Source: langchain_core 1.7.2, messages/utils.py (convert_to_messages and
convert_to_openai_messages).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from readback.projects.langchain.faults import Unfilled
from readback.projects.langchain.plan import ROLES, Json

CLASSES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "FunctionMessage": "function",
    "ToolMessage": "tool",
    "ChatMessage": "chat",
}
CHUNK = "Chunk"


def find_class(dump: Any) -> str | None:
    """Return the class that a dumped object is of; None for anything else."""
    if not isinstance(dump, Mapping) or dump.get("lc") != 1 or dump.get("type") != "constructor":
        return None
    names, arguments = dump.get("id"), dump.get("kwargs", {})
    if not isinstance(names, list) or not names or not isinstance(arguments, Mapping):
        return None
    return str(names[-1])


def read_message(value: Any) -> Json:
    """Return the message that a value of a row stands for; raises Unfilled."""
    if isinstance(value, str):
        return {"role": "user", "content": value}
    if isinstance(value, list):
        if len(value) != 2:
            raise Unfilled("a message that is a list has to be a role and a text")
        return _make_message(value[0], {"content": value[1]})
    if not isinstance(value, Mapping):
        raise Unfilled(f"a message is {type(value).__name__}, neither a text nor a pair nor an object")
    name = (find_class(value) or "").removesuffix(CHUNK)
    if name in CLASSES:
        return _make_message(CLASSES[name], value["kwargs"])
    about = dict(value)
    if "role" in about:
        kind = about.pop("role")
    else:
        kind = about.pop("type", None)
    if kind is None or "content" not in about:
        raise Unfilled("a message that is an object has to have 'role' and 'content'")
    return _make_message(kind, about)


def _make_message(kind: Any, about: Mapping[str, Any]) -> Json:
    if kind == "chat":
        role = str(about.get("role", ""))
    elif isinstance(kind, str) and kind in ROLES:
        role = ROLES[kind]
    else:
        raise Unfilled(f"LangChain knows no message of the role {kind!r}")
    message: Json = {"role": role, "content": about.get("content") or ""}
    if not isinstance(message["content"], str | list):
        raise Unfilled("the content of a message is neither a text nor a list of parts")
    for key in ("name", "tool_call_id"):
        if about.get(key) is not None:
            message[key] = about[key]
    calls = about.get("tool_calls")
    if isinstance(calls, list) and calls:
        message["tool_calls"] = [_make_call(call) for call in calls]
    return message


def _make_call(call: Any) -> Any:
    if not isinstance(call, Mapping) or "function" in call or "name" not in call:
        return call
    arguments = json.dumps(call.get("args", {}), ensure_ascii=False)
    return {
        "type": "function",
        "id": call.get("id"),
        "function": {"name": call["name"], "arguments": arguments},
    }

"""Look at the messages of a request: whether they are messages, and what is unusual about them. Nothing is changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

UNKNOWN_ROLE = "unknown role"
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
KINDS = {
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "dict": "an object",
    "list": "a list",
    "str": "a text",
    "NoneType": "null",
}


class Messages(NamedTuple):
    """Messages as they stand in the file, None with an `error`; `warning` says what is unusual about them."""

    messages: Sequence[Mapping[str, Any]] | None
    error: str | None = None
    warning: str | None = None


def describe_kind(value: Any) -> str:
    """Return what a JSON value is, in words: "a number"."""
    return KINDS.get(type(value).__name__, "no JSON value")


def read_messages(value: Any, roles: Collection[str] = ROLES) -> Messages:
    """Return a list of messages as it is, or why it is none. A role that is not among `roles` is a warning."""
    if not isinstance(value, list):
        return Messages(None, f"messages is no list, but {describe_kind(value)}")
    if not value:
        return Messages([], "no messages")
    warnings: dict[str, None] = {}
    for message in value:
        error, warning = check_message(message, roles)
        if error:
            return Messages(None, error)
        if warning:
            warnings[warning] = None
    return Messages(value, None, "; ".join(warnings) or None)


def check_message(message: Any, roles: Collection[str] = ROLES) -> tuple[str | None, str | None]:
    """Return why a value is no message, and what is unusual about it; None for what there is nothing to say of."""
    if not isinstance(message, dict):
        return f"a message is {describe_kind(message)}", None
    if "role" not in message:
        return "a message without a role", None
    role, content = message["role"], message.get("content")
    if not isinstance(role, str):
        return f"a role is {describe_kind(role)}", None
    if not isinstance(content, str | list | None):
        return f"content is {describe_kind(content)}", None
    if isinstance(content, list) and not all(isinstance(part, dict | str) for part in content):
        wrong = next(part for part in content if not isinstance(part, dict | str))
        return f"a part of a content is {describe_kind(wrong)}", None
    return None, None if role in roles else f"{UNKNOWN_ROLE} '{role[:40]}'"


def join_warnings(*warnings: str | None) -> str | None:
    """Join what there is to warn of; None where there is nothing."""
    return "; ".join(warning for warning in warnings if warning) or None

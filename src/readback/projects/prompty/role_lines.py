"""How each tool cuts a rendered prompt into messages at its role lines, and where a value has such a line.

prompty 0.1.50: pieces alternate role and content. prompty 2.1.0: a role line of the template carries a random number,
and a message whose role line lacks it is refused. promptflow 1.18.5 and its tools: `## name:` and `## content:`, tool
calls, and nothing but a role before the first message.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from readback.projects.owned_text import OwnedText, join_owned

ROLES_0 = ("assistant", "function", "system", "user")
ROLES_2 = ("assistant", "developer", "system", "user")
ROLES_FLOW = ("system", "user", "assistant", "function", "tool")
ROLE_LINE = re.compile(
    r"^[^\S\n]*#?[^\S\n]*(system|user|assistant|function|tool|developer)[^\S\n]*:[^\S\n]*$", re.I | re.M
)
ATTRIBUTES = r"(\[(?:\w++\s*+=\s*+(?:\"[^\"]*\"|[^\",\]]*+)\s*+,?+\s*+)+\])?"
BOUNDARY = re.compile(rf"\s*#?\s*({'|'.join(ROLES_2)}){ATTRIBUTES}\s*:\s*$", re.I | re.M)
ATTRIBUTE = re.compile(r'(\w+)\s*=\s*"?([^",]*)"?')
IMAGE = re.compile(r"(!\[[^\]]*\])\((.*?)(?=\"|\))\)", re.M)
NAMED = re.compile(r"\n*#{0,2}\s*name\s*:\s*\n+\s*(\S+)\s*\n*#{0,2}\s*content\s*:\s*\n?(.*)", re.S)
TOOL_RESULT = re.compile(r"\n*#{0,2}\s*tool_call_id\s*:\s*\n+\s*(\S+)\s*\n*#{0,2}\s*content\s*:\s*\n?(.*)", re.S)
TOOL_CALLS = re.compile(r"\n*#{0,2}\s*tool_calls\s*:\s*\n+\s*(\[.*?\])", re.S)
ALL_TOOL_CALLS = re.compile(TOOL_CALLS.pattern + r"\s*$", re.S)
NONCE_REASON = (
    "Nonce mismatch: a role line that the template does not have opens a message, which prompty takes for an injection"
)


class NoMessages(Exception):  # noqa: N818 - carries the reason that the tool has
    """The tool makes no messages of a text."""


@dataclass(slots=True)
class CutMessage:
    """A message that was cut out of a text: its role, its text with owners, and what else it has.

    `parts` are its content where it is no text.
    """

    role: str
    content: OwnedText | None = None
    parts: list[dict[str, Any]] | None = None
    fields: dict[str, Any] = field(default_factory=dict)


def make_separator(roles: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of a role line as prompty 0.1 and promptflow cut at it, its line's end included."""
    return re.compile(rf"^\s*#?\s*({'|'.join(roles)})\s*:\s*\n", re.I | re.M)


SEPARATOR_0, SEPARATOR_FLOW = make_separator(ROLES_0), make_separator(ROLES_FLOW)


def split_at_roles(text: OwnedText, separator: re.Pattern[str]) -> Iterator[OwnedText]:
    """Yield the pieces as re.split gives them: text, role, text, role, text."""
    start = 0
    for match in separator.finditer(text.text):
        yield text.cut(start, match.start())
        yield text.cut(match.start(1), match.end(1))
        start = match.end()
    yield text.cut(start, len(text.text))


# prompty 0.1


def cut_prompty_0(text: OwnedText, inline_image: Callable[[str], str]) -> list[CutMessage]:
    """Return the messages of prompty 0.1.50; `inline_image` gives the address of an image. Raises NoMessages."""
    pieces = [piece for piece in split_at_roles(text, SEPARATOR_0) if piece.text.strip()]
    if not pieces:
        raise NoMessages("the rendered text is empty")
    if pieces[0].text.strip().lower() not in ROLES_0:
        pieces.insert(0, OwnedText("system"))
    if pieces[-1].text.strip().lower() in ROLES_0:
        pieces.pop()
    if len(pieces) % 2:
        raise NoMessages("Invalid prompt format: a role line without content, or two in a row")
    return [
        _make_message_0(pieces[at].text.strip().lower(), pieces[at + 1].strip(), inline_image)
        for at in range(0, len(pieces), 2)
    ]


def _make_message_0(role: str, content: OwnedText, inline_image: Callable[[str], str]) -> CutMessage:
    images = list(IMAGE.finditer(content.text))
    if not images:
        return CutMessage(role, content)
    parts: list[dict[str, Any]] = []
    start = 0
    for match in [*images, None]:
        between = content.text[start : match.start() if match else None].strip()
        if between:
            parts.append({"type": "text", "text": between})
        if match:
            address = inline_image(match[2].split(" ")[0].strip())
            parts.append({"type": "image_url", "image_url": {"url": address}})
            start = match.end()
    return CutMessage(role, content, parts)


# prompty 2.1


def sign_role_lines(template: str, nonce: str) -> str:
    """Return the template with the random number in each of its role lines."""
    lines = []
    for line in template.splitlines(keepends=True):
        match = BOUNDARY.match(line.strip())
        lines.append(f'{match[1].lower()}[nonce="{nonce}"]:\n' if match else line)
    return "".join(lines)


def cut_prompty_2(text: OwnedText, nonce: str | None) -> list[CutMessage]:
    """Return the messages of prompty 2.1.0; with a nonce, role lines without it are refused. Raises NoMessages."""
    messages: list[CutMessage] = []
    lines: list[OwnedText] = []
    attributes: dict[str, Any] = {}
    role, is_opened = "system", False
    for line in [*text.split_lines(), None]:
        if line is None:
            match = None
        else:
            match = BOUNDARY.match(line.text.strip())
        if line is not None and match is None:
            lines.append(line)
            continue
        if lines:
            if is_opened and nonce is not None and attributes.get("nonce") != nonce:
                raise NoMessages(NONCE_REASON)
            content = join_owned(lines, "\n").strip("\n")
            named = {name: value for name, value in attributes.items() if name not in ("nonce", "role", "content")}
            messages.append(CutMessage(role, content, fields=named))
            lines = []
        if match is not None:
            role, is_opened = match[1].lower(), True
            attributes = _read_attributes(match[2] or "")
    return messages


def _read_attributes(written: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for match in ATTRIBUTE.finditer(written.strip("[]")):
        name, value = match[1], match[2].strip()
        values[name] = value if name == "nonce" else _read_scalar(value)
    return values


def _read_scalar(value: str) -> Any:
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


# promptflow


def cut_promptflow(text: OwnedText, is_prompty: bool) -> list[CutMessage]:
    """Return the messages of promptflow for a `.prompty` or, by its tools, for a Jinja file. Raises NoMessages."""
    messages: list[CutMessage] = []
    for piece in split_at_roles(text, SEPARATOR_FLOW):
        last = messages[-1] if messages else None
        is_open = last is not None and last.content is None and "tool_calls" not in last.fields
        if last is not None and is_open and last.role == "tool":
            match = TOOL_RESULT.search(piece.text)
            if match is None:
                raise NoMessages("a message of role tool needs 'tool_call_id:' and 'content:'")
            last.fields["tool_call_id"] = match[1]
            last.content = piece.cut(match.start(2), match.end(2)).strip()
            continue
        if last is not None and last.role == "assistant":
            calls = _read_tool_calls(piece.text, ALL_TOOL_CALLS if is_prompty else TOOL_CALLS)
            if calls is not None:
                last.fields["tool_calls"] = calls
                continue
        if last is not None and is_open:
            match = NAMED.search(piece.text)
            if match is not None:
                last.fields["name"] = match[1]
                piece = piece.cut(match.start(2), match.end(2))
            elif last.role == "function":
                raise NoMessages("a message of role function needs 'name:' and 'content:'")
            last.content = piece.strip()
        elif piece.text.strip():
            role = piece.text.strip().lower()
            if role not in ROLES_FLOW:
                wanted = ", ".join(f"'{each}:'" for each in ROLES_FLOW)
                if len(role) <= 60:
                    start = role
                else:
                    start = role[:60] + "…"
                raise NoMessages(f"a chat begins with a role line ({wanted}), and this one begins with {start!r}")
            messages.append(CutMessage(role))
    return messages


def _read_tool_calls(text: str, pattern: re.Pattern[str]) -> Any:
    match = pattern.search(text)
    if match is None:
        return None
    try:
        return ast.literal_eval(match[1])
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


# values


def find_role_lines(text: OwnedText) -> Iterator[tuple[str, str]]:
    """Yield (variable, line) for each role line inside a value, as the value stands in the text."""
    start = 0
    for owner, group in groupby(text.owners):
        end = start + sum(1 for _ in group)
        if owner is not None:
            for match in ROLE_LINE.finditer(text.text[start:end]):
                yield owner, match[0].strip()
        start = end


def opens_by_value(text: OwnedText, separator: re.Pattern[str]) -> bool:
    """Whether a role line at which the tool cuts was written, in part or whole, by a value."""
    return any(
        any(owner is not None for owner in text.owners[match.start(1) : match.end(1)])
        for match in separator.finditer(text.text)
    )

"""Messages in Jinja templates with `{% chat role="…" %}` blocks, as banks and LlamaIndex cut them. In the child only.

Each block becomes a line of its own; the lines that are such a block are the messages, and everything outside of them
is lost as soon as there is one. Without any the whole text is one message of the user. A block's text is stripped; one
of white space alone stays as it is. Filters make parts that are no text: `image`, `audio`, `video`, `document`, and
`cache_control` a text that is to be cached. Source: banks 2.5.1, which LlamaIndex 0.14 calls.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlparse
from xml.dom import minidom
from xml.etree import ElementTree

from jinja2 import TemplateSyntaxError, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.runtime import Macro

from readback import sandbox
from readback.projects.jinja_text import JinjaFault, JinjaOptions, check_jinja, render_jinja
from readback.projects.owned_text import OwnedText, decode_escapes, join_owned

CHECK = "readback.projects.chat_blocks:check"
ROLES = ("system", "user", "assistant")
SIGN = "readback_sign"  # the global that marks what our own tags and filters write, so that no value can
CANARY = "BANKS[8 random hexadecimal digits]"
PART_START, PART_END = "<content_block>", "</content_block>"
RANDOM = "<32 random hexadecimal digits>"
BLOCK = re.compile(r'\{"role":"(system|user|assistant)","content":"((?:[^"\\]|\\.)*+)"\}')
AUDIO = ("mp3", "wav", "m4a", "webm", "ogg", "flac")
VIDEO = ("mp4", "mpeg", "mov", "avi", "flv", "mpg", "webm", "wmv", "3gpp")
TEXTS = (
    "html",
    "htm",
    "xhtml",
    "css",
    "txt",
    "md",
    "markdown",
    "rst",
    "xml",
    "csv",
    "rtf",
    "js",
    "mjs",
    "cjs",
    "javascript",
    "json",
)
DATA = {"image": "image", "audio": "audio", "video": "video", "document": "(?:text|application)"}


@dataclass(frozen=True, slots=True)
class ChatPart:
    """A part of a message: a text with its owners, or what a filter made; `more` are its other keys."""

    text: OwnedText | None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> dict[str, Any]:
        """The part as banks writes it."""
        if self.text is None:
            return dict(self.more)
        return {"type": "text", **self.more, "text": self.text.text}


@dataclass(frozen=True, slots=True)
class ChatBlock:
    """A message: its role and its parts."""

    role: str
    parts: tuple[ChatPart, ...]


def render_chat_blocks(template: str, values: Mapping[str, Any], missing: list[str] | None = None) -> list[ChatBlock]:
    """Return the messages of a template; raises JinjaFault with the tool's reason.

    The names that it prints and that have no value are added to `missing`.
    """
    sign = secrets.token_hex(16)
    text = render_jinja(template, {**values, "canary_word": CANARY}, _make_options(sign), missing=missing)
    if blocks := list(_cut_blocks(text, sign)):
        return blocks
    return [ChatBlock("user", tuple(_cut_parts(_show_blocks(text, sign), sign)))]


def find_template_fault(template: str) -> str | None:
    """Return why the tool refuses a template before it has any values; it is compiled in a bounded child."""
    try:
        answer = sandbox.call(CHECK, template)
    except sandbox.Stopped as stopped:
        return f"reading it needs more than its limits allow ({stopped.detail})"
    if isinstance(answer, str):
        return answer
    return None


def check(template: str) -> str | None:
    """Return the fault of a template; in the child."""
    try:
        check_jinja(template, _make_options(""))
    except JinjaFault as fault:
        return str(fault)
    return None


def _make_options(sign: str) -> JinjaOptions:
    return JinjaOptions(
        trims_blocks=True,
        strips_blocks=True,
        extensions=(ChatTag, CompletionTag),
        filters={
            **{kind: _make_media_filter(kind, sign) for kind in DATA},
            "cache_control": _make_cache_filter(sign),
            "lemmatize": _refuse_lemmatize,
            "tool": _refuse_tool,
            "to_xml": write_xml,
        },
        names={SIGN: sign},
    )


class ChatTag(Extension):
    """Write a block as a line that holds its role and its text."""

    tags = {"chat"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser: Parser) -> nodes.Node:
        """Read the tag's role and what the block holds."""
        line = next(parser.stream).lineno
        written = []
        while parser.stream.current.type != "block_end":
            written.append(next(parser.stream).value)
        if len(written) != 3 or written[:2] != ["role", "="]:
            raise TemplateSyntaxError('a chat block is written as {% chat role="user" %}', line)
        if written[2] not in ROLES:
            raise TemplateSyntaxError(f"Unknown role type '{written[2]}', use one of ({', '.join(ROLES)})", line)
        body = parser.parse_statements(("name:endchat",), drop_needle=True)
        return nodes.CallBlock(self.call_method("write_block", [nodes.Const(written[2])]), [], [], body).set_lineno(
            line
        )

    def write_block(self, role: str, caller: Macro) -> str:
        """Return a block as its line."""
        sign = str(self.environment.globals[SIGN])
        block = {"role": role, "content": str(caller())}
        if PART_START + sign in block["content"]:
            list(_cut_parts(OwnedText(block["content"]), sign))  # banks reads the parts here, and refuses broken ones
        return f"{sign}{json.dumps(block, ensure_ascii=False, separators=(',', ':'))}\n"


class CompletionTag(Extension):
    """Refuse blocks for which the tool asks a model."""

    tags = {"completion"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser: Parser) -> nodes.Node:
        """Refuse the tag."""
        raise TemplateSyntaxError(
            "a completion block asks a model while the prompt is rendered; Readback asks none",
            parser.stream.current.lineno,
        )


def _cut_blocks(text: OwnedText, sign: str) -> Iterator[ChatBlock]:
    """Yield the messages: lines that begin with a block, whatever blanks stand before it."""
    start = 0
    for line in text.text.split("\n"):
        end = start + len(line)
        at = end - len(line.lstrip())
        if text.text.startswith(sign, at):
            written = text.cut(at + len(sign), end)
            match = BLOCK.fullmatch(written.text)
            if match:
                yield _read_block(written, match, sign)
        start = end + 1


def _read_block(written: OwnedText, match: re.Match[str], sign: str) -> ChatBlock:
    content = decode_escapes(written.cut(match.start(2), match.end(2)))
    return ChatBlock(match[1], tuple(_cut_parts(content, sign)))


def _show_blocks(text: OwnedText, sign: str) -> OwnedText:
    """Return a text without messages with the blocks in it as banks writes them: those that begin no line."""
    pieces, start = [], 0
    for match in re.finditer(sign + BLOCK.pattern, text.text):
        block = _read_block(text, match, sign)
        content = [part.value for part in block.parts]
        written = json.dumps({"role": block.role, "content": content}, ensure_ascii=False, separators=(",", ":"))
        pieces += [text.cut(start, match.start()), OwnedText(RANDOM + written)]
        start = match.end()
    return join_owned([*pieces, text.cut(start, len(text.text))])


def _cut_parts(content: OwnedText, sign: str) -> Iterator[ChatPart]:
    """Yield the texts between the parts that filters made, stripped; a text without any is whole if it is blank."""
    opening = PART_START + sign
    pieces, at = [], 0
    while (start := content.text.find(opening, at)) >= 0:
        end = content.text.find("}" + PART_END, start) + 1
        if not end:
            break
        pieces += [content.cut(at, start), content.cut(start + len(opening), end)]
        at = end + len(PART_END)
    pieces.append(content.cut(at, len(content.text)))
    has_parts = False
    for number, piece in enumerate(pieces):
        if number % 2:
            try:
                more = json.loads(piece.text)
            except json.JSONDecodeError:
                raise JinjaFault(f"a value that a filter makes a part of has {PART_END} in it") from None
            text = more.pop("text", None)
            if text is not None:
                del more["type"]
            yield ChatPart(None if text is None else OwnedText(text), more)
            has_parts = True
        elif piece.text.strip():
            yield ChatPart(piece.strip())
            has_parts = True
    if not has_parts:
        yield ChatPart(content)


# filters


def _write_part(part: Mapping[str, Any], sign: str) -> str:
    return f"{PART_START}{sign}{json.dumps(part, ensure_ascii=False, separators=(',', ':'))}{PART_END}"


def _make_media_filter(kind: str, sign: str) -> Any:
    def write_medium(value: Any) -> str:
        if not isinstance(value, str):
            raise JinjaFault(f"the filter {kind} takes an address, and this value is {type(value).__name__}")
        if not _is_address(value, kind):
            raise JinjaFault(f"the filter {kind} reads the file {value!r} when the application runs; it is not shown")
        if kind == "image":
            return _write_part({"type": "image_url", "image_url": {"url": value}}, sign)
        medium = {"data": value, "format": _choose_format(value, kind)}
        return _write_part({"type": kind, f"input_{kind}": medium}, sign)

    return write_medium


def _make_cache_filter(sign: str) -> Any:
    def mark_cached(text: Any, kind: Any = "ephemeral") -> str:
        if not isinstance(text, str | None) or not isinstance(kind, str):
            raise JinjaFault(f"the filter cache_control takes a text, and this value is {type(text).__name__}")
        part = {"type": "text", "cache_control": {"type": kind}}
        return _write_part(part if text is None else {**part, "text": text}, sign)

    return mark_cached


def _is_address(value: str, kind: str) -> bool:
    try:
        parsed = urlparse(value)
    except ValueError:
        return False
    if parsed.scheme and not parsed.netloc:
        return parsed.scheme == "data" and re.match(rf"{DATA[kind]}/.*;base64,.*", parsed.path) is not None
    return bool(parsed.scheme)


def _choose_format(address: str, kind: str) -> str:
    path = urlparse(address).path.lower()
    if kind == "document":
        if path.endswith(tuple(f".{each}" for each in TEXTS)):
            return "txt"
        return "pdf"
    forms = AUDIO if kind == "audio" else VIDEO
    return next((each for each in forms if path.endswith(f".{each}")), forms[0])


def _refuse_lemmatize(_: Any) -> str:
    raise JinjaFault("the filter lemmatize needs the package simplemma, which Readback does not call")


def _refuse_tool(_: Any) -> str:
    raise JinjaFault("the filter tool describes a function of the application, which is not in the file")


def write_xml(value: Any) -> str:
    """Return an object, or the JSON of one, as XML with a tag for each of its keys."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            raise JinjaFault(f"to_xml: {value} is not deserializable") from None
    if not isinstance(value, Mapping):
        raise JinjaFault(f"to_xml takes an object or the JSON of one, and this value is {type(value).__name__}")
    root = ElementTree.Element("input")
    for key, each in value.items():
        ElementTree.SubElement(root, key if isinstance(key, str) else f"_{key}".lower()).text = str(each)
    written = ElementTree.tostring(root, encoding="unicode")
    return minidom.parseString(written).toprettyxml().replace('<?xml version="1.0" ?>\n', "")  # noqa: S318 - written above

"""Cut a rendered prompt into messages as `ChatHistory.from_rendered_prompt` of semantic-kernel does.

The text is parsed as XML. `<message role>` is a message; words before the first tag are the system's, words after a
tag the user's, and one single system message is the user's; other tags stay text. Text that is no XML is one message of
the user. References such as `&lt;` are read twice: by XML, then by HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from readback.projects.owned_text import OwnedText, join_owned

ROOT, MESSAGE, HISTORY, TEXT, IMAGE = "root", "message", "chat_history", "text", "image"
ROLES = ("system", "user", "assistant", "tool", "developer")
REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)")
CODE = (
    "annotation",
    "file_reference",
    "function_call",
    "function_result",
    "reasoning",
    "streaming_file_reference",
    "streaming_annotation",
)
DEEP = 200  # tags inside of each other


class NoMessages(Exception):  # noqa: N818 - carries the tool's reason
    """semantic-kernel makes no messages of a text."""


@dataclass(slots=True)
class Message:
    """A message; `parts` are its content where it is more than text."""

    role: str
    text: OwnedText
    parts: list[dict[str, Any]] | None = None
    name: str | None = None


@dataclass(slots=True)
class Tag:
    """A tag with what stands in it and after it."""

    name: str
    attributes: dict[str, str]
    children: list[Tag] = field(default_factory=list)
    text: list[OwnedText] = field(default_factory=list)
    tail: list[OwnedText] = field(default_factory=list)


def cut_messages(rendered: OwnedText) -> list[Message]:
    """Return the messages of a rendered prompt. Raises NoMessages."""
    prompt = rendered.strip()
    try:
        root = _parse(join_owned([OwnedText(f"<{ROOT}>"), prompt, OwnedText(f"</{ROOT}>")]))
    except expat.ExpatError:
        return [Message("user", unescape(prompt))]
    messages: list[Message] = []
    before = join_owned(root.text).strip()
    if before.text:
        messages.append(Message("system", unescape(before)))
    for tag in root.children:
        tail = join_owned(tag.tail)
        if tag.name == MESSAGE:
            messages.append(_read_message(tag))
        elif tag.name == HISTORY:
            messages += [_read_message(each) for each in tag.children]
        else:
            raw = unescape(OwnedText(ElementTree.tostring(_as_element(tag), "unicode", short_empty_elements=False)))
            _append_text(messages, join_owned([raw, unescape(tail)]))
            continue
        if tail.text.strip():
            messages.append(Message("user", unescape(tail.strip())))
    if len(messages) == 1 and messages[0].role == "system":
        messages[0].role = "user"
    return messages


def _append_text(messages: list[Message], text: OwnedText) -> None:
    if not messages:
        messages.append(Message("user", text))
        return
    last = messages[-1]
    if last.parts is None:
        last.text = join_owned([last.text, text])
    elif last.parts and last.parts[0].get("type") == "text":
        last.parts[0] = {"type": "text", "text": f"{last.parts[0]['text']}{text.text}"}
    else:
        raise NoMessages("a tag that is not known follows a message whose content is not text")


def _read_message(tag: Tag) -> Message:
    if tag.name != MESSAGE:
        raise NoMessages(f"Element tag is not {MESSAGE}")
    role = tag.attributes.get("role")
    if role not in ROLES:
        raise NoMessages("a message has no role" if role is None else f"semantic-kernel knows no role {role!r}")
    if join_owned(tag.text).text:
        texts = [unescape(join_owned(tag.text))]
    else:
        texts = []
    parts: list[dict[str, Any]] = [{"type": "text", "text": each.text} for each in texts]
    only_text = True
    for child in tag.children:
        if child.name == IMAGE:
            parts.append(_read_image(child))
            only_text = False
        elif child.name in CODE:
            raise NoMessages(f"a message has a {child.name}, which Readback does not show")
        else:
            text = join_owned(child.text)
            if child.name != TEXT:
                written = ElementTree.tostring(_as_element(child), "unicode", short_empty_elements=False)
                tail = join_owned(child.tail)
                text = join_owned(
                    [OwnedText(written), tail.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")]
                )
            texts.append(unescape(text))
            parts.append({"type": "text", "text": texts[-1].text})
    return Message(role, join_owned(texts), None if only_text else parts, tag.attributes.get("name") or None)


def _read_image(tag: Tag) -> dict[str, Any]:
    address = join_owned(tag.text).text or tag.attributes.get("uri")
    return {"type": "image_url", "image_url": {"url": address or ""}}


def unescape(text: OwnedText) -> OwnedText:
    """Return a text with HTML's references read, each as the property of whom it belonged to."""
    pieces, start = [], 0
    for match in REFERENCE.finditer(text.text):
        read = html.unescape(match[0])
        pieces += [text.cut(start, match.start()), OwnedText(read, [text.owners[match.start()]] * len(read))]
        start = match.end()
    if pieces:
        return join_owned([*pieces, text.cut(start, len(text.text))])
    return text


def _as_element(tag: Tag) -> ElementTree.Element:
    """Return a tag for writing it as XML; its tail is left to the caller, those inside of it are kept."""
    element = ElementTree.Element(tag.name, tag.attributes)
    element.text = join_owned(tag.text).text or None
    for child in tag.children:
        inner = _as_element(child)
        inner.tail = join_owned(child.tail).text or None
        element.append(inner)
    return element


def _parse(source: OwnedText) -> Tag:
    """Return the tags of a text. Raises expat.ExpatError."""
    document = Tag("", {})
    stack = [document]
    places = list(_list_places(source.text))
    parser = expat.ParserCreate(None, "}")

    def open_tag(name: str, attributes: dict[str, str]) -> None:
        tag = Tag(_name(name), {_name(key): value for key, value in attributes.items()})
        stack[-1].children.append(tag)
        stack.append(tag)
        if len(stack) > DEEP:
            raise NoMessages(f"more than {DEEP} tags are inside of each other")

    def add_text(text: str) -> None:
        start = places[parser.CurrentByteIndex]
        is_plain = source.text.startswith(text, start)
        if is_plain:
            owners = source.owners[start : start + len(text)]
        else:
            owners = [source.owners[start]] * len(text)
        top = stack[-1]
        (top.children[-1].tail if top.children else top.text).append(OwnedText(text, owners))

    parser.StartElementHandler = open_tag
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = add_text
    try:
        parser.Parse(source.text.encode(), True)
    except UnicodeEncodeError:
        raise NoMessages("the text has half a character, which no XML can hold") from None
    return document.children[0]


def _name(name: str) -> str:
    if "}" in name:
        return "{" + name
    return name


def _list_places(text: str) -> Iterator[int]:
    """Yield for each byte of a text in UTF-8 the character that it belongs to."""
    for number, sign in enumerate(text):
        for _ in range(len(sign.encode("utf-8", "surrogatepass"))):
            yield number

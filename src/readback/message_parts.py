"""What a message holds besides its text: tool calls, results, images, a name, a weight, reasoning.

`Message.whole` keeps the message as its row has it; here it is taken apart, so that every page and command shows the
same parts. The keys are those of the chat interfaces of OpenAI, Anthropic and Ollama and of transformers' chat
templates; whatever else a row says is a part of the kind "other", with its JSON.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from readback.types import Values
from readback.words import t

Kind = Literal[
    "name",
    "field",
    "weight",
    "tool_call",
    "tool_result",
    "reasoning",
    "refusal",
    "image",
    "audio",
    "video",
    "file",
    "other",
]
TEXT = frozenset({"role", "content"})
FIELD = "from"  # where a request has the system text that its reader puts first
SYSTEM_FIELDS = frozenset({"system", "instructions", "systemInstruction", "system_instruction", "system_instructions"})
SHAREGPT = {"from": "role", "value": "content"}
TEXT_BLOCKS = ("text", "input_text", "output_text")
REASONING = ("reasoning_content", "reasoning", "thinking")
MEDIA: Mapping[str, Kind] = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "audio_url": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "file": "file",
    "input_file": "file",
    "document": "file",
}
DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*(;base64)?,", re.ASCII)
FORMATS = ("media_type", "mime_type", "format")
LONG = 400  # characters from which a text inside an image, a sound or a file is its data and not its address
PNG = b"\x89PNG\r\n\x1a\n"
GIF = (b"GIF87a", b"GIF89a")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing besides the text. `key` is where the message has it: `tool_calls[0]`, `content[1]`, `weight`.

    `name` is the tool's, the speaker's, or the media type; `text` what there is to read: arguments, reasoning, the
    JSON of what is not known. `number` is the weight; `size` the bytes of embedded data, `pixels` its width and height.
    `at` is the character of the message's text before which a part of its content stands.
    """

    kind: Kind
    key: str
    name: str = ""
    text: str = ""
    call: str = ""  # the id by which a call and its result belong together
    number: float | None = None
    size: int | None = None
    pixels: tuple[int, int] | None = None
    at: int | None = None


def whole_message(row: Mapping[str, Any], role: str) -> Values | None:
    """Return the message as its row has it, where that is more than a role and one text; else None.

    ShareGPT's `from` and `value` are called `role` and `content`.
    """
    whole: dict[str, Any] = {}
    for key, value in row.items():
        if "role" not in row and key in SHAREGPT and SHAREGPT[key] not in row:
            whole[SHAREGPT[key]] = value
        else:
            whole[key] = value
    whole["role"] = role
    plain = whole.keys() <= TEXT and isinstance(whole.get("content"), str)
    if plain:
        return None
    return whole


def beyond_text(whole: Values | None) -> Values:
    """Return what a message says that its role and text do not: {} of one that is text alone, in parts or not."""
    if whole is None:
        return {}
    other = {key: value for key, value in whole.items() if key not in TEXT and not _names_field(key, value)}
    content = whole.get("content")
    if isinstance(content, list) and not all(_is_text(block) for block in content):
        other["content"] = content
    return other


def mark_of(whole: Values | None) -> str:
    """Return what a message says beyond its text as one text, equal where that is the same; "" where it is nothing."""
    more = beyond_text(whole)
    if more:
        return json.dumps(more, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    return ""


def parts(whole: Values | None) -> tuple[Part, ...]:
    """Return what a message holds besides its text, in the order in which its row has it."""
    if whole:
        return tuple(_parts(whole))
    return ()


def _parts(whole: Values) -> Iterator[Part]:
    for key, value in whole.items():
        if key == "content":
            yield from _of_content(value)
        elif key not in TEXT:
            yield from _of_field(key, value)


def _of_field(key: str, value: Any) -> Iterator[Part]:
    if value is None or value in ([], {}):
        return
    if key == "tool_calls" and isinstance(value, list):
        for number, call in enumerate(value):
            yield _tool_call(call, f"{key}[{number}]")
    elif key == "function_call" and isinstance(value, Mapping):
        yield _tool_call(value, key)
    elif key == "tool_call_id" and isinstance(value, str):
        yield Part("tool_result", key, call=value)
    elif key in ("name", "tool_name") and isinstance(value, str):
        yield Part("name", key, value)
    elif _names_field(key, value):
        yield Part("field", key, value)
    elif key in ("weight", "train") and isinstance(value, int | float):
        yield Part("weight", key, number=float(value))
    elif key in REASONING and isinstance(value, str):
        yield Part("reasoning", key, text=value)
    elif key == "refusal" and isinstance(value, str):
        yield Part("refusal", key, text=value)
    elif key == "images" and isinstance(value, list):
        for number, image in enumerate(value):
            yield _medium("image", f"{key}[{number}]", image)
    else:
        yield Part("other", key, text=_json(value))


def _names_field(key: str, value: Any) -> bool:
    """Whether a key of a message says in which field of its request the text stands, and nothing of the text itself."""
    return key == FIELD and isinstance(value, str) and value in SYSTEM_FIELDS


def _of_content(content: Any) -> Iterator[Part]:
    """Yield the blocks of a content that are not text; the texts are the message's text, joined by a line feed."""
    if not isinstance(content, list):
        if content is not None and not isinstance(content, str):
            yield Part("other", "content", text=_json(content))
        return
    at, texts = 0, 0
    for number, block in enumerate(content):
        text = text_of(block)
        if text is not None:
            at += len(text) + (texts > 0)
            texts += 1
        else:
            yield _block(block, f"content[{number}]", at)


def text_of(block: Any) -> str | None:
    """Return the text of one block of a content; None where it is an image, a call or anything else."""
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping):
        return None
    return next((block[name] for name in ("text", "value") if isinstance(block.get(name), str)), None)


def _is_text(block: Any) -> bool:
    """Whether a block is a text and says nothing else."""
    if isinstance(block, str):
        return True
    return isinstance(block, Mapping) and text_of(block) is not None and block.keys() <= {"type", "text", "value"}


def _block(block: Any, key: str, at: int) -> Part:
    if isinstance(block, Mapping):
        kind = str(block.get("type"))
    else:
        kind = ""
    if kind in ("tool_use", "tool_call", "function_call"):
        part = _tool_call(block, key)
    elif kind in ("thinking", "reasoning") and isinstance(block.get(kind), str):
        part = Part("reasoning", key, text=block[kind])
    elif kind == "refusal" and isinstance(block.get(kind), str):
        part = Part("refusal", key, text=block[kind])
    elif kind == "tool_result":
        part = Part("tool_result", key, text=_result(block.get("content")), call=str(block.get("tool_use_id") or ""))
    elif kind in MEDIA:
        part = _medium(MEDIA[kind], key, block)
    else:
        part = Part("other", key, text=_json(block))
    return Part(part.kind, key, part.name, part.text, part.call, part.number, part.size, part.pixels, at)


def _tool_call(call: Any, key: str) -> Part:
    """Return a call in the form of OpenAI, Ollama or Anthropic; one of another form is shown as its JSON."""
    if isinstance(call, Mapping):
        inner = call.get("function", call)
    else:
        inner = None
    if isinstance(inner, Mapping):
        name = inner.get("name")
    else:
        name = None
    if not isinstance(name, str) or not isinstance(call, Mapping) or not isinstance(inner, Mapping):
        return Part("other", key, text=_json(call))
    arguments = inner.get("arguments", inner.get("input", inner.get("parameters")))
    if arguments is None:
        text = ""
    elif isinstance(arguments, str):
        text = arguments
    else:
        text = _json(arguments)
    return Part("tool_call", key, name, text, str(call.get("id") or ""))


def _result(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [text_of(block) for block in content]
    else:
        texts = [None]
    whole = [text for text in texts if text is not None]
    if len(whole) == len(texts):
        return "\n".join(whole)
    return _json(content)


def _medium(kind: Kind, key: str, value: Any) -> Part:
    """Return a placeholder: the type and the size of what is embedded, or the address of what is not."""
    texts = list(_strings(value))
    for text in texts:
        if url := DATA_URL.match(text):
            data = text[url.end() :]
            if url[2]:
                size = _bytes_of(data)
            else:
                size = len(data.encode("utf-8", "surrogatepass"))
            return Part(kind, key, url[1] or "", size=size, pixels=_pixels(data) if url[2] else None)
    long = max(texts, key=len, default="")
    if len(long) >= LONG:
        return Part(kind, key, _media_type(value), size=_bytes_of(long), pixels=_pixels(long))
    return Part(kind, key, text=texts[0] if len(texts) == 1 else _json(value))


def _media_type(value: Any) -> str:
    """Return the type that a block states: `source: {media_type}`, `input_audio: {format}`, at its top or inside."""
    if not isinstance(value, Mapping):
        return ""
    for name in FORMATS:
        if isinstance(media := value.get(name), str):
            return media
    return next((media for inner in value.values() if (media := _media_type(inner))), "")


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts of an image, a sound or a file that are its data or its address, without the name of its type."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in ("type", "detail", *FORMATS):
                yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _bytes_of(data: str) -> int:
    """Return how many bytes a base64 text encodes."""
    packed = re.sub(r"\s", "", data)
    return len(packed.rstrip("=")) * 3 // 4


def _pixels(data: str) -> tuple[int, int] | None:
    """Return width and height of a PNG or GIF, from its first bytes."""
    try:
        head = base64.b64decode(data[:64])
    except (binascii.Error, ValueError):
        return None
    if head.startswith(PNG) and len(head) >= 24:
        width, height = struct.unpack(">II", head[16:24])
        return width, height
    if head.startswith(GIF) and len(head) >= 10:
        width, height = struct.unpack("<HH", head[6:10])
        return width, height
    return None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def part_title(part: Part) -> str:
    """Return what a part is, as one sentence or title; `part.text` is what stands below it."""
    match part.kind:
        case "tool_call":
            return t("parts.tool_call_id" if part.call else "parts.tool_call", name=part.name, call=part.call)
        case "tool_result":
            return t("parts.tool_result_id" if part.call else "parts.tool_result", call=part.call)
        case "name":
            return t("parts.name", name=part.name)
        case "field":
            return t("parts.field", field=part.name)
        case "weight":
            if part.number == 0:
                return t("parts.weight_zero", field=part.key)
            return t("parts.weight", field=part.key, weight=f"{part.number:g}")
        case "reasoning":
            return t("parts.reasoning", field=part.key)
        case "other":
            return t("parts.unknown", field=part.key)
        case "refusal":
            return t("parts.refusal")
        case _:
            return _media_title(part)


def _media_title(part: Part) -> str:
    """Say what an image, a sound or a file is and how large; its address stands below it."""
    facts = [part.name] if part.name else []
    if part.pixels:
        facts.append(t("parts.pixels", width=part.pixels[0], height=part.pixels[1]))
    if part.size is None:
        return t("parts.elsewhere", what=t(f"parts.{part.kind}"))
    facts.append(t("messages.bytes", n=part.size))
    return t("parts.embedded", what=t(f"parts.{part.kind}"), facts=", ".join(facts))

"""Checkpoints: a benchmark as JSON-LD, a DataFeed of questions; each question is a record.

Source: `.jsonld` files of biocypher/karenina (facts only). What a question carries as code is text here: it is shown,
and never run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple

from readback.readers import jsonl
from readback.readers.files.row import Event, Header, Refused, Row
from readback.readers.files.text_file import LONGEST
from readback.readers.json_file import Cursor, TooLong, Walk, skip_mark
from readback.readers.json_text import Decoder, NotJson
from readback.types import Diagnostic, Location, Severity

NAME = "checkpoint"
SUFFIXES = (".jsonld",)
BY_LINES = False  # what is counted are the questions
FEED, QUESTIONS = "DataFeed", "dataFeedElement"
TYPE = re.compile(rb'"@type"\s*:\s*(?:\[\s*)?"DataFeed"')
LISTED = re.compile(rb'"dataFeedElement"\s*:')
OPENED = re.compile(rb'"dataFeedElement"\s*:\s*\[')
OPENS = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
NESTING = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
PROPERTIES, CUSTOM = "additionalProperty", "custom_"
JSON_TEXTS = ("author", "sources", "few_shot_examples")  # properties whose value is JSON written as a text
OWN = ("id", "question", "reference", "keywords", "template_source", "custom")  # fields that no property may be
TAKEN = ("text", "acceptedAnswer", "hasPart", "keywords", "item", PROPERTIES)  # keys that have fields of other names
SHOWN = 60  # characters of a wrong value that are worth showing
SLUG = 50


class Part(NamedTuple):
    """One value of the root by its name; of a list that is read item by item first an empty list, then each item."""

    name: str
    value: Any  # of such an item a Row or a Refused
    line: int


def is_checkpoint(head: bytes) -> bool:
    """Whether a text that begins so is a checkpoint: an object of the type DataFeed with its list of questions."""
    if not head.startswith(b"{") or not LISTED.search(head):
        return False
    types = {match.start() for match in TYPE.finditer(head)}
    depth = 0
    for mark in NESTING.finditer(head) if types else ():
        if depth == 1 and mark.start() in types:
            return True
        depth += OPENS.get(mark.group(), 0)
    return False


def lists_questions(head: bytes) -> bool:
    """Whether a list of questions begins in it, whatever type the object says it is."""
    return bool(OPENED.search(head))


def rows(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Every question as a Row, and every entry of the list that is none as a Refused."""
    kind: Any = None
    has_parts = listed = refused = False
    for part in parts(stream, file):
        has_parts = True
        match part:
            case Part(name="@type", value=value):
                kind = value
            case Part(name="dataFeedElement", value=Row() as row):
                yield _convert_question(row, file)
            case Part(name="dataFeedElement", value=Refused() as bad):
                yield bad
            case Part(name="dataFeedElement", value=[], line=line):
                listed = True
                yield Header({"list": QUESTIONS}, 0, 0, 0)
            case Part(name="dataFeedElement", value=value, line=line):
                listed = True
                yield report_wrong_value(QUESTIONS, value, "a list of questions", Location(file=file, line=line))
            case Part():
                pass
            case event:
                refused = refused or isinstance(event, Refused)
                yield event
    if refused or not has_parts:
        return
    typed = kind == FEED or (isinstance(kind, list) and FEED in kind)
    place = Location(file=file)
    if not typed and not listed:
        reason = f"no checkpoint: the type of the object is not {FEED}, and it has no {QUESTIONS}"
        yield Refused(Diagnostic("dat-bad-line", {"reason": reason}, replace(place, line=1)), 1, 1, 0)
    elif not typed:
        yield report_wrong_value("@type", kind, FEED, place, "warning")
    elif not listed:
        yield report_wrong_value(QUESTIONS, None, "a list of questions", place)


def parse(raw: bytes, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a question whose bytes were read before. Raises ValueError when the file has changed."""
    fields, _ = record(jsonl.parse(raw, shape), Location())
    if isinstance(fields, str):
        raise ValueError(fields)
    return fields


# The root of the file, one value after another.


def parts(stream: BinaryIO, file: str, lists: tuple[str, ...] = (QUESTIONS,)) -> Iterator[Part | Event]:
    """Yield the values of the root, and the lists under the names in `lists` item by item: one item is held at a time.

    What is wrong with the text is an event. After a value that is no JSON, reading goes on with the questions.
    """
    begin = yield from skip_mark(stream, file)
    if begin is None:
        return
    walk = Walk(Cursor(stream, begin), file)
    match walk.cursor.peek():
        case "":
            return
        case "{":
            yield from _read_root(walk, lists)
        case _:
            yield walk.refused("a checkpoint is one object")
            return
    if walk.whole and walk.cursor.peek():
        yield walk.refused("something follows the end of the object")


def _read_root(walk: Walk, lists: tuple[str, ...]) -> Iterator[Part | Event]:
    cursor = walk.cursor
    first_lines: dict[str, int] = {}
    cursor.take("{")
    if cursor.take("}"):
        return
    while name := walk.key():
        opener, line = cursor.peek(), cursor.line
        place = Location(file=walk.file, line=line)
        if name in first_lines:
            values = {"key": name, "first": first_lines[name]}
            yield Diagnostic("dat-duplicate-key", values, place, name)
        if name in lists and opener in ("[", "{") and not (name in first_lines and name == QUESTIONS):
            yield Part(name, [], line)
            at = cursor.offset
            for event in walk.items() if opener == "[" else (walk.item(),):
                yield Part(name, event, line)
            walk.whole = walk.whole and cursor.offset > at  # an only question that is no JSON was not passed
        elif name in lists and name in first_lines:
            yield walk.refused(f"a second {name}; the first is read")
            walk.whole = cursor.skip_value()
        else:
            yield from _read_value(walk, name, place)
        first_lines.setdefault(name, line)
        if walk.whole and cursor.take("}"):
            return
        if walk.whole and not cursor.take(","):
            walk.whole = False
            yield walk.refused("a comma or the end of the object is missing")
        if not walk.whole:
            break
    else:
        walk.whole = False
        yield walk.refused("a name is missing, or the end of the object")
    if QUESTIONS not in first_lines:
        yield from _find_questions(walk)


def _read_value(walk: Walk, name: str, place: Location) -> Iterator[Part | Event]:
    cursor = walk.cursor
    try:
        value, _ = cursor.value()
    except TooLong:
        values = {"what": f"{name} of a checkpoint", "size": LONGEST, "limit": LONGEST}
        yield Diagnostic("dat-too-large", values, place, name)
        walk.whole = cursor.skip_value()
    except NotJson as error:
        walk.whole = False
        yield walk.refused(f"not JSON ({error.reason})", cursor.ahead(error.at))
    else:
        yield from cursor.decoder.diagnostics(value, place)
        yield Part(name, value, place.line or 0)


def _find_questions(walk: Walk) -> Iterator[Part]:
    """Yield the questions below a place that cannot be read; the context may have a key of the same name."""
    while walk.cursor.skip_to(f'"{QUESTIONS}"'):
        if walk.key() and walk.cursor.peek() == "[":
            yield Part(QUESTIONS, [], walk.cursor.line)
            for event in walk.items():
                yield Part(QUESTIONS, event, walk.cursor.line)
            return


# One question.


def _convert_question(row: Row, file: str) -> Row | Refused:
    place = Location(file=file, line=row.line)
    fields, diagnostics = record(row.fields, place)
    if isinstance(fields, str):
        return Refused(Diagnostic("dat-bad-line", {"reason": fields}, place), row.line, row.end_line, row.end)
    return row._replace(fields=fields, diagnostics=(*row.diagnostics, *diagnostics))


def record(element: Mapping[str, Any], place: Location) -> tuple[dict[str, Any] | str, list[Diagnostic]]:
    """Return the fields of an entry of the list, or why it is not a question, and diagnostics of what was left out."""
    diagnostics: list[Diagnostic] = []
    item = unwrap_single(element.get("item"))
    if isinstance(item, Mapping):
        text = item.get("text")
    else:
        text = None
    if not isinstance(item, Mapping) or not isinstance(text, str) or not text.strip():
        if isinstance(item, Mapping):
            what = f"item.text is {_describe_value(text)}"
        else:
            what = f"item is {_describe_value(item)}"
        return f"no question: {what}", diagnostics

    def leave(where: str, value: Any, expected: str, severity: Severity | None = "warning") -> None:
        diagnostics.append(report_wrong_value(where, value, expected, place, severity))

    fields: dict[str, Any] = {"id": compute_question_id(element)}
    if not isinstance(element.get("@id"), str | None):
        leave("@id", element["@id"], "a text")
    fields["question"] = text
    for name, key in (("reference", "acceptedAnswer"), ("template_source", "hasPart")):
        holder = unwrap_single(item.get(key))
        if isinstance(holder, Mapping):
            inner = holder.get("text")
        else:
            inner = holder
        if isinstance(inner, str) and isinstance(holder, Mapping):
            fields[name] = inner
        elif inner is not None:
            leave(f"item.{key}", holder, "an object with a text")
    keywords = item.get("keywords", element.get("keywords"))
    if isinstance(keywords, str) or (
        isinstance(keywords, list) and all(isinstance(keyword, str) for keyword in keywords)
    ):
        fields["keywords"] = keywords
    elif keywords is not None:
        leave("keywords", keywords, "a list of texts")
    _add_properties(
        fields,
        (*properties(element, diagnostics, place), *properties(item, diagnostics, place, "item.")),
        diagnostics,
        place,
    )
    for source in (item, element):
        for key, value in source.items():
            if key not in TAKEN and not key.startswith("@"):
                fields.setdefault(key, value)
    return fields, diagnostics


def compute_question_id(element: Mapping[str, Any]) -> str:
    """Return the id of an entry of the list; without one compute the id that the program makes from the question."""
    identifier = element.get("@id")
    if isinstance(identifier, str) and identifier.strip():
        return identifier
    item = unwrap_single(element.get("item"))
    if isinstance(item, Mapping):
        text = item.get("text")
    else:
        text = ""
    question = text if isinstance(text, str) else ""
    slug = question.lower().replace(" ", "-").translate(dict.fromkeys(map(ord, "?.,")))[:SLUG]
    digest = hashlib.md5(question.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return f"urn:uuid:question-{slug}-{digest[:8]}"


def properties(
    holder: Mapping[str, Any], diagnostics: list[Diagnostic], place: Location, where: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield the additional properties by name, in order; add a diagnostic for each that is malformed."""
    value = holder.get(PROPERTIES)
    listed = [value] if isinstance(value, Mapping) else value
    if not isinstance(listed, list | None):
        diagnostics.append(
            report_wrong_value(where + PROPERTIES, value, "a list of objects with name and value", place, "warning")
        )
        return
    for n, entry in enumerate(listed or ()):
        if isinstance(entry, Mapping):
            name = entry.get("name")
        else:
            name = None
        if isinstance(name, str) and name and isinstance(entry, Mapping):
            yield name, entry.get("value")
        else:
            at = f"{where}{PROPERTIES}[{n}]"
            diagnostics.append(report_wrong_value(at, entry, "an object with name and value", place, "warning"))


def _add_properties(
    fields: dict[str, Any], stated: tuple[tuple[str, Any], ...], diagnostics: list[Diagnostic], place: Location
) -> None:
    custom: dict[str, Any] = {}
    names: set[str] = set()
    for name, value in stated:
        if name in names:
            diagnostics.append(Diagnostic("dat-duplicate-key", {"key": name, "first": place.line}, place, name))
        names.add(name)
        if name.startswith(CUSTOM) and name != CUSTOM:
            custom[name.removeprefix(CUSTOM)] = value
        elif name in OWN:
            diagnostics.append(report_wrong_value(f"{PROPERTIES}.name", name, "a name of its own", place))
        else:
            fields[name] = decode_property(name, value, diagnostics, place) if name in JSON_TEXTS else value
    if custom:
        fields["custom"] = custom


def decode_property(name: str, value: Any, diagnostics: list[Diagnostic], place: Location) -> Any:
    """Decode a text as JSON; return one that is not JSON unchanged, and add a diagnostic."""
    if not isinstance(value, str) or not value.strip():
        return value
    decoder = Decoder()
    try:
        inner = decoder.whole(value)
    except NotJson as error:
        severity: Severity | None = None if name == "few_shot_examples" else "info"
        diagnostics.append(report_wrong_value(name, value, f"JSON ({error.reason})", place, severity))
        return value
    diagnostics.extend(decoder.diagnostics(inner, place))
    return inner


def unwrap_single(value: Any) -> Any:
    """JSON-LD writes a single value as itself or as a list of one."""
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    return value


def report_wrong_value(
    where: str, value: Any, expected: str, place: Location, severity: Severity | None = None
) -> Diagnostic:
    """Return the diagnostic for a value that cannot be used."""
    values = {"where": where, "value": _describe_value(value), "expected": expected}
    return Diagnostic("dat-wrong-value", values, place, f"{where} {_describe_value(value)}", severity)


def _describe_value(value: Any) -> str:
    """Describe a value in few words."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, str):
        if value.strip():
            return value[:SHOWN]
        return "empty"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "absent"
    return json.dumps(value)[:SHOWN]

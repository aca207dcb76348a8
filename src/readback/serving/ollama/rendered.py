"""What Ollama makes of messages with a Modelfile: its SYSTEM and MESSAGE turns, then its TEMPLATE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from readback import sandbox
from readback.message_parts import text_of
from readback.sandbox.asked_again import PIECE, AskedAgain
from readback.serving.gotemplate.traced_text import has_surrogates, replace_surrogates
from readback.types import Diagnostic, Location, Message, Modelfile, ModelInput, Segment

WORK = "readback.serving.ollama.render:work"
LIMITS = sandbox.Limits(seconds=1.0, total=2.0, closed=True)
JOINER = Segment("\n\n", "joiner", "collate")
JOINED = -2  # what the work calls it
EXCESS: Mapping[str, tuple[str, str]] = {
    "time": ("time to carry out a Modelfile's TEMPLATE", sandbox.time_said(LIMITS.seconds)),
    "memory": ("memory to carry out a Modelfile's TEMPLATE", "512 MiB"),
    "output": ("text of a Modelfile's TEMPLATE", "32 MiB"),
    "crash": ("the process of a Modelfile's TEMPLATE", "its own crash"),
}
BUILT_IN = "renderer"  # hands the conversation to code of the server's own; PARSER reads what the model answers
NO_VALUES: Mapping[str, Any] = {}


@dataclass(slots=True)
class _Request:
    """The turns for the template, and the segments their pieces come from, by number."""

    turns: list[list[Any]] = field(default_factory=list)
    known: list[Segment] = field(default_factory=list)

    def add(self, role: str, segments: Iterable[Segment], more: Mapping[str, Any] = NO_VALUES) -> None:
        text: list[tuple[str, int]] = []
        for segment in segments:
            if has_surrogates(segment.text):  # JSON carries no half a character
                segment = replace(segment, text=replace_surrogates(segment.text))
            text.append((segment.text, len(self.known)))
            self.known.append(segment)
        self.turns.append([role, text, more])


def model_input(
    modelfile: Modelfile,
    messages: Sequence[Message],
    *,
    today: str | None = None,
    values: Mapping[str, Any] | None = None,
) -> ModelInput:
    """The text the model receives for a chat request with these messages; each stretch keeps its origin.

    `values`: what else the request says: tools, think, prompt, suffix. If no text can be made, `diagnostics` say why.
    """
    if why := unknowable(modelfile):
        return _model_input(modelfile, (), (why,))
    request = _Request()
    for role, segments in opening(modelfile, bool(messages) and messages[0].role.lower() == "system"):
        request.add(role, segments)
    for message in messages:
        _add_message(request, message)
    return _sent(modelfile, request, today, values)


def asked(
    modelfile: Modelfile, messages: Sequence[Mapping[str, Any]], today: str | None, values: Mapping[str, Any]
) -> ModelInput:
    """`wire` for the messages of a request as they are, with tool calls, thinking and images."""
    if why := unknowable(modelfile):
        return _model_input(modelfile, (), (why,))
    request = _Request()
    for role, segments in opening(modelfile, bool(messages) and _role(messages[0]).lower() == "system"):
        request.add(role, segments)
    for message in messages:
        _add(request, message, _role(message).lower())
    return _sent(modelfile, request, today, values)


def templated(
    template: str, messages: Sequence[Mapping[str, Any]], today: str | None, values: Mapping[str, Any]
) -> ModelInput:
    """The text that a template alone gives for the messages of a request."""
    request = _Request()
    for message in messages:
        _add(request, message, _role(message))
    return _sent(Modelfile((), template=template, template_place=Location(line=1, column=1)), request, today, values)


def unknowable(modelfile: Modelfile) -> Diagnostic | None:
    """Why nobody can say what the model receives: another renderer, or no TEMPLATE."""
    renderer = next((command for command in reversed(modelfile.commands) if command[0] == BUILT_IN), None)
    if renderer:
        return Diagnostic(
            "oll-renderer", {"name": renderer[1]}, replace(modelfile.place, line=renderer[2] or None), renderer[1]
        )
    return Diagnostic("oll-no-template", {}, modelfile.place) if modelfile.template is None else None


def opening(modelfile: Modelfile, has_system: bool) -> Iterable[tuple[str, tuple[Segment, ...]]]:
    """What Ollama puts before a chat request's messages: SYSTEM unless they begin with one, then MESSAGE turns."""
    if modelfile.system and not has_system:
        yield "system", (Segment(modelfile.system, "system", "modelfile", modelfile.system_place),)
    for name, args, line in modelfile.commands:
        if name == "message":
            role, _, text = args.partition(": ")
            yield role, (Segment(text, "serving", modelfile.place.file, replace(modelfile.place, line=line or None)),)


def _add_message(request: _Request, message: Message) -> None:
    """One message with the origins of its texts; its parts as `_add` reads those of a request."""
    role = message.role.lower()
    if message.whole is None:
        request.add(role, message.segments)
        return
    more = {name: value for name, value in message.whole.items() if name not in ("role", "content")}
    content = message.whole.get("content")
    texts = iter([segment for segment in message.segments if segment.origin != "joiner"])
    if not isinstance(content, list) or not content:
        request.add(role, message.segments, more)
        return
    for part in content:
        segment = next(texts, None) if text_of(part) is not None else None
        request.add(role, (segment,) if segment else (), more)


def _add(request: _Request, message: Mapping[str, Any], role: str) -> None:
    """One message of a request. A list of parts is one message for each, as Ollama reads OpenAI's."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text", "") if isinstance(part, Mapping) else part for part in parts]
    for text in texts or [""]:
        said = (Segment(text, "variable"),) if isinstance(text, str) and text else ()
        request.add(role, said, {name: value for name, value in message.items() if name not in ("role", "content")})


def _role(message: Mapping[str, Any]) -> str:
    role = message.get("role")
    return _text(role)


def _sent(modelfile: Modelfile, request: _Request, today: str | None, values: Mapping[str, Any] | None) -> ModelInput:
    payload = {
        "template": modelfile.template or "",
        "turns": request.turns,
        "values": _values(values or {}),
        "today": today or date.today().isoformat(),
    }
    try:
        answer = _kept.answer(payload, _answer)
    except sandbox.Stopped as stopped:
        what, limit = EXCESS[stopped.kind]
        return _model_input(
            modelfile, (), (Diagnostic("dat-limit", {"what": what, "limit": limit}, modelfile.template_place, what),)
        )
    at = _Places(modelfile)
    diagnostics = [Diagnostic("oll-date-dependent", {}, at(answer["dated"]))] if answer.get("dated") else []
    if failed := answer.get("failed"):
        return _model_input(modelfile, (), (*diagnostics, _fault(failed, at((failed["line"], failed["column"])))))
    return _model_input(modelfile, tuple(_segments(answer["pieces"], request.known, at)), tuple(diagnostics))


def _answer(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    answer: Mapping[str, Any] = sandbox.call(WORK, payload, LIMITS)
    return answer


def _size(answer: Mapping[str, Any]) -> int:
    return sum(PIECE + len(text) for text, _ in answer.get("pieces", ()))


_kept = AskedAgain[Mapping[str, Any]](_size)


def _fault(failed: Mapping[str, Any], place: Location) -> Diagnostic:
    if failed["crash"]:
        return Diagnostic("oll-response-in-branch", {}, place)
    return Diagnostic(
        "oll-template-error", {"reason": failed["reason"], "when": failed["when"]}, place, failed["reason"]
    )


def _model_input(
    modelfile: Modelfile, segments: tuple[Segment, ...], diagnostics: tuple[Diagnostic, ...]
) -> ModelInput:
    stops = tuple(args for name, args, _ in modelfile.commands if name == "stop")
    name = modelfile.place.file or "Modelfile"
    return ModelInput(name, segments, diagnostics, "modelfile", modelfile.template_place, stops)


def _segments(pieces: Iterable[Sequence[Any]], known: Sequence[Segment], at: _Places) -> Iterable[Segment]:
    for text, source in pieces:
        if source is None:
            yield Segment(text, "unknown")
        elif isinstance(source, int):
            segment = JOINER if source == JOINED else known[source]
            yield segment if segment.text == text else replace(segment, text=text)
        else:
            yield _own(text, at.start, at.columns, source[0], source[1])


@lru_cache(4096)
def _own(text: str, start: Location, columns: bool, line: int, column: int) -> Segment:
    """What a template says itself; the same for every record."""
    return Segment(text, "serving", start.file or "Modelfile", _place(start, columns, line, column))


@lru_cache(1024)
def _place(start: Location, columns: bool, line: int, column: int) -> Location:
    first = column + (start.column or 1) - 1 if line == 1 else column
    return replace(start, line=(start.line or 1) + line - 1, column=first if columns else None)


class _Places:
    """From lines and columns of a TEMPLATE to those of its file."""

    __slots__ = ("columns", "start")

    def __init__(self, modelfile: Modelfile) -> None:
        self.start = modelfile.template_place
        # characters that Ollama drops shift all behind them: then only lines are certain
        self.columns = not any(
            n.code == "oll-char-dropped" and n.values["name"] == "TEMPLATE" for n in modelfile.diagnostics
        )

    def __call__(self, source: Sequence[int]) -> Location:
        return _place(self.start, self.columns, source[0], source[1])


def _values(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the request says besides its messages, under the names the work knows; spelled as the API or Go does."""
    named = {name.lower().replace("_", ""): value for name, value in given.items()}
    think = named.get("think")
    return {
        "prompt": _text(named.get("prompt")),
        "suffix": _text(named.get("suffix")),
        "tools": named.get("tools"),
        "think": bool(think),
        "level": think if isinstance(think, str) else _text(named.get("thinklevel")),
        "thinking": bool(named.get("isthinkset", think is not None)),
    }


def _text(value: Any) -> str:
    return replace_surrogates(value) if isinstance(value, str) else ""

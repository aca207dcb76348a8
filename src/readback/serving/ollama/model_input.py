"""Build the text that a model receives for messages: a Modelfile's SYSTEM and MESSAGE turns, then its TEMPLATE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

from readback import sandbox
from readback.message_parts import text_of
from readback.sandbox.answer_cache import PIECE, AnswerCache
from readback.serving.gotemplate.traced_text import has_surrogates, replace_surrogates
from readback.types import Diagnostic, Location, Message, Modelfile, ModelInput, Segment

WORK = "readback.serving.ollama.render:work"
LIMITS = sandbox.Limits(seconds=1.0, total=2.0, closed=True)
JOINER = Segment("\n\n", "joiner", "collate")
JOINER_SOURCE = -2  # the source that the sandbox uses for it
EXCESS: Mapping[str, tuple[str, str]] = {
    "time": ("time to carry out a Modelfile's TEMPLATE", sandbox.format_time_limit(LIMITS.seconds)),
    "memory": ("memory to carry out a Modelfile's TEMPLATE", "512 MiB"),
    "output": ("text of a Modelfile's TEMPLATE", "32 MiB"),
    "crash": ("the process of a Modelfile's TEMPLATE", "its own crash"),
}
BUILT_IN = "renderer"  # hands the conversation to code of the server's own; PARSER reads what the model answers
NO_VALUES: Mapping[str, Any] = {}


@dataclass(slots=True)
class _Request:
    """Hold the turns for the template, and the segments that their pieces come from, by number."""

    turns: list[list[Any]] = field(default_factory=list)
    sources: list[Segment] = field(default_factory=list)

    def add(self, role: str, segments: Iterable[Segment], more: Mapping[str, Any] = NO_VALUES) -> None:
        """Add a turn."""
        text: list[tuple[str, int]] = []
        for segment in segments:
            if has_surrogates(segment.text):  # JSON carries no half a character
                segment = replace(segment, text=replace_surrogates(segment.text))
            text.append((segment.text, len(self.sources)))
            self.sources.append(segment)
        self.turns.append([role, text, more])


def build_model_input(
    modelfile: Modelfile,
    messages: Sequence[Message],
    *,
    today: str | None = None,
    values: Mapping[str, Any] | None = None,
) -> ModelInput:
    """Return the text that the model receives for a chat request with these messages; stretches keep their origin.

    `values` are the other values of the request: tools, think, prompt, suffix. If no text can be built, `diagnostics`
    say why.
    """
    diagnostic = explain_unknown(modelfile)
    if diagnostic:
        return _make_input(modelfile, (), (diagnostic,))
    request = _Request()
    for role, segments in list_opening_turns(modelfile, bool(messages) and messages[0].role.lower() == "system"):
        request.add(role, segments)
    for message in messages:
        _add_message(request, message)
    return _send(modelfile, request, today, values)


def build_from_request(
    modelfile: Modelfile, messages: Sequence[Mapping[str, Any]], today: str | None, values: Mapping[str, Any]
) -> ModelInput:
    """Return `build_model_input` for the raw messages of a request, with tool calls, thinking and images."""
    diagnostic = explain_unknown(modelfile)
    if diagnostic:
        return _make_input(modelfile, (), (diagnostic,))
    request = _Request()
    for role, segments in list_opening_turns(modelfile, bool(messages) and _get_role(messages[0]).lower() == "system"):
        request.add(role, segments)
    for message in messages:
        _add_raw_message(request, message, _get_role(message).lower())
    return _send(modelfile, request, today, values)


def render_template(
    template: str, messages: Sequence[Mapping[str, Any]], today: str | None, values: Mapping[str, Any]
) -> ModelInput:
    """Return the text that a template alone gives for the messages of a request."""
    request = _Request()
    for message in messages:
        _add_raw_message(request, message, _get_role(message))
    return _send(Modelfile((), template=template, template_place=Location(line=1, column=1)), request, today, values)


def explain_unknown(modelfile: Modelfile) -> Diagnostic | None:
    """Return why the model's text cannot be known: another renderer, or no TEMPLATE; else None."""
    renderer = next((command for command in reversed(modelfile.commands) if command[0] == BUILT_IN), None)
    if renderer:
        _, name, line = renderer
        return Diagnostic("oll-renderer", {"name": name}, replace(modelfile.place, line=line or None), name)
    if modelfile.template is None:
        return Diagnostic("oll-no-template", {}, modelfile.place)
    return None


def list_opening_turns(modelfile: Modelfile, has_system: bool) -> Iterable[tuple[str, tuple[Segment, ...]]]:
    """Yield what Ollama puts before a chat request's messages.

    That is SYSTEM unless they begin with a system message, then the MESSAGE turns.
    """
    if modelfile.system and not has_system:
        yield "system", (Segment(modelfile.system, "system", "modelfile", modelfile.system_place),)
    for name, args, line in modelfile.commands:
        if name == "message":
            role, _, text = args.partition(": ")
            yield role, (Segment(text, "serving", modelfile.place.file, replace(modelfile.place, line=line or None)),)


def _add_message(request: _Request, message: Message) -> None:
    """Add one message with the origins of its texts; its parts are read as `_add` reads those of a request."""
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
        if text_of(part) is not None:
            segment = next(texts, None)
        else:
            segment = None
        request.add(role, (segment,) if segment else (), more)


def _add_raw_message(request: _Request, message: Mapping[str, Any], role: str) -> None:
    """Add one message of a request; a list of parts is one message for each, as Ollama reads OpenAI's."""
    content = message.get("content")
    if isinstance(content, list):
        parts = content
    else:
        parts = [content]
    texts = [part.get("text", "") if isinstance(part, Mapping) else part for part in parts]
    more = {name: value for name, value in message.items() if name not in ("role", "content")}
    for text in texts or [""]:
        segments = (Segment(text, "variable"),) if isinstance(text, str) and text else ()
        request.add(role, segments, more)


def _get_role(message: Mapping[str, Any]) -> str:
    return _to_text(message.get("role"))


def _send(modelfile: Modelfile, request: _Request, today: str | None, values: Mapping[str, Any] | None) -> ModelInput:
    payload = {
        "template": modelfile.template or "",
        "turns": request.turns,
        "values": _read_values(values or {}),
        "today": today or date.today().isoformat(),
    }
    try:
        answer = _cache.get_or_ask(payload, _ask_sandbox)
    except sandbox.Stopped as stopped:
        excess, limit = EXCESS[stopped.kind]
        values = {"what": excess, "limit": limit}
        diagnostic = Diagnostic("dat-limit", values, modelfile.template_place, excess)
        return _make_input(modelfile, (), (diagnostic,))
    places = _Places(modelfile)
    diagnostics: list[Diagnostic] = []
    if answer.get("dated"):
        diagnostics.append(Diagnostic("oll-date-dependent", {}, places.locate(answer["dated"])))
    failure = answer.get("failed")
    if failure:
        diagnostics.append(_report_failure(failure, places.locate((failure["line"], failure["column"]))))
        return _make_input(modelfile, (), tuple(diagnostics))
    segments = tuple(_build_segments(answer["pieces"], request.sources, places))
    return _make_input(modelfile, segments, tuple(diagnostics))


def _ask_sandbox(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    answer: Mapping[str, Any] = sandbox.call(WORK, payload, LIMITS)
    return answer


def _measure_answer(answer: Mapping[str, Any]) -> int:
    return sum(PIECE + len(text) for text, _ in answer.get("pieces", ()))


_cache = AnswerCache[Mapping[str, Any]](_measure_answer)


def _report_failure(failure: Mapping[str, Any], place: Location) -> Diagnostic:
    if failure["crash"]:
        return Diagnostic("oll-response-in-branch", {}, place)
    values = {"reason": failure["reason"], "when": failure["when"]}
    return Diagnostic("oll-template-error", values, place, failure["reason"])


def _make_input(modelfile: Modelfile, segments: tuple[Segment, ...], diagnostics: tuple[Diagnostic, ...]) -> ModelInput:
    stops = tuple(args for name, args, _ in modelfile.commands if name == "stop")
    name = modelfile.place.file or "Modelfile"
    return ModelInput(name, segments, diagnostics, "modelfile", modelfile.template_place, stops)


def _build_segments(pieces: Iterable[Sequence[Any]], sources: Sequence[Segment], places: _Places) -> Iterable[Segment]:
    for text, source in pieces:
        if source is None:
            yield Segment(text, "unknown")
        elif isinstance(source, int):
            if source == JOINER_SOURCE:
                segment = JOINER
            else:
                segment = sources[source]
            yield segment if segment.text == text else replace(segment, text=text)
        else:
            yield _build_template_segment(text, places.start, places.columns, source[0], source[1])


@lru_cache(4096)
def _build_template_segment(text: str, start: Location, columns: bool, line: int, column: int) -> Segment:
    """Return a segment that the template itself writes; it is the same for every record."""
    return Segment(text, "serving", start.file or "Modelfile", _locate_in_file(start, columns, line, column))


@lru_cache(1024)
def _locate_in_file(start: Location, columns: bool, line: int, column: int) -> Location:
    if line == 1:
        column += (start.column or 1) - 1
    return replace(start, line=(start.line or 1) + line - 1, column=column if columns else None)


class _Places:
    """Translate lines and columns of a TEMPLATE to those of its file."""

    __slots__ = ("columns", "start")

    def __init__(self, modelfile: Modelfile) -> None:
        self.start = modelfile.template_place
        # Characters that Ollama drops shift all characters behind them: then only lines are certain.
        self.columns = True
        for diagnostic in modelfile.diagnostics:
            if diagnostic.code == "oll-char-dropped" and diagnostic.values["name"] == "TEMPLATE":
                self.columns = False

    def locate(self, source: Sequence[int]) -> Location:
        """Return the location of a line and column of the template."""
        return _locate_in_file(self.start, self.columns, source[0], source[1])


def _read_values(request_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request's other values under the names that the sandbox expects.

    Their names may be spelled as in the API or as in Go.
    """
    values = {name.lower().replace("_", ""): value for name, value in request_values.items()}
    think = values.get("think")
    return {
        "prompt": _to_text(values.get("prompt")),
        "suffix": _to_text(values.get("suffix")),
        "tools": values.get("tools"),
        "think": bool(think),
        "level": think if isinstance(think, str) else _to_text(values.get("thinklevel")),
        "thinking": bool(values.get("isthinkset", think is not None)),
    }


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return replace_surrogates(value)
    return ""

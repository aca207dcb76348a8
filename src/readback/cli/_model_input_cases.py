"""One case of `readback model-input --batch`: a template or format, messages, and the text or the reason for none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from readback.checks import rules
from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.serving.chat import request_messages
from readback.serving.modelfile import read_file as modelfile
from readback.serving.ollama import model_input as ollama
from readback.types import Diagnostic, Message, ModelInput, Segment

KINDS = ("modelfile", "go_template", "chat_template", "wire_format")
TEXTS = ("bos_token", "eos_token", "today")
ROLES = ("system", "user", "assistant", "tool")
EXPLAINED = ("oll-date-dependent",)  # what is noted beside a text, not instead of one


class Wrong(Exception):  # noqa: N818 - the case is wrong, and why
    """A case without a text."""


def answer(case: Any) -> dict[str, Any]:
    """{"id", "text"} or {"id", "error"}; the id is the case's, null where it has none."""
    number = case.get("id") if isinstance(case, dict) else None
    try:
        return {"id": number, "text": text(case)}
    except Wrong as wrong:
        return {"id": number, "error": str(wrong)}
    except RecursionError:
        return {"id": number, "error": "the case is nested too deeply"}


def text(case: Any) -> str:
    """What the server sends for a case. Raises Wrong."""
    if not isinstance(case, dict):
        raise Wrong("a case is an object")
    given = [kind for kind in KINDS if kind in case]
    if len(given) != 1 or not isinstance(case[given[0]], str):
        raise Wrong(f"a case has one of {', '.join(KINDS)}, as text")
    for name in TEXTS:
        if not isinstance(case.get(name), str | None):
            raise Wrong(f"{name} is a text")
    if not isinstance(case.get("variables", {}), dict):
        raise Wrong("variables are an object")
    day(case.get("today"))
    return MADE[given[0]](case[given[0]], case)


def day(today: str | None) -> None:
    """Raises Wrong where it is no date as YYYY-MM-DD."""
    if today is None:
        return
    try:
        written = date.fromisoformat(today).isoformat()
    except ValueError:
        written = None
    if today != written:  # Python reads other spellings of a date, too
        raise Wrong(f"today is a date as YYYY-MM-DD, not {today!r}")


def _modelfile(source: str, case: Mapping[str, Any]) -> str:
    refused = modelfile.dump_commands(source)
    if "error" in refused:
        line = f"line {refused['line']}: " if refused["line"] else ""
        raise Wrong(f"Ollama refuses the Modelfile: {line}{refused['error']}")
    parsed = modelfile.parse(source)
    return made(ollama.build_from_request(parsed, listed(case), case.get("today"), case.get("variables", {})))


def _go_template(source: str, case: Mapping[str, Any]) -> str:
    return made(ollama.render_template(source, listed(case), case.get("today"), case.get("variables", {})))


def _chat_template(source: str, case: Mapping[str, Any]) -> str:
    named = ("messages", "bos_token", "eos_token", "add_generation_prompt")
    variables = {**case.get("variables", {}), **{name: case[name] for name in named if name in case}}
    return _rendered(source, variables, case.get("today"))


def _wire_format(name: str, case: Mapping[str, Any]) -> str:
    asks = case.get("add_generation_prompt", True)
    if name in (*named_formats.FORMATS, named_formats.NO_FORMAT):
        return made(
            named_formats.build_model_input(messages(listed(case)), name, training=asks is False), whatever=True
        )
    template = chat.load_format(name)
    if template is None or template.text is None:
        known = (*named_formats.FORMATS, named_formats.NO_FORMAT, *chat.list_formats())
        raise Wrong(f"no format '{name}'; there are: {', '.join(known)}")
    tokens = {"bos_token": template.bos_token, "eos_token": template.eos_token, **template.tokens}
    given = {"tools": None, "documents": None, **{key: one for key, one in tokens.items() if one is not None}}
    own = {key: case[key] for key in ("bos_token", "eos_token") if key in case}
    variables = {**given, **case.get("variables", {}), **own, "messages": listed(case), "add_generation_prompt": asks}
    return _rendered(template.text, variables, case.get("today"))


def _rendered(source: str, variables: Mapping[str, Any], today: str | None) -> str:
    if "messages" in variables:
        if not variables["messages"]:
            raise Wrong(request_messages.EMPTY)
        variables = {**variables, "messages": request_messages.prepare_messages(variables["messages"])}
    done = chat.render_raw(source, variables, today=today)
    if done.text is None:
        reason = "{}: stopped at {}".format(*chat.EXCESS[done.reason]) if done.when == "limit" else done.reason
        raise Wrong(f"line {done.line}: {reason}" if done.line else reason)
    return done.text


def made(model_input: ModelInput, whatever: bool = False) -> str:
    """The text that a model reads. Raises Wrong with its first diagnostic that is not only an explanation."""
    failed = (
        None
        if whatever
        else next((diagnostic for diagnostic in model_input.diagnostics if diagnostic.code not in EXPLAINED), None)
    )
    if failed:
        raise Wrong(said(failed))
    return model_input.text


def said(diagnostic: Diagnostic) -> str:
    """A diagnostic in its rule's words, behind its place in the template."""
    where = ":".join(str(part) for part in (diagnostic.place.line, diagnostic.place.column) if part is not None)
    message = rules.finding(diagnostic).message
    return f"{where}: {message}" if where else message


def listed(case: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The messages of a case, none where it has none. Raises Wrong."""
    found = case.get("messages", [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise Wrong("messages are a list of objects")
    for one in found:
        parts = one.get("content")
        texts = parts if isinstance(parts, list) else [parts]
        if not isinstance(one.get("role"), str) or not all(isinstance(part, str | dict | None) for part in texts):
            raise Wrong("a message has a role and a content, which is a text or a list of parts")
    return found


def messages(found: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """The messages as plain roles and texts. Raises Wrong where a content is not a text."""
    if not all(isinstance(one.get("content"), str | None) for one in found):
        raise Wrong("this format writes texts only: a message's content is a text")
    return tuple(
        Message(one["role"], (Segment(one["content"], "variable", f"messages[{i}].content"),) if one["content"] else ())
        for i, one in enumerate({"content": "", **one} for one in found)
    )


MADE: Mapping[str, Callable[[str, Mapping[str, Any]], str]] = {
    "modelfile": _modelfile,
    "go_template": _go_template,
    "chat_template": _chat_template,
    "wire_format": _wire_format,
}

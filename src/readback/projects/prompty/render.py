"""The messages that prompty 0.1, prompty 2.1 or promptflow send for a row. In the bounded child only."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from importlib import import_module
from typing import Any
from uuid import uuid4

from readback.projects.jinja_text import JinjaFault, JinjaOptions, render_jinja
from readback.projects.model import RenderedMessages
from readback.projects.owned_text import OwnedText, Owner
from readback.projects.prompty.front_matter import PROMPTFLOW, PROMPTY_0, PROMPTY_2, RICH_KINDS
from readback.projects.prompty.role_lines import (
    BOUNDARY,
    SEPARATOR_0,
    SEPARATOR_FLOW,
    CutMessage,
    NoMessages,
    cut_promptflow,
    cut_prompty_0,
    cut_prompty_2,
    find_role_lines,
    opens_by_value,
    sign_role_lines,
)
from readback.projects.value_notes import EMPTY, ROLE_IN_VALUE, note_missing

PROMPTFLOW_JINJA = "promptflow jinja2"
MUSTACHE = "readback.prompts.render.mustache"  # `prompts` is above the projects; the child loads it by its name
BOUNDARY_LINE = re.compile(rf"^{BOUNDARY.pattern}", BOUNDARY.flags)
RANDOM = "<16 random hexadecimal digits>"
IMAGE_INPUT = re.compile(r"!\[(\s*image\s*)\]\(\{\{(\s*[^\s{}]+\s*)\}\}\)")
MOST_NOTES = 20  # role lines of values that are listed for a row
PLAIN = JinjaOptions()
WHOLE = JinjaOptions(keeps_newline=True, may_change_values=False)
FLOW = JinjaOptions(trims_blocks=True, keeps_newline=True)


def render_messages(settings: Mapping[str, Any], fields: Mapping[str, Any]) -> RenderedMessages:
    """Return what the tool of the settings sends for the fields of a row."""
    if settings.get("refused"):
        return RenderedMessages(None, error=str(settings["refused"]))
    rendering = _Rendering(settings, fields)
    try:
        rendering.run()
    except (NoMessages, JinjaFault) as fault:
        return RenderedMessages(None, error=str(fault), notes=rendering.list_notes())
    messages = []
    for cut in rendering.messages:
        if cut.content is not None:
            text = cut.content.text
        else:
            text = None
        content: Any = cut.parts if cut.parts is not None else text
        message: dict[str, Any] = {"role": cut.role, **cut.fields}
        if content is not None:
            message["content"] = content
        messages.append(message)
    segments = tuple(
        cut.content.list_segments() if cut.content is not None and cut.parts is None else ()
        for cut in rendering.messages
    )
    whole = rendering.whole
    return RenderedMessages(
        None if whole is not None else tuple(messages),
        whole,
        segments=() if whole is not None else segments,
        notes=rendering.list_notes(),
    )


class _Rendering:
    """One row under one prompt: the rendered text, and its messages."""

    def __init__(self, settings: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
        self.settings, self.fields = settings, dict(fields)
        self.template = str(settings["template"])
        self.text: OwnedText | None = None
        self.messages: list[CutMessage] = []
        self.whole: str | None = None
        self.missing: list[str] = []  # names that the template prints and that have no value
        self.opens = False  # whether a value opened a message

    def run(self) -> None:
        """Render and cut. Raises NoMessages or JinjaFault with the tool's reason."""
        runs = {
            PROMPTY_0: self._run_prompty_0,
            PROMPTY_2: self._run_prompty_2,
            PROMPTFLOW: self._run_promptflow,
            PROMPTFLOW_JINJA: self._run_promptflow_jinja,
        }
        runs[self.settings["loader"]]()

    def list_notes(self) -> tuple[Mapping[str, Any], ...]:
        """Return a finding for each variable with a role line or without a value; without origins none can be named."""
        lines: dict[str, str] = {}
        for name, line in find_role_lines(self.text) if self.text is not None else ():
            lines.setdefault(name, line)
        severity = "error" if self.opens else "warning"
        roles = (
            {"code": ROLE_IN_VALUE, "values": {"field": name, "line": line}, "severity": severity}
            for name, line in list(lines.items())[:MOST_NOTES]
        )
        return (*roles, *note_missing(self.missing, EMPTY))

    def _fill(self, template: str, values: Mapping[str, Any], options: JinjaOptions) -> OwnedText:
        form = self.settings.get("format", "jinja2")
        if form == "mustache":
            self.text = _fill_mustache(template, values)
        elif form == "jinja2":
            self.text = render_jinja(template, values, options, self.settings.get("templates"), self.missing)
        else:
            raise NoMessages(f"Renderer {form} not found")
        return self.text

    def _run_prompty_0(self) -> None:
        values = {**self.settings["sample"], **self.fields}
        name = f"{self.settings['parser']}.{self.settings['api']}"
        text = self._fill(self.template, values, PLAIN)
        if name != "prompty.chat":
            raise NoMessages(f"Parser {name} not found")
        self.messages = cut_prompty_0(text, self._inline_image)
        self.opens = opens_by_value(text, SEPARATOR_0)

    def _inline_image(self, name: str) -> str:
        if name.startswith(("http", "data")):
            return name
        image = self.settings["images"].get(name, f"!the image {name!r} is not beside the prompt")
        if image.startswith("!"):
            raise NoMessages(image[1:])
        return str(image)

    def _run_prompty_2(self) -> None:
        values = self.fields
        rich: dict[str, str] = {}
        for each in self.settings["inputs"]:
            if each["kind"] in RICH_KINDS:
                rich[each["name"]] = each["kind"]
            if each["name"] not in values:
                if each["default"] is not None:
                    values[each["name"]] = each["default"]
                elif each["required"]:
                    raise NoMessages(f"Required input '{each['name']}' not provided and has no default value")
        if self.settings["parser"] != "prompty":
            raise NoMessages(f"Parser {self.settings['parser']} not found")
        if self.settings["strict"]:
            nonce = secrets.token_hex(8)
        else:
            nonce = None
        marks = {f"__PROMPTY_THREAD_{secrets.token_hex(4)}_{name}__": name for name in rich}
        inserted = {**values, **{name: mark for mark, name in marks.items()}}
        if nonce is None:
            template = self.template
        else:
            template = sign_role_lines(self.template, nonce)
        text = self._fill(template, inserted, WHOLE)
        messages = cut_prompty_2(text, nonce)
        if nonce is not None:
            for message in messages:
                if message.content is not None:
                    message.content = message.content.replace(nonce, RANDOM)
                else:
                    message.content = None
        if rich:
            self.messages = _put_rich_values(messages, marks, rich, values)
        else:
            self.messages = messages
        self.opens = nonce is None and opens_by_value(text, BOUNDARY_LINE)

    def _run_promptflow(self) -> None:
        settings = self.settings
        if self.fields or not settings["sample"]:
            values = self.fields
        else:
            values = dict(settings["sample"])
        declared = settings["inputs"] or {name: {} for name in settings["sample"]}
        missing = [name for name, each in declared.items() if name not in values and "default" not in each]
        if missing:
            raise NoMessages(f"Missing required inputs: {missing}")
        inputs = {name: values.get(name, each.get("default")) for name, each in declared.items()}
        template = IMAGE_INPUT.sub(r"\n{{\2}}\n", self.template)
        if settings["api"] == "completion":
            self.whole = self._fill(template, inputs, FLOW).text
            return
        roles = {
            role: str(uuid4())
            for value in inputs.values()
            if isinstance(value, str)
            for role in SEPARATOR_FLOW.findall(value)
        }
        if roles:
            hidden = {name: _replace_roles(value, roles) for name, value in inputs.items()}
        else:
            hidden = inputs
        text = self._fill(template, hidden, FLOW)
        try:
            self.messages = cut_promptflow(text, is_prompty=True)
        except NoMessages as fault:
            raise NoMessages(_restore_roles(str(fault), roles)) from None
        finally:
            self.opens = opens_by_value(text, SEPARATOR_FLOW)
            for role, mark in roles.items():
                self.text = (self.text or text).replace(mark, role)
        for message in self.messages:
            message.fields = {
                key: _restore_roles(value, roles) if isinstance(value, str) else value
                for key, value in message.fields.items()
            }
            for role, mark in roles.items():
                if message.content is not None:
                    message.content = message.content.replace(mark, role)
                else:
                    message.content = None

    def _run_promptflow_jinja(self) -> None:
        text = self._fill(self.template, self.fields, FLOW)
        self.messages = cut_promptflow(text, is_prompty=False)
        self.opens = opens_by_value(text, SEPARATOR_FLOW)


def _fill_mustache(template: str, values: Mapping[str, Any]) -> OwnedText:
    pieces, refusals, _ = import_module(MUSTACHE).fill_mustache(template, values)
    for refusal in refusals:
        raise NoMessages(f"the mustache template cannot be filled: {refusal.values.get('reason', 'it is too large')}")
    owners: list[Owner] = []
    for piece in pieces:
        owners += [piece.name] * len(piece.text)
    return OwnedText("".join(piece.text for piece in pieces), owners)


def _replace_roles(value: Any, roles: Mapping[str, str]) -> Any:
    """Return a value in which promptflow has hidden the roles: of texts and of members of objects, not of lists."""
    if isinstance(value, str):
        for role, mark in roles.items():
            value = value.replace(role, mark)
        return value
    if isinstance(value, dict):
        return {key: _replace_roles(each, roles) for key, each in value.items()}
    return value


def _restore_roles(text: str, roles: Mapping[str, str]) -> str:
    for role, mark in roles.items():
        text = text.replace(mark, role)
    return text


def _put_rich_values(
    messages: list[CutMessage], marks: Mapping[str, str], rich: Mapping[str, str], values: Mapping[str, Any]
) -> list[CutMessage]:
    """Return the messages with earlier turns and images in place of their marks; turns without a mark at the end."""
    result: list[CutMessage] = []
    is_marked = False
    for message in messages:
        content = message.content or OwnedText("")
        mark = next((each for each in marks if each in content.text), None)
        if mark is None:
            result.append(message)
            continue
        is_marked = True
        at = content.text.index(mark)
        before, after = content.cut(0, at).strip(), content.cut(at + len(mark), len(content.text)).strip()
        if before.text:
            result.append(CutMessage(message.role, before, fields=message.fields))
        _add_rich_value(result, rich[marks[mark]], values.get(marks[mark]))
        if after.text:
            result.append(CutMessage(message.role, after, fields=message.fields))
    if not is_marked:
        for name, kind in rich.items():
            if kind == "thread":
                _add_rich_value(result, kind, values.get(name))
    return result


def _add_rich_value(messages: list[CutMessage], kind: str, value: Any) -> None:
    if kind == "thread":
        for each in value if isinstance(value, list) else ():
            if isinstance(each, dict):
                content = each.get("content", "")
                fields = {key: other for key, other in each.items() if key not in ("role", "content", "parts")}
                if isinstance(content, list):
                    parts = content
                else:
                    parts = None
                text = OwnedText(content if isinstance(content, str) else str(content))
                messages.append(CutMessage(str(each.get("role", "user")), text, parts, fields))
        return
    if kind != "image":
        raise NoMessages(f"an input of the kind {kind} is not read")
    part = {"type": "image_url", "image_url": {"url": str(value) if value else ""}}
    if messages and messages[-1].role == "user":
        last = messages[-1]
        if last.parts is None:
            if last.content is not None:
                last.parts = [{"type": "text", "text": last.content.text}]
            else:
                last.parts = []
        last.parts.append(part)
    else:
        messages.append(CutMessage("user", OwnedText(""), [part]))

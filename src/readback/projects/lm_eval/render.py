"""The text or the chat that lm-eval sends for one document of a task.

Source: `fewshot_context`, `build_qa_turn` and `construct_requests` of lm_eval/api/task.py and lm_eval/api/utils.py,
lm-eval 0.4.13. A setting that is the name of a column is that column's value; else it is a Jinja template in which an
undefined name stops the run. In the bounded child only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from readback.projects.jinja_text import JinjaFault, JinjaOptions, render_jinja, render_plain
from readback.projects.model import RenderedMessages, TextSegment
from readback.projects.owned_text import OwnedText, join_owned

ROLLING = "loglikelihood_rolling"
TEXT_ROLE = "prompt"  # of a text that is sent without roles
CODE = "!function"  # the key of a value that code makes, in the settings of a mode
BRACKETS = "[]"


class Unsent(Exception):  # noqa: N818 - carries the reason
    """The tool stops at a document."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """A part of a prompt: who says it, and what follows it where the prompt is a text."""

    role: str
    text: OwnedText
    delimiter: str = ""


def regex_replace(string: str, pattern: str, repl: str, count: int = 0) -> str:
    """Replace what a pattern matches: the filter that lm-eval adds to Jinja2."""
    return re.sub(pattern, repl, string, count=count)


OPTIONS = JinjaOptions(keeps_newline=True, is_strict=True, filters={"regex_replace": regex_replace})


def render_messages(
    mode: Mapping[str, Any], document: Mapping[str, Any], shots: Sequence[Mapping[str, Any]] | None
) -> RenderedMessages:
    """Return what is sent for a document; one at which the tool stops has that as its error.

    `shots` are its examples, None where they are not known. Call it in a bounded child, by
    `readback.projects.lm_eval:render_row`.
    """
    if reason := mode.get("hidden"):
        return RenderedMessages(None, hidden=reason)
    if shots is None and mode["output_type"] == ROLLING:
        shots = ()  # they are not sent
    if shots is None:
        return RenderedMessages(None, hidden="which examples stand before the document is not known")
    if len(shots) < mode.get("number", 0):
        return RenderedMessages(None, error=f"there are only {len(shots)} examples besides the document itself")
    try:
        return _Task(mode, document).render(shots)
    except (Unsent, JinjaFault) as fault:
        return RenderedMessages(None, error=str(fault))
    except RecursionError:
        return RenderedMessages(None, error="a value has too many levels")


def asks_choices(mode: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Whether the choices of a task are its questions: the tool decides it by its first document."""
    try:
        question, _ = _Task(mode, document).read_question(mode["doc_to_text"], document)
    except (Unsent, JinjaFault):
        return False
    return isinstance(question, int) and mode["doc_to_choice"] is not None


class _Task:
    """The settings of a task, for one document."""

    def __init__(self, mode: Mapping[str, Any], document: Mapping[str, Any]) -> None:
        self.mode = mode
        self.document = document
        self.fewshot: Mapping[str, Any] = mode["fewshot"]
        self.has_choices = mode["doc_to_choice"] is not None
        self.asks_choices = mode.get("asks_choices", self.has_choices)  # not known where no document is here

    def render(self, shots: Sequence[Mapping[str, Any]]) -> RenderedMessages:
        """Return what is sent."""
        self.check_answer()
        turns = self.list_system()
        for shot in shots:
            turns += self.build_shot(shot)
        prefix = self.render_prefix()
        question, text = self.read_question(self.mode["doc_to_text"], self.document)
        if self.mode["output_type"] == ROLLING:  # what stands before is worked out all the same, and may stop the tool
            return _make_text([_Turn("", self.get_target_text())])
        if isinstance(question, int) and self.asks_choices:
            return self.ask_each(turns, prefix)
        if text is None:
            raise Unsent(f"doc_to_text gives no text but {question!r}")
        turns += [_build_question(text, prefix, self.mode["target_delimiter"]), *_open_turn(prefix)]
        if not self.mode["chat"]:
            return _make_text(turns)
        return _make_chat(turns if self.mode["multiturn"] else _join_turns(turns))

    def check_answer(self) -> None:
        """Work out the answer and the choices of the document, as the tool does though it does not send them."""
        setting = self.mode["doc_to_choice"]
        if setting is not None and not is_code(setting):
            self.list_choices(setting, self.document)
        if not is_code(self.mode["doc_to_target"]):
            self.read_target(self.mode["doc_to_target"], self.document)

    def ask_each(self, before: Sequence[_Turn], prefix: OwnedText) -> RenderedMessages:
        """Return a text for each choice: where `doc_to_text` is a number, the choices are the questions."""
        if is_code(self.mode["doc_to_choice"]):
            raise Unsent("the choices, which are the questions of this task, are made by code")
        texts = []
        for choice in self.list_choices(self.mode["doc_to_choice"], self.document):
            if not isinstance(choice, str):
                raise Unsent(f"a choice is no text but {choice!r}")
            texts.append(_join_texts([*before, _build_question(OwnedText(choice), prefix, ""), *_open_turn(prefix)]))
        messages = tuple({"role": TEXT_ROLE, "content": text.text} for text in texts)
        return RenderedMessages(messages, segments=tuple(_list_segments(text) for text in texts))

    def list_system(self) -> list[_Turn]:
        """Return the system instruction and the description as one turn, or none."""
        described = self.resolve(self.mode["description"], self.document) or OwnedText("")
        system = self.mode.get("system") or ""
        joined = delimit(OwnedText(system), described, self.mode["fewshot_delimiter"])
        if joined.text:
            return [_Turn("system", joined)]
        return []

    def render_prefix(self) -> OwnedText:
        """Return how the answer begins; empty where the model begins it."""
        prefix = self.mode["gen_prefix"]
        if prefix is None:
            return OwnedText("")
        return self.resolve(prefix, self.document) or OwnedText("")

    def resolve(self, setting: Any, document: Mapping[str, Any]) -> OwnedText | None:
        """Return the column that a setting names, or its template rendered; None for an empty one."""
        if not setting:
            return None
        if not isinstance(setting, str):
            raise Unsent(f"{setting!r} is no text")
        if setting in document:
            value = document[setting]
            if value is not None and not isinstance(value, str):
                raise Unsent(f"the column {setting!r} holds no text but {value!r}")
            if value is None:
                return None
            return OwnedText(value, [setting] * len(value))
        return render_jinja(setting, document, OPTIONS)

    def read_question(self, setting: Any, document: Mapping[str, Any]) -> tuple[Any, OwnedText | None]:
        """Return what `doc_to_text` gives: a value, and the text where it is one."""
        if isinstance(setting, int):
            return setting, None
        if not isinstance(setting, str):
            raise Unsent("doc_to_text is no text")
        if setting in self.document:
            value = document.get(setting)
            return value, OwnedText(value, [setting] * len(value)) if isinstance(value, str) else None
        text = render_jinja(setting, document, OPTIONS)
        if self.has_choices and text.text.isdigit():
            return _read_literal(text.text), None
        return text.text, text

    def read_target(self, setting: Any, document: Mapping[str, Any]) -> Any:
        """Return what `doc_to_target` gives: a text, the number of a choice, or a list of answers."""
        if isinstance(setting, int | list):
            return setting
        if not isinstance(setting, str):
            raise Unsent("doc_to_target is no text")
        if setting in self.document:
            return document.get(setting)
        text = render_plain(setting, document, OPTIONS)
        if self.has_choices and text.isdigit():
            return _read_literal(text)
        if len(text) >= 2 and text[0] + text[-1] == BRACKETS:
            try:
                return ast.literal_eval(text)
            except (SyntaxError, ValueError):
                return text
        return text

    def get_target_text(self) -> OwnedText:
        """Return the text whose likelihood is asked for as a whole."""
        setting = self.mode["doc_to_target"]
        value = self.read_target(setting, self.document)
        if not isinstance(value, str):
            raise Unsent(f"doc_to_target gives no text but {value!r}")
        if setting in self.document:
            return OwnedText(value, [setting] * len(value))
        traced = render_jinja(setting, self.document, OPTIONS)
        if traced.text == value:
            return traced
        return OwnedText(value)

    def list_choices(self, setting: Any, document: Mapping[str, Any]) -> list[Any]:
        """Return the choices of a document."""
        if isinstance(setting, dict):
            return list(setting.values())
        if isinstance(setting, list):
            return setting
        if not isinstance(setting, str):
            raise Unsent("doc_to_choice is neither a text nor a list")
        if setting in self.document:
            value = document.get(setting)
        else:
            value = None
        if setting not in self.document:
            value = _read_literal(render_plain(setting, document, OPTIONS))
        if not isinstance(value, list | tuple):
            raise Unsent(f"doc_to_choice gives no list but {str(value)[:80]!r}")
        return list(value)

    def build_shot(self, shot: Mapping[str, Any]) -> list[_Turn]:
        """Return an example: its question, and its answer behind what an answer begins with."""
        question, text = self.read_question(self.fewshot["doc_to_text"], shot)
        setting = self.fewshot["doc_to_choice"]
        if setting:
            choices = self.list_choices(setting, shot)
        else:
            choices = None
        answer = self.read_target(self.fewshot["doc_to_target"], shot)
        prefix = self.resolve(self.fewshot["gen_prefix"], shot) or OwnedText("")
        if isinstance(question, int) and choices and self.asks_choices:
            text, choices = OwnedText(_pick(choices, question)), None
        if text is None:
            raise Unsent(f"doc_to_text gives no text but {question!r} for an example")
        plain = OwnedText(text.text)  # what an example says is no field of the row
        plain_prefix = OwnedText(prefix.text)
        delimiter = self.fewshot["target_delimiter"]
        if answer is None or answer == "":
            return [_build_question(plain, plain_prefix, delimiter), *_open_turn(plain_prefix)]
        if choices and isinstance(answer, int):
            answer = _pick(choices, answer)
        elif isinstance(answer, list):
            answer = _pick(answer, 0)
        if not isinstance(answer, str):
            raise Unsent(f"the answer of an example is no text but {answer!r}")
        if not prefix.text or _needs_space(text.text, prefix.text):
            before = delimiter
        else:
            before = ""
        whole_answer = delimit(plain_prefix, OwnedText(answer), " ")
        return [_Turn("user", plain, before), _Turn("assistant", whole_answer, self.fewshot["fewshot_delimiter"])]


def is_code(setting: Any) -> bool:
    """Whether a setting of a mode stands for a function."""
    return isinstance(setting, dict) and CODE in setting


def _read_literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise Unsent(f"{type(error).__name__}: {text[:80]!r} is no value of Python") from None


def _pick(values: Sequence[Any], index: int) -> Any:
    try:
        return values[index]
    except IndexError:
        raise Unsent(f"there is no number {index} among {len(values)} choices") from None


def delimit(first: OwnedText, second: OwnedText, delimiter: str) -> OwnedText:
    """Join two texts, with a delimiter unless one of them has white space there or is empty: `maybe_delimit`."""
    if not first.text or not second.text:
        if first.text:
            return first
        return second
    if first.text[-1].isspace() or second.text[0].isspace():
        between = ""
    else:
        between = delimiter
    return join_owned((first, second), between)


def _needs_space(first: str, second: str) -> bool:
    return bool(first) and not (first[-1].isspace() or second[0].isspace())


def _build_question(text: OwnedText, prefix: OwnedText, delimiter: str) -> _Turn:
    """Return the turn of a question without an answer."""
    follows = bool(prefix.text) and _needs_space(text.text, prefix.text)
    return _Turn("user", text, delimiter if follows else "")


def _open_turn(prefix: OwnedText) -> list[_Turn]:
    """Return the answer that is begun for the model."""
    if prefix.text:
        return [_Turn("assistant", prefix)]
    return []


def _join_turns(turns: Sequence[_Turn]) -> list[_Turn]:
    """Return a chat in which all examples and the question are one message: `multiturn_to_singleturn`."""
    system = [turn for turn in turns[:1] if turn.role == "system"]
    rest = list(turns[len(system) :])
    if rest[-1].role == "assistant":
        opened = rest[-1:]
    else:
        opened = []
    parts = rest[: len(rest) - len(opened)]
    last = _Turn(parts[-1].role, parts[-1].text)
    return [*system, _Turn("user", _join_texts([*parts[:-1], last])), *opened]


def _join_texts(turns: Iterable[_Turn]) -> OwnedText:
    return join_owned(piece for turn in turns for piece in (turn.text, OwnedText(turn.delimiter)))


def _make_text(turns: Sequence[_Turn]) -> RenderedMessages:
    text = _join_texts(turns)
    return RenderedMessages(None, text=text.text, segments=(_list_segments(text),))


def _make_chat(turns: Sequence[_Turn]) -> RenderedMessages:
    messages = tuple({"role": turn.role, "content": turn.text.text} for turn in turns)
    return RenderedMessages(messages, segments=tuple(_list_segments(turn.text) for turn in turns))


def _list_segments(text: OwnedText) -> tuple[TextSegment, ...]:
    return tuple(segment for segment in text.list_segments() if segment.text)

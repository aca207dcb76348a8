"""In the sandbox: Ollama's way from messages through a Go template to the text the model receives.

Source: `template/template.go` of ollama/ollama: collation, the three ways to carry out a template, and the cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from readback.serving import gotemplate
from readback.serving.gotemplate import Limits, TemplateFault, Tree
from readback.serving.gotemplate.traced_text import ACTION, Piece, join_pieces, repair_characters
from readback.serving.gotemplate.values import List, Map, Struct, Type, Value
from readback.serving.modelfile.grammar import find_line_starts, locate_offset
from readback.serving.ollama import tools as ollama_tools

JOINER = -2  # the source of what collation puts between two texts of one role
BETWEEN: Piece = ("\n\n", JOINER)
KEPT = 64  # templates read in a child: more than the models of a workspace
STEPS = 20_000  # some milliseconds, for a template that has run wild once for each of many records
MORE_STEPS = 1_000  # for each message and tool, of which ordinary templates take a tenth
DATES = ("currentDate", "yesterdayDate")
SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"
MESSAGE = Type(
    "template.templateMessage",
    fields=tuple(
        (name, name, False) for name in ("Role", "Content", "Thinking", "Images", "ToolCalls", "ToolName", "ToolCallID")
    ),
)
MESSAGES = Type("[]*template.templateMessage")


@dataclass(frozen=True, slots=True)
class Ready:
    """A template that was read: with `.Response` appended where Ollama does, and what it names."""

    tree: Tree
    names: frozenset[str]
    dated: tuple[int, int] | None  # where it first asks for the date
    last: Tree | None  # its copy for the last turn; None where making that fails, which is a fault of those who need it


@dataclass(frozen=True, slots=True)
class Turn:
    """A message on its way to the template: its text in pieces, and what else the request says of it."""

    role: str
    text: tuple[Piece, ...]
    more: Mapping[str, Any]


def work(payload: Mapping[str, Any]) -> dict[str, Any]:
    """{"template", "turns": [[role, [[text, source]], more]], "values", "today"} → pieces, or why there are none.

    {"pieces": [[text, source]], "dated"}; a source is the number that came in, [line, column] of the template, JOINER
    or null. {"failed": {"reason", "when", "line", "column", "crash"}} otherwise.
    """
    try:
        ready = read(payload["template"])
    except TemplateFault as fault:
        return _failed(fault, "parse")
    turns = [Turn(role, tuple(map(_piece, text)), more) for role, text, more in payload["turns"]]
    try:
        found = rendered(ready, turns, payload["values"], date.fromisoformat(payload["today"]))
    except RecursionError:
        return {**_failed(TemplateFault("the messages or tools are too deeply nested", 1, 1), "execute"), "dated": None}
    except TemplateFault as fault:
        return {**_failed(fault, "execute"), "dated": ready.dated}
    return {"pieces": found, "dated": ready.dated}


@lru_cache(KEPT)
def read(text: str) -> Ready:
    """Raises TemplateFault, which is not remembered: to find it again costs as much."""
    tree = gotemplate.parse(text)
    tree = gotemplate.append_response(tree, *locate_offset(find_line_starts(text), len(text)))
    first = min(((name.line, name.column) for name in gotemplate.find_calls(tree, DATES)), default=None)
    last: Tree | None = None
    with suppress(TemplateFault, RecursionError):
        last = gotemplate.cut_after_response(tree)
    return Ready(tree, gotemplate.list_names(tree), first, last)


def rendered(ready: Ready, turns: Sequence[Turn], values: Mapping[str, Any], today: date) -> list[Piece]:
    """The text as pieces. Raises TemplateFault."""
    functions = _functions(today)
    limits = Limits(STEPS + MORE_STEPS * (len(turns) + _count(values["tools"])))
    system, kept = collated(turns)
    thought = {"Think": values["think"], "ThinkLevel": values["level"], "IsThinkSet": values["thinking"]}
    if values["prompt"] and values["suffix"]:
        data = {"Prompt": values["prompt"], "Suffix": values["suffix"], "Response": "", **thought}
        return repair_characters(gotemplate.execute(ready.tree, Map(data), functions, limits=limits))
    if "messages" in ready.names:
        data = {
            "System": join_pieces(system),
            "Messages": List(tuple(_message(turn) for turn in kept), MESSAGES, not kept),
            "Tools": ollama_tools.tools(values["tools"]),
            "Response": "",
            **thought,
        }
        return repair_characters(gotemplate.execute(ready.tree, Map(data), functions, limits=limits))
    return repair_characters(_in_turns(ready, kept, thought, functions, limits))


def collated(turns: Sequence[Turn]) -> tuple[tuple[Piece, ...], list[Turn]]:
    """The text of all system messages, and the messages with neighbours of one role made one, but for tools'."""
    system: list[Piece] = []
    asked = False
    kept: list[Turn] = []
    for turn in turns:
        if turn.role == SYSTEM:
            system.extend((BETWEEN, *turn.text) if asked else turn.text)
            asked = True
        if kept and kept[-1].role == turn.role != TOOL:
            kept[-1] = Turn(turn.role, (*kept[-1].text, BETWEEN, *turn.text), kept[-1].more)
        else:
            kept.append(turn)
    return tuple(system), kept


def _in_turns(
    ready: Ready, turns: Sequence[Turn], thought: Mapping[str, Value], functions: Mapping[str, Any], limits: Limits
) -> list[Piece]:
    """The older way: the template once for each exchange, and its cut copy for what remains."""
    found: list[Piece] = []
    said: dict[str, Value] = {"System": "", "Prompt": "", "Response": ""}

    def flush() -> None:
        found.extend(gotemplate.execute(ready.tree, Map({**said, **thought}), functions, limits=limits))
        said.update(System="", Prompt="", Response="")

    for turn in turns:
        text = join_pieces(turn.text)
        if turn.role == SYSTEM:
            if said["Prompt"] or said["Response"]:
                flush()
            said["System"] = text
        elif turn.role == USER:
            if said["Response"]:
                flush()
            said["Prompt"] = text
        elif turn.role == ASSISTANT:
            said["Response"] = text
    last = ready.last or gotemplate.cut_after_response(ready.tree)
    found.extend(gotemplate.execute(last, Map({**said, **thought}), gotemplate.GO, zero=False, limits=limits))
    return found


def _message(turn: Turn) -> Struct:
    more = turn.more
    fields = {
        "Role": join_pieces(((turn.role, ACTION),)),
        "Content": join_pieces(turn.text),
        "Thinking": ollama_tools.text_of(more.get("thinking")),
        "Images": ollama_tools.images(more.get("images")),
        "ToolCalls": ollama_tools.calls(more.get("tool_calls")),
        "ToolName": ollama_tools.text_of(more.get("tool_name")),
        "ToolCallID": ollama_tools.text_of(more.get("tool_call_id")),
    }
    return Struct(fields, MESSAGE, True)


@lru_cache(4)
def _functions(today: date) -> Mapping[str, Any]:
    return gotemplate.build_functions(today.isoformat(), (today - timedelta(days=1)).isoformat())


def _count(value: Any) -> int:
    return len(value) if isinstance(value, list | tuple) else 0


def _piece(given: Sequence[Any]) -> Piece:
    return given[0], given[1]


def _failed(fault: TemplateFault, when: str) -> dict[str, Any]:
    crash = fault.reason == gotemplate.CRASH
    return {
        "failed": {
            "reason": fault.reason,
            "when": when,
            "line": fault.line,
            "column": fault.column,
            "crash": crash,
        }
    }

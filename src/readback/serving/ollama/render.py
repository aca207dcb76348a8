"""Build the text that a model receives through a Go template, in the sandbox, as Ollama does.

Source: `template/template.go` of ollama/ollama: collation, the three ways to execute a template, and the cut.
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
CACHED = 64  # parsed templates in a child: more than the models of a workspace
STEPS = 20_000  # some milliseconds, so that a runaway template does not take long for each of many records
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
class ParsedTemplate:
    """Hold a parsed template, with `.Response` appended where Ollama does, and the names it mentions."""

    tree: Tree
    names: frozenset[str]
    dated: tuple[int, int] | None  # where it first asks for the date
    last: Tree | None  # its copy for the last turn; None where cutting fails, which matters only if it is needed


@dataclass(frozen=True, slots=True)
class Turn:
    """Hold a message on its way to the template: its text in pieces, and the request's other values for it."""

    role: str
    text: tuple[Piece, ...]
    more: Mapping[str, Any]


def work(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pieces for a payload, or why there are none.

    The payload is {"template", "turns": [[role, [[text, source]], more]], "values", "today"}, the answer
    {"pieces": [[text, source]], "dated"}: a source is the number of the payload, [line, column] of the template, JOINER
    or null. A failure is {"failed": {"reason", "when", "line", "column", "crash"}}.
    """
    try:
        parsed = parse_template(payload["template"])
    except TemplateFault as fault:
        return _describe_failure(fault, "parse")
    turns = [Turn(role, tuple(map(_to_piece, text)), more) for role, text, more in payload["turns"]]
    try:
        pieces = render_turns(parsed, turns, payload["values"], date.fromisoformat(payload["today"]))
    except RecursionError:
        return {
            **_describe_failure(TemplateFault("the messages or tools are too deeply nested", 1, 1), "execute"),
            "dated": None,
        }
    except TemplateFault as fault:
        return {**_describe_failure(fault, "execute"), "dated": parsed.dated}
    return {"pieces": pieces, "dated": parsed.dated}


@lru_cache(CACHED)
def parse_template(text: str) -> ParsedTemplate:
    """Parse a template for Ollama. Raises TemplateFault, which is not cached: to find it again costs as much."""
    tree = gotemplate.parse(text)
    tree = gotemplate.append_response(tree, *locate_offset(find_line_starts(text), len(text)))
    first = min(((name.line, name.column) for name in gotemplate.find_calls(tree, DATES)), default=None)
    last: Tree | None = None
    with suppress(TemplateFault, RecursionError):
        last = gotemplate.cut_after_response(tree)
    return ParsedTemplate(tree, gotemplate.list_names(tree), first, last)


def render_turns(parsed: ParsedTemplate, turns: Sequence[Turn], values: Mapping[str, Any], today: date) -> list[Piece]:
    """Return the text as pieces. Raises TemplateFault."""
    functions = _build_functions(today)
    limits = Limits(STEPS + MORE_STEPS * (len(turns) + _count_items(values["tools"])))
    system, collated_turns = collate(turns)
    thinking = {"Think": values["think"], "ThinkLevel": values["level"], "IsThinkSet": values["thinking"]}
    if values["prompt"] and values["suffix"]:
        data = {"Prompt": values["prompt"], "Suffix": values["suffix"], "Response": "", **thinking}
        return repair_characters(gotemplate.execute(parsed.tree, Map(data), functions, limits=limits))
    if "messages" in parsed.names:
        data = {
            "System": join_pieces(system),
            "Messages": List(tuple(_build_message(turn) for turn in collated_turns), MESSAGES, not collated_turns),
            "Tools": ollama_tools.build_tools(values["tools"]),
            "Response": "",
            **thinking,
        }
        return repair_characters(gotemplate.execute(parsed.tree, Map(data), functions, limits=limits))
    return repair_characters(_execute_in_turns(parsed, collated_turns, thinking, functions, limits))


def collate(turns: Sequence[Turn]) -> tuple[tuple[Piece, ...], list[Turn]]:
    """Return the text of all system messages, and the messages with neighbours of one role joined.

    Messages of tools are not joined.
    """
    system: list[Piece] = []
    has_system = False
    collated_turns: list[Turn] = []
    for turn in turns:
        if turn.role == SYSTEM:
            system.extend((BETWEEN, *turn.text) if has_system else turn.text)
            has_system = True
        if collated_turns and collated_turns[-1].role == turn.role != TOOL:
            collated_turns[-1] = Turn(
                turn.role, (*collated_turns[-1].text, BETWEEN, *turn.text), collated_turns[-1].more
            )
        else:
            collated_turns.append(turn)
    return tuple(system), collated_turns


def _execute_in_turns(
    parsed: ParsedTemplate,
    turns: Sequence[Turn],
    thinking: Mapping[str, Value],
    functions: Mapping[str, Any],
    limits: Limits,
) -> list[Piece]:
    """Execute the template in the older way: once for each exchange, and its cut copy for what remains."""
    pieces: list[Piece] = []
    exchange: dict[str, Value] = {"System": "", "Prompt": "", "Response": ""}

    def flush() -> None:
        pieces.extend(gotemplate.execute(parsed.tree, Map({**exchange, **thinking}), functions, limits=limits))
        exchange.update(System="", Prompt="", Response="")

    for turn in turns:
        text = join_pieces(turn.text)
        if turn.role == SYSTEM:
            if exchange["Prompt"] or exchange["Response"]:
                flush()
            exchange["System"] = text
        elif turn.role == USER:
            if exchange["Response"]:
                flush()
            exchange["Prompt"] = text
        elif turn.role == ASSISTANT:
            exchange["Response"] = text
    last = parsed.last or gotemplate.cut_after_response(parsed.tree)
    pieces.extend(gotemplate.execute(last, Map({**exchange, **thinking}), gotemplate.GO, zero=False, limits=limits))
    return pieces


def _build_message(turn: Turn) -> Struct:
    more = turn.more
    fields = {
        "Role": join_pieces(((turn.role, ACTION),)),
        "Content": join_pieces(turn.text),
        "Thinking": ollama_tools.to_text(more.get("thinking")),
        "Images": ollama_tools.build_images(more.get("images")),
        "ToolCalls": ollama_tools.build_calls(more.get("tool_calls")),
        "ToolName": ollama_tools.to_text(more.get("tool_name")),
        "ToolCallID": ollama_tools.to_text(more.get("tool_call_id")),
    }
    return Struct(fields, MESSAGE, True)


@lru_cache(4)
def _build_functions(today: date) -> Mapping[str, Any]:
    return gotemplate.build_functions(today.isoformat(), (today - timedelta(days=1)).isoformat())


def _count_items(value: Any) -> int:
    if isinstance(value, list | tuple):
        return len(value)
    return 0


def _to_piece(pair: Sequence[Any]) -> Piece:
    return pair[0], pair[1]


def _describe_failure(fault: TemplateFault, when: str) -> dict[str, Any]:
    failure = {
        "reason": fault.reason,
        "when": when,
        "line": fault.line,
        "column": fault.column,
        "crash": fault.reason == gotemplate.CRASH,
    }
    return {"failed": failure}

"""The call that answers the question: the model's own system prompt, and earlier turns before the question.

Source: how biocypher/karenina builds this call, apart from its assembler. Without earlier turns it comes out the same.


The examples that are before the question of the task generation.

Source: how biocypher/karenina resolves `few_shot_config` for a question and writes the examples (facts only)."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from readback.message_parts import whole_message
from readback.prompts.messages import Segments
from readback.prompts.selections import SelectedTexts
from readback.sources.few_shot import SETTING, TEXTS
from readback.sources.verification import configurations
from readback.tasks import GENERATION
from readback.types import (
    Diagnostic,
    Location,
    Message,
    Model,
    Origin,
    PromptConfig,
    Record,
    Role,
    Segment,
    Selection,
    Workspace,
)

HISTORY_FIELD = "history"  # of the record: a list of {role, content}
SHOWN = 60  # characters of a wrong value that are worth showing


class CallStart(NamedTuple):
    """What is before the question: the base system text, and the turns of the record's history."""

    system: Segments
    turns: tuple[Message, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def begin_call(system: Segments, condition: SelectedTexts, record: Record) -> CallStart:
    """How a call begins. Only that of the task generation is special; a mode has a program of its own.

    A task text without a system text gets the model's own system prompt. A history with a system message keeps that
    one alone.
    """
    if not condition.is_task or condition.task != GENERATION:
        return CallStart(system)
    turns, diagnostics = read_history(record)
    if any(turn.role == "system" for turn in turns):
        return CallStart((), turns, diagnostics)
    return CallStart(system or make_own_system(condition.model), turns, diagnostics)


def make_own_system(model: Model | None) -> Segments:
    """The system prompt that the configuration gives the answering model."""
    text = model.settings.get("system_prompt") if model else None
    if model is None or not isinstance(text, str) or not text:
        return ()
    return (Segment(text, "system", model.name, model.place),)


def read_history(record: Record) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """The turns in the record's history, or a diagnostic where it is none. Blocks of a turn are joined by a line feed.

    A turn needs a role that is known; what it holds besides texts (tool calls, thinking) is the message's `whole`.
    """
    history = record.fields.get(HISTORY_FIELD)
    if history in (None, "", []):
        return (), ()
    turns = (
        [_read_turn(turn, i, record.place) for i, turn in enumerate(history)] if isinstance(history, list) else [None]
    )
    said = tuple(turn for turn in turns if turn is not None)
    if len(said) == len(turns):
        return said, ()
    at = turns.index(None)
    wrong = history[at] if isinstance(history, list) else history
    shown = json.dumps(wrong, ensure_ascii=False, default=str)[:SHOWN]
    where, expected = f"{HISTORY_FIELD}[{at}]", f"a turn with role ({', '.join(get_args(Role))}) and content"
    place = replace(record.place, field=HISTORY_FIELD)
    return (), (Diagnostic("dat-wrong-value", {"where": where, "value": shown, "expected": expected}, place, shown),)


def insert_turns(messages: tuple[Message, ...], turns: tuple[Message, ...]) -> tuple[Message, ...]:
    """System message (or none), the turns, the question."""
    return (*messages[:-1], *turns, messages[-1])


def _read_turn(turn: Any, i: int, place: Location) -> Message | None:
    if not isinstance(turn, Mapping) or turn.get("role") not in get_args(Role):
        return None
    text = _read_content(turn.get("content"))
    name = f"{HISTORY_FIELD}[{i}].content"
    segment = Segment(text or "", "variable", name, Location(file=place.file, line=place.line, field=name))
    if text is None:
        return None
    return Message(turn["role"], (segment,) if text else (), whole_message(turn, turn["role"]))


def _read_content(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(isinstance(block, Mapping) for block in content):
        return None
    texts = [block["text"] for block in content if block.get("type") == "text" and isinstance(block.get("text"), str)]
    return "\n".join(texts)


EXAMPLES_FIELD = "few_shot_examples"  # of the record: a list of {question, answer}
EXAMPLES_NAME = "few_shot"
SEED = 0x7FFFFFFF
SHOWN = 60  # characters of a wrong value that are worth showing


class Example(NamedTuple):
    """One example: its texts by name, what it is called in the record or the file, and where it is."""

    texts: Mapping[str, str]
    name: str
    place: Location
    origin: Origin


class Question(NamedTuple):
    """The user text with the examples; `ok` is False where it is not known which ones are sent."""

    user: Segments
    diagnostics: tuple[Diagnostic, ...] = ()
    ok: bool = True


def add_examples(workspace: Workspace, choice: Selection, record: Record, user: Segments) -> Question:
    """The question as it is sent: alone, or after examples as `Question: …`, `Answer: …` and an empty line each."""
    config, diagnostics = _find_config(workspace, choice)
    said = config.settings.get(SETTING) if config else None
    if config is None or not said:
        return Question(user, diagnostics)
    resolved, found, known = _resolve_examples(said, config, record)
    diagnostics = (*diagnostics, *found)
    if not known:
        return Question(user, diagnostics, ok=False)
    if not resolved:
        return Question(
            user,
            (*diagnostics, Diagnostic("asm-few-shot-missing", {"file": config.name}, _locate(record), config.name)),
        )
    lacking = [one for one in resolved if set(TEXTS) - one.texts.keys()]
    missing = tuple(_report_left_out(one.name, f"it has no {_find_missing_text(one)}", one.place) for one in lacking)
    return Question(
        tuple(_write_examples([one for one in resolved if one not in lacking], user)), (*diagnostics, *missing)
    )


def _find_config(workspace: Workspace, choice: Selection) -> tuple[PromptConfig | None, tuple[Diagnostic, ...]]:
    """The configuration of a call: the one its condition was made from, else the only one, else the first."""
    configs = configurations(workspace.configs)
    condition = workspace.condition(choice.condition) if choice.condition else None
    own = [one for one in configs if condition and one.place.file == condition.place.file]
    several = own or list(configs)
    first = several[0] if several else None
    if first is not None and any(one.settings.get(SETTING) != first.settings.get(SETTING) for one in several):
        names = [one.name for one in several]
        return first, (
            Diagnostic("asm-few-shot-differs", {"files": names, "taken": first.name}, first.place, first.name),
        )
    return first, ()


def _resolve_examples(
    said: Mapping[str, Any], config: PromptConfig, record: Record
) -> tuple[list[Example], list[Diagnostic], bool]:
    """The examples of a record in their order, what was noted, and whether they are known."""
    own = said["questions"].get(record.id or "", {})
    chosen: list[Example] = []
    diagnostics: list[Diagnostic] = []
    mode = own.get("mode") or said["mode"]
    if said["pool"] and mode != "none":
        pool, wrong = _read_pool(record)
        diagnostics += wrong
        k = own["k"] if own.get("mode") and own["k"] is not None else said["k"]  # inherit: the number too
        if mode == "all" or (mode == "k-shot" and len(pool) <= k):
            chosen = pool
        elif mode == "k-shot":
            if why := _explain_random(said, record):
                values = {"k": k, "of": len(pool), "reason": why}
                return (
                    [],
                    [*diagnostics, Diagnostic("asm-few-shot-random", values, _locate(record), config.name)],
                    False,
                )
            chosen = _draw_examples(record.id or "", pool, k)
        else:
            chosen = list(_select_examples(own.get("selected", ()), pool, record, diagnostics))
        chosen = _exclude_examples(chosen, own.get("excluded", ()), pool, mode, record, diagnostics)
    if mode != "none" or not said["salted"]:
        chosen = [
            *chosen,
            *_list_configured(own.get("examples", ()), config, f"question_configs.{record.id}.external_examples"),
        ]
        chosen = [*chosen, *_list_configured(said["examples"], config, "global_examples")]
    return chosen, diagnostics, True


def _read_pool(record: Record) -> tuple[list[Example], list[Diagnostic]]:
    """The record's own examples: a list of {question, answer}, or its JSON as checkpoints have it."""
    value = record.fields.get(EXAMPLES_FIELD)
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [], [_report_wrong_value(EXAMPLES_FIELD, value, "a list of {question, answer}", record)]
    if value in (None, "", []):
        return [], []
    if not isinstance(value, list):
        return [], [_report_wrong_value(EXAMPLES_FIELD, value, "a list of {question, answer}", record)]
    found, diagnostics = [], []
    for n, one in enumerate(value):
        name = f"{EXAMPLES_FIELD}[{n}]"
        if not isinstance(one, Mapping) or any(not isinstance(one.get(key), str | None) for key in TEXTS):
            diagnostics.append(_report_wrong_value(name, one, "an object with question and answer, two texts", record))
            continue
        texts = {key: one[key] for key in TEXTS if isinstance(one.get(key), str)}
        found.append(Example(texts, name, _locate(record, name), "variable"))
    return found, diagnostics


def _draw_examples(called: str, pool: Sequence[Example], k: int) -> list[Example]:
    """What the program draws: Python's generator, seeded by the question's id, gives the same each time."""
    drawing = random.Random(int(_md5(called), 16) & SEED)  # noqa: S311 - what the program does, and no secret
    return drawing.sample(list(pool), k)


def _explain_random(said: Mapping[str, Any], record: Record) -> str:
    """Why it cannot be known which examples are drawn; empty where it can."""
    if said["salted"]:
        return "the program that reads this spelling draws with a seed that differs from run to run"
    if record.id is None or record.is_called_by_place:
        return "the seed is the question's id, and the record has none"
    return ""


def _select_examples(
    chosen: Sequence[int | str], pool: Sequence[Example], record: Record, diagnostics: list[Diagnostic]
) -> Iterator[Example]:
    hashes = _hash_questions(pool)
    for one in chosen:
        at = one if isinstance(one, int) else hashes.get(one)
        if at is not None and 0 <= at < len(pool):
            yield pool[at]
        else:
            diagnostics.append(
                _report_left_out(str(one), f"the record has {len(pool)} and none of that name", _locate(record))
            )


def _exclude_examples(
    found: list[Example], excluded: Sequence[int | str], pool: Sequence[Example], mode: str, record: Record,
    diagnostics: list[Diagnostic],
) -> list[Example]:  # fmt: skip
    """Without the excluded ones. The program counts an index among what was chosen, and not in the pool."""
    if not excluded:
        return found
    hashes = _hash_questions(pool)
    indices = {one if isinstance(one, int) else hashes.get(one, -1) for one in excluded}
    kept = [one for n, one in enumerate(found) if n not in indices]
    if found != list(pool):
        meant = [pool[n].name for n in sorted(indices) if 0 <= n < len(pool)]
        gone = [one.name for n, one in enumerate(found) if n in indices]
        diagnostics.append(
            Diagnostic("asm-few-shot-excluded", {"meant": meant, "gone": gone, "mode": mode}, _locate(record), mode)
        )
    return kept


def _hash_questions(pool: Sequence[Example]) -> dict[str, int]:
    """Where each example is by the md5 of its question; of equal questions the last, as in the program."""
    return {_md5(one.texts.get("question", "")): n for n, one in enumerate(pool)}


def _md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _list_configured(listed: Sequence[Mapping[str, Any]], config: PromptConfig, where: str) -> Iterator[Example]:
    """Examples that are in the configuration."""
    for n, one in enumerate(listed):
        place = Location(file=config.place.file, line=one["line"], column=one["column"])
        yield Example({key: one[key] for key in TEXTS if key in one}, f"{where}[{n}]", place, "task")


def _write_examples(examples: Sequence[Example], user: Segments) -> Iterator[Segment]:
    for one in examples:
        for key, head, end in (("question", "Question: ", "\n"), ("answer", "Answer: ", "\n\n")):
            yield Segment(head, "joiner", EXAMPLES_NAME)
            if one.texts[key]:
                yield Segment(one.texts[key], one.origin, f"{one.name}.{key}", one.place)
            yield Segment(end, "joiner", EXAMPLES_NAME)
    yield from (Segment("Question: ", "joiner", EXAMPLES_NAME), *user, Segment("\nAnswer:", "joiner", EXAMPLES_NAME))


def _find_missing_text(one: Example) -> str:
    return next(key for key in TEXTS if key not in one.texts)


def _report_left_out(name: str, reason: str, place: Location) -> Diagnostic:
    return Diagnostic("asm-few-shot-left-out", {"name": name, "reason": reason}, place, name)


def _report_wrong_value(where: str, value: Any, expected: str, record: Record) -> Diagnostic:
    shown = json.dumps(value, ensure_ascii=False, default=str)[:SHOWN]
    return Diagnostic(
        "dat-wrong-value", {"where": where, "value": shown, "expected": expected}, _locate(record, where), shown
    )


def _locate(record: Record, field: str = EXAMPLES_FIELD) -> Location:
    return Location(file=record.place.file, line=record.place.line, field=field)

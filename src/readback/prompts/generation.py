"""Build what the task generation sends besides its templates: the model's system prompt, earlier turns, examples.

Source: how biocypher/karenina builds this call, apart from its assembler, resolves `few_shot_config` for a question and
writes the examples (facts only). Without earlier turns and examples it comes out as any other call.
"""

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
from readback.sources.verification import list_configurations
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
    """Hold what goes before the question: the base system text, and the turns of the record's history."""

    system: Segments
    turns: tuple[Message, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def begin_call(system: Segments, condition: SelectedTexts, record: Record) -> CallStart:
    """Return how a call begins. Only that of the task generation is special; a mode has a program of its own.

    A task without a system text gets the model's own system prompt. A history with a system message keeps that one
    alone.
    """
    if not condition.is_task or condition.task != GENERATION:
        return CallStart(system)
    turns, diagnostics = read_history(record)
    if any(turn.role == "system" for turn in turns):
        return CallStart((), turns, diagnostics)
    return CallStart(system or make_own_system(condition.model), turns, diagnostics)


def make_own_system(model: Model | None) -> Segments:
    """Return the system prompt that the configuration gives the answering model."""
    if model:
        text = model.settings.get("system_prompt")
    else:
        text = None
    if model is None or not isinstance(text, str) or not text:
        return ()
    return (Segment(text, "system", model.name, model.place),)


def read_history(record: Record) -> tuple[tuple[Message, ...], tuple[Diagnostic, ...]]:
    """Read the turns in the record's history, or a diagnostic where it is not one.

    Blocks of a turn are joined by a line feed. A turn needs a role that is known; what it holds besides texts (tool
    calls, thinking) is the message's `whole`.
    """
    history = record.fields.get(HISTORY_FIELD)
    if history in (None, "", []):
        return (), ()
    if isinstance(history, list):
        turns = [_read_turn(turn, number, record.place) for number, turn in enumerate(history)]
    else:
        turns = [None]
    messages = tuple(turn for turn in turns if turn is not None)
    if len(messages) == len(turns):
        return messages, ()
    index = turns.index(None)
    if isinstance(history, list):
        wrong = history[index]
    else:
        wrong = history
    shown_value = json.dumps(wrong, ensure_ascii=False, default=str)[:SHOWN]
    where, expected = f"{HISTORY_FIELD}[{index}]", f"a turn with role ({', '.join(get_args(Role))}) and content"
    place = replace(record.place, field=HISTORY_FIELD)
    return (), (
        Diagnostic("dat-wrong-value", {"where": where, "value": shown_value, "expected": expected}, place, shown_value),
    )


def insert_turns(messages: tuple[Message, ...], turns: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the system message (or none), the turns, the question."""
    return (*messages[:-1], *turns, messages[-1])


def _read_turn(turn: Any, index: int, place: Location) -> Message | None:
    """Read one turn of a history; None where it is not one."""
    if not isinstance(turn, Mapping) or turn.get("role") not in get_args(Role):
        return None
    text = _read_content(turn.get("content"))
    name = f"{HISTORY_FIELD}[{index}].content"
    segment = Segment(text or "", "variable", name, Location(file=place.file, line=place.line, field=name))
    if text is None:
        return None
    return Message(turn["role"], (segment,) if text else (), whole_message(turn, turn["role"]))


def _read_content(content: Any) -> str | None:
    """Return the content of a turn as text; None where it has another form."""
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
    """Hold one example: its texts by name, its name in the record or the file, and where it is."""

    texts: Mapping[str, str]
    name: str
    place: Location
    origin: Origin


class Question(NamedTuple):
    """Hold the user text with the examples; `ok` is False where it is not known which ones are sent."""

    user: Segments
    diagnostics: tuple[Diagnostic, ...] = ()
    ok: bool = True


def add_examples(workspace: Workspace, choice: Selection, record: Record, user: Segments) -> Question:
    """Return the question as it is sent: alone, or after examples as `Question: …`, `Answer: …`, an empty line each."""
    config, diagnostics = _find_config(workspace, choice)
    if config:
        settings = config.settings.get(SETTING)
    else:
        settings = None
    if config is None or not settings:
        return Question(user, diagnostics)
    resolved, resolve_diagnostics, is_known = _resolve_examples(settings, config, record)
    diagnostics = (*diagnostics, *resolve_diagnostics)
    if not is_known:
        return Question(user, diagnostics, ok=False)
    if not resolved:
        return Question(
            user,
            (*diagnostics, Diagnostic("asm-few-shot-missing", {"file": config.name}, _locate(record), config.name)),
        )
    incomplete = [example for example in resolved if set(TEXTS) - example.texts.keys()]
    missing = tuple(
        _report_left_out(example.name, f"it has no {_find_missing_text(example)}", example.place)
        for example in incomplete
    )
    return Question(
        tuple(_write_examples([example for example in resolved if example not in incomplete], user)),
        (*diagnostics, *missing),
    )


def _find_config(workspace: Workspace, choice: Selection) -> tuple[PromptConfig | None, tuple[Diagnostic, ...]]:
    """Find the configuration of a call: that of its condition's file, else the only one, else the first."""
    configs = list_configurations(workspace.configs)
    if choice.condition:
        condition = workspace.condition(choice.condition)
    else:
        condition = None
    of_condition = [candidate for candidate in configs if condition and candidate.place.file == condition.place.file]
    candidates = of_condition or list(configs)
    first = candidates[0] if candidates else None
    if first is not None and any(
        candidate.settings.get(SETTING) != first.settings.get(SETTING) for candidate in candidates
    ):
        names = [candidate.name for candidate in candidates]
        return first, (
            Diagnostic("asm-few-shot-differs", {"files": names, "taken": first.name}, first.place, first.name),
        )
    return first, ()


def _resolve_examples(
    settings: Mapping[str, Any], config: PromptConfig, record: Record
) -> tuple[list[Example], list[Diagnostic], bool]:
    """Return a record's examples in their order, the diagnostics, and whether the examples are known."""
    of_question = settings["questions"].get(record.id or "", {})
    chosen: list[Example] = []
    diagnostics: list[Diagnostic] = []
    mode = of_question.get("mode") or settings["mode"]
    if settings["pool"] and mode != "none":
        pool, faults = _read_pool(record)
        diagnostics += faults
        # inherit: the number too
        if of_question.get("mode") and of_question["k"] is not None:
            k = of_question["k"]
        else:
            k = settings["k"]
        if mode == "all" or (mode == "k-shot" and len(pool) <= k):
            chosen = pool
        elif mode == "k-shot":
            reason = _explain_random(settings, record)
            if reason:
                values = {"k": k, "of": len(pool), "reason": reason}
                return (
                    [],
                    [*diagnostics, Diagnostic("asm-few-shot-random", values, _locate(record), config.name)],
                    False,
                )
            chosen = _draw_examples(record.id or "", pool, k)
        else:
            chosen = list(_select_examples(of_question.get("selected", ()), pool, record, diagnostics))
        chosen = _exclude_examples(chosen, of_question.get("excluded", ()), pool, mode, record, diagnostics)
    if mode != "none" or not settings["salted"]:
        chosen = [
            *chosen,
            *_list_configured(
                of_question.get("examples", ()), config, f"question_configs.{record.id}.external_examples"
            ),
        ]
        chosen = [*chosen, *_list_configured(settings["examples"], config, "global_examples")]
    return chosen, diagnostics, True


def _read_pool(record: Record) -> tuple[list[Example], list[Diagnostic]]:
    """Read the record's own examples: a list of {question, answer}, or its JSON as checkpoints have it."""
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
    examples, diagnostics = [], []
    for index, entry in enumerate(value):
        name = f"{EXAMPLES_FIELD}[{index}]"
        if not isinstance(entry, Mapping) or any(not isinstance(entry.get(key), str | None) for key in TEXTS):
            diagnostics.append(
                _report_wrong_value(name, entry, "an object with question and answer, two texts", record)
            )
            continue
        texts = {key: entry[key] for key in TEXTS if isinstance(entry.get(key), str)}
        examples.append(Example(texts, name, _locate(record, name), "variable"))
    return examples, diagnostics


def _draw_examples(record_id: str, pool: Sequence[Example], k: int) -> list[Example]:
    """Draw what the program draws: Python's generator, seeded by the question's id, gives the same each time."""
    generator = random.Random(int(_md5(record_id), 16) & SEED)  # noqa: S311 - what the program does, and no secret
    return generator.sample(list(pool), k)


def _explain_random(settings: Mapping[str, Any], record: Record) -> str:
    """Return why it cannot be known which examples are drawn; "" where it can."""
    if settings["salted"]:
        return "the program that reads this spelling draws with a seed that differs from run to run"
    if record.id is None or record.is_called_by_place:
        return "the seed is the question's id, and the record has none"
    return ""


def _select_examples(
    chosen: Sequence[int | str], pool: Sequence[Example], record: Record, diagnostics: list[Diagnostic]
) -> Iterator[Example]:
    """Yield the pool's examples that the configuration names by index or hash."""
    hashes = _hash_questions(pool)
    for reference in chosen:
        index = reference if isinstance(reference, int) else hashes.get(reference)
        if index is not None and 0 <= index < len(pool):
            yield pool[index]
        else:
            diagnostics.append(
                _report_left_out(str(reference), f"the record has {len(pool)} and none of that name", _locate(record))
            )


def _exclude_examples(
    chosen: list[Example],
    excluded: Sequence[int | str],
    pool: Sequence[Example],
    mode: str,
    record: Record,
    diagnostics: list[Diagnostic],
) -> list[Example]:
    """Return the examples without the excluded ones. The program counts an index among what was chosen, not in the
    pool.
    """
    if not excluded:
        return chosen
    hashes = _hash_questions(pool)
    indices = {reference if isinstance(reference, int) else hashes.get(reference, -1) for reference in excluded}
    remaining = [example for index, example in enumerate(chosen) if index not in indices]
    if chosen != list(pool):
        meant_names = [pool[index].name for index in sorted(indices) if 0 <= index < len(pool)]
        excluded_names = [example.name for index, example in enumerate(chosen) if index in indices]
        values = {"meant": meant_names, "gone": excluded_names, "mode": mode}
        diagnostics.append(Diagnostic("asm-few-shot-excluded", values, _locate(record), mode))
    return remaining


def _hash_questions(pool: Sequence[Example]) -> dict[str, int]:
    """Return the index of each example by the md5 of its question; of equal questions the last, as in the program."""
    return {_md5(example.texts.get("question", "")): index for index, example in enumerate(pool)}


def _md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _list_configured(listed: Sequence[Mapping[str, Any]], config: PromptConfig, path: str) -> Iterator[Example]:
    """Yield examples that the configuration states."""
    for index, entry in enumerate(listed):
        place = Location(file=config.place.file, line=entry["line"], column=entry["column"])
        yield Example({key: entry[key] for key in TEXTS if key in entry}, f"{path}[{index}]", place, "task")


def _write_examples(examples: Sequence[Example], user: Segments) -> Iterator[Segment]:
    """Yield the segments of the examples and the question."""
    for example in examples:
        for key, label, end in (("question", "Question: ", "\n"), ("answer", "Answer: ", "\n\n")):
            yield Segment(label, "joiner", EXAMPLES_NAME)
            if example.texts[key]:
                yield Segment(example.texts[key], example.origin, f"{example.name}.{key}", example.place)
            yield Segment(end, "joiner", EXAMPLES_NAME)
    yield from (Segment("Question: ", "joiner", EXAMPLES_NAME), *user, Segment("\nAnswer:", "joiner", EXAMPLES_NAME))


def _find_missing_text(example: Example) -> str:
    """Return the name of the first text that an example lacks."""
    return next(key for key in TEXTS if key not in example.texts)


def _report_left_out(name: str, reason: str, place: Location) -> Diagnostic:
    return Diagnostic("asm-few-shot-left-out", {"name": name, "reason": reason}, place, name)


def _report_wrong_value(where: str, value: Any, expected: str, record: Record) -> Diagnostic:
    shown_value = json.dumps(value, ensure_ascii=False, default=str)[:SHOWN]
    return Diagnostic(
        "dat-wrong-value",
        {"where": where, "value": shown_value, "expected": expected},
        _locate(record, where),
        shown_value,
    )


def _locate(record: Record, field: str = EXAMPLES_FIELD) -> Location:
    return Location(file=record.place.file, line=record.place.line, field=field)

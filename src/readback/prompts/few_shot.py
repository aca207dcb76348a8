"""The examples that are before the question of the task generation.

Source: how biocypher/karenina resolves `few_shot_config` for a question and writes the examples (facts only).
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from readback.prompts.tri_section import Segments
from readback.sources.few_shot import SETTING, TEXTS
from readback.sources.verification import configurations
from readback.types import Diagnostic, Location, Origin, PromptConfig, Record, Segment, Selection, Workspace

FIELD = "few_shot_examples"  # of the record: a list of {question, answer}
NAME = "few_shot"
SEED = 0x7FFFFFFF
SHOWN = 60  # characters of a wrong value that are worth showing


class Example(NamedTuple):
    """One example: its texts by name, what it is called in the record or the file, and where it is."""

    texts: Mapping[str, str]
    name: str
    place: Location
    origin: Origin


class Asked(NamedTuple):
    """The user text with the examples; `ok` is False where it is not known which ones are sent."""

    user: Segments
    diagnostics: tuple[Diagnostic, ...] = ()
    ok: bool = True


def with_examples(workspace: Workspace, choice: Selection, record: Record, user: Segments) -> Asked:
    """The question as it is sent: alone, or after examples as `Question: …`, `Answer: …` and an empty line each."""
    config, diagnostics = _config(workspace, choice)
    said = config.settings.get(SETTING) if config else None
    if config is None or not said:
        return Asked(user, diagnostics)
    resolved, found, known = _resolve(said, config, record)
    diagnostics = (*diagnostics, *found)
    if not known:
        return Asked(user, diagnostics, ok=False)
    if not resolved:
        return Asked(
            user, (*diagnostics, Diagnostic("asm-few-shot-missing", {"file": config.name}, _at(record), config.name))
        )
    lacking = [one for one in resolved if set(TEXTS) - one.texts.keys()]
    missing = tuple(_left_out(one.name, f"it has no {_first_missing(one)}", one.place) for one in lacking)
    return Asked(tuple(_written([one for one in resolved if one not in lacking], user)), (*diagnostics, *missing))


def _config(workspace: Workspace, choice: Selection) -> tuple[PromptConfig | None, tuple[Diagnostic, ...]]:
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


def _resolve(
    said: Mapping[str, Any], config: PromptConfig, record: Record
) -> tuple[list[Example], list[Diagnostic], bool]:
    """The examples of a record in their order, what was noted, and whether they are known."""
    own = said["questions"].get(record.id or "", {})
    chosen: list[Example] = []
    diagnostics: list[Diagnostic] = []
    mode = own.get("mode") or said["mode"]
    if said["pool"] and mode != "none":
        pool, wrong = _pool(record)
        diagnostics += wrong
        k = own["k"] if own.get("mode") and own["k"] is not None else said["k"]  # inherit: the number too
        if mode == "all" or (mode == "k-shot" and len(pool) <= k):
            chosen = pool
        elif mode == "k-shot":
            if why := _unknown(said, record):
                values = {"k": k, "of": len(pool), "reason": why}
                return [], [*diagnostics, Diagnostic("asm-few-shot-random", values, _at(record), config.name)], False
            chosen = _drawn(record.id or "", pool, k)
        else:
            chosen = list(_selected(own.get("selected", ()), pool, record, diagnostics))
        chosen = _kept(chosen, own.get("excluded", ()), pool, mode, record, diagnostics)
    if mode != "none" or not said["salted"]:
        chosen = [*chosen, *_typed(own.get("examples", ()), config, f"question_configs.{record.id}.external_examples")]
        chosen = [*chosen, *_typed(said["examples"], config, "global_examples")]
    return chosen, diagnostics, True


def _pool(record: Record) -> tuple[list[Example], list[Diagnostic]]:
    """The record's own examples: a list of {question, answer}, or its JSON as checkpoints have it."""
    value = record.fields.get(FIELD)
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [], [_wrong(FIELD, value, "a list of {question, answer}", record)]
    if value in (None, "", []):
        return [], []
    if not isinstance(value, list):
        return [], [_wrong(FIELD, value, "a list of {question, answer}", record)]
    found, diagnostics = [], []
    for n, one in enumerate(value):
        name = f"{FIELD}[{n}]"
        if not isinstance(one, Mapping) or any(not isinstance(one.get(key), str | None) for key in TEXTS):
            diagnostics.append(_wrong(name, one, "an object with question and answer, two texts", record))
            continue
        texts = {key: one[key] for key in TEXTS if isinstance(one.get(key), str)}
        found.append(Example(texts, name, _at(record, name), "variable"))
    return found, diagnostics


def _drawn(called: str, pool: Sequence[Example], k: int) -> list[Example]:
    """What the program draws: Python's generator, seeded by the question's id, gives the same each time."""
    drawing = random.Random(int(_md5(called), 16) & SEED)  # noqa: S311 - what the program does, and no secret
    return drawing.sample(list(pool), k)


def _unknown(said: Mapping[str, Any], record: Record) -> str:
    """Why it cannot be known which examples are drawn; empty where it can."""
    if said["salted"]:
        return "the program that reads this spelling draws with a seed that differs from run to run"
    if record.id is None or record.is_called_by_place:
        return "the seed is the question's id, and the record has none"
    return ""


def _selected(
    chosen: Sequence[int | str], pool: Sequence[Example], record: Record, diagnostics: list[Diagnostic]
) -> Iterator[Example]:
    hashes = _hashes(pool)
    for one in chosen:
        at = one if isinstance(one, int) else hashes.get(one)
        if at is not None and 0 <= at < len(pool):
            yield pool[at]
        else:
            diagnostics.append(_left_out(str(one), f"the record has {len(pool)} and none of that name", _at(record)))


def _kept(
    found: list[Example], excluded: Sequence[int | str], pool: Sequence[Example], mode: str, record: Record,
    diagnostics: list[Diagnostic],
) -> list[Example]:  # fmt: skip
    """Without the excluded ones. The program counts an index among what was chosen, and not in the pool."""
    if not excluded:
        return found
    hashes = _hashes(pool)
    indices = {one if isinstance(one, int) else hashes.get(one, -1) for one in excluded}
    kept = [one for n, one in enumerate(found) if n not in indices]
    if found != list(pool):
        meant = [pool[n].name for n in sorted(indices) if 0 <= n < len(pool)]
        gone = [one.name for n, one in enumerate(found) if n in indices]
        diagnostics.append(
            Diagnostic("asm-few-shot-excluded", {"meant": meant, "gone": gone, "mode": mode}, _at(record), mode)
        )
    return kept


def _hashes(pool: Sequence[Example]) -> dict[str, int]:
    """Where each example is by the md5 of its question; of equal questions the last, as in the program."""
    return {_md5(one.texts.get("question", "")): n for n, one in enumerate(pool)}


def _md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _typed(listed: Sequence[Mapping[str, Any]], config: PromptConfig, where: str) -> Iterator[Example]:
    """Examples that are in the configuration."""
    for n, one in enumerate(listed):
        place = Location(file=config.place.file, line=one["line"], column=one["column"])
        yield Example({key: one[key] for key in TEXTS if key in one}, f"{where}[{n}]", place, "task")


def _written(examples: Sequence[Example], user: Segments) -> Iterator[Segment]:
    for one in examples:
        for key, head, end in (("question", "Question: ", "\n"), ("answer", "Answer: ", "\n\n")):
            yield Segment(head, "joiner", NAME)
            if one.texts[key]:
                yield Segment(one.texts[key], one.origin, f"{one.name}.{key}", one.place)
            yield Segment(end, "joiner", NAME)
    yield from (Segment("Question: ", "joiner", NAME), *user, Segment("\nAnswer:", "joiner", NAME))


def _first_missing(one: Example) -> str:
    return next(key for key in TEXTS if key not in one.texts)


def _left_out(name: str, reason: str, place: Location) -> Diagnostic:
    return Diagnostic("asm-few-shot-left-out", {"name": name, "reason": reason}, place, name)


def _wrong(where: str, value: Any, expected: str, record: Record) -> Diagnostic:
    shown = json.dumps(value, ensure_ascii=False, default=str)[:SHOWN]
    return Diagnostic(
        "dat-wrong-value", {"where": where, "value": shown, "expected": expected}, _at(record, where), shown
    )


def _at(record: Record, field: str = FIELD) -> Location:
    return Location(file=record.place.file, line=record.place.line, field=field)

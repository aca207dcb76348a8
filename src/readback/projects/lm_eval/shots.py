"""The examples of a task that stand before each document: which documents they are, as far as files can say.

Source: lm_eval/api/samplers.py and `fewshot_docs` of lm_eval/api/task.py, lm-eval 0.4.13. The sampler `first_n` takes
the first ones. The default one draws with Python's `Random`, once for each document in their order, from a seed of the
run: it can be drawn again where the results of a run say its seed, and else is not known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from readback.projects.lm_eval.documents import Document, Unreadable
from readback.projects.lm_eval.task_file import Code

FIRST, DEFAULT = "first_n", "default"
DRAWN = 200_000  # examples of all documents that are drawn again


def list_candidates(config: Mapping[str, Any], take: Callable[[str], list[Document]]) -> list[Document]:
    """Return the documents of which examples are taken; raises Unreadable where they are not here."""
    fewshot = _get_config(config)
    if isinstance(fewshot.get("samples"), Code) or isinstance(fewshot.get("process_docs"), Code):
        raise Unreadable("the examples are made by code")
    if isinstance(config.get("process_docs"), Code) and not isinstance(fewshot.get("samples"), list):
        raise Unreadable("the documents are changed by code")
    split = get_split(config)
    if split is not None:
        return take(split)
    if isinstance(fewshot.get("samples"), list):
        return [each for each in fewshot["samples"] if isinstance(each, dict)]
    for key in ("training_split", "validation_split", "test_split"):
        if isinstance(config.get(key), str):
            return take(config[key])
    raise Unreadable("nothing says where the examples come from")


def get_split(config: Mapping[str, Any]) -> str | None:
    """Return the split that examples are taken from; None where the task lists them or has a rule of its own."""
    split = _get_config(config).get("split", config.get("fewshot_split"))
    if isinstance(split, str):
        return split
    return None


def get_sampler(config: Mapping[str, Any]) -> Any:
    """Return the name of the sampler, or the Code that is one."""
    return _get_config(config).get("sampler", DEFAULT)


def excludes_own(config: Mapping[str, Any]) -> bool:
    """Whether a document is never its own example: its split is the one that examples are taken from."""
    return get_split(config) == config.get("test_split")


def take_first_shots(candidates: Sequence[Document], number: int, excludes: bool) -> list[Document]:
    """Return as many of the first candidates as any document needs, once its own copies are left out."""
    if not excludes:
        return list(candidates[:number])
    copies: Counter[str] = Counter()
    most = 0
    for index, candidate in enumerate(candidates):
        if index - most >= number:
            return list(candidates[:index])
        key = json.dumps(candidate, sort_keys=True)
        copies[key] += 1
        most = max(most, copies[key])
    return list(candidates)


def draw_shots(
    candidates: Sequence[Document], documents: Sequence[Document], number: int, seed: int, excludes: bool
) -> list[list[Document]]:
    """Return the examples of each document as the default sampler draws them; raises Unreadable where it would stop."""
    random = Random(seed)  # noqa: S311 - what the tool draws is drawn again
    drawn: list[list[Document]] = []
    try:
        for document in documents:
            if not excludes:
                drawn.append(random.sample(candidates, number))
                continue
            shots = [each for each in random.sample(candidates, number + 1) if each != document][:number]
            if len(shots) < number:
                shots = random.sample([each for each in candidates if each != document], number)
            drawn.append(shots)
    except ValueError:
        raise Unreadable(f"it asks for more than the {len(candidates)} examples that there are") from None
    return drawn


def _get_config(config: Mapping[str, Any]) -> Mapping[str, Any]:
    value = config.get("fewshot_config")
    if isinstance(value, dict):
        return value
    return {}

"""Examples before the question: what a verification configuration says of them.

Source: `few_shot_config` of biocypher/karenina (facts only), in its two spellings: `source`, `pool_mode`, `pool_k`,
`global_examples`; and before that `enabled`, `global_mode`, `global_k`, `global_external_examples`, or the three keys
`few_shot_enabled`, `few_shot_mode`, `few_shot_k` at the top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.readers.yaml.yaml_file import Node
from readback.sources.verification import FEW_SHOT

KEY = "few_shot_config"
SETTING = "few_shot"  # of a configuration's settings: what was read, as `read` answers it
SOURCES = ("both", "question_pool", "global", "disabled")  # the first is the default
MODES = ("all", "k-shot", "custom")
EARLIER_MODES = (*MODES, "none")
NEWER = ("source", "pool_mode", "pool_k", "question_configs", "global_examples")
EARLIER = ("enabled", "global_mode", "global_k", "question_configs", "global_external_examples")
QUESTION = ("mode", "k", "selected_examples", "excluded_examples")
K = 3  # where nothing says how many
TEXTS = ("question", "answer")


def read(top: Node) -> dict[str, Any] | None:
    """Return the examples that the configuration at `top` asks for; None where they are off. Wrong values are noted.

    {"pool": whether the record's own are taken, "mode", "k", "questions": {id: {"mode", "k", "selected", "excluded",
    "examples"}}, "examples": [{"question", "answer", "line", "column"}], "salted": whether the program draws at random
    from a seed that differs from run to run}. Each value is of its type; what was of another is left at its default.
    """
    stated = top.value.get(KEY)
    if stated is None:
        return _read_oldest_keys(top)
    node = top.at(KEY, stated)
    earlier = (
        isinstance(stated, Mapping)
        and not set(stated) & (set(NEWER) - set(EARLIER))
        and bool(set(stated) & (set(EARLIER) - set(NEWER)))
    )
    parts = node.mapping(*(EARLIER if earlier else NEWER))
    modes = EARLIER_MODES if earlier else MODES
    source, mode, k, examples = _name_keys(earlier)
    if not earlier:
        pool_source = _read_choice(parts.get(source), SOURCES)
    else:
        pool_source = None
    if earlier:
        on = _read_flag(parts.get("enabled"), True)
    else:
        on = pool_source != "disabled"
    setting = {
        "pool": pool_source in (None, "both", "question_pool"),
        "mode": _read_choice(parts.get(mode), modes) or modes[0],
        "k": _read_count(parts.get(k)) if _read_count(parts.get(k)) is not None else K,
        "questions": dict(_list_questions(parts.get("question_configs"), modes, earlier)),
        "examples": list(_list_examples(parts.get(examples))) if pool_source != "question_pool" else [],
        "salted": earlier,
    }
    if on:
        return setting
    return None


def _name_keys(earlier: bool) -> tuple[str, str, str, str]:
    if earlier:
        return "enabled", "global_mode", "global_k", "global_external_examples"
    return "source", "pool_mode", "pool_k", "global_examples"


def _read_oldest_keys(top: Node) -> dict[str, Any] | None:
    parts = {key: top.at(key, top.value[key]) for key in FEW_SHOT if top.value.get(key) is not None}
    on = _read_flag(parts.get("few_shot_enabled"), False)
    mode, k = _read_choice(parts.get("few_shot_mode"), EARLIER_MODES), _read_count(parts.get("few_shot_k"))
    setting = {"pool": True, "mode": mode or MODES[0], "k": k or K, "questions": {}, "examples": [], "salted": True}
    if on:
        return setting
    return None


def _list_questions(node: Node | None, modes: tuple[str, ...], earlier: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    for called, part in node.entries() if node else ():
        parts = part.mapping(*QUESTION, *(("external_examples",) if earlier else ()))
        mode = _read_choice(parts.get("mode"), (*modes, "inherit"))
        yield (
            called,
            {
                "mode": None if mode == "inherit" else mode,
                "k": _read_count(parts.get("k")),
                "selected": list(_list_chosen(parts.get("selected_examples"))),
                "excluded": list(_list_chosen(parts.get("excluded_examples"))),
                "examples": list(_list_examples(parts.get("external_examples"))),
            },
        )


def _list_chosen(node: Node | None) -> Iterator[int | str]:
    """Yield indices from 0, or the md5 hex of an example's question."""
    for item in node.listed() if node else ():
        if isinstance(item.value, int | str) and not isinstance(item.value, bool):
            yield item.value
        else:
            item.wrong("a number from 0, or the md5 of an example's question")


def _list_examples(node: Node | None) -> Iterator[dict[str, Any]]:
    for item in node.listed() if node else ():
        if not isinstance(item.value, Mapping):
            item.wrong("a mapping with question and answer")
            continue
        wrong = [key for key in TEXTS if not isinstance(item.value.get(key), str | None)]
        for key in wrong:
            item.at(key, item.value[key]).wrong("a text")
        if not wrong:
            texts = {key: item.value[key] for key in TEXTS if isinstance(item.value.get(key), str)}
            yield {**texts, "line": item.place.line, "column": item.place.column}


def _read_choice(node: Node | None, choices: tuple[str, ...]) -> str | None:
    if node:
        return node.one_of(choices)
    return None


def _read_count(node: Node | None) -> int | None:
    if node:
        return node.whole(0)
    return None


def _read_flag(node: Node | None, default: bool) -> bool:
    flag = node.flag() if node else None
    if flag is None:
        return default
    return flag

"""Where a pair of conditions is better by one criterion and worse by another: a trade-off, said in one line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from readback.cli._sentence import fill

Answer = Mapping[str, Any]
HIGHER = {"b is higher": True, "a is higher": False}


def text(answer: Answer, made: Collection[Answer], name: Callable[[Answer, str], str]) -> Iterator[str]:
    """A line for each pair that one judge found better and worse; only differences that are separated count."""
    pairs: dict[tuple[Any, ...], dict[bool, list[Answer]]] = {}
    for one in made:
        if one["verdict"] in HIGHER:
            key = (*one["a"].items(), *one["b"].items(), one["judge"])
            down = answer["criteria"][one["criterion"]]["direction"] == "down"
            pairs.setdefault(key, {}).setdefault(HIGHER[one["verdict"]] is not down, []).append(one)
    for found in pairs.values():
        if len(found) == 2:
            better, worse = (", ".join(one["criterion"] for one in found[side]) for side in (True, False))
            one = found[True][0]
            yield fill(
                "a trade-off: {b} is better than {a} in {better}, worse in {worse}",
                a=name(one, "a"),
                b=name(one, "b"),
                better=better,
                worse=worse,
            )

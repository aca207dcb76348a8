"""The planned comparisons as sentences: the study's question, what was found, and beside it what was expected."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import groupby
from typing import Any

from readback.cli import _trade_lines

Answer = Mapping[str, Any]
Name = Callable[[Answer, str], str]  # a comparison and its side, a or b, as the side is called


def text(answer: Answer, name: Name) -> Iterator[str]:
    """One sentence for each planned comparison, in the order of the plan, also for those that cannot be made."""
    down = {key for key, one in answer["criteria"].items() if one["direction"] == "down"}
    told = [(one["plan"], one, _sentence(one, name, down)) for one in answer["comparisons"] if one["planned"]]
    told += [(one["plan"], one, _blocked(one, name)) for one in answer["blocked"] if one["planned"]]
    absent = groupby(answer["planned_without_scores"], key=lambda one: one["plan"])
    told += [(at, *_absent(list(found))) for at, found in absent]
    told.sort(key=lambda entry: entry[0])
    for _, one, said in told:
        yield f"{one['question']} {said}" if one["question"] else said
        if one.get("expected"):
            found = _found(one, name)
            yield f"  expected: {_expected(one, name)}" + (f"; found: {found}" if found else "")
        if rule := one.get("winner_by_rule"):
            won = "tie" if rule == "tie" else name(one, rule)
            yield f"  winner by the source program's rule, which asks for more than 0.1 without a test: {won}"
    yield from _trade_lines.text(answer, [one for one in answer["comparisons"] if one["planned"]], name)
    tested = {one["family"] for one in answer["comparisons"] if one["planned"] and one["p"] is not None}
    if told and tested:
        many = max(tested)
        yield f"(planned; p is Holm's over {many} tests)" if many > 1 else "(planned, and the only test of the plan)"


def ends(span: Any, places: int = 4) -> str:
    """An interval in words."""
    return f"{number(span[0], places)} to {number(span[1], places)}"


def number(value: float, places: int = 4) -> str:
    """A number, never a minus before nothing."""
    said = f"{value:.{places}f}"
    return said.removeprefix("-") if not float(said) else said


def plus(value: float) -> str:
    """A difference with its sign."""
    said = number(value)
    return said if said.startswith("-") else f"+{said}"


def p_of(one: Answer) -> str:
    """p as computed, Holm's over its family where that is more than one, and the test."""
    if one["p"] is None:
        return ""
    holm = f", Holm over {one['family']}: {one['p_adjusted']:.2g}" if one["family"] > 1 else ""
    seed = f", seed {one['seed']}" if one["seed"] is not None else ""
    return f"p {one['p']:.2g}{holm}; {one['p_method']}{seed}"


def left_out(one: Answer, name: Name) -> str:
    """How many items are scored on one side only."""
    gone = [
        f"{one[key]} scored only under {name(one, side)}"
        for key, side in (("only_a", "a"), ("only_b", "b"))
        if one[key]
    ]
    return f"; left out: {', '.join(gone)}" if gone else ""


def at_odds(one: Answer) -> str:
    """That the interval leaves no difference out and the test does not, or the other way round."""
    return "; interval and test do not say the same, so it is near the edge" if one["at_odds"] else ""


def _sentence(one: Answer, name: Name, down: Collection[str]) -> str:
    a, b, n = name(one, "a"), name(one, "b"), one["n_shared"]
    about = one["criterion"] + (f", judge {one['judge']}" if one["judge"] else "")
    if one["difference"] is None or one["verdict"] == "too few":
        return f"{_items(n)} scored under both {b} and {a}: too few to compare them ({about})."
    if one["verdict"] == "constant":
        return f"On each of {n} shared items {b} and {a} have the same score ({about})."
    up = one["difference"] >= 0
    high, low = (b, a) if up else (a, b)
    by = number(abs(one["difference"]))
    span = one["interval_used"]
    if span and not up:
        span = (-span[1], -span[0])
    sure = f"; 95 % interval {ends(span)}" if span else "; no interval"
    sure += f" over {one['clusters']} clusters" if one["interval_clustered"] else ""
    wins, losses = (one["wins"], one["losses"]) if up else (one["losses"], one["wins"])
    counts = f"{wins} higher, {losses} lower, {one['ties']} same; {p_of(one)}{left_out(one, name)}{at_odds(one)}"
    if one["verdict"] == "equivalent":
        within = f"within ±{one['margin']:g}: they differ by {by}"
        return (
            f"On {n} shared items {high} and {low} are equal {within} ({about}{sure}; two one-sided tests {_p(one)})."
        )
    margin = "" if one["p_equivalent"] is None else f"; within ±{one['margin']:g} is not shown, {_p(one)}"
    if one["verdict"] == "not separated":
        least = one["smallest_detectable"]
        shows = f" The smallest difference this sample could show is about {least:.2g}." if least else ""
        apart = f"on {n} shared items they differ by {by}"
        return f"The data do not separate {high} from {low}: {apart} ({about}{sure}; {counts}{margin}).{shows}"
    better = " Lower is better here." if one["criterion"] in down else ""
    return f"On {n} shared items {high} scores {by} higher than {low} ({about}{sure}; {counts}{margin}).{better}"


def _blocked(one: Answer, name: Name) -> str:
    about = one["criterion"] + (f", judge {one['judge']}" if one["judge"] else "")
    return f"{name(one, 'b')} may not be compared with {name(one, 'a')} ({about}): {one['why']}."


def _absent(found: list[Answer]) -> tuple[Answer, str]:
    one = found[0]
    gone = ", ".join(entry["without"] for entry in found)
    return one, f"{one['b']} against {one['a']} was planned, but there are no scores of {gone}."


def _found(one: Answer, name: Name) -> str:
    """What was found, in a few words."""
    verdict = str(one.get("verdict", "not compared" if one.get("why") else ""))
    side, _, rest = verdict.partition(" ")
    return f"{name(one, side)} {rest}" if side in ("a", "b") else verdict


def _expected(one: Answer, name: Name) -> str:
    """The study's own words; where it only names a side, that condition."""
    text = str(one["expected"])
    side = text.strip().lower()
    return f"{name(one, side)} is higher" if side in ("a", "b") else text


def _items(n: int) -> str:
    return "1 item is" if n == 1 else f"{n or 'no'} items are"


def _p(one: Answer) -> str:
    return f"p {one['p_equivalent']:.2g}"

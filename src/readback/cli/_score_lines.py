"""Scores and their comparisons as lines for people: the answers to the plan first, then all there is by criterion."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from readback.cli import _finding_costs, _plan_lines, _reported_lines, _source_lines, _trade_lines
from readback.cli._plan_lines import at_odds, ends, left_out, number, p_of, plus
from readback.scores.certainty import CONCENTRATED
from readback.scores.comparing.comparison import Compared
from readback.words import t

LOST = ("failed", "missing", "not_applicable")
NARROW = ("t", "bca")  # methods whose intervals are too short where one value holds most scores
FEW = 2  # factors whose names are repeated in every row; of more, the heading names them once
EMPTY = (
    "no scores: nothing here was recognised as a score file. Beside a readback.yml only files named under scores: are "
    "read; docs/scoring.md says what one looks like, and readback check what is wrong with it"
)
ALONE = "no scores by item: the files only state means, so nothing can be paired or tested"
Answer = Mapping[str, Any]


def text(answer: Answer, made: Compared, factors: Collection[str], of_pools: Compared) -> Iterator[str]:
    """The plan's answers; blocks by criterion and judge; what was not planned; what is not compared and why.

    Means over judges are first, where items have several; `of_pools` are their comparisons, `made` those by judge.
    """
    say = _Labels(answer, factors)
    if answer["synthetic"]:
        yield "these scores are synthetic: made by a generator, not by a judge"
    if not answer["rows"] and not answer["duels"]:
        yield ALONE if answer["aggregates"] else EMPTY
    yield from _pooled(answer, of_pools, factors)
    yield from _plan_lines.text(answer, made, say.side)
    yield from _rows(answer, say)
    yield from _reported_lines.text(answer, say.label)
    yield from _exploratory(answer, say)
    if answer["duels"]:
        yield "\nside by side"
    for one in answer["duels"]:
        yield f"  {_pair(one, say)}"
    yield from _ranking(answer["ranking"], say)
    yield from _slices(answer.get("slices", ()), say)
    yield from _finding_costs.text(answer)
    yield from _source_lines.text(answer)


def _pooled(whole: Answer, made: Compared, factors: Collection[str]) -> Iterator[str]:
    """The same of means over judges, each item counted with the mean of those who scored it."""
    if not whole.get("pooled"):
        return
    yield "each item with the mean of those who scored it; after it every judge alone"
    named = {
        key: [{**one, "judge": f"*{one['pool']}"} for one in whole["pooled"][key]]
        for key in ("rows", "comparisons", "blocked", "omnibus")
    }
    same = {key: whole[key] for key in ("criteria", "criteria_order", "references")}
    answer = {**whole["pooled"], **same, **named, "planned_without_scores": []}
    say = _Labels(answer, factors)
    yield from _plan_lines.text(answer, made, say.side)
    yield from _rows(answer, say)
    yield from _exploratory(answer, say)
    yield "\neach judge alone"


def _agreed(answer: Answer, criterion: str, judge: str | None) -> Iterator[str]:
    """Beside means over judges how far these agree."""
    for one in answer.get("agreement", ()):
        if (one["criterion"], f"*{one['pool']}") == (criterion, judge):
            span = f" (95 % interval {ends(one['interval'])})" if one["interval"] else ""
            alpha = "is not defined" if one["alpha"] is None else f"{number(one['alpha'])}{span}"
            yield f"  agreement: Krippendorff's alpha ({one['metric']}) {alpha} on {one['units']} answers"


def _rows(answer: Answer, say: _Labels) -> Iterator[str]:
    place = {name: at for at, name in enumerate(answer.get("criteria_order", ()))}
    apart = [one["condition"] for one in answer.get("references", ())]
    for heading, every in sorted(_by_heading(answer["rows"]).items(), key=lambda one: place.get(one[0][0], len(place))):
        rows = _best_first([row for row in every if row["condition"] not in apart], answer["criteria"][heading[0]])
        yield f"\n{_heading(*heading)}{_scale(answer['criteria'][heading[0]], heading[1])}"
        yield from _agreed(answer, *heading)
        if more := say.named_once(heading):
            yield f"  conditions by {' · '.join(more)}"
        for row in rows:
            yield f"  {_row(row, say)}"
        narrow = [row for row in rows if (row["share_of_one"] or 0) >= CONCENTRATED and row["method"] in NARROW]
        if narrow:
            share = int(100 * CONCENTRATED)
            better = "; on the whole scale it is right more often" if narrow[0]["interval_on_scale"] else ""
            said = t("scores.concentrated", n=len(narrow), all=len(rows), share=share).removesuffix(".")
            yield f"  {said}{better}"
        for row in every:
            if row["condition"] in apart:
                why = next(one for one in answer["references"] if one["condition"] == row["condition"])
                yield f"  set apart, {_apart(why)}: {_row(row, say)}"


def _best_first(rows: Collection[Answer], criterion: Answer) -> list[Answer]:
    """By their means, as the page has them; what has no mean is last."""
    sign = 1 if criterion["direction"] == "down" else -1
    return sorted(rows, key=lambda row: (row["mean"] is None, sign * (row["mean"] or 0)))


def _apart(one: Answer) -> str:
    if one["by"] == "metric":
        return f"the reference answer ({one['criterion']} is 1.00 on all {one['n']} items)"
    return f"the reference answer (its {one['n']} answers equal the dataset's)"


def _exploratory(answer: Answer, say: _Labels) -> Iterator[str]:
    if answer["omnibus"]:
        yield "\ndoes any condition differ?"
    for one in answer["omnibus"]:
        about = f"{one['conditions']} conditions on {one['items']} items scored under all"
        about += f", {one['left_out']} left out" if one["left_out"] else ""
        about += f", by the means of {one['clusters']} clusters" if one["clusters"] else ""
        yield f"  {_heading(one['criterion'], one['judge'])}: {about}, {one['test']} p {one['p']:.2g}"
    made = [one for one in answer["comparisons"] if not one["planned"]]
    if made:
        yield "\nexploratory comparisons, which nobody planned"
    for one in made:
        yield from _comparison(one, say)
    yield from (f"  {line}" for line in _trade_lines.text(answer, made, say.side))
    if said := answer.get("comparisons_skipped"):
        yield f"\nnot compared: {said}"
    blocked = [one for one in answer["blocked"] if not one["planned"]]
    if blocked:
        yield "\nmay not be compared"
    for one in blocked:
        yield f"  {say.pair(one)}, {_heading(one['criterion'], one['judge'])}: {one['why']}"


def _row(row: Answer, say: _Labels) -> str:
    lost = [f"{row[name]} {name.replace('_', ' ')}" for name in LOST if row[name]]
    mean = "–" if row["mean"] is None else number(row["mean"])
    raters = "" if "pool" not in row else f", {row['judges']} {row['pool']}, {_each(row)} an item"
    said = (
        f"{say.side(row, 'condition')}: mean {mean}, n {row['n']}" + (f" ({', '.join(lost)})" if lost else "") + raters
    )
    if row["interval"]:
        said += f", 95 % interval {ends(row['interval'])} ({row['method']})"
    if row["interval_clustered"]:
        effect = "" if row["design_effect"] is None else f", design effect {row['design_effect']:.2f}"
        said += f"; with {row['clusters']} clusters {ends(row['interval_clustered'])}{effect}"
    elif row["interval"] and not row["interval_used"]:
        said += f"; its {row['clusters']} clusters are too few for an interval that counts them"
    if row["interval_on_scale"]:
        said += f", on the whole scale {ends(row['interval_on_scale'])}"
    return said


def _each(row: Answer) -> str:
    low, high = row["judges_fewest"], row["judges_most"]
    return str(low) if low == high else f"{low} to {high}"


def _pair(one: Answer, say: _Labels) -> str:
    """Who won, the share of decisive outcomes, and whether it mattered which answer was first."""
    a, b = (say.label(one[side]) for side in ("a", "b"))
    by = f", judge {one['judge']}" if one["judge"] else f", {one['judges']} judges" if one["judges"] > 1 else ""
    said = f"{a} {one['wins_a']}, {b} {one['wins_b']}, ties {one['ties']} of {one['n']}{by}"
    if one["share"] is not None:
        low, high = (100 * end for end in one["interval"])
        said += f"; {a} won {100 * one['share']:.1f} % of {one['decisive']} decisive"
        said += f" (95 % interval {low:.1f} to {high:.1f}, wilson), sign test p {one['p']:.3g}"
    if one["first_known"]:
        said += f"; the answer shown first won {one['first_wins']} of {one['first_known']}"
        said += f" (p {one['first_p']:.3g})" if one["first_p"] is not None else ""
    if one["swapped"]:
        said += f"; of {one['swapped']} shown in both orders {one['turned']} turned with the place"
    return said


def _ranking(found: Answer | None, say: _Labels) -> Iterator[str]:
    if not found:
        return
    yield f"\nranking, the strongest first ({found['method']}; seed {found['seed']})"
    if not found["connected"]:
        yield "  some never met, even through others: their strengths cannot be compared"
    for one in found["contestants"]:
        span = f" (95 % interval {ends(one['interval'])})" if one["interval"] else ""
        yield f"  {say.label(one['condition'])}: strength {number(one['strength'])}{span}"


def _slices(found: Collection[Answer], say: _Labels) -> Iterator[str]:
    for at, one in enumerate(found):
        if not at:
            yield f"\nby {one['field']}, exploratory: p is adjusted by Benjamini and Hochberg over the values"
        sides = say.side(one, "a") if one["b"] is None else say.pair(one)
        yield f"  {sides}, {_heading(one['criterion'], one['judge'])}"
        for part in one["values"]:
            yield f"    {_slice(part)}"
        if one["without"]:
            yield f"    {one['without']} of {one['n']} items have no {one['field']}"


def _slice(part: Answer) -> str:
    span = f" (95 % interval {ends(part['interval'])})" if part["interval"] else ""
    p = "" if part["p"] is None else f"; p {part['p']:.2g}, adjusted {part['p_adjusted']:.2g}; {part['p_method']}"
    if part["difference"] is None:
        return f"{part['value']}: mean {number(part['mean_a'])} on {part['n']} items{span}{p}"
    counts = f"{part['wins']} higher, {part['losses']} lower, {part['ties']} same"
    return f"{part['value']}: {plus(part['difference'])} on {part['n']} shared items{span}; {counts}{p}"


def _comparison(one: Answer, say: _Labels) -> Iterator[str]:
    said = f"  {say.pair(one)}, {_heading(one['criterion'], one['judge'])}: "
    if one["difference"] is None:
        yield f"{said}no item is scored on both sides"
        return
    said += f"{plus(one['difference'])} on {one['n_shared']} shared items"
    if span := one["interval_used"]:
        grouped = f", {one['clusters']} clusters" if one["interval_clustered"] else ""
        said += f" (95 % interval {ends(span)}{grouped})"
    said += f"; {one['wins']} higher, {one['losses']} lower, {one['ties']} same; {_verdict(one, say)}"
    if p := p_of(one):
        said += f" ({p})"
    if one["verdict"] == "not separated" and one["smallest_detectable"]:
        said += f"; the smallest difference this sample could show is about {one['smallest_detectable']:.2g}"
    yield said + left_out(one, say.side) + at_odds(one)


def _verdict(one: Answer, say: _Labels) -> str:
    """The verdict with the conditions' names in place of their letters."""
    names = {side: say.side(one, side) for side in ("a", "b")}
    return t(f"scores.verdict_{one['verdict'].replace(' ', '_')}", **names)


def _heading(criterion: str, judge: str | None) -> str:
    return criterion + _plan_lines.by(judge)


def _scale(found: Answer, judge: str | None = None) -> str:
    """The scale in brackets, and that it was only inferred, and which way is better if it is not up."""
    if judge in _plan_lines.POOLS and found["low"] is not None:
        text = f"{found['low']:g} to {found['high']:g}"
    elif found["values"]:
        text = ", ".join(f"{value:g}" for value in found["values"])
    elif found["low"] is not None and found["high"] is not None:
        text = f"{found['low']:g} to {found['high']:g}"
    else:
        text = str(found["scale"])
    inferred = ", inferred from the values" if found["inferred"] else ""
    return f" (scale {text}{inferred}{'; lower is better' if found['direction'] == 'down' else ''})"


def _by_heading(rows: Collection[Answer]) -> dict[tuple[str, str | None], list[Answer]]:
    found: dict[tuple[str, str | None], list[Answer]] = {}
    for row in rows:
        found.setdefault((row["criterion"], row["judge"]), []).append(row)
    return found


class _Labels:
    """What conditions are called: by the factors that vary among the rows of the same criterion and judge."""

    def __init__(self, answer: Answer, factors: Collection[str]) -> None:
        self.factors = tuple(factors)
        found = _by_heading(answer["rows"])
        self.rows = {heading: len(rows) for heading, rows in found.items()}
        self.by = {heading: _varying(rows, self.factors) for heading, rows in found.items()}

    def side(self, one: Answer, side: str) -> str:
        """The side of a comparison, or the condition of a row."""
        return self.label(one[side], self.by.get((one["criterion"], one["judge"])))

    def pair(self, one: Answer) -> str:
        return f"{self.side(one, 'b')} against {self.side(one, 'a')}"

    def named_once(self, heading: tuple[str, str | None]) -> tuple[str, ...]:
        """The factors that the rows do not name, for there are too many of them."""
        factors = self.by[heading]
        return factors if len(factors) > FEW and self.rows[heading] > 1 else ()

    def label(self, condition: Mapping[str, str], factors: Collection[str] | None = None) -> str:
        shown = self.factors if factors is None else factors
        named = [(factor, value or "not stated") for factor, value in condition.items() if factor in shown]
        if len(named) > FEW:
            return " · ".join(value for _, value in named)
        if [factor for factor, _ in named] == ["condition"]:
            return named[0][1]
        return ", ".join(f"{factor} {value}" for factor, value in named) or " ".join(condition.values()) or "all"


def _varying(rows: Collection[Answer], factors: Collection[str]) -> tuple[str, ...]:
    """Of `factors` those that tell these rows apart; all of them where there is one row."""
    if len(rows) < 2:
        return tuple(factors)
    return tuple(name for name in factors if len({row["condition"].get(name) for row in rows}) > 1)

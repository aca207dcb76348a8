"""Agreement between judges as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from readback.scores.criteria import number

Answer = Mapping[str, Any]
SHOWN = 5  # disputed answers; JSON has twenty
UNNAMED = "unnamed judge"
KAPPA = {"quadratic": "quadratic kappa", "linear": "linear kappa", "none": "kappa"}


def text(answer: Answer) -> Iterator[str]:
    """A block for each criterion, then those that are left out and why."""
    if answer["synthetic"]:
        yield "these scores are synthetic: made by a generator, not by a judge"
    for one in answer["criteria"]:
        yield f"\n{one['criterion']} ({one['scale']} scale)"
        yield from (f"  {line}" for line in _criterion(one))
    skipped = answer["skipped"]
    if isinstance(skipped, str):
        yield skipped
    else:
        yield from (f"\n{name}: {why}" for name, why in skipped.items())


def _criterion(one: Answer) -> Iterator[str]:
    if one["units"]:
        yield _headline(one)
    if len(one["conditions"]) > 1:
        yield from (_in_condition(here) for here in one["conditions"])
    yield from (_states(judge) for judge in one["judges"])
    for pair in (pair for pair in one["pairs"] if {pair["a"], pair["b"]} <= set(one["shown"])):
        kappa = "" if pair["kappa"] is None else f", {KAPPA[pair['weights']]} {pair['kappa']:.3f}"
        same = f"same value {100 * pair['exact']:.1f} %"
        yield f"{_name(pair['a'])} and {_name(pair['b'])}: {same} of {pair['n']} shared{kappa}"
    if one["judges_left"]:
        shown, pairs = one["raters"] - one["judges_left"], len(one["pairs"])
        yield f"{shown} of {one['raters']} raters' pairs shown; all {pairs:,} with --format json or csv"
    for judge in one["leniency"]:
        side = "above" if judge["deviation"] >= 0 else "below"
        span = f" (95 % interval of the deviation {_span(judge['interval'])})" if judge["interval"] else ""
        off = f"{abs(judge['deviation']):.3f} {side} the others' mean"
        yield f"{_name(judge['judge'])}: mean {judge['mean']:.3f} on {judge['n']} shared, {off}{span}"
    if one["confusion"]:
        yield from _confusion(one["confusion"])
    if one["disagreed"]:
        yield f"{one['disagreed']} answers with different values; the most disputed:"
        yield from (f"  {_disputed(unit)}" for unit in one["disputed"][:SHOWN])
    yield from (_flips(judge) for judge in one["flips"])
    yield from (_corrected(rate) for rate in one["corrected"])


def _headline(one: Answer) -> str:
    named = [f"{metric} {value:.3f}" for metric, value in one["alpha"].items() if value is not None]
    first = one["alpha"][one["headline"]]
    span = f", 95 % interval {_span(one['alpha_interval'])}" if one["alpha_interval"] else ""
    known = "not defined: all ratings are equal" if first is None else f"{first:.3f} ({one['headline']}{span})"
    others = [name for name in named if not name.startswith(one["headline"])]
    also = f"; {', '.join(others)}" if others else ""
    single = f"; {one['single']} more were scored by one judge only" if one["single"] else ""
    return f"Krippendorff's alpha {known}{also}; {one['ratings']} ratings of {_answers(one)}{single}"


def _answers(found: Answer) -> str:
    return f"{found['units']} answer{'' if found['units'] == 1 else 's'}"


def _in_condition(here: Answer) -> str:
    known = "not defined: all ratings are equal" if here["alpha"] is None else f"{here['alpha']:.3f}"
    return f"in {' · '.join(here['condition'].values())}: alpha {known}; {_answers(here)}"


def _states(judge: Answer) -> str:
    lost = [f"{judge[state]} {state.replace('_', ' ')}" for state in ("failed", "missing", "not_applicable")]
    kind = " (a person)" if judge["person"] else ""
    return f"{_name(judge['judge'])}{kind}: {judge['n']} scored, {', '.join(lost)}"


def _confusion(found: Answer) -> Iterator[str]:
    yield f"rows {_name(found['a'])}, columns {_name(found['b'])}:"
    heads = [number(value) for value in found["values"]]
    rows = [heads, *([str(cell) for cell in row] for row in found["table"])]
    width = max(len(cell) for row in rows for cell in row) + 2
    for head, row in zip(("", *heads), rows, strict=True):
        yield f"  {head:>{width}}" + "".join(f"{cell:>{width}}" for cell in row)


def _disputed(unit: Answer) -> str:
    given = ", ".join(f"{_name(judge)} {number(value)}" for judge, value in unit["values"].items())
    place = " · ".join([*unit["condition"].values(), *([f"run {unit['run']}"] if unit["run"] else [])])
    return f"{unit['item']}{f' ({place})' if place else ''}: {given}"


def _flips(judge: Answer) -> str:
    parts = f"{judge['flipped']} of {judge['answers']} answers that were scored again got different values"
    said = f"{_name(judge['judge'])}: {parts}; two scores of one answer differ in {100 * judge['rate']:.1f} %"
    if judge["judge_variance"] is not None:
        said += f"; variance within an answer {judge['judge_variance']:.3f}, between {judge['answer_variance']:.3f}"
    return said


def _corrected(rate: Answer) -> str:
    where = f" in {' · '.join(rate['condition'].values())}" if rate["condition"] else ""
    said = f"{_name(rate['judge'])}{where} passes {100 * rate['seen']:.1f} % of {rate['n']}; "
    if rate["sensitivity"] is None:
        kind = "passed" if not rate["positives"] else "failed"
        return f"{said}not corrected: {rate['person']} {kind} none of the answers both scored"
    by = f"by {rate['person']}: {rate['positives']} passed, {rate['negatives']} failed"
    if rate["rate"] is None:
        return f"{said}not corrected: the judge tells the two apart no better than chance ({by})"
    span = ""
    if rate["interval"]:
        low, high = (100 * end for end in rate["interval"])
        span = f", 95 % interval {low:.1f} to {high:.1f} %"
    known = f"sensitivity {rate['sensitivity']:.3f}, specificity {rate['specificity']:.3f}"
    return f"{said}corrected {100 * rate['rate']:.1f} %{span} ({by}; {known})"


def _name(judge: str) -> str:
    return judge or UNNAMED


def _span(span: Any) -> str:
    return f"{span[0]:.3f} to {span[1]:.3f}"

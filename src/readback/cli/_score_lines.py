"""Scores and their comparisons as lines for people: the answers to the plan first, then all there is by criterion."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from readback.cli import _finding_costs, _plan_lines, _reported_lines, _source_lines, _trade_lines
from readback.cli._plan_lines import about, at_odds, ends, interval, left_out, number, p_of, plus
from readback.cli._sentence import fill
from readback.scores import not_compared
from readback.scores.certainty import CONCENTRATED
from readback.scores.comparing.comparison import IN_QUESTION, Compared
from readback.words import t

SENTENCES_SCORES = {
    "interval": "95 % interval {low} to {high}",
    "empty": (
        "there are no scores: no file here was recognised as a score file. Beside a "
        "readback.yml only the files under scores: are read; docs/scoring.md describes "
        "score files, and readback check says what is wrong with one"
    ),
    "alone": ("there are no scores by item: the files only report means, so nothing can be paired or tested"),
    "pooled": ("each item counts with the mean of those who scored it; below that, each judge alone"),
    "alpha": "agreement: Krippendorff's alpha ({metric}) {alpha} on {n:,} {n:answer|answers}",
    "alpha_interval": ("agreement: Krippendorff's alpha ({metric}) {alpha} ({interval}) on {n:,} {n:answer|answers}"),
    "omnibus": "does any condition differ?",
    "blocked": "must not be compared",
    "duels": "side by side",
    "mean": "mean {mean}",
    "n": "n {n}",
    "n_lost": "n {n} ({lost})",
    "failed": "{n:,} failed",
    "missing": "{n:,} missing",
    "not_applicable": "{n:,} not applicable",
    "row_clusters": "with {n:,} {n:cluster|clusters} {low} to {high}",
    "row_clusters_effect": "with {n:,} {n:cluster|clusters} {low} to {high}, design effect {effect:.2f}",
    "duel_judge": "judge {judge}",
    "duel_judges": "{n:,} {n:judge|judges}",
    "duel_first": "the answer shown first won {n:,} of {all:,}",
    "duel_first_p": "the answer shown first won {n:,} of {all:,} (p {p})",
    "ranking": "ranking, the strongest first ({method}; seed {seed})",
    "strength": "{condition}: strength {strength}",
    "slices": ("by {field}, exploratory: p is corrected by Benjamini and Hochberg over the values"),
    "wins": "{higher:,} higher, {lower:,} lower, {same:,} same",
    "pair": "{b} against {a}",
    "clusters": "{interval}, {n:,} {n:cluster|clusters}",
    "p": "p {p}",
    "seed": "{method}, seed {seed}",
    "left_out": "left out: {parts}",
    "scale": "scale {scale}",
    "scale_inferred": "scale {scale}, inferred from the values",
    "down": "{scale}; lower is better",
    "lacking_spread": "the spread",
    "difference": "difference {difference}",
}

NOT_COMPARED = (not_compared.SCALES, not_compared.ALONE)  # nothing that could be fair
LOST = ("failed", "missing", "not_applicable")
NARROW = ("t", "bca")  # methods whose intervals are too short where one value holds most scores
FEW = 2  # factors whose names are repeated in every row; of more, the heading names them once

Answer = Mapping[str, Any]


def text(answer: Answer, made: Compared, factors: Collection[str], of_pools: Compared) -> Iterator[str]:
    """The plan's answers; blocks by criterion and judge; what was not planned; what is not compared and why.

    Means over judges are first, where items have several; `of_pools` are their comparisons, `made` those by judge.
    """
    say = _Labels(answer, factors)
    if answer["synthetic"]:
        yield t("scores.synthetic")
    if not answer["rows"] and not answer["duels"]:
        yield (SENTENCES_SCORES["alone" if answer["aggregates"] else "empty"])
    yield from _concluded(answer.get("conclusions", ()))
    both = (*answer["comparisons"], *answer["blocked"], *answer["planned_without_scores"])
    if answer.get("conclusions") and (answer.get("pooled") or any("plan" in one and one["plan"] for one in both)):
        yield ""
    yield from _pooled(answer, of_pools, factors)
    yield from _plan_lines.text(answer, made, say.side)
    yield from _rows(answer, say)
    yield from _reported_lines.text(answer, say.label)
    yield from _exploratory(answer, say)
    if answer["comparisons"]:
        yield f"({t('scores.rounded')} {t('scores.shared_only')})"
    if answer["duels"]:
        yield "\nside by side"
    for one in answer["duels"]:
        yield f"  {_pair(one, say)}"
    yield from _ranking(answer["ranking"], say)
    yield from _slices(answer.get("slices", ()), say)
    yield from _finding_costs.text(answer)
    yield from _source_lines.text(answer)


def _concluded(found: Collection[Answer]) -> Iterator[str]:
    """The verdict under each criterion, as every page has it; then whether anybody looked at the prompts."""
    said = [one for one in found if one["answer"]]
    for one in said:
        pair = t("scores.pair", a=one["a"], b=one["b"]) if one["a"] is not None else ""
        yield f"{pair} {t('scores.conclusion', criterion=one['criterion'], text=one['answer'])}".lstrip()
        if one["verdict"] == IN_QUESTION:
            yield f"  {one['sentence']}"
    if any(one["verdict"] not in NOT_COMPARED for one in said):
        checked = any("provided" in one["answer"] for one in said)
        yield t("scores.fair_not_checked" if checked else "scores.fair_no_prompts")


def _pooled(whole: Answer, made: Compared, factors: Collection[str]) -> Iterator[str]:
    """The same of means over judges, each item counted with the mean of those who scored it."""
    if not whole.get("pooled"):
        return
    yield "each item counts with the mean of those who scored it; below that, each judge alone"
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
            said = {"metric": one["metric"], "n": one["units"]}
            if one["alpha"] is None:
                yield fill(
                    "  agreement: Krippendorff's alpha ({metric}) is not defined on {n:,} {n:answer|answers}", **said
                )
                continue
            span, alpha = interval(one["interval"]) if one["interval"] else "", number(one["alpha"])
            known = "alpha_interval" if span else "alpha"
            yield ("  " + fill(SENTENCES_SCORES[known], **said, alpha=alpha, interval=span))


def _rows(answer: Answer, say: _Labels) -> Iterator[str]:
    place = {name: at for at, name in enumerate(answer.get("criteria_order", ()))}
    apart = [one["condition"] for one in answer.get("references", ())]
    for heading, every in sorted(_by_heading(answer["rows"]).items(), key=lambda one: place.get(one[0][0], len(place))):
        rows = _best_first([row for row in every if row["condition"] not in apart], answer["criteria"][heading[0]])
        yield f"\n{_heading(*heading)} ({_scale(answer['criteria'][heading[0]], heading[1])})"
        yield from _agreed(answer, *heading)
        if more := say.named_once(heading):
            yield fill("  conditions by {factors}", factors=" · ".join(more))
        for row in rows:
            yield f"  {_row(row, say)}"
        yield from (f"  {line}" for line in _left_out(answer, *heading))
        narrow = [row for row in rows if (row["share_of_one"] or 0) >= CONCENTRATED and row["method"] in NARROW]
        if narrow:
            share = int(100 * CONCENTRATED)
            said = t("scores.concentrated", n=len(narrow), all=len(rows), share=share).removesuffix(".")
            better = narrow[0]["interval_on_scale"]
            if better:
                said = fill("{said}; on the whole scale it is right more often", said=said)
            yield f"  {said}"
        for row in every:
            if row["condition"] in apart:
                why = next(one for one in answer["references"] if one["condition"] == row["condition"])
                yield f"  {_apart(why, say.side(row, 'condition'))}"
                yield f"    {_row(row, say)}"


def _left_out(answer: Answer, criterion: str, judge: str | None) -> Iterator[str]:
    """What a file states of these rows and leaves failures out of."""
    for one in answer.get("stated_beside_rows", {}).get("leave_out", ()):
        if (one["criterion"], one["judge"]) == (criterion, judge):
            yield one["sentence"]


def _best_first(rows: Collection[Answer], criterion: Answer) -> list[Answer]:
    """By their means, as the page has them; what has no mean is last."""
    sign = 1 if criterion["direction"] == "down" else -1
    return sorted(rows, key=lambda row: (row["mean"] is None, sign * (row["mean"] or 0)))


def _apart(one: Answer, name: str) -> str:
    if one["by"] == "metric":
        return t("scores.apart_metric", name=name, metric=one["criterion"], n=one["n"])
    return t("scores.apart_answers", name=name, n=one["n"])


def _exploratory(answer: Answer, say: _Labels) -> Iterator[str]:
    if answer["omnibus"]:
        yield "\ndoes any condition differ?"
    for one in answer["omnibus"]:
        facts = [
            fill(
                ("{about}: {n:,} {n:condition|conditions} on {items:,} {items:item|items} scored under all of them"),
                about=about(one),
                n=one["conditions"],
                items=one["items"],
            )
        ]
        facts += [fill("{n:,} {n:condition|conditions} left out", n=one["left_out"])] if one["left_out"] else []
        facts += [fill("by the means of {n:,} {n:cluster|clusters}", n=one["clusters"])] if one["clusters"] else []
        facts.append(fill("{test} p {p}", test=one["test"], p=f"{one['p']:.2g}"))
        yield f"  {', '.join(facts)}"
    made = [one for one in answer["comparisons"] if not one["planned"]]
    if made:
        yield "\nexploratory comparisons, which were not planned"
    for one in made:
        yield from _comparison(one, say)
    yield from (f"  {line}" for line in _trade_lines.text(answer, made, say.side))
    if said := answer.get("comparisons_skipped"):
        yield fill("\nnot compared: {why}", why=said)
    blocked = [one for one in answer["blocked"] if not one["planned"]]
    if blocked:
        yield "\nmust not be compared"
    for one in blocked:
        yield fill("  {pair}, {about}: {why}", pair=say.pair(one), about=about(one), why=one["why"])


def _row(row: Answer, say: _Labels) -> str:
    lost = ", ".join(fill(SENTENCES_SCORES[name], n=row[name]) for name in LOST if row[name])
    facts = ["mean –" if row["mean"] is None else fill("mean {mean}", mean=number(row["mean"]))]
    facts.append(fill(SENTENCES_SCORES["n_lost" if lost else "n"], n=row["n"], lost=lost))
    if "pool" in row:
        facts.append(
            fill("{judges} {raters}, {each} for each item", judges=row["judges"], raters=row["pool"], each=_each(row))
        )
    if row["interval"]:
        facts.append(fill("95 % interval {low} to {high} ({method})", **ends(row["interval"]), method=row["method"]))
    if row["interval_clustered"]:
        effect = "row_clusters" if row["design_effect"] is None else "row_clusters_effect"
        counted = {"n": row["clusters"], "effect": row["design_effect"]}
        facts.append(fill(SENTENCES_SCORES[effect], **counted, **ends(row["interval_clustered"])))
    elif row["interval"] and not row["interval_used"]:
        facts.append(
            fill("its {n:,} {n:cluster|clusters} are too few for an interval that counts them", n=row["clusters"])
        )
    if row["interval_on_scale"]:
        facts.append(fill("on the whole scale {low} to {high}", **ends(row["interval_on_scale"])))
    return fill("{condition}: {facts}", condition=say.side(row, "condition"), facts=", ".join(facts))


def _each(row: Answer) -> str:
    low, high = row["judges_fewest"], row["judges_most"]
    return str(low) if low == high else fill("{low} to {high}", low=low, high=high)


def _pair(one: Answer, say: _Labels) -> str:
    """Who won, the share of decisive outcomes, and whether it mattered which answer was first."""
    a, b = (say.label(one[side]) for side in ("a", "b"))
    counts = {name: one[name] for name in ("wins_a", "wins_b", "ties", "n")}
    facts = [fill("{a} {wins_a}, {b} {wins_b}, ties {ties} of {n}", a=a, b=b, **counts)]
    if one["judge"] or one["judges"] > 1:
        judge = "duel_judge" if one["judge"] else "duel_judges"
        facts[0] += ", " + fill(SENTENCES_SCORES[judge], judge=one["judge"], n=one["judges"])
    if one["share"] is not None:
        low, high = (100 * end for end in one["interval"])
        found = {"share": 100 * one["share"], "low": low, "high": high, "p": f"{one['p']:.3g}"}
        facts.append(
            fill(
                (
                    "{a} won {share:.1f} % of {n:,} decisive {n:outcome|outcomes} (95 % interval {low:.1f} to "
                    "{high:.1f}, wilson), sign test p {p}"
                ),
                a=a,
                n=one["decisive"],
                **found,
            )
        )
    if one["first_known"]:
        p = "" if one["first_p"] is None else f"{one['first_p']:.3g}"
        first = "duel_first_p" if p else "duel_first"
        facts.append(fill(SENTENCES_SCORES[first], n=one["first_wins"], all=one["first_known"], p=p))
    if one["swapped"]:
        facts.append(
            fill(
                "of {n:,} shown in both orders {turned:,} changed with the order",
                n=one["swapped"],
                turned=one["turned"],
            )
        )
    return "; ".join(facts)


def _ranking(found: Answer | None, say: _Labels) -> Iterator[str]:
    if not found:
        return
    yield fill("\nranking, the strongest first ({method}; seed {seed})", method=found["method"], seed=found["seed"])
    if not found["connected"]:
        yield "  some were never compared, not even through others, so their strengths cannot be compared"
    for one in found["contestants"]:
        said = fill(
            "{condition}: strength {strength}", condition=say.label(one["condition"]), strength=number(one["strength"])
        )
        yield f"  {_with(said, one['interval'])}"


def _with(said: str, span: Any) -> str:
    """What is said with its interval in brackets, where it has one."""
    return fill("{said} ({more})", said=said, more=interval(span)) if span else said


def _slices(found: Collection[Answer], say: _Labels) -> Iterator[str]:
    for at, one in enumerate(found):
        if not at:
            yield fill(
                "\nby {field}, exploratory: p is corrected by Benjamini and Hochberg over the values",
                field=one["field"],
            )
        sides = say.side(one, "a") if one["b"] is None else say.pair(one)
        yield fill("  {sides}, {about}", sides=sides, about=about(one))
        for part in one["values"]:
            yield f"    {_slice(part)}"
        if one["without"]:
            yield fill(
                "    {n:,} of {all:,} {all:item|items} have no {field}",
                n=one["without"],
                all=one["n"],
                field=one["field"],
            )


def _slice(part: Answer) -> str:
    if part["difference"] is None:
        said = fill(
            "{value}: mean {mean} on {n:,} {n:item|items}",
            value=part["value"],
            mean=number(part["mean_a"]),
            n=part["n"],
        )
        facts = [_with(said, part["interval"])]
    else:
        difference = plus(part["difference"])
        said = fill(
            "{value}: {difference} on {n:,} shared {n:item|items}",
            value=part["value"],
            difference=difference,
            n=part["n"],
        )
        facts = [_with(said, part["interval"]), _wins(part)]
    if part["p"] is not None:
        p = {"p": f"{part['p']:.2g}", "corrected": f"{part['p_adjusted']:.2g}", "method": part["p_method"]}
        facts.append(fill("p {p}, corrected {corrected}; {method}", **p))
    return "; ".join(facts)


def _wins(one: Answer) -> str:
    return fill(
        "{higher:,} higher, {lower:,} lower, {same:,} same", higher=one["wins"], lower=one["losses"], same=one["ties"]
    )


def _comparison(one: Answer, say: _Labels) -> Iterator[str]:
    of = {"pair": say.pair(one), "about": about(one)}
    if one["difference"] is None:
        yield fill("  {pair}, {about}: no item is scored under both", **of)
        return
    said = fill(
        "{pair}, {about}: {difference} on {n:,} shared {n:item|items}",
        **of,
        difference=plus(one["difference"]),
        n=one["n_shared"],
    )
    if span := one["interval_used"]:
        known = interval(span)
        if one["interval_clustered"]:
            known = fill("{interval}, {n:,} {n:cluster|clusters}", interval=known, n=one["clusters"])
        said = fill("{said} ({more})", said=said, more=known)
    verdict = _verdict(one, say)
    if p := p_of(one):
        verdict = fill("{said} ({more})", said=verdict, more=p)
    facts = [said, _wins(one), verdict]
    if one["verdict"] == "not separated" and one["smallest_detectable"]:
        facts.append(
            fill(
                "the smallest difference this sample could show is about {smallest}",
                smallest=f"{one['smallest_detectable']:.2g}",
            )
        )
    yield f"  {'; '.join(facts)}{left_out(one, say.side)}{at_odds(one)}"


def _verdict(one: Answer, say: _Labels) -> str:
    """The verdict with the conditions' names in place of their letters."""
    names = {side: say.side(one, side) for side in ("a", "b")}
    return t(f"scores.verdict_{one['verdict'].replace(' ', '_')}", **names)


def _heading(criterion: str, judge: str | None) -> str:
    return about({"criterion": criterion, "judge": judge})


def _scale(found: Answer, judge: str | None = None) -> str:
    """The scale, and that it was only inferred, and which way is better if it is not up."""
    ends_known = found["low"] is not None and found["high"] is not None
    if found["values"] and not (judge in _plan_lines.POOLS and ends_known):
        text = ", ".join(f"{value:g}" for value in found["values"])
    elif ends_known:
        text = fill("{low} to {high}", low=f"{found['low']:g}", high=f"{found['high']:g}")
    else:
        text = str(found["scale"])
    said = fill(SENTENCES_SCORES["scale_inferred" if found["inferred"] else "scale"], scale=text)
    if outlying := found.get("outlying"):
        said = fill("{scale}; {outlying}", scale=said, outlying=outlying["sentence"].removesuffix("."))
    return fill("{scale}; lower is better", scale=said) if found["direction"] == "down" else said


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
        return fill("{b} against {a}", b=self.side(one, "b"), a=self.side(one, "a"))

    def named_once(self, heading: tuple[str, str | None]) -> tuple[str, ...]:
        """The factors that the rows do not name, for there are too many of them."""
        factors = self.by[heading]
        return factors if len(factors) > FEW and self.rows[heading] > 1 else ()

    def label(self, condition: Mapping[str, str], factors: Collection[str] | None = None) -> str:
        shown = self.factors if factors is None else factors
        none = t("scores.not_stated")
        named = [(factor, value or none) for factor, value in condition.items() if factor in shown]
        if len(named) > FEW:
            return " · ".join(value for _, value in named)
        if [factor for factor, _ in named] == ["condition"]:
            return named[0][1]
        every = [fill("{factor} {value}", factor=factor, value=value) for factor, value in named]
        return ", ".join(every) or " ".join(condition.values()) or "all"


def _varying(rows: Collection[Answer], factors: Collection[str]) -> tuple[str, ...]:
    """Of `factors` those that tell these rows apart; all of them where there is one row."""
    if len(rows) < 2:
        return tuple(factors)
    return tuple(name for name in factors if len({row["condition"].get(name) for row in rows}) > 1)

"""Format scores and their comparisons as lines for people: the answers to the plan first, then all by criterion."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from readback.cli.common.comparison_lines import (
    POOLS,
    add_interval,
    describe_scores,
    format_caveats,
    format_difference,
    format_finding_costs,
    format_interval,
    format_number,
    format_p,
    format_plan,
    format_span,
    format_trade_offs,
)
from readback.cli.common.terminal import fill
from readback.scores.certainty import CONCENTRATED, is_too_narrow
from readback.scores.comparing.comparison import IN_QUESTION, Compared
from readback.scores.sentences import not_compared, report
from readback.words import t

NOT_COMPARED = (not_compared.SCALES, not_compared.ALONE)  # verdicts without a comparison that could be fair
STATES = {"failed": "failed", "missing": "missing", "not_applicable": "not applicable"}  # of answers without a score
FEW_FACTORS = 2  # factors whose names are repeated in every row; of more, the heading names them once
UNUSED_LISTED = 8  # names of unused columns that a line lists
PERCENT = 100  # a reported mean "of" this is a percentage
MISSING_FACTS = {
    "spread": "the spread",
    "n": "the number of scores",
    "count": "a count that gives this rate",
    "interval": "an interval",
}

Answer = Mapping[str, Any]
Heading = tuple[str, str | None]  # criterion and judge


def format_scores(
    answer: Answer, compared: Compared, factors: Collection[str], compared_pools: Compared
) -> Iterator[str]:
    """Yield the plan's answers; blocks by criterion and judge; what was not planned; what is not compared and why.

    Means over judges are first, where items have several judges; `compared_pools` are their comparisons, `compared`
    those by judge.
    """
    labels = _Labels(answer, factors)
    if answer["synthetic"]:
        yield t("scores.synthetic")
    if not answer["rows"] and not answer["duels"]:
        yield _explain_no_rows(answer)
    yield from _format_conclusions(answer.get("conclusions", ()))
    comparisons = (*answer["comparisons"], *answer["blocked"], *answer["planned_without_scores"])
    has_plan = any(comparison.get("plan") for comparison in comparisons)
    if answer.get("conclusions") and (answer.get("pooled") or has_plan):
        yield ""
    yield from _format_pooled(answer, compared_pools, factors)
    yield from format_plan(answer, compared, labels.get_side)
    yield from _format_rows(answer, labels)
    yield from _format_reported(answer, labels)
    yield from _format_exploratory(answer, labels)
    if answer["comparisons"]:
        yield f"({t('scores.rounded')} {t('scores.shared_only')})"
    if answer["duels"]:
        yield "\nside by side"
    for duel in answer["duels"]:
        yield f"  {_format_duel(duel, labels)}"
    yield from _format_ranking(answer["ranking"], labels)
    yield from _format_slices(answer.get("slices", ()), labels)
    yield from format_finding_costs(answer)
    yield from _format_costs(answer)
    yield from _format_sources(answer)


def _explain_no_rows(answer: Answer) -> str:
    if answer["aggregates"]:
        return "there are no scores by item: the files only report means, so nothing can be paired or tested"
    return (
        "there are no scores: no file here was recognised as a score file. Beside a "
        "readback.yml only the files under scores: are read; docs/scoring.md describes "
        "score files, and readback check says what is wrong with one"
    )


def _format_conclusions(conclusions: Collection[Answer]) -> Iterator[str]:
    """Yield the verdict under each criterion, as every page has it; then whether anybody looked at the prompts."""
    answered = [conclusion for conclusion in conclusions if conclusion["answer"]]
    for conclusion in answered:
        line = t("scores.conclusion", criterion=conclusion["criterion"], text=conclusion["answer"])
        if conclusion["a"] is not None:
            line = f"{t('scores.pair', a=conclusion['a'], b=conclusion['b'])} {line}"
        yield line.lstrip()
        if conclusion["verdict"] == IN_QUESTION:
            yield f"  {conclusion['sentence']}"
    if any(conclusion["verdict"] not in NOT_COMPARED for conclusion in answered):
        checked = any("provided" in conclusion["answer"] for conclusion in answered)
        yield t("scores.fair_not_checked" if checked else "scores.fair_no_prompts")


def _format_pooled(answer: Answer, compared: Compared, factors: Collection[str]) -> Iterator[str]:
    """Yield the same of means over judges: each item counts with the mean of its judges."""
    pooled = answer.get("pooled")
    if not pooled:
        return
    yield "each item counts with the mean of those who scored it; below that, each judge alone"
    with_judges = {
        key: [{**row, "judge": f"*{row['pool']}"} for row in pooled[key]]
        for key in ("rows", "comparisons", "blocked", "omnibus")
    }
    shared = {key: answer[key] for key in ("criteria", "criteria_order", "references")}
    pooled = {**pooled, **shared, **with_judges, "planned_without_scores": []}
    labels = _Labels(pooled, factors)
    yield from format_plan(pooled, compared, labels.get_side)
    yield from _format_rows(pooled, labels)
    yield from _format_exploratory(pooled, labels)
    yield "\neach judge alone"


# Rows.


def _format_rows(answer: Answer, labels: _Labels) -> Iterator[str]:
    positions = {name: position for position, name in enumerate(answer.get("criteria_order", ()))}
    references = answer.get("references", ())
    reference_conditions = [reference["condition"] for reference in references]
    groups = _group_by_heading(answer["rows"])
    for heading in sorted(groups, key=lambda heading: positions.get(heading[0], len(positions))):
        criterion, judge = heading
        rows = [row for row in groups[heading] if row["condition"] not in reference_conditions]
        rows = _sort_best_first(rows, answer["criteria"][criterion])
        scale = _format_scale(answer["criteria"][criterion], judge)
        yield f"\n{describe_scores(criterion, judge)} ({scale})"
        yield from _format_judges_agreement(answer, heading)
        factors = labels.list_unnamed_factors(heading)
        if factors:
            yield f"  conditions by {' · '.join(factors)}"
        for row in rows:
            yield f"  {_format_row(row, labels)}"
        # What a file states of these rows and leaves failures out of, or counts them in.
        beside_rows = answer.get("stated_beside_rows", {})
        for statement in (*beside_rows.get("leave_out", ()), *beside_rows.get("count_failures", ())):
            if (statement["criterion"], statement["judge"]) == heading:
                yield f"  {statement['sentence']}"
        yield from _format_narrow_intervals(rows)
        for row in groups[heading]:
            if row["condition"] in reference_conditions:
                reference = references[reference_conditions.index(row["condition"])]
                yield f"  {_format_reference(reference, labels.get_side(row, 'condition'))}"
                yield f"    {_format_row(row, labels)}"


def _format_judges_agreement(answer: Answer, heading: Heading) -> Iterator[str]:
    """Yield how far judges agree, below a heading that is of means over them."""
    for agreement in answer.get("agreement", ()):
        if (agreement["criterion"], f"*{agreement['pool']}") != heading:
            continue
        alpha = "is not defined"
        if agreement["alpha"] is not None:
            alpha = add_interval(format_number(agreement["alpha"]), agreement["interval"])
        yield fill(
            "  agreement: Krippendorff's alpha ({metric}) {alpha} on {n:,} {n:answer|answers}",
            metric=agreement["metric"],
            alpha=alpha,
            n=agreement["units"],
        )


def _format_narrow_intervals(rows: Sequence[Answer]) -> Iterator[str]:
    """Yield that intervals are too narrow, where one value holds most scores."""
    narrow = [row for row in rows if is_too_narrow(row["share_of_one"], row["method"])]
    if not narrow:
        return
    share = int(100 * CONCENTRATED)
    line = t("scores.concentrated", n=len(narrow), all=len(rows), share=share).removesuffix(".")
    if narrow[0]["interval_on_scale"]:
        line += "; on the whole scale it is right more often"
    yield f"  {line}"


def _sort_best_first(rows: Collection[Answer], criterion: Answer) -> list[Answer]:
    """Return the rows by their means, as the page has them; what has no mean is last."""
    if criterion["direction"] == "down":
        sign = 1
    else:
        sign = -1
    return sorted(rows, key=lambda row: (row["mean"] is None, sign * (row["mean"] or 0)))


def _format_reference(reference: Answer, name: str) -> str:
    if reference["by"] == "metric":
        return t("scores.apart_metric", name=name, metric=reference["criterion"], n=reference["n"])
    return t("scores.apart_answers", name=name, n=reference["n"])


def _format_row(row: Answer, labels: _Labels) -> str:
    facts = ["mean –" if row["mean"] is None else f"mean {format_number(row['mean'])}"]
    unscored = ", ".join(f"{row[state]:,} {name}" for state, name in STATES.items() if row[state])
    facts.append(f"n {row['n']} ({unscored})" if unscored else f"n {row['n']}")
    if "pool" in row:
        low, high = row["judges_fewest"], row["judges_most"]
        if low == high:
            each = str(low)
        else:
            each = f"{low} to {high}"
        facts.append(f"{row['judges']} {row['pool']}, {each} for each item")
    if row["interval"]:
        facts.append(f"{format_interval(row['interval'])} ({row['method']})")
    if row["interval_clustered"]:
        span = format_span(row["interval_clustered"])
        if row["design_effect"] is None:
            effect = ""
        else:
            effect = f", design effect {row['design_effect']:.2f}"
        facts.append(fill("with {n:,} {n:cluster|clusters} {span}", n=row["clusters"], span=span) + effect)
    elif row["interval"] and not row["interval_used"]:
        facts.append(
            fill("its {n:,} {n:cluster|clusters} are too few for an interval that counts them", n=row["clusters"])
        )
    if row["interval_on_scale"]:
        facts.append(f"on the whole scale {format_span(row['interval_on_scale'])}")
    return f"{labels.get_side(row, 'condition')}: {', '.join(facts)}"


def _format_scale(criterion: Answer, judge: str | None) -> str:
    """Return the scale, whether it was only inferred, and which way is better if it is not up."""
    has_ends = criterion["low"] is not None and criterion["high"] is not None
    text = str(criterion["scale"])
    if criterion["values"] and not (judge in POOLS and has_ends):
        text = ", ".join(f"{value:g}" for value in criterion["values"])
    elif has_ends:
        text = f"{criterion['low']:g} to {criterion['high']:g}"
    text = f"scale {text}"
    if criterion["inferred"]:
        text += ", inferred from the values"
    if criterion.get("outlying"):
        text += f"; {criterion['outlying']['sentence'].removesuffix('.')}"
    if criterion["direction"] == "down":
        text += "; lower is better"
    return text


# Comparisons.


def _format_exploratory(answer: Answer, labels: _Labels) -> Iterator[str]:
    if answer["omnibus"]:
        yield "\ndoes any condition differ?"
    for test in answer["omnibus"]:
        yield f"  {_format_omnibus(test)}"
    comparisons = [comparison for comparison in answer["comparisons"] if not comparison["planned"]]
    if comparisons:
        yield "\nexploratory comparisons, which were not planned"
    for comparison in comparisons:
        yield f"  {_format_comparison(comparison, labels)}"
    yield from (f"  {line}" for line in format_trade_offs(answer, comparisons, labels.get_side))
    if answer.get("comparisons_skipped"):
        yield f"\nnot compared: {answer['comparisons_skipped']}"
    blocked = [comparison for comparison in answer["blocked"] if not comparison["planned"]]
    if blocked:
        yield "\nmust not be compared"
    for comparison in blocked:
        scores = describe_scores(comparison["criterion"], comparison["judge"])
        yield f"  {labels.get_pair(comparison)}, {scores}: {comparison['why']}"


def _format_omnibus(test: Answer) -> str:
    facts = [
        fill(
            "{scores}: {n:,} {n:condition|conditions} on {items:,} {items:item|items} scored under all of them",
            scores=describe_scores(test["criterion"], test["judge"]),
            n=test["conditions"],
            items=test["items"],
        )
    ]
    if test["left_out"]:
        facts.append(fill("{n:,} {n:condition|conditions} left out", n=test["left_out"]))
    if test["clusters"]:
        facts.append(fill("by the means of {n:,} {n:cluster|clusters}", n=test["clusters"]))
    facts.append(f"{test['test']} p {test['p']:.2g}")
    return ", ".join(facts)


def _format_comparison(comparison: Answer, labels: _Labels) -> str:
    scores = describe_scores(comparison["criterion"], comparison["judge"])
    head = f"{labels.get_pair(comparison)}, {scores}"
    if comparison["difference"] is None:
        return f"{head}: no item is scored under both"
    line = fill(
        "{head}: {difference} on {n:,} shared {n:item|items}",
        head=head,
        difference=format_difference(comparison["difference"]),
        n=comparison["n_shared"],
    )
    if comparison["interval_used"]:
        interval = format_interval(comparison["interval_used"])
        if comparison["interval_clustered"]:
            interval = fill("{interval}, {n:,} {n:cluster|clusters}", interval=interval, n=comparison["clusters"])
        line += f" ({interval})"
    # The verdict with the conditions' names in place of their letters.
    names = {side: labels.get_side(comparison, side) for side in ("a", "b")}
    who = report.name_scorers(comparison["judge"] or "")
    verdict = t(f"scores.verdict_{comparison['verdict'].replace(' ', '_')}", who=who, **names)
    p = format_p(comparison)
    if p:
        verdict += f" ({p})"
    facts = [line, _format_wins(comparison), verdict]
    if comparison["verdict"] == "not separated" and comparison["smallest_detectable"]:
        smallest = f"{comparison['smallest_detectable']:.2g}"
        facts.append(f"the smallest difference this sample could show is about {smallest}")
    return f"{'; '.join(facts)}{format_caveats(comparison, labels.get_side)}"


def _format_wins(comparison: Answer) -> str:
    return f"{comparison['wins']:,} higher, {comparison['losses']:,} lower, {comparison['ties']:,} same"


def _format_duel(duel: Answer, labels: _Labels) -> str:
    """Return who won, the share of decisive outcomes, and whether it mattered which answer was first."""
    a, b = (labels.get_name(duel[side]) for side in ("a", "b"))
    outcomes = f"{a} {duel['wins_a']}, {b} {duel['wins_b']}, ties {duel['ties']} of {duel['n']}"
    if duel["judge"]:
        outcomes += f", judge {duel['judge']}"
    elif duel["judges"] > 1:
        outcomes += fill(", {n:,} {n:judge|judges}", n=duel["judges"])
    facts = [outcomes]
    if duel["share"] is not None:
        low, high = (100 * end for end in duel["interval"])
        facts.append(
            fill(
                (
                    "{a} won {share:.1f} % of {n:,} decisive {n:outcome|outcomes} (95 % interval {low:.1f} to "
                    "{high:.1f}, wilson), sign test p {p:.3g}"
                ),
                a=a,
                share=100 * duel["share"],
                n=duel["decisive"],
                low=low,
                high=high,
                p=duel["p"],
            )
        )
    if duel["first_known"]:
        if duel["first_p"] is None:
            p = ""
        else:
            p = f" (p {duel['first_p']:.3g})"
        facts.append(f"the answer shown first won {duel['first_wins']:,} of {duel['first_known']:,}{p}")
    if duel["swapped"]:
        facts.append(f"of {duel['swapped']:,} shown in both orders {duel['turned']:,} changed with the order")
    return "; ".join(facts)


def _format_ranking(ranking: Answer | None, labels: _Labels) -> Iterator[str]:
    if not ranking:
        return
    yield f"\nranking, the strongest first ({ranking['method']}; seed {ranking['seed']})"
    if not ranking["connected"]:
        yield "  some were never compared, not even through others, so their strengths cannot be compared"
    for contestant in ranking["contestants"]:
        line = f"{labels.get_name(contestant['condition'])}: strength {format_number(contestant['strength'])}"
        yield f"  {add_interval(line, contestant['interval'])}"


def _format_slices(slices: Sequence[Answer], labels: _Labels) -> Iterator[str]:
    if slices:
        field = slices[0]["field"]
        yield f"\nby {field}, exploratory: p is corrected by Benjamini and Hochberg over the values"
    for comparison in slices:
        if comparison["b"] is None:
            sides = labels.get_side(comparison, "a")
        else:
            sides = labels.get_pair(comparison)
        yield f"  {sides}, {describe_scores(comparison['criterion'], comparison['judge'])}"
        for row in comparison["values"]:
            yield f"    {_format_slice(row)}"
        if comparison["without"]:
            yield fill(
                "    {n:,} of {all:,} {all:item|items} have no {field}",
                n=comparison["without"],
                all=comparison["n"],
                field=comparison["field"],
            )


def _format_slice(row: Answer) -> str:
    if row["difference"] is None:
        line = fill(
            "{value}: mean {mean} on {n:,} {n:item|items}",
            value=row["value"],
            mean=format_number(row["mean_a"]),
            n=row["n"],
        )
        facts = [add_interval(line, row["interval"])]
    else:
        line = fill(
            "{value}: {difference} on {n:,} shared {n:item|items}",
            value=row["value"],
            difference=format_difference(row["difference"]),
            n=row["n"],
        )
        facts = [add_interval(line, row["interval"]), _format_wins(row)]
    if row["p"] is not None:
        facts.append(f"p {row['p']:.2g}, corrected {row['p_adjusted']:.2g}; {row['p_method']}")
    return "; ".join(facts)


# Reported means.


def _format_reported(answer: Answer, labels: _Labels) -> Iterator[str]:
    """Yield how many reported means agree with the rows beside them; then those without rows, by heading."""
    beside_rows = answer["stated_beside_rows"]
    if beside_rows["means"]:
        yield fill(
            "\nreported means that agree with the rows beside them: {n:,} of {all:,}",
            n=beside_rows["agree"],
            all=beside_rows["means"],
        )
    if beside_rows["not_recomputed"]:
        yield fill(
            "numbers of logs that are no plain means of rows, and so were not computed again: {names}",
            names=", ".join(f"{kind['name']} ({kind['n']:,})" for kind in beside_rows["not_recomputed"]),
        )
    means = answer["aggregates"]
    names = dict.fromkeys(name for mean in means for name in mean["condition"])
    if len(means) > 1:
        factors = _list_varying(means, tuple(names))
    else:
        factors = ()
    if means:
        head = "\nmeans that files report without rows; they are in no comparison and no test"
        yield f"{head}; conditions by {' · '.join(factors)}" if len(factors) > 1 else head
    order = list(dict.fromkeys(_get_heading(mean) for mean in means))
    for heading, group in groupby(sorted(means, key=lambda mean: order.index(_get_heading(mean))), key=_get_heading):
        yield f"  {describe_scores(*heading)}"
        yield from (
            f"    {labels.get_name(mean['condition'], factors)}: {_format_reported_mean(mean)}" for mean in group
        )


def _get_heading(row: Answer) -> Heading:
    return row["criterion"], row["judge"] or ""


def _format_reported_mean(row: Answer) -> str:
    """Return the mean as it was reported, with what the file says of it and what it lacks."""
    if row["mean"] is None:
        return str(row["state"])
    if row["decimals"] < 6:
        mean = f"{row['mean']:.{row['decimals']}f}"
    else:
        mean = f"{row['mean']:.6g}"
    is_percent = row["of"] == PERCENT
    if is_percent:
        mean = f"{mean} %"
    elif row["of"] is not None:
        mean = f"{mean} of {row['of']:g}"
    facts = [mean]
    if row["n"] is not None:
        facts.append(f"n {row['n']}" if row["count"] is None else f"{row['count']} of {row['n']}")
    if row["interval"] and row["method"]:
        facts.append(f"95 % interval {format_span(row['interval'], 1 if is_percent else 4)} ({row['method']})")
    line = ", ".join(facts)
    if row["cannot"]:
        line += f"; not in the file: {', '.join(MISSING_FACTS[name] for name in row['cannot'])}"
    return line


# Files.


def _format_costs(answer: Answer) -> Iterator[str]:
    """Yield a line for each condition and judge that cost something."""
    if answer["costs"]:
        yield "\ncost and tokens"
    for cost in answer["costs"]:
        sums = [f"{name} {amount:.6g}" for name, amount in cost["cost"].items()]
        sums += [f"{name} {count:,}" for name, count in cost["tokens"].items()]
        name = " · ".join(cost["condition"].values())
        if cost["judge"]:
            name += f" by {cost['judge']}"
        yield fill("  {name}: {sums}; {n:,} {n:row|rows}", name=name, sums=", ".join(sums), n=cost["rows"])


def _format_sources(answer: Answer) -> Iterator[str]:
    """Yield for each score file what it was taken for and what became of its rows."""
    if answer["sources"]:
        yield "\nfiles"
    for source in answer["sources"]:
        yield f"  {source['path']}: {source['what']}, {'; '.join(_describe_source(source))}"


def _describe_source(source: Answer) -> Iterator[str]:
    yield fill("{n:,} {n:row|rows}, {cells:,} {cells:score|scores}", n=source["rows"], cells=source["cells"])
    if source["refused"]:
        yield fill("{n:,} {n:row|rows} refused", n=source["refused"])
    yield from (f"left out: {count:,} {why}" for why, count in source["left_out"].items())
    if source["doubled"]:
        yield fill("{n:,} {n:score was|scores were} given twice", n=source["doubled"])
    if source["failures"]:
        yield f"failures: {', '.join(f'{group} {count}' for group, count in source['failures'].items())}"
    if source["texts_left"]:
        yield fill("{n:,} {n:diagnostic|diagnostics} of judges not kept in memory", n=source["texts_left"])
    unused = source["columns"].get("unused", ())
    if unused:
        names = ", ".join(name or "one without a name" for name in unused[:UNUSED_LISTED])
        more = len(unused) - UNUSED_LISTED
        yield f"columns not used: {names} and {more:,} more" if more > 0 else f"columns not used: {names}"
    costs = source["columns"].get("cost", ())
    if costs:
        yield f"cost: {', '.join(costs)}"


# Names of conditions.


class _Labels:
    """Name conditions by the factors that vary among the rows of the same criterion and judge."""

    def __init__(self, answer: Answer, factors: Collection[str]) -> None:
        self.factors = tuple(factors)
        groups = _group_by_heading(answer["rows"])
        self.row_counts = {heading: len(rows) for heading, rows in groups.items()}
        self.factors_by_heading = {heading: _list_varying(rows, self.factors) for heading, rows in groups.items()}

    def get_side(self, row: Answer, side: str) -> str:
        """Return the name of a side (a or b) of a comparison, or of the condition of a row."""
        return self.get_name(row[side], self.factors_by_heading.get((row["criterion"], row["judge"])))

    def get_pair(self, comparison: Answer) -> str:
        """Return the names of both sides of a comparison."""
        return f"{self.get_side(comparison, 'b')} against {self.get_side(comparison, 'a')}"

    def list_unnamed_factors(self, heading: Heading) -> tuple[str, ...]:
        """Return the factors whose names the rows leave out, because there are too many."""
        factors = self.factors_by_heading[heading]
        if len(factors) > FEW_FACTORS and self.row_counts[heading] > 1:
            return factors
        return ()

    def get_name(self, condition: Mapping[str, str], factors: Collection[str] | None = None) -> str:
        """Return the name of a condition by some factors (default: those that the command lists)."""
        if factors is None:
            factors = self.factors
        not_stated = t("scores.not_stated")
        values = {factor: value or not_stated for factor, value in condition.items() if factor in factors}
        if len(values) > FEW_FACTORS:
            return " · ".join(values.values())
        if list(values) == ["condition"]:
            return values["condition"]
        parts = [f"{factor} {value}" for factor, value in values.items()]
        return ", ".join(parts) or " ".join(condition.values()) or "all"


def _group_by_heading(rows: Collection[Answer]) -> dict[Heading, list[Answer]]:
    groups: dict[Heading, list[Answer]] = {}
    for row in rows:
        groups.setdefault((row["criterion"], row["judge"]), []).append(row)
    return groups


def _list_varying(rows: Collection[Answer], factors: Collection[str]) -> tuple[str, ...]:
    """Return those of `factors` that tell these rows apart; all of them where there is one row."""
    if len(rows) < 2:
        return tuple(factors)
    return tuple(name for name in factors if len({row["condition"].get(name) for row in rows}) > 1)

"""The sentence under each chart of Results, and the method, seed and rows behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import get_args

from readback.scores.comparing.comparison import Compared, Comparison, Omnibus, Verdict
from readback.scores.comparing.omnibus import run_omnibus_tests
from readback.scores.conclusion import AGAINST, BestOf
from readback.scores.counts import Counted
from readback.scores.drawn_pairs import Concluded, Pair
from readback.scores.sentences import report
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.scores.values.criteria import MINUS
from readback.types import Criterion
from readback.words import t

ALPHA = 0.05  # of the test over all conditions

MAIN = ("b is higher", "a is higher", "not separated")  # verdicts that are counted even where there are none


def distribution(table: ScoreTable, rows: Sequence[Row], criterion: Criterion) -> str:
    """One sentence on the spread: how often the best value is given, where most and where least."""
    scored = [row for row in rows if row.n]
    if not scored or not scored[0].distribution:
        return ""
    lowest = criterion.direction == "down"
    ends = dict.fromkeys(row.distribution[0 if lowest else -1][0] for row in scored)
    value = next(iter(ends))  # of a scale that is declared, or of the same ranges, the same for every row
    if len(ends) > 1:
        value = (min if lowest else max)(ends, key=float)
    shares = {row: dict(row.distribution).get(value, 0) / row.n for row in scored}
    high, low = max(scored, key=shares.__getitem__), min(scored[::-1], key=shares.__getitem__)
    measured = not criterion.values  # then the scale may go on beyond what was given
    if " to " in value:
        key = "best_range"
    elif measured and criterion.direction != "down":
        key = "highest"
    else:
        key = "best"
    best = t(f"scores.distribution_{key}")
    placeholders = {"best": best, "value": value.replace("-", MINUS)}
    if shares[high] == shares[low] and len(scored) != 2:
        n, everything = sum(round(shares[row] * row.n) for row in scored), sum(row.n for row in scored)
        return t("scores.distribution_same", n=n, all=everything, share=_percent(shares[high]), **placeholders)
    return t(
        "scores.distribution_two" if len(scored) == 2 else "scores.distribution_said",
        **placeholders,
        high=report.short(table, high.condition),
        high_n=round(shares[high] * high.n),
        high_all=high.n,
        high_share=_percent(shares[high]),
        low=report.short(table, low.condition),
        low_n=round(shares[low] * low.n),
        low_all=low.n,
        low_share=_percent(shares[low]),
    )


def _percent(share: float) -> str:
    """Return a share in whole percents; a share above none is at least 1, a share below all at most 99."""
    percent = round(100 * share)
    if percent == 0 < share:
        return "< 1"
    if percent == 100 and share < 1:
        return "> 99"
    return str(percent)


def differences(
    table: ScoreTable, compared: Compared, criterion: Criterion, fairness: Mapping[Pair, str] | None = None
) -> str:
    """Describe the differences, and where interval and test, or the tests together, disagree.

    `fairness` is that of the pairs of the first words, as `list_fairness` returns it.
    """
    comparisons = compared.comparisons
    if not comparisons:
        return t("scores.differences_blocked" if compared.blocked else "scores.differences_none")
    together = _together(table, comparisons[0]) if len(comparisons) > 1 else ()
    return " ".join(
        (describe_verdicts(table, comparisons, criterion, fairness or {}), *_at_odds(comparisons), *together)
    )


def describe_verdicts(
    table: ScoreTable,
    comparisons: Sequence[Comparison],
    criterion: Criterion,
    fairness: Mapping[Pair, str] | None = None,
) -> str:
    """Describe the differences in a sentence: counts of verdicts where several are against one baseline, the numbers
    where there is one, and of each pair with another baseline.
    """
    against = [comparison for comparison in comparisons if comparison.a == comparisons[0].a]
    other_pairs = [comparison for comparison in comparisons if comparison.a != comparisons[0].a]
    if len(against) == 1:
        other_pairs, against = [*against, *other_pairs], []
    sentences = []
    if against:
        counts = Counter(comparison.verdict for comparison in against)
        unsure = Counter(comparison.verdict for comparison in against if not report.is_clear(comparison))
        verdicts = []
        for name in get_args(Verdict):
            if not counts[name] and name not in MAIN:
                continue
            words = t(f"scores.differences_counts.{name.replace(' ', '_')}", k=counts[name])
            if report.FOUND[name] == "better" and unsure[name]:
                words = t("scores.differences_unsure", text=words, k=unsure[name])
            verdicts.append(words)
        baseline = report.short(table, against[0].a)
        sentences.append(t("scores.differences_said", baseline=baseline, n=len(against), found=", ".join(verdicts)))
    for comparison in other_pairs:
        kind = (fairness or {}).get(frozenset((comparison.a, comparison.b)), "")
        below = kind if kind in AGAINST else None
        sentences.append(report.sentence(comparison, partial(report.short, table), criterion, below))
    return " ".join(sentences)


def name_other_baseline(table: ScoreTable, compared: Compared, best: Concluded) -> str:
    """Return which condition the chart compares with, and which one the first words are about; "" where it is one."""
    if not isinstance(best, BestOf) or best.leader is None or not compared.comparisons:
        return ""
    baseline, about = report.short(table, compared.comparisons[0].a), report.short(table, best.leader.condition)
    return t("scores.other_baseline", baseline=baseline, best=about)


def drawn_moves(moved: Counted, *, in_steps: bool) -> str:
    """Return how many records a chart of moves draws as higher, lower and the same, where it draws ranges, or means at
    the nearest value of the scale (`in_steps`): fewer move there than have another score. "" where it draws each score.
    """
    if not in_steps and not any(" to " in name for name in moved.rows):
        return ""
    cells = [(j - i, n) for i, row in enumerate(moved.counts) for j, n in enumerate(row)]
    up, down = sum(n for step, n in cells if step > 0), sum(n for step, n in cells if step < 0)
    if in_steps:
        key = "scores.slope_rounded"
    else:
        key = "scores.slope_ranges"
    return t(key, up=up, down=down, same=moved.n - up - down)


def _at_odds(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Describe where an interval leaves no difference out and its test does not, or the other way round."""
    n = sum(comparison.at_odds for comparison in comparisons)
    if n:
        yield t("scores.at_odds", n=n) if len(comparisons) > 1 else t("scores.at_odds_here")
    if n := sum(comparison.adjusted_away for comparison in comparisons):
        yield t("scores.holm_only", n=n) if len(comparisons) > 1 else t("scores.holm_here")


def _together(table: ScoreTable, comparison: Comparison) -> Iterator[str]:
    """Whether any of the conditions differs, by one test over the questions scored under all of them."""
    if comparison.a in table.columns.conditions:
        by = None
    else:
        by = comparison.a[0][0]
    for omnibus in run_omnibus_tests(table, by, comparison.criterion, comparison.judge):
        placeholders = {
            "n": omnibus.conditions,
            "items": omnibus.items,
            "test": _test(omnibus),
            "p": report.p_text(omnibus.p),
        }
        if omnibus.clusters:
            over = t("scores.omnibus_clusters", n=omnibus.clusters)
        else:
            over = ""
        yield t("scores.omnibus_differ" if omnibus.p < ALPHA else "scores.omnibus_open", over=over, **placeholders)


def how(comparisons: Sequence[Comparison]) -> str:
    """Describe the method, seed and rows of the differences, in one small line."""
    if not comparisons:
        return ""
    methods = dict.fromkeys(comparison.span_method for comparison in comparisons if comparison.span_method)
    tests = dict.fromkeys(comparison.p_method for comparison in comparisons if comparison.p_method)
    seeds = dict.fromkeys(comparison.seed for comparison in comparisons if comparison.seed is not None)
    holm = " ".join(_families(comparisons))
    if seeds:
        seed = t("scores.seed", seed=", ".join(map(str, seeds)))
    else:
        seed = ""
    if not methods and not tests:
        return t("scores.differences_method_none", rows=sum(comparison.n_shared for comparison in comparisons))
    return t(
        "scores.differences_method",
        method=", ".join(methods) or "–",
        tests=", ".join(tests) or "–",
        holm=holm,
        seed=seed,
        rows=sum(comparison.n_shared for comparison in comparisons),
    )


def _families(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """For how many comparisons the p of each kind are corrected."""
    for kind, members in (
        ("planned", [comparison for comparison in comparisons if comparison.planned]),
        ("exploratory", [comparison for comparison in comparisons if not comparison.planned]),
    ):
        if members:
            yield t(f"scores.family_{kind}", n=max(comparison.family for comparison in members))


def counted(rows: Sequence[Row]) -> str:
    """How many scores a distribution is made of."""
    return t("scores.distribution_method", rows=sum(row.n for row in rows))


def of_means(rows: Sequence[Row]) -> str:
    """Describe the method of the intervals and the rows they are computed from."""
    methods = dict.fromkeys(row.method for row in rows if row.method)
    if any(row.interval_clustered for row in rows):
        over = t("scores.method_clustered")
    else:
        over = ""
    method = "; ".join(part for part in (", ".join(methods), over) if part) or t("scores.no_interval")
    return t("scores.means_method", method=method, rows=sum(row.n for row in rows))


def _test(omnibus: Omnibus) -> str:
    return t("scores.omnibus_test_friedman" if omnibus.test == "Friedman" else "scores.omnibus_test_cochran")

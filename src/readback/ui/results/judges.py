"""Draw how far the judges of a criterion agree, on Results: sentences, charts and tables, answer by answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup

from readback.scores import charts, counts
from readback.scores.agreement.corrected_rates import CorrectedRate
from readback.scores.agreement.judge_pairs import Pair, find_rated_units
from readback.scores.agreement.measures import Agreement, list_measurable, list_pairs, measure_agreement
from readback.scores.agreement.ratings import collect_ratings
from readback.scores.agreement.repeats import Flips
from readback.scores.sentences import report
from readback.scores.summary_row import Row
from readback.scores.table import ScoreTable
from readback.scores.values.criteria import MINUS, number
from readback.ui.common import show
from readback.ui.common.draw import downloads, exports, table
from readback.ui.common.draw.table import Column
from readback.ui.results import chart, choices, drilldown, means
from readback.ui.results.chart import Point, Target
from readback.ui.results.choices import View
from readback.ui.results.drilldown import format_address
from readback.words import t

DISPUTED = 50  # answers that are listed
Names = tuple[str, str]  # of two judges
Table = tuple[tuple[Column, ...], list[Mapping[str, Any]]]


def draw_agreement(scored: ScoreTable, view: View) -> None:
    """Draw the agreement on the criterion in view, over all its judges."""
    measurement = measure_agreement(scored, view.criterion.name)
    if not measurement.pairs:
        show.draw(show.h("<p>{}</p>", t("scores.agreement_none")))
    else:
        sentence, method = _format_alpha(measurement), _format_method(measurement)
        show.draw(show.h('<p class="rb-said">{}</p><p class="rb-small">{}</p>', sentence, method))
        _draw_corrected(scored, measurement)
        _draw_confusion(scored, measurement)
        _draw_kappas(measurement)
        table.table("judge_pairs", *_tabulate_pairs(measurement.pairs), caption=t("scores.agreement_pairs"))
        _draw_pair_download(scored, measurement)
        if view.baseline:  # else it is the first picture of the page
            _draw_leniency(measurement)
        _draw_leniency_table(measurement)
        _draw_conditions(scored, measurement)
        title = t("scores.agreement_disputed")
        st.header(title, anchor=False)
        table.table("disputed", *_tabulate_disputed(scored, measurement), caption=title)
    if measurement.flips:
        st.header(t("scores.agreement_repeats"), anchor=False)
        show.draw(show.join([show.h("<p>{}</p>", _format_flips(flips)) for flips in measurement.flips]))


def draw_first(scored: ScoreTable, view: View) -> None:
    """Draw the judges of the only condition beside each other, where differences of conditions would be."""
    if view.criterion.name in list_measurable(scored):
        _draw_leniency(measure_agreement(scored, view.criterion.name))


def draw_answers(scored: ScoreTable, view: View) -> None:
    """Draw the answers behind a cell of the matrix, with both judges' values; for the open drill-down."""
    parts = drilldown.read_drilldown()
    value, second_value = parts.get("value", ""), parts.get("and", "")
    pair = _find_pair(measure_agreement(scored, view.criterion.name), st.query_params.get("pair", ""))
    if pair is None:
        return
    title = t(
        "scores.agreement_behind",
        first=_name_judge(pair[0]),
        a=value.replace("-", MINUS),
        second=_name_judge(pair[1]),
        b=second_value.replace("-", MINUS),
    )
    drilldown.draw_heading(title)
    rows = _tabulate_answers(scored, view.criterion.name, pair, value, second_value)
    table.table("confused", *rows, caption=title)
    drilldown.draw_close_button()


def _format_alpha(measurement: Agreement) -> str:
    alpha = measurement.alpha.get(measurement.headline)
    values = {
        "metric": measurement.headline,
        "units": measurement.units,
        "ratings": measurement.ratings,
        "judges": len(measurement.judges),
        "disagreed": measurement.disagreed,
    }
    if alpha is None:
        return t("scores.agreement_undefined", **values)
    return t(
        "scores.agreement_said", alpha=report.signed(alpha), interval=_format_interval(measurement.interval), **values
    )


def _format_method(measurement: Agreement) -> str:
    if measurement.alpha.get(measurement.headline) is None:
        return t("scores.agreement_how_none", single=measurement.single)
    alphas = ", ".join(f"{name} {report.signed(value)}" for name, value in measurement.alpha.items())
    seed = "–" if measurement.seed is None else measurement.seed
    return t(
        "scores.agreement_how", alphas=alphas, single=measurement.single, method=measurement.method or "–", seed=seed
    )


def _draw_confusion(scored: ScoreTable, measurement: Agreement) -> None:
    """Draw what two judges took for what; which two is a choice, where there are more."""
    pairs: dict[str, Names] = {}
    first = measurement.confusion
    if first is not None:
        pairs[_format_pair((first.a, first.b))] = (first.a, first.b)
    for pair in measurement.pairs:
        if first is None or (pair.a, pair.b) != (first.b, first.a):
            pairs.setdefault(_format_pair((pair.a, pair.b)), (pair.a, pair.b))
    chosen = choices.pick_option("pair", t("scores.agreement_pair"), tuple(pairs), str, 480)
    if chosen not in pairs:
        return
    confusion = measure_agreement(scored, measurement.criterion.name, pair=pairs[chosen]).confusion
    if confusion is None:
        return
    cells = confusion.table
    values = tuple(number(value) for value in confusion.values)
    counted = counts.Counted((confusion.a, confusion.b), values, values, cells)
    figure = charts.draw_confusion(counted, choices.say, choices.is_dark())

    def find_target(point: Point) -> Target | None:
        places = chart.read_places(point)
        if len(places) < 2 or not cells[places[0]][places[1]]:
            return None
        return {"of": drilldown.EVERY, "value": values[places[0]], "and": values[places[1]], "under": "more"}

    same = sum(cells[index][index] for index in range(len(values)))
    if counted.n:
        share = 100 * same / counted.n
    else:
        share = 0.0
    names = {"a": _name_judge(confusion.a), "b": _name_judge(confusion.b)}
    sentence = t("scores.confusion_said", same=same, all=counted.n, share=share, **names)
    chart.draw_chart("more", figure, sentence, t("scores.confusion_how", rows=counted.n), find_target)


def _draw_kappas(measurement: Agreement) -> None:
    """Draw every pair in one picture, from three judges on; a cell chooses its pair."""
    by_names = {frozenset((pair.a, pair.b)): pair for pair in measurement.pairs if pair.kappa is not None}
    judges = list(dict.fromkeys(name for pair in by_names.values() for name in (pair.a, pair.b)))
    if len(judges) < 3:
        return
    grid = []
    for a in judges:
        pairs_of_row = [by_names.get(frozenset((a, b))) for b in judges]
        grid.append([pair.kappa if pair is not None else None for pair in pairs_of_row])
    figure = charts.draw_kappas(grid, list(map(_name_judge, judges)), choices.say, choices.is_dark())

    def find_target(point: Point) -> Target | None:
        places = chart.read_places(point)
        if len(places) < 2:
            return None
        pair = by_names.get(frozenset((judges[places[0]], judges[places[1]])))
        if pair is None:
            return None
        return {"pair": _format_pair((pair.a, pair.b))}

    pairs = list(by_names.values())
    low, high = min(pairs, key=_get_kappa), max(pairs, key=_get_kappa)
    sentence = t(
        "scores.kappas_said",
        n=len(pairs),
        low_a=_name_judge(low.a),
        low_b=_name_judge(low.b),
        low=report.signed(low.kappa),
        high_a=_name_judge(high.a),
        high_b=_name_judge(high.b),
        high=report.signed(high.kappa),
    )
    weights = t(f"scores.kappa_{high.weights or 'none'}")
    sizes = [pair.n for pair in pairs]
    method = t("scores.kappas_how", weights=weights, low=min(sizes), high=max(sizes))
    chart.draw_chart("kappas", figure, sentence, method, find_target)


def _get_kappa(pair: Pair) -> float:
    return pair.kappa or 0.0


def _draw_leniency(measurement: Agreement) -> None:
    if not measurement.leniency:
        return
    st.header(t("scores.agreement_leniency"), anchor=False)
    rows = []
    for judge in sorted(measurement.leniency, key=lambda judge: -judge.mean):
        key = (("judge", judge.judge),)
        interval = judge.mean_interval
        rows.append(Row(key, measurement.criterion.name, judge.judge, judge.n, 0, 0, 0, judge.mean, (), interval))
    figure = charts.draw_leniency(rows, measurement.criterion, choices.say, choices.is_dark())
    high = max(measurement.leniency, key=lambda judge: judge.deviation)
    low = min(measurement.leniency, key=lambda judge: judge.deviation)
    up, down = report.plus(high.deviation), report.plus(low.deviation)
    if up == down:
        sentence = t("scores.leniency_same")
    else:
        sentence = t(
            "scores.leniency_said",
            high=_name_judge(high.judge),
            up=up,
            up_span=_format_interval(high.interval),
            up_n=high.n,
            low=_name_judge(low.judge),
            down=down,
            down_span=_format_interval(low.interval),
            down_n=low.n,
        )

    def find_target(point: Point) -> Target | None:
        row = chart.read_row(point, len(rows))
        if row is None:
            return None
        return {"of": drilldown.EVERY, "scored_by": rows[row].judge, "under": "more"}

    method = t("scores.leniency_how", rows=sum(row.n for row in rows))
    chart.draw_chart("leniency", figure, sentence, method, find_target)


def _draw_leniency_table(measurement: Agreement) -> None:
    if measurement.leniency:
        table.table("leniency", *_tabulate_leniency(measurement), caption=t("scores.agreement_leniency"))


def _draw_conditions(scored: ScoreTable, measurement: Agreement) -> None:
    """Draw where the judges agree least and most."""
    conditions = [condition for condition in measurement.conditions if condition.alpha is not None]
    if len(conditions) < 2:
        return
    title = t("scores.agreement_conditions")
    st.header(title, anchor=False)
    low = min(conditions, key=lambda condition: condition.alpha or 0.0)
    high = max(conditions, key=lambda condition: condition.alpha or 0.0)
    sentence = t(
        "scores.agreement_condition_said",
        low=report.short(scored, low.condition),
        low_n=low.units,
        low_alpha=report.signed(low.alpha),
        high=report.short(scored, high.condition),
        high_n=high.units,
        high_alpha=report.signed(high.alpha),
    )
    show.draw(show.h("<p>{}</p>", sentence))
    table.table("agreement_conditions", *_tabulate_conditions(scored, measurement), caption=title)


def _find_pair(measurement: Agreement, address: str) -> Names | None:
    """Return the two judges that the address names, else those whose matrix is shown first."""
    for pair in measurement.pairs:
        for names in ((pair.a, pair.b), (pair.b, pair.a)):
            if _format_pair(names) == address:
                return names
    if measurement.confusion:
        return (measurement.confusion.a, measurement.confusion.b)
    return None


# How far a judge can be trusted alone: its rate corrected by a person's labels, and its flips.


def _draw_corrected(scored: ScoreTable, measurement: Agreement) -> None:
    """Draw what a person would have passed, where a person labelled."""
    if not measurement.corrected:
        return
    sentences = [_format_rate(rate) for rate in measurement.corrected if rate.condition is None]
    show.draw(show.join([show.h('<p class="rb-said">{}</p>', sentence) for sentence in sentences]))
    show.draw(show.h('<p class="rb-small">{}</p>', t("scores.corrected_how")))
    table.table("corrected", *_tabulate_corrected(scored, measurement), caption=t("scores.corrected"))


def _format_rate(rate: CorrectedRate) -> str:
    values = {
        "judge": _name_judge(rate.judge),
        "person": rate.person,
        "seen": 100 * rate.pass_rate,
        "n": rate.n,
        "labelled": rate.positives + rate.negatives,
    }
    if rate.rate is None:
        return t("scores.corrected_not", **values)
    low, high = rate.interval or (rate.rate, rate.rate)
    return t("scores.corrected_said", rate=100 * rate.rate, low=100 * low, high=100 * high, **values)


def _format_flips(flips: Flips) -> str:
    counts_by_name = {"n": flips.answers, "flipped": flips.flipped, "share": 100 * flips.rate}
    sentence = t("scores.agreement_flips", judge=_name_judge(flips.judge), **counts_by_name)
    if flips.judge_variance is None or flips.answer_variance is None:
        return sentence
    total = flips.judge_variance + flips.answer_variance
    if not total:
        return sentence
    return f"{sentence} {t('scores.agreement_own_spread', share=100 * flips.judge_variance / total)}"


# The tables; an answer is a drill-down to its record.


def _draw_pair_download(scored: ScoreTable, measurement: Agreement) -> None:
    """Draw which raters' pairs are listed, where not all, and a download of all."""
    if not measurement.judges_left:
        return
    sentence = t("scores.agreement_left", n=measurement.raters - measurement.judges_left, all=measurement.raters)
    show.draw(show.h('<p class="rb-small">{}</p>', sentence))
    criterion = measurement.criterion.name
    downloads.button(
        t("scores.agreement_all"),
        lambda: table.as_csv(*_tabulate_pairs(list_pairs(scored, criterion))),
        f"{exports.name('agreement', criterion)}.csv",
        "text/csv",
        key="all_pairs",
        on_click="ignore",
    )


def _tabulate_pairs(pairs: Sequence[Pair]) -> Table:
    """Return every two judges: how often they give the same value, kappa and alpha."""
    rows: list[Mapping[str, Any]] = []
    for pair in pairs:
        names = {"a": _name_judge(pair.a), "b": _name_judge(pair.b)}
        rows.append({**names, "n": pair.n, "exact": pair.exact, "kappa": pair.kappa, "alpha": pair.alpha})
    columns = (
        Column("a", t("scores.judge")),
        Column("b", t("scores.agreement_other")),
        Column("n", t("scores.n_title"), number=True),
        Column("exact", t("scores.agreement_exact"), number=True, show=lambda row: _format_share(row["exact"])),
        Column("kappa", t("scores.agreement_kappa"), number=True, show=lambda row: report.signed(row["kappa"])),
        Column("alpha", t("scores.agreement_alpha"), number=True, show=lambda row: report.signed(row["alpha"])),
    )
    return columns, rows


def _tabulate_leniency(measurement: Agreement) -> Table:
    """Return each judge's mean on shared answers, and how far above that of the others it lies."""
    rows: list[Mapping[str, Any]] = []
    for judge in measurement.leniency:
        numbers = {"n": judge.n, "mean": judge.mean, "deviation": judge.deviation}
        rows.append({"judge": _name_judge(judge.judge), **numbers, **_split_span(judge.interval)})
    columns = (
        Column("judge", t("scores.judge")),
        Column("n", t("scores.n_title"), number=True),
        Column("mean", t("scores.mean"), number=True, show=lambda row: means.format_mean(row["mean"])),
        Column(
            "deviation",
            t("scores.agreement_deviation"),
            number=True,
            show=lambda row: report.plus(row["deviation"]),
        ),
        Column("low", t("scores.interval_title"), number=True, show=_format_span),
    )
    return columns, rows


def _tabulate_conditions(scored: ScoreTable, measurement: Agreement) -> Table:
    """Return alpha in each condition, the least agreement first; the condition is a drill-down to its scores."""
    rows: list[Mapping[str, Any]] = []
    for condition in sorted(measurement.conditions, key=lambda entry: (entry.alpha is None, entry.alpha or 0.0)):
        rows.append(
            {
                "condition": report.short(scored, condition.condition),
                "units": condition.units,
                "alpha": condition.alpha,
                "of": format_address(scored, condition.condition),
            }
        )
    columns = (
        Column("condition", t("scores.condition"), show=_link_scores),
        Column("units", t("scores.n_title"), number=True),
        Column("alpha", t("scores.agreement_alpha"), number=True, show=lambda row: report.signed(row["alpha"])),
    )
    return columns, rows


def _tabulate_corrected(scored: ScoreTable, measurement: Agreement) -> Table:
    """Return each judge's rate as it is and corrected, over all and in each condition."""
    rows: list[Mapping[str, Any]] = []
    for rate in measurement.corrected:
        name = t("scores.by_all")
        if rate.condition is not None:
            name = report.short(scored, rate.condition)
        rows.append(
            {
                "judge": _name_judge(rate.judge),
                "person": rate.person,
                "condition": name,
                "n": rate.n,
                "seen": rate.pass_rate,
                "positives": rate.positives,
                "negatives": rate.negatives,
                "sensitivity": rate.sensitivity,
                "specificity": rate.specificity,
                "rate": rate.rate,
                **_split_span(rate.interval),
            }
        )
    columns = (
        Column("judge", t("scores.judge")),
        Column("condition", t("scores.condition")),
        Column("n", t("scores.n_title"), number=True),
        Column("seen", t("scores.corrected_seen"), number=True, show=lambda row: _format_share(row["seen"])),
        Column("rate", t("scores.corrected_rate"), number=True, show=lambda row: _format_share(row["rate"])),
        Column("low", t("scores.interval_title"), number=True, show=_format_percent_span),
        Column("person", t("scores.corrected_person")),
        Column(
            "sensitivity",
            t("scores.corrected_sensitivity"),
            number=True,
            show=lambda row: _format_share_of(row["sensitivity"], row["positives"]),
            help=t("scores.corrected_sensitivity_help"),
        ),
        Column(
            "specificity",
            t("scores.corrected_specificity"),
            number=True,
            show=lambda row: _format_share_of(row["specificity"], row["negatives"]),
            help=t("scores.corrected_specificity_help"),
        ),
    )
    return columns, rows


def _tabulate_disputed(scored: ScoreTable, measurement: Agreement) -> Table:
    """Return the answers on which the judges disagree most, most disputed first."""
    rows: list[Mapping[str, Any]] = []
    for answer in measurement.disputed[:DISPUTED]:
        values = [f"{_name_judge(judge)}: {_format_value(value)}" for judge, value in answer.values]
        name = scored.label(answer.condition)
        rows.append({"item": answer.item, "condition": name, "spread": answer.spread, "values": ", ".join(values)})
    columns = (
        Column("item", t("scores.record"), show=_link_record),
        *_list_condition_column(scored),
        Column("spread", t("scores.agreement_spread"), number=True),
        Column("values", t("scores.agreement_values")),
    )
    return columns, rows


def _tabulate_answers(scored: ScoreTable, criterion: str, pair: Names, a: str, b: str) -> Table:
    """Return the answers to which two judges gave these values, as the matrix writes them."""
    rated = collect_ratings(scored, criterion)
    scale = scored.criteria[criterion].values or tuple(sorted(set(rated.value.tolist())))
    by_text = {number(value): value for value in scale}
    rows: list[Mapping[str, Any]] = []
    if a in by_text and b in by_text:
        for unit in find_rated_units(rated, pair, by_text[a], by_text[b]):
            item = scored.columns.items[rated.item[unit]]
            name = scored.label(scored.columns.conditions[rated.condition[unit]])
            rows.append({"item": item, "condition": name, "a": by_text[a], "b": by_text[b]})
    columns = (
        Column("item", t("scores.record"), show=_link_record),
        *_list_condition_column(scored),
        Column("a", _name_judge(pair[0]), number=True, show=lambda row: _format_value(row["a"])),
        Column("b", _name_judge(pair[1]), number=True, show=lambda row: _format_value(row["b"])),
    )
    return columns, rows


def _list_condition_column(scored: ScoreTable) -> tuple[Column, ...]:
    """Return the column of conditions, if there are several."""
    if len(scored.columns.conditions) > 1:
        return (Column("condition", t("scores.condition")),)
    return ()


def _link_record(row: Mapping[str, Any]) -> Markup:
    return drilldown.link_onward(row["item"], item=row["item"], arm=row["condition"])


def _link_scores(row: Mapping[str, Any]) -> Markup:
    return drilldown.link(row["condition"], of=row["of"], under="more")


def _format_pair(pair: Names) -> str:
    """Return how the address names two judges."""
    return " × ".join(map(_name_judge, pair))


def _name_judge(judge: str) -> str:
    return judge or t("scores.no_judge")


def _format_value(value: float) -> str:
    return number(value).replace("-", MINUS)


def _format_share(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{100 * value:.0f} %"


def _format_share_of(share: float | None, n: int) -> str:
    if share is None:
        return "–"
    return f"{100 * share:.0f} % ({round(share * n):,}/{n:,})"


def _split_span(span: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = span or (None, None)
    return {"low": low, "high": high}


def _format_interval(span: tuple[float, float] | None) -> str:
    if span is None:
        return t("scores.no_interval")
    return t("scores.interval", low=report.signed(span[0]), high=report.signed(span[1]))


def _format_span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=report.signed(row["low"]), high=report.signed(row["high"]))


def _format_percent_span(row: Mapping[str, Any]) -> str:
    if row["low"] is None:
        return "–"
    return t("scores.span", low=f"{100 * row['low']:.0f}", high=f"{100 * row['high']:.0f} %")

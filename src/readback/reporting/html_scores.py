"""The scores of a report as HTML: pictures beside their names, sentences, and the tables behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from readback.html import exact
from readback.reporting import pictures
from readback.words import t

Values = Mapping[str, Any]
VALUES = 5  # the column of the spread's table with which the values of the scale begin
HEADS = ("condition", "n_title", "mean", "chart_low", "chart_high", "failed", "missing", "na")
DIGITS = 4  # of a number in a table; JSON has it as it is


def section(made: Values) -> str:
    """The whole section."""
    parts = [_line(t("report.synthetic"), "warning")] if made["synthetic"] else []
    parts += [_line(t("report.scores_earlier"), "warning")] if made["earlier"] else []
    parts += [*map(_planned, made["planned"]), _spread(made)]
    parts += [_differences(made)] if made["differences"] else []
    parts += [_line(one) for one in made["left_out"]]
    parts.append(_table(t("report.all_rows"), *every_row(made["rows"])))
    return "".join(parts)


def _planned(one: Values) -> str:
    question = one["question"] or t("scores.pair", a=one["a"], b=one["b"])
    head = t("report.question", question=question, expected=one["expected"]) if one["expected"] else question
    lines = [_line(f"{one['criterion']}: {one['said']}"), _line(one["tested"] or "", "small")]
    if one["fair"] in ("unfair", "unknown"):
        lines.append(_line(t("report.fair_no" if one["fair"] == "unfair" else "report.fair_unknown"), "warning"))
    lines.append(_line(one["untouched"] or "", "small"))
    return f'<div class="entry"><h3>{_said(head)}</h3>{"".join(lines)}</div>'


def spread_title(made: Values) -> str:
    """Which criterion, and who scored it, where that is named."""
    key = "report.spread" if made["judge"] else "report.spread_alone"
    return t(key, criterion=made["criterion"], judge=made["judge"] or "")


def _spread(made: Values) -> str:
    there, title = made["spread"], spread_title(made)
    columns, rows = there["table"]["columns"], there["table"]["rows"]
    if there["kind"] == "steps":
        values = columns[VALUES:]
        key = "".join(
            f'<span class="small"><span class="key" style="--light:{light};--dark:{dark}"></span>{_said(value)}</span> '
            for (light, dark), value in zip(there["shades"], values, strict=True)
        )
        drawn = [pictures.shares(row[VALUES:], there["shades"], values) for row in rows]
        body = _drawn([columns[0], t("report.picture"), columns[1]], [(row[0], svg, [row[1]]) for row, svg in
                                                                     zip(rows, drawn, strict=True)], "")  # fmt: skip
        inner = f"<p>{key}</p>{body}{_table(t('report.numbers'), columns, rows)}"
        inner += _table(t("report.means"), there["means"]["columns"], there["means"]["rows"])
    else:
        inner = _means(made, columns, rows) + _table(t("report.numbers"), columns, rows)
    return _figure(title, there["said"], there["how"], inner)


def _means(made: Values, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    known = [value for row in rows for value in row[1:4] if value is not None]
    axis = pictures.around(known, made["low"], made["high"])
    drawn = []
    for row in rows:
        span = row[2:4] if row[2] is not None else None
        drawn.append((row[0], pictures.mark(axis, row[1], span, _number(row[1])), [row[1], row[5]]))
    heads = [columns[0], t("report.picture"), columns[1], columns[5]]
    return _drawn(heads, drawn, pictures.scale(axis, (axis.low, axis.high)))


def _differences(made: Values) -> str:
    there = made["differences"]
    columns, rows = there["table"]["columns"], there["table"]["rows"]
    known = [value for row in rows for value in row[1:4] if value is not None]
    margin = [there["margin"], -there["margin"]] if there["margin"] else []
    axis = pictures.about_zero([*known, *margin])
    drawn = []
    for row in rows:
        span = row[2:4] if row[2] is not None else None
        clear = span is not None and not span[0] <= 0 <= span[1]
        look = "open" if not clear else "higher" if (row[1] > 0) is (made["direction"] != "down") else "lower"
        drawn.append((row[0], pictures.mark(axis, row[1], span, _number(row[1]), look), [row[1], row[8], row[11]]))
    ticks = [one for one in (axis.low, 0.0, axis.high) if one == 0 or abs(one) > (axis.high - axis.low) / 4]
    heads = [columns[0], t("report.picture"), columns[1], columns[8], columns[11]]
    inner = _drawn(heads, drawn, pictures.scale(axis, ticks)) + _table(t("report.numbers"), columns, rows)
    title = t("report.differences", criterion=made["criterion"])
    return _figure(title, " ".join(there["said"]), f"{there['how']} {subtracted()}", inner)


def subtracted() -> str:
    """That a difference is not always that of the two means as they are written."""
    return f"{t('scores.rounded')} {t('scores.shared_only')}"


def every_row(rows: Sequence[Values]) -> tuple[list[str], list[list[Any]]]:
    """The table of every criterion and judge: its columns and its rows."""
    heads = [t(f"scores.{name}") for name in HEADS]
    heads[1:1] = [t("report.criterion"), t("report.judge")]
    body = []
    for one in rows:
        low, high = one["interval_used"] or (None, None)
        body.append([one["condition"], one["criterion"], one["judge"] or t("scores.no_judge"), one["n"], one["mean"],
                     low, high, one["failed"], one["missing"], one["not_applicable"]])  # fmt: skip
    return heads, body


# Pieces.


def _figure(title: str, said: str, how: str, inner: str) -> str:
    return f"<h3>{_said(title)}</h3>{_line(said)}{inner}{_line(how, 'small')}"


def _drawn(heads: Sequence[str], rows: Sequence[tuple[Any, str, Sequence[Any]]], scale: str) -> str:
    """A table whose second column are pictures; `scale` is the axis above them."""
    right = [any(isinstance(cells[at], int | float) for _, _, cells in rows) for at in range(len(heads) - 2)]
    top = "".join(
        f'<th scope="col"{_right(number)}>{_said(str(head))}{scale if at == 1 else ""}</th>'
        for at, (head, number) in enumerate(zip(heads, (False, False, *right), strict=True))
    )
    body = "".join(
        f'<tr><th scope="row">{_said(str(name))}</th><td class="picture">{svg}</td>{"".join(map(_cell, cells))}</tr>'
        for name, svg, cells in rows
    )
    return _wide(t("report.picture"), f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>")


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    numeric = [any(isinstance(row[at], int | float) for row in rows) for at in range(len(heads))]
    top = "".join(
        f'<th scope="col"{_right(right)}>{_said(str(head))}</th>' for head, right in zip(heads, numeric, strict=True)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    table = f"<caption>{_said(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody>"
    return _wide(caption, f'<table class="numbers">{table}</table>')


def _wide(name: str, table: str) -> str:
    """A table that a small window scrolls sideways, with the keys too."""
    return f'<div class="wide" tabindex="0" role="group" aria-label="{_said(name)}">{table}</div>\n'


def _cell(value: Any) -> str:
    number = value is None or isinstance(value, int | float)
    return f"<td{_right(number)}>{_said(cell(value))}</td>"


def cell(value: Any) -> str:
    """A value of a table as it is written."""
    return _number(value) if value is None or isinstance(value, int | float) else str(value)


def _number(value: float | None) -> str:
    if value is None:
        return "\u2013"
    return (f"{value:,}" if isinstance(value, int) else f"{value:.{DIGITS}g}").replace("-", "\u2212")


def _right(right: bool) -> str:
    return ' class="number"' if right else ""


def _line(words: str, look: str = "") -> str:
    attribute = f' class="{look}"' if look else ""
    return f"<p{attribute}>{_said(words)}</p>" if words else ""


def _said(words: str) -> str:
    return escape(exact.written_out(" ".join(words.split())))

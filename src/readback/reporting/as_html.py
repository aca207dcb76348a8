"""Write a report as one HTML file: no server, no network and no script is needed to read it, on paper or on a screen.

`page.html.jinja` is the page. Whatever people wrote is escaped there; `exact` keeps a text character for character.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from readback.html import directions, exact
from readback.reporting import pictures, seal, sentences, summary
from readback.review.decision_words import name_verdict
from readback.words import language, t

STYLE = Path(__file__).with_name("page.css")
FONT = Path(__file__).parents[1] / "ui" / "common" / "browser" / "fonts" / "inter-latin.woff2"
SIGNS = {
    "same": "✓",
    "stale": "✕",
    "evidence": "▲",
    "unread": "?",
    "changed": "✕",
    "unknown": "?",
    "fair": "✓",
    "unfair": "✕",
}  # a sign for each word, so that nothing depends on colour
PAGE = "page.html.jinja"
FIRST_VALUE = 5  # the column of the distributions with which the values of the scale begin
SHARED = (
    *("describe_version", "summarise", "describe_author", "describe_standing", "describe_fingerprint", "head_note"),
    *("describe_owner", "describe_answer", "describe_item_decision", "head_prompt", "describe_origin", "head_plan"),
    *("describe_excerpt", "describe_fairness", "head_spread", "describe_rounding", "list_score_rows", "format_cell"),
    *("list_fingerprint_rows", "list_file_rows", "describe_first_standing", "describe_grouped_change", "describe_why"),
    *("describe_first_rest", "describe_first_note", "head_decision", "cut"),
)  # functions of `sentences` that the page calls

Values = Mapping[str, Any]


def write_html(report: Values) -> bytes:
    """Return the whole file, sealed."""
    scores = report["scores"]
    forests, scale = _draw_forests(report)
    text = _load_page().render(
        report=report,
        language=language(),
        seal_name=seal.NAME,
        zeros=seal.ZEROS,
        holds_line=Markup(seal.format_holds(report["holds"])),  # noqa: S704 - it has no `<`
        style=Markup(_embed_font() + STYLE.read_text("utf-8")),  # noqa: S704 - our own files
        most={
            "questions": sentences.QUESTIONS,
            "changes": sentences.CHANGES,
            "decisions": sentences.DECISIONS,
            "names": sentences.NAMES,
            "notes": sentences.NOTES,
        },
        signs=SIGNS,
        forests=forests,
        scale=scale,
        spread=_draw_spread(scores) if scores else None,
        differences=_draw_differences(scores) if scores and scores["differences"] else None,
    )
    return seal.seal_text(directions.isolate_names(text))


@cache
def _load_page() -> jinja2.Template:
    """Return the page, ready to be filled."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=_write_words,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update({name: getattr(sentences, name) for name in SHARED})
    environment.globals.update(
        t=t,
        name_verdict=name_verdict,
        group_changes=summary.group_changes,
        exact=_keep_exact,
        is_number=_is_number,
        has_number=_has_number,
        split_marks=_split_marks,
        number_origins=_number_origins,
        count_characters=_count_characters,
    )
    return environment.get_template(PAGE)


def _write_words(value: Any) -> Any:
    """Return a value as the page prints it: words in one line, with what cannot be seen in them written out."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return exact.written_out(sentences.join_lines(value))
    return value


def _keep_exact(text: str) -> Markup:
    """Return a text as HTML that reads back as the same characters."""
    return Markup(exact.text(text))  # noqa: S704 - it is escaped there, character for character


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, int | float)


def _has_number(rows: Sequence[Sequence[Any]], column: int) -> bool:
    """Return whether a column of a table holds a number, so that it is set to the right."""
    return any(isinstance(row[column], int | float) for row in rows)


def _split_marks(excerpt: Values) -> Iterator[tuple[str, bool]]:
    """Yield the parts of an excerpt, each with whether it is marked."""
    text, at = excerpt["text"], 0
    for start, end in excerpt["marks"]:
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False


def _number_origins(prompt: Values) -> dict[str, int]:
    """Return the origins of a prompt's segments, numbered from 1 in the order of the text."""
    numbers: dict[str, int] = {}
    for message in prompt["messages"]:
        for segment in message["segments"]:
            numbers.setdefault(sentences.describe_origin(segment), len(numbers) + 1)
    return numbers


def _count_characters(message: Values) -> int:
    return sum(len(segment["text"]) for segment in message["segments"])


def _embed_font() -> str:
    """Return the font of the pages as a rule of style: the file is read where there is no network."""
    data = base64.b64encode(FONT.read_bytes()).decode()
    return (
        '@font-face { font-family: "Inter Variable"; font-weight: 100 900; font-style: normal; '
        f'src: url("data:font/woff2;base64,{data}") format("woff2"); }}\n'
    )


def _draw_forests(report: Values) -> tuple[list[list[tuple[str, Markup, str]]], Markup]:
    """Return the pictures of the first page: for each question its rows (name, picture, numbers); and their scale."""
    questions = report["summary"]["questions"][: sentences.QUESTIONS]
    rows = [row for question in questions for row in question["rows"]]
    if not rows:
        return [[] for _ in questions], Markup("")
    ends = [row[name] for row in rows for name in ("difference", "low", "high") if row[name] is not None]
    axis = pictures.fit_axis_about_zero(ends)
    direction = report["scores"]["direction"]
    forests = []
    for question in questions:
        drawn = []
        for row in question["rows"]:
            if row["low"] is not None:
                interval = (row["low"], row["high"])
            else:
                interval = None
            is_open = question["fair"] in ("unfair", "unknown")
            if is_open:
                look = "open"
            else:
                look = _look_of_difference(row["difference"], interval, direction)
            numbers = sentences.describe_numbers(row)
            svg = pictures.draw_mark(axis, row["difference"], interval, f"{row['name']}: {numbers}", look)
            drawn.append((row["name"], Markup(svg), numbers))  # noqa: S704 - `pictures` escapes
        forests.append(drawn)
    ticks = [tick for tick in (axis.low, 0.0, axis.high) if tick == 0 or abs(tick) > (axis.high - axis.low) / 4]
    return forests, Markup(pictures.draw_scale(axis, ticks))  # noqa: S704


# Pictures of scores: a table whose second column is drawn.


def _draw_spread(scores: Values) -> dict[str, Any]:
    """Return the table of distributions or means: `columns`, `rows` (name, picture, values), `scale`, `shades`."""
    spread = scores["spread"]
    columns, rows = spread["table"]["columns"], spread["table"]["rows"]
    if spread["kind"] == "steps":
        values = columns[FIRST_VALUE:]
        drawn = [(row[0], pictures.draw_shares(row[FIRST_VALUE:], spread["shades"], values), [row[1]]) for row in rows]
        shades = [(value, light, dark) for value, (light, dark) in zip(values, spread["shades"], strict=True)]
        return _make_table([columns[0], t("report.picture"), columns[1]], drawn, "", shades)
    numbers = [value for row in rows for value in row[1:4] if value is not None]
    axis = pictures.fit_axis(numbers, scores["low"], scores["high"])
    drawn = []
    for row in rows:
        if row[2] is not None:
            interval = row[2:4]
        else:
            interval = None
        picture = pictures.draw_mark(axis, row[1], interval, sentences.format_cell(row[1]))
        drawn.append((row[0], picture, [row[1], row[5]]))
    heads = [columns[0], t("report.picture"), columns[1], columns[5]]
    return _make_table(heads, drawn, pictures.draw_scale(axis, (axis.low, axis.high)))


def _draw_differences(scores: Values) -> dict[str, Any]:
    """Return the table of differences, as `_draw_spread` does."""
    differences = scores["differences"]
    columns, rows = differences["table"]["columns"], differences["table"]["rows"]
    numbers = [value for row in rows for value in row[1:4] if value is not None]
    if differences["margin"]:
        margin = [differences["margin"], -differences["margin"]]
    else:
        margin = []
    axis = pictures.fit_axis_about_zero([*numbers, *margin])
    drawn = []
    for row in rows:
        if row[2] is not None:
            interval = row[2:4]
        else:
            interval = None
        look = _look_of_difference(row[1], interval, scores["direction"])
        picture = pictures.draw_mark(axis, row[1], interval, sentences.format_cell(row[1]), look)
        drawn.append((row[0], picture, [row[1], row[8], row[11]]))
    ticks = [tick for tick in (axis.low, 0.0, axis.high) if tick == 0 or abs(tick) > (axis.high - axis.low) / 4]
    heads = [columns[0], t("report.picture"), columns[1], columns[8], columns[11]]
    return _make_table(heads, drawn, pictures.draw_scale(axis, ticks))


def _look_of_difference(difference: float, interval: Sequence[float] | None, direction: str | None) -> str:
    """Return how a difference is drawn: `open` where its interval holds zero, else whether it is better or worse."""
    if interval is None or interval[0] <= 0 <= interval[1]:
        return "open"
    is_better = (difference > 0) is (direction != "down")
    if is_better:
        return "higher"
    return "lower"


def _make_table(
    columns: Sequence[str],
    rows: Sequence[tuple[Any, str, Sequence[Any]]],
    scale: str,
    shades: Sequence[tuple[str, str, str]] = (),
) -> dict[str, Any]:
    drawn = [(str(name), Markup(svg), values) for name, svg, values in rows]  # noqa: S704 - `pictures` escapes
    return {
        "columns": columns,
        "rows": drawn,
        "cells": [values for _, _, values in rows],
        "scale": Markup(scale),  # noqa: S704
        "shades": shades,
    }

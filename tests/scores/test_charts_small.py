"""Charts stay small whatever they count, every text is large enough, and every colour reads on its ground."""

from __future__ import annotations

import json
import re
from itertools import pairwise, product
from typing import Any

import pytest
from chart_columns import list_columns

from readback.scores import charts
from readback.scores.charts import template
from readback.scores.comparing.comparison import Comparison
from readback.scores.summary_row import Row
from readback.scores.values.criteria import load_shipped_criteria
from readback.ui.results.choices import say

RELEVANCE = load_shipped_criteria()["relevance"]
FACTORS = {
    "query_expansion_mode": ("none", "decomposition", "variants"), "query_gen_prompt_level": ("naive", "advanced"),
    "initial_retrieval_k_docs": ("50", "100"), "first_step_ranker": ("both_concat", "both_fusion"),
    "context_words_limit": ("10000", "15000"), "rag_prompt_level": ("naive", "advanced"),
}  # fmt: skip
KEYS = [tuple(zip(FACTORS, values, strict=True)) for values in product(*FACTORS.values())]
LABELS = [" · ".join(f"{factor}={value}" for factor, value in key) for key in KEYS]
MOST = 50_000  # bytes of a figure


def rows(many: int) -> list[Row]:
    counts = (("-1", 100_000), ("0", 100_000), ("1", 300_000), ("2", 500_000))
    return [
        Row(key, "relevance", "j", 1_000_000, 3, 12, 0, 1.2, counts, interval=(1.1, 1.3), method="t")
        for key in KEYS[:many]
    ]


def compared(key: tuple[tuple[str, str], ...]) -> Comparison:
    """A difference with all that a row can say."""
    return Comparison(
        KEYS[0], key, "relevance", "j", 98, 2, 1, "not separated", difference=-0.123456, interval=(-0.31, 0.07),
        method="clustered t", wins=10, ties=70, losses=18,
    )  # fmt: skip


DRAWN = {
    "distribution": lambda many, dark: charts.draw_distribution(rows(many), LABELS[:many], RELEVANCE, say, dark),
    "means": lambda many, dark: charts.draw_means(rows(many), LABELS[:many], RELEVANCE, say, dark),
    "forest": lambda many, dark: charts.draw_forest(
        [compared(key) for key in KEYS[:many]], LABELS[:many], RELEVANCE, say, dark, baseline=LABELS[0]
    ),
    "wins": lambda many, dark: charts.draw_wins([(10, 80, 10)] * many, LABELS[:many], say, dark),
}


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("many", [2, 6, 96])
@pytest.mark.parametrize("dark", [False, True])
def test_a_chart_of_ninety_six_million_scores_stays_under_fifty_kilobytes(name: str, many: int, dark: bool) -> None:
    text = DRAWN[name](many, dark).figure.to_json()
    assert len(text.encode()) < MOST
    assert (
        min(
            float(size)
            for size in re.findall(r'"size":(\d+)[,}]', text.replace('"size":7', "").replace('"size":11', ""))
        )
        >= 14
    )


@pytest.mark.parametrize("name", DRAWN)
def test_many_rows_stand_in_columns_by_factor_with_nothing_cut(name: str) -> None:
    columns = list_columns(DRAWN[name](96, False).figure)[: len(FACTORS)]
    heads = [re.sub(r"<[^>]+>| ", "", column[0]) for column in columns]
    assert heads == list(FACTORS)
    assert [list(dict.fromkeys(column[1:])) for column in columns] == [list(values) for values in FACTORS.values()]


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("many", [2, 6, 30, 96])
def test_plotly_lays_the_columns_out_and_no_label_is_cut(name: str, many: int) -> None:
    layout = DRAWN[name](many, False).figure.layout
    axes = [layout[name] for name in layout if name.startswith("yaxis") and name != "yaxis"]
    assert all(axis.autoshift for axis in axes)
    assert layout.template.layout.yaxis.automargin
    texts = [text for axis in axes for text in axis.ticktext]
    assert texts
    assert not any("…" in text for text in texts)
    assert not [shape for shape in layout.shapes if shape.type == "rect"]  # nothing breaks the lines of the grid


def test_a_long_name_is_on_several_lines_and_all_rows_are_as_high() -> None:
    names = ["a plain name", "a name that somebody wrote to say everything there is to say of a condition, all of it"]
    low = charts.draw_means(rows(2), ["a", "b"], RELEVANCE, say).figure.layout.height
    figure = charts.draw_means(rows(2), names, RELEVANCE, say).figure
    first, second = list_columns(figure)[0]
    assert (first, second.replace("<br>", " ")) == tuple(names)
    assert second.count("<br>") == 2
    assert figure.layout.height - low >= 2 * (18.2 * 3 - 38)


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("many", [2, 6, 96])
def test_rows_never_overlap_and_the_height_grows_with_them(name: str, many: int) -> None:
    figure = DRAWN[name](many, False).figure
    places = {
        mark[0]: y
        for trace in figure.data
        if trace.customdata is not None
        for mark, y in zip(trace.customdata, trace.y, strict=True)
    }
    ys = [places[at] for at in sorted(places)]
    assert len(ys) == many
    assert min(b - a for a, b in pairwise(ys)) >= 1
    bottom, top = figure.layout.yaxis.range
    assert figure.layout.height >= 26 * (bottom - top)


@pytest.mark.parametrize("dark", [False, True])
def test_marks_have_three_to_one_and_texts_four_and_a_half(dark: bool) -> None:
    paper = template.PAPER[dark]
    for shade in charts.DARK if dark else charts.LIGHT:
        assert template.compute_contrast(shade, paper) >= 4.5  # what is written on a step has the colour of the paper
    for ink in (template.INK, template.SOFT, template.BETTER, template.WORSE, template.PLAIN):
        assert template.compute_contrast(ink[dark], paper) >= 4.5
    for share in range(101):
        for fill in (template.tint_blue(share / 100, dark), template.mix_shades(share / 100, dark)):
            assert template.compute_contrast(template.choose_ink(fill), fill) >= 4.5, (share, fill)


def test_the_toolbar_downloads_a_picture_and_nothing_else() -> None:
    made: dict[str, Any] = charts.build_toolbar_config("Wer gewinnt? ../x", "png")
    assert made["modeBarButtons"] == [["toImage"]]
    assert made["toImageButtonOptions"] == {"format": "png", "filename": "Wer-gewinnt-..-x", "scale": 2}
    assert json.dumps(made)

"""A chart for a page that is presented: larger in every length, the same in what it shows."""

from __future__ import annotations

from plotly.graph_objects import Bar, Figure

from readback.scores.charts import enlarge


def test_texts_margins_and_height_grow_and_what_is_shown_does_not() -> None:
    bar = Bar(x=[14, 28], y=[12.5, 50.5], width=24, orientation="h", customdata=[[0, 1], [1, 1]])
    figure = Figure(bar, {"height": 201, "margin": {"t": 40, "l": 121}, "font": {"size": 14}})
    figure.update_yaxes(ticklabelstandoff=8)
    figure.add_annotation(text="n", x=1, y=1, font={"size": 14})
    made = enlarge(figure, 1.5).to_dict()
    assert made["data"] == figure.to_dict()["data"]
    layout = made["layout"]
    assert (layout["height"], layout["margin"]["t"], layout["margin"]["l"], layout["font"]["size"]) == (
        302,
        60,
        182,
        21,
    )
    one = layout["annotations"][0]
    assert (one["x"], one["font"]["size"], layout["yaxis"]["ticklabelstandoff"]) == (1, 21, 12)
    assert figure.layout.height == 201

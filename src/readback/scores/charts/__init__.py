"""Draw charts of scores: counts in, a figure, its words and its table out; the axis is the criterion's own scale."""

from readback.scores.charts.chart import Chart, Say, find_axis_range
from readback.scores.charts.costs import draw_costs
from readback.scores.charts.distribution import draw_distribution, has_few_values
from readback.scores.charts.forest import draw_forest, find_difference_range, find_look
from readback.scores.charts.heat import draw_confusion, draw_heat, draw_joint, draw_kappas, draw_lengths
from readback.scores.charts.means import draw_effects, draw_leniency, draw_means
from readback.scores.charts.pairwise import draw_strengths, draw_wins
from readback.scores.charts.records import RECORDS, draw_dumbbells, draw_slope
from readback.scores.charts.template import (
    DARK,
    LIGHT,
    Step,
    build_toolbar_config,
    choose_ink,
    choose_steps,
    enlarge,
    tint_share,
)

__all__ = [
    "DARK",
    "LIGHT",
    "RECORDS",
    "Chart",
    "Say",
    "Step",
    "build_toolbar_config",
    "choose_ink",
    "choose_steps",
    "draw_confusion",
    "draw_costs",
    "draw_distribution",
    "draw_dumbbells",
    "draw_effects",
    "draw_forest",
    "draw_heat",
    "draw_joint",
    "draw_kappas",
    "draw_lengths",
    "draw_leniency",
    "draw_means",
    "draw_slope",
    "draw_strengths",
    "draw_wins",
    "enlarge",
    "find_axis_range",
    "find_difference_range",
    "find_look",
    "has_few_values",
    "tint_share",
]

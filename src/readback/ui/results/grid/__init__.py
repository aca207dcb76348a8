"""The grid of records: a row for each record, a column for each condition, with answers, scores and findings."""

from readback.ui.results.grid.page import draw as draw
from readback.ui.results.grid.page import draw_style as draw_style

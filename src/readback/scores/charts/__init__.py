"""Charts of scores: counts in, a figure, its words and its table out; the axis is the criterion's own scale."""

from readback.scores.charts._chart import Chart, Say, counted
from readback.scores.charts._chart import extent as span
from readback.scores.charts._costs import costs
from readback.scores.charts._distribution import distribution, in_steps
from readback.scores.charts._dumbbell import RECORDS, dumbbell
from readback.scores.charts._forest import forest
from readback.scores.charts._frame import NARROW, WIDE
from readback.scores.charts._heat import confusion, heat, joint, kappas
from readback.scores.charts._lengths import against_length
from readback.scores.charts._look import DARK, LIGHT, Step, steps
from readback.scores.charts._means import effects, leniency, means
from readback.scores.charts._slope import slope
from readback.scores.charts._strengths import strengths
from readback.scores.charts._wins import wins
from readback.scores.charts.config import toolbar
from readback.scores.charts.larger import larger

__all__ = [
    "DARK", "LIGHT", "NARROW", "RECORDS", "WIDE", "Chart", "Say", "Step", "against_length", "confusion",
    "costs", "counted", "distribution", "dumbbell", "effects", "forest", "heat", "in_steps", "joint", "kappas",
    "larger", "leniency", "means", "slope", "span", "steps", "strengths", "toolbar", "wins",
]  # fmt: skip

"""Marks of citations in a text, for rules: `[1]`, which count, and `[1, 2]`, `[1-3]`, `[#1]`, which do not."""

from readback.citations.marks import MARK as MARK
from readback.citations.marks import citations as citations
from readback.citations.marks import marks as marks
from readback.citations.marks import other_styles as other_styles

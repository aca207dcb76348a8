"""Provide marks of citations in a text to rules: `[1]`, which count, and `[1, 2]`, `[1-3]`, `[#1]`, which do not."""

from readback.citations.marks import MARK as MARK
from readback.citations.marks import find_context_marks as find_context_marks
from readback.citations.marks import find_marks as find_marks
from readback.citations.marks import find_other_styles as find_other_styles

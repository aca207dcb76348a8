"""A page with every nasty text as the Messages page draws them, each in an element of its own."""

import streamlit as st
from nasty import texts

from readback.html import exact
from readback.types import Segment
from readback.ui.common import show

show.style()
for number, text in enumerate(texts()):
    half = len(text) // 2
    segments = (Segment(text[:half], "template"), Segment(text[half:], "variable", "q"))
    marks = [exact.Mark(1, len(text) - 1, 1, "error", "a finding")] if len(text) > 4 else []
    st.html(f'<div class="nasty" id="n{number}">{exact.html(segments, marks, whitespace=number % 2 == 1)}</div>')

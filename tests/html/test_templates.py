"""Templates escape every value, and read no value that is not given."""

from __future__ import annotations

import jinja2
import pytest
from markupsafe import Markup

from readback.html.templates import render_template

NAME = "ui/results/not_compared.html.jinja"


def test_values_are_escaped_and_markup_stays() -> None:
    entries = [("<script>alert(1)</script>", Markup("<b>why</b>"))]
    text = render_template(NAME, t=lambda key: key, entries=entries)
    assert isinstance(text, Markup)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<b>why</b>" in text


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render_template(NAME, t=lambda key: key)

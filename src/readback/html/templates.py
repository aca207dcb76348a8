"""Fill the HTML templates that stand beside the code they are for; every value is escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

FOLDER = Path(__file__).parents[1]


def render_template(name: str, /, **values: Any) -> Markup:
    """Return a template with its values filled in; `name` is its path in the package: "ui/results/record.html.jinja".

    Markup values stay as they are. Raises jinja2.UndefinedError where the template reads a value that is not given.
    """
    return Markup(_load_environment().get_template(name).render(values))  # noqa: S704 - the values are escaped


@cache
def _load_environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

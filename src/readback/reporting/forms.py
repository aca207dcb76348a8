"""The three forms of a report by their names, and the one that a file's name asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from readback.reporting import as_html, as_json_text, as_markdown

FORMS: Mapping[str, Callable[[Mapping[str, Any]], bytes]] = {
    "html": as_html.write_html,
    "markdown": as_markdown.write_markdown,
    "json": as_json_text.write_json,
}
ENDINGS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".json": "json"}


def find_form(name: str) -> str:
    """Find the form that a file's name asks for; "" where its ending says nothing."""
    return ENDINGS.get(PurePath(name).suffix.lower(), "")

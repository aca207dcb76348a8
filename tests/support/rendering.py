"""A record, and a template rendered over it in this process: by our work, and by stock Jinja2."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import jinja2

from readback.prompts.render import Rendered, Template, make_rendered
from readback.prompts.render import jinja as render_jinja

RECORD = json.loads(
    json.dumps(
        {
            "query": "Q?",
            "n": 5,
            "one": "z",
            "empty": "",
            "xs": [1, 2, 3],
            "words": ["aa", "bb"],
            "pairs": [["ka", "va"], ["kb", "vb"]],
            "chunks": [
                {"url": "u1", "title": "t1", "context": "c1", "text": "x1", "s": [7, 8], "n": 1},
                {"url": "u2", "title": "t2", "text": "x2", "s": [9], "n": 2},
            ],
            "rag": {"contexts": ["ctx one", "ctx two"], "odd key": "odd"},
            "lower": "abc def",
            "pua": "\U000f0001\U000f0002",
            "pua2": "\U000f0001\U00100001",
        }
    )
)


def one(text: str, values: Any = RECORD, **options: Any) -> Rendered:
    """The template rendered in this process: the same work as in a cell, without the wait."""
    defaults = options.pop("defaults", {})
    template = Template(text, **options)
    cell_answer = next(
        render_jinja.work({"templates": [[text, template.blocks]], "values": values, "defaults": defaults})
    )
    return make_rendered(template, cell_answer)


def origins(text: str, **options: Any) -> list[tuple[str, str, str | None]]:
    return [(s.text, s.origin, s.name) for s in one(text, **options).segments]


ADDRESS = re.compile(r"0x[0-9a-f]{6,}")  # `{{ xs | map('upper') }}` prints a generator and where it lies


def steady(text: str | None) -> str | None:
    return text and ADDRESS.sub("0x", text)


def stock(text: str, values: Any, **options: Any) -> str | None:
    try:
        return jinja2.Environment(**options).from_string(text).render(copy.deepcopy(values))
    except Exception:
        return None

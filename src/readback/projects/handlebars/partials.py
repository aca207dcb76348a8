"""The partials that a Handlebars template names."""

from __future__ import annotations

from collections.abc import Iterator

from readback.projects.handlebars.nodes import Block, Call, Partial, Program
from readback.projects.handlebars.parser import parse_template


def list_partials(template: str) -> list[str]:
    """Return the names of the partials of a template, each once. Raises HandlebarsFault."""
    return list(dict.fromkeys(_walk(parse_template(template))))


def _walk(program: Program) -> Iterator[str]:
    for node in program.body:
        if isinstance(node, Partial):
            if not isinstance(node.name, Call):
                yield node.name.original
            if node.program is not None:
                yield from _walk(node.program)
        elif isinstance(node, Block):
            for stretch in (node.program, node.inverse):
                if stretch is not None:
                    yield from _walk(stretch)

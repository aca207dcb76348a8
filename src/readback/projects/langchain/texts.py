"""Templates in each of LangChain's three languages: which variables they have, and what fills them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import TemplateError, meta
from jinja2.sandbox import SandboxedEnvironment

from readback.projects.langchain import fields, mustache
from readback.projects.langchain.faults import Unfilled, Unloadable
from readback.projects.model import TextSegment

F_STRING, MUSTACHE, JINJA = "f-string", "mustache", "jinja2"
LANGUAGES = (F_STRING, MUSTACHE, JINJA)


def list_variables(template: str, language: str) -> list[str]:
    """Return the variables that a template needs, sorted; raises Unloadable for one that LangChain refuses."""
    if language == F_STRING:
        return fields.list_variables(template)
    if language == MUSTACHE:
        return mustache.list_variables(template)
    try:
        return sorted(meta.find_undeclared_variables(SandboxedEnvironment().parse(template)))
    except (TemplateError, RecursionError) as error:
        raise Unloadable(f"the template is not Jinja: {error or 'it has too many levels'}") from None


def fill(template: str, language: str, values: Mapping[str, Any]) -> list[TextSegment]:
    """Return the filled template in stretches; raises Unfilled. Call it in a bounded child."""
    if language == F_STRING:
        return fields.fill_fields(template, values)
    if language == MUSTACHE:
        try:
            return mustache.fill_mustache(template, dict(values))
        except Unloadable as fault:
            raise Unfilled(str(fault)) from None
    try:
        text = SandboxedEnvironment().from_string(template).render(**values)
    except RecursionError:
        raise Unfilled("the Jinja template has too many levels") from None
    except Exception as error:
        raise Unfilled(f"{type(error).__name__}: {error}") from None
    if text:
        return [TextSegment(text)]
    return []

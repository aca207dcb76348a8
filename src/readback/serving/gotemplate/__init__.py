"""Parse and execute Go's text/template as Ollama uses it, and list the names that a template mentions.

Templates of unknown origin are executed in the sandbox only: see `serving.ollama.model_input`.
"""

from readback.serving.gotemplate.evaluate import Limits
from readback.serving.gotemplate.execute import execute
from readback.serving.gotemplate.functions import GO, NAMES, build_functions
from readback.serving.gotemplate.names import find_calls, list_names
from readback.serving.gotemplate.nodes import TemplateFault, Tree
from readback.serving.gotemplate.parser import parse as _parse
from readback.serving.gotemplate.response import CRASH, append_response, cut_after_response

__all__ = [
    "CRASH",
    "GO",
    "Limits",
    "TemplateFault",
    "Tree",
    "append_response",
    "build_functions",
    "cut_after_response",
    "execute",
    "find_calls",
    "list_names",
    "parse",
]


def parse(text: str) -> Tree:
    """Return the tree of a template for Ollama. Raises TemplateFault with line and column."""
    return _parse(text, NAMES)

"""Go's text/template as Ollama uses it: read a template, carry it out, and know what it names.

No template of others is carried out here on trust: `serving.ollama.rendered` does so in the bounded child.
"""

from readback.serving.gotemplate.evaluate import Limits
from readback.serving.gotemplate.execute import execute
from readback.serving.gotemplate.functions import GO, NAMES, functions
from readback.serving.gotemplate.names import called, names
from readback.serving.gotemplate.nodes import TemplateFault, Tree
from readback.serving.gotemplate.parser import parse as _parse
from readback.serving.gotemplate.response import CRASH, cut, with_response

__all__ = [
    "CRASH", "GO", "Limits", "TemplateFault", "Tree", "called", "cut", "execute", "functions", "names", "parse",
    "with_response",
]  # fmt: skip


def parse(text: str) -> Tree:
    """The tree of a template for Ollama. Raises TemplateFault with line and column."""
    return _parse(text, NAMES)

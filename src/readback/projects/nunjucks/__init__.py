"""Nunjucks 3 without JavaScript: bounded in steps, levels and text, and an error for each construct it does not know.

`render` is all that others need. The sources of its rules are the behaviour of nunjucks 3.2.4 and its documentation;
tests/projects/test_nunjucks.py lists what that version gave. Expressions follow the precedence that the JavaScript has
which nunjucks compiles them to (`not a == b` compares `not a`).
"""

from readback.projects.nunjucks.fault import TemplateFault as TemplateFault
from readback.projects.nunjucks.interpreter import Chunk as Chunk
from readback.projects.nunjucks.interpreter import render as render
from readback.projects.nunjucks.parser import parse as parse

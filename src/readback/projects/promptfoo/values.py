"""The values of a row on their way into the template: files, one line break off, values inside values.

promptfoo replaces plain `{{name}}` inside values, at most five times over all of them; a text prompt then gets each
value rendered once by Nunjucks, unless it asks for a name that is not there. Stretches remember the innermost variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from readback.projects.javascript_text import LINE_ENDS, SPACES, UNDEFINED, format_value
from readback.projects.nunjucks import Chunk, TemplateFault, render
from readback.projects.nunjucks.members import expand_replacement

PASSES = 5
LONGEST = 8 << 20  # characters of a value after others are put into it
BLANK = f"[{SPACES}]"
PLACEHOLDER = re.compile(rf"\{{\{{{BLANK}*([A-Za-z0-9_]+){BLANK}*\}}\}}")
COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
USED = re.compile(
    rf"\{{\{{{BLANK}*([^{{}}{SPACES}|]+){BLANK}*(?:\|[^}}]+)?\}}\}}"
    rf"|\{{%{BLANK}*(?:if|for){BLANK}+([^{{}}{SPACES}]+){BLANK}*[^{LINE_ENDS}]*?%\}}"
)
LOOP = re.compile(rf"\{{%{BLANK}*for{BLANK}+([A-Za-z0-9_]+){BLANK}+in{BLANK}+([A-Za-z0-9_]+){BLANK}*%\}}")
ROOT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
RAW, END_RAW = "{% raw %}", "{% endraw %}"
WRAPPED = (re.compile(rf"\{{%{BLANK}*raw{BLANK}*%\}}"), re.compile(rf"\{{%{BLANK}*endraw{BLANK}*%\}}"))

Trace = list[Chunk]


def cut_line_break(value: Any) -> Any:
    """Remove one line feed from the end of a text."""
    if isinstance(value, str) and value.endswith("\n"):
        return value[:-1]
    return value


def fill_placeholders(variables: dict[str, Any]) -> dict[str, Trace]:
    """Put values into values, in place; return the stretches of each text."""
    traces = {name: [Chunk(value, name)] for name, value in variables.items() if isinstance(value, str)}
    for _ in range(PASSES):
        is_done = True
        for name in list(traces):
            match = PLACEHOLDER.search(variables[name])
            if match is None:
                continue
            inner = match.group(1)
            if variables.get(inner, UNDEFINED) is UNDEFINED:
                continue
            traces[name] = _replace(traces[name], match, inner, variables, traces)
            variables[name] = "".join(chunk.text for chunk in traces[name])
            if len(variables[name]) > LONGEST:
                raise TemplateFault(f"values inside values make a text of more than {LONGEST} characters", unknown=True)
            is_done = False
        if is_done:
            break
    return traces


def _replace(
    trace: Trace, match: re.Match[str], inner: str, variables: Mapping[str, Any], traces: Mapping[str, Trace]
) -> Trace:
    """Return the stretches of a value in which a placeholder became the value of a variable."""
    text, start, end = match.string, match.start(), match.end()
    value = format_value(variables[inner])
    written = expand_replacement(value, text, start, end - start)
    middle = [Chunk(written, inner)]
    if written == value and inner in traces:
        middle = list(traces[inner])
    return [*cut(trace, 0, start), *middle, *cut(trace, end, len(text))]


def cut(trace: Iterable[Chunk], start: int, end: int) -> Trace:
    """Return the stretches from one character to before another."""
    at, pieces = 0, []
    for chunk in trace:
        first, last = max(start - at, 0), min(end - at, len(chunk.text))
        if first < last:
            if chunk.offset is None:
                offset = None
            else:
                offset = chunk.offset + first
            pieces.append(Chunk(chunk.text[first:last], chunk.variable, offset))
        at += len(chunk.text)
    return pieces


def is_partial(text: str) -> bool:
    """Whether a tag is open at the end of a line: promptfoo then takes the whole text for plain."""
    for start, end in (("{%", "%"), ("{{", "}"), ("{#", "#")):
        at = text.find(start)
        while at >= 0:
            close = text.find(end, at + 2)
            if close >= 0:
                inside = text[at + 2 : close]
            else:
                inside = ""
            if close < 0 or any(sign in inside for sign in LINE_ENDS):
                return True
            at = text.find(start, at + 1)
    return False


def wrap_partial(text: str) -> tuple[str, int]:
    """Return a text, as it is to be kept where a tag in it is open, and how far its beginning moved."""
    if is_partial(text) and not all(pattern.search(text) for pattern in WRAPPED):
        return RAW + text + END_RAW, len(RAW)
    return text, 0


def asks_for_unknown(text: str, variables: Mapping[str, Any]) -> bool:
    """Whether a value uses a name that the row does not have; it then stays as it is."""
    text = COMMENT.sub("", text)
    names = {match.group(1) or match.group(2): None for match in USED.finditer(text)}
    for match in LOOP.finditer(text):
        names.pop(match.group(1), None)
        names[match.group(2)] = None
    roots = [root.group() for name in names if (root := ROOT.match(name))]
    return any(root != "env" and variables.get(root, UNDEFINED) is UNDEFINED for root in roots)


def render_values(
    variables: Mapping[str, Any], traces: Mapping[str, Trace], environment: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Trace]]:
    """Return the values as Nunjucks renders each of them with all others, and their stretches; raises TemplateFault."""
    rendered = dict(variables)
    traced = dict(traces)
    for name, value in variables.items():
        if not isinstance(value, str) or ("{" not in value and "#}" not in value):
            continue
        if asks_for_unknown(value, variables):
            continue
        template, shift = wrap_partial(value)
        chunks = render(template, variables, environment, traces)
        traced[name] = _trace_value(chunks, name, traces.get(name, []), shift)
        rendered[name] = "".join(chunk.text for chunk in chunks)
    return rendered, traced


def _trace_value(chunks: Iterable[Chunk], name: str, own: Trace, shift: int) -> Trace:
    """Return stretches with the variable they come from: what the value itself says keeps its own stretches."""
    trace: Trace = []
    for chunk in chunks:
        if chunk.variable is not None or chunk.offset is None:
            trace.append(Chunk(chunk.text, chunk.variable or name))
            continue
        start = chunk.offset - shift
        pieces = cut(own, start, start + len(chunk.text))
        is_same = "".join(piece.text for piece in pieces) == chunk.text
        trace.extend(pieces if is_same else [Chunk(chunk.text, name)])
    return trace

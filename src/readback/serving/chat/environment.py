"""In the sandbox: the Jinja environment in which transformers compiles and renders chat templates.

Source: `render_jinja_template` of huggingface/transformers 5 (Apache-2.0), whose settings these are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, LoopControlExtension
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace


class Raised(TemplateError):  # noqa: N818 - what the template says of itself, no error of ours
    """What a template refuses by itself, with `raise_exception`."""


class Generation(Extension):
    """The tag `{% generation %}`, which marks what the model wrote; its body is rendered where it is."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Macro) -> str:
        text: str = caller()
        return text


class Variables(Namespace):
    """What `namespace()` makes; a name that begins with an underscore is refused, as transformers does since 5."""

    def __init__(*args: Any, **values: Any) -> None:  # without a name for itself, so that `namespace(self=1)` works
        given = dict(*args[1:], **values)
        for name in given:
            _checked(name)
        Namespace.__init__(args[0], given)

    def __setitem__(self, name: str, value: Any) -> None:
        _checked(name)
        super().__setitem__(name, value)


def _checked(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace takes no name that begins with an underscore, as {name!r} does")


def environment(today: str | None, kind: type[ImmutableSandboxedEnvironment]) -> ImmutableSandboxedEnvironment:
    """The environment; `strftime_now` tells midnight of `today` (an ISO date), or the time it is where None."""
    env = kind(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, LoopControlExtension])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = _clock(today)
    env.globals["namespace"] = Variables
    return env


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON without Jinja's escapes for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message: Any) -> NoReturn:
    raise Raised(str(message))


def _clock(today: str | None) -> Callable[[str], str]:
    def strftime_now(format: str) -> str:  # noqa: A002 - the name it has in templates
        return (datetime.fromisoformat(today) if today else datetime.now()).strftime(format)

    return strftime_now

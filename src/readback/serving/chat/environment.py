"""Build the Jinja environment in which transformers compiles and renders chat templates, for use in the sandbox.

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


class TemplateRefusal(TemplateError):  # noqa: N818 - the template's own refusal, not an error of ours
    """Carry what a template refuses by itself, with `raise_exception`."""


class Generation(Extension):
    """Parse `{% generation %}`, which marks what the model wrote; its body is rendered in place."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        """Parse the tag up to its end."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Macro) -> str:
        text: str = caller()
        return text


class Variables(Namespace):
    """Hold what `namespace()` makes.

    A name that begins with an underscore is refused, as in transformers 5.
    """

    def __init__(*args: Any, **values: Any) -> None:  # without a name for itself, so that `namespace(self=1)` works
        variables = dict(*args[1:], **values)
        for name in variables:
            _check_name(name)
        Namespace.__init__(args[0], variables)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace takes no name that begins with an underscore, as {name!r} does")


def build_environment(today: str | None, kind: type[ImmutableSandboxedEnvironment]) -> ImmutableSandboxedEnvironment:
    """Return the environment.

    `strftime_now` gives midnight of `today` (an ISO date), or the current time if that is None.
    """
    env = kind(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, LoopControlExtension])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = _build_clock(today)
    env.globals["namespace"] = Variables
    return env


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return JSON without Jinja's escapes for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message: Any) -> NoReturn:
    """Refuse the messages, as a template asks."""
    raise TemplateRefusal(str(message))


def _build_clock(today: str | None) -> Callable[[str], str]:
    def strftime_now(format: str) -> str:  # noqa: A002 - the name it has in templates
        if today:
            moment = datetime.fromisoformat(today)
        else:
            moment = datetime.now()
        return moment.strftime(format)

    return strftime_now

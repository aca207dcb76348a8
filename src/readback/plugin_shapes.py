"""What a plugin of each group must have, and the sentence where it has not."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

AREA = "ext"  # with which the codes of plugins' rules begin, so that none is ever one of ours
CODE = re.compile(rf"{AREA}(-[a-z0-9]+)+")
ON = ("load", "workspace", "record", "assembly")
SEVERITIES = ("error", "warning", "info")
# Endings of files that are read as something else than records.
ELSEWHERE = (".yml", ".yaml", ".py", ".ipynb", ".jinja", ".jinja2", ".j2", ".gz")


class Unfit(Exception):  # noqa: N818 - an outcome to say, as StopIteration is
    """Why a plugin cannot be used; its text completes the sentence that it is left out."""


def key(group: str, value: Any) -> str:
    """What a plugin is known by: its code, its name, an adapter's path."""
    return str(value if group == "adapters" else value.CODE if group == "rules" else value.NAME)


def a_format(value: Any) -> None:
    """NAME, SUFFIXES, and rows with parse, or spool."""
    _text(value, "NAME")
    suffixes = getattr(value, "SUFFIXES", None)
    if not isinstance(suffixes, tuple | list) or not suffixes:
        raise Unfit("it has no SUFFIXES, a tuple of endings such as '.ini'")
    for suffix in suffixes:
        if not isinstance(suffix, str) or not re.fullmatch(r"\.[a-z0-9_-]+", suffix):
            raise Unfit(f"its SUFFIXES are not endings in small letters such as '.ini': {suffix!r}")
        if suffix in ELSEWHERE:
            raise Unfit(f"files that end in '{suffix}' are read as something else than records")
    if not callable(getattr(value, "spool", None)):
        _function(value, "rows")
        _function(value, "parse")


def a_dialect(value: Any) -> None:
    """NAME, KEYS, recognise and read."""
    _text(value, "NAME")
    keys = getattr(value, "KEYS", None)
    if not isinstance(keys, tuple | list) or not keys or not all(isinstance(one, str) and one for one in keys):
        raise Unfit("it has no KEYS, a tuple of keys of which such a configuration has one")
    _function(value, "recognise")
    _function(value, "read")


def a_rule(value: Any) -> None:
    """What a rule of Readback has, with a code that begins with `ext-`."""
    _text(value, "CODE")
    if not CODE.fullmatch(value.CODE):
        raise Unfit(f"its CODE is '{value.CODE}'; the code of a plugin's rule is {AREA}- and small words with hyphens")
    if getattr(value, "SEVERITY", None) not in SEVERITIES:
        raise Unfit(f"its SEVERITY is none of {_listed(SEVERITIES)}")
    on = getattr(value, "ON", None)
    if not all(one in ON for one in (on if isinstance(on, tuple) and on else (on,))):
        raise Unfit(f"what it looks at, ON, is none of {_listed(ON)}")
    for name in ("SENTENCE", "FIX", "__doc__"):
        _text(value, name)
    if on != "load":
        _function(value, "check")
    for name in ("PASS", "FAIL"):
        examples = getattr(value, name, None)
        if not isinstance(examples, tuple | list) or not all(isinstance(one, Mapping) for one in examples):
            raise Unfit(f"it has no {name}, a tuple of tiny workspaces: {{file: text}}")


def an_adapter(value: Any) -> None:
    """The path of a YAML file."""
    if not isinstance(value, str | os.PathLike):
        raise Unfit("it is not the path of a YAML file")
    if not Path(value).is_file():
        raise Unfit(f"there is no file {os.fspath(value)!r}")


def scores(value: Any) -> None:
    """NAME, recognise and tidy."""
    _text(value, "NAME")
    _function(value, "recognise")
    _function(value, "tidy")


SHAPES: Mapping[str, Callable[[Any], None]] = {
    "formats": a_format,
    "dialects": a_dialect,
    "rules": a_rule,
    "adapters": an_adapter,
    "scores": scores,
}


def _text(value: Any, name: str) -> None:
    if not isinstance(found := getattr(value, name, None), str) or not found.strip():
        raise Unfit("it has no docstring" if name == "__doc__" else f"it has no {name}, which is a text")


def _function(value: Any, name: str) -> None:
    if not callable(getattr(value, name, None)):
        raise Unfit(f"it has no function {name}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)

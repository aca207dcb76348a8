"""What other packages add to Readback by entry points: formats, dialects, rules, adapters and sources of scores.

An entry point of a group `readback.formats`, `readback.dialects`, `readback.rules`, `readback.adapters` or
`readback.scores` names what is added; docs/plugins.md says what each must have. A group is loaded once, when it is
asked for. What cannot be loaded, or has another shape or a name that is taken, is left out and said on standard error.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import astuple, dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from readback.folder import by as of_folder

# What a plugin of each group must have, and the sentence where it has not.

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


GROUPS = {"formats": "NAME", "dialects": "NAME", "rules": "CODE", "adapters": "", "scores": "NAME"}
OURS = {"formats": "readback.readers", "dialects": "readback.sources", "rules": "readback.checks.rules"} | {
    "scores": "readback.scores.files"
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point as a package states it. `folder` is where the package is installed."""

    group: str
    name: str
    value: str
    package: str
    version: str
    folder: str

    @property
    def description(self) -> str:
        """The plugin, its package and version, as sentences name it."""
        return f"plugin '{self.name}' of {self.package} {self.version}"


@dataclass(frozen=True, slots=True)
class Plugin:
    """What an entry point names, loaded: a module or another object of that shape, a path for an adapter."""

    entry: Entry
    value: Any


_refused: set[Entry] = set()  # what was left out and said
_told: str | None = None  # in the sandbox: what our parent has found, since its search path is not ours


def by(group: str) -> dict[str, Any]:
    """Readback's own modules of a group by name or code, then those of plugins."""
    return {**of_folder(OURS[group], GROUPS[group]), **{name: one.value for name, one in found(group).items()}}


@cache
def found(group: str) -> dict[str, Plugin]:
    """The plugins of a group by name or code, those of the package that comes first by name before others."""
    there: dict[str, Plugin] = {}
    for entry in entries():
        if entry.group != group:
            continue
        try:
            value = _loaded(entry)
            SHAPES[group](value)
            name = key(group, value)
            _no_clash(group, name, value, there)
        except Unfit as unfit:
            left_out(entry, str(unfit))
        else:
            there[name] = Plugin(entry, value)
    return there


@cache
def entries() -> tuple[Entry, ...]:
    """Every entry point of our groups, ordered by package and name."""
    if _told is not None:
        return tuple(Entry(*one) for one in json.loads(_told))
    return tuple(sorted(_stated(), key=lambda one: (one.package.casefold(), one.group, one.name)))


def _stated() -> Iterator[Entry]:
    """The entry points of every package on the search path; one whose list is broken takes no other's along."""
    from importlib.metadata import distributions  # not needed where nothing is asked for

    ours = {f"readback.{group}": group for group in GROUPS}
    seen: set[str] = set()
    for dist in distributions():
        try:
            points = [one for one in dist.entry_points if one.group in ours]
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            _say(f"the entry points of package {dist.name} cannot be read, so its plugins are left out ({said})")
            continue
        if points and dist.name not in seen:  # of a package that is there twice, Python imports the first
            seen.add(dist.name)
            about = (dist.name, str(dist.version), str(dist.locate_file("")))
            yield from (Entry(ours[one.group], one.name, one.value, *about) for one in points)


def for_a_child() -> str:
    """The entry points as a text for `take`, in a process that cannot look for them."""
    return json.dumps([astuple(one) for one in entries()])


def take(told: str) -> None:
    """In a process of the sandbox: the entry points are these, and their packages are looked for where they are."""
    global _told
    _told = told
    entries.cache_clear()
    for one in entries():
        if one.folder not in sys.path:
            sys.path.append(one.folder)


def find_entry(group: str, value: Any) -> Entry | None:
    """The entry point that brought a module of this group; None for Readback's own."""
    return next((one.entry for one in found(group).values() if one.value is value), None)


def author(code: str) -> str:
    """Who brought a rule: Readback, or a plugin."""
    plugin = found("rules").get(code)
    return plugin.entry.description if plugin else "Readback"


def whose(code: str) -> str:
    """Whose mistake it is that a rule failed."""
    return f"a mistake of {author(code)}" if code in found("rules") else "our mistake"


def left_out(entry: Entry, why: str) -> None:
    """Say once on standard error that a plugin is not used, and why; a child leaves that to its parent."""
    if entry not in _refused and _told is None:
        _say(f"{entry.description} (readback.{entry.group}) is left out: {why}")
    _refused.add(entry)


def is_left_out(entry: Entry) -> bool:
    """Whether that was said of it."""
    return entry in _refused


def failed(entry: Entry, error: Exception) -> str:
    """Why a plugin's work came to nothing, in words."""
    return f"{entry.description} failed: {_safe(f'{type(error).__name__}: {error}')}"


def tried(entry: Entry, work: Callable[[], bool]) -> bool:
    """What a plugin's `work` answers; no where it fails, which is said."""
    try:
        return bool(work())
    except Exception as error:
        _say(failed(entry, error))
        return False


def _loaded(entry: Entry) -> Any:
    module, _, attribute = entry.value.partition("[")[0].strip().partition(":")
    try:
        with redirect_stdout(sys.stderr):  # nothing but answers goes to standard output
            value: Any = import_module(module.strip())
        for name in attribute.split(".") if attribute.strip() else ():
            value = getattr(value, name.strip())
    except (Exception, SystemExit) as error:  # whatever somebody's module does
        raise Unfit(f"it cannot be loaded ({_safe(f'{type(error).__name__}: {error}')})") from None
    return value


def _no_clash(group: str, name: str, value: Any, there: Mapping[str, Plugin]) -> None:
    if group == "adapters":  # their names are known when their files are read
        return
    ours = of_folder(OURS[group], GROUPS[group])
    what = "code" if group == "rules" else "name"
    if name in ours or name in there:
        raise Unfit(f"the {what} '{name}' is taken by {'Readback' if name in ours else 'another plugin'}")
    if group == "formats":
        others = [*ours.values(), *(one.value for one in there.values())]
        taken = {suffix for one in others for suffix in one.SUFFIXES}
        if again := sorted(taken & set(value.SUFFIXES)):
            raise Unfit(f"the ending '{again[0]}' is that of another format")


def _say(sentence: str) -> None:
    print(f"readback: {_safe(sentence)}", file=sys.stderr)


def _safe(text: str) -> str:
    """On one line, without what a terminal would obey."""
    line = " ".join(text.split())
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in line)

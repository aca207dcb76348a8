"""Load what other packages add to Readback by entry points: dataset formats, rules and sources of scores.

An entry point of the group `readback.formats`, `readback.rules` or `readback.scores` names what is added;
docs/plugins.md says what each must have. A group is loaded once, when it is first needed. What cannot be loaded, has
another shape or a name that is taken is left out, and standard error says so with the reason.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import astuple, dataclass
from functools import cache
from importlib import import_module
from typing import Any

from readback.folder import by as load_folder

AREA = "ext"  # codes of plugins' rules begin with it, so that none is ever one of Readback's
CODE = re.compile(rf"{AREA}(-[a-z0-9]+)+")
ON = ("load", "workspace", "record", "assembly")
SEVERITIES = ("error", "warning", "info")
# Endings of files that are read as something else than records.
NOT_RECORDS = (".yml", ".yaml", ".py", ".ipynb", ".jinja", ".jinja2", ".j2", ".gz")
GROUPS = {"formats": "NAME", "rules": "CODE", "scores": "NAME"}  # and the constant that names a module of it
PACKAGES = {
    "formats": "readback.readers",
    "rules": "readback.checks.rules",
    "scores": "readback.scores.files.formats",
}  # with Readback's own modules of the group
REMOVED_GROUPS = {
    "adapters": "packages bring no adapters any more; name its YAML file under 'adapters:' in readback.yml",
    "dialects": "packages bring no dialects any more; write the prompts under 'modes:' in readback.yml",
}


class Unfit(Exception):  # noqa: N818 - an outcome to report, as StopIteration is
    """Say why a plugin cannot be used; the text completes the sentence that it is left out."""


def check_format(value: Any) -> None:
    """Require NAME, SUFFIXES, and either `rows` with `parse`, or `spool`. Raises Unfit."""
    _require_text(value, "NAME")
    suffixes = getattr(value, "SUFFIXES", None)
    if not isinstance(suffixes, tuple | list) or not suffixes:
        raise Unfit("it has no SUFFIXES, a tuple of endings such as '.ini'")
    for suffix in suffixes:
        if not isinstance(suffix, str) or not re.fullmatch(r"\.[a-z0-9_-]+", suffix):
            raise Unfit(f"its SUFFIXES are not endings in small letters such as '.ini': {suffix!r}")
        if suffix in NOT_RECORDS:
            raise Unfit(f"files that end in '{suffix}' are read as something else than records")
    if not callable(getattr(value, "spool", None)):
        _require_function(value, "rows")
        _require_function(value, "parse")


def check_rule(value: Any) -> None:
    """Require what a rule of Readback has, with a code that begins with `ext-`. Raises Unfit."""
    _require_text(value, "CODE")
    if not CODE.fullmatch(value.CODE):
        raise Unfit(f"its CODE is '{value.CODE}'; the code of a plugin's rule is {AREA}- and small words with hyphens")
    if getattr(value, "SEVERITY", None) not in SEVERITIES:
        raise Unfit(f"its SEVERITY is none of {_format_names(SEVERITIES)}")
    on = getattr(value, "ON", None)
    if isinstance(on, tuple) and on:
        targets = on
    else:
        targets = (on,)
    if not all(target in ON for target in targets):
        raise Unfit(f"what it looks at, ON, is none of {_format_names(ON)}")
    for name in ("SENTENCE", "FIX", "__doc__"):
        _require_text(value, name)
    if on != "load":
        _require_function(value, "check")
    for name in ("PASS", "FAIL"):
        examples = getattr(value, name, None)
        if not isinstance(examples, tuple | list) or not all(isinstance(files, Mapping) for files in examples):
            raise Unfit(f"it has no {name}, a tuple of tiny workspaces: {{file: text}}")


def check_score_source(value: Any) -> None:
    """Require NAME, recognise and tidy. Raises Unfit."""
    _require_text(value, "NAME")
    _require_function(value, "recognise")
    _require_function(value, "tidy")


SHAPES: Mapping[str, Callable[[Any], None]] = {
    "formats": check_format,
    "rules": check_rule,
    "scores": check_score_source,
}


def _require_text(value: Any, name: str) -> None:
    text = getattr(value, name, None)
    if not isinstance(text, str) or not text.strip():
        raise Unfit("it has no docstring" if name == "__doc__" else f"it has no {name}, which is a text")


def _require_function(value: Any, name: str) -> None:
    if not callable(getattr(value, name, None)):
        raise Unfit(f"it has no function {name}")


def _format_names(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point as a package declares it. `folder` is where the package is installed."""

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
    """What an entry point names, loaded: a module or another object of that shape."""

    entry: Entry
    value: Any


_refused: set[Entry] = set()  # plugins that were reported as left out
_parent_entries: str | None = None  # in the sandbox: what the parent found, since the search path differs here


def load_modules(group: str) -> dict[str, Any]:
    """Return the modules of a group by name or code: Readback's own, then those of plugins."""
    plugins = {name: plugin.value for name, plugin in load_plugins(group).items()}
    return {**load_folder(PACKAGES[group], GROUPS[group]), **plugins}


@cache
def load_plugins(group: str) -> dict[str, Plugin]:
    """Return the plugins of a group by name or code; of two with one name, that of the first package by name."""
    plugins: dict[str, Plugin] = {}
    for entry in list_entries():
        if entry.group != group:
            continue
        try:
            value = _import_value(entry)
            SHAPES[group](value)
            name = str(getattr(value, GROUPS[group]))
            _require_free_name(group, name, value, plugins)
        except Unfit as unfit:
            leave_out(entry, str(unfit))
        else:
            plugins[name] = Plugin(entry, value)
    return plugins


@cache
def list_entries() -> tuple[Entry, ...]:
    """Return every entry point of the groups of Readback, ordered by package and name.

    Those of a group that was removed are among them, and are left out.
    """
    if _parent_entries is not None:
        return tuple(Entry(*values) for values in json.loads(_parent_entries))
    entries = sorted(_find_entries(), key=lambda entry: (entry.package.casefold(), entry.group, entry.name))
    for entry in entries:
        if entry.group in REMOVED_GROUPS:
            leave_out(entry, REMOVED_GROUPS[entry.group])
    return tuple(entries)


def _find_entries() -> Iterator[Entry]:
    """Yield the entry points of every package on the search path; a broken list costs only its own package."""
    from importlib.metadata import distributions  # slow to import, and not needed where no group is loaded

    groups = {f"readback.{group}": group for group in (*GROUPS, *REMOVED_GROUPS)}
    packages: set[str] = set()
    for dist in distributions():
        try:
            points = [point for point in dist.entry_points if point.group in groups]
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            _print_error(
                f"the entry points of package {dist.name} cannot be read, so its plugins are left out ({reason})"
            )
            continue
        # Of a package that is installed twice, Python imports the first.
        if not points or dist.name in packages:
            continue
        packages.add(dist.name)
        folder = str(dist.locate_file(""))
        for point in points:
            yield Entry(groups[point.group], point.name, point.value, dist.name, str(dist.version), folder)


def export_entries() -> str:
    """Return the entry points as a text for `import_entries`, for a process that cannot search for them."""
    return json.dumps([astuple(entry) for entry in list_entries()])


def import_entries(exported: str) -> None:
    """Use the entry points of the parent process, and search their packages where they are installed."""
    global _parent_entries
    _parent_entries = exported
    list_entries.cache_clear()
    for entry in list_entries():
        if entry.folder not in sys.path:
            sys.path.append(entry.folder)


def find_entry(group: str, value: Any) -> Entry | None:
    """Return the entry point that brought a module of this group; None for Readback's own."""
    for plugin in load_plugins(group).values():
        if plugin.value is value:
            return plugin.entry
    return None


def name_author(code: str) -> str:
    """Return who brought a rule, as sentences name it: Readback, or a plugin."""
    plugin = load_plugins("rules").get(code)
    if plugin:
        return plugin.entry.description
    return "Readback"


def attribute_mistake(code: str) -> str:
    """Return whose mistake it is that a rule failed, as sentences name it."""
    if code in load_plugins("rules"):
        return f"a mistake of {name_author(code)}"
    return "our mistake"


def leave_out(entry: Entry, reason: str) -> None:
    """Report once on standard error that a plugin is not used, and why; a child leaves that to its parent."""
    if entry not in _refused and _parent_entries is None:
        _print_error(f"{entry.description} (readback.{entry.group}) is left out: {reason}")
    _refused.add(entry)


def is_left_out(entry: Entry) -> bool:
    """Return whether a plugin is not used: its group was removed, or it could not be loaded."""
    if entry in _refused or entry.group not in GROUPS:
        return True
    return all(plugin.entry != entry for plugin in load_plugins(entry.group).values())


def describe_failure(entry: Entry, error: Exception) -> str:
    """Return why a plugin's work came to nothing, in words."""
    return f"{entry.description} failed: {_make_printable(f'{type(error).__name__}: {error}')}"


def confirms(entry: Entry, question: Callable[[], bool]) -> bool:
    """Return what a plugin's `question` answers; False where it fails, which standard error reports."""
    try:
        return bool(question())
    except Exception as error:
        _print_error(describe_failure(entry, error))
        return False


def _import_value(entry: Entry) -> Any:
    module, _, attribute = entry.value.partition("[")[0].strip().partition(":")
    try:
        with redirect_stdout(sys.stderr):  # nothing but answers goes to standard output
            value: Any = import_module(module.strip())
        for name in attribute.split(".") if attribute.strip() else ():
            value = getattr(value, name.strip())
    except (Exception, SystemExit) as error:  # whatever somebody's module does
        raise Unfit(f"it cannot be loaded ({_make_printable(f'{type(error).__name__}: {error}')})") from None
    return value


def _require_free_name(group: str, name: str, value: Any, plugins: Mapping[str, Plugin]) -> None:
    readback_modules = load_folder(PACKAGES[group], GROUPS[group])
    what = "code" if group == "rules" else "name"
    if name in readback_modules:
        raise Unfit(f"the {what} '{name}' is taken by Readback")
    if name in plugins:
        raise Unfit(f"the {what} '{name}' is taken by another plugin")
    if group == "formats":
        formats = [*readback_modules.values(), *(plugin.value for plugin in plugins.values())]
        suffixes = {suffix for module in formats for suffix in module.SUFFIXES}
        shared = sorted(suffixes & set(value.SUFFIXES))
        if shared:
            raise Unfit(f"the ending '{shared[0]}' is that of another format")


def _print_error(sentence: str) -> None:
    print(f"readback: {_make_printable(sentence)}", file=sys.stderr)


def _make_printable(text: str) -> str:
    """Return the text on one line, without characters that a terminal would obey."""
    line = " ".join(text.split())
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in line)

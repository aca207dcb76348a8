"""Examine the machine for `readback doctor`: versions, sandbox, cache and plugins, and what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from readback import __version__, plugins, project_files, sandbox
from readback.readers.files.cache_folder import cache_folder

NEEDED = ("jinja2", "pyyaml", "streamlit", "pandas", "plotly", "pyarrow", "eyecite", "reporters-db")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox-esr", "firefox")  # for the tests only


def examine() -> dict[str, Any]:
    """Return all results as JSON values; "problems" lists what keeps Readback from working."""
    problems: list[str] = []
    return {
        "readback": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processors": os.cpu_count(),
        "packages": {name: _check_package(name, problems) for name in NEEDED},
        "cell": _check_sandbox(problems),
        "cache": _check_cache(problems),
        "house": _check_bundle(problems),
        "plugins": [f"{entry.description} ({_describe_plugin(entry)})" for entry in plugins.list_entries()],
        "browsers": [name for name in BROWSERS if shutil.which(name)],
        "standard output": {"encoding": sys.stdout.encoding, "terminal": sys.stdout.isatty()},
        "problems": problems,
    }


def format_lines(examined: Mapping[str, Any]) -> Iterator[str]:
    """Yield the results of `examine` as lines of text."""
    for name, value in examined.items():
        if name == "problems":
            continue
        if isinstance(value, Mapping):
            yield f"{name}:"
            yield from (f"  {part}: {_format_value(inner)}" for part, inner in value.items())
        else:
            yield f"{name}: {_format_value(value)}"
    yield from (f"problem: {problem}" for problem in examined["problems"])
    if not examined["problems"]:
        yield "no problems"


def _format_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {inner}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    if value is None:
        return "unknown"
    return str(value)


def _check_package(name: str, problems: list[str]) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        problems.append(f"package {name} is not installed")
        return None


def _describe_plugin(entry: plugins.Entry) -> str:
    if plugins.is_left_out(entry):
        suffix = ", left out"
    else:
        suffix = ""
    return f"readback.{entry.group}{suffix}"


def _check_sandbox(problems: list[str]) -> dict[str, Any]:
    try:
        return sandbox.describe_isolation()
    except (RuntimeError, OSError) as error:
        problems.append(f"no bounded child could be started: {error}")
        return {}


def _check_cache(problems: list[str]) -> str | None:
    try:
        return str(cache_folder().parent)
    except PermissionError as error:
        problems.append(str(error))
        return None


def _check_bundle(problems: list[str]) -> str:
    missing = [
        path.name
        for path in (project_files.PROJECT / "app.py", project_files.ADAPTERS, project_files.EXAMPLES)
        if not path.exists()
    ]
    problems.extend(f"{name} is missing beside the package" for name in missing)
    return str(project_files.PROJECT)

"""Load a folder of modules as a registry: each module describes itself in constants; to add one, add a file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


@cache
def modules(package: str) -> tuple[ModuleType, ...]:
    """Return the modules of `package` (a dotted name) in the order of their names, without those with a leading _."""
    home = import_module(package)
    names = sorted(m.name for m in iter_modules(home.__path__) if not m.name.startswith("_"))
    return tuple(import_module(f"{package}.{name}") for name in names)


@cache
def by(package: str, constant: str) -> Mapping[str, ModuleType]:
    """Return the modules of `package` that define `constant`, by its value. Raises ValueError where two share one."""
    modules_by_value: dict[str, ModuleType] = {}
    for module in modules(package):
        if (key := getattr(module, constant, None)) is None:
            continue
        if key in modules_by_value:
            raise ValueError(f"{module.__name__} and {modules_by_value[key].__name__} both say {constant} = {key!r}")
        modules_by_value[key] = module
    return modules_by_value

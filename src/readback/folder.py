"""A folder of modules as a registry: each module says in capitals what it is, and adding one is adding a file."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


@cache
def modules(package: str) -> tuple[ModuleType, ...]:
    """The modules of `package` (a dotted name), in the order of their names; names with a leading _ are not entries."""
    home = import_module(package)
    names = sorted(m.name for m in iter_modules(home.__path__) if not m.name.startswith("_"))
    return tuple(import_module(f"{package}.{name}") for name in names)


def by(package: str, constant: str) -> dict[str, ModuleType]:
    """The modules of `package` that define `constant`, by its value; a value used twice is our mistake."""
    found: dict[str, ModuleType] = {}
    for module in modules(package):
        if (key := getattr(module, constant, None)) is None:
            continue
        if key in found:
            raise ValueError(f"{module.__name__} and {found[key].__name__} both say {constant} = {key!r}")
        found[key] = module
    return found

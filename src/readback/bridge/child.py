"""The child that runs another program's prompt modules: walled off first, then imports, then JSON on standard output.

Layout and names are those of biocypher/karenina: `ports/adapter_instruction.py` has a registry of factories by
interface and task, which `adapters/*/prompts/*.py` fill as they are imported. A factory takes what the pipeline tells
it by keyword and answers an object with `system_addition` and `user_addition`.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import os
import resource
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from readback.sandbox import jail, landlock, seccomp

PACKAGE = "karenina"
REGISTRY = f"{PACKAGE}.ports.adapter_instruction"
CONTEXT = ("json_schema", "format_instructions", "example_json", "output_format_hint", "parsing_notes")
SECONDS, MEMORY, FILES = 20, 1 << 30, 64
KEYS = 8  # context keys of one factory: each doubles the number of calls
SCHEMA = "json_schema"
INSTALLED = ("site-packages", "dist-packages")  # where what a program needs lies beside it
OTHER_SCHEMA = {"type": "object", "é": ["{{ x }}", {"b": None, "a": 1.5}], "properties": {}}


def marker(key: str) -> Any:
    """The value of a context key in which a text is looked for again."""
    name = f"readback0{key}0marker"
    return {name: name} if key == SCHEMA else name


def other(key: str) -> Any:
    """Another value, with what templates and programs like to change: blanks at the ends, braces, other scripts."""
    return OTHER_SCHEMA if key == SCHEMA else f" \n<{key}> {{{{ é }}}} {{0}} %s\n "


def main() -> None:
    asked = json.loads(sys.stdin.buffer.read())
    root = Path(asked["root"])
    out = os.dup(1)
    walls = _walled(root)
    answer: dict[str, Any] = {"walls": walls}
    if walls["network"] == "none":
        answer |= _read(root, asked["files"])
    data = json.dumps(answer).encode()
    while data:
        data = data[os.write(out, data) :]


def _walled(root: Path) -> dict[str, Any]:
    """Give up the network and all sockets, signals, all files but Python's and the program's own, rights, owners and
    times of any file, and more than a share of time and memory.
    """
    sys.dont_write_bytecode = True
    os.environ.clear()  # what Python itself has put there
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    beside = root.parent if root.parent.name in INSTALLED else root
    rules = landlock.build_ruleset(root, beside)
    walls = jail.isolate()
    jail.die_with_parent()
    mapped = jail.measure_mapped_memory()
    for what, limit in (
        (resource.RLIMIT_CPU, SECONDS),
        (resource.RLIMIT_NOFILE, FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        *(((resource.RLIMIT_AS, mapped + MEMORY),) if mapped is not None else ()),
    ):
        resource.setrlimit(what, (limit, limit))
    walls["files"] = "its own" if rules is not None and landlock.restrict(rules) else "all"
    walls["calls"] = "no sockets, signals or changes of files" if seccomp.restrict() else "all"
    return walls


def _read(root: Path, files: list[str]) -> dict[str, Any]:
    _empty_packages(root)
    failed: list[dict[str, str]] = []
    made: list[dict[str, Any]] = []
    constants: list[dict[str, Any]] = []
    try:
        registry: Any = importlib.import_module(REGISTRY)
        registered = _listen(registry.AdapterInstructionRegistry)
    except Exception as error:  # whatever somebody else's code does
        return {"failed": [{"file": REGISTRY, "reason": _said(error)}], "made": [], "constants": []}
    for file in files:
        name = ".".join((PACKAGE, *Path(file).with_suffix("").parts))
        before = len(registered)
        try:
            module = importlib.import_module(name)
        except BaseException as error:  # an exit, too, is only this file's
            failed.append({"file": file, "reason": _said(error)})
            continue
        for interface, task, factory in registered[before:]:
            made.append({"interface": interface, "task": task, "file": file} | _of_factory(factory))
        if file.startswith("benchmark") or len(registered) == before:
            constants.append({"file": file, **_constants(module)})
    return {"failed": failed, "made": made, "constants": constants}


def _empty_packages(root: Path) -> None:
    """Packages without their `__init__`: these load whole frameworks, and a prompt module needs none of them."""
    below = ["benchmark", "benchmark/verification", "ports", "schemas", "adapters"]
    below += [
        str(one.relative_to(root)) for pattern in ("adapters/*/", "adapters/*/prompts/") for one in root.glob(pattern)
    ]
    prompts = root / "benchmark/verification/prompts"
    below += [str(one.relative_to(root)) for one in (prompts, *prompts.rglob("*/"))]
    for folder in ("", *(one for one in below if (root / one).is_dir())):
        name = ".".join((PACKAGE, *Path(folder).parts))
        package = types.ModuleType(name)
        package.__path__ = [str(root / folder)]
        sys.modules[name] = package
    sys.path.append(str(root.parent))  # what it needs besides Python may be installed beside it


def _listen(registry: Any) -> list[tuple[str, str, Callable[..., Any]]]:
    """What is registered from now on, in its order."""
    heard: list[tuple[str, str, Callable[..., Any]]] = []

    def register(interface: Any, task: Any, factory: Callable[..., Any]) -> None:
        heard.append((str(getattr(interface, "value", interface)), str(getattr(task, "value", task)), factory))

    registry.register = staticmethod(register)
    return heard


def _of_factory(factory: Callable[..., Any]) -> dict[str, Any]:
    """Where a factory is, and what it gives under each combination of the keys that it reads, and for other values."""
    keys = _keys(factory)
    code = getattr(inspect.unwrap(factory), "__code__", None)
    found: dict[str, Any] = {"line": getattr(code, "co_firstlineno", None), "keys": keys}
    if len(keys) > KEYS:
        return found | {"error": f"it reads {len(keys)} keys, and {KEYS} are tried at most"}
    try:
        return found | {"cases": [*_cases(factory, keys)]}
    except BaseException as error:
        return found | {"error": _said(error)}


def _keys(factory: Callable[..., Any]) -> list[str]:
    """The context keys of the pipeline, the parameters that are named, and every name that stands in its code.

    A parameter with a value of its own (`task=task`) is how a loop hands a value over, and no key.
    """
    named: dict[str, None] = dict.fromkeys(CONTEXT)
    call = inspect.unwrap(factory)
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        parameters = ()  # type: ignore[assignment]
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    free = (one for one in parameters if one.kind in kinds and (one.default is one.empty or not one.default))
    named |= {one.name: None for one in free}
    named |= dict.fromkeys(_words(getattr(call, "__code__", None)))
    try:
        nothing = _case(factory, {})
    except BaseException:
        nothing = None
    return [key for key in named if key in CONTEXT or _changes(factory, key, nothing)]


def _changes(factory: Callable[..., Any], key: str, nothing: Any) -> bool:
    """Whether a name that stands in the code is a key: with a value for it there is another text."""
    try:
        made = _case(factory, {key: marker(key)})
    except BaseException:
        return False
    return nothing is None or (made["system"], made["user"]) != (nothing["system"], nothing["user"])


def _words(code: Any) -> Iterator[str]:
    """The names among the texts in a function's code and in the functions in it."""
    for one in getattr(code, "co_consts", ()):
        if isinstance(one, str) and one.isidentifier():
            yield one
        elif inspect.iscode(one):
            yield from _words(one)


def _cases(factory: Callable[..., Any], keys: list[str]) -> Iterator[dict[str, Any]]:
    """Every combination of keys that are there; then the same with all of these empty, another value, and null.

    What a factory does with null is of interest only where it takes it: a pipeline leaves a key out instead.
    """
    for make in (marker, lambda key: {} if key == SCHEMA else "", other):
        yield from (_case(factory, one) for one in _contexts(keys, make))
    for one in _contexts([key for key in keys if key in CONTEXT], lambda key: None):
        with suppress(Exception):
            yield _case(factory, one)


def _contexts(keys: list[str], make: Callable[[str], Any]) -> Iterator[Mapping[str, Any]]:
    for there in itertools.product((False, True), repeat=len(keys)):
        if any(there) or make is marker:
            yield {key: make(key) for key, here in zip(keys, there, strict=True) if here}


def _case(factory: Callable[..., Any], context: Mapping[str, Any]) -> dict[str, Any]:
    made = factory(**context)
    texts = {"system": made.system_addition, "user": made.user_addition}
    if wrong := [name for name, text in texts.items() if not isinstance(text, str)]:
        raise TypeError(f"its {wrong[0]}_addition is no text")
    return {"context": context, **texts}


def _constants(module: types.ModuleType) -> dict[str, Any]:
    """A module's texts in capitals, and the functions and classes that are its own."""
    own = {name: one for name, one in vars(module).items() if not name.startswith("__")}
    texts = {name: one for name, one in own.items() if isinstance(one, str) and name.isupper()}
    code = [name for name, one in own.items() if getattr(one, "__module__", None) == module.__name__]
    return {"texts": texts, "code": sorted(name for name in code if inspect.isclass(own[name]) or callable(own[name]))}


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


if __name__ == "__main__":
    main()

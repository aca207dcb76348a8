"""Run another program's prompt modules in a child: isolate it, import the modules, write JSON to standard output.

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

from readback.bridge import builders
from readback.sandbox import jail, landlock, seccomp

PACKAGE = "karenina"
REGISTRY = f"{PACKAGE}.ports.adapter_instruction"
CONTEXT = ("json_schema", "format_instructions", "example_json", "output_format_hint", "parsing_notes")
SECONDS, MEMORY, FILES = 20, 1 << 30, 64
KEYS = 8  # context keys of one factory: each doubles the number of calls
SCHEMA = "json_schema"
INSTALLED = ("site-packages", "dist-packages")  # where what a program needs lies beside it
OTHER_SCHEMA = {"type": "object", "é": ["{{ x }}", {"b": None, "a": 1.5}], "properties": {}}


def make_marker(key: str) -> Any:
    """Return the value of a context key in which a text is looked for again."""
    name = f"readback0{key}0marker"
    if key == SCHEMA:
        return {name: name}
    return name


def _mark_text(key: str) -> str:
    """Return the marker of a text, whatever it is called."""
    return f"readback0{key}0marker"


def make_other_value(key: str) -> Any:
    """Return another value, with what programs like to change: blanks at the ends, braces, other scripts."""
    if key == SCHEMA:
        return OTHER_SCHEMA
    return f" \n<{key}> {{{{ é }}}} {{0}} %s\n "


def main() -> None:
    """Read a request from standard input and write the answer as JSON to standard output."""
    request = json.loads(sys.stdin.buffer.read())
    root = Path(request["root"])
    out = os.dup(1)
    walls = _isolate(root)
    answer: dict[str, Any] = {"walls": walls}
    if walls["network"] == "none":
        answer |= _read_modules(root, request["files"])
    data = json.dumps(answer).encode()
    while data:
        data = data[os.write(out, data) :]


def _isolate(root: Path) -> dict[str, Any]:
    """Give up the network and all sockets, signals, all files but Python's and the program's own, rights, owners and
    times of any file, and more than a share of time and memory.
    """
    sys.dont_write_bytecode = True
    os.environ.clear()  # what Python itself has put there
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    if root.parent.name in INSTALLED:
        readable = root.parent
    else:
        readable = root
    rules = landlock.build_ruleset(root, readable)
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


def _read_modules(root: Path, files: list[str]) -> dict[str, Any]:
    _register_empty_packages(root)
    failed: list[dict[str, str]] = []
    registrations: list[dict[str, Any]] = []
    constants: list[dict[str, Any]] = []
    builds: list[dict[str, Any]] = []
    try:
        registry: Any = importlib.import_module(REGISTRY)
        registered = _record_registrations(registry.AdapterInstructionRegistry)
    except Exception as error:  # whatever somebody else's code does
        failed.append({"file": REGISTRY, "reason": _format_error(error)})
        return {"failed": failed, "made": [], "constants": [], "builds": []}
    for file in files:
        module_name = ".".join((PACKAGE, *Path(file).with_suffix("").parts))
        before = len(registered)
        replaced: list[str] = []
        try:
            if file.startswith("benchmark"):
                module, replaced = builders.import_module(module_name, PACKAGE)
            else:
                module = importlib.import_module(module_name)
        except BaseException as error:  # an exit, too, is only this file's
            failed.append({"file": file, "reason": _format_error(error)})
            continue
        for interface, task, factory in registered[before:]:
            registrations.append({"interface": interface, "task": task, "file": file} | _describe_factory(factory))
        if file.startswith("benchmark"):
            values = [_mark_text, make_other_value]
            builds += [{"file": file, "replaced": replaced, **build} for build in builders.list_builds(module, values)]
        if file.startswith("benchmark") or len(registered) == before:
            constants.append({"file": file, **_list_constants(module)})
    return {"failed": failed, "made": registrations, "constants": constants, "builds": builds}


def _register_empty_packages(root: Path) -> None:
    """Register packages without their `__init__`, which loads whole frameworks that no prompt module needs."""
    below = ["benchmark", "benchmark/verification", "ports", "schemas", "adapters"]
    for pattern in ("adapters/*/", "adapters/*/prompts/"):
        below += [str(folder.relative_to(root)) for folder in root.glob(pattern)]
    prompts = root / "benchmark/verification/prompts"
    below += [str(folder.relative_to(root)) for folder in (prompts, *prompts.rglob("*/"))]
    for folder in ("", *(path for path in below if (root / path).is_dir())):
        name = ".".join((PACKAGE, *Path(folder).parts))
        package = types.ModuleType(name)
        package.__path__ = [str(root / folder)]
        sys.modules[name] = package
    sys.path.append(str(root.parent))  # what it needs besides Python may be installed beside it


def _record_registrations(registry: Any) -> list[tuple[str, str, Callable[..., Any]]]:
    """Replace the registry's `register` and return the list that each later registration is added to."""
    registrations: list[tuple[str, str, Callable[..., Any]]] = []

    def register(interface: Any, task: Any, factory: Callable[..., Any]) -> None:
        registrations.append((str(getattr(interface, "value", interface)), str(getattr(task, "value", task)), factory))

    registry.register = staticmethod(register)
    return registrations


def _describe_factory(factory: Callable[..., Any]) -> dict[str, Any]:
    """Return where a factory is, and its texts for each combination of the keys that it reads."""
    keys = _find_keys(factory)
    code = getattr(inspect.unwrap(factory), "__code__", None)
    description: dict[str, Any] = {"line": getattr(code, "co_firstlineno", None), "keys": keys}
    if len(keys) > KEYS:
        return description | {"error": f"it reads {len(keys)} keys, and {KEYS} are tried at most"}
    try:
        return description | {"cases": [*_call_with_contexts(factory, keys)]}
    except BaseException as error:
        return description | {"error": _format_error(error)}


def _find_keys(factory: Callable[..., Any]) -> list[str]:
    """Return the pipeline's context keys, the named parameters, and the names in its code that change the texts.

    A parameter with a default value (`task=task`) is how a loop hands a value over; it is no key.
    """
    candidates: dict[str, None] = dict.fromkeys(CONTEXT)
    call = inspect.unwrap(factory)
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        parameters = ()  # type: ignore[assignment]
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    free = (
        parameter
        for parameter in parameters
        if parameter.kind in kinds and (parameter.default is parameter.empty or not parameter.default)
    )
    candidates |= {parameter.name: None for parameter in free}
    candidates |= dict.fromkeys(_list_identifiers(getattr(call, "__code__", None)))
    try:
        empty_case = _call_factory(factory, {})
    except BaseException:
        empty_case = None
    return [key for key in candidates if key in CONTEXT or _changes_texts(factory, key, empty_case)]


def _changes_texts(factory: Callable[..., Any], key: str, empty_case: Any) -> bool:
    """Return whether a name that stands in the code is a key: with a value for it there is another text."""
    try:
        case = _call_factory(factory, {key: make_marker(key)})
    except BaseException:
        return False
    return empty_case is None or (case["system"], case["user"]) != (empty_case["system"], empty_case["user"])


def _list_identifiers(code: Any) -> Iterator[str]:
    """Yield the names among the texts in a function's code and in the functions in it."""
    for constant in getattr(code, "co_consts", ()):
        if isinstance(constant, str) and constant.isidentifier():
            yield constant
        elif inspect.iscode(constant):
            yield from _list_identifiers(constant)


def _call_with_contexts(factory: Callable[..., Any], keys: list[str]) -> Iterator[dict[str, Any]]:
    """Call the factory with every combination of keys; then the same with all of these empty, another value, and null.

    What a factory does with null is of interest only where it takes it: a pipeline leaves a key out instead.
    """
    for make_value in (make_marker, lambda key: {} if key == SCHEMA else "", make_other_value):
        yield from (_call_factory(factory, context) for context in _list_contexts(keys, make_value))
    for context in _list_contexts([key for key in keys if key in CONTEXT], lambda key: None):
        with suppress(Exception):
            yield _call_factory(factory, context)


def _list_contexts(keys: list[str], make_value: Callable[[str], Any]) -> Iterator[Mapping[str, Any]]:
    for present in itertools.product((False, True), repeat=len(keys)):
        if any(present) or make_value is make_marker:
            yield {key: make_value(key) for key, is_present in zip(keys, present, strict=True) if is_present}


def _call_factory(factory: Callable[..., Any], context: Mapping[str, Any]) -> dict[str, Any]:
    addition = factory(**context)
    texts = {"system": addition.system_addition, "user": addition.user_addition}
    if wrong_roles := [name for name, text in texts.items() if not isinstance(text, str)]:
        raise TypeError(f"its {wrong_roles[0]}_addition is no text")
    return {"context": context, **texts}


def _list_constants(module: types.ModuleType) -> dict[str, Any]:
    """Return a module's texts in capitals, and the names of the functions and classes that it defines."""
    names = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    texts = {name: value for name, value in names.items() if isinstance(value, str) and name.isupper()}
    code = [name for name, value in names.items() if getattr(value, "__module__", None) == module.__name__]
    return {
        "texts": texts,
        "code": sorted(name for name in code if inspect.isclass(names[name]) or callable(names[name])),
    }


def _format_error(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300]


if __name__ == "__main__":
    main()

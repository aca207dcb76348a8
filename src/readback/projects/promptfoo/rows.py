"""The rows of a configuration: tests and scenarios, merged with the default test, lists expanded, repeats beside."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from readback.projects.javascript_text import SPACES, format_value, import_value, is_true, parse_json
from readback.projects.promptfoo.csv_rows import read_csv
from readback.projects.promptfoo.external import follow_references, load_external, load_file
from readback.projects.promptfoo.files import (
    ADDRESS,
    FILE,
    MadeByCode,
    ProjectFiles,
    Refusal,
    has_magic,
    is_code,
)
from readback.types import Diagnostic, Location

MOST = 50_000  # rows of a project
NEEDED = ("assert", "vars", "options", "metadata", "provider", "providerOutput")
EMPTY_TEST = "a test must have assert, vars, options, metadata, provider, providerOutput or threshold"
SAFE_INTEGER = 2**53 - 1
COLON = re.compile(r"^(.{2,}):[^/:]*$")


@dataclass(slots=True)
class TestRow:
    """A row before rendering: merged variables, and what else the tool keeps with it."""

    __test__ = False  # no test of pytest

    fields: dict[str, Any]
    description: str | None
    metadata: dict[str, Any]
    options: dict[str, Any]
    prompts: Any
    providers: Any
    repeat: int
    place: Location


@dataclass(slots=True)
class RowReader:
    """Reads tests; what the tool would not start with is in `refusals`."""

    files: ProjectFiles
    places: Mapping[Any, Location]
    delimiter: str = ","
    refusals: list[str] = field(default_factory=list)

    def refuse(self, refusal: Refusal | MadeByCode, place: Location) -> None:
        """Note why the tool would stop, as a finding too; what only code makes is a finding alone."""
        if isinstance(refusal, MadeByCode):
            self.files.diagnostics.append(refusal.diagnostic)
            return
        self.refusals.append(refusal.reason)
        fault = refusal.diagnostic or Diagnostic("dat-bad-line", {"reason": refusal.reason}, place)
        self.files.diagnostics.append(fault)

    def read_tests(self, written: Any, key: str = "tests") -> list[tuple[dict[str, Any], Location]]:
        """Return the tests of a `tests` value with their places."""
        place = self.places.get(key, Location())
        if isinstance(written, dict) and isinstance(written.get("path"), str):
            return list(self.try_file(written["path"], place, is_standalone=True))
        if isinstance(written, str):
            is_yaml = written.endswith(("yaml", "yml"))
            return list(self.try_file(written, place, is_standalone=not is_yaml))
        tests: list[tuple[dict[str, Any], Location]] = []
        for index, item in enumerate(written if isinstance(written, list) else []):
            at = self.places.get((key, index), place)
            if isinstance(item, str):
                tests.extend(self.try_file(item, at, is_standalone=is_code(item)))
            elif isinstance(item, dict) and isinstance(item.get("path"), str):
                tests.extend(self.try_file(item["path"], at, is_standalone=True))
            else:
                tests.extend(self.check_test(item, at, self.files.folder))
        return tests

    def try_file(
        self, reference: str, place: Location, *, is_standalone: bool
    ) -> Iterator[tuple[dict[str, Any], Location]]:
        """Yield the tests of a file; one that cannot be read is a refusal."""
        try:
            if is_code(reference):
                raise MadeByCode(reference, "rows", place)
            if ADDRESS.match(reference):
                raise MadeByCode(reference, "rows of an address", place)
            yield from self.read_file(reference, place, is_standalone)
        except (MadeByCode, Refusal) as refusal:
            self.refuse(refusal, place)

    def read_file(
        self, reference: str, place: Location, is_standalone: bool
    ) -> Iterator[tuple[dict[str, Any], Location]]:
        """Yield the tests of a file or pattern. A `tests` that is one file describes rows by their number."""
        name = reference.removeprefix(FILE)
        if is_standalone:
            paths = [self.files.find(name, place)]
        elif has_magic(name):
            paths = self.files.expand(name, place)
        else:
            try:
                paths = [self.files.find(name, place)]
            except Refusal as refusal:  # the tool only logs that nothing matches
                self.files.diagnostics.extend([refusal.diagnostic] if refusal.diagnostic else [])
                return
        for path in paths:
            for number, test in enumerate(self.decode_file(path, is_standalone), 1):
                at = self.files.get_place(path, number + 1 if path.suffix == ".csv" else None)
                numbered = is_standalone or path.suffix == ".csv"
                if numbered and isinstance(test, dict) and not is_true(test.get("description")):
                    test = {**test, "description": f"Row #{number}"}
                yield from self.check_test(test, at, path.parent)

    def decode_file(self, path: Path, is_standalone: bool) -> list[Any]:
        """Return the tests in a file by its ending."""
        suffix = path.suffix
        if suffix == ".csv":
            rows = read_csv(self.files.read(path), self.delimiter)
            return [make_test(row) for row in rows]
        if suffix == ".jsonl":
            content: Any = self.read_lines(path)
        elif suffix == ".json":
            content = self.files.read_json(path)
        elif suffix in (".yaml", ".yml"):
            content = self.files.read_yaml(path)
        elif suffix in (".xlsx", ".xls"):
            raise Refusal(f"{path.name} is a sheet, which Readback does not read as tests; save it as CSV")
        elif is_standalone:
            return []
        else:
            raise Refusal(f"{path.name} is no kind of file that holds tests")
        if not is_standalone:
            content = follow_references(load_external(content, self.files), self.files)
        if content is None:
            return []
        if isinstance(content, list):
            return content
        return [content]

    def read_lines(self, path: Path) -> list[Any]:
        """Return the values of JSON lines."""
        values = []
        for number, line in enumerate(self.files.read(path).split("\n"), 1):
            if not line.strip(SPACES):
                continue
            try:
                values.append(parse_json(line))
            except ValueError as error:
                place = self.files.get_place(path, number)
                bad = Diagnostic("dat-bad-line", {"reason": f"not JSON ({error})"}, place)
                raise Refusal(f"line {number} of {path.name} is not JSON", bad) from None
        return values

    def check_test(self, test: Any, place: Location, folder: Path) -> Iterator[tuple[dict[str, Any], Location]]:
        """Yield a test, and note a refusal where it is empty; a text is a file with one test."""
        if isinstance(test, str):
            try:
                test = load_external(self.files.read_yaml(self.files.find(test, place)), self.files)
            except (MadeByCode, Refusal) as refusal:
                self.refuse(refusal, place)
                return
        if not isinstance(test, dict):
            self.refuse(Refusal(EMPTY_TEST), place)
            return
        has_threshold = isinstance(test.get("threshold"), int | float) and not isinstance(test.get("threshold"), bool)
        is_empty = not any(is_true(import_value(test.get(key))) for key in NEEDED)
        if is_empty and not has_threshold:
            self.refuse(Refusal(EMPTY_TEST), place)
            return
        yield self.read_variables(test, place, folder), place

    def read_variables(self, test: dict[str, Any], place: Location, folder: Path) -> dict[str, Any]:
        """Return a test whose `vars` are a mapping: paths under `vars` are read, `file://` gives nothing."""
        written = test.get("vars")
        if not isinstance(written, str | list):
            return test
        merged: dict[str, Any] = {}
        for reference in [written] if isinstance(written, str) else written:
            if not isinstance(reference, str) or reference.startswith(FILE):
                continue  # the tool looks for a folder called `file:`
            near = ProjectFiles(self.files.root, folder, self.files.diagnostics, self.files.texts)
            for path in near.expand(reference, place):
                try:
                    content = load_external(near.read_yaml(path), near)
                except (MadeByCode, Refusal) as refusal:
                    self.refuse(refusal, place)
                    continue
                merged |= content if isinstance(content, dict) else {}
        return {**test, "vars": merged}


def make_test(row: dict[str, str]) -> dict[str, Any]:
    """Return the test of a row of a table: names with two underscores are settings, all others variables."""
    variables: dict[str, Any] = {}
    options: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    test: dict[str, Any] = {}
    asserts: list[str] = []
    for written, value in row.items():
        name = written.strip(SPACES)
        if name.startswith("__expected"):
            asserts.extend([value] if value.strip(SPACES) else [])
        elif name in ("__prefix", "__suffix"):
            options[name[2:]] = value
        elif name == "__description":
            test["description"] = value or None
        elif name in ("__providerOutput", "__metric", "__threshold"):
            continue
        elif name.startswith("__metadata:"):
            _add_metadata(metadata, name.removeprefix("__metadata:"), value)
        elif name.startswith("__config:"):
            continue
        elif name != "__metadata":
            variables[name] = value
    return {"vars": variables, "assert": asserts, "options": options, **test, "metadata": metadata}


def _add_metadata(metadata: dict[str, Any], name: str, value: str) -> None:
    if not value.strip(SPACES):
        return
    if name.endswith("[]"):
        parts = re.split(r"(?<!\\),", value)
        metadata[name[:-2]] = [part.strip(SPACES).replace("\\,", ",") for part in parts]
    else:
        metadata[name] = value


def read_default_test(written: Any, files: ProjectFiles, place: Location) -> dict[str, Any]:
    """Return the default test, inline or from a file."""
    if isinstance(written, str) and written.startswith(FILE):
        written = load_file(written, files, place)
    if isinstance(written, dict):
        return written
    return {}


def list_scenarios(written: Any, reader: RowReader) -> list[tuple[dict[str, Any], int, Location]]:
    """Return the tests of scenarios, each merged with its configuration, with the number of that configuration."""
    place = reader.places.get("scenarios", Location())
    try:
        loaded = _flatten(_load_texts(written, reader.files))
    except (MadeByCode, Refusal) as refusal:
        reader.refuse(refusal, place)
        return []
    rows: list[tuple[dict[str, Any], int, Location]] = []
    number = 0
    for index, scenario in enumerate(loaded):
        at = reader.places.get(("scenarios", index), place)
        if not isinstance(scenario, dict):
            reader.refuse(Refusal("a scenario must be a mapping"), at)
            continue
        tests = _read_scenario_tests(scenario.get("tests"), reader, at)
        configs = scenario.get("config")
        for config in configs if isinstance(configs, list) else []:
            data = config if isinstance(config, dict) else {}
            rows.extend((merge_scenario(data, test), number, test_place) for test, test_place in tests)
            number += 1
    return rows


def _read_scenario_tests(written: Any, reader: RowReader, place: Location) -> list[tuple[dict[str, Any], Location]]:
    if isinstance(written, str):
        try:
            if written.startswith(FILE):
                written = load_file(written, reader.files)
        except (MadeByCode, Refusal) as refusal:
            reader.refuse(refusal, place)
            return []
    inner = RowReader(reader.files, {"tests": place}, reader.delimiter, reader.refusals)
    return inner.read_tests(written if isinstance(written, list) else [])


def _load_texts(written: Any, files: ProjectFiles) -> list[Any]:
    if isinstance(written, list):
        items = written
    else:
        items = [written]
    return [load_file(each, files) if isinstance(each, str) and each.startswith(FILE) else each for each in items]


def _flatten(items: list[Any]) -> list[Any]:
    flat: list[Any] = []
    for item in items:
        flat.extend(item if isinstance(item, list) else [item])
    return flat


def merge_scenario(config: dict[str, Any], test: dict[str, Any]) -> dict[str, Any]:
    """Return a test of a scenario: its own values win over those of the configuration."""
    merged = {**config, **test}
    for key in ("vars", "options", "metadata"):
        merged[key] = {**get_mapping(config, key), **get_mapping(test, key)}
    return merged


def get_mapping(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a mapping under a key; nothing where it is something else."""
    value = holder.get(key)
    if isinstance(value, dict):
        return value
    return {}


def build_row(
    test: dict[str, Any], default: dict[str, Any], repeat: int, place: Location, scenario: int | None = None
) -> TestRow:
    """Return a test merged with the default test."""
    metadata = {**get_mapping(default, "metadata"), **get_mapping(test, "metadata")}
    if scenario is not None and metadata.get("conversationId") is None:
        metadata["conversationId"] = f"__scenario_{scenario}__"
    options = {**get_mapping(default, "options"), **get_mapping(test, "options")}
    description = test.get("description")
    own_prompts, own_providers = test.get("prompts"), test.get("providers")
    return TestRow(
        fields={**get_mapping(default, "vars"), **get_mapping(test, "vars")},
        description=description if isinstance(description, str) else None,
        metadata=metadata,
        options=options,
        prompts=default.get("prompts") if own_prompts is None else own_prompts,
        providers=default.get("providers") if own_providers is None else own_providers,
        repeat=read_repeat(options.get("repeat"), repeat),
        place=place,
    )


def read_repeat(written: Any, default: int = 1) -> int:
    """Return how often a test is run: a whole number above 0, else the default."""
    is_number = isinstance(written, int | float) and not isinstance(written, bool)
    if not is_number or (isinstance(written, float) and not written.is_integer()):
        return default
    if 0 < written <= SAFE_INTEGER:
        return int(written)
    return default


def list_choices(row: TestRow, files: ProjectFiles, *, expands: bool) -> dict[str, list[Any]]:
    """Return the values that each variable takes; raises Refusal where the tool finds no file.

    A list is taken apart if its first item is a text. `file://` is a pattern, which takes the files that match.
    """
    choices: dict[str, list[Any]] = {}
    for name, value in row.fields.items():
        choices[name] = [value]
        if not expands:
            continue
        if isinstance(value, list) and value and isinstance(value[0], str):
            choices[name] = list(value)
        elif isinstance(value, str) and value.startswith(FILE) and not is_unreadable(value, files):
            choices[name] = _list_files(name, value, files, row.place)
    return choices


def is_unreadable(reference: str, files: ProjectFiles) -> bool:
    """Whether a file lies where Readback does not read, though the tool may."""
    try:
        files.find(reference)
    except Refusal as refusal:
        return refusal.diagnostic is not None and refusal.diagnostic.code == "dat-path-outside"
    return False


def _list_files(name: str, reference: str, files: ProjectFiles, place: Location) -> list[Any]:
    pattern = reference.removeprefix(FILE)
    if has_magic(pattern) or "{" in pattern:
        paths = files.expand(pattern, place)
    else:
        paths = []
    if not paths:
        try:
            paths = [files.find(pattern, place)]
        except Refusal as refusal:
            raise Refusal(f"no files found for variable {name} at path {pattern}", refusal.diagnostic) from None
    return [FILE + files.get_name(path) for path in paths]


def expand_row(choices: dict[str, list[Any]], repeat: int, room: int) -> tuple[list[tuple[dict[str, Any], int]], int]:
    """Return at most `room` rows with the number of their repeat, and how many are left out."""
    number = math.prod(len(values) for values in choices.values()) * repeat
    rows: list[tuple[dict[str, Any], int]] = []
    for turn in range(repeat):
        for values in product(*choices.values()):
            if len(rows) >= room:
                return rows, number - len(rows)
            rows.append((dict(zip(choices, values, strict=True)), turn))
    return rows, 0


def get_affix(options: Mapping[str, Any], default: Mapping[str, Any], key: str) -> str:
    """Return what is glued before or behind the template."""
    if key not in options and "options" not in default:
        return ""
    for holder in (options, get_mapping(default, "options")):
        value = holder.get(key)
        if value and is_true(import_value(value)):
            return format_value(import_value(value))
    return ""

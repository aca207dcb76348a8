"""What a configuration takes from elsewhere: `file://` inside its values, `$ref`, and the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from readback.projects.javascript_text import import_value
from readback.projects.nunjucks import TemplateFault, render
from readback.projects.promptfoo.csv_rows import read_csv
from readback.projects.promptfoo.files import FILE, MadeByCode, ProjectFiles, Refusal, has_magic, is_code
from readback.types import NOWHERE, Location

TAG = re.compile(r"\{\{(?:[^}]|\}(?!\}))*\}\}")
ENVIRONMENT = re.compile(r"\benv\.|env\[")
ENVIRONMENT_NAME = re.compile(r"env\.([A-Za-z0-9_]+)|env\[['\"]([^'\"]+)['\"]\]")
DEPTH = 40  # levels of references inside references
VALUES = 600_000  # values that references may bring, as many as one file may have


def load_external(value: Any, files: ProjectFiles, inside: str = "") -> Any:
    """Return a value in which texts that are `file://…` are what the files hold; under `vars` they stay."""
    if isinstance(value, list):
        return [load_external(each, files, inside) for each in value]
    if isinstance(value, dict):
        return {key: load_external(each, files, "vars" if key == "vars" else inside) for key, each in value.items()}
    is_reference = isinstance(value, str) and value.startswith(FILE) and inside != "vars"
    if is_reference:
        return load_file(value, files)
    return value


def load_file(reference: str, files: ProjectFiles, place: Location = NOWHERE) -> Any:
    """Return what a file holds: values of JSON, YAML and CSV, the text of others; a pattern gives a list."""
    if is_code(reference):
        raise MadeByCode(reference, "a value", place)
    name = reference.removeprefix(FILE)
    if not has_magic(name):
        return _load_path(files.find(name, place), files)
    paths = files.expand(name, place)
    if not paths:
        raise Refusal(f"no files match {name}")
    contents: list[Any] = []
    for path in paths:
        content = _load_path(path, files)
        contents.extend(content if isinstance(content, list) else [content])
    return contents


def _load_path(path: Path, files: ProjectFiles) -> Any:
    suffix = path.suffix
    if suffix == ".json":
        return files.read_json(path)
    if suffix in (".yaml", ".yml"):
        return files.read_yaml(path)
    if suffix == ".csv":
        rows = read_csv(files.read(path), ",", has_mark=False)
        is_single = bool(rows) and len(rows[0]) == 1
        if is_single:
            return [next(iter(row.values())) for row in rows]
        return rows
    return files.read(path)


def follow_references(config: Any, files: ProjectFiles) -> Any:
    """Return a value in which `$ref: '#/path'` is what is there, and `$ref: file#/path` what is in that file."""
    return _Follower(files).follow(config, config, 0)


class _Follower:
    """Follows references, within a budget of values."""

    def __init__(self, files: ProjectFiles) -> None:
        self.files = files
        self.left = VALUES

    def follow(self, value: Any, root: Any, depth: int) -> Any:
        """Return a value with its references followed."""
        self.left -= 1
        if depth > DEPTH or self.left < 0:
            raise Refusal("references hold each other, or too many values")
        if isinstance(value, list):
            return [self.follow(each, root, depth + 1) for each in value]
        if not isinstance(value, dict):
            return value
        reference = value.get("$ref")
        if not isinstance(reference, str):
            return {key: self.follow(each, root, depth + 1) for key, each in value.items()}
        target, whole = self.find(reference, root)
        followed = self.follow(target, whole, depth + 1)
        others = {key: self.follow(each, root, depth + 1) for key, each in value.items() if key != "$ref"}
        if others and isinstance(followed, dict):
            return others | followed
        return followed

    def find(self, reference: str, root: Any) -> tuple[Any, Any]:
        """Return what a reference points to, and the document that it is in."""
        file, _, pointer = reference.partition("#")
        if file:
            if "://" in file:
                raise Refusal(f"the reference {reference} is an address, from which nothing is fetched")
            root = _load_path(self.files.find(file), self.files)
        target = root
        for part in pointer.split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict) and key in target:
                target = target[key]
            elif isinstance(target, list) and key.isdigit() and int(key) < len(target):
                target = target[int(key)]
            else:
                raise Refusal(f"the reference {reference} leads nowhere")
        return target, root


def fill_environment(value: Any, environment: Mapping[str, str]) -> Any:
    """Return a value in which `{{ env.NAME }}` is filled in where the name is known or has a filter."""
    if isinstance(value, list):
        return [fill_environment(each, environment) for each in value]
    if isinstance(value, dict):
        return {key: fill_environment(each, environment) for key, each in value.items()}
    if not isinstance(value, str) or "env" not in value:
        return value

    def fill(match: re.Match[str]) -> str:
        tag = match.group()
        if not ENVIRONMENT.search(tag):
            return tag
        named = ENVIRONMENT_NAME.search(tag)
        if named:
            name = named.group(1) or named.group(2)
        else:
            name = ""
        if "|" not in tag and name not in environment:
            return tag
        try:
            return "".join(chunk.text for chunk in render(tag, {"env": import_value(dict(environment))}))
        except TemplateFault:
            return tag

    return TAG.sub(fill, value)


def list_environment_names(text: str) -> list[str]:
    """Return the names of the environment that a text asks for."""
    tags = [tag.group() for tag in TAG.finditer(text) if ENVIRONMENT.search(tag.group())]
    found_names = [match.group(1) or match.group(2) for tag in tags for match in ENVIRONMENT_NAME.finditer(tag)]
    return list(dict.fromkeys(found_names))

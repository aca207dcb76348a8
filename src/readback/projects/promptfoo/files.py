"""Files that a promptfoo project names: read inside the workspace, decoded as JavaScript does, never run or fetched."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from readback.projects.javascript_text import parse_json
from readback.readers.files.paths import expand, format_relative, resolve
from readback.readers.yaml.yaml_core import read_core_yaml
from readback.types import NOWHERE, Diagnostic, Location

LARGEST = 48 << 20  # bytes of one file of a project: 50,000 rows with some contexts have fewer
CODE = re.compile(r"\.(?:js|cjs|mjs|ts|cts|mts|py|rb|go|sh|bash|exe|bat|cmd|ps1|pl)(?::[\w.]+)?$", re.IGNORECASE)
PROGRAM = re.compile(r"(?:exec|python|javascript|package):")
ADDRESS = re.compile(r"(?:https?|az|s3|gs|huggingface|hf|portkey|langfuse|helicone|promptfoo)://")
MAGIC = re.compile(r"[*?]|\[[^\]]+\]|[!+@]\([^)]*\)")
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
ALTERNATIVES = 64  # patterns that one pattern with braces stands for
WHAT_CODE = "code"
FILE = "file://"

Dates = Literal["object", "text"]


class Refusal(Exception):  # noqa: N818 - carries what the tool says
    """The tool would stop here; `diagnostic` says why where a finding is more than the reason."""

    def __init__(self, reason: str, diagnostic: Diagnostic | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.diagnostic = diagnostic


class MadeByCode(Exception):  # noqa: N818 - an outcome, not an error
    """Only running a program or asking a service gives the value; `diagnostic` says so."""

    def __init__(self, path: str, what: str, place: Location) -> None:
        super().__init__(path)
        self.diagnostic = Diagnostic("dat-made-by-code", {"path": path[:200], "what": what}, place, path[:200])


@dataclass(slots=True)
class ProjectFiles:
    """The files below a workspace, as seen from the folder of a configuration."""

    root: Path
    folder: Path
    diagnostics: list[Diagnostic] = field(default_factory=list)
    texts: dict[Path, str] = field(default_factory=dict)

    def find(self, reference: str, place: Location = NOWHERE) -> Path:
        """Return the file that a reference names; raises Refusal."""
        path = resolve(self.root, reference.removeprefix(FILE), base=self.folder, place=place)
        if isinstance(path, Diagnostic):
            raise Refusal(f"{reference} cannot be read: {path.values['reason']}", path)
        return path

    def get_name(self, path: Path) -> str:
        """Return how the tool names a file: from the folder of the configuration."""
        return Path(os.path.relpath(path, self.folder)).as_posix()

    def get_place(self, path: Path, line: int | None = 1) -> Location:
        """Return where a file is, for a finding."""
        return Location(file=format_relative(self.root, path), line=line)

    def read(self, path: Path) -> str:
        """Return the text of a file as Node reads UTF-8: bytes that are none become U+FFFD; a mark stays."""
        if path in self.texts:
            return self.texts[path]
        place = self.get_place(path, None)
        try:
            with path.open("rb") as stream:
                data = stream.read(LARGEST + 1)
        except OSError as error:
            reason = (error.strerror or "not readable").lower()
            missing = Diagnostic("dat-file-missing", {"path": place.file, "reason": reason}, place)
            raise Refusal(f"{place.file} cannot be read: {reason}", missing) from None
        if len(data) > LARGEST:
            values = {"what": f"{place.file}, bytes of a file of a project", "limit": LARGEST}
            raise Refusal(f"{place.file} is too large", Diagnostic("dat-limit", values, place))
        text = data.decode("utf-8", "replace")
        self.texts[path] = text
        return text

    def expand(self, pattern: str, place: Location = NOWHERE) -> list[Path]:
        """Return the files that match a pattern, in the order in which the package glob lists them."""
        paths: list[Path] = []
        if self.folder != self.root:
            prefix = format_relative(self.root, self.folder)
        else:
            prefix = ""
        for alternative in expand_braces(pattern.removeprefix(FILE)):
            if prefix:
                named = f"{prefix}/{alternative}"
            else:
                named = alternative.removeprefix("./")
            found_paths, diagnostics = expand(self.root, named, place)
            outside = [each for each in diagnostics if each.code == "dat-path-outside"]
            self.diagnostics.extend(outside)
            ordered = order_as_glob(found_paths, self.root)
            paths.extend(path for path in ordered if path not in paths)
        return paths

    def read_yaml(self, path: Path, dates: Dates = "object") -> Any:
        """Return the value of a YAML file; raises Refusal where js-yaml would not read it."""
        return self.decode_yaml(self.read(path), path, dates)

    def decode_yaml(self, text: str, path: Path, dates: Dates = "object") -> Any:
        """Return the value of a YAML text of a file."""
        decoded = read_core_yaml(text, dates)
        name = format_relative(self.root, path)
        for note in decoded.notes:
            place = Location(file=name, line=note["line"], column=note["column"])
            self.diagnostics.append(Diagnostic(note["code"], note["values"], place, note["flagged"]))
        if decoded.refusal:
            raise Refusal(f"{name} is not YAML that the tool reads")
        return decoded.value

    def read_json(self, path: Path) -> Any:
        """Return the value of a JSON file; raises Refusal where JSON.parse would not read it."""
        try:
            return parse_json(self.read(path))
        except ValueError as error:
            name = format_relative(self.root, path)
            bad = Diagnostic("dat-bad-line", {"reason": f"not JSON ({error})"}, Location(file=name))
            raise Refusal(f"{name} is not JSON: {error}", bad) from None


def order_as_glob(paths: Iterable[Path], folder: Path) -> list[Path]:
    """Return files as the package glob lists them: of each folder its files backwards, then its folders backwards."""
    here = sorted((path for path in paths if path.parent == folder), reverse=True)
    deeper: dict[str, list[Path]] = {}
    for path in paths:
        if path.parent != folder:
            deeper.setdefault(path.relative_to(folder).parts[0], []).append(path)
    for name in sorted(deeper, reverse=True):
        here += order_as_glob(deeper[name], folder / name)
    return here


def expand_braces(pattern: str) -> list[str]:
    """Return the patterns that one with `{a,b}` stands for."""
    patterns = [pattern]
    while any(BRACES.search(each) for each in patterns):
        wider: list[str] = []
        for each in patterns:
            match = BRACES.search(each)
            if match:
                parts = match.group(1).split(",")
            else:
                parts = [""]
            if match:
                start, end = (match.start(), match.end())
            else:
                start, end = (len(each), len(each))
            wider.extend(each[:start] + part + each[end:] for part in parts)
        patterns = wider[:ALTERNATIVES]
        if len(wider) > ALTERNATIVES:
            break
    return patterns


def has_magic(text: str) -> bool:
    """Whether a path is a pattern: it has `*`, `?`, a class in brackets or an extended group."""
    return MAGIC.search(text) is not None


def is_code(reference: str) -> bool:
    """Whether only a program makes what a reference stands for."""
    return CODE.search(reference) is not None or PROGRAM.match(reference) is not None

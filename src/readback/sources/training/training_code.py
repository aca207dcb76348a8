"""The system texts that are in a notebook or a Python file, parsed and never run, with texts of files they import."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from readback import sandbox
from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.text_file import read_text
from readback.sources.templates import python_constants
from readback.sources.templates.python_constants import SYSTEM, Text
from readback.types import Diagnostic, Location

NOTEBOOK, PYTHON = ".ipynb", ".py"
SUFFIXES = (NOTEBOOK, PYTHON)
LIMITS = {NOTEBOOK: 16 << 20, PYTHON: 1 << 20}  # bytes; outputs with pictures are most of a notebook
FILES = 16  # other files that one file's imports are looked up in
DEEP = 2  # imports of imports


@dataclass(frozen=True, slots=True)
class Candidate:
    """A system text as it is somewhere; None where it would have to be computed, then `code` is its expression.

    `name` is the constant's, or the argument's. `answered`: a message with an answer beside it, as in training.
    """

    text: str | None
    place: Location
    name: str = ""
    code: str = ""
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """What a file holds: `messages` of the role system, texts `named` so, all its `constants`, all its source text."""

    messages: tuple[Candidate, ...] = ()
    named: tuple[Candidate, ...] = ()
    constants: tuple[Candidate, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    source: str = field(default="", repr=False)
    imported: Mapping[str, str] = field(default_factory=dict)  # texts of other files, by their names here

    @property
    def texts(self) -> tuple[Candidate, ...]:
        """The system messages, and what is called a system text without being one of them."""
        own = {candidate.text for candidate in self.messages if candidate.text is not None}
        return (
            *self.messages,
            *(candidate for candidate in self.named if candidate.text is None or candidate.text not in own),
        )


def read(path: Path, root: Path, deep: int = DEEP) -> Code:
    """Return the texts in `path`. What cannot be read is in the diagnostics, never raised."""
    file = format_relative(root, path)
    cells, source, diagnostics = _read_cells(path, file)
    sources = [text for _, text in cells]
    source_texts = python_constants.find_texts(sources)
    if deep:
        wanted = [imported for imported in source_texts.imports if _may_be_text(imported, source)]
    else:
        wanted = []
    if wanted:
        imported_texts = _read_imports(wanted, path, root, deep - 1)
    else:
        imported_texts = {}
    if imported_texts:
        source_texts = python_constants.find_texts(sources, imported_texts)
    if source_texts.stopped:
        return Code(
            diagnostics=(
                *diagnostics,
                Diagnostic("dat-limit", {"what": "the parser", "limit": source_texts.stopped}, Location(file=file)),
            )
        )
    places = [Location(file=file, field=name or None) for name, _ in cells]
    skipped = (
        Diagnostic(
            "trn-cell-skipped",
            {"cell": cells[i][0] or file, "reason": reason},
            replace(places[i], line=line),
            cells[i][0],
        )
        for i, line, reason in source_texts.skipped
        if cells[i][1].strip()
    )

    def candidate(text: Text) -> Candidate:
        place = replace(places[text.source], line=text.line)
        if place.field is None and text.name and text.text is not None:
            place = replace(place, field=text.name)
        return Candidate(text.text, place, text.name or "", text.code, text.answered)

    like = (text for text in source_texts.constants if SYSTEM.search(text.name or "") and _is_prose(text.text))
    others = (text for text in source_texts.others if text.text is None or _is_prose(text.text))
    return Code(
        tuple(candidate(text) for text in source_texts.systems if not text.is_argument),
        tuple(dict.fromkeys(candidate(text) for text in (*like, *others))),
        tuple(map(candidate, source_texts.constants)),
        (*diagnostics, *skipped),
        source,
        imported_texts,
    )


def _is_prose(text: str | None) -> bool:
    """More than one word: `operating_system = "linux"` is no message to a model."""
    return text is not None and len(text.split()) > 1


def _read_cells(path: Path, file: str) -> tuple[list[tuple[str, str]], str, tuple[Diagnostic, ...]]:
    """Return the code of a file, or of a notebook by its cells; and all its text, with that between the cells."""
    text, diagnostics = read_text(path, file, LIMITS.get(path.suffix, 1 << 20))
    if text is None:
        return [], "", diagnostics
    if path.suffix != NOTEBOOK:
        return [("", text)], text, diagnostics
    try:
        cells = sandbox.call(
            "readback.sources.training.training_code:list_notebook_cells", text, python_constants.LIMITS
        )
    except sandbox.Stopped as stopped:
        return (
            [],
            "",
            (
                *diagnostics,
                Diagnostic("dat-limit", {"what": stopped.kind, "limit": stopped.detail}, Location(file=file)),
            ),
        )
    if isinstance(cells, str):
        diagnostic = Diagnostic("trn-cell-skipped", {"cell": "the notebook", "reason": cells}, Location(file=file))
        return [], "", (*diagnostics, diagnostic)
    whole = "\n".join(source for _, _, source in cells)
    return [(f"cell {number}", source) for number, is_code, source in cells if is_code], whole, diagnostics


def list_notebook_cells(text: str) -> list[tuple[int, bool, str]] | str:
    """In the sandbox: the cells of a notebook with their numbers (from 1) and whether they are code, or what is wrong.

    A cell whose first line hands it to another language (`%%bash`) keeps its lines, without that one, as it may be
    Python all the same (`%%time`).
    """
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON ({error})"
    if isinstance(notebook, dict):
        cells = notebook.get("cells")
    else:
        cells = None
    if not isinstance(cells, list):
        return "it has no cells"
    numbered_cells: list[tuple[int, bool, str]] = []
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            source = cell.get("source")
        else:
            source = None
        if isinstance(source, list):
            source = "".join(part for part in source if isinstance(part, str))
        if isinstance(source, str):
            is_code = cell.get("cell_type") == "code"
            head, newline, rest = source.partition("\n")
            numbered_cells.append((number, is_code, newline + rest if is_code and head.startswith("%%") else source))
    return numbered_cells


def _read_imports(imports: Sequence[tuple[str, str, str, int]], path: Path, root: Path, deep: int) -> Mapping[str, str]:
    """Return the texts of imported files by the names that they have here; installed packages are not looked up."""
    imported_texts: dict[str, str] = {}
    read_already: dict[Path, Code] = {}

    def texts(module: str, dots: int) -> Mapping[str, str]:
        other = _find_module_file(module, dots, path, root)
        if other is None or other == path or (other not in read_already and len(read_already) >= FILES):
            return {}
        code = read_already[other] = read_already.get(other) or read(other, root, deep)
        return {
            **code.imported,
            **{candidate.name: candidate.text for candidate in code.constants if candidate.text is not None},
        }

    for module, name, here, dots in imports:
        if not name:
            imported_texts |= {f"{here}.{attribute}": text for attribute, text in texts(module, 0).items()}
        elif name == "*":
            imported_texts |= texts(module, dots)
        elif name in (inside := texts(module, dots)):
            imported_texts[here] = inside[name]
        else:
            whole = f"{module}.{name}" if module else name
            imported_texts |= {f"{here}.{attribute}": text for attribute, text in texts(whole, dots).items()}
    return imported_texts


def _may_be_text(imported: tuple[str, str, str, int], source: str) -> bool:
    """Tell whether an import may bring a text: it is called like a constant, or something like one is asked of it."""
    _, name, here, _ = imported
    if name == "*" or name.isupper() or SYSTEM.search(name):
        return True
    return re.search(rf"\b{re.escape(here)}\.(?:[A-Z][A-Z0-9_]*\b|\w*system)", source) is not None


def _find_module_file(module: str, dots: int, path: Path, root: Path) -> Path | None:
    """Find the file of a module, as Python would from a script's folder, from those above it, and from their `src`."""
    parts = module.split(".") if module else []
    if not all(part.isidentifier() for part in parts):
        return None
    for folder in _list_folders(dots, path, root):
        for relative in ((*parts[:-1], f"{parts[-1]}.py"), (*parts, "__init__.py")) if parts else (("__init__.py",),):
            module_path = resolve(root, "/".join(relative), base=folder)
            if isinstance(module_path, Path):
                return module_path
    return None


def _list_folders(dots: int, path: Path, root: Path) -> Iterator[Path]:
    above = [folder for folder in path.parents if folder.is_relative_to(root)]
    if dots:
        yield from above[dots - 1 : dots]
        return
    for folder in above:
        yield from (folder, folder / "src")

"""List every file below a folder and what it is, within a budget that a foreign or hostile folder cannot exhaust."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from readback.readers.files.paths import DEPTH, format_relative, list_inside
from readback.types import NOWHERE, Diagnostic, Location
from readback.workspace.recognise import OTHER, RecognisedFile, recognise

PARSED = 64 << 20  # bytes of configurations, some half a minute of work; a review's own take a second or two
DEEPER = 16  # folders below the root that are searched where nothing is found in the usual ones
STOPPED = 4 << 20  # bytes that a file counts for whose reading had to be stopped


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies below `root`, the shallowest first and by name within a folder."""

    root: Path
    recognised: tuple[RecognisedFile, ...]
    files: tuple[Path, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)  # by file: why one that looked like a kind is of none
    depth: int = DEPTH

    def all(self, *what: str) -> tuple[RecognisedFile, ...]:
        """Return the files of some kinds."""
        return tuple(file for file in self.recognised if file.what in what)

    def find(self, path: Path) -> RecognisedFile | None:
        """Return what the file at `path` was recognised as; None where it is of no kind."""
        return next((file for file in self.recognised if file.path == path), None)


def survey(root: Path, depth: int = DEPTH) -> Survey:
    """Return what each file at most `depth` folders below `root` is; at the default, look deeper if none is known.

    Links that lead out of `root` are not followed.
    """
    listed = list_inside(root, depth)
    diagnostics = list(listed.diagnostics)
    reasons: dict[str, str] = {}
    recognised = tuple(_recognise_files(root, listed.files, diagnostics, reasons))
    if depth == DEPTH and listed.deeper and not recognised:
        return survey(root, DEEPER)
    return Survey(root, recognised, listed.files, tuple(diagnostics), reasons, depth)


def _recognise_files(
    root: Path, files: tuple[Path, ...], diagnostics: list[Diagnostic], reasons: dict[str, str]
) -> Iterator[RecognisedFile]:
    budget = PARSED
    for path in files:
        name = format_relative(root, path)
        if budget < 0:
            values = {"what": "configurations read to find out what the files are", "limit": f"{PARSED >> 20} MiB"}
            diagnostics.append(Diagnostic("dat-limit", values, NOWHERE, name))
            return
        file = recognise(path, root)
        budget -= _measure_cost(path, file)
        if file.what != OTHER:
            yield file
            continue
        diagnostics.extend(_list_faults(file))
        if file.reason:
            reasons[name] = file.reason
        if file.detail:
            refusal: dict[str, Any] = {"path": name, "reason": file.detail, "known": [], "endings": []}
            diagnostics.append(Diagnostic("dat-not-recognised", refusal, Location(file=name), name, "info"))


def _list_faults(file: RecognisedFile) -> Iterator[Diagnostic]:
    """Yield what is wrong with a file that looked like one of ours and is none.

    Nobody named it, so that it could not be read is less than an error, and how it writes its values is no finding.
    """
    if file.parsed is not None and file.parsed.value is not None:
        return
    for diagnostic in file.diagnostics:
        yield replace(diagnostic, severity=diagnostic.severity or "warning")


def _measure_cost(path: Path, file: RecognisedFile) -> int:
    """Return the work that a file took, in bytes that were parsed: a number that no busy machine changes."""
    if any(diagnostic.code == "dat-limit" for diagnostic in file.diagnostics):
        return STOPPED
    try:
        if file.parsed:
            return path.stat().st_size
        return 0
    except OSError:
        return 0

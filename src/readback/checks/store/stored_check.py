"""Answer a whole check from the store, as long as nothing that it depends on has changed.

Nothing is stored of a check that was quick, that was stopped, that failed or that met a limit of time.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from readback.checks.store import answer_names, answer_store, finding_lines
from readback.checks.store.answer_names import States
from readback.checks.store.answer_store import AnswerStore
from readback.checks.summary import Audit, Progress
from readback.prompts import model_input
from readback.readers.files.checksum import Hashes
from readback.sandbox.json_values import build_converter, freeze, to_json_values
from readback.types import Finding, Workspace

SLOW = 1.0  # seconds of a check whose answer is worth storing
TOGETHER = 500  # findings of one piece

Step = Finding | Progress | Audit


def answer_check(
    opened: Workspace, question: Mapping[str, Any], work: Callable[[], Iterator[Step]], hashes: Hashes
) -> Iterator[Step]:
    """Yield the steps of `work` (findings and progress, the Audit last), or the stored findings and Audit.

    `question`: what else the answer depends on, as JSON values; `hashes`: those that `work` shares.
    """
    if answer_names.can_name(opened):
        files = answer_names.list_files(opened.root)
    else:
        files = None
    if files is not None:
        store = answer_store.open_store()
    else:
        store = None
    if store is None or files is None:
        yield from work()
        return
    dated = replace(
        opened, today=model_input.resolve_today(opened)
    )  # templates may print the day on which the check began
    name = _name_answer(dated, question, files, hashes)
    pieces = store.read(name) if name else None
    answer = _unpack(pieces) if pieces else None
    if answer is not None:
        yield from answer
        return
    yield from _work_and_store(work, store, name, dated, files)


def _work_and_store(
    work: Callable[[], Iterator[Step]], store: AnswerStore, name: str | None, dated: Workspace, files: States
) -> Iterator[Step]:
    """Yield the steps of `work`; store them where the check was slow and no file changed meanwhile."""
    began = time.monotonic()
    packing = _Packing()
    for step in work():
        if isinstance(step, Finding):
            packing.add(step)
        elif isinstance(step, Audit):  # the last step, after which nobody may ask for more
            slow = time.monotonic() - began > SLOW
            if name and slow and packing.fits and _can_store(step) and answer_names.list_files(dated.root) == files:
                store.write(name, packing.finish(step))
        yield step


def _can_store(audit: Audit) -> bool:
    return not (audit.stopped or audit.faults or audit.sample or audit.limited)


def _name_answer(dated: Workspace, question: Mapping[str, Any], files: States, hashes: Hashes) -> str | None:
    """Return the name of the answer; None where a file is gone or cannot be read, which the check will say."""
    try:
        content = answer_names.digest_content(dated.root, files, hashes)
    except OSError:
        return None
    return answer_names.digest(["check", answer_names.list_versions(), freeze(dated), question, content])


class _Packing:
    """Pack findings while they pass by: pieces of lines, and in the end the summary."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._pieces: list[bytes] = []
        self._size = 0

    @property
    def fits(self) -> bool:
        return self._size <= answer_store.LARGEST

    def add(self, finding: Finding) -> None:
        if not self.fits:
            return
        self._lines.append(finding_lines.format_line(finding))
        if len(self._lines) >= TOGETHER:
            self._pack()

    def finish(self, audit: Audit) -> list[bytes]:
        """Return all pieces, the summary first."""
        self._pack()
        summary = zlib.compress(json.dumps(to_json_values(audit)).encode(), 1)
        return [summary, *self._pieces]

    def _pack(self) -> None:
        if self._lines:
            piece = zlib.compress("\n".join(self._lines).encode(), 1)
            self._pieces.append(piece)
            self._size += len(piece)
            self._lines.clear()


def _unpack(pieces: list[bytes]) -> Iterator[Finding | Audit] | None:
    """Return the findings and the Audit of stored pieces; None where an older version wrote them otherwise."""
    try:
        audit: Audit = build_converter(Audit)(json.loads(zlib.decompress(pieces[0])))
    except (zlib.error, ValueError, TypeError, LookupError):
        return None
    return _list_steps(audit, pieces[1:])


def _list_steps(audit: Audit, pieces: list[bytes]) -> Iterator[Finding | Audit]:
    for piece in pieces:
        for line in zlib.decompress(piece).decode().split("\n"):
            yield finding_lines.read_line(line)
    yield audit

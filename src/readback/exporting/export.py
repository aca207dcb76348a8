"""Write every record under every choice to a stream, in one of three forms; the command, the page and programs use it.

messages-jsonl   a line for each record and choice, also where nothing could be assembled
openai-batch     a request for each; what could not be assembled goes to a stream of its own
parquet          the rows of messages-jsonl as a table
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from readback.exporting import wanted
from readback.exporting.lines import Form
from readback.exporting.parquet_rows import ParquetRows
from readback.exporting.rows import Batch, rows
from readback.exporting.wanted import NothingToExport
from readback.prompts.children import Progress
from readback.prompts.request_settings import find_settings, make_request
from readback.readers.progress import Cancelled
from readback.records.dataset import Dataset, open_dataset
from readback.types import Selection, Workspace

MEDIA: Mapping[Form, tuple[str, str]] = {  # media type, ending of a file's name
    "messages-jsonl": ("application/jsonl", ".jsonl"),
    "openai-batch": ("application/jsonl", ".jsonl"),
    "parquet": ("application/vnd.apache.parquet", ".parquet"),
}


class NoModel(Exception):  # noqa: N818 - an outcome to say in one sentence
    """A request needs the name of a model, and nobody gives one; the text says for what."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export came to: records * choices = written + failed, unless it was `stopped`.

    `failed` could not be assembled, or not be written in this form. `masked` counts lines with private fields that
    were replaced, `wording` by adapter lines with its text in Readback's own words. `unread` are lines of the dataset
    that are no records. `unsent` are settings for which a request of chat completions has no name.
    """

    choices: tuple[Selection, ...]
    records: int = 0
    written: int = 0
    failed: int = 0
    masked: int = 0
    wording: Mapping[str, int] = field(default_factory=dict)
    unread: int = 0
    stopped: bool = False
    unsent: tuple[str, ...] = ()


def export(
    opened: Workspace,
    choices: Sequence[Selection],
    form: Form,
    out: BinaryIO,
    errors: Callable[[], BinaryIO] | None = None,
    *,
    model: str | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Exported:
    """Write the messages of every record under every choice to `out`, in the order of the records.

    `errors` gives, when it is first needed, the stream for what an openai-batch cannot hold; without it that is only
    counted. `model` is what a batch asks where neither condition nor judge names one. `progress(done, total)` is told
    now and then, in records; when it answers False the export ends with what it has. `jobs` children work at once
    (None: one on every core).

    Raises NothingToExport where there is no record, NoModel, DatasetChanged when the dataset is written to meanwhile,
    and OSError where a stream takes no more.
    """
    choices = tuple(dict.fromkeys(choices))
    models = _models(opened, choices, model) if form == "openai-batch" else {}
    settings = {choice: make_request(find_settings(opened, choice)) for choice in models}
    requests = {choice: (name, settings[choice].body) for choice, name in models.items()}
    left_out = dict.fromkeys(name for request in settings.values() for name in request.left_out)
    try:
        data = open_dataset(opened.root, opened.dataset, lambda *_: progress is None or progress(0, 0) is not False)
    except Cancelled:
        return Exported(choices, stopped=True)
    if why := _nothing(data):
        raise NothingToExport(why)
    sink: _Sink = ParquetRows(out, choices) if form == "parquet" else _Lines(out, form, errors)
    lines = failed = masked = 0
    wording = Counter[str]()
    try:
        for batch in rows(opened, data, choices, form, requests, progress, jobs):
            sink.take(batch)
            lines += len(batch.lines)
            failed += len(batch.failed)
            masked += batch.masked
            wording.update(batch.wording)
    finally:
        sink.close()  # also of what is thrown away: Arrow would close it later, when the stream is gone
    stopped = lines < len(data) * len(choices)
    written = lines - failed
    unread, unsent = data.counts.bad, tuple(left_out)
    return Exported(choices, len(data), written, failed, masked, dict(wording), unread, stopped, unsent)


class _Sink(Protocol):
    def take(self, batch: Batch) -> None: ...

    def close(self) -> None: ...


class _Lines:
    """Lines as they are; of a batch of requests, those that are none go elsewhere."""

    def __init__(self, out: BinaryIO, form: Form, errors: Callable[[], BinaryIO] | None) -> None:
        self.out, self.apart, self.errors = out, form == "openai-batch", errors
        self.opened: BinaryIO | None = None

    def take(self, batch: Batch) -> None:
        if not (self.apart and batch.failed):
            _write(self.out, batch.lines)
            return
        _write(self.out, [line for number, line in enumerate(batch.lines) if number not in batch.failed])
        if self.errors:
            self.opened = self.opened or self.errors()
            _write(self.opened, [batch.lines[number] for number in sorted(batch.failed)])

    def close(self) -> None:
        pass


def _write(out: BinaryIO, lines: Sequence[str]) -> None:
    if lines:
        out.write(("\n".join(lines) + "\n").encode())


def _models(opened: Workspace, choices: Sequence[Selection], given: str | None) -> Mapping[Selection, str]:
    """The model of each choice. Raises NoModel."""
    found = {choice: wanted.model(opened, choice, given) for choice in choices}
    if lacking := [choice for choice, model in found.items() if not model]:
        names = ", ".join(dict.fromkeys(wanted.name(choice) for choice in lacking))
        raise NoModel(f"a request names its model, and none is known for {names}")
    return {choice: model for choice, model in found.items() if model}


def _nothing(data: Dataset) -> str:
    """Why there is no record; "" where there is one."""
    if data.source is None:
        return "the workspace has no dataset, so there is no record"
    if len(data):
        return ""
    return f"there is no record: the dataset '{data.file}' " + ("is not there" if data.source.absent else "has none")

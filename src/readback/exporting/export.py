"""Write every record under every selection to a stream or a file, in one of six forms.

messages-jsonl   a line for each record and selection, also where nothing could be assembled
openai-batch     a request for each; what could not be assembled goes to a stream of its own
parquet          the rows of messages-jsonl as a table
promptfoo        a configuration of promptfoo, with a test for each
inspect-dataset  a sample of Inspect for each
ollama-chat      a request to Ollama for each

The last three have a stream for what could not be assembled, or what the tool would change, as openai-batch has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from readback.exporting.lines import ASKING_FORMS, Form
from readback.exporting.parquet_rows import ParquetRows
from readback.exporting.promptfoo_config import PromptfooConfig
from readback.exporting.rows import Batch, export_rows
from readback.exporting.selections import NothingToExport, describe_selection, find_model
from readback.exporting.tool_lines import make_ollama_options
from readback.exporting.whole_file import whole_file
from readback.prompts.children import Progress
from readback.prompts.request_settings import Request, find_settings, make_request
from readback.readers.files.progress import Cancelled
from readback.records.dataset import Dataset, open_dataset
from readback.types import Selection, Workspace

MEDIA: Mapping[Form, tuple[str, str]] = {  # media type, ending of a file's name
    "messages-jsonl": ("application/jsonl", ".jsonl"),
    "openai-batch": ("application/jsonl", ".jsonl"),
    "parquet": ("application/vnd.apache.parquet", ".parquet"),
    "promptfoo": ("application/yaml", ".yaml"),
    "inspect-dataset": ("application/jsonl", ".jsonl"),
    "ollama-chat": ("application/jsonl", ".jsonl"),
}
SPLIT_FORMS: tuple[Form, ...] = ("openai-batch", "promptfoo", "inspect-dataset", "ollama-chat")  # failures lie apart
ERRORS = ".errors.jsonl"  # added to a file's name for what a batch of requests cannot hold


class NoModel(Exception):  # noqa: N818 - an outcome to say in one sentence
    """A request needs the name of a model, and nothing names one; the text says for what."""


class OwnFile(Exception):  # noqa: N818 - an outcome to say in one sentence
    """The file is one of the workspace, which an export does not overwrite."""


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The counts of an export: records * choices = written + failed, unless it was `stopped`.

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
    workspace: Workspace,
    selections: Sequence[Selection],
    form: Form,
    out: BinaryIO,
    open_errors: Callable[[], BinaryIO] | None = None,
    *,
    model: str | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> ExportResult:
    """Write the messages of every record under every selection to `out`, in the order of the records.

    `open_errors` returns, when it is first needed, the stream for what a form of SPLIT_FORMS cannot hold; without it
    that is only counted. `model` is what a request asks where neither condition nor judge names one; promptfoo calls it
    a provider. `progress(done, total)` is
    called now and then, in records; when it returns False the export ends with what it has. `jobs` children work at
    once (None: one on every core).

    Raises NothingToExport where there is no record, NoModel, DatasetChanged when the dataset is written to meanwhile,
    and OSError where a stream takes no more.
    """
    selections = tuple(dict.fromkeys(selections))
    if form in ASKING_FORMS:
        models = _find_models(workspace, selections, model)
    else:
        models = {}
    settings = {selection: _make_request(workspace, selection, form) for selection in models}
    requests = {selection: (name, settings[selection].body) for selection, name in models.items()}
    unsent = dict.fromkeys(name for request in settings.values() for name in request.left_out)
    try:
        records = open_dataset(
            workspace.root, workspace.dataset, lambda *_: progress is None or progress(0, 0) is not False
        )
    except Cancelled:
        return ExportResult(selections, stopped=True)
    if records.source is None or not len(records):
        raise NothingToExport(_explain_no_records(records))
    sink = _open_sink(out, form, selections, model, open_errors)
    lines = failed = masked = 0
    wording = Counter[str]()
    try:
        for batch in export_rows(workspace, records, selections, form, requests, progress, jobs):
            sink.write(batch)
            lines += len(batch.lines)
            failed += len(batch.failed)
            masked += batch.masked
            wording.update(batch.wording)
    finally:
        sink.close()  # also after an error: Arrow would close it later, when the stream is gone
    return ExportResult(
        selections,
        records=len(records),
        written=lines - failed,
        failed=failed,
        masked=masked,
        wording=dict(wording),
        unread=records.counts.bad,
        stopped=lines < len(records) * len(selections),
        unsent=tuple(unsent),
    )


def export_to_file(
    workspace: Workspace,
    selections: Sequence[Selection],
    form: Form,
    path: Path,
    *,
    model: str | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> ExportResult:
    """Export to `path`, and what a form of SPLIT_FORMS cannot hold to `path` with ERRORS added to its name.

    Both exist whole or not at all: they are written under other names and renamed at the end. An errors file of an
    earlier export to the same place is deleted where there is none of this one. Raises what `export` raises, and
    OwnFile.
    """
    if any(_is_same_file(path, workspace.root / file.path) for file in workspace.recognised):
        raise OwnFile(f"{path} is a file of the workspace, which an export does not overwrite")
    errors_path = path.with_name(path.name + ERRORS)
    error_files: list[BinaryIO] = []
    with ExitStack() as stack:
        out = stack.enter_context(whole_file(path))

        def open_errors() -> BinaryIO:
            error_files.append(stack.enter_context(whole_file(errors_path)))
            return error_files[0]

        result = export(workspace, selections, form, out, open_errors, model=model, progress=progress, jobs=jobs)
    if form in SPLIT_FORMS and not error_files and path.is_file():
        errors_path.unlink(missing_ok=True)
    return result


def _make_request(workspace: Workspace, selection: Selection, form: Form) -> Request:
    """Return what a request says besides messages, by the names of its interface."""
    settings = find_settings(workspace, selection)
    if form == "ollama-chat":
        return Request(*make_ollama_options({name: setting.value for name, setting in settings.items()}))
    return make_request(settings)


def _open_sink(
    out: BinaryIO,
    form: Form,
    selections: Sequence[Selection],
    model: str | None,
    open_errors: Callable[[], BinaryIO] | None,
) -> _Sink:
    if form == "parquet":
        return ParquetRows(out, selections)
    if form == "promptfoo":
        return _Split(PromptfooConfig(out, model), open_errors)
    lines = _Lines(out)
    if form in SPLIT_FORMS:
        return _Split(lines, open_errors)
    return lines


def _is_same_file(path: Path, workspace_path: Path) -> bool:
    try:
        return path.samefile(workspace_path)
    except OSError:
        return False


class _Sink(Protocol):
    def write(self, batch: Batch) -> None: ...

    def close(self) -> None: ...


class _Lines:
    """Write lines as they are."""

    def __init__(self, out: BinaryIO) -> None:
        self.out = out

    def write(self, batch: Batch) -> None:
        _write_lines(self.out, batch.lines)

    def close(self) -> None:
        pass


class _Split:
    """Write the lines that failed to a stream of their own, and hand on the others."""

    def __init__(self, sink: _Sink, open_errors: Callable[[], BinaryIO] | None) -> None:
        self.sink, self.open_errors = sink, open_errors
        self.errors: BinaryIO | None = None

    def write(self, batch: Batch) -> None:
        if not batch.failed:
            self.sink.write(batch)
            return
        good = [line for number, line in enumerate(batch.lines) if number not in batch.failed]
        self.sink.write(batch._replace(lines=good, failed=frozenset()))
        if self.open_errors:
            self.errors = self.errors or self.open_errors()
            _write_lines(self.errors, [batch.lines[number] for number in sorted(batch.failed)])

    def close(self) -> None:
        self.sink.close()


def _write_lines(out: BinaryIO, lines: Sequence[str]) -> None:
    if lines:
        out.write(("\n".join(lines) + "\n").encode())


def _find_models(workspace: Workspace, selections: Sequence[Selection], default: str | None) -> Mapping[Selection, str]:
    """Return the model of each selection. Raises NoModel."""
    models = {}
    unnamed = []
    for selection in selections:
        model = find_model(workspace, selection, default)
        if model:
            models[selection] = model
        else:
            unnamed.append(describe_selection(selection))
    if unnamed:
        names = ", ".join(dict.fromkeys(unnamed))
        raise NoModel(f"a request names its model, and none is known for {names}")
    return models


def _explain_no_records(records: Dataset) -> str:
    if records.source is None:
        return "the workspace has no dataset, so there is no record"
    if records.source.absent:
        reason = "is not there"
    else:
        reason = "has none"
    return f"there is no record: the dataset '{records.file}' {reason}"

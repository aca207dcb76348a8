"""Tasks become modes: what each sends needs its settings, its documents, its examples and how it was run.

A run is what the files of results say: examples asked for, a system instruction, whether as a chat, the seed. Without
one a task is shown as a text, and one that generates also as the chat that `--apply_chat_template` makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from readback.projects.lm_eval import documents, shots
from readback.projects.lm_eval.documents import Document, Documents, Unreadable
from readback.projects.lm_eval.render import CODE, ROLLING, asks_choices, render_messages
from readback.projects.lm_eval.task_file import Code, TaskFile, read_task_file
from readback.projects.model import ProjectMode
from readback.types import Diagnostic

TOOL = "lm_eval"
GENERATES = "generate_until"
TYPES = (GENERATES, "loglikelihood", ROLLING, "multiple_choice")
CHAT = "chat"
CHECKED = 200  # documents that are rendered to see whether the tool would stop
NOT_HERE, SHOTS_UNKNOWN, BY_CODE = "dat-documents-elsewhere", "dat-shots-unknown", "dat-made-by-code"
# What code makes of a task and messages do not depend on.
OF_SCORES = ("process_results", "metric_list", "filter_list", "doc_to_decontamination_query", "should_decontaminate")
OF_PROMPT = ("doc_to_text", "doc_to_target", "doc_to_choice", "description", "gen_prefix")
TEXTS = {"target_delimiter": " ", "fewshot_delimiter": "\n\n"}


@dataclass(frozen=True, slots=True)
class Run:
    """How tasks were run, as far as a file says: `shots` by task; `file` says it."""

    file: str = ""
    shots: Mapping[str, int] = field(default_factory=dict)
    is_chat: bool = False
    is_multiturn: bool = True
    system: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A task file: its modes, and what their documents are called, so that tasks with the same ones go together.

    `documents` is None where nothing can be said of them, and `rows` counts those that lie here. `included` are other
    files that it consists of, `data` the files of its documents.
    """

    file: str
    name: str
    modes: tuple[ProjectMode, ...] = ()
    documents: str | None = None
    rows: int | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    refused: str | None = None
    included: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    members: tuple[str, ...] = ()  # of a group, which is no task itself


def read_task(path: Path, root: Path, runs: Sequence[Run], *, with_documents: bool) -> Task:
    """Return the task of a file. Call it in a bounded child; `with_documents` costs as much as they are large."""
    file = read_task_file(path, root)
    config = file.config
    members = config.get("task")
    if isinstance(members, list) and isinstance(config.get("group"), str):
        names = tuple(str(each.get("task", each.get("group")) if isinstance(each, dict) else each) for each in members)
        return Task(file.file, str(config.get("group", path.stem)), included=tuple(file.included), members=names)
    reader = _TaskReader(path, root, file)
    return reader.read(runs, with_documents)


class _TaskReader:
    """Reads one task."""

    def __init__(self, path: Path, root: Path, file: TaskFile) -> None:
        self.file = file
        self.config = file.config
        name = self.config.get("task")
        if isinstance(name, str) and name:
            self.name = name
        else:
            self.name = path.stem
        if name is not None and self.name != name:
            file.refuse("its task is no name")
        files = documents.list_files(self.config)
        self.documents = None
        if files:
            kwargs = self.config["dataset_kwargs"]
            loader = self.config["dataset_path"]
            place = file.get_place("dataset_kwargs")
            self.documents = Documents(root, path.parent, loader, kwargs, files, place)

    def read(self, runs: Sequence[Run], with_documents: bool) -> Task:
        """Return the task with a mode for each way in which it was run, or may be."""
        own = self.config
        for key in OF_PROMPT:
            if isinstance(own.get(key), Code):
                self.report_code(key, "a part of its prompt")
        if self.config.get("output_type", GENERATES) not in TYPES:
            self.file.refuse(f"the output_type {self.config['output_type']!r} is none of {', '.join(TYPES)}")
        self.report_scores()
        if with_documents:
            rows = self.read_rows()
        else:
            rows = None
        modes = [self.build_mode(name, run, rows) for name, run in self.list_runs(runs)]
        if rows and not self.file.refused:
            self.check_rows(modes, rows)
        return Task(
            self.file.file,
            self.name,
            tuple(modes),
            self.name_documents(),
            None if rows is None else len(rows),
            _list_once(self.file.diagnostics) if with_documents else (),
            self.file.refused,
            tuple(dict.fromkeys(self.file.included)),
            self.documents.list_paths() if self.documents else (),
        )

    def list_runs(self, runs: Sequence[Run]) -> list[tuple[str, Run]]:
        """Return a name for each way in which the task was run, or in which it may be."""
        named: list[tuple[str, Run]] = []
        for run in runs:
            if self.name in run.shots and all(_is_other(run, self.name, other) for _, other in named):
                if not named:
                    name = self.name
                else:
                    name = f"{self.name} ({Path(run.file).stem})"
                named.append((name, run))
        if named:
            return named
        plain = Run()
        named.append((self.name, plain))
        if self.config.get("output_type", GENERATES) == GENERATES:
            named.append((f"{self.name} ({CHAT})", replace(plain, is_chat=True)))
        return named

    def read_rows(self) -> list[Document] | None:
        """Return the documents that the task is about; None where they are not here."""
        if isinstance(self.config.get("process_docs"), Code):
            self.report_code("process_docs", "its documents")
            return None
        if self.documents is None:
            named = self.config.get("dataset_path")
            if isinstance(self.config.get("custom_dataset"), Code):
                self.report_code("custom_dataset", "its documents")
            elif named is not None:
                name = "/".join(str(each) for each in (named, self.config.get("dataset_name")) if each)
                self.report(NOT_HERE, "dataset_path", name, task=self.name, path=name)
            else:
                self.file.refuse("it names no dataset_path")
            return None
        split = self.get_split()
        if split is None:
            self.file.refuse("it has neither a test_split nor a validation_split")
            return None
        for each in (*self.documents.files, split):  # the tool reads every split, whether the task uses it or not
            try:
                self.documents.take(each)
            except Unreadable as fault:
                self.file.refuse(str(fault))
                self.report_fault(fault)
        return self.documents.read.get(split)

    def get_split(self) -> str | None:
        """Return the split that is asked about: `test_split`, else `validation_split`."""
        for key in ("test_split", "validation_split"):
            if isinstance(self.config.get(key), str):
                return str(self.config[key])
        return None

    def name_documents(self) -> str | None:
        """Return a key that tasks about the same documents share."""
        config = self.config
        split = self.get_split()
        if split is None or isinstance(config.get("process_docs"), Code):
            return None
        if self.documents is not None:
            return f"{self.documents.folder} {self.documents.loader} {self.documents.files.get(split)} {split}"
        return f"{config.get('dataset_path')} {config.get('dataset_name')} {split}"

    def build_mode(self, name: str, run: Run, rows: Sequence[Document] | None) -> ProjectMode:
        """Return the mode of a task under a run, with what rendering needs."""
        config = self.config
        settings: dict[str, Any] = {key: _export_code(config.get(key)) for key in OF_PROMPT}
        settings["description"] = config.get("description") or ""
        for key, default in TEXTS.items():
            settings[key] = self.take_text(key, config.get(key, default))
        settings["output_type"] = config.get("output_type", GENERATES)
        of_shots = config.get("fewshot_config")
        if isinstance(of_shots, dict):
            own = of_shots
        else:
            own = {}
        keys = ("doc_to_text", "doc_to_target", "doc_to_choice", "gen_prefix", *TEXTS)
        settings["fewshot"] = {key: _export_code(own[key]) if key in own else settings[key] for key in keys}
        settings |= {"chat": run.is_chat, "multiturn": run.is_multiturn, "system": run.system}
        number = run.shots.get(self.name, config.get("num_fewshot"))
        count = number if isinstance(number, int) else 0
        settings |= self.find_shots(settings, run, count)
        if rows:
            settings["asks_choices"] = asks_choices(settings, rows[0])
        if reason := self.find_hidden_part(settings):
            settings["hidden"] = reason
        if run.file:
            settings["run"] = run.file
        template = config.get("doc_to_text")
        if isinstance(template, str):
            text = template
        else:
            text = str(getattr(template, "name", template))
        return ProjectMode(name, text, settings, self.file.get_place("doc_to_text"))

    def take_text(self, key: str, value: Any) -> str:
        """Return a delimiter, which has to be a text."""
        if isinstance(value, str):
            return value
        self.file.refuse(f"its {key} is no text")
        return TEXTS[key]

    def find_hidden_part(self, settings: Mapping[str, Any]) -> str | None:
        """Return why the messages of the task cannot be shown, if code makes a part of them."""
        if self.config.get("use_prompt") is not None:
            return f"its prompt is {self.config['use_prompt']!r} of promptsource, which is not read"
        if settings["output_type"] == ROLLING:
            needed = ["doc_to_target"]
        else:
            needed = ["doc_to_text", "description"]
        needed += [] if settings["output_type"] == ROLLING else ["gen_prefix"]
        for key in needed:
            value = self.config.get(key)
            if isinstance(value, Code):
                return f"its {key} is made by code ({value.name}), which Readback does not run"
        return None

    def find_shots(self, settings: Mapping[str, Any], run: Run, number: int) -> dict[str, Any]:
        """Return the examples that every document has, or that each has its own, or that they are unknown."""
        if number <= 0:
            return {"shots": []}
        sampler = shots.get_sampler(self.config)
        if isinstance(sampler, str) and sampler not in (shots.FIRST, shots.DEFAULT):
            self.file.refuse(f"its sampler {sampler!r} is none of {shots.DEFAULT}, {shots.FIRST}")
            return {"shots": None}
        if any(isinstance(value, dict) and CODE in value for value in settings["fewshot"].values()):
            self.report_shots(number, "they are made by code")
            return {"shots": None}
        excludes = shots.excludes_own(self.config)
        if sampler == shots.DEFAULT:
            self.check_number(number, excludes)
        if sampler == shots.DEFAULT and run.seed is None:
            self.report_shots(number, "they are drawn at random by a seed that no file here states")
            return {"shots": None}
        if isinstance(sampler, Code):
            self.report_shots(number, f"they are chosen by code ({sampler.name})")
            return {"shots": None}
        try:
            candidates = shots.list_candidates(self.config, self.take)
        except Unreadable as fault:
            self.report_fault(fault)
            self.report_shots(number, str(fault))
            return {"shots": None}
        if sampler == shots.DEFAULT:
            return {"shots": None, "drawn": number, "seed": run.seed}
        first = shots.take_first_shots(candidates, number, excludes)
        if len(first) < number:
            self.file.refuse(f"it asks for {number} examples, and there are {len(candidates)}")
        return {"shots": first, "number": number, "excludes": excludes}

    def check_number(self, number: int, excludes: bool) -> None:
        """Note for a sampler that draws at random that there are too few documents to draw from."""
        try:
            count = len(shots.list_candidates(self.config, self.take))
        except Unreadable:
            return
        if number + excludes > count:
            self.file.refuse(f"it asks for {number} examples, and there are {count} to draw from")

    def take(self, split: str) -> list[Document]:
        """Return the documents of a split; raises Unreadable."""
        if self.documents is None:
            raise Unreadable("the documents that they are taken from are not here")
        return self.documents.take(split)

    def check_rows(self, modes: Sequence[ProjectMode], rows: Sequence[Document]) -> None:
        """Note for what the tool would stop: it does so at the first document that it cannot render."""
        for mode in modes:
            drawn = self.draw(mode, rows)
            for index, row in enumerate(rows[:CHECKED]):
                if drawn is None:
                    own_shots = None
                else:
                    own_shots = drawn[index]
                answer = render_messages(mode.settings, row, choose_shots(mode.settings, row, own_shots))
                if answer.error is not None:
                    self.file.refuse(f"the task {self.name} stops at its document {index}: {answer.error}")
                    return

    def draw(self, mode: ProjectMode, rows: Sequence[Document]) -> list[list[Document]] | None:
        """Return the examples of each document where a seed says which they are."""
        number = mode.settings.get("drawn")
        if not number or number * len(rows) > shots.DRAWN:
            return None
        try:
            candidates = shots.list_candidates(self.config, self.take)
            return shots.draw_shots(candidates, rows, number, mode.settings["seed"], shots.excludes_own(self.config))
        except Unreadable:
            return None

    def report(self, code: str, key: str, flagged: str, **values: Any) -> None:
        """Note a finding at a key of the task."""
        self.file.diagnostics.append(Diagnostic(code, values, self.file.get_place(key), flagged[:200]))

    def report_code(self, key: str, what: str) -> None:
        """Note that a function makes a part of the task."""
        value = self.config[key]
        self.report(BY_CODE, key, value.name, path=value.name, what=f"{what} ({key})")

    def report_scores(self) -> None:
        """Name the functions that messages do not depend on."""
        for key in OF_SCORES:
            for name in _list_functions(self.config.get(key)):
                self.report(BY_CODE, key, name, path=name, what=f"a part of how answers are scored ({key})")

    def report_shots(self, number: int, reason: str) -> None:
        """Note that the examples are not known."""
        self.report(SHOTS_UNKNOWN, "num_fewshot", self.name, task=self.name, n=number, reason=reason)

    def report_fault(self, fault: Unreadable) -> None:
        """Note why documents cannot be read."""
        if fault.diagnostic is not None:
            self.file.diagnostics.append(fault.diagnostic)


def read_documents(
    path: Path, root: Path, runs: Sequence[Run]
) -> tuple[list[Document], dict[str, list[list[Document]]]]:
    """Return the documents of a task, and by mode the examples of each where they are drawn by a seed."""
    reader = _TaskReader(path, root, read_task_file(path, root))
    rows = reader.read_rows() or []
    drawn = {}
    for name, run in reader.list_runs(runs):
        each = reader.draw(reader.build_mode(name, run, rows), rows)
        if each is not None:
            drawn[name] = each
    return rows, drawn


def choose_shots(
    mode: Mapping[str, Any], document: Mapping[str, Any], drawn: Sequence[Document] | None
) -> Sequence[Mapping[str, Any]] | None:
    """Return the examples of a document: drawn for it, or the first ones that are not itself; None where unknown."""
    if drawn is not None:
        return drawn
    listed: Sequence[Mapping[str, Any]] | None = mode["shots"]
    if not listed:
        return listed
    others = [each for each in listed if not mode["excludes"] or each != document]
    return others[: mode["number"]]


def _is_other(run: Run, task: str, other: Run) -> bool:
    """Whether two runs send different messages."""
    return replace(run, file="", shots={task: run.shots[task]}) != replace(
        other, file="", shots={task: other.shots[task]}
    )


def _list_once(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    listed: list[Diagnostic] = []
    for diagnostic in diagnostics:
        if diagnostic not in listed:
            listed.append(diagnostic)
    return tuple(listed)


def _export_code(value: Any) -> Any:
    if isinstance(value, Code):
        return {CODE: value.name}
    return value


def _list_functions(value: Any) -> list[str]:
    """Return the names of the functions in a setting."""
    if isinstance(value, Code):
        return [value.name]
    if isinstance(value, dict):
        return [name for part in value.values() for name in _list_functions(part)]
    if isinstance(value, list):
        return [name for part in value for name in _list_functions(part)]
    return []

"""Hold a workspace while it is being read, until it is complete and frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from readback.readers.files.paths import DEPTH, format_relative, resolve
from readback.sources import prompt_formats
from readback.types import (
    NOWHERE,
    Adapter,
    Condition,
    Criterion,
    DatasetSource,
    Diagnostic,
    Ignored,
    Judge,
    Leaks,
    Location,
    Model,
    OllamaServer,
    Prompt,
    PromptConfig,
    Recognised,
    ScoreSource,
    SystemText,
    TrainingFile,
    Values,
    Workspace,
)


@dataclass(slots=True)
class Draft:
    """The parts of a Workspace, still open. Only the modules that read a workspace touch it."""

    root: Path
    name: str
    file: str | None = None
    dataset: DatasetSource | None = None
    configs: list[PromptConfig] = field(default_factory=list)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    tasks: dict[str, Prompt] = field(default_factory=dict)
    adapters: dict[str, Adapter] = field(default_factory=dict)
    instructions: dict[str, str | None] = field(default_factory=dict)
    instruction_places: dict[str, Location] = field(default_factory=dict)
    context: dict[str, Values] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    conditions: list[Condition] = field(default_factory=list)
    judges: dict[str, Judge] = field(default_factory=dict)
    people: dict[str, bool] = field(default_factory=dict)
    criteria: dict[str, Criterion] = field(default_factory=dict)
    acronyms: dict[str, str] = field(default_factory=dict)
    acronym_places: dict[str, Location] = field(default_factory=dict)
    scores: list[ScoreSource] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    log_names: dict[str, dict[str, str]] = field(default_factory=dict)  # see Workspace
    training: list[TrainingFile] = field(default_factory=list)
    options: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)  # of a project: never that of the server itself
    fixed_options: frozenset[str] = frozenset()  # options that whoever opens it settles, whatever the file says
    comparisons: list[Values] = field(default_factory=list)
    system_texts: list[SystemText] = field(default_factory=list)
    ollama: OllamaServer | None = None
    language: str = ""
    today: str | None = None
    headline: str | None = None
    leaks: Leaks = field(default_factory=Leaks)
    ignore: list[Ignored] = field(default_factory=list)
    recognised: list[Recognised] = field(default_factory=list)
    named: set[str] = field(default_factory=set)  # files that something names
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)  # by kind: the file that whoever opens it wants
    offered: bool = False  # whether only files that the folder offers may be chosen
    code_texts: list[SystemText] = field(default_factory=list)
    depth: int = DEPTH  # folders below the root in which files were looked for
    discovered: bool = False  # whether the files of the folder were looked at, beside what a workspace file names
    reasons: dict[str, str] = field(default_factory=dict)  # by file: why one that was looked at is of no kind
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def report(self, code: str, place: Location = NOWHERE, flagged: str = "", **values: Any) -> None:
        """Add a diagnostic."""
        self.diagnostics.append(Diagnostic(code, values, place, flagged))

    def say(self, path: Path | str, what: str, used: bool = True, detail: str = "") -> None:
        """Write down what a file was taken for; of several notes on a file the first one counts."""
        if isinstance(path, str):
            name = path
        else:
            name = format_relative(self.root, path)
        if all(file.path != name for file in self.recognised):
            self.recognised.append(Recognised(name, what, used, detail))

    def file_at(self, relative: str, place: Location, base: Path | None = None) -> Path | None:
        """Return the file of that name; None, with a diagnostic at `place`, where there is none."""
        path = resolve(self.root, relative, base=base, place=place)
        if isinstance(path, Diagnostic):
            self.diagnostics.append(path)
            return None
        self.named.add(format_relative(self.root, path))
        return path

    def add_config(self, config: PromptConfig, diagnostics: Sequence[Diagnostic] = ()) -> None:
        """Take over a configuration's prompts, tasks and instructions; a mode that is there already is a finding."""
        self.diagnostics.extend(diagnostics)
        self.configs.append(config)
        for mode, prompt in config.prompts.items():
            self.add_mode(mode, prompt)
        self.tasks |= config.tasks
        self.instructions |= config.instructions
        self.instruction_places |= config.instruction_places

    def add_mode(self, mode: str, prompt: Prompt) -> None:
        """Add a mode. The last prompt of a name wins, as in the program that reads such a configuration."""
        earlier = self.prompts.get(mode)
        if earlier:
            file = earlier.place.file or "the built-in formats"
            values = {"mode": mode, "name": mode, "file": file, "line": earlier.place.line}
            self.diagnostics.append(Diagnostic("alb-duplicate-mode", values, prompt.place, mode))
        self.prompts[mode] = prompt

    def uses_prompt_formats(self) -> bool:
        """Return whether the built-in prompt formats are among the configurations."""
        return any(config.dialect == prompt_formats.NAME for config in self.configs)

    def build_workspace(self) -> Workspace:
        """Return the workspace. System texts are collected here, when everything that may state one is known."""
        parts = {part.name: getattr(self, part.name) for part in fields(Workspace) if part.name in PARTS}
        frozen: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in parts.items()
        }
        system_texts = tuple(dict.fromkeys((*self.system_texts, *self._list_system_texts())))
        by_content = {
            (diagnostic.code, diagnostic.place, diagnostic.flagged, repr(diagnostic.values)): diagnostic
            for diagnostic in self.diagnostics
        }
        return Workspace(**frozen | {"system_texts": system_texts, "diagnostics": tuple(by_content.values())})

    def _list_system_texts(self) -> list[SystemText]:
        texts = [model.training for model in self.models.values() if model.training]
        for model in self.models.values():
            if model.modelfile and model.modelfile.system:
                place = model.modelfile.system_place
                texts.append(SystemText(model.modelfile.system, "modelfile", place, model.name))
        for model in self.models.values():
            texts.extend(replace(text, name=model.name) for text in model.stated)
        for prompt in (*self.prompts.values(), *self.tasks.values()):
            if prompt.system and "{{" not in prompt.system and "{%" not in prompt.system:
                if prompt.system_place != NOWHERE:
                    place = prompt.system_place
                else:
                    place = prompt.place
                texts.append(SystemText(prompt.system, "configuration", place, prompt.mode))
        if self.uses_prompt_formats():
            texts.extend(prompt_formats.list_system_texts())
        return texts


PARTS = frozenset(part.name for part in fields(Draft))

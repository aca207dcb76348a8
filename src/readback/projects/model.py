"""What a project of another tool holds: prompts, rows, and the messages that the tool would send.

Settings are JSON: they travel into the bounded child that renders, and only the project's own tool reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from readback.types import NOWHERE, Diagnostic, Location

Written = Literal["template", "variable", "adapter"]


@dataclass(frozen=True, slots=True)
class ProjectMode:
    """One prompt of a project: the tool's label for it, its text as the file has it, and who gets it.

    `settings` is what rendering needs besides the row. `providers` are labels; empty means all.
    """

    name: str
    template: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    place: Location = NOWHERE
    providers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One row in the tool's own order, after lists are expanded: merged variables before any rendering.

    `settings` is everything that rendering needs besides the mode and the fields.
    """

    index: int
    fields: Mapping[str, Any]
    description: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Project:
    """A project as its tool would run it, as far as it could be read.

    `refused` says why the tool itself would not start; what can be built is built all the same.
    """

    tool: str
    name: str
    modes: tuple[ProjectMode, ...] = ()
    providers: tuple[str, ...] = ()
    rows: tuple[ProjectRow, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    refused: str | None = None
    digest: str = ""  # of the rows: they change with every file that they are made of


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt file of a tool as a mode, and why the tool itself would not load it (what can be built is built).

    `files` were read beside it; `notes` are half sentences about it for the list of files; `others` are the further
    prompts of a file that holds several.
    """

    mode: ProjectMode
    refused: str | None = None
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    others: tuple[ProjectMode, ...] = ()


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A stretch of a message and who wrote it; `variable` names the innermost variable that it comes from."""

    text: str
    origin: Written = "template"
    variable: str | None = None


@dataclass(frozen=True, slots=True)
class RenderedMessages:
    """What the tool sends for one row under one mode: messages, or a text without roles, or the reason why nothing.

    `applies` is False where the project has no such combination. `segments` has a tuple for each message, whose
    texts join to the message's content; it is empty for a message whose content is no text. `notes` are findings of
    the row: code, values, severity. `hidden` says why messages that the tool does send cannot be shown.
    """

    messages: tuple[Mapping[str, Any], ...] | None
    text: str | None = None
    error: str | None = None
    applies: bool = True
    segments: tuple[tuple[TextSegment, ...], ...] = ()
    notes: tuple[Mapping[str, Any], ...] = ()
    hidden: str | None = None

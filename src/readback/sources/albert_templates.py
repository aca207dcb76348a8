"""The template files of an Albert configuration: their names' rules and their texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.text_file import read_text
from readback.types import Diagnostic, Location, Values

BARE = "{{query}}"  # what a mode without a template sends: the query, as it is


@dataclass(frozen=True, slots=True)
class Text:
    """A template's text and where its first character is; `settings` go to the mode's."""

    text: str
    place: Location
    settings: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a template cannot be used, and under which code that is a finding."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Templates:
    """The files beside one configuration. One that many modes name is read once; `diagnostics` say what is odd."""

    config: Path
    root: Path
    diagnostics: list[Diagnostic] = field(default_factory=list)
    cache: dict[str, Text | Refused] = field(default_factory=dict)

    def read(self, named: str) -> Text | Refused:
        """Return the text of the template of that name, or why it cannot be used.

        A name is a file name and no path: the document asks for a file in the model's own repository, and the
        program joins the name to the folder without looking, so that it could lead anywhere.
        """
        if named not in self.cache:
            self.cache[named] = self._read(named)
        return self.cache[named]

    def _read(self, named: str) -> Text | Refused:
        if "/" in named or "\\" in named or named in (".", "..") or named[1:2] == ":":
            return Refused("alb-template-path", "it must be the name of a file beside the configuration")
        path = resolve(self.root, named, base=self.config.parent)
        if isinstance(path, Diagnostic):
            if path.code == "dat-path-outside":
                code = "alb-template-path"
            else:
                code = "alb-template-missing"
            return Refused(code, f"{named}: {path.values.get('reason', '')}")
        text, diagnostics = read_text(path, format_relative(self.root, path))
        self.diagnostics.extend(diagnostics)
        if text is None:
            return Refused("alb-template-missing", f"{named} cannot be read as text")
        return Text(text, Location(file=format_relative(self.root, path), line=1, column=1))

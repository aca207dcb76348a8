"""What the Modelfiles of a workspace make of a made-up conversation, as rules look at it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from readback.checks.facts.go_template import Template, template
from readback.serving.message_location import find_text, locate_segments
from readback.types import Location, Model, Modelfile, ModelInput, RuleContext, Segment, SelfTest

__all__ = [
    "Served",
    "blocks",
    "is_file",
    "locate_segments",
    "modelfiles",
    "quoted",
    "shown",
    "source",
    "template_offset",
]

TOKEN = re.compile(r"\s*<[^\s<>]{1,40}>\s*|\s*\[/[A-Z]+\]\s*")  # as models are told by that a turn ends
FILE = re.compile(r"^[./~]|^[A-Za-z]:\\|[/\\].*\.(gguf|bin|safetensors)$|\.(gguf|bin|safetensors)$")
TELLING = re.compile(r"[^\n\"'<>&\\]+")  # what no escaping of a text changes


@dataclass(frozen=True)
class Served:
    """A model with its Modelfile; `template` and `self_test` where its TEMPLATE makes the text and could be read."""

    model: Model
    modelfile: Modelfile
    template: Template | None = None
    self_test: SelfTest | None = None

    @property
    def name(self) -> str:
        return self.model.name

    @cached_property
    def made(self) -> tuple[ModelInput, ...]:
        """What was made of the conversation and of its beginning; nothing that broke on the way."""
        return (
            tuple(model_input for model_input in (self.self_test.first, self.self_test.later) if model_input.segments)
            if self.self_test
            else ()
        )

    def doubled(self, model_input: ModelInput) -> list[tuple[int, int]]:
        """Where the system text is in one of them."""
        asked = (Segment("", "variable", name) for name in ("question", "answer"))
        return find_text(model_input, self.self_test.system, asked) if self.self_test else []

    def place(self, line: int, column: int) -> Location:
        """The place in the file of a line and column of the template."""
        at = self.modelfile.template_place
        first = (at.column or 1) - 1 if line == 1 else 0
        return replace(at, line=(at.line or 1) + line - 1, column=first + column)

    def inside(self, place: Location) -> tuple[int, int] | None:
        """Line and column in the template of a place in the file; None where it is elsewhere."""
        at = self.modelfile.template_place
        if place.file != at.file or place.line is None or place.line < (at.line or 1):
            return None
        line = place.line - (at.line or 1) + 1
        return line, (place.column or 1) - ((at.column or 1) - 1 if line == 1 else 0)


def modelfiles(case: RuleContext) -> Iterator[Served]:
    """Each Modelfile that serves a model, once, whatever the number of models it serves."""
    seen: set[str | None] = set()
    for model in case.workspace.models.values():
        file = model.modelfile
        if file is None or (file.place.file in seen and file.place.file is not None):
            continue
        seen.add(file.place.file)
        self_test = case.self_tests.get(model.name)
        by_template = self_test is not None and self_test.first.kind == "modelfile"
        rendered = any(name == "renderer" for name, _, _ in file.commands)
        readable = self_test is not None and by_template and not rendered and _readable(self_test)
        read = template(file.template) if file.template and readable else None
        yield Served(model, file, read, self_test if read else None)


def is_file(base: str) -> bool:
    """Whether what FROM names are weights in a file rather than a model of the library."""
    return FILE.search(base) is not None


def blocks(model_input: ModelInput, found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Texts of messages, given by where they stand, with what the server put around each."""
    own = [(start, end) for one, start, end in locate_segments(model_input) if one.origin == "serving"]
    made = []
    for start, end in found:
        first, last = start, end
        while (joined := next((a for a, b in own if b == first and a < b), None)) is not None:
            first = joined
        header = model_input.text[first:start]
        if first and (ending := TOKEN.match(header)):  # of the message before
            first += ending.end()
        if ending := TOKEN.match(model_input.text, end):
            last = end + len(ending[0].rstrip())
        made.append((first, last))
    return made


def source(served: Served, model_input: ModelInput, offset: int) -> Location:
    """The place in the file of the action that prints a message's text, found at an offset of what was made."""
    inside = None
    for segment, _, end in locate_segments(model_input):
        if end > offset:
            break
        if segment.origin == "serving":
            inside = served.inside(segment.place) or inside
    node = served.template.prints(*(inside or (1, 1))) if served.template else None
    return served.place(node.line, node.column) if node else served.modelfile.template_place


def template_offset(served: Served, model_input: ModelInput, at: int) -> int | None:
    """The character of the template that is at an offset of what was made; None where an action printed it."""
    for segment, start, end in locate_segments(model_input):
        if start <= at < end:
            inside = served.inside(segment.place) if segment.origin == "serving" else None
            read = served.template
            if read is None or inside is None or read.written(*inside) is None:
                return None
            return read.offset(*inside) + at - start
    return None


def shown(model_input: ModelInput, said: str) -> bool:
    """Whether a text reached the model, be it escaped on the way."""
    if said in model_input.text:
        return True
    stretches = [part.strip() for part in TELLING.findall(said)]
    return max(stretches, key=len, default="") in model_input.text


def quoted(text: str, most: int = 90) -> str:
    """A text for a sentence, blanks made visible by the quotes; a long one without its middle."""
    half = most // 2
    return repr(text if len(text) <= most else f"{text[:half]}…{text[-half:]}")


def _readable(self_test: SelfTest) -> bool:
    """Whether the bounded child came to an end with the template, so that it may be read here, too."""
    diagnostics = (*self_test.first.diagnostics, *self_test.later.diagnostics)
    return not any(
        diagnostic.code == "dat-limit" or diagnostic.values.get("when") == "parse" for diagnostic in diagnostics
    )

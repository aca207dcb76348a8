"""Which named options made a text as it is, what each of them would make instead, and which version each belongs to.

Source of the versions: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025), the
history of the program that it describes, and the page on prompt assembly of biocypher/karenina.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from readback.prompts.builders import builder
from readback.prompts.selections import selected_texts
from readback.sources.options import OPTIONS
from readback.types import Diagnostic, Selection, Workspace

VERSIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "condition4": {"hybrid": "the document", "standard": "the current program"},
        "closed_book": {
            "no_citations": "the program from 98 minutes after the document's first commit until the document went",
            "short": "the program in the very commit that brought the document",
        },
        "spacing": {
            "program": "the program's builder, which the document names as the definition",
            "document": "the document as it is printed",
        },
        "placeholders": {"braces": "current rubrics: {{QUESTION}}", "bare": "older rubrics: QUESTION"},
        "assembly_profile": {"document": "the document", "current": "the current program"},
    }
)
BUILT = {"closed_book": ("closed_book",), "hybrid": ("condition4", "spacing")}  # by builder: what it asks


@dataclass(frozen=True, slots=True)
class Variant:
    """An option with the value in force and its version, and the others: (value, version)."""

    option: str
    value: str
    version: str
    others: tuple[tuple[str, str], ...]

    @property
    def said(self) -> str:
        """`closed_book: short, as in the program …; or no_citations, as in the program …`."""
        others = (f"; or {value}, as in {version}" for value, version in self.others)
        return f"{self.option}: {self.value}, as in {self.version}{''.join(others)}"


def variants(workspace: Workspace, choice: Selection) -> tuple[Variant, ...]:
    """The options that make the text of a choice; none where only one way to make it is known."""
    return tuple(_variant(name, workspace) for name in dict.fromkeys(_asked(workspace, choice)))


def _asked(workspace: Workspace, choice: Selection) -> Iterator[str]:
    if choice.judge:
        judge = workspace.judges.get(choice.judge)
        if judge and judge.syntax == "placeholder":
            yield "placeholders"
        return
    own = selected_texts(workspace, choice)
    if isinstance(own, Diagnostic):
        return
    if own.prompt.syntax == "builder":
        name, kind = own.prompt.template or own.prompt.mode, own.model.type if own.model else None
        made = builder(name, kind, workspace.options)
        yield from BUILT.get(made, ())
        if made == "standard" and name != "standard":
            yield "condition4"
    if own.adapter:
        yield "assembly_profile"


def _variant(name: str, workspace: Workspace) -> Variant:
    now, versions = workspace.options.get(name, OPTIONS[name][0]), VERSIONS[name]
    others = tuple((value, versions[value]) for value in OPTIONS[name] if value != now)
    return Variant(name, now, versions[now], others)

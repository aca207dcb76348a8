"""Show an assembly with its origins, as text or as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from readback import adapters, plugins
from readback.checks.rules import Fault
from readback.html import exact
from readback.notebook.rows import Rows
from readback.prompts.selections import Variant
from readback.quantity import quantity
from readback.types import Assembly, Finding, Message, Segment

# Tints that can be read on white and on black; the underline says the same without colour.
STYLE = (
    ".rb-nb{font-size:.95em}.rb-nb h4{margin:.6em 0 .2em}.rb-nb .rb-exact{white-space:pre-wrap;overflow-wrap:anywhere;"
    "unicode-bidi:isolate;tab-size:8;font-family:ui-monospace,Menlo,Consolas,monospace;line-height:1.6;"
    "border:1px solid #8886;border-radius:4px;padding:.5em .8em}"
    ".rb-nb .rb-s{text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:.28em}"
    ".rb-nb .rb-yours{text-decoration-style:solid;text-decoration-color:#2f6db0;background:#2f6db018}"
    ".rb-nb .rb-data{text-decoration-style:dashed;text-decoration-color:#9a6700;background:#e3b34130}"
    ".rb-nb .rb-default{text-decoration-style:dotted;text-decoration-thickness:2px;text-decoration-color:#9a6700;"
    "background:#e3b34130}"
    ".rb-nb .rb-adapter{text-decoration-style:double;text-decoration-color:#0b7a55;background:#0b7a5520}"
    ".rb-nb .rb-server{text-decoration-style:wavy;text-decoration-color:#8a3f9e;background:#8a3f9e20}"
    ".rb-nb .rb-unknown{background:repeating-linear-gradient(45deg,#8883 0 4px,transparent 4px 8px)}"
    ".rb-nb mark{color:inherit;background:none;border-block:2px solid #b3261e}"
    ".rb-nb mark.rb-warning{border-color:#8a5300}.rb-nb mark.rb-info{border-color:#3b5b7d}"
    ".rb-nb .rb-glyph{border:1px solid currentColor;font-size:.8em;padding:0 .15em}"
    ".rb-nb .rb-c::before{content:attr(data-c);border:1px solid currentColor;font-size:.7em;padding:0 .15em}"
    ".rb-nb i{font-style:normal;padding:0 .3em;margin-right:.6em}"
)
WORDING = "wording: readback: the text of %s is in Readback's own words, not those of the program"
LEGEND = {
    "yours": "written by you",
    "data": "from the data",
    "default": "from the data, by default",
    "adapter": "added by the adapter",
    "server": "added by the server",
    "unknown": "origin not known",
}


@dataclass(frozen=True)
class Assembled:
    """The messages for one record, what the rules find in them, their fingerprint; `faults` are rules that failed.

    The rules run when `findings` or `faults` is read for the first time, so that building texts alone costs no check.
    `made_by` are the named options that made the text, with their versions and what they could be instead.
    `system_unknown` says why it is not known which system message the model gets, where none is sent.
    """

    assembly: Assembly
    run_rules: Callable[[], Iterable[Finding | Fault]] = field(default=tuple, repr=False, compare=False)
    made_by: tuple[Variant, ...] = ()
    system_unknown: str | None = None

    @cached_property
    def _results(self) -> tuple[Finding | Fault, ...]:
        return tuple(self.run_rules())

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the rules find in the record and its messages."""
        return tuple(result for result in self._results if isinstance(result, Finding))

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The rules that failed."""
        return tuple(result for result in self._results if isinstance(result, Fault))

    @property
    def messages(self) -> tuple[Message, ...]:
        """Role, text and segments of each message."""
        return self.assembly.messages

    @property
    def fingerprint(self) -> str:
        """The sha256 of the canonical roles and texts."""
        return self.assembly.fingerprint

    def text(self, role: str = "user") -> str | None:
        """Return the exact text of the first message of a role, or None."""
        return next((message.text for message in self.messages if message.role == role), None)

    def as_messages(self) -> list[dict[str, str]]:
        """Return what a chat client takes: [{"role", "content"}]."""
        return [message.value for message in self.messages]

    def segments(self) -> Rows:
        """Return a row for each stretch: role, origin, name, whose wording, where it comes from, and its text."""
        columns = ("role", "origin", "name", "wording", "file", "line", "text")
        rows = tuple(
            {
                "role": message.role,
                "origin": segment.origin,
                "name": segment.name,
                "wording": segment.wording,
                "file": segment.place.file,
                "line": segment.place.line,
                "text": segment.text,
            }
            for message in self.messages
            for segment in message.segments
        )
        return Rows(columns, rows)

    def __repr__(self) -> str:
        lines = [f"--- {message.role}\n{message.text}" for message in self.messages]
        if not self.messages:
            lines.append("nothing could be built; its findings say why")
        if self.assembly.masked:
            lines.append("private fields are masked: this is not exact")
        own_wordings = adapters.list_own_wordings(self.messages)
        if own_wordings:
            lines.append(f"--- {WORDING % ', '.join(own_wordings)}")
        lines += [f"--- {note}" for note in self._list_notes()]
        if self.findings:
            lines.append("--- findings")
        lines += [f"{finding.severity} {finding.code}: {finding.message}" for finding in self.findings]
        lines += [f"--- {fault}" for fault in self._list_faults()]
        return "\n".join(lines)

    def _list_notes(self) -> list[str]:
        """Return the options that made the text, and why the system message is not known."""
        notes = [variant.sentence for variant in self.made_by]
        if self.system_unknown and self.messages:
            notes.append(f"system message not known here: {self.system_unknown}")
        return notes

    def _list_faults(self) -> list[str]:
        return list(dict.fromkeys(map(format_fault, self.faults)))

    def _repr_html_(self) -> str:
        used = {exact.look(segment) for message in self.messages for segment in message.segments}
        legend = "".join(f'<i class="rb-s rb-{look}">{text}</i>' for look, text in LEGEND.items() if look in used)
        notes = ""
        if not self.messages:
            notes += "<p>Nothing could be built; the findings say why.</p>"
        if self.assembly.masked:
            notes += "<p>Private fields are masked: this is not exact.</p>"
        own_wordings = adapters.list_own_wordings(self.messages)
        if own_wordings:
            notes += f"<p>{exact.text(WORDING % ', '.join(own_wordings))}</p>"
        notes += _draw_paragraphs(self._list_notes())
        body = "".join(self._draw_message(index, message) for index, message in enumerate(self.messages))
        items = "".join(
            f"<li>{finding.severity} <code>{finding.code}</code>: {exact.text(finding.message)}</li>"
            for finding in self.findings
        )
        if items:
            findings = f"<h4>Findings</h4><ol>{items}</ol>"
        else:
            findings = ""
        findings += _draw_paragraphs(self._list_faults())
        if self.fingerprint:
            sha256 = f"<p>sha256 <code>{self.fingerprint}</code></p>"
        else:
            sha256 = ""
        return f'<style>{STYLE}</style><div class="rb-nb"><p>{legend}</p>{notes}{body}{findings}{sha256}</div>'

    def _draw_message(self, index: int, message: Message) -> str:
        # Findings are about the first message of a role.
        is_first = all(earlier.role != message.role for earlier in self.messages[:index])
        marks = [
            exact.Mark(finding.place.start, finding.place.end, number, finding.severity, finding.message)
            for number, finding in enumerate(self.findings, 1)
            if is_first and finding.place.role == message.role
            if finding.place.start is not None and finding.place.end is not None
        ]
        text = message.text
        segments, start, left = exact.window(message.segments)
        drawn = exact.html(segments, [exact.shift_mark(mark, -start) for mark in marks], describe=_describe)
        if left:
            more = f"<p>{quantity(left, 'character')} more: .text({message.role!r}) has them all</p>"
        else:
            more = ""
        return f"<h4>{exact.text(message.role)} · {quantity(len(text), 'character')}</h4>{drawn}{more}"


def _draw_paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{exact.text(text)}</p>" for text in texts)


def format_fault(fault: Fault) -> str:
    """Return which rule failed, in the words of the command line."""
    return f"{plugins.attribute_mistake(fault.rule)}: rule {fault.rule} failed: {fault.error}"


def _describe(segment: Segment) -> str:
    place = segment.place
    position = f"{place.file}:{place.line}" if place.file and place.line else place.file
    if segment.wording:
        words = f"wording: {segment.wording}"
    else:
        words = None
    return ", ".join(part for part in (segment.origin, segment.name, words, position) if part)

"""An assembly that shows itself with its origins where HTML is shown."""

from __future__ import annotations

from dataclasses import dataclass

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
LOOKS = {
    "yours": "written by you",
    "data": "from the data",
    "default": "from the data, by default",
    "adapter": "added by the adapter",
    "server": "added by the server",
    "unknown": "origin not known",
}


@dataclass(frozen=True, slots=True)
class Assembled:
    """The messages for one record, what the rules find in them, their fingerprint; `faults` are rules that failed.

    `made_by` are the named options that made the text, with their versions and what they could be instead.
    `system_unknown` says why it is not known which system message the model gets, where none is sent.
    """

    assembly: Assembly
    findings: tuple[Finding, ...]
    faults: tuple[Fault, ...] = ()
    made_by: tuple[Variant, ...] = ()
    system_unknown: str | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """Role, text and segments of each message."""
        return self.assembly.messages

    @property
    def fingerprint(self) -> str:
        """The sha256 of the canonical roles and texts."""
        return self.assembly.fingerprint

    def text(self, role: str = "user") -> str | None:
        """The exact text of the first message of a role, or None."""
        return next((message.text for message in self.messages if message.role == role), None)

    def as_messages(self) -> list[dict[str, str]]:
        """What a chat client takes: [{"role", "content"}]."""
        return [message.value for message in self.messages]

    def segments(self) -> Rows:
        """A row for each stretch: role, origin, name, whose wording, where it comes from, and its text."""
        columns = ("role", "origin", "name", "wording", "file", "line", "text")
        rows = tuple(
            dict(zip(columns, (m.role, s.origin, s.name, s.wording, s.place.file, s.place.line, s.text), strict=True))
            for m in self.messages
            for s in m.segments
        )
        return Rows(columns, rows)

    def __repr__(self) -> str:
        parts = [f"--- {message.role}\n{message.text}" for message in self.messages]
        options = [f"--- {one}" for one in self._asides()]
        found = [f"{one.severity} {one.code}: {one.message}" for one in self.findings]
        none = [] if self.messages else ["nothing could be built; its findings say why"]
        masked = ["private fields are masked: this is not exact"] if self.assembly.masked else []
        masked += [f"--- {WORDING % ', '.join(named)}"] if (named := adapters.list_own_wordings(self.messages)) else []
        ours = [f"--- {one}" for one in dict.fromkeys(map(said, self.faults))]
        return "\n".join((*parts, *none, *masked, *options, *(["--- findings", *found] if found else []), *ours))

    def _asides(self) -> list[str]:
        unknown = self.system_unknown if self.messages else None
        return [
            *(variant.sentence for variant in self.made_by),
            *([f"system message not known here: {unknown}"] if unknown else []),
        ]

    def _repr_html_(self) -> str:
        used = {exact.look(segment) for message in self.messages for segment in message.segments}
        legend = "".join(f'<i class="rb-s rb-{look}">{said}</i>' for look, said in LOOKS.items() if look in used)
        none = "" if self.messages else "<p>Nothing could be built; the findings say why.</p>"
        masked = "<p>Private fields are masked: this is not exact.</p>" if self.assembly.masked else ""
        if named := adapters.list_own_wordings(self.messages):
            masked += f"<p>{exact.text(WORDING % ', '.join(named))}</p>"
        body = "".join(self._message(index, message) for index, message in enumerate(self.messages))
        masked += "".join(f"<p>{exact.text(one)}</p>" for one in self._asides())
        found = "".join(
            f"<li>{one.severity} <code>{one.code}</code>: {exact.text(one.message)}</li>" for one in self.findings
        )
        listed = f"<h4>Findings</h4><ol>{found}</ol>" if found else ""
        listed += "".join(f"<p>{exact.text(one)}</p>" for one in dict.fromkeys(map(said, self.faults)))
        mark = f"<p>sha256 <code>{self.fingerprint}</code></p>" if self.fingerprint else ""
        return f'<style>{STYLE}</style><div class="rb-nb"><p>{legend}</p>{none}{masked}{body}{listed}{mark}</div>'

    def _message(self, index: int, message: Message) -> str:
        first = next(i for i, other in enumerate(self.messages) if other.role == message.role) == index
        marks = [
            exact.Mark(one.place.start, one.place.end, number, one.severity, one.message)
            for number, one in enumerate(self.findings, 1)
            if first and one.place.role == message.role and one.place.start is not None and one.place.end is not None
        ]
        text = message.text
        shown, start, left = exact.window(message.segments)
        drawn = exact.html(shown, [exact.shift_mark(mark, -start) for mark in marks], describe=_describe)
        more = f"<p>{quantity(left, 'character')} more: .text({message.role!r}) has them all</p>" if left else ""
        return f"<h4>{exact.text(message.role)} · {quantity(len(text), 'character')}</h4>{drawn}{more}"


def said(fault: Fault) -> str:
    """A rule that failed, in the words of the command line."""
    return f"{plugins.attribute_mistake(fault.rule)}: rule {fault.rule} failed: {fault.error}"


def _describe(segment: Segment) -> str:
    at = segment.place
    where = f"{at.file}:{at.line}" if at.file and at.line else at.file
    words = f"wording: {segment.wording}" if segment.wording else None
    return ", ".join(part for part in (segment.origin, segment.name, words, where) if part)

"""The stretch of exact text that a finding is about, in its context; and a finding's place in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from readback import adapters
from readback.bookmarks.entry import AROUND, Excerpt, cut_excerpt
from readback.html import exact
from readback.prompts import assemble, model_input
from readback.records.dataset import Dataset
from readback.records.fields.field_path import look
from readback.records.replies.answers import open_answers
from readback.records.unread_line import read_unread_line
from readback.types import Answer, Assembly, Finding, Location, Record, Selection, Workspace
from readback.words import t

READ = "prompt"  # the role of a place in the text that the model reads
AROUND_IN_PLACE = 700  # characters before and after a stretch where its message is shown
IN_PLACE = 1_800  # characters of a message that is shown because a finding is about all of it
BESIDE = 400  # characters of a message that stands beside the one with the stretch
MISSING = 10  # entries that are shown because a message misses them; its sentence has the numbers of all
UNREAD = frozenset({"dat-bad-line", "dat-encoding"})  # what is said of a line that is no record

Answered = Callable[[Selection, Record], Answer | None]


class Quoted:
    """The texts that findings are about, each made once. `answered` gives what a model replied to a record."""

    def __init__(self, workspace: Workspace, data: Dataset, answered: Answered | None = None) -> None:
        self.workspace, self.data = workspace, data
        self.answered = answered or self._answer
        self.assemblies: dict[tuple[int, Selection], Assembly] = {}

    def excerpt(self, finding: Finding, around: int = AROUND) -> Excerpt | None:
        """Return the stretch a finding is about, in its message or field, or the line that cannot be read, with
        `around` characters around it; None where it has none, or the file has changed.
        """
        at = finding.place
        if at.index is None and finding.code in UNREAD:
            return self._line(at, around)
        if at.start is None or at.end is None or at.index is None or at.index >= len(self.data):
            return None
        record = self.data.record(at.index)
        texts: list[Any] = [look(record.fields, at.field or "")]
        where = t("frame.field_is", field=at.field)
        if at.condition and not at.role and at.file != self.data.file:  # answers have a file of their own
            where = t("frame.answer_is", field=at.field)
            answer = self.answered(sent_of(at), record)
            if answer is not None and answer.reply == at.field:
                texts = [answer.text]
            else:
                texts = []
        if at.role:
            where = role(at.role)
            assembly = self._assembly(at.index, record, sent_of(at))
            texts = [m.text for m in assembly.messages if m.role == at.role]
            if at.role == READ and (read := self._read(assembly, record)):
                texts = [read]
        text = next((text for text in texts if isinstance(text, str) and len(text) >= at.end), None)
        if text is None:
            return None
        label = t("findings.stretch", where=where, start=at.start, end=at.end)
        return cut_excerpt(text, at.start, at.end, label, around)

    def in_place(self, finding: Finding) -> tuple[Excerpt, ...]:
        """Return what a message misses, then the messages that a finding is about, the one it is in with its stretch
        marked and the others with their beginnings; only the excerpt where it is about no message that is sent.
        """
        at, sent = finding.place, sent_of(finding.place)
        marked = self.excerpt(finding, AROUND_IN_PLACE)
        is_elsewhere = sent == Selection() or at.role == READ or (at.field and not at.role)
        if at.index is None or at.index >= len(self.data) or is_elsewhere:
            if marked:
                return (marked,)
            return ()
        parts: list[Excerpt] = []
        for message in self._assembly(at.index, self.data.record(at.index), sent).messages:
            if marked and message.role == at.role and len(message.text) == marked.whole:
                parts.append(replace(marked, label=role(message.role)))
                continue
            about = message.role == at.role or not at.role
            text = message.text[: BESIDE if marked or not about else IN_PLACE]
            parts.append(Excerpt(text, role(message.role), (), 0, len(message.text)))
        if marked and not any(part.marks for part in parts):  # of an answer, or of a field
            parts.append(marked)
        return (*self._list_missing(finding, at.index), *parts)

    def _list_missing(self, finding: Finding, index: int) -> Iterator[Excerpt]:
        """Yield the beginnings of the entries of a field that a finding misses in a message: evidence that is not there
        can be shown in no message. The rule names them by their numbers, from 1, in its value `missing`.
        """
        field, numbers = finding.place.field, finding.values.get("missing")
        if field:
            entries = look(self.data.record(index).fields, field)
        else:
            entries = None
        if not isinstance(entries, list) or not isinstance(numbers, list | tuple):
            return
        missing = [n for n in numbers if isinstance(n, int) and 1 <= n <= len(entries)]
        if len(missing) <= MISSING:
            key = "findings.missing_entry"
        else:
            key = "findings.missing_entry_of"
        for number in missing[:MISSING]:
            text = str(entries[number - 1])
            label = t(key, field=field, n=number, most=MISSING, all=len(missing))
            yield Excerpt(text[:BESIDE], label, (), 0, len(text))

    def _line(self, at: Location, around: int) -> Excerpt | None:
        """Return the line of a place in the dataset's file, with the character of its column marked."""
        if at.line and at.file == self.data.file:
            text = read_unread_line(self.data, at.line)
        else:
            text = None
        if not text:
            return None
        label = t("findings.unread_line", n=at.line)
        if not at.column:
            return Excerpt(text[: 2 * around], label, (), 0, len(text))
        start = min(at.column, len(text)) - 1  # what is missing behind its end is pointed at there
        return cut_excerpt(text, start, start + 1, label, around)

    def fingerprint(self, finding: Finding) -> str:
        """Return the fingerprint of the messages a finding is about; "" where it is about none."""
        at, sent = finding.place, sent_of(finding.place)
        if at.index is None or at.index >= len(self.data) or sent == Selection():
            return ""
        return self._assembly(at.index, self.data.record(at.index), sent).fingerprint

    def worded(self, finding: Finding) -> tuple[str, ...]:
        """List the adapters in whose text a finding about a message is, where the words are Readback's."""
        at = finding.place
        if not at.role or at.index is None or at.index >= len(self.data):
            return ()
        return adapters.list_own_wordings(self._assembly(at.index, self.data.record(at.index), sent_of(at)).messages)

    def masked(self, at: Location) -> bool:
        """Whether private fields of its record were replaced, so that nothing shown of it is exact."""
        return at.index is not None and at.index < len(self.data) and self.data.record(at.index).masked

    def own_id(self, at: Location) -> str | None:
        """Return the record's id, unless another record has it too or no address can hold it."""
        name = at.record
        if name is not None and name == exact.spelling(name) and self.data.find(name) == at.index:
            return name
        return None

    def _assembly(self, index: int, record: Record, sent: Selection) -> Assembly:
        if (index, sent) not in self.assemblies:
            answer = self.answered(sent, record)
            self.assemblies[index, sent] = assemble.assemble(self.workspace, record, sent, answer)
        return self.assemblies[index, sent]

    def _read(self, assembly: Assembly, record: Record) -> str | None:
        """Return the text that the model reads, where it is known what serves it."""
        if assembly.choice.condition:
            condition = self.workspace.condition(assembly.choice.condition)
        else:
            condition = None
        read = model_input.build_model_input(self.workspace, record, assembly, condition, False)
        if read:
            return read.text
        return None

    def _answer(self, sent: Selection, record: Record) -> Answer | None:
        if sent.condition:
            condition = self.workspace.condition(sent.condition)
        else:
            condition = None
        if condition is None or record.id is None:
            return None
        return open_answers(self.workspace, condition).get(record.id)


def sent_of(at: Location) -> Selection:
    """Return the selection that is sent at a finding's place."""
    if at.condition:
        return Selection(condition=at.condition, judge=at.judge)
    return Selection(mode=at.mode, adapter=at.adapter, task=at.task, judge=at.judge)


def where(place: Location) -> str:
    """Format a place in words: `data/eval.jsonl line 3, record q7, user message`."""
    spot = (place.file or "") + (f" {t('frame.line', line=place.line)}" if place.line else "")
    if place.line and place.column:
        spot += f" {t('frame.column', column=place.column)}"
    parts = [
        spot.strip(),
        t("frame.record_is", record=place.record) if place.record is not None else "",
        t("frame.condition_is", condition=place.condition) if place.condition else "",
        t("frame.mode_is", mode=place.mode) if place.mode and not place.condition else "",
        t("frame.adapter_is", adapter=place.adapter) if place.adapter and not place.condition else "",
        t("frame.task_is", task=place.task) if place.task else "",
        t("frame.judge_is", judge=place.judge) if place.judge else "",
        role(place.role) if place.role else "",
        t("frame.field_is", field=place.field) if place.field else "",
    ]
    return ", ".join(part for part in parts if part)


def role(name: str) -> str:
    """Name a message by its role, or the text that the model reads."""
    if name == READ:
        return t("frame.role_prompt")
    return t("frame.role_is", role=name)

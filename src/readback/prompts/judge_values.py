"""Which values of a record, and of the row with its answer, go into a judge's prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from readback.records import row_fields
from readback.records.answers import TEXTS, as_text
from readback.records.field_path import MASK, MISSING, look, split_path
from readback.sources import judge_names
from readback.types import NOWHERE, Answer, Diagnostic, Judge, Location, Record, Segment, Values

VALUE_NAMES = ("question", "answer", "documents", "gold")
ABSENT_CODES = {"answer": "jdg-no-answer", "gold": "jdg-gold-missing"}
ABSENT_VALUE = "jdg-value-missing"
Spelling = Callable[[Values], row_fields.Field | None]
# A rubric reads the rows of its own pipeline, where these fields have known names; other judges go by their `fields`.
ROWS: dict[str, Spelling] = {
    "question": row_fields.read_question,
    "documents": row_fields.read_contexts,
    "gold": row_fields.read_reference,
}
# Where documents stand if `fields` do not say: tried in this order, a list before anything else.
USUAL = {"documents": ("context", "contexts", "documents", "passages")}
Side = Literal["answer", "record"]  # the two rows, as `fields` name them: answer.context, record.context
SIDES: tuple[Side, Side] = ("answer", "record")


@dataclass(frozen=True, slots=True)
class JudgeValue:
    """A value for one name of a judge's prompt; `field` is where its row has it, or would; None is absent.

    The `field` of a value beside the reply begins with `answer.`. `other` is where the other row has another value,
    and nothing says which of the two is meant.
    """

    name: str
    value: Any
    field: str
    place: Location = NOWHERE
    other: Location | None = None
    left_out: bool = False

    @property
    def text(self) -> str:
        return "" if self.value is None else str(self.value)

    def item(self, i: int, text: str) -> Segment:
        """One item of a list as a segment."""
        field = f"{self.place.field}[{i}]" if self.place.field else None
        return Segment(text, "variable", f"{self.name}[{i}]", replace(self.place, field=field))


class FilledPrompt(NamedTuple):
    """A judge's template with its values: segments (None: it cannot be filled in), names it reads, diagnostics."""

    user: tuple[Segment, ...] | None
    names: tuple[tuple[str, Location], ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """What a judge may read: the record, the row with what `condition` replied to it, and the values that somebody
    tries (the record has them already). `mapped` are variables that the workspace reads from a field of the record.
    `reference`: the condition has answers and sends nothing, so that the record is only what they are held against.
    """

    judge: Judge
    record: Record
    condition: str | None = None
    answer: Answer | None = None
    extra: Values = field(default_factory=dict)
    mapped: Mapping[str, str] = field(default_factory=dict)
    reference: bool = False

    @property
    def alone(self) -> bool:
        """Whether there is only the record, which then is its own answer."""
        return self.condition is None and self.answer is None

    def fields(self, side: Side) -> Values:
        if side == "record":
            return self.record.fields
        return self.answer.fields if self.answer else {}

    def place(self, side: Side, path: str) -> Location:
        if side == "record":
            return NOWHERE if self.tries(path) else row_fields.locate_field(self.record, self.mapped.get(path, path))
        at = self.answer.place if self.answer else Location(condition=self.condition)
        return Location(file=at.file, line=at.line, condition=at.condition, field=path)

    def tries(self, path: str) -> bool:
        """Whether the value at a path of the record is one that somebody tries; `answer` is the condition's reply."""
        name = (*split_path(path), path)[0]
        return name in self.extra and (name != "answer" or self.alone)


def find_value(rows: Rows, name: str) -> JudgeValue:
    """What goes into the place of `name`: the row of the answer is asked first, then the record; for `gold` the record.

    Each is asked under the field that the judge's `fields` give, else under the name itself, for documents under their
    usual names. There `answer.FIELD` and
    `record.FIELD` ask one row only; without a condition the record is its own answer. The field that holds the reply
    is the reply and nothing else, and the usual names of a reply are a reference only in the record. A null is no
    value, but for documents beside a reply, where it says that there were none.
    """
    if name == "answer":
        return find_answer(rows)
    if name in rows.extra:
        return JudgeValue(name, rows.extra[name], name)
    if name in rows.judge.fields and not rows.judge.fields[name]:
        return JudgeValue(name, None, name, left_out=True)
    only, path = read_mapping(rows, name)
    if tried := next((one for one in _names(rows, "record", name, path) if rows.tries(one)), None):
        return _valued(rows, "record", name, tried, _or_none(look(rows.record.fields, tried)))
    order = (only,) if only else SIDES[::-1] if name == "gold" else SIDES
    found = [one for side in order if (one := _there(rows, side, name, path, only))]
    if not found:
        return _absent(rows, only or "record", name, path or name)
    first, *others = found
    if name == "documents" and rows.reference:
        others = []  # what was retrieved, and what the reference was written from
    differing = (one.place for one in others if _differ(rows.judge, first.value, one.value))
    return replace(first, other=next(differing, None))


def find_answer(rows: Rows) -> JudgeValue:
    """The answer to be judged: one that is tried out, else the condition's, else (no condition) the record's field."""
    if "answer" in rows.extra:
        return JudgeValue("answer", rows.extra["answer"], "answer")
    only, path = read_mapping(rows, "answer")
    if rows.alone or only == "record" or (path and rows.tries(path)):
        return _at(rows, "record", "answer", path or "answer") or _absent(rows, "record", "answer", path or "answer")
    if rows.answer is None:
        return JudgeValue("answer", None, "answer", Location(condition=rows.condition))
    reply = find_reply_field(rows)
    said = look(rows.answer.fields, reply) if reply else MISSING
    text = rows.answer.text if said is MISSING else as_text(said)
    return JudgeValue("answer", text, "answer", replace(rows.answer.place, field=reply))


def has_answer(rows: Rows) -> bool:
    """Whether there is something to judge: under its own name, or under what an answer is usually called."""
    if find_answer(rows).value is not None:
        return True
    return any(rows.record.fields.get(name) is not None for name, one in judge_names.USUAL.items() if one == "answer")


def read_mapping(rows: Rows, name: str) -> tuple[Side | None, str | None]:
    """The one row that the judge's `fields` name (None: either), and the field; None where they do not say."""
    said = rows.judge.fields.get(name)
    if not said:
        return None, None
    for side in SIDES:
        rest = said.removeprefix(f"{side}.")
        if rest == said:
            continue
        own: Side = "record" if rows.alone else side
        nested = any(look(rows.fields(each), said) is not MISSING for each in SIDES)
        if not nested or look(rows.fields(own), rest) is not MISSING:
            return own, rest  # else a row has an object of that name
    return None, said


def find_reply_field(rows: Rows) -> str | None:
    """The field of the answer's row that holds the reply: the one that `fields` give, else the first usual name."""
    _, path = read_mapping(rows, "answer")
    if path and rows.answer and look(rows.answer.fields, path) not in (None, MISSING):
        return path
    return rows.answer.reply if rows.answer else None


def _there(rows: Rows, side: Side, name: str, path: str | None, only: Side | None) -> JudgeValue | None:
    """What one row has for `name`, or None."""
    taken = {find_reply_field(rows), *(TEXTS if name == "gold" else ())} if side == "answer" and only is None else set()
    rubric = path is None and rows.judge.syntax == "placeholder"
    names = _names(rows, side, name, path)
    there = [one for each in names if each not in taken and (one := _at(rows, side, name, each))]
    free = {field: one for field, one in rows.fields(side).items() if field not in taken}
    if rubric and name in ROWS and (row := ROWS[name](free)):
        own = _valued(rows, side, name, row.name, row.value)
        there = [own, *there] if name in USUAL else [*there, own]
    lists = (one for one in there if name in USUAL and isinstance(one.value, list))
    return next(lists, there[0] if there else None)


def _names(rows: Rows, side: Side, name: str, path: str | None) -> tuple[str, ...]:
    """The fields that may hold a value of that name: the one asked for, else the usual ones."""
    if path:
        return (path,)
    return (name,) if side == "record" and name in rows.mapped else USUAL.get(name, (name,))


def _at(rows: Rows, side: Side, name: str, path: str) -> JudgeValue | None:
    found = look(rows.fields(side), path)
    if found is MISSING or (found is None and (side == "record" or name != "documents")):
        return None
    if found == "" and side == "answer" and name != "documents":  # what a table has for nothing
        return None
    return _valued(rows, side, name, path, found)


def _valued(rows: Rows, side: Side, name: str, path: str, found: Any) -> JudgeValue:
    return JudgeValue(name, found, path if side == "record" else f"answer.{path}", rows.place(side, path))


def _or_none(found: Any) -> Any:
    return None if found is MISSING else found


def _absent(rows: Rows, side: Side, name: str, path: str) -> JudgeValue:
    one = _valued(rows, side, name, path, None)
    if name == "documents" and rows.answer is not None:  # that is the row which is to bring them
        return replace(one, place=rows.place("answer", path))
    return one


def _differ(judge: Judge, one: Any, other: Any) -> bool:
    """Whether two values make two prompts; what is masked is not known."""
    if MASK in (one, other):
        return False
    return _texts(judge, one) != _texts(judge, other)


def _texts(judge: Judge, found: Any) -> list[str]:
    """A value as the template writes it: a rubric strips what it fills in."""
    texts = [str(each) for each in (found if isinstance(found, list) else () if found in (None, "") else (found,))]
    return [text.strip() for text in texts] if judge.syntax == "placeholder" else texts


def list_documents(found: JudgeValue) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """The documents as texts. Anything but a list or null is noted and counts as none."""
    if found.value == MASK:
        return (MASK,), ()
    if found.value in (None, ""):
        return (), ()
    if not isinstance(found.value, list):
        values = {"field": found.field, "what": row_fields.name_json_type(found.value)}
        return (), (Diagnostic("jdg-documents-not-list", values, found.place),)
    return tuple(str(document) for document in found.value), ()


def report_absent(
    judge: Judge, used: set[str], values: Mapping[str, JudgeValue], faults: tuple[Diagnostic, ...]
) -> Iterator[Diagnostic]:
    """What the prompt asks for (`used`) and no row has, or both have; `faults` are those of the documents."""
    for name in sorted(used & values.keys()):
        one = values[name]
        if one.left_out:
            continue
        if one.other:
            yield Diagnostic("jdg-value-differs", _both(judge, one, one.other), one.place, f"{judge.name}\n{name}")
        said = {"judge": judge.name, "name": name, "field": one.field, "what": row_fields.name_json_type(one.value)}
        if name == "documents":
            yield from faults
            if one.value in (None, "", []):
                tried = USUAL[name] if name not in judge.fields and one.value is None else (one.field,)
                yield Diagnostic("jdg-no-documents", said | {"field": ", ".join(tried)}, one.place)
        elif not one.text.strip():
            yield Diagnostic(ABSENT_CODES.get(name, ABSENT_VALUE), said, one.place, name)


def _both(judge: Judge, one: JudgeValue, other: Location) -> Values:
    """The two places of a value, the one that is used first."""
    said = {"judge": judge.name, "name": one.name, "file": one.place.file, "line": one.place.line}
    said |= {"field": one.place.field, "other_file": other.file, "other_line": other.line, "other_field": other.field}
    beside = one.field.startswith("answer.")
    return said | {
        "this": f"answer.{one.place.field}" if beside else f"record.{one.place.field}",
        "that": f"record.{other.field}" if beside else f"answer.{other.field}",
    }

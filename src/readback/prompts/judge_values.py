"""Find the values of a record, and of the row with its answer, that go into a judge's prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from readback.records.fields import row_fields
from readback.records.fields.field_path import MASK, MISSING, look, split_path
from readback.records.replies.answers import TEXTS, as_text
from readback.sources.judges import judge_names
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
    """Hold a value for one name of a judge's prompt; None is absent. `field` is where its row has it, or would have it.

    The `field` of a value from the answer's row begins with `answer.`. `other` is where the other row has another
    value, and nothing says which of the two is meant.
    """

    name: str
    value: Any
    field: str
    place: Location = NOWHERE
    other: Location | None = None
    left_out: bool = False

    @property
    def text(self) -> str:
        """Return the value as text; "" where it is absent."""
        if self.value is None:
            return ""
        return str(self.value)

    def item(self, index: int, text: str) -> Segment:
        """Return one item of a list as a segment."""
        if self.place.field:
            field = f"{self.place.field}[{index}]"
        else:
            field = None
        return Segment(text, "variable", f"{self.name}[{index}]", replace(self.place, field=field))


class FilledPrompt(NamedTuple):
    """Hold a judge's template with its values: segments (None: it cannot be filled in), names it reads, diagnostics."""

    user: tuple[Segment, ...] | None
    names: tuple[tuple[str, Location], ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Hold what a judge may read: the record, the row with what `condition` replied to it, and values that somebody
    tries.

    The record already has the values that are tried. `mapped` are variables that the workspace reads from a field of
    the record. `reference`: the condition has answers and sends nothing, so that the record is only what they are
    compared to.
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
        """Tell whether there is only the record, which then is its own answer."""
        return self.condition is None and self.answer is None

    def fields(self, side: Side) -> Values:
        """Return the fields of one row."""
        if side == "record":
            return self.record.fields
        if self.answer:
            return self.answer.fields
        return {}

    def place(self, side: Side, path: str) -> Location:
        """Return the place of a field of one row."""
        if side == "record":
            if self.tries(path):
                return NOWHERE
            return row_fields.locate_field(self.record, self.mapped.get(path, path))
        if self.answer:
            row_place = self.answer.place
        else:
            row_place = Location(condition=self.condition)
        return Location(file=row_place.file, line=row_place.line, condition=row_place.condition, field=path)

    def tries(self, path: str) -> bool:
        """Tell whether a path of the record has a value that somebody tries; `answer` is the condition's reply."""
        name = (*split_path(path), path)[0]
        return name in self.extra and (name != "answer" or self.alone)


def find_value(rows: Rows, name: str) -> JudgeValue:
    """Find what goes into the place of `name`: in the answer's row first, then in the record; `gold` in the record
    first.

    Each row is looked up under the field that the judge's `fields` give, else under the name itself, for documents
    under their usual names. `answer.FIELD` and `record.FIELD` read one row only; without a condition the record is its
    own answer. The field that holds the reply is the reply and nothing else, and the usual names of a reply are a
    reference only in the record. A null is no value, but for documents beside a reply, where it says that there were
    none.
    """
    if name == "answer":
        return find_answer(rows)
    if name in rows.extra:
        return JudgeValue(name, rows.extra[name], name)
    if name in rows.judge.fields and not rows.judge.fields[name]:
        return JudgeValue(name, None, name, left_out=True)
    only, path = read_mapping(rows, name)
    for field_name in _list_fields(rows, "record", name, path):
        if rows.tries(field_name):
            value = look(rows.record.fields, field_name)
            return _make_value(rows, "record", name, field_name, None if value is MISSING else value)
    sides: tuple[Side, ...] = (only,) if only else SIDES
    if not only and name == "gold":
        sides = SIDES[::-1]
    candidates = [candidate for side in sides if (candidate := _find_in_row(rows, side, name, path, only))]
    if not candidates:
        return _make_absent(rows, only or "record", name, path or name)
    first, *rest = candidates
    if name == "documents" and rows.reference:
        rest = []  # what was retrieved, and what the reference was written from
    differing = (candidate.place for candidate in rest if _differ(rows.judge, first.value, candidate.value))
    return replace(first, other=next(differing, None))


def find_answer(rows: Rows) -> JudgeValue:
    """Find the answer to be judged: one that is tried out, else the condition's, else (no condition) the record's
    field.
    """
    if "answer" in rows.extra:
        return JudgeValue("answer", rows.extra["answer"], "answer")
    only, path = read_mapping(rows, "answer")
    if rows.alone or only == "record" or (path and rows.tries(path)):
        return _read_path(rows, "record", "answer", path or "answer") or _make_absent(
            rows, "record", "answer", path or "answer"
        )
    if rows.answer is None:
        return JudgeValue("answer", None, "answer", Location(condition=rows.condition))
    reply_field = find_reply_field(rows)
    if reply_field:
        value_in_row = look(rows.answer.fields, reply_field)
    else:
        value_in_row = MISSING
    if value_in_row is MISSING:
        text = rows.answer.text
    else:
        text = as_text(value_in_row)
    return JudgeValue("answer", text, "answer", replace(rows.answer.place, field=reply_field))


def has_answer(rows: Rows) -> bool:
    """Tell whether there is something to judge: under its own name, or under what an answer is usually called."""
    if find_answer(rows).value is not None:
        return True
    return any(rows.record.fields.get(name) is not None for name, kind in judge_names.USUAL.items() if kind == "answer")


def read_mapping(rows: Rows, name: str) -> tuple[Side | None, str | None]:
    """Return the one row that the judge's `fields` name for a value (None: either), and the field.

    The field is None where `fields` do not say.
    """
    path = rows.judge.fields.get(name)
    if not path:
        return None, None
    for side in SIDES:
        field_name = path.removeprefix(f"{side}.")
        if field_name == path:
            continue
        row: Side = "record" if rows.alone else side
        nested = any(look(rows.fields(row_side), path) is not MISSING for row_side in SIDES)
        if not nested or look(rows.fields(row), field_name) is not MISSING:
            return row, field_name  # else a row has an object of that name
    return None, path


def find_reply_field(rows: Rows) -> str | None:
    """Find the answer row's field with the reply: the one that `fields` give, else the first usual name."""
    _, path = read_mapping(rows, "answer")
    if path and rows.answer and look(rows.answer.fields, path) not in (None, MISSING):
        return path
    if rows.answer:
        return rows.answer.reply
    return None


def _find_in_row(rows: Rows, side: Side, name: str, path: str | None, only: Side | None) -> JudgeValue | None:
    """Return what one row has for `name`, or None."""
    reply_fields: set[str | None] = set()
    if side == "answer" and only is None:
        reply_fields = {find_reply_field(rows), *(TEXTS if name == "gold" else ())}
    fields = [field for field in _list_fields(rows, side, name, path) if field not in reply_fields]
    values = [value for field in fields if (value := _read_path(rows, side, name, field))]
    if path is None and rows.judge.syntax == "placeholder" and name in ROWS:
        row = ROWS[name]({field: value for field, value in rows.fields(side).items() if field not in reply_fields})
        if row:
            row_value = _make_value(rows, side, name, row.name, row.value)
            if name in USUAL:
                values = [row_value, *values]
            else:
                values = [*values, row_value]
    if name in USUAL:
        for value in values:
            if isinstance(value.value, list):
                return value
    if values:
        return values[0]
    return None


def _list_fields(rows: Rows, side: Side, name: str, path: str | None) -> tuple[str, ...]:
    """Return the fields that may hold a value of that name: the one asked for, else the usual ones."""
    if path:
        return (path,)
    if side == "record" and name in rows.mapped:
        return (name,)
    return USUAL.get(name, (name,))


def _read_path(rows: Rows, side: Side, name: str, path: str) -> JudgeValue | None:
    """Return the value at a path of one row; None where it has none."""
    value = look(rows.fields(side), path)
    if value is MISSING or (value is None and (side == "record" or name != "documents")):
        return None
    if value == "" and side == "answer" and name != "documents":  # what a table has for nothing
        return None
    return _make_value(rows, side, name, path, value)


def _make_value(rows: Rows, side: Side, name: str, path: str, value: Any) -> JudgeValue:
    """Make the value of a name that stands at a path of one row."""
    return JudgeValue(name, value, path if side == "record" else f"answer.{path}", rows.place(side, path))


def _make_absent(rows: Rows, side: Side, name: str, path: str) -> JudgeValue:
    """Make the value of a name that no row has."""
    value = _make_value(rows, side, name, path, None)
    if name == "documents" and rows.answer is not None:  # that is the row which is to bring them
        return replace(value, place=rows.place("answer", path))
    return value


def _differ(judge: Judge, first: Any, second: Any) -> bool:
    """Tell whether two values make two prompts; what is masked is not known."""
    if MASK in (first, second):
        return False
    return _list_texts(judge, first) != _list_texts(judge, second)


def _list_texts(judge: Judge, value: Any) -> list[str]:
    """Return a value as the template writes it: a rubric strips what it fills in."""
    if isinstance(value, list):
        items = value
    else:
        items = [value]
    if value in (None, ""):
        items = []
    texts = [str(item) for item in items]
    if judge.syntax == "placeholder":
        return [text.strip() for text in texts]
    return texts


def list_documents(documents: JudgeValue) -> tuple[tuple[str, ...], tuple[Diagnostic, ...]]:
    """Return the documents as texts. Anything but a list or null is reported and counts as none."""
    if documents.value == MASK:
        return (MASK,), ()
    if documents.value in (None, ""):
        return (), ()
    if not isinstance(documents.value, list):
        values = {"field": documents.field, "what": row_fields.name_json_type(documents.value)}
        return (), (Diagnostic("jdg-documents-not-list", values, documents.place),)
    return tuple(str(document) for document in documents.value), ()


def report_absent(
    judge: Judge, used: set[str], values: Mapping[str, JudgeValue], faults: tuple[Diagnostic, ...]
) -> Iterator[Diagnostic]:
    """Report what the prompt asks for (`used`) and no row has, or both have; `faults` are those of the documents."""
    for name in sorted(used & values.keys()):
        value = values[name]
        if value.left_out:
            continue
        if value.other:
            yield Diagnostic(
                "jdg-value-differs", _describe_both(judge, value, value.other), value.place, f"{judge.name}\n{name}"
            )
        details = {
            "judge": judge.name,
            "name": name,
            "field": value.field,
            "what": row_fields.name_json_type(value.value),
        }
        if name == "documents":
            yield from faults
            if value.value in (None, "", []):
                fields = USUAL[name] if name not in judge.fields and value.value is None else (value.field,)
                yield Diagnostic("jdg-no-documents", details | {"field": ", ".join(fields)}, value.place)
        elif not value.text.strip():
            yield Diagnostic(ABSENT_CODES.get(name, ABSENT_VALUE), details, value.place, name)


def _describe_both(judge: Judge, value: JudgeValue, other: Location) -> Values:
    """Return the two places of a value, the one that is used first."""
    places = {"judge": judge.name, "name": value.name, "file": value.place.file, "line": value.place.line}
    places |= {
        "field": value.place.field,
        "other_file": other.file,
        "other_line": other.line,
        "other_field": other.field,
    }
    is_in_answer = value.field.startswith("answer.")
    return places | {
        "this": f"answer.{value.place.field}" if is_in_answer else f"record.{value.place.field}",
        "that": f"record.{other.field}" if is_in_answer else f"answer.{other.field}",
    }

"""Find records with the same question or stored prompt as an earlier record.

Such a question counts twice in every mean, and it is leaked if one copy is in training and one in evaluation.
"""

from collections.abc import Iterator, Sequence

from readback.checks.facts import stored_prompt, training_rows
from readback.types import Diagnostic, Location, Record, RuleContext, Severity, Values

CODE = "fmt-duplicate-instruction"
ON = "dataset"
_ROW = '{"id": "%s", "task_type": "%s", "instruction": "%s", "rag": {"prompt": "%s"}}\n'
PASS = (
    {"data.jsonl": _ROW % (1, "qa", "Why?", "p") + _ROW % (2, "summaries", "why?", "q") + _ROW % (3, "qa", "", "r")},
    {"data.jsonl": "".join('{"id": "%s", "instruction": "Sum up.", "context": "%s"}\n' % (n, "ab"[n]) for n in (0, 1))},  # noqa: UP031 - braces
)
FAIL = (
    {"data.jsonl": _ROW % (1, "qa", "Why?", "p") + _ROW % (2, "qa", "WHY?", "q")},
    {"data.jsonl": _ROW % (1, "qa", "Why?", "p") + _ROW % (2, "qa", "How?", "p")},
)

INSTRUCTION, PROMPT = "instruction", "stored prompt"
INPUTS = ("input", "context")  # texts beside an instruction that make it another question


def list_marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    """Yield the instruction and the stored prompt of a record."""
    fields = case.record.fields if case.record else {}
    row = training_rows.read_row(case)
    if row and row.kind == "alpaca":  # trn-duplicate-row and trn-duplicate-prompt compare these
        return
    instruction = fields.get("instruction")
    if isinstance(instruction, str) and instruction.strip():
        inputs = [text.strip() for name in INPUTS if isinstance(text := fields.get(name), str)]
        yield INSTRUCTION, "\0".join((str(fields.get("task_type")), instruction.strip().lower(), *inputs))
    stored = stored_prompt.find_prompt(fields)
    if stored and stored[1].strip():
        yield PROMPT, stored[1]


def report_repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a finding for a record that repeats the first one; info if only bare questions are equal."""
    record = case.record or first
    values = {
        "what": list(kinds),
        "record": first.id,
        "line": first.place.line,
        "papers": stored_prompt.find_source_name(record.fields),
        "retrieved": stored_prompt.list_retrieved_names(record.fields),
        "first_papers": stored_prompt.find_source_name(first.fields),
        "first_retrieved": stored_prompt.list_retrieved_names(first.fields),
    }
    if INSTRUCTION in kinds:
        field = "instruction"
    else:
        field = (stored_prompt.find_prompt(record.fields) or ("",))[0]
    severity: Severity | None = None
    if _is_bare(first.fields) and _is_bare(record.fields):
        has_other_answer = stored_prompt.collect_answers(first.fields) != stored_prompt.collect_answers(record.fields)
        severity = "info" if has_other_answer else None
    yield Diagnostic(CODE, values, Location(field=field), str(first.id), severity)


def _is_bare(fields: Values) -> bool:
    """Return whether a record has nothing but a question: no paper, no contexts and no stored prompt."""
    has_source = stored_prompt.find_source_name(fields) or stored_prompt.find_contexts(fields)
    return not has_source and not stored_prompt.find_prompt(fields)

"""Looks for fmt-duplicate-instruction; its words are in catalogue/en.yml."""

from collections.abc import Iterator, Sequence

from readback.checks.facts import stored_prompt, training_rows
from readback.types import Diagnostic, Location, Record, RuleContext, Severity

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


def marks(case: RuleContext) -> Iterator[tuple[str, str]]:
    fields = case.record.fields if case.record else {}
    row = training_rows.read_row(case)
    if row and row.kind == "alpaca":  # trn-duplicate-row and trn-duplicate-prompt look at these
        return
    instruction = fields.get("instruction")
    if isinstance(instruction, str) and instruction.strip():
        inputs = [text.strip() for name in INPUTS if isinstance(text := fields.get(name), str)]
        yield INSTRUCTION, "\0".join((str(fields.get("task_type")), instruction.strip().lower(), *inputs))
    stored = stored_prompt.find_prompt(fields)
    if stored and stored[1].strip():
        yield PROMPT, stored[1]


def repeats(first: Record, case: RuleContext, kinds: Sequence[str]) -> Iterator[Diagnostic]:
    later = case.record or first
    both = (first.fields, later.fields)
    values = {
        "what": list(kinds),
        "record": first.id,
        "line": first.place.line,
        "papers": stored_prompt.find_source_name(later.fields),
        "retrieved": stored_prompt.list_retrieved_names(later.fields),
        "first_papers": stored_prompt.find_source_name(first.fields),
        "first_retrieved": stored_prompt.list_retrieved_names(first.fields),
    }
    name = "instruction" if INSTRUCTION in kinds else (stored_prompt.find_prompt(later.fields) or ("",))[0]
    bare = not any(
        stored_prompt.find_source_name(one) or stored_prompt.find_contexts(one) or stored_prompt.find_prompt(one)
        for one in both
    )
    light: Severity | None = (
        "info"
        if bare and stored_prompt.collect_answers(first.fields) != stored_prompt.collect_answers(later.fields)
        else None
    )
    yield Diagnostic(CODE, values, Location(field=name), str(first.id), light)

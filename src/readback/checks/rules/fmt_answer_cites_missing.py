"""Find citations in a condition's answer of contexts that its prompt did not contain.

Such a citation is invented; many of them show that the answers belong to other prompts.
"""

from collections.abc import Iterator

from readback.checks.facts import contexts
from readback.checks.facts.contexts import find_context_marks
from readback.types import Diagnostic, Location, RuleContext

CODE = "fmt-answer-cites-missing"
ON = "assembly"
NEEDS = "answer"
_BUILT_IN = "dataset: rows.jsonl\nprompts: ['builtin:prompt-formats']\nmodels: {m: {type: rag_trained}}\n"
_TEMPLATE = 'dataset: rows.jsonl\nmodes: [{mode: rag, template: "{% for d in docs %}{{ d }}\\n{% endfor %}{{ q }}"}]\n'
_CONDITION = "conditions: [{name: c, mode: rag, model: m, answers: a.jsonl}]\n"
_ROW = (
    '{"task_id": "1", "instruction": "Why?", "rag": {"contexts": ["[1] One.", "[2] Two."], '
    '"prompt": "Context:\\n[1] One.\\n[2] Two.\\n\\nQuestion: Why?\\nAnswer:"}}\n'
)
_DOCS = '{"task_id": "1", "q": "Why?", "docs": ["The first one.", "The second one."]}\n'
_REPLY = '{"task_id": "1", "response": "%s"}\n'
PASS = (
    {"readback.yml": _BUILT_IN + _CONDITION, "rows.jsonl": _ROW, "a.jsonl": _REPLY % "So [1], and [2]."},
    {"readback.yml": _BUILT_IN + _CONDITION, "rows.jsonl": _ROW, "a.jsonl": _REPLY % "It is `x[10]`, see [3](u)."},
    {
        "readback.yml": _TEMPLATE + _CONDITION.replace(", model: m", ""),
        "rows.jsonl": _DOCS,
        "a.jsonl": _REPLY % "So [2].",
    },
    {
        "readback.yml": _TEMPLATE.replace("{{ d }}\\n", "[{{ loop.index }}] {{ d }} ")
        + _CONDITION.replace(", model: m", ""),
        "rows.jsonl": _DOCS,
        "a.jsonl": _REPLY % "So [2].",
    },
)
FAIL = (
    {"readback.yml": _BUILT_IN + _CONDITION, "rows.jsonl": _ROW, "a.jsonl": _REPLY % "So [1], and [7]."},
    {
        "readback.yml": _TEMPLATE + _CONDITION.replace(", model: m", ""),
        "rows.jsonl": _DOCS,
        "a.jsonl": _REPLY % "So [3].",
    },
    {
        "readback.yml": _TEMPLATE.replace("{% for d in docs %}{{ d }}\\n{% endfor %}", "")
        + _CONDITION.replace(", model: m", ""),
        "rows.jsonl": _DOCS,
        "a.jsonl": _REPLY % "So [1].",
    },
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding with the numbers that were not sent."""
    answer, record = case.answer, case.record
    if answer is None or not answer.text or record is None or answer.masked or record.masked:
        return
    marks = find_context_marks(answer.text, len(contexts.list_contexts(record.fields)))
    if marks and case.assembly:
        numbers = contexts.find_sent_numbers(record.fields, case.assembly)
    else:
        numbers = None
    if numbers is None:
        return
    wrong = [mark for mark in marks if mark.number not in numbers]
    if wrong:
        cited = list(dict.fromkeys(f"[{mark.number}]" for mark in wrong))
        file, line = answer.place.file, answer.place.line
        place = Location(file=file, line=line, field=answer.reply, start=wrong[0].start, end=wrong[0].end)
        yield Diagnostic(CODE, {"cited": cited, "contexts": len(numbers)}, place, " ".join(cited))

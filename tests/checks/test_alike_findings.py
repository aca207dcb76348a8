"""Equal findings of many records are one with its count, and what differs or is ignored stays by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]

HEAD = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the "
    "snippets. If the answer is not in the context, say you don't know."
)
GATEWAY = """\
dataset: d.csv
modes: [{mode: m, system: Be brief., template: "{{ q }}"}]
models: {m: {serving: {modelfile: Modelfile}}}
conditions: [{name: a, mode: m, model: m, adapter: no_system}, {name: b, mode: m, model: m, adapter: no_system}]
"""


def test_a_system_text_that_is_sent_twice_is_one_finding_a_condition(write: Write) -> None:
    root = write(
        {
            "readback.yml": GATEWAY,
            "Modelfile": "FROM x\nSYSTEM Be brief.\n",
            "d.csv": "id,q\n" + "".join(f"{n},Why {n}?\n" for n in range(7)),
        }
    )
    audit = engine.check(workspace.open(root))
    found = [one for one in audit.findings if one.code == "asm-system-twice"]
    assert [(one.place.condition, one.values["records"], one.values["of"]) for one in found] == [
        ("a", 7, 7),
        ("b", 7, 7),
    ]
    assert all(one.message.endswith("(in 7 of 7 records)") for one in found)
    assert audit.records_by_code["asm-system-twice"] == 7
    (row,) = [each for each in audit.conditions if each.name == "a"]
    assert row.warnings == 1


def test_a_finding_that_is_like_no_other_says_no_count(write: Write) -> None:
    (found,) = [one for one in _check(write({"d.jsonl": _rows([("qa", ""), ("qa", "Be kind.")])})) if _drifts(one)]
    assert found.severity == "warning"
    assert (found.place.index, found.values["records"]) == (1, "")
    assert not found.message.endswith("records)")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("qa", "Be kind."), ("qa", "Be kind."), ("sum", "Be short."), ("sum", "Be short.")],
         [("info", 2), ("info", 2)]),
        ([("qa", "Be kind."), ("qa", "Be kind."), ("qa", "")], [("warning", 2)]),
        ([("qa", "Be kind."), ("qa", "Be kind."), ("qa", "Be quick.")], [("warning", 2), ("warning", "")]),
        ([("qa", "Be kind."), ("sum", "Be kind."), ("sum", "")], [("warning", ""), ("warning", "")]),
        ([(None, "Be kind.")] * 3, [("info", 3)]),
    ],
    ids=["constant in each type", "one record without", "one record otherwise", "too few to tell", "no types"],
)  # fmt: skip
def test_sentences_that_every_prompt_of_a_task_type_has_are_a_note(
    rows: list[tuple[str | None, str]], expected: list[tuple[str, int | str]], write: Write
) -> None:
    found = [one for one in _check(write({"d.jsonl": _rows(rows)})) if _drifts(one)]
    assert [(one.severity, one.values["records"]) for one in found] == expected


def test_what_is_ignored_in_one_record_hides_no_other(write: Write) -> None:
    rows = _rows([("qa", "Be kind."), ("qa", "Be kind."), ("qa", "Be kind."), ("qa", "")])
    ignored = "dataset: d.jsonl\nignore: [{code: fmt-rag-drift, why: meant, where: {record: '0'}}]\n"
    audit = engine.check(workspace.open(write({"d.jsonl": rows, "readback.yml": ignored})))
    found = [one for one in audit.findings if _drifts(one)]
    assert [(one.place.index, one.values["records"]) for one in found] == [(1, 2)]
    assert len(audit.ignored_findings) == 1


def _rows(types: list[tuple[str | None, str]]) -> str:
    lines = []
    for number, (task_type, extra) in enumerate(types):
        asked = f"Why {number}?"
        prompt = f"{HEAD}{extra and ' '}{extra}\n\nContext:\n[1] So.\n\nQuestion: {asked}\nAnswer:"
        fields = {"id": str(number), "instruction": asked, "rag": {"contexts": ["[1] So."], "prompt": prompt}}
        lines.append(json.dumps(fields if task_type is None else {**fields, "task_type": task_type}))
    return "\n".join(lines) + "\n"


def _drifts(finding: Finding) -> bool:
    return finding.code == "fmt-rag-drift"


def _check(root: Path) -> tuple[Finding, ...]:
    return tuple(engine.check(workspace.open(root)).findings)

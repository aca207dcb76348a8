"""An error is certain: where only more facts make it so, the severity of one rule follows these facts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine

Write = Callable[[Mapping[str, Any]], Path]

_CITES = {"id": "1", "q": "Why?", "expected_response": "So [3]."}
_RUBRIC = 'prompt: "{{ASSISTANT_RESPONSE}}"\ncriteria: [{id: factuality, weight: 1}, {id: grounding, weight: %s}]\n'
_JUDGED = (
    "prompts: [builtin:prompt-formats]\njudges: {j: {prompts: j.yaml}}\n"
    "models: {base: {type: base}}\nconditions: [{name: c, mode: %s, model: base, judge: j}]\n"
)
_EXCERPT = (
    "Analyze the legal text below.\n\nDocument Excerpt:\nSee Smith v. Jones, 123 F.3d 456 (2020).\n\n"
    "Citations found: Smith v. Jones, 123 F.3d 456\n\nSummary:"
)
_SENT = {"readback.yml": "dataset: d.csv\nmodes: [{mode: m, template: '{{ q }}'}]\n", "d.csv": "id,q\n1,Why?\n"}
_ROLES = "system:\nBe brief.\n\nuser:\n{{ q }}\n"


def _turns(first: str, second: str) -> list[dict[str, str]]:
    said = (("user", first), ("user", second), ("assistant", "So."))
    return [{"role": role, "content": text} for role, text in said]


CASES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("no prompt asks to count snippets", "fmt-reference-cites-missing", "warning",
     {"d.jsonl": [{**_CITES, "contexts": ["a", "b"]}]}),
    ("the prompt asks to count snippets", "fmt-reference-cites-missing", "error",
     {"d.jsonl": [{**_CITES, "contexts": ["a", "b"], "rag_prompt": "Cite as [#].\nQuestion: Why?\nAnswer:"}]}),
    ("a context has the mark itself", "fmt-reference-cites-missing", "warning",
     {"d.jsonl": [{**_CITES, "contexts": ["a [3]", "b"], "rag_prompt": "Cite as [#].\nQuestion: Why?\nAnswer:"}]}),
    ("a rubric weighs contexts that are not sent", "jdg-mode-mismatch", "error",
     {"readback.yml": _JUDGED % "instruction", "j.yaml": _RUBRIC % 0.3}),
    ("a rubric gives contexts no weight", "jdg-mode-mismatch", "warning",
     {"readback.yml": _JUDGED % "rag", "j.yaml": _RUBRIC % 0}),
    ("the same reporter, another page", "trn-citation-altered", "error",
     {"train.jsonl": [{"prompt": _EXCERPT, "completion": "Dismissed (Smith v. Jones, 123 F.3d 459 (2020))."}]}),
    ("another reporter", "trn-citation-altered", "warning",
     {"train.jsonl": [{"prompt": _EXCERPT, "completion": "Dismissed (Smith v. Jones, 88 U.S. 12 (2020))."}]}),
    ("turns that do not alternate", "trn-chat-roles", "warning", {"train.jsonl": [{"messages": _turns("A?", "B?")}]}),
    ("the same in ShareGPT", "trn-chat-roles", "error",
     {"train.jsonl": [{"conversations": [{"from": "human", "value": "A?"}, {"from": "human", "value": "B?"},
                                         {"from": "gpt", "value": "So."}]}]}),
    ("a key like none that is known", "asm-adapter-key", "warning",
     {**_SENT, "readback.yml": f"{_SENT['readback.yml']}adapters: [a.yml]\n", "a.yml": "name: a\nxyz: 1\n"}),
    ("a misspelt key", "asm-adapter-key", "error",
     {**_SENT, "readback.yml": f"{_SENT['readback.yml']}adapters: [a.yml]\n",
      "a.yml": "name: a\ntasks: {generation: {sistem: Be brief.}}\n"}),
    ("a file that lies there names roles", "asm-role-lines", "warning",
     {"d.csv": "id,q\n1,Why?\n", "chat.jinja": _ROLES}),
    ("a file that is named names roles", "asm-role-lines", "error",
     {"d.csv": "id,q\n1,Why?\n", "chat.jinja": _ROLES, "readback.yml": "dataset: d.csv\nprompts: [chat.jinja]\n"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "severity", "files"), [one[1:] for one in CASES], ids=[one[0] for one in CASES])
def test_the_severity_follows_the_facts(code: str, severity: str, files: dict[str, Any], write: Write) -> None:
    root = write({name: _lines(content) for name, content in files.items()})
    assert {one.severity for one in _findings(root) if one.code == code} == {severity}


def test_a_template_that_is_opened_by_its_name_is_refused_once(write: Write) -> None:
    root = write({"chat.jinja": _ROLES})
    found = [one.severity for one in _findings(root / "chat.jinja") if one.code == "asm-role-lines"]
    assert found == ["error"]


def test_text_of_the_model_that_is_asked_is_an_error_and_that_of_another_a_warning(write: Write) -> None:
    files = {
        "readback.yml": "dataset: d.csv\nmodes: [{mode: m, template: 'Be a strict clerk of the court. {{ q }}'}]\n"
        "models: {clerk: {serving: {modelfile: A}}, cook: {serving: {modelfile: B}}}\n"
        "conditions: [{name: clerk, mode: m, model: clerk}, {name: cook, mode: m, model: cook}]\n",
        "A": 'FROM x\nSYSTEM "Be a strict clerk of the court."\n',
        "B": 'FROM x\nSYSTEM "Cook whatever is in season."\n',
        "d.csv": "id,q\n1,Why?\n",
    }
    found = _findings(write(files))
    leaks = {one.place.condition: one.severity for one in found if one.code == "fmt-system-text-in-user"}
    assert leaks == {"clerk": "error", "cook": "warning"}


def _lines(content: Any) -> Any:
    return content if isinstance(content, str) else "".join(f"{json.dumps(row)}\n" for row in content)


def _findings(root: Path) -> tuple[Any, ...]:
    return tuple(engine.check(workspace.open(root)).findings)

"""How stored prompts differ from the standard one, and how what is sent differs from what was trained on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import readback
from readback import workspace
from readback.checks import rules
from readback.checks.run import engine
from readback.cli import main
from readback.prompts import builders
from readback.types import Finding, Record, RuleContext, Workspace

Write = Callable[[Mapping[str, Any]], Path]
CITE = "Cite the sources inline as [#] based on the order of the snippets."
UNKNOWN = "If the answer is not in the context, say you don't know."
HEAD = f"Answer the question using the provided context. {CITE} {UNKNOWN}"
FREE = HEAD.replace(CITE, "Do not fabricate citations.")
LONG = "[2] two " + "and more of it " * 20
CUT = LONG[:99]
FORMATS = """\
dataset: data.jsonl
prompts: [builtin:prompt-formats]
models: {m: {type: rag_trained}, i: {type: instruction_only}}
conditions: [{name: stored, mode: rag, model: m}]
"""


def check(root: Path, code: str) -> list[Finding]:
    audit = engine.check(workspace.open(root), engine.CheckOptions(select=[code]))
    assert audit.faults == ()
    return list(audit.findings)


def row(prompt: str, contexts: list[Any] | None = None, **fields: Any) -> dict[str, Any]:
    rag = {"prompt": prompt, "contexts": ["[1] one"] if contexts is None else contexts}
    return {"task_id": "1", "instruction": "Why?", "rag": rag, **fields}


def standard(head: str = HEAD, block: str = "[1] one", tail: str = "Question: Why?\nAnswer:") -> str:
    return f"{head}\n\nContext:\n{block}\n\n{tail}"


DRIFTS: list[tuple[str, dict[str, Any], str | None, str]] = [
    ("the standard prompt", row(standard()), None, ""),
    ("blanks around the question", row(standard(tail="Question: Why? \nAnswer:"), instruction="Why? "), None, ""),
    ("no contexts", row(standard(block="(No contexts provided)"), []), None, ""),
    ("A11: numbered in the prompt alone", row(standard(block="[1] one\n[2] two."), ["one", "two."]), None, ""),
    ("A11: numbered in the row alone", row(standard(block="one\ntwo."), ["[1] one", "[2] two."]), None, ""),
    ("A11: no numbers, a line apart", row(standard(block="one\ntwo."), ["one", "two."]), None, ""),
    ("A11: other numbers", row(standard(block="[3] one\n[4] two."), ["[1] one", "[2] two."]), None, ""),
    ("A11: contexts of several lines",
     row(standard(block="[1] one\nand more\n[2] two."), ["one\nand more", "two."]), None, ""),
    ("a sentence more", row(standard(f"{HEAD} Be kind to us.")), "warning", 'it also contains "Be kind to us."'),
    ("a sentence less", row(standard(HEAD.replace(f" {CITE}", ""))), "warning", f'it lacks "{CITE}"'),
    ("another wording", row(standard(HEAD.replace("Cite the", "Cite"))), "warning", 'it also contains "Cite sources'),
    ("another question", row(standard(tail="Question: How?\nAnswer:")), "warning", 'its question is "How?"'),
    ("another order", row(f"Context:\n[1] one\n\n{HEAD}\n\nQuestion: Why?\nAnswer:"), "warning", "in another order"),
    ("two line feeds", row(standard(tail="Question: Why?\n\nAnswer:")), "warning", "whitespace or capitals differ"),
    ("one line feed", row(standard().replace("\n\nContext", "\nContext")), "warning", "whitespace or capitals differ"),
    ("text among the contexts", row(standard(block="[1] one\n\nSee also page 7.")), "warning", '"See also page 7."'),
    ("no citations, and the row says so",
     row(standard(FREE), metadata={"require_citations": False}), "info", "instead of the sentence"),
    ("no citations, and the row wants them",
     row(standard(FREE), metadata={"require_citations": True}), "warning", "instead of the sentence"),
    ("extra instructions the row names",
     row(standard(f"{HEAD} Be kind."), metadata={"retrieval_extra_instructions": " Be kind. "}), "info", '"Be kind."'),
    ("system text, told by its own rule", row(standard(f"You are a research paper assistant. {HEAD}")), None, ""),
    ("a context not sent, told by its own rule", row(standard(), ["[1] one", LONG]), None, ""),
    ("a context cut short, told elsewhere", row(standard(block=f"[1] one\n\n{CUT}"), ["[1] one", LONG]), None, ""),
    ("a sentence more and a context cut short",
     row(standard(f"{HEAD} Be kind.", f"[1] one\n\n{CUT}"), ["[1] one", LONG]), "warning",
     "context 2 is cut off after 99"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "severity", "said"), [case[1:] for case in DRIFTS], ids=[case[0] for case in DRIFTS])
def test_a_stored_prompt_is_held_against_the_standard_one(
    one: dict[str, Any], severity: str | None, said: str, write: Write
) -> None:
    sent = check(write({"readback.yml": FORMATS, "data.jsonl": [one]}), "fmt-rag-drift")
    assert [hit.severity for hit in sent] == ([severity] if severity else [])
    assert all(said in hit.message for hit in sent)
    for hit in sent:
        assert (hit.place.role, hit.place.condition) == ("user", "stored")


def test_the_sentences_that_are_more_are_marked(write: Write) -> None:
    prompt = standard(f"{HEAD} Be kind. Be very clear.")
    (hit,) = check(write({"readback.yml": FORMATS, "data.jsonl": [row(prompt)]}), "fmt-rag-drift")
    assert prompt[hit.place.start : hit.place.end] == "Be kind. Be very clear."


def test_the_standard_prompt_that_we_build_has_no_drift(write: Write) -> None:
    fields = row("", ["[1] one. Two.", "[2] Context:\n\nQuestion: no\nAnswer: no"])
    text = "".join(segment.text for segment in builders.build_user_message("standard", Record("1", fields)).segments)
    fields["rag"]["prompt"] = text
    assert check(write({"readback.yml": FORMATS, "data.jsonl": [fields]}), "fmt-rag-drift") == []


def trained(template: str, kind: str = "instruction_only", adapter: str = "") -> str:
    condition = {"name": "c", "mode": "mine", "model": "m"} | ({"adapter": adapter} if adapter else {})
    said = {
        "dataset": "data.jsonl",
        "prompts": ["builtin:prompt-formats"],
        "models": {"m": {"type": kind}},
        "modes": [{"mode": "mine", "template": template, "system": "Read the log and name every storm in it."}],
        "conditions": [condition],
    } | ({"adapters": [adapter]} if adapter else {})
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in said.items())


@pytest.mark.parametrize(
    ("template", "kind", "adapter", "severity", "marked"),
    [
        ("Question: {{ instruction }}\n\nAnswer:", "instruction_only", "", None, ""),
        ("Question: {{ instruction }}\n\nAnswer:", "base", "", None, ""),
        ("{{ rag.prompt }}", "rag_trained", "", None, ""),
        ("Question: {{ instruction }}\nAnswer:", "instruction_only", "", "error", ""),
        ("Q: {{ instruction }}\n\nAnswer:", "instruction_only", "", "error", ""),
        ("Question: {{ instruction }} Be quick.\n\nAnswer:", "instruction_only", "", "error", " Be quick."),
        ("Read the log and name every storm in it.\n\nQuestion: {{ instruction }}\n\nAnswer:", "instruction_only", "",
         None, ""),
        ("Question: {{ instruction }}\n\nAnswer:", "instruction_only", "no_system", None, ""),
        ("{% for c in rag.contexts %}{{ c }}{% endfor %}\nQuestion: {{ instruction }}\n\nAnswer:", "instruction_only",
         "", "info", None),
        ("Question: {{ instruction }}\n\nAnswer:", "rag_trained", "", "info", None),
    ],
)  # fmt: skip
def test_what_is_sent_is_held_against_what_was_trained_on(
    template: str, kind: str, adapter: str, severity: str | None, marked: str | None, write: Write
) -> None:
    files = {"readback.yml": trained(template, kind, adapter), "data.jsonl": [row(standard())]}
    hits = check(write(files), "fmt-train-serve-diff")
    assert [hit.severity for hit in hits] == ([severity] if severity else [])
    if marked:
        text = template.replace("{{ instruction }}", "Why?")
        assert [text[hit.place.start : hit.place.end] for hit in hits] == [marked]


@pytest.mark.parametrize(
    ("kind", "mode", "sent"),
    [
        ("instruction_only", "instruction", None),
        ("instruction_only", "hybrid", "the question with contexts"),
        ("instruction_only", "rag", "the question with contexts"),
        ("rag_trained", "rag", None),
        ("rag_trained", "instruction", "the question without contexts"),
        ("base", "rag", None),
    ],
)
def test_a_condition_that_differs_by_design_is_told_once(kind: str, mode: str, sent: str | None, write: Write) -> None:
    said = f"models: {{m: {{type: {kind}}}}}\nconditions: [{{name: c, mode: {mode}, model: m}}]\n"
    files = {
        "readback.yml": f"dataset: data.jsonl\nprompts: [builtin:prompt-formats]\n{said}",
        "data.jsonl": [row(standard()), row(standard(), task_id="2")],
    }
    hits = check(write(files), "fmt-train-serve-diff")
    assert [(hit.severity, hit.values["sent"], hit.place.condition) for hit in hits] == (
        [("info", sent, "c")] if sent else []
    )


@pytest.mark.parametrize(
    ("kind", "user", "found"),
    [
        ("instruction_only", "Question: Why?\n\nAnswer:", False),
        ("instruction_only", "Question: Why?\nAnswer:", True),
        ("instruction_only", "Why?", True),
        ("rag_trained", standard(), False),
        ("rag_trained", standard(tail="Question: Why?\n\nAnswer:"), True),
        ("base", "Why?", False),
    ],
)
def test_the_messages_a_model_was_trained_on_have_the_layout_of_the_evaluation(
    kind: str, user: str, found: bool, write: Write
) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": user}]
    models = f"models: {{m: {{type: {kind}, training: {{messages: train.jsonl}}}}}}\n"
    files = {"readback.yml": f"prompts: [builtin:prompt-formats]\n{models}", "train.jsonl": [{"messages": messages}]}
    hits = check(write(files), "fmt-train-serve-diff")
    assert [(hit.severity, hit.place.file, hit.place.line) for hit in hits] == (
        [("error", "train.jsonl", 1)] if found else []
    )


@pytest.mark.parametrize(
    ("block", "contexts", "missing"),
    [
        ("one\ntwo.", ["[1] one", "[2] two."], None),
        ("[1] one\n[2] two.", ["one", "two."], None),
        ("one", ["[1] one", "[2] two."], [2]),
        ("a one", ["[1] one"], [1]),
        ("[1] One", ["[2] one"], [1]),
    ],
)
def test_a11_a_number_in_front_of_a_context_is_no_part_of_what_is_sent(
    block: str, contexts: list[str], missing: list[int] | None
) -> None:
    record = Record("1", row(standard(block=block), contexts))
    workspace = Workspace(Path(), "")
    found = [
        one
        for one in rules.check(RuleContext(workspace, record), "record", {"fmt-context-not-sent"})
        if isinstance(one, Finding)
    ]
    assert [one.values["missing"] for one in found] == ([] if missing is None else [missing])


def test_a11_the_standard_prompt_is_a_mode_of_its_own(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"readback.yml": FORMATS, "data.jsonl": [row("stored otherwise", ["one", "two"])]}
    config = FORMATS.replace("conditions: [", "conditions: [{name: rebuilt, mode: standard, model: m}, ")
    root = write({**files, "readback.yml": config})
    wanted = standard(block="[1] one\n\n[2] two")
    for asked in (["--mode", "standard"], ["--condition", "rebuilt"]):
        assert main(["render", str(root), "--record", "1", *asked, "--format", "json"]) in (0, 1)
        made = json.loads(capsys.readouterr().out)
        assert wanted in json.dumps(made, ensure_ascii=False).replace("\\n", "\n")
    assert readback.open(root).assemble(record="1", mode="standard").text() == wanted


@pytest.mark.parametrize(
    ("example", "key"), [(0, "aacb7a7470edf1c7"), (1, "38a6789b4b424a3f"), (2, "46d147b0249f3044")]
)
def test_a_finding_keeps_its_key_whatever_its_words(write: Write, example: int, key: str) -> None:
    """A baseline names findings by key: that of their kind, which stays when more records have it."""
    files = rules.RULES()["fmt-rag-drift"].fails[example]
    assert [one.key for one in check(write(files), "fmt-rag-drift")] == [key]

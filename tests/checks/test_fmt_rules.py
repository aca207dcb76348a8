"""The rules of the prompt formats at their edges: what is a leak, what is retrieved text, which place is marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.checks.run import engine
from readback.types import Finding

Write = Callable[[Mapping[str, Any]], Path]
PAPER = "You are a research paper assistant."
FORMATS = """\
dataset: data.jsonl
prompts: [builtin:prompt-formats]
models: {m: {type: rag_trained}, i: {type: instruction_only}}
conditions: [{name: stored, mode: rag, model: m}, {name: built, mode: hybrid, model: i}]
"""


def check(root: Path, code: str) -> list[Finding]:
    audit = engine.check(workspace.open(root), engine.CheckOptions(select=[code]))
    assert audit.faults == ()
    return list(audit.findings)


def row(prompt: str, contexts: list[Any] | None, **fields: Any) -> dict[str, Any]:
    rag = {"prompt": prompt} if contexts is None else {"prompt": prompt, "contexts": contexts}
    return {"task_id": "1", "instruction": "Why?", "rag": rag, **fields}


@pytest.mark.parametrize(
    ("prompt", "contexts", "found"),
    [
        (f"{PAPER} Context:\n[1] one\n\nQuestion: Why?\nAnswer:", ["[1] one"], ["warning"]),
        (f"Context:\n[1] {PAPER}\n\nQuestion: Why?\nAnswer:", [f"[1] {PAPER}"], ["info"]),
        (f"{PAPER}\nContext:\n[1]  {PAPER}\n\nQuestion: Why?\nAnswer:", [f"[1] {PAPER}"], ["warning", "info"]),
        (f"{PAPER}\nContext:\n[1] {PAPER}\n\nQuestion: Why?\nAnswer:", None, ["warning", "info"]),
        ("Context:\n[1] You are an assistant manager.\n\nQuestion: Why?\nAnswer:", ["[1] one"], []),
    ],
    ids=["outside", "inside a context", "both", "both, contexts not listed", "somebody's profession"],
)
def test_text_of_another_model_in_a_stored_prompt_is_a_warning_outside_its_contexts_and_information_inside(
    prompt: str, contexts: list[str] | None, found: list[str], write: Write
) -> None:
    root = write({"readback.yml": FORMATS, "data.jsonl": [row(prompt, contexts)]})
    hits = [one for one in check(root, "fmt-system-text-in-user") if one.place.condition == "stored"]
    assert [one.severity for one in hits] == found
    assert {prompt[one.place.start : one.place.end] for one in hits} <= {PAPER}


def test_system_text_in_a_context_that_a_builder_puts_in_is_information(write: Write) -> None:
    root = write({"readback.yml": FORMATS, "data.jsonl": [row("Question: Why?\nAnswer:", [PAPER])]})
    built = [one for one in check(root, "fmt-system-text-in-user") if one.place.condition == "built"]
    assert [one.severity for one in built] == ["info"]


def test_system_text_in_the_question_itself_is_an_error(write: Write) -> None:
    rows = [row("Question: Why?\nAnswer:", ["[1] one"], instruction=f"{PAPER} Why?")]
    root = write({"readback.yml": FORMATS, "data.jsonl": rows})
    (hit,) = check(root, "fmt-system-text-in-user")
    assert (hit.place.condition, hit.severity) == ("built", "error")


def test_chunks_that_a_template_prints_are_retrieved_text(write: Write) -> None:
    template = "{% for c in sheet_chunks %}{{ c.text }}\n{% endfor %}{{ query }}"
    modes = f"dataset: data.jsonl\nmodes: [{{mode: m, system: '{PAPER}', template: \"{template}\"}}]\n"
    rows = [{"id": "1", "query": "Why?", "sheet_chunks": [{"text": PAPER}]}, {"id": "2", "query": PAPER}]
    root = write({"readback.yml": modes.replace("\n{%", "\\n{%"), "data.jsonl": rows})
    assert [(one.place.record, one.severity) for one in check(root, "fmt-system-text-in-user")] == [
        ("1", "info"),
        ("2", "error"),
    ]


def test_a_folded_system_text_is_no_leak_but_a_repeated_one_still_is(write: Write) -> None:
    modes = (
        "dataset: data.jsonl\nadapters: [no_system]\n"
        "modes: [{mode: m, system: 'Be brief, {{ name }}.', template: '{{ q }}', system_syntax: jinja}]\n"
    )
    rows = [{"id": "1", "q": "Why?", "name": "Jo"}, {"id": "2", "q": "Be brief, {{ name }}.", "name": "Jo"}]
    root = write({"readback.yml": modes, "data.jsonl": rows})
    assert "1" not in {one.place.record for one in check(root, "fmt-system-text-in-user")}


def test_the_finding_says_every_place_that_states_the_text(write: Write) -> None:
    models = "models: {m: {type: rag_trained, serving: {modelfile: Modelfile}}}\n"
    files = {
        "readback.yml": f"dataset: data.jsonl\nprompts: [builtin:prompt-formats]\n{models}"
        "conditions: [{name: c, mode: rag, model: m}]\n",
        "Modelfile": f'FROM x\nSYSTEM "{PAPER}"\n',
        "data.jsonl": [row(f"{PAPER} Question: Why?\nAnswer:", ["one"])],
    }
    (hit,) = check(write(files), "fmt-system-text-in-user")
    assert hit.severity == "error"  # the server puts the same text before it
    assert hit.values["stated"] == ["modelfile m (Modelfile:2)", "format instruction_only"]


@pytest.mark.parametrize(
    ("fields", "present", "listed"),
    [
        ({"rag": {"prompt": "a b", "contexts": [" a ", "c"]}}, 1, 2),
        ({"rag_prompt": "a", "contexts": ["a", "c", "d"]}, 1, 3),
        ({"rag": {"prompt": "a 1", "contexts": ["a", None, "", 1]}}, None, None),
        ({"rag": {"prompt": "a", "contexts": "not a list"}}, None, None),
        ({"rag": {"prompt": "a"}}, None, None),
        ({"rag": {"contexts": ["c"]}}, None, None),
    ],
)
def test_contexts_not_sent_counts_what_is_listed_and_what_is_there(
    fields: dict[str, Any], present: int | None, listed: int | None, write: Write
) -> None:
    hits = check(write({"data.jsonl": [{"id": "1", "q": "x", **fields}]}), "fmt-context-not-sent")
    expected = [] if present is None else [(present, listed)]
    assert [(one.values["present"], one.values["listed"]) for one in hits] == expected


@pytest.mark.parametrize(
    ("prompt", "severity", "said"),
    [
        ("Question: Why?\nAnswer:", None, ""),
        ("Question: Why?\nAnswer: ", "warning", "1 whitespace character follows Answer:"),
        ("Question: Why?\nAnswer: So.", "warning", "4 more characters follow Answer:"),
        ("Answer: So. Question: Why?", "warning", "Answer: is before Question:"),
        ("Question: Why?", "warning", "Answer: is missing"),
        ("Why?", "warning", "Question: and Answer: are missing"),
        ("Context:\n[1] Question: no. Answer:\n\nWhy?", "warning", "Question: and Answer: are missing"),
    ],
)
def test_markers_are_looked_for_outside_contexts_and_at_their_place(
    prompt: str, severity: str | None, said: str, write: Write
) -> None:
    root = write({"readback.yml": FORMATS, "data.jsonl": [row(prompt, ["[1] Question: no. Answer:"])]})
    hits = [one for one in check(root, "fmt-markers") if one.place.condition == "stored"]
    assert [one.severity for one in hits] == ([severity] if severity else [])
    assert all(said in one.message for one in hits)


@pytest.mark.parametrize(
    ("reference", "contexts", "cited"),
    [
        ("So [1] and [2].", ["a", "b"], None),
        ("So [0], [3], [3] and [12].", ["a", "b"], ["[0]", "[3]", "[12]"]),
        ("So [1].", [], ["[1]"]),
        ("So [1, 9] and [a].", ["a"], None),
        ("", ["a"], None),
    ],
)
def test_a_reference_may_cite_only_contexts_that_are_there(
    reference: str, contexts: list[str], cited: list[str] | None, write: Write
) -> None:
    root = write({"data.jsonl": [row("x", contexts, expected_response=reference)]})
    assert [one.values["cited"] for one in check(root, "fmt-reference-cites-missing")] == ([cited] if cited else [])


MODEL = "models: {m: {training: {system: '%s'}, serving: {modelfile: Modelfile}}}\n"


@pytest.mark.parametrize(
    ("trained", "served", "severity"),
    [
        ("You are X.", 'FROM x\nSYSTEM "You are X."\n', None),
        ("You are X.", 'FROM x\nsystem """You are X."""\n', None),
        ("You are X.", 'FROM x\nSYSTEM "wrong"\nSYSTEM "You are X."\n', None),
        ("You are X.", 'FROM x\nSYSTEM "You are X."\nSYSTEM "wrong"\n', "error"),
        ("You are X.", 'FROM x\nSYSTEM "You are  X."\n', "warning"),
        ("You are X.", "FROM x\n", "warning"),
    ],
)
def test_training_and_modelfile_must_agree_to_the_character(
    trained: str, served: str, severity: str | None, write: Write
) -> None:
    root = write({"readback.yml": MODEL % trained, "Modelfile": served})
    assert [one.severity for one in check(root, "fmt-system-mismatch")] == ([severity] if severity else [])


def test_a_mismatch_says_where_the_texts_part(write: Write) -> None:
    root = write({"readback.yml": MODEL % "You are X.", "Modelfile": 'FROM x\nSYSTEM "You are Y."\n'})
    (hit,) = check(root, "fmt-system-mismatch")
    assert (hit.place.file, hit.place.line, hit.values["at"]) == ("Modelfile", 2, 9)
    assert "typed readback.yml:1 says 'You are X.', but modelfile Modelfile:2 says 'You are Y.'" in hit.message


VARIES = """\
adapters: [langchain, no_system]
models: {m: {}}
modes: [{mode: a, system: S, template: x}, {mode: b, system: S, template: y}, {mode: c, template: z}]
conditions: [%s]
"""


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ("{name: 1, mode: a, model: m}, {name: 2, mode: b, model: m}", False),
        ("{name: 1, mode: a, model: m}, {name: 2, mode: c, model: m}", True),
        ("{name: 1, mode: a, model: m}, {name: 2, mode: c, model: n}", False),
        ("{name: 1, mode: a, model: m, task: parsing, adapter: langchain}, {name: 2, mode: a, model: m}", True),
        ("{name: 1, mode: a, model: m, adapter: langchain}, {name: 2, mode: a, model: m}", False),
        ("{name: 1, mode: a, model: m, adapter: no_system}, {name: 2, mode: a, model: m}", False),
    ],
)
def test_one_model_must_get_one_system_message(conditions: str, found: bool, write: Write) -> None:
    conditions = conditions.replace("name: 1", "name: one").replace("name: 2", "name: two")
    assert bool(check(write({"readback.yml": VARIES % conditions}), "fmt-system-varies")) is found


CHUNKS = "{% for c in sheet_chunks %}{{ c }}{% endfor %}"


@pytest.mark.parametrize(
    ("template", "fields", "variable", "nearest", "severity"),
    [
        ("{{ query }}", {"question": "Why?", "answer": "So."}, "query", "question", "warning"),
        (CHUNKS, {"rag": {"contexts": ["a"]}}, "sheet_chunks", "rag.contexts", "warning"),
        (CHUNKS, {"texts": ["a"], "n": 1}, "sheet_chunks", "texts", "warning"),
        ("{{ institution }}", {"n": 1}, "institution", "–", "warning"),
        ("{% if institution %}{{ institution }}{% endif %}", {"n": 1}, "institution", "–", "info"),
        ("{{ institution | default('us') }}", {"n": 1}, "institution", "–", "info"),
        ("{{ query }}", {"query": None}, "query", "–", "warning"),
        ("{{ query }}", {"query": ""}, None, "", ""),
        ("{{ limit }}", {"n": 1}, None, "", ""),
    ],
)  # fmt: skip
def test_a_variable_without_data_is_told_with_the_nearest_field(
    template: str, fields: dict[str, Any], variable: str | None, nearest: str, severity: str, write: Write
) -> None:
    config = "prompts: [{mode: m, template: t.jinja, default: {limit: 3}}]\n"
    root = write({"prompt_config.yml": config, "t.jinja": template, "data.jsonl": [{"id": "1", **fields}]})
    found = [
        (one.values["variable"], one.values["nearest"], one.severity) for one in check(root, "alb-variable-no-data")
    ]
    assert found == ([(variable, nearest, severity)] if variable else [])

"""The three functions of the prompt-format document, and its table of checks, one case a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import readback
from readback import prompt_formats, workspace
from readback.checks import rules
from readback.checks.run import engine
from readback.prompt_formats import (
    validate_modelfile_system_message,
    validate_prompt_format_consistency,
    validate_rag_prompt_no_system_text,
)
from readback.prompts.assemble import assemble
from readback.records.dataset import open_dataset
from readback.sources.prompt_formats import SYSTEM, infer_type
from readback.types import Assembly, Finding, Message, Record, RuleContext, Segment, Selection

Write = Callable[[Mapping[str, Any]], Path]
PAPER = SYSTEM["instruction_only"]
RAG = SYSTEM["rag_trained"]
STANDARD = (
    "Answer the question using the provided context. Cite the sources inline as [#] based on the order of the snippets."
    " If the answer is not in the context, say you don't know.\n\nContext:\n{}\n\nQuestion: Why?\nAnswer:"
)
FINE = "Question: What is X?\n\nAnswer:"

CONSISTENCY: list[tuple[str | None, str | None, str, str, list[str]]] = [
    (PAPER, PAPER, FINE, "instruction", []),
    (PAPER, None, FINE, "instruction", []),
    (PAPER, "", FINE, "instruction", []),
    (PAPER, f"{PAPER}\n", FINE, "instruction", []),
    (PAPER, RAG, FINE, "instruction", ["system message mismatch"]),
    (PAPER, PAPER, f"{PAPER} Question: X?\n\nAnswer:", "instruction", ["system text duplication"]),
    (PAPER, PAPER, "You are a research\npaper  assistant. Question: X?\n\nAnswer:", "rag", ["system text duplication"]),
    (PAPER, PAPER, "You are a helpful assistant.\nQuestion: X?\n\nAnswer:", "instruction", ["system text duplication"]),
    (PAPER, PAPER, "Question: X?", "instruction", ["missing required markers"]),
    (PAPER, PAPER, "Question: X?", "rag", ["missing required markers"]),
    (PAPER, PAPER, "Answer: X? Question:", "instruction", ["missing required markers"]),
    (PAPER, PAPER, f"{PAPER} X?", "instruction", ["system text duplication", "missing required markers"]),
    (PAPER, PAPER, STANDARD.format(f"[1] {PAPER}"), "rag", []),
    (PAPER, PAPER, FINE, "instructoin", ["instructoin"]),
    ("You are X.", "You are Y.", "You are Y. Why?", "hybrid", ["mismatch", "duplication", "markers"]),
    (
        "Keep strictly to the facts in the log.",
        None,
        f"Keep to the facts in the log.\n{FINE}",
        "rag",
        ["duplication"],
    ),
    (None, None, FINE, "instruction", []),
]


@pytest.mark.parametrize(("training", "served", "prompt", "mode", "expected"), CONSISTENCY)
def test_training_modelfile_and_prompt_are_held_together(
    training: str | None, served: str | None, prompt: str, mode: str, expected: list[str]
) -> None:
    found = validate_prompt_format_consistency(training, served, prompt, mode=mode)
    assert len(found) == len(expected), found
    for words, text in zip(expected, found, strict=True):
        assert words in text.lower()


MODELFILES = [
    (f'SYSTEM "{PAPER}"\nPARAMETER temperature 0\n', PAPER, []),
    (f'SYSTEM "{PAPER}"\nPARAMETER temperature 0\n', RAG, ["system message mismatch", PAPER, RAG]),
    ("PARAMETER temperature 0\n", PAPER, ["missing system directive"]),
    ('SYSTEM """You are X."""\n', "You are X.", []),
    ('SYSTEM """You are X.\nBe brief."""\n', "You are X.\nBe brief.", []),
    ('SYSTEM """\nYou are X.\n"""\n', "You are X.", []),
    ('system "You are X."\n', "You are X.", []),
    ('SYSTEM "You are Y."\nSYSTEM "You are X."\n', "You are X.", []),
    ('SYSTEM "You are X."\nSYSTEM "You are Y."\n', "You are X.", ["system message mismatch"]),
    ('SYSTEM "x"  # c\nPARAMETER stop "END"\n', "x", ["system message mismatch", "oll-swallowed-lines"]),
    ('SYSTEM "x"  # c\nPARAMETER temperature 0\n', "x", ["missing system directive", "oll-syntax"]),
    ('FROM x\nTEMPLATE """\nSYSTEM "You are Y."\n"""\nSYSTEM "You are X."\n', "You are X.", []),
    ('FROM x\nLICENSE """\nSYSTEM "You are X."\n"""\n', "You are X.", ["missing system directive"]),
    ("FROM x\n# SYSTEMATIC reviews\n", "You are X.", ["missing system directive"]),
    ('FROM x\nSYSTEM ""\n', "You are X.", ["system message mismatch", "expected 'you are x.'", "actual ''"]),
    ('FROM x\nSYSTEM You are "X".\n', 'You are "X".', []),
]


@pytest.mark.parametrize(("text", "expected", "said"), MODELFILES)
def test_the_system_message_a_modelfile_ends_up_with_is_compared(
    text: str, expected: str, said: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "Modelfile"
    path.write_bytes(text.encode())
    found = validate_modelfile_system_message(path, expected)
    assert len(found) == bool(said), found
    assert all(words.lower() in found[0].lower() for words in said)
    assert found == validate_modelfile_system_message(str(path), expected)


def test_a_modelfile_that_is_not_there_is_said_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "gone"
    assert validate_modelfile_system_message(path, "x") == [f"Modelfile not found: {path}"]


@pytest.mark.parametrize(
    ("prompt", "phrases"),
    [
        (STANDARD.format("[1] one"), []),
        (f"{PAPER} {STANDARD.format('[1] one')}", ["You are a research paper assistant"]),
        (f"{RAG}\n{PAPER}\n{STANDARD.format('[1] one')}", ["concise, evidence-grounded", "research paper assistant"]),
        (f"You are an assistant. {STANDARD.format('[1] one')}", ["You are an assistant"]),
        (f"YOU ARE A SCIENTIFIC\nRESEARCH ASSISTANT. {STANDARD.format('[1]')}", ["you are a scientific research"]),
        (STANDARD.format("[1] You are an assistant that reads papers."), []),
        (f"You are an assistant manager. {STANDARD.format('[1] one')}", []),
        ("", []),
    ],
)
def test_system_text_in_a_rag_prompt_is_named_and_its_contexts_may_quote_it(prompt: str, phrases: list[str]) -> None:
    found = validate_rag_prompt_no_system_text(prompt)
    assert len(found) == len(phrases), found
    for phrase, text in zip(phrases, found, strict=True):
        assert phrase.lower() in " ".join(text.split()).lower()


@pytest.mark.parametrize(
    ("model", "file", "expected", "codes"),
    [
        ("lora_science_0p5", None, "rag_trained", ["fmt-model-type-inferred"]),
        ("lora_science_0p5_instruction_only", None, "instruction_only", ["fmt-model-type-inferred"]),
        ("lora_science_instruction", None, "base", ["fmt-model-type-inferred", "fmt-model-type-guess"]),
        ("my-rag-trained", None, "base", ["fmt-model-type-inferred", "fmt-model-type-guess"]),
        ("hybrid_science_0p5b", None, "base", ["fmt-model-type-inferred", "fmt-model-type-guess"]),
        ("x", "hybrid.yaml", "rag_trained", ["fmt-model-type-inferred"]),
        ("x", "hybrid_instruction.yaml", "base", ["fmt-model-type-inferred", "fmt-model-type-guess"]),
        ("lora_science", "hybrid_instruction.yaml", "rag_trained", ["fmt-model-type-inferred"]),
        ("x", "instruction_only_rag_trained.yaml", "rag_trained", ["fmt-model-type-inferred"]),
        ("lora_science_0p5_f16", "lora_instruction_only.yaml", "instruction_only",
         ["fmt-model-type-inferred", "fmt-model-type-conflict"]),
    ],
)  # fmt: skip
def test_every_row_of_the_table_of_model_types(model: str, file: str | None, expected: str, codes: list[str]) -> None:
    found = infer_type(model, file)
    assert (found.type, [diagnostic.code for diagnostic in found.diagnostics]) == (expected, codes)


FORMATS = """\
dataset: data.jsonl
prompts: [builtin:prompt-formats]
models:
  i: {type: instruction_only, training: {system: You are a research paper assistant.}, serving: {modelfile: Modelfile}}
  r: {type: rag_trained}
conditions: [{name: closed, mode: instruction, model: i}, {name: built, mode: hybrid, model: i},
             {name: stored, mode: rag, model: r}]
"""
SERVED = f'FROM x\nSYSTEM "{PAPER}"\n'


def row(**fields: Any) -> dict[str, Any]:
    rag = {"contexts": ["[1] one"], "prompt": STANDARD.format("[1] one"), **fields.pop("rag", {})}
    return {
        "task_id": "1",
        "task_type": "qa",
        "instruction": "Why?",
        "expected_response": "So [1].",
        "rag": rag,
    } | fields


SECTION_9: list[tuple[str, str, str, dict[str, Any]]] = [
    ("the Modelfile states another system text", "fmt-system-mismatch", SERVED.replace("paper", "book"), row()),
    ("system text in the question", "fmt-system-text-in-user", SERVED, row(instruction=f"{PAPER} Why?")),
    ("generic system text", "fmt-system-text-in-user", SERVED, row(instruction="You are a helpful assistant. Why?")),
    ("a phrase broken by a line feed", "fmt-system-text-in-user", SERVED,
     row(rag={"prompt": f"You are a research\npaper  assistant. {STANDARD.format('[1] one')}"})),
    ("quoted in a context, for information", "fmt-system-text-in-user", SERVED,
     row(rag={"contexts": [f"[1] {PAPER}"], "prompt": STANDARD.format(f"[1] {PAPER}")})),
    ("no marks", "fmt-markers", SERVED, row(rag={"prompt": "[1] one\n\nWhy?"})),
    ("marks in another order", "fmt-markers", SERVED, row(rag={"prompt": "Answer: [1] one\n\nQuestion: Why?"})),
    ("a sentence more", "fmt-rag-drift", SERVED,
     row(rag={"prompt": STANDARD.format("[1] one").replace("\n\nContext", " Be kind.\n\nContext")})),
    ("a context not sent", "fmt-context-not-sent", SERVED, row(rag={"contexts": ["[1] one", "[2] two"]})),
    ("a reference that cites nothing there", "fmt-reference-cites-missing", SERVED, row(expected_response="So [3].")),
    ("another user message than in training", "fmt-train-serve-diff", SERVED, row()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "served", "one"), [case[1:] for case in SECTION_9], ids=[case[0] for case in SECTION_9]
)
def test_every_row_of_the_table_of_checks(code: str, served: str, one: dict[str, Any], write: Write) -> None:
    audit = engine.check(workspace.open(write({"readback.yml": FORMATS, "Modelfile": served, "data.jsonl": [one]})))
    assert audit.faults == ()
    assert code in audit.counts


def test_a_study_that_keeps_to_the_document_has_nothing_to_be_told(write: Write) -> None:
    root = write({"readback.yml": FORMATS, "Modelfile": SERVED, "data.jsonl": [row()]})
    found = engine.check(workspace.open(root)).findings
    assert [(one.code, one.place.condition) for one in found if one.severity != "info"] == []
    assert [one.place.condition for one in found if one.code == "fmt-train-serve-diff"] == ["built"]


def test_a_phrase_may_go_on_with_a_relative_clause_and_not_with_another_role() -> None:
    assert validate_rag_prompt_no_system_text("You are an assistant who answers.\nQuestion: X?\nAnswer:")
    assert validate_rag_prompt_no_system_text("You are an assistant at the front desk.\nQuestion: X?\nAnswer:") == []


def test_a_mode_nobody_knows_is_told_and_the_other_checks_are_made() -> None:
    found = validate_prompt_format_consistency(PAPER, PAPER, f"{PAPER} Why?", mode="instructoin")
    assert [next(word for word in ("instruction,", "duplication", "markers") if word in text) for text in found] == [
        "instruction,",
        "duplication",
        "markers",
    ]


@pytest.mark.parametrize("name", [name for name in readback.__all__ if name.startswith("validate_")])
def test_the_three_functions_are_found_at_the_top_of_the_package(name: str) -> None:
    assert getattr(readback, name) is getattr(prompt_formats, name)


def test_the_package_has_no_other_names_by_chance() -> None:
    with pytest.raises(AttributeError, match="no attribute 'validate'"):
        readback.validate  # noqa: B018 - asked for on purpose


@pytest.mark.parametrize(
    "actual",
    [
        PAPER.replace(" ", "  ", 1),
        PAPER.replace(" a ", "\na "),
        PAPER.replace(" ", "\t"),
        PAPER.replace(" ", "\u00a0", 1),
    ],
    ids=["a doubled blank", "a line break", "tabs", "a no-break space"],
)
def test_b2_blanks_inside_the_system_text_are_a_mismatch_and_the_first_difference_is_named(
    actual: str, tmp_path: Path
) -> None:
    at = next(at for at, (a, b) in enumerate(zip(PAPER, actual, strict=False)) if a != b)
    path = tmp_path / "Modelfile"
    path.write_text(f'FROM x\nSYSTEM """{actual}"""\n', "utf-8")
    for found in (
        validate_prompt_format_consistency(PAPER, actual, FINE),
        validate_modelfile_system_message(path, PAPER)
        if "\u00a0" not in actual
        else ["first difference at character 4"],
    ):
        assert len(found) == 1
        assert f"first difference at character {at + 1}" in found[0]
    said = validate_prompt_format_consistency(PAPER, actual, FINE)[0]
    assert "system message mismatch" in said
    assert "only blanks and line breaks differ" in said


BETWEEN = [
    f"\n\n{PAPER}", f"\n{PAPER}", "\n\nYou are an assistant.", f"\n[2] two\nwith a second line\n\n{PAPER}",
    f"\n\n[2] two\n\nmore of it\n\n{PAPER}\n\nMore.", "\n\n  You are a scientific research assistant who answers.",
]  # fmt: skip


@pytest.mark.parametrize("text", BETWEEN)
def test_b3_system_text_between_the_contexts_and_the_question_is_found(text: str) -> None:
    prompt = STANDARD.format(f"[1] one{text}")
    assert len(validate_rag_prompt_no_system_text(prompt)) == 1
    assert len(validate_rag_prompt_no_system_text(prompt.replace("\n\nQuestion", "\nQuestion"))) == 1


@pytest.mark.parametrize(
    "contexts",
    [
        "[1] The paper says: You are an assistant that reads.", f"[1] one\n\n[2] {PAPER}",
        f"[1] A list of prompts:\n\n{PAPER}\n\n[2] two", f"[1] one\nIt was told: {PAPER} So it was.",
        f"{PAPER} Unnumbered.",
    ],
)  # fmt: skip
def test_b3_a_context_may_say_what_it_likes(contexts: str) -> None:
    assert validate_rag_prompt_no_system_text(STANDARD.format(contexts)) == []


QUOTES = ['"{}"', "“{}”", "«{}»", "‘{}’", "'{}'", "„{}“", "`{}`"]


@pytest.mark.parametrize("marks", QUOTES)
@pytest.mark.parametrize("phrase", ["you are an assistant", PAPER])
def test_b3_what_the_question_quotes_is_a_note(marks: str, phrase: str, write: Write) -> None:
    asked = f"Who said {marks.format(phrase)}?"
    prompt = STANDARD.format("[1] one").replace("Why?", asked)
    assert validate_rag_prompt_no_system_text(prompt) == []
    assert validate_prompt_format_consistency(PAPER, PAPER, f"Question: {asked}\n\nAnswer:") == []
    root = write(
        {"readback.yml": FORMATS, "Modelfile": SERVED, "data.jsonl": [row(instruction=asked, rag={"prompt": prompt})]}
    )
    opened = workspace.open(root)
    record = open_dataset(opened.root, opened.dataset).record(0)
    for condition in ("closed", "stored"):
        made = assemble(opened, record, Selection(condition=condition))
        found = [one for one in rules.check(RuleContext(opened, record, made), "assembly") if isinstance(one, Finding)]
        leaked = [one for one in found if one.code == "fmt-system-text-in-user"]
        assert [one.severity for one in leaked] == ["info"]
        assert "fmt-rag-drift" not in {one.code for one in found}


@pytest.mark.parametrize(
    "prompt",
    [
        f'"{PAPER} Answer the following question.\n\nQuestion: What is X?\n\nAnswer:"',
        f'Question: "X"? {PAPER} And "Y"?\n\nAnswer:',
        "Question: Isn't it so? You are an assistant. Isn't it?\n\nAnswer:",
    ],
    ids=["marks around the whole prompt", "between two quotations", "apostrophes"],
)
def test_b3_marks_around_something_else_quote_nothing(prompt: str) -> None:
    assert len(validate_rag_prompt_no_system_text(prompt)) == 1


def test_b3_a_question_of_any_template_may_quote(write: Write) -> None:
    opened = workspace.open(
        write({"readback.yml": "modes: [{mode: plain, system: Be brief., template: '{{ question }}'}]\n"})
    )
    for asked, severity in ((f"Who said '{PAPER}'?", "info"), (f"{PAPER} Why?", "warning")):
        made = Assembly(
            Selection(mode="plain"), "1", 0, (Message("user", (Segment(asked, "variable", "question"),)),), ""
        )
        found = rules.check(
            RuleContext(opened, Record("1", {"question": asked}), made), "assembly", {"fmt-system-text-in-user"}
        )
        assert [one.severity for one in found if isinstance(one, Finding)] == [severity]


@pytest.mark.parametrize("wrong", [None, 7, b"x", ["x"]])
def test_an_argument_that_is_no_text_is_named(wrong: Any) -> None:
    with pytest.raises(TypeError, match="evaluation_prompt"):
        validate_prompt_format_consistency("S", "S", wrong)
    with pytest.raises(TypeError, match="rag_prompt"):
        validate_rag_prompt_no_system_text(wrong)
    with pytest.raises(TypeError, match="expected_system_message"):
        validate_modelfile_system_message("Modelfile", wrong)
    with pytest.raises(TypeError, match="modelfile_path"):
        validate_modelfile_system_message(wrong, "S")
    with pytest.raises(TypeError, match="mode"):
        validate_prompt_format_consistency("S", "S", "p", mode=wrong)
    if wrong is not None:
        with pytest.raises(TypeError, match="training_system_message"):
            validate_prompt_format_consistency(wrong, "S", "p")
        with pytest.raises(TypeError, match="modelfile_system_message"):
            validate_prompt_format_consistency("S", wrong, "p")

"""Judge prompts load from Python constants, rubrics, text files and definitions, and nothing in them is run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback.sources.judges import judge_prompts
from readback.types import Diagnostic, Judge

Write = Callable[[Mapping[str, Any]], Path]
PAIR = 'SYSTEM_PROMPT = """Grade.\n"""\nEVALUATION_PROMPT_TEMPLATE = "{question} {answer}"\n'
RUBRIC = """\
name: house
version: 1
prompt: |
  Q: {{QUESTION}}
  A: {{ASSISTANT_RESPONSE}}
criteria:
  - {id: factuality, weight: 0.5, label: Facts, description: Right or wrong.}
  - {id: grounding, weight: 0}
notes: [a]
"""


def sha256(text: str | None) -> str:
    return hashlib.sha256((text or "").encode()).hexdigest()


def only(found: tuple[tuple[Judge, ...], tuple[Diagnostic, ...]]) -> Judge:
    (judge,), diagnostics = found
    assert diagnostics == ()
    return judge


@pytest.mark.realdata
def test_the_rag_judges_constants_are_read_byte_for_byte(shared: Path, write: Write) -> None:
    root = write({"rag_prompts.py": (shared / "spec/sources/rag-judge-prompts.py.txt").read_bytes()})
    assert judge_prompts.recognise(root / "rag_prompts.py", None)
    judge = only(judge_prompts.read(root / "rag_prompts.py", root))
    assert sha256(judge.system) == "a46493352c7f0fd1e63af0df012df698be3ecb383ab7b1e7dac2f230499eef7b"
    assert sha256(judge.user) == "fdd5c865b0ecf870fbaa7cb66a00cfc88309445f756f9f72ede074382fcadc52"
    assert (judge.name, judge.syntax, judge.place.line, judge.system_place.line) == ("rag_prompts", "format", 40, 9)
    scales = {name: one.values for name, one in judge_prompts.list_criteria(judge).items()}
    assert scales == {"relevance_score": (-1, 0, 1, 2), "faithfulness_score": (-1, 0, 1)}


@pytest.mark.realdata
def test_the_rubrics_of_the_prompt_formats_load_and_the_inference_file_is_none(shared: Path) -> None:
    folder = shared / "data/prompt-formats/configs/judges"
    for name, weights in (("rag", [0.4, 0.3, 0.2, 0.1]), ("instruction", [0.5, 0, 0.3, 0.2])):
        judge = only(judge_prompts.read(folder / f"{name}.yaml", shared))
        assert (judge.name, judge.syntax, judge.bare, judge.system) == (name, "placeholder", False, None)
        assert judge.criteria == ("factuality", "grounding", "completeness", "communication")
        assert list(judge.settings["weights"].values()) == weights
        assert {(c.scale, c.low, c.high) for c in judge_prompts.list_criteria(judge).values()} == {
            ("numeric", 0.0, 1.0)
        }
    judges, diagnostics = judge_prompts.read(folder / "qwen3_8b_thinking.yaml", shared)
    assert (judges, [diagnostic.code for diagnostic in diagnostics]) == ((), ["jdg-no-prompt"])
    assert "how a judge is run" in diagnostics[0].values["reason"]


@pytest.mark.realdata
def test_definitions_load_one_judge_a_row(shared: Path) -> None:
    path = shared / "data/judge-prompts/judge_prompts.jsonl"
    judges, diagnostics = judge_prompts.read(path, shared)
    assert [judge.name for judge in judges][:2] == ["pair-v2", "pair-v2-multi-turn"]
    assert [(judge.place.line, judge.place.field) for judge in judges][:1] == [(1, "prompt_template")]
    assert (len(judges), diagnostics) == (8, ())
    assert judges[0].settings["type"] == "pairwise"
    assert "{answer_a}" in judges[0].user


def test_a_definition_without_a_template_is_a_note_and_the_others_load(write: Write) -> None:
    rows = [
        {"name": "a", "prompt_template": "{question}"},
        {"name": "b"},
        {"prompt_template": "{answer}", "system_prompt": "S"},
    ]
    for name in ("d.jsonl", "d.json"):
        root = write({name: rows})
        judges, diagnostics = judge_prompts.read(root / name, root)
        assert [(judge.user, judge.system) for judge in judges] == [("{question}", None), ("{answer}", "S")]
        assert [diagnostic.code for diagnostic in diagnostics] == ["jdg-empty-prompt"]


@pytest.mark.parametrize(
    ("source", "spec", "system", "user"),
    [
        (PAIR, None, "Grade.\n", "{question} {answer}"),
        ('SYS = "s"\nJUDGE_SYSTEM = "S"\nJUDGE_TEMPLATE = "U"\n', None, "S", "U"),
        ('MY_SYSTEM_PROMPT = "S"\nUSER_PROMPT = "U"\n', None, "S", "U"),
        ('USER_PROMPT = "U"\n', None, None, "U"),
        ('A = "x"\nB = A + "y" f"z{A}"\n', {"system": "A", "user": "B"}, "x", "xyzx"),
        (PAIR + 'OTHER = "{question}"\n', {"user": "OTHER"}, "Grade.\n", "{question}"),
        (
            'class P:\n  X = 1\nSYSTEM_PROMPT: str = (\n "a"\n "b"\n)\nEVALUATION_PROMPT_TEMPLATE = "U"\n',
            None,
            "ab",
            "U",
        ),
    ],
)
def test_constants_are_found_by_name(
    write: Write, source: str, spec: dict[str, str] | None, system: str | None, user: str
) -> None:
    root = write({"j.py": source})
    judge = only(judge_prompts.read(root / "j.py", root, spec))
    assert (judge.system, judge.user) == (system, user)


@pytest.mark.parametrize(
    ("source", "name", "syntax", "formatted"),
    [
        (PAIR, "EVALUATION_PROMPT_TEMPLATE", "format", True),  # the RAG judge's, whose program is known
        ('T = "{answer} {}"\n', "T", "format", False),
        ('T = "{answer} {}"\nsent = T.format(1, answer=2)\n', "T", "format", True),
        ('T = "{answer} {}"\nT2 = "x"\nsent = MY_T.format(1) + T2.format(2)\n', "T", "format", False),
        ('T = "{} {}"\nsent = T . format (1, 2)\n', "T", "format", True),
        ("T = '<<talk>> {\"met\": false}'\n", "T", "text", False),
        ('T = "{{answer}}"\n', "T", "text", False),
        ('T = "{{{answer}}}"\n', "T", "format", False),
        ('T = "{{QUESTION}} {}"\n', "T", "placeholder", False),
    ],
)
def test_a_constant_is_formatted_where_its_file_does_so_and_without_a_name_in_braces_no_template(
    write: Write, source: str, name: str, syntax: str, formatted: bool
) -> None:
    root = write({"j.py": source})
    judge = only(judge_prompts.read(root / "j.py", root, {"user": name}))
    assert (judge.syntax, judge.formatted) == (syntax, formatted)


@pytest.mark.parametrize(
    ("source", "spec", "reason"),
    [
        ("def f(:\n", None, "not Python"),
        ("SYSTEM_PROMPT = open('x').read()\n", None, "constant for the user text"),
        (
            'A_PROMPT = "a"\nB_PROMPT = "b"\n',
            None,
            "constant for the user text: A_PROMPT, B_PROMPT",
        ),
        (PAIR, {"system": "NO", "user": "EVALUATION_PROMPT_TEMPLATE"}, "no text called NO"),
        ("A = '" + "x" * 1000 + "'\n" + "A = A + A\n" * 40 + "U_PROMPT = A\n", None, "constant for the user text"),
        ("U_PROMPT = " + "(" * 5000 + "'a'" + ")" * 5000, None, "not Python"),
    ],
    ids=["syntax", "computed", "ambiguous", "absent", "doubling", "nesting"],
)
def test_a_file_without_them_is_a_note(write: Write, source: str, spec: dict[str, str] | None, reason: str) -> None:
    root = write({"j.py": source})
    judges, (diagnostic,) = judge_prompts.read(root / "j.py", root, spec)
    assert judges == ()
    assert (diagnostic.code, diagnostic.place.file) == ("jdg-no-prompt", "j.py")
    assert reason in diagnostic.values["reason"]


def test_nothing_in_the_file_is_run(write: Write) -> None:
    root = write({"j.py": f"{PAIR}open('ran', 'w').close()\nraise SystemExit\n"})
    only(judge_prompts.read(root / "j.py", root))
    assert not (root / "ran").exists()


def test_two_text_files_are_a_judge(write: Write) -> None:
    root = write({"system.txt": "S \n", "user.txt": "{question}", "old.txt": "Q {{QUESTION}}"})
    judge = only(judge_prompts.read(root / "user.txt", root, {"system": "system.txt", "user": "user.txt"}))
    assert (judge.system, judge.user, judge.syntax, judge.place.file) == ("S \n", "{question}", "format", "user.txt")
    assert only(judge_prompts.read(root / "old.txt", root)).syntax == "placeholder"
    judges, diagnostics = judge_prompts.read(root / "user.txt", root, {"system": "../system.txt", "user": "user.txt"})
    assert (judges, [diagnostic.code for diagnostic in diagnostics]) == ((), ["dat-path-outside"])


def test_a_rubric_gives_its_prompt_criteria_and_weights(write: Write) -> None:
    root = write({"house.yaml": RUBRIC})
    judge = only(judge_prompts.read(root / "house.yaml", root))
    assert judge.user == "Q: {{QUESTION}}\nA: {{ASSISTANT_RESPONSE}}\n"
    assert judge.criteria == ("factuality", "grounding")
    assert judge.settings["weights"] == {"factuality": 0.5, "grounding": 0.0}
    assert judge.settings["meanings"] == {"factuality": "Right or wrong."}
    assert judge.settings["title"] == "house"


@pytest.mark.parametrize(
    ("text", "codes", "bare"),
    [
        ("prompt: 'QUESTION and CONTEXTS'\n", [], True),
        ("prompt: ''\ncriteria: []\n", ["jdg-empty-prompt"], True),
        ("prompt:\ncriteria: []\n", ["jdg-empty-prompt"], True),
        ("prompt: '{{QUESTION}}'\ncriterias: []\n", ["dat-unknown-key"], False),
        ("prompt: '{{QUESTION}}'\ncriteria: [{weight: 1}, 5]\n", ["dat-wrong-value"] * 2, False),
        ("prompt: '{{QUESTION}}'\ninference: {model: m, api_key: abc}\n", ["dat-secret-masked"], False),
    ],
)
def test_what_is_odd_in_a_rubric_is_noted(write: Write, text: str, codes: list[str], bare: bool) -> None:
    root = write({"r.yaml": text})
    (judge,), diagnostics = judge_prompts.read(root / "r.yaml", root)
    assert [diagnostic.code for diagnostic in diagnostics] == codes
    assert judge.bare is bare
    assert "abc" not in str(judge)


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("j.yaml", {"prompt": "{{QUESTION}}"}, True),
        ("j.yaml", {"prompt": "", "criteria": []}, True),
        ("j.yaml", {"provider": "ollama", "model": "m"}, False),
        ("j.jsonl", {"name": "a", "system_prompt": "s", "prompt_template": "t"}, True),
        ("j.jsonl", {"prompt": "### QUESTION: why?", "completion": "x"}, False),
        ("j.yaml", [1], False),
        ("j.txt", None, False),
    ],
)
def test_judges_are_recognised_by_content(name: str, value: Any, known: bool) -> None:
    assert judge_prompts.recognise(Path(name), value) is known

"""User instructions load from every shape they come in, and each task finds its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback.readers.yaml.yaml_file import parse_yaml
from readback.sources import instructions
from readback.sources.instruction_keys import KEYS, instruction_for, key_for

Write = Callable[[Mapping[str, Any]], Path]
ALL = {key: f"<{key}>" for key in KEYS}


@pytest.mark.parametrize(
    ("task", "given", "expected"),
    [
        ("parsing", ALL, "<parsing>"),
        ("generation", ALL, "<generation>"),
        ("rubric_llm_trait_batch", ALL, "<rubric_evaluation>"),
        ("agentic_parsing_extraction", ALL, "<agentic_parsing>"),
        ("dj_template_reasoning", ALL, "<deep_judgment>"),
        ("rubric_something_new", ALL, "<rubric_evaluation>"),
        ("rubric_evaluation", ALL, "<rubric_evaluation>"),
        ("agentic_parsing", ALL, "<agentic_parsing>"),
        ("deep_judgment", ALL, "<deep_judgment>"),
        ("dj", ALL, None),
        ("unheard_of", ALL, None),
        ("parsing", {}, None),
        ("parsing", {"parsing": None}, None),
        ("rubric_evaluation", {"rubric_evaluation": None}, None),
        ("rubric_evaluation", {"rubric_evaluation": ""}, ""),
        ("parsing", {"parsing": " "}, " "),
        ("abstention_detection", {"parsing": "x"}, None),
    ],
)
def test_a_task_finds_its_own_instruction_or_its_groups(
    task: str, given: Mapping[str, str | None], expected: str | None
) -> None:
    assert instruction_for(task, given) == expected
    assert (key_for(task, given) is None) == (expected is None)


CONFIG = {
    "answering_models": [{"interface": "langchain", "model_name": "m", "extra_kwargs": {"api_key": "abc"}}],
    "evaluation_mode": "template_only",
    "rubric_enabled": True,
    "prompt_config": {"parsing": "P", "generation": None},
    "generation_instructions": "G",
    "parsing_instructions": "not taken",
}


@pytest.mark.parametrize(
    ("name", "value", "shape"),
    [
        ("preset.json", {"_comment": 1, "id": "1", "name": "n", "description": "", "config": CONFIG}, "preset"),
        ("config.json", CONFIG, "verification config"),
        ("texts.json", {"parsing": "P", "generation_instructions": "G", "generation": None}, "user instructions"),
    ],
)
def test_every_shape_is_recognised_and_gives_the_same_texts(write: Write, name: str, value: Any, shape: str) -> None:
    root = write({name: value})
    assert instructions.recognise(root / name, value)
    config, diagnostics = instructions.read(root / name, root)
    assert (config.dialect, config.settings["shape"]) == ("instructions", shape)
    assert config.instructions == {"parsing": "P", "generation": "G"}
    assert {diagnostic.code for diagnostic in diagnostics} <= {"dat-secret-masked"}
    assert "abc" not in str(config)
    assert "rubric_enabled" not in config.settings


def test_texts_are_kept_as_they_are(write: Write) -> None:
    root = write({"i.yml": 'parsing: " {{ x }}\\n"\nsufficiency_detection: ""\n'})
    config, diagnostics = instructions.read(root / "i.yml", root)
    assert config.instructions == {"parsing": " {{ x }}\n", "sufficiency_detection": ""}
    assert [(diagnostic.code, diagnostic.place.line) for diagnostic in diagnostics] == [("asm-empty-instruction", 2)]


@pytest.mark.parametrize("text", ["", " ", "\\n\\t", "  \\n"])
def test_an_instruction_without_words_is_named(write: Write, text: str) -> None:
    root = write({"i.yml": f'parsing: P\ngeneration: "{text}"\n'})
    _, diagnostics = instructions.read(root / "i.yml", root)
    assert [one.code for one in diagnostics] == ["asm-empty-instruction"]


@pytest.mark.parametrize(
    ("text", "codes", "expected"),
    [
        ("rubric_llm_trait_batch: x\nparsing: P\n", ["asm-grouped-task-key"], {"parsing": "P"}),
        ("dj_template_reasoning: x\n", ["asm-grouped-task-key"], {}),
        ("agentic_parsing_extraction: x\n", ["asm-grouped-task-key"], {}),
        ("parsin: x\nparsing: P\n", ["dat-unknown-key"], {"parsing": "P"}),
        ("parsing: 7\n", ["dat-wrong-value"], {}),
        ("parsing: [a]\ngeneration: G\n", ["dat-wrong-value"], {"generation": "G"}),
        ("parsing: null\nparsing_instructions: P\n", [], {"parsing": "P"}),
        ("parsing: P\nparsing_instructions: Q\n", [], {"parsing": "P"}),
        ("parsing: ''\nparsing_instructions: Q\n", ["asm-empty-instruction"], {"parsing": ""}),
        ("[a]\n", ["dat-wrong-value"], {}),
    ],
)
def test_what_is_wrong_is_a_note_and_the_rest_counts(text: str, codes: list[str], expected: dict[str, str]) -> None:
    parsed = parse_yaml(text, "i.yml")
    found, diagnostics = instructions.read_mapping(parsed.value, parsed)
    assert [diagnostic.code for diagnostic in diagnostics] == codes
    assert found == expected
    assert all(diagnostic.place.line for diagnostic in diagnostics)


def test_a_grouped_key_is_told_its_group() -> None:
    parsed = parse_yaml("rubric_metric_trait: x\n", "i.yml")
    _, (diagnostic,) = instructions.read_mapping(parsed.value, parsed)
    assert diagnostic.values == {"key": "rubric_metric_trait", "group": "rubric_evaluation"}


def test_a_preset_without_a_configuration_is_a_note(write: Write) -> None:
    root = write({"p.json": {"id": "1", "name": "n", "config": {}}})
    config, diagnostics = instructions.read(root / "p.json", root)
    assert (config.instructions, [diagnostic.code for diagnostic in diagnostics]) == ({}, ["asm-no-instructions"])


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        "text",
        {"question": "Q", "parsing": "x", "a": 1},
        {"prompts": []},
        {"config": {"a": 1}},
        {"parsing": {}},
    ],
)
def test_other_things_are_not_taken_for_instructions(value: Any) -> None:
    assert not instructions.recognise(Path("x.json"), value)

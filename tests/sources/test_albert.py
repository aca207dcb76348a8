"""An Albert configuration loads with its templates, and each trap in it becomes a note with a place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback.sources import albert
from readback.types import Diagnostic, Location, PromptConfig

Write = Callable[[Mapping[str, Any]], Path]
EXAMPLE = """\
prompt_format: llama-chat
max_tokens: 2048
prompts:
  - mode: simple
    system_prompt: "a particular system prompt..."
    template: simple_prompt_template.jinja
  - mode: rag
    template: rag_prompt_template.jinja
    default:
      limit: 4
"""
CURRENT = """\
temperature: 0.3
max_tokens: 8192
models:
  - {model_kind: llama3, max_tokens: 8192, prompt_format: llama3-chat}
  - {model_kind: gemma, max_tokens: 2048}
prompts:
  - {mode: rag, template: rag.jinja, default: {limit: 7}}
  - mode: rag-tchap
    system_prompt: |
      Tu es Albert.
      Réponds.
    template: rag.jinja
    temperature: 0.1
"""


def load(
    write: Write, files: Mapping[str, Any], name: str = "prompt_config.yml"
) -> tuple[PromptConfig, tuple[Diagnostic, ...]]:
    root = write(files)
    return albert.read(root / name, root)


def codes(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


def test_the_documents_example_loads_with_its_templates_and_their_places(write: Write) -> None:
    files = {
        "prompt_config.yml": EXAMPLE,
        "simple_prompt_template.jinja": "{{query}}\n",
        "rag_prompt_template.jinja": "P\n\nQuestion: {{query}}\n",
    }
    config, diagnostics = load(write, files)
    assert diagnostics == ()
    assert (config.name, config.dialect, config.chat_format, config.max_tokens) == (
        "prompt_config.yml", "albert", "llama-chat", 2048,
    )  # fmt: skip
    simple, rag = config.prompts["simple"], config.prompts["rag"]
    assert (simple.system, simple.template, simple.syntax) == ("a particular system prompt...", "{{query}}\n", "jinja")
    assert simple.system_place == Location(file="prompt_config.yml", line=5, column=5)
    assert (rag.system, rag.defaults) == (None, {"limit": 4})
    assert rag.place == Location(file="rag_prompt_template.jinja", line=1, column=1)
    assert rag.settings["dialect"] == "albert"


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "systems"),
    [
        ("prompt_config.yml", [None, None]),
        ("scripts_prompt_config.yml", ["a particular system prompt...", "a general system prompt..."]),
    ],
)
def test_the_public_configurations_load(shared: Path, name: str, systems: list[str | None]) -> None:
    config, diagnostics = albert.read(shared / "data/albert" / name, shared / "data/albert")
    assert diagnostics == ()
    assert list(config.prompts) == ["simple", "rag"]
    assert [prompt.system for prompt in config.prompts.values()] == systems


def test_a_configuration_of_the_later_program_loads_without_noise(write: Write) -> None:
    config, diagnostics = load(write, {"prompt_config.yml": CURRENT, "rag.jinja": "{{query}}"})
    assert diagnostics == ()
    assert config.prompts["rag-tchap"].system == "Tu es Albert.\nRéponds.\n"
    assert config.prompts["rag-tchap"].settings == {"dialect": "albert", "temperature": 0.1, "max_tokens": 8192}
    assert config.prompts["rag"].settings["temperature"] == 0.3  # nothing leaks from one mode to the next
    assert [one["model_kind"] for one in config.settings["models"]] == ["llama3", "gemma"]


@pytest.mark.parametrize(
    ("entry", "top", "expected"),
    [
        ("", "", None),
        ("", "system_prompt: Top.\n", "Top."),
        (", system_prompt: Own.", "system_prompt: Top.\n", "Own."),
        (", system_prompt: Own.", "", "Own."),
        (", system_prompt: null", "system_prompt: Top.\n", "Top."),
        (', system_prompt: ""', "system_prompt: Top.\n", "Top."),
        (', system_prompt: ""', "", None),
        (', system_prompt: " "', "system_prompt: Top.\n", " "),
        (", system_prompt: [a]", "system_prompt: Top.\n", "Top."),
        ("", "system_prompt: 7\n", None),
    ],
)
def test_the_modes_system_prompt_beats_the_top_one_and_cannot_switch_it_off(
    write: Write, entry: str, top: str, expected: str | None
) -> None:
    config, diagnostics = load(
        write, {"prompt_config.yml": f"{top}prompts:\n - {{mode: a, template: t.j{entry}}}\n", "t.j": "x"}
    )
    assert config.prompts["a"].system == expected
    off = top and ("null" in entry or '""' in entry)
    wrong = "[a]" in entry or "7" in top
    assert codes(diagnostics) == ["alb-system-not-disabled"] * bool(off) + ["dat-wrong-value"] * wrong


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["alb-not-a-mapping"]),
        ("- mode: a\n", ["alb-not-a-mapping"]),
        ("just text\n", ["alb-not-a-mapping"]),
        ("assistant: {name: Ada}\n", ["alb-not-albert"]),
        ("prompts: none\n", ["alb-not-albert"]),
        ("prompts: [{mode: 'a\n", ["dat-bad-line"]),
    ],
)
def test_a_file_that_is_none_gives_an_empty_configuration_and_one_note(
    write: Write, text: str, expected: list[str]
) -> None:
    config, diagnostics = load(write, {"prompt_config.yml": text})
    assert config.prompts == {}
    assert codes(diagnostics) == expected


FAULTS = """\
sytem_prompt: S
prompt_format: mistral
prompts:
  - {mode: a, template: t.jinja}
  - {mode: a, template: u.jinja, prompt_format: chatml}
  - {template: t.jinja}
  - {mode: b, template: ../t.jinja}
  - {mode: c, template: nope.jinja}
  - {mode: d}
  - {mode: e, template_string: "x{{query}}"}
  - 5
  - {mode: 7, template: t.jinja, default: [1]}
  - {mode: f, template: sub/t.jinja}
  - {mode: g, template: [t.jinja]}
"""


def test_each_fault_has_its_line_and_every_other_mode_loads(write: Write) -> None:
    config, diagnostics = load(write, {"prompt_config.yml": FAULTS, "t.jinja": "T", "u.jinja": "U", "sub/t.jinja": "S"})
    assert {mode: prompt.template for mode, prompt in config.prompts.items()} == {
        "a": "U", "d": "{{query}}", "e": "x{{query}}", "7": "T",
    }  # fmt: skip
    assert config.prompts["d"].settings["bare_query"] is True
    assert config.prompts["e"].place.line == 10
    assert config.chat_format == "mistral"
    assert [(diagnostic.code, diagnostic.place.line, diagnostic.place.mode) for diagnostic in diagnostics] == [
        ("alb-unknown-key", 1, None),
        ("alb-duplicate-mode", 5, "a"),
        ("alb-mode-format-ignored", 5, "a"),
        ("alb-missing-mode", 6, None),
        ("alb-template-path", 7, "b"),
        ("alb-template-missing", 8, "c"),
        ("alb-template-missing", 9, "d"),
        ("dat-wrong-value", 11, None),
        ("dat-wrong-value", 12, "7"),
        ("alb-template-path", 13, "f"),
        ("alb-template-path", 14, "g"),
        ("alb-format-unknown", 2, None),
    ]
    assert diagnostics[0].values["nearest"] == "system_prompt"
    assert diagnostics[1].values == {"name": "a", "file": "prompt_config.yml", "line": 4}


def test_the_last_of_two_modes_wins_even_if_it_cannot_be_built(write: Write) -> None:
    config, diagnostics = load(
        write,
        {"prompt_config.yml": "prompts: [{mode: a, template: t.j}, {mode: a, template: no.j}]\n", "t.j": "x"},
    )
    assert config.prompts == {}
    assert codes(diagnostics) == ["alb-duplicate-mode", "alb-template-missing"]


def test_templates_are_found_through_the_links_of_a_hugging_face_cache_entry(write: Write) -> None:
    root = write(
        {
            "models--org--name/blobs/1": "prompts: [{mode: a, template: t.jinja}, {mode: b, template: out.jinja}]\n",
            "models--org--name/blobs/2": "{{query}}",
            "models--org--name/snapshots/r/x": "",
            "secret.jinja": "no",
        }
    )
    snapshot = root / "models--org--name/snapshots/r"
    (snapshot / "prompt_config.yml").symlink_to("../../blobs/1")
    (snapshot / "t.jinja").symlink_to("../../blobs/2")
    (snapshot / "out.jinja").symlink_to("../../../secret.jinja")
    config, diagnostics = albert.read(snapshot / "prompt_config.yml", snapshot)
    assert list(config.prompts) == ["a"]
    assert codes(diagnostics) == ["alb-template-path"]


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("prompt_config.yml", None, True),
        ("prompt_config.yaml", {"anything": 1}, True),
        ("scripts_prompt_config.yml", {"prompts": [{"mode": "a"}]}, True),
        ("other.yml", {"prompts": ["prompt_config.yml"]}, False),
        ("other.yml", {"prompts": [{"template": "t"}]}, True),
        ("other.yml", {"runs": []}, False),
        ("other.yml", None, False),
    ],
)
def test_configurations_are_recognised_by_name_or_by_their_prompts(name: str, value: Any, known: bool) -> None:
    assert albert.recognise(Path(name), value) is known


def test_a_template_that_is_no_text_is_missing_and_says_why(write: Write) -> None:
    files = {"prompt_config.yml": "prompts: [{mode: a, template: t.j}]\n", "t.j": b"\xff\xfe\x00"}
    config, diagnostics = load(write, files)
    assert config.prompts == {}
    assert sorted(codes(diagnostics)) == ["alb-template-missing", "dat-encoding"]

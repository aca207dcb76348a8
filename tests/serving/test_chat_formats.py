"""Named chat formats that are data files: each says what its makers' template says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.serving import named_formats
from readback.serving.chat import formats as chat_formats
from readback.serving.chat import model_input as chat
from readback.types import Message, Segment

Write = Callable[[Mapping[str, Any]], Path]
GOLDEN = {
    "chatml-plain": "<|im_start|>system\n S<|im_end|>\n<|im_start|>user\n Q\n<|im_end|>\n<|im_start|>assistant\n",
    "gemma-3": "<bos><start_of_turn>user\n S\n\nQ<end_of_turn>\n<start_of_turn>model\n",
    "llama-3": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nQ<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    "llama-3.1": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n"
    "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\nS<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nQ<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    "mistral-v3": "<s>[INST]  S\n\n Q\n[/INST]",
    "mistral-v3-tekken": "<s>[INST] S\n\n Q\n[/INST]",
    "phi-3": "<|system|>\n S<|end|>\n<|user|>\n Q\n<|end|>\n<|assistant|>\n",
    "qwen2.5": "<|im_start|>system\n S<|im_end|>\n<|im_start|>user\n Q\n<|im_end|>\n<|im_start|>assistant\n",
    "zephyr": "<|system|>\n S</s>\n<|user|>\n Q\n</s>\n<|assistant|>\n",
}
WITHOUT_SYSTEM = {
    "gemma": "<bos><start_of_turn>user\nQ<end_of_turn>\n<start_of_turn>model\n",
    "mistral-v1": "<s>[INST]  Q\n [/INST]",
}
TALKS = (
    (("user", " q\n"),),
    (("system", " S\n"), ("user", " q ")),
    (("system", "S"), ("user", "a"), ("assistant", " b\n"), ("user", " c")),
    (("user", "a"), ("assistant", " b\n"), ("user", " c"), ("assistant", "d ")),
    (("system", ""), ("user", "a"), ("assistant", "b")),
    (("user", "a"), ("user", "b")),
    (("assistant", "a"),),
)


def message(role: str, text: str) -> Message:
    return Message(role, (Segment(text, "system" if role == "system" else "variable", role),))


def test_every_format_has_its_golden_and_none_has_a_name_of_albert() -> None:
    assert set(chat.list_formats()) == GOLDEN.keys() | WITHOUT_SYSTEM.keys()
    assert set(chat.list_formats()) & {*named_formats.FORMATS, named_formats.NO_FORMAT} == set()
    assert chat.load_format("chatml") is None
    assert chat.load_format("../adapters/manual") is None


@pytest.mark.parametrize("name", [*GOLDEN, *WITHOUT_SYSTEM])
def test_a_format_writes_its_text_and_says_what_it_is(name: str) -> None:
    template = chat.load_format(name)
    assert template is not None
    assert chat_formats.get_title(name)
    assert set(template.special) >= {one for one in (template.bos_token, template.eos_token) if one}
    user = message("user", " Q\n")
    model_input = chat.build_model_input(template, (message("system", " S"), user))
    if name in GOLDEN:
        assert (model_input.text, model_input.diagnostics, model_input.format) == (GOLDEN[name], (), name)
        assert {one.origin for one in model_input.segments} == {"serving", "system", "variable"}
    else:
        assert (model_input.segments, [diagnostic.values["raised"] for diagnostic in model_input.diagnostics]) == (
            (),
            [True],
        )
        assert "system role" in model_input.diagnostics[0].values["reason"].lower()
        assert chat.build_model_input(template, (user,)).text == WITHOUT_SYSTEM[name]


@pytest.mark.realdata
def test_a_format_says_what_the_makers_template_says(shared: Path) -> None:
    lines = (shared / "vectors" / "hf_chat_templates.jsonl").read_text("utf-8").splitlines()
    known = {one["id"].split(" ")[0]: one["chat_template"] for one in map(json.loads, lines)}

    def file(name: str) -> str:
        return (shared / "data" / "chat_templates" / f"{name}.jinja").read_bytes().decode("utf-8")

    makers = {
        "chatml-plain": known["default/_base"],
        "llama-3.1": known["custom/meta-llama/Llama-3.1-8B-Instruct"],
        "mistral-v1": known["custom/mistralai/Mixtral-8x7B-Instruct-v0.1"],
        "mistral-v3-tekken": file("mistralai-Mistral-Nemo-Instruct-2407"),
        "phi-3": file("microsoft-Phi-3.5-mini-instruct"),
        "qwen2.5": file("Qwen-Qwen2.5-7B-Instruct"),
        "zephyr": known["custom/HuggingFaceH4/zephyr-7b-beta"],
    }
    for name, text in makers.items():
        ours = chat.load_format(name)
        assert ours is not None
        tokens = {"bos_token": ours.bos_token or "", "eos_token": ours.eos_token or "", "tools": None}
        for talk in TALKS:
            for asks in (True, False):
                turns = [{"role": role, "content": content} for role, content in talk]
                given = {"messages": turns, "add_generation_prompt": asks, **tokens}
                assert chat.render_raw(ours.text or "", given).text == chat.render_raw(text, given).text, (
                    name,
                    talk,
                    asks,
                )


def test_a_model_is_served_and_trained_in_a_format_and_an_unknown_one_is_a_finding(write: Write) -> None:
    models = {
        "a": {"serving": {"format": "llama-3"}, "training": {"format": "chatml"}},
        "b": {"serving": {"format": "llama-33"}, "training": {"format": "mistral"}},
        "c": {"serving": {"format": "gemma-3", "add_special_tokens": True}, "training": {"chat_template": "t.jinja"}},
    }
    opened = workspace.open(write({"readback.yml": {"models": models}, "t.jinja": "T"}))
    a, b, c = (opened.models[name] for name in "abc")
    assert (a.chat_format, a.chat_template, a.training_format) == ("llama-3", None, "chatml")
    assert (b.chat_format, b.training_format) == (None, None)
    assert c.chat_template is not None
    assert c.training_template is not None
    assert (c.chat_template.name, c.chat_template.adds_bos, c.training_template.text) == ("gemma-3", True, "T")
    assert [(diagnostic.code, diagnostic.values["where"]) for diagnostic in opened.diagnostics] == [
        ("dat-wrong-value", "models.b.training.format"),
        ("dat-wrong-value", "models.b.serving.format"),
    ]
    assert "did you mean 'llama-3'?" in opened.diagnostics[1].values["expected"]


def test_both_ways_of_a_server_are_read_and_written_down_again(write: Write) -> None:
    config = {"bos_token": "<s>", "chat_template": "own"}
    models = {
        "own": {"serving": {"tokenizer_config": "m/tokenizer_config.json", "add_special_tokens": True}},
        "over": {"serving": {"chat_template": "o.jinja", "tokenizer_config": "m/tokenizer_config.json"}},
        "learnt": {"training": {"chat_template": "o.jinja", "tokenizer_config": "m/tokenizer_config.json"}},
        "named": {"serving": {"format": "gemma", "add_special_tokens": True}},
    }
    root = write({"readback.yml": {"models": models}, "m/tokenizer_config.json": config, "o.jinja": "over"})
    first = workspace.open(root)
    read = {name: (m.chat_template or m.training_template) for name, m in first.models.items()}
    assert [(one.text, one.bos_token, one.adds_bos) for one in read.values() if one and one.place.file] == [
        ("own", "<s>", True),
        ("over", "<s>", False),
        ("over", "<s>", False),
    ]
    (root / "readback.yml").write_text(workspace.init_text(first), "utf-8")
    second = workspace.open(root)
    assert {name: (m.chat_template or m.training_template) for name, m in second.models.items()} == read
    assert first.diagnostics == second.diagnostics == ()


def test_a_folder_with_a_chat_template_and_no_readback_yml_has_a_model(write: Write) -> None:
    root = write({"m/tokenizer_config.json": {"chat_template": "T"}, "data.jsonl": [{"id": "1", "q": "Q"}]})
    opened = workspace.open(root)
    assert [(one.name, one.chat_template and one.chat_template.text) for one in opened.models.values()] == [("m", "T")]
    assert ("m/tokenizer_config.json", "chat template") in [(one.path, one.what) for one in opened.recognised]
    alone = workspace.open(root / "m" / "tokenizer_config.json")
    assert [one.chat_template and one.chat_template.text for one in alone.models.values()] == ["T"]

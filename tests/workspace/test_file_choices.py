"""The page Open: which of several files is meant, and where the system messages of training stand."""

from __future__ import annotations

from typing import Any

from looking import page, turned, words

from readback.workspace.training import format_places

MODEL = "provider: x\nmodel: m\nmodel_type: instruction_only\n"
FILES = {
    "a.yaml": "runs: [{label: small, prompt_mode: instruction}]\n",
    "b.yaml": "runs: [{label: one, model_config: m.yaml, prompt_mode: instruction}]\n",
    "m.yaml": MODEL,
    "Modelfile.instruction_only": "FROM x\nSYSTEM You are a research paper assistant.\n",
    "d.jsonl": [{"task_id": "1", "instruction": "Why?", "rag": {"prompt": "P", "contexts": []}}],
    "e.jsonl": [{"task_id": "9", "instruction": "Who?", "rag": {"prompt": "P", "contexts": []}}],
    "m.ipynb": {
        "cells": [
            {"cell_type": "code", "source": 'x = {"role": "system", "content": "You are kind."}'},
            {"cell_type": "code", "source": 'x = {"role": "system", "content": "You are curt."}'},
        ]
    },
}


def test_b7_another_plan_and_dataset_can_be_chosen_on_open_and_stay_in_the_address(serving: Any) -> None:
    serving(FILES)
    test = page("open")
    assert test.selectbox(key="choose_plan").value == "b.yaml"
    assert test.selectbox(key="choose_plan").options == ["b.yaml", "a.yaml"]
    assert test.selectbox(key="choose_dataset").value == ""
    test.selectbox(key="choose_plan").set_value("a.yaml").run()
    test.selectbox(key="choose_dataset").set_value("e.jsonl").run()
    assert test.query_params["plan"] == "a.yaml"
    assert test.query_params["dataset"] == "e.jsonl"
    assert "dat-several-files" not in words(test)
    said = words(turned(test, "prompts"))
    assert "small" in said
    assert "Who?" in said
    assert "Who?" in words(page("prompts", plan="b.yaml", dataset="e.jsonl"))
    assert "Why?" in words(page("prompts", plan="b.yaml", dataset="d.jsonl"))


def test_b1_the_place_of_a_models_system_message_can_be_changed_on_open(serving: Any) -> None:
    serving(FILES)
    test = page("open")
    box = test.selectbox(key="training_m")
    assert box.value == "m.ipynb#cell 1"
    assert "taken for m: the model is called like it" in words(test)
    assert "fmt-system-mismatch" in words(test)
    assert "You are kind." in words(test)
    box.set_value("m.ipynb#cell 2").run()
    assert test.query_params["training"] == format_places({"m": "m.ipynb#cell 2"})
    assert "You are curt." in words(test)
    test.selectbox(key="training_m").set_value("").run()
    assert "m.ipynb" in words(test)
    assert test.selectbox(key="training_m").value == ""

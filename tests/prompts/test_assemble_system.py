"""Which system text and which builder a condition gets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from assembled import NOTHING, SHORT, origins, row, texts

from readback.prompts.assemble import assemble
from readback.sources.prompt_formats import CONFIG, SYSTEM
from readback.types import (
    Condition,
    Location,
    Model,
    Modelfile,
    Selection,
    SystemText,
)

TRAINED = SystemText("Trained.", "training", Location("train.ipynb", 9))
SERVED = Modelfile((), system="Served.", system_place=Location("Modelfile", 2))
MUTE = Modelfile(())


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Model("m", "instruction_only", training=TRAINED, modelfile=SERVED), [("Modelfile", "Served.")]),
        (Model("m", "instruction_only", training=TRAINED, modelfile=MUTE), [("training", "Trained.")]),
        (Model("m", "instruction_only", modelfile=MUTE), [("prompt format", SYSTEM["instruction_only"])]),
        (Model("m", "rag_trained"), [("prompt format", SYSTEM["rag_trained"])]),
        (Model("m", "base"), []),
        (Model("m", "base", modelfile=SERVED), [("Modelfile", "Served.")]),
        (Model("m", "rag_trained", modelfile=replace(SERVED, system="")), []),
        (None, []),
    ],
)
@pytest.mark.parametrize("mode", ["instruction", "rag", "hybrid", "standard"])
def test_a_prompt_format_condition_gets_the_system_text_its_model_is_served_with(
    model: Model | None, expected: list[tuple[str, str]], mode: str
) -> None:
    workspace = replace(
        NOTHING,
        prompts=CONFIG.prompts,
        models={"m": model} if model else {},
        conditions=(Condition("c", mode=mode, model="m"),),
    )
    record = row(instruction="Why?", rag={"prompt": "P", "contexts": ["c"]})
    made = assemble(workspace, record, Selection(condition="c"))
    assert expected == [(name, text) for _, name, text in origins(made, "system")]


def test_another_mode_without_a_system_text_gets_its_models_own() -> None:
    workspace = replace(
        NOTHING,
        prompts={"own": SHORT, "none": replace(SHORT, system=None), "off": replace(SHORT, system="")},
        models={"m": Model("m", modelfile=SERVED)},
        conditions=tuple(Condition(mode, mode=mode, model="m") for mode in ("own", "none", "off")),
    )
    made = {c.name: assemble(workspace, row(question="Q"), Selection(condition=c.name)) for c in workspace.conditions}
    assert {name: texts(one)[0] for name, one in made.items()} == {
        "own": ("system", "Be brief."),
        "none": ("system", "Served."),
        "off": ("user", "Q: Q"),
    }


@pytest.mark.parametrize(
    ("mode", "model", "start"),
    [
        ("instruction", "base", "Question: Why?\n\nAnswer:"),
        ("rag", "base", "P"),
        ("instruction", "instruction_only", "Question: Why?\n\nAnswer:"),
        ("rag", "instruction_only", "Question: Why?\n\nContext:\n[1] c"),
        ("instruction", "rag_trained", "Answer the following question based on your knowledge."),
        ("rag", "rag_trained", "P"),
    ],
)
def test_the_six_conditions_get_their_builders(mode: str, model: str, start: str) -> None:
    workspace = replace(
        NOTHING,
        prompts=CONFIG.prompts,
        models={model: Model(model, model)},
        conditions=(Condition("c", mode=mode, model=model, aliases=("also",)),),
    )
    record = row(instruction="Why?", rag={"prompt": "P", "contexts": ["c"]})
    made = assemble(workspace, record, Selection(condition="also"))
    assert made.messages[-1].text.startswith(start)

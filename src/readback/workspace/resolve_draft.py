"""What follows from what the files of a workspace say: one pass over the draft, after everything has been read.

Each step says which parts of the draft it looks at and which it may change, and the order of STEPS is the order of the
pass. A step is below whatever it builds on: languages before anything reads a prompt, the types of models before their
training files are held against them, conditions before the names in them are looked up.
`tests/workspace/test_resolve_draft.py` holds the steps to what they say here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from readback.workspace import (
    albert_dialect,
    batch_files,
    checkpoints,
    id_column,
    judge_files,
    modelfiles,
    number_meanings,
    pipeline,
    plain_templates,
    references,
    stated_encoding,
    training_files,
    training_rows,
    weights,
)
from readback.workspace.draft import Draft


class Step(NamedTuple):
    """One thing that follows: `run` looks at the parts `reads` and may change the parts `writes`, names of a Draft's
    fields. `root`, what whoever opens the workspace chose, and the list of diagnostics are open to all steps.
    """

    run: Callable[[Draft], None]
    reads: str
    writes: str = ""


PROMPTS = "configs prompts tasks instructions instruction_places"

STEPS = (
    Step(plain_templates.apply_languages, "prompts configs", "prompts configs"),
    Step(judge_files.add_criteria, "judges criteria", "criteria"),
    Step(number_meanings.apply_choices, "criteria", "criteria"),
    Step(modelfiles.resolve_types, "configs conditions models", "models"),
    Step(weights.add_weights, "models recognised", "models recognised"),
    Step(albert_dialect.resolve_dialect, "options given configs acronym_places", "options"),
    Step(stated_encoding.apply_encoding, "dataset", "dataset"),
    Step(checkpoints.add_benchmark, f"dataset criteria scores conditions recognised {PROMPTS}",
         f"criteria scores recognised {PROMPTS}"),
    Step(pipeline.add_conditions, "configs conditions prompts tasks options models adapters", "conditions models"),
    Step(batch_files.add_replies,
         "file discovered depth dataset prompts tasks adapters judges conditions scores sent recognised name",
         "conditions scores recognised"),
    Step(training_files.add_of_models, "dataset training models prompts tasks judges conditions recognised",
         "dataset training"),
    Step(training_rows.compare_layouts, "configs models"),
    Step(references.look_up, "conditions prompts models judges people tasks adapters"),
    Step(id_column.propose, "dataset alternatives", "dataset alternatives"),
)  # fmt: skip


def resolve(draft: Draft) -> None:
    """Take every step once, in order. Each fault is a diagnostic of the draft."""
    for step in STEPS:
        step.run(draft)

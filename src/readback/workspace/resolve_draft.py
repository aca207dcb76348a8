"""Work out what follows from the files of a workspace: one pass over the draft, after everything has been read.

Each step names the parts of the draft that it looks at and those that it may change, and the order of STEPS is the
order of the pass. A step is below whatever it builds on: languages before anything reads a prompt, the types of models
before their training files are compared with them, conditions before the names in them are looked up.
`tests/workspace/test_resolve_draft.py` checks that a step keeps to these parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from readback.workspace import (
    albert_dialect,
    batch_files,
    checkpoints,
    conditions,
    dataset_choices,
    judges,
    serving_files,
    training,
)
from readback.workspace.draft import Draft
from readback.workspace.templates import plain_templates


class Step(NamedTuple):
    """One step: `run` looks at the parts `reads` and may change the parts `writes`, names of a Draft's fields.

    A step is taken only where one of the parts `needs` holds something; without them it would change nothing. `root`,
    what whoever opens the workspace chose, and the list of diagnostics are open to all steps.
    """

    run: Callable[[Draft], None]
    needs: str
    reads: str
    writes: str = ""

    def is_needed(self, draft: Draft) -> bool:
        """Tell whether the draft has a part that the step works on."""
        return any(getattr(draft, part) for part in self.needs.split())


PROMPTS = "configs prompts tasks instructions instruction_places"

STEPS = (
    Step(plain_templates.apply_languages, "prompts", "prompts configs", "prompts configs"),
    Step(judges.add_criteria, "judges", "judges criteria", "criteria"),
    Step(dataset_choices.apply_number_meanings, "chosen", "criteria", "criteria"),
    Step(serving_files.resolve_types, "models", "configs conditions models", "models"),
    Step(serving_files.add_weights, "models", "models recognised", "models recognised"),
    Step(
        albert_dialect.resolve_dialect,
        "configs options",
        "options fixed_options configs acronym_places",
        "options",
    ),
    Step(dataset_choices.apply_encoding, "dataset", "dataset", "dataset"),
    Step(dataset_choices.apply_table, "dataset", "dataset", "dataset"),
    Step(
        checkpoints.add_benchmark,
        "dataset",
        f"dataset criteria scores conditions recognised {PROMPTS}",
        f"criteria scores recognised {PROMPTS}",
    ),
    Step(
        conditions.add_conditions,
        "configs",
        "configs conditions prompts tasks options models adapters",
        "conditions models",
    ),
    Step(
        batch_files.add_replies,
        "conditions judges prompts",
        "file discovered depth dataset prompts tasks adapters judges conditions scores sent recognised name",
        "conditions scores recognised",
    ),
    Step(
        training.add_training_files,
        "dataset training models",
        "dataset training models prompts tasks judges conditions recognised",
        "dataset training",
    ),
    Step(training.compare_layouts, "models", "configs models"),
    Step(
        conditions.report_unknown_names,
        "conditions",
        "conditions prompts models judges people tasks adapters",
    ),
    Step(dataset_choices.propose_id, "dataset", "dataset alternatives", "dataset alternatives"),
)


def resolve(draft: Draft) -> None:
    """Take every step that the draft needs once, in order. Each fault is a diagnostic of the draft."""
    for step in STEPS:
        if step.is_needed(draft):
            step.run(draft)

"""Draw the sentences beside the title of Overview: how much was loaded, and further facts about it.

To add a sentence, write a function that returns it for `Facts`, or "" where it does not apply, and add the function to
SENTENCES. docs/adding/overview-sentence.md has an example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from readback.checks.summary import Audit
from readback.readers.files.progress import Cancelled
from readback.records.dataset import Dataset, DatasetChanged
from readback.scores import in_view
from readback.scores.table import ScoreTable
from readback.types import Record, Workspace
from readback.ui.common import address, show
from readback.ui.common.draw import picker
from readback.ui.common.state import background, choice, work
from readback.ui.prompts import room
from readback.ui.prompts.one import training_row
from readback.words import t

LOOK_EVERY = 500  # records between two looks at whether to go on
LOADED = "loaded"  # in the address: what was loaded is open, and the browser goes there


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sentence can be about. `data` is None without a dataset, `scored` without scores, and `audit` as long as
    the check runs.
    """

    workspace: Workspace
    data: Dataset | None = None
    scored: ScoreTable | None = None
    audit: Audit | None = None


def draw(place: DeltaGenerator, facts: Facts) -> None:
    """Draw all sentences in small letters in `place`, in the order of SENTENCES."""
    sentences = [text for describe in SENTENCES if (text := describe(facts))]
    with place:
        show.draw(show.h('<p class="rb-small rb-counts">{}</p>', show.join(sentences, " ")))


def count_loaded(facts: Facts) -> Markup:
    """Return how many records, conditions, prompts or scores there are, with the ways to what was loaded and to all
    messages.
    """
    workspace, scored, records = facts.workspace, facts.scored, len(facts.data) if facts.data else None
    kinds: Mapping[str, Any] = {"modes": workspace.prompts, "tasks": workspace.tasks, "judges": workspace.judges}
    if not any((*kinds.values(), workspace.conditions, workspace.scores)):
        kinds = {"models": workspace.models}
    if workspace.conditions:
        counts = [t("overview.conditions", n=len(workspace.conditions))]
    else:
        counts = [t(f"overview.{name}", n=len(kind_count)) for name, kind_count in kinds.items() if kind_count]
    if scored and not counts:
        columns = scored.columns
        sides = {
            "conditions": t("overview.conditions", n=len(columns.conditions)),
            "criteria": t("overview.criteria", n=len(columns.criteria)),
        }
        counts.append(t("overview.scored", n=len(columns), **sides))
    if records is not None and training_row.wanted(workspace):
        return _link_loaded(t("training_row.facts", kinds=training_row.kinds(choice.dataset().kinds, records)))
    what = t("overview.and").join(counts) or t("overview.no_prompt")
    if records is not None:
        much, every = _link_loaded(t("frame.records", n=records)), link_every(workspace, what)
        return show.h(t("overview.facts", records="{records}", what="{what}"), records=much, what=every)
    has_prompts = workspace.prompts or workspace.tasks or workspace.judges
    return _link_loaded(t("overview.no_records" if has_prompts else "overview.only", what=what))


def count_not_compared(facts: Facts) -> str:
    """Return which of the conditions just counted are not compared; of the workspace's own, the table below has it."""
    if facts.scored and not facts.workspace.conditions:
        first = in_view.first(facts.scored, facts.workspace)
    else:
        first = None
    if facts.scored and first:
        return in_view.left_out(facts.scored, *first)
    return ""


def count_records(facts: Facts, name: str, is_counted: Callable[[Record], bool]) -> int | None:
    """Return how many of all records `is_counted` is true for, for a sentence of this name, a word of its own.

    It is counted once for a dataset, in the background, after the check. None without a dataset, as long as it is
    counted, and where somebody stopped it.
    """
    if facts.data is None or facts.audit is None:
        return None
    data = facts.data

    def count(progress: work.Progress) -> int:
        n = 0
        for index, record in enumerate(data.records()):
            if index % LOOK_EVERY == 0 and not progress(index, len(data)):
                raise Cancelled
            n += is_counted(record)
        return n

    job = background.ask(f"count_{name}", choice.key(), count)
    if isinstance(job.error, DatasetChanged):
        choice.overtaken(job.error)
    if not work.look(job, "overview.counting", f"count_{name}"):
        return None
    return job.result  # type: ignore[no-any-return]


SENTENCES: tuple[Callable[[Facts], Markup | str], ...] = (
    count_loaded,
    count_not_compared,
    # A new sentence stands above this line.
)


def link_every(workspace: Workspace, label: str) -> Markup:
    """Return the way to the messages of every mode and adapter; the label alone where there is nothing to send."""
    if not picker.options(workspace):
        return show.h("{}", label)
    return show.link("prompts", label, view=room.EVERY)


def _link_loaded(sentence: str) -> Markup:
    """Return the sentence as the way to what was loaded, which is folded below."""
    return show.link(address.HOME, sentence, **{LOADED: "1"})

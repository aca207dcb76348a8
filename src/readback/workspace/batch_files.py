"""Use replies of batches that lie in the folder: those of a judge are scores, those of a model are answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from readback.quantity import quantity
from readback.readers.files.paths import format_relative, list_inside
from readback.records.dataset import open_dataset
from readback.records.replies.batch_replies import CUSTOM_ID, MARK, START, BatchRequests
from readback.types import Condition, DatasetSource, ScoreSource, Selection, Workspace
from readback.workspace import workspace_file
from readback.workspace.draft import Draft
from readback.workspace.kinds import BATCH
from readback.workspace.recognise import recognise

NO_DATASET = "without a dataset nothing says which records they are about"
UNRELATED = "their requests are about no record, condition or judge here"


def add_replies(draft: Draft) -> None:
    """Take the replies of batches that nothing names, each by the names of its requests, which are this folder's own.

    This is done beside a readback.yml too: it need not be changed for each batch that comes back.
    """
    if not (draft.discovered or (draft.file or "").endswith(workspace_file.NAME)):
        return
    if not (draft.conditions or draft.judges or draft.prompts):
        return
    named = {condition.answers for condition in draft.conditions} | {source.path for source in draft.scores}
    files = [name for name in _find_batches(draft) if name not in named and name not in draft.sent]
    if not files:
        return
    if draft.dataset is None or draft.dataset.absent:
        for name in files:
            draft.say(name, BATCH, used=False, detail=NO_DATASET)
        return
    opened = Workspace(
        draft.root,
        draft.name,
        dataset=draft.dataset,
        prompts=draft.prompts,
        tasks=draft.tasks,
        judges=draft.judges,
        conditions=tuple(draft.conditions),
    )
    requests = BatchRequests(opened, open_dataset(draft.root, draft.dataset))
    for name in files:
        _take_batch(draft, name, _count_replies(draft, name, requests))


def _find_batches(draft: Draft) -> Iterator[str]:
    """Yield the names of the files in the folder that hold replies of a batch."""
    for path in list_inside(draft.root, draft.depth).files:
        if _is_likely(path) and recognise(path, draft.root).what == BATCH:
            yield format_relative(draft.root, path)


def _is_likely(path: Path) -> bool:
    """Return whether a file has the key of a batch at its beginning; a pipe is not opened, for it may never answer."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return MARK in file.read(START)
    except OSError:
        return False


def _count_replies(draft: Draft, name: str, requests: BatchRequests) -> Counter[Selection]:
    """Count the replies of a file by what they are about."""
    replies = open_dataset(draft.root, DatasetSource(name, id=CUSTOM_ID), growing=True)
    counts: Counter[Selection] = Counter()
    for custom_id in replies.ids():
        request = requests.find(custom_id)
        if request is not None:
            counts[request.choice] += 1
    return counts


def _take_batch(draft: Draft, name: str, counts: Counter[Selection]) -> None:
    """Use a file for the scores and the answers that it holds, and list what it is used for."""
    uses: list[str] = []
    refused: list[str] = []
    judged = Counter({choice: count for choice, count in counts.items() if choice.judge is not None})
    if judged:
        draft.scores.append(ScoreSource(name))
        judges = ", ".join(sorted({choice.judge or "" for choice in judged}))
        uses.append(f"{quantity(judged.total(), 'reply', 'replies')} of {judges}")
    answered = Counter({choice: count for choice, count in counts.items() if choice.judge is None})
    _add_conditions(draft, answered)
    for number, condition in enumerate(draft.conditions):
        count = sum(n for choice, n in answered.items() if _answers_for(condition, choice))
        if count and condition.answers:
            refused.append(f"{condition.name} has its answers in {condition.answers}")
        elif count:
            draft.conditions[number] = replace(condition, answers=name)
            uses.append(f"{quantity(count, 'answer')} of {condition.name}")
    draft.say(name, BATCH, used=bool(uses), detail="; ".join((*uses, *refused)) or UNRELATED)


def _add_conditions(draft: Draft, answered: Counter[Selection]) -> None:
    """Make each mode a condition where there is none and a batch answers modes: answers belong to conditions."""
    has_modes = any(choice.mode and not choice.adapter for choice in answered)
    if has_modes and not draft.conditions and not draft.adapters:
        for mode, prompt in draft.prompts.items():
            draft.conditions.append(Condition(mode, mode=mode, place=prompt.place))


def _answers_for(condition: Condition, choice: Selection) -> bool:
    """Return whether replies to a choice answer for a condition."""
    if choice.condition is not None:
        return choice.condition == condition.name
    return choice in (Selection(mode=condition.mode), Selection(task=condition.task)) and choice != Selection()

"""Show a side: find its files, its record, and the messages that are made of it."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from readback import adapters, workspace
from readback.compare.revisions import Revision, copy_revision
from readback.compare.side import (
    NoRowError,
    ShownSide,
    Side,
    SideError,
    format_label,
    set_form,
)
from readback.prompts import assemble, model_input
from readback.prompts.messages import compute_fingerprint
from readback.prompts.selections import explain_unknown_system, list_selections, list_variants
from readback.prompts.training_text import build_trained_text
from readback.readers.yaml.yaml_file import find_nearest
from readback.records.dataset import Dataset, DatasetChanged, open_dataset
from readback.records.missing_record import format_missing_record
from readback.records.replies import answers
from readback.types import Answer, Condition, Diagnostic, Message, Record, Selection, Workspace
from readback.workspace import workspace_file

SERVING = "a model's serving: {modelfile: FILE}, {chat_template: FILE} or {format: NAME} names one"
TRAINING = "give the model a trained type under prompts: [builtin:prompt-formats], or its training: {messages: FILE}"


def show_side(opened: Workspace, side: Side, at: int = 0) -> ShownSide:
    """Return the messages of a side. `opened` is the workspace in view, `at` the record where the side names none.

    Raises SideError where there is nothing to show: a name or a record that is not there, files that cannot be read.
    """
    workspace, diagnostics = open_side(opened, side)
    side = replace(side, choice=resolve_choice(workspace, side.choice))
    record = _find_record(opened, workspace, side, at)
    shown_side = show_record(workspace, side, record, _find_answer(workspace, side.choice, record))
    return replace(shown_side, diagnostics=(*diagnostics, *shown_side.diagnostics), label=format_label(side, record.id))


def open_side(opened: Workspace, side: Side) -> tuple[Workspace, tuple[Diagnostic, ...]]:
    """Open the workspace of a side; return it and what was left out of a revision. Raise SideError.

    It is opened anew where it is another one, an earlier one, or has other options. Fields that were mapped on a page
    stay mapped in the same files.
    """
    if side.workspace is None and side.rev is None and not side.options:
        return opened, ()
    fields, chosen = None, None
    if side.workspace is not None:
        path = Path(os.path.abspath(side.workspace))  # noqa: PTH100 - resolve() would lose a link's own name
    else:
        if opened.file in (None, workspace_file.NAME):
            path = opened.root
        else:
            path = opened.root / opened.file
        if opened.dataset and side.rev is None:
            fields = opened.dataset.fields
        else:
            fields = None
        chosen = opened.chosen
    if side.rev is not None:
        revision = copy_revision(path, side.rev)
    else:
        revision = Revision(path)
    try:
        side_workspace = workspace.open(revision.path, fields=fields, options=dict(side.options), chosen=chosen)
        return (
            _keep_judge_fields(side_workspace, opened) if fields is not None else side_workspace
        ), revision.diagnostics
    except workspace.NothingRead as nothing:
        if side.rev is not None:
            where = f"revision {side.rev}: "
        else:
            where = ""
        raise SideError(f"{where}{nothing.reason}") from None


def _keep_judge_fields(side_workspace: Workspace, opened: Workspace) -> Workspace:
    """Return the workspace with the judges' fields that were mapped on a page."""
    judges = {
        name: replace(judge, fields=opened.judges[name].fields) if name in opened.judges else judge
        for name, judge in side_workspace.judges.items()
    }
    return replace(side_workspace, judges=judges)


def show_record(
    workspace: Workspace,
    side: Side,
    record: Record,
    answer: Answer | None = None,
    *,
    origins: bool = True,
    marked: bool = True,
) -> ShownSide:
    """Return a side with the messages of one record. Raise SideError where the layer is not known.

    `origins`, `marked`: for messages as they are, whether it is told who wrote what, and their fingerprint.
    """
    assembly = None
    if side.layer != "training":
        if side.layer != "messages":
            origins, marked = (True, True)
        assembly = assemble.assemble(workspace, record, side.choice, answer, origins=origins, marked=marked)
    if side.choice.condition:
        condition = workspace.condition(side.choice.condition)
    else:
        condition = None
    named_by = list_variants(workspace, side.choice)
    if side.layer == "messages" and assembly:
        unknown = None
        if origins and marked and assembly.messages:  # where records are only counted nobody reads it
            unknown = explain_unknown_system(workspace, side.choice, assembly.messages)
        return ShownSide(
            side,
            assembly.messages,
            assembly.fingerprint,
            assembly,
            assembly.diagnostics,
            format_label(side),
            variants=named_by,
            system_unknown=unknown,
        )
    if assembly is None:
        return _show_trained(workspace, side, record, condition)
    sent = model_input.build_model_input(workspace, record, assembly, condition, False)
    if sent is None and assembly.messages:
        raise SideError(f"{format_label(side)}: no chat format is known; {SERVING}")
    messages = (Message("prompt", sent.segments),) if sent and sent.segments else ()
    diagnostics = (*assembly.diagnostics, *(sent.diagnostics if sent else ()))
    if messages:
        mark = compute_fingerprint(messages)
    else:
        mark = ""
    return ShownSide(side, messages, mark, assembly, diagnostics, format_label(side), None, named_by)


def _show_trained(workspace: Workspace, side: Side, record: Record, condition: Condition | None) -> ShownSide:
    """Return the training text of the condition's model; its training messages where no template is known."""
    if condition:
        model = condition.model
    else:
        model = next(iter(workspace.models), None)
    if model:
        trained_text = build_trained_text(workspace, record, model)
    else:
        trained_text = None
    if model and condition and (trained_text is None or trained_text.messages is None):
        sent = assemble.assemble(workspace, record, side.choice, None).messages
        trained_text = build_trained_text(workspace, record, model, sent)
    if model and model in workspace.models:
        file = workspace.models[model].training_messages
    else:
        file = None
    if file and (trained_text is None or trained_text.messages is None):
        raise NoRowError(
            f"{format_label(side)}: no row of {file}, which its model was trained on, asks what this record asks"
        )
    if trained_text is None or trained_text.messages is None:
        raise SideError(f"{format_label(side)}: no layout is known in which a model of it was trained; {TRAINING}")
    assembly = trained_text.messages
    diagnostics = (*assembly.diagnostics, *trained_text.diagnostics)
    return set_form(
        ShownSide(
            side, assembly.messages, assembly.fingerprint, assembly, diagnostics, format_label(side), trained_text
        ),
        "text",
    )


def resolve_choice(workspace: Workspace, choice: Selection) -> Selection:
    """Return the choice with every name checked; where it names nothing, the only choice there is. Raise SideError."""
    names_by_kind: dict[str, Collection[str]] = {
        "condition": [name for condition in workspace.conditions for name in (condition.name, *condition.aliases)],
        "mode": workspace.prompts,
        "task": workspace.tasks,
        "adapter": {**workspace.adapters, **adapters.load_shipped()},
        "judge": workspace.judges,
    }
    for kind, names in names_by_kind.items():
        name = getattr(choice, kind)
        if name is not None and name not in names and not (kind == "task" and choice.mode):
            raise SideError(_describe_unknown(kind, name, names))
    if any((choice.condition, choice.mode, choice.task, choice.judge)):
        return choice
    selections = [
        selection for selection in list_selections(workspace) if choice.adapter is None or selection.condition is None
    ]
    if len(selections) == 1:
        return replace(selections[0], adapter=choice.adapter or selections[0].adapter)
    listed = "; ".join(
        f"{kind}={' | '.join(names)}" for kind, names in names_by_kind.items() if names and kind != "adapter"
    )
    raise SideError(f"say what is compared: {listed or 'the workspace has no condition, mode, task or judge'}")


def _describe_unknown(kind: str, name: str, names: Collection[str]) -> str:
    near = find_nearest(name, names)
    if names:
        hint = f"there are: {', '.join(names)}"
    else:
        hint = "the workspace has none"
    return f"no {kind} '{name}'; {f'did you mean {near!r}?' if near else hint}"


def _find_record(opened: Workspace, workspace: Workspace, side: Side, at: int) -> Record:
    data = open_dataset(workspace.root, workspace.dataset)
    record_id, index = side.record, side.index if side.index is not None else at
    elsewhere = side.rev is not None or (side.workspace is not None and side.index is None)
    if record_id is None and elsewhere:  # another version of the dataset may have the record at another place
        record_id = next(iter(open_dataset(opened.root, opened.dataset).ids(index, index + 1)), None)
    if record_id is not None and (position := data.find(record_id)) is None:
        raise SideError(f"{format_label(side)}: {format_missing_record(record_id, data)}")
    if record_id is not None and position is not None:
        index = position
    return _read_record(data, side, index)


def _read_record(data: Dataset, side: Side, index: int) -> Record:
    try:
        return data.record(index)
    except IndexError:
        if len(data):
            hint = f"there are {len(data)}, counted from 0"
        else:
            hint = "the dataset has none"
        raise SideError(f"{format_label(side)}: no record {index}; {hint}") from None
    except DatasetChanged as changed:
        raise SideError(str(changed)) from None


def _find_answer(workspace: Workspace, choice: Selection, record: Record) -> Answer | None:
    if choice.judge and choice.condition:
        condition = workspace.condition(choice.condition)
    else:
        condition = None
    if condition:
        return answers.open_answers(workspace, condition).get(record.id)
    return None

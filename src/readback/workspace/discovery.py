"""Work out what a folder without readback.yml is, and list what each file was taken for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from readback.readers import sqlite_file, xlsx
from readback.readers.files.paths import format_relative
from readback.records.fields.row_messages import find_messages_field
from readback.sources import other_tools, prompt_formats
from readback.sources.templates import plain_prompts
from readback.types import Prompt, PromptConfig
from readback.workspace import candidates, experiment, training
from readback.workspace.dataset_choices import read_first_rows
from readback.workspace.draft import Draft
from readback.workspace.inner_workspaces import leave_out_workspaces
from readback.workspace.intake import (
    CONFIGS,
    DATA,
    add_modelfiles,
    take_dataset,
    take_recognised,
    take_remaining_models,
)
from readback.workspace.recognise import (
    ADAPTER,
    BATCH,
    DATASET,
    FORM,
    INSTRUCTIONS,
    JUDGE,
    LOG,
    LOOKED_AT,
    MODEL,
    OTHER,
    PART,
    PLAN,
    PROJECT,
    PROMPTS,
    SCORES,
    TEMPLATE,
    TOOL,
    TOOL_PROMPT,
    TRAINING,
    RecognisedFile,
)
from readback.workspace.survey import Survey, survey
from readback.workspace.tables import judge_tables, score_tables
from readback.workspace.templates import plain_templates, python_templates
from readback.workspace.tools import tool_choices, tool_logs, tool_projects, tool_prompts

MAIN = ("prompt_config.yml", "prompt_config.yaml")  # the names of the Albert document, the first one wins
ROWS_NAME = "messages of the rows"
ROWS = frozenset({"instruction", "rag"})  # columns of a dataset of the prompt formats


def discover(draft: Draft) -> None:
    """Take in what the folder holds: a prompt configuration, else an experiment plan, else what lies there singly."""
    files = survey(draft.root)
    draft.diagnostics.extend(files.diagnostics)
    draft.discovered, draft.depth = True, files.depth
    draft.reasons |= files.reasons
    files = leave_out_workspaces(draft, files)
    files = tool_choices.apply_tools(draft, _leave_out_neighbours(draft, files))
    several = candidates.choose_main(draft, files, MAIN)
    main = several.file
    has_plan = main is not None and main.what == PLAN
    candidates.report_others(draft, "plan" if has_plan else "prompts", main, several.others)
    if main and has_plan:
        experiment.load_plan(draft, main, files)
    elif main:
        take_recognised(main, draft, around=files)
    # What a plan names is all there is; a table known by its columns has others beside it.
    has_scores = bool(draft.scores)
    projects = files.all(PROJECT)
    if main is None and any(file.path.parent == draft.root for file in projects):
        tool_projects.take_project(draft, projects)
    elif has_plan:
        take_remaining_models(draft, files)
        _list_datasets(draft, files)
    else:
        files = _take_single_files(draft, files)
        if projects and not (main or draft.prompts or draft.tasks):  # else it lies beside a study of its own
            tool_projects.take_project(draft, projects)
    if not has_scores:
        for file in files.all(SCORES):
            take_recognised(file, draft, around=files)
    tool_logs.take_logs(draft, files.all(LOG))
    training.find_training_texts(draft, files)
    if main is None:
        experiment.take_run_folders(draft, files)
        experiment.take_comparisons(draft, files)
    _list_unused(draft, files)


def _take_single_files(draft: Draft, files: Survey) -> Survey:
    """Take in instructions, judges, models and data of a folder without a plan; return the files without tables of
    scores.
    """
    instructions = files.all(INSTRUCTIONS)
    candidates.report_others(draft, "prompts", next(iter(instructions), None), instructions)
    first = () if draft.instructions else instructions[:1]
    for file in first + files.all(JUDGE, MODEL, ADAPTER):
        take_recognised(file, draft, around=files)
    add_modelfiles(draft, files)
    take_remaining_models(draft, files)
    tables = _propose_tables(draft, files)
    is_taken = bool(draft.prompts or draft.tasks)
    if is_taken:
        prompts = []
    else:
        prompts = tool_prompts.read_prompts(draft, files.all(TOOL_PROMPT))
    tables |= tool_prompts.list_parts(prompts)  # examples of a prompt are no records
    rest = tuple(file for file in files.recognised if format_relative(draft.root, file.path) not in tables)
    files = replace(files, recognised=rest)
    _choose_dataset(draft, files)
    tool_prompts.add_modes(draft, prompts)
    if not (draft.prompts or draft.tasks or (draft.dataset is None and files.all(PROJECT))):
        plain_templates.take_templates(draft, files)
    _add_prompt_formats(draft, files)
    _add_row_messages(draft)
    if not (draft.prompts or draft.tasks or draft.judges or draft.conditions):
        python_templates.take_constants(draft, files)
    return files


def _leave_out_neighbours(draft: Draft, files: Survey) -> Survey:
    """Leave out what lies in the folder of another tool's project and is only guessed to be data or a prompt."""
    tools = files.all(TOOL, PROJECT)
    homes = {file.path.parent: file for file in tools if file.detail.startswith(other_tools.PROJECTS)}
    if not homes:
        return files
    chosen = {name for key in ("dataset", "template") for name in draft.chosen.get(key, "").split("\n")}
    neighbours: set[Path] = set()
    for path in files.files:
        home = next((home for folder, home in homes.items() if path.is_relative_to(folder)), None)
        file = files.find(path)
        is_guess = file is None or file.what in DATA
        name = format_relative(draft.root, path)
        if home is None or not is_guess or name in chosen:
            continue
        neighbours.add(path)
        tool = home.detail.partition(",")[0]
        where = f"it lies beside {tool} ({format_relative(draft.root, home.path)})"
        draft.reasons[name] = f"{where}, and what lies beside another tool's file is not guessed"
    recognised = tuple(file for file in files.recognised if file.path not in neighbours)
    return replace(files, recognised=recognised, files=tuple(path for path in files.files if path not in neighbours))


def open_file(file: RecognisedFile, draft: Draft) -> None:
    """Take one opened file in, and the dataset beside a configuration where it is the only one there."""
    if file.what == TEMPLATE:
        files = _survey_folder(draft)
        _take_only_dataset(draft, files)
        plain_templates.take_opened_template(draft, file.path, files)
        _list_unused(draft, files)
        return
    alone = Survey(draft.root, (file,))
    if file.what == DATASET and _propose_tables(draft, alone):
        return
    if file.what == LOG:
        tool_logs.take_logs(draft, (file,))
        return
    if file.what == PROJECT:
        tool_projects.take_project(draft, (file,))
        return
    take_recognised(file, draft)
    if file.what in (TOOL_PROMPT, *CONFIGS) and (draft.dataset is None or draft.dataset.absent):
        files = _survey_folder(draft)
        if file.what == MODEL:
            add_modelfiles(draft, files)
        _take_only_dataset(draft, files)
        _list_unused(draft, files)
    elif file.what in DATA:
        _add_prompt_formats(draft, alone)
        _add_row_messages(draft)


def _survey_folder(draft: Draft) -> Survey:
    """Return the files of the folder itself, without those below."""
    files = survey(draft.root, depth=0)
    draft.diagnostics.extend(files.diagnostics)
    return files


def _propose_tables(draft: Draft, files: Survey) -> frozenset[str]:
    """Return the tables that are scores, confirmed or only proposed, and so are no datasets."""
    tables = judge_tables.propose(draft, files)
    return tables | score_tables.propose(draft, files, tables)


def _choose_dataset(draft: Draft, files: Survey) -> None:
    """Take the dataset that was chosen, else the only one at the top, else the only one below.

    Of several none is certain, so the first one is taken only where there is no configuration.
    """
    datasets = _list_datasets(draft, files)
    chosen = candidates.find_chosen(draft, "dataset", datasets)
    if chosen:
        take_dataset(chosen, draft, "chosen")
        return
    if _take_only_dataset(draft, files) or not datasets:
        return
    is_alone = not (draft.prompts or draft.judges or draft.models)
    if is_alone:
        datasets = plain_templates.order_by_templates(datasets, files)
        take_dataset(datasets[0], draft, f"the first of {len(datasets)}")
    first = datasets[0] if is_alone else None
    if first and first.what == TRAINING:
        training.add_discovered_files(draft, datasets)
    else:
        candidates.report_others(draft, "dataset", first, datasets)
    for dataset in datasets:
        detail = f"one of {len(datasets)}; name one in readback.yml"
        draft.say(dataset.path, dataset.what, used=False, detail=detail)


def _list_datasets(draft: Draft, files: Survey) -> list[RecognisedFile]:
    """Return the files that may be the dataset, those in use first; several are offered as alternatives."""
    datasets = candidates.sort_files(_filter_data(files.recognised), draft.root)
    further = [file for file in files.recognised if file.what in DATA and _holds_tables(file) and file not in datasets]
    if len(datasets) + len(further) > 1:
        draft.alternatives["dataset"] = tuple(
            format_relative(draft.root, dataset.path) for dataset in (*datasets, *further)
        )
    return datasets


def _take_only_dataset(draft: Draft, files: Survey) -> bool:
    """Take the only dataset at the top, else the only one at all; return whether there is one."""
    top = [file for file in files.recognised if file.path.parent == draft.root]
    for nearby in (top, files.recognised):
        data = _filter_data(nearby)
        if len(data) == 1:
            take_dataset(data[0], draft, "the only one here")
            return True
    return False


def _filter_data(files: Sequence[RecognisedFile]) -> list[RecognisedFile]:
    """Return the datasets; files of training rows or answers only where there is nothing better.

    A workbook or a database may hold anything, and often what another file was written from: it is a dataset only where
    nothing else is.
    """
    for has_tables in (False, True):
        for what in DATA:
            data = [file for file in files if file.what == what and _holds_tables(file) == has_tables]
            if data:
                return data
    return []


def _holds_tables(file: RecognisedFile) -> bool:
    """Return whether a file may hold several tables."""
    return file.path.suffix.lower() in (*xlsx.SUFFIXES, *sqlite_file.SUFFIXES)


def _add_prompt_formats(draft: Draft, files: Survey) -> None:
    """Add the modes of the prompt formats to rows of theirs, where no configuration brings any."""
    if draft.prompts or draft.tasks or draft.dataset is None:
        return
    file = files.find(draft.root / draft.dataset.path)
    if file and file.fields >= ROWS:
        draft.add_config(prompt_formats.CONFIG)


def _add_row_messages(draft: Draft) -> None:
    """Add a mode that sends the messages which each row holds, where nothing else says what is sent."""
    source = draft.dataset
    if draft.prompts or draft.tasks or draft.judges or draft.conditions or source is None or source.absent:
        return
    taken_for = next((file.what for file in draft.recognised if file.path == source.path), "")
    if taken_for != DATASET:
        return
    field = find_messages_field(read_first_rows(draft, source)[:LOOKED_AT])
    if field is None:
        return
    prompt = Prompt(field, None, syntax="text", settings={plain_prompts.ROW_MESSAGES: field})
    draft.add_config(PromptConfig(ROWS_NAME, plain_prompts.INLINE, {field: prompt}))


def _list_unused(draft: Draft, files: Survey) -> None:
    """List what was recognised and not needed, so that nobody wonders."""
    for file in files.recognised:
        if file.what == FORM and format_relative(draft.root, file.path) not in draft.named:
            draft.diagnostics.extend(file.diagnostics)
        if file.what == PART:
            home = draft.dataset.path if draft.dataset else ""
            draft.say(file.path, file.what, used=file.detail.endswith(f" {home}"), detail=file.detail)
            continue
        if file.what in (OTHER, BATCH):  # which conditions and judges a batch asked is known at the end
            continue
        is_choice = file.what in (PLAN, PROMPTS, *DATA)
        if is_choice:
            detail = "another one is taken, or none of several"
        else:
            detail = "nothing that was taken names it"
        draft.say(file.path, file.what, used=False, detail=file.detail or detail)

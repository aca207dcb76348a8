"""Runs as conditions: those of an experiment plan, and those that left a folder of results without a plan.

Source: plan, model and judge YAML and the results tree of ignaciolinari/beyond-the-cutoff (MIT), *Prompt Format
Specification*: `<label>/details.jsonl`, `metrics.json` and `metadata.jsonl`. Its interleaved runs write to another
folder than the plan names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from readback.quantity import quantity
from readback.readers.files.paths import format_absent, format_relative, resolve
from readback.records.raw_rows import read_raw_rows
from readback.scores.files.formats import details, metadata, metrics
from readback.scores.files.formats.details import run_mode
from readback.scores.files.run_facts import FOUND, name_condition, read_record_facts, read_summary_facts
from readback.scores.files.score_rows import FileSettings
from readback.scores.table import RunFacts
from readback.sources import comparisons, model_yaml, plan, prompt_formats
from readback.sources.plan import OUTPUT, Named, Plan, Run
from readback.types import NOWHERE, Condition, DatasetSource, Diagnostic, Location, Model, ScoreSource
from readback.workspace import candidates
from readback.workspace.draft import Draft
from readback.workspace.judges import read_judges
from readback.workspace.recognise import (
    COMPARISONS,
    DATASET,
    INFERENCE,
    JUDGE,
    MODEL,
    MODELFILE,
    PLAN,
    SCORES,
    RecognisedFile,
)
from readback.workspace.serving_files import add_modelfile
from readback.workspace.survey import Survey

HYBRID = "hybrid"  # what plan mode rag means for a model that was trained on instructions only
KINDS = {"details": details.NAME, "metrics": metrics.NAME, "metadata": metadata.NAME}  # by the plan's word for them
ROWS = 5  # of the details that are asked for the run's name and mode


def load_plan(draft: Draft, file: RecognisedFile, survey: Survey) -> None:
    """Take the plan's runs, and what they name or leave lying about, into the draft."""
    experiment, diagnostics = plan.read(file.path, draft.root, file.parsed)
    draft.diagnostics.extend(diagnostics)
    draft.say(file.path, PLAN, detail=f"its {len(experiment.runs)} runs are the conditions")
    if not draft.uses_prompt_formats():
        draft.add_config(prompt_formats.CONFIG)
    base = file.path.parent
    draft.conditions.extend(_list_conditions(draft, experiment, base, survey))
    _take_dataset(draft, experiment, base, survey)
    take_comparisons(draft, survey)


def _list_conditions(draft: Draft, experiment: Plan, base: Path, survey: Survey) -> Iterator[Condition]:
    names = {condition.name for condition in draft.conditions}
    for run in experiment.runs:
        if run.label in names:
            draft.report("dat-duplicate-name", run.place, run.label, kind="condition", name=run.label)
            continue
        names.add(run.label)
        model = _take_model(draft, run.files.get("model_config"), base, survey)
        results = _find_results(draft, run, base, survey)
        for path in results.values():
            draft.scores.append(ScoreSource(format_relative(draft.root, path), label=run.label, place=run.place))
            draft.say(path, "scores", detail=run.label)
        is_hybrid = run.mode == "rag" and model is not None and model.type == "instruction_only"
        yield Condition(
            name=run.label,
            mode=HYBRID if is_hybrid else run.mode,
            model=model.name if model else None,
            judge=_take_judge(draft, run, base),
            answers=_find_answers(draft, run, results, survey),
            settings=_list_settings(draft, run, base),
            place=run.place,
        )


def _locate(draft: Draft, file: Named | None, base: Path) -> Path | None:
    if file:
        return draft.file_at(file.path, file.place, base)
    return None


def _take_model(draft: Draft, file: Named | None, base: Path, survey: Survey) -> Model | None:
    """Add the model of a model YAML, called by the file's stem; the name of a missing file still tells a type."""
    if file is None:
        return None
    path = _locate(draft, file, base)
    name = PurePosixPath(file.path).stem
    earlier = draft.models.get(name)
    if earlier and (path is None or earlier.place.file in (format_relative(draft.root, path), draft.file)):
        return earlier
    if path is None:
        kind = prompt_formats.infer_type(name, file.path, None, file.place)
        draft.diagnostics.extend(kind.diagnostics)
        model = Model(name, kind.type, kind.reason, place=file.place)
    else:
        if earlier:  # two files of one name in two folders
            name = format_relative(draft.root, path)
        model, diagnostics = model_yaml.read(path, draft.root)
        model = replace(model, name=name)
        draft.diagnostics.extend(diagnostics)
        draft.say(path, MODEL, detail=f"{model.type}: {model.type_reason}")
    model = add_modelfile(model, survey.all(MODELFILE), draft)
    draft.models[name] = model
    return model


def _take_judge(draft: Draft, run: Run, base: Path) -> str | None:
    """Add the judge of the run, and return its name, the stem of its file."""
    file = run.files.get("judge_config")
    path = _locate(draft, file, base)
    if file is None:
        return None
    name = PurePosixPath(file.path).stem
    if path and name not in draft.judges:
        for judge in read_judges(path, draft)[:1]:
            draft.judges[name] = replace(judge, name=name)
        draft.say(path, JUDGE, detail=name)
    return name


def _list_settings(draft: Draft, run: Run, base: Path) -> dict[str, object]:
    settings = dict(run.settings)
    file = run.files.get("judge_inference")
    if file is None:
        return settings
    path = _locate(draft, file, base)
    if path:
        draft.say(path, INFERENCE)
        model = model_yaml.read_model_name(path, draft.root)
        if model:
            settings["judge_model"] = model
            settings["judge_settings"] = dict(model_yaml.read(path, draft.root)[0].settings)
    settings["judge_inference"] = PurePosixPath(file.path).stem
    return settings


def _find_answers(draft: Draft, run: Run, results: Mapping[str, Path], survey: Survey) -> str | None:
    """Return responses/<label>.jsonl anywhere in the folder, else the run's details file."""
    ending = ("responses", f"{run.label}.jsonl")
    path = next((path for path in survey.files if path.parts[-2:] == ending and _is_readable(draft, path)), None)
    path = path or results.get("details")
    if path is None:
        return None
    draft.say(path, "answers", detail=run.label)
    return format_relative(draft.root, path)


def _is_readable(draft: Draft, path: Path) -> bool:
    return isinstance(resolve(draft.root, format_relative(draft.root, path)), Path)


def _find_results(draft: Draft, run: Run, base: Path, survey: Survey) -> dict[str, Path]:
    """Return the run's files by kind (details, metrics, metadata), all from one folder, as far as they are there.

    They lie where the plan puts them, else in a folder that is called like the run. That a run was not made yet is no
    fault.
    """
    files: dict[str, Path] = {}
    for kind in OUTPUT:
        name = run.outputs.get(kind)
        if name:
            path = resolve(draft.root, name, base=base)
        else:
            path = None
        if isinstance(path, Path):
            files[kind] = path
    if files:
        return files
    # Of several folders of that name the one with the rows of single answers counts, then the one nearest the top.
    folders: dict[Path, dict[str, Path]] = {}
    for file in survey.all(SCORES):
        kind = _name_kind(file)
        if kind and file.path.parent.name == run.label:
            folders.setdefault(file.path.parent, {}).setdefault(kind, file.path)
    return max(folders.values(), key=lambda by_kind: "details" in by_kind, default={})


def _name_kind(file: RecognisedFile) -> str:
    """Return the plan's word for a kind of results; "" for other score files."""
    return next((kind for kind, name in KINDS.items() if name == file.detail), "")


def _take_dataset(draft: Draft, experiment: Plan, base: Path, survey: Survey) -> None:
    """Take the dataset the plan names; where it is missing, the only one in the folder, with a note."""
    if draft.dataset and not draft.dataset.absent:
        return
    chosen = candidates.find_chosen(draft, "dataset", survey.all(DATASET))
    if chosen:
        draft.dataset = DatasetSource(format_relative(draft.root, chosen.path))
        draft.say(chosen.path, DATASET, detail="chosen")
        return
    file = experiment.dataset
    if file is None:
        file = next((run.files["dataset"] for run in experiment.runs if "dataset" in run.files), None)
    if file:
        path = resolve(draft.root, file.path, base=base, place=file.place)
    else:
        path = None
    if isinstance(path, Path):
        draft.dataset = DatasetSource(format_relative(draft.root, path), place=file.place if file else NOWHERE)
        draft.say(path, DATASET)
        return
    datasets = survey.all(DATASET)
    if len(datasets) == 1:
        used = format_relative(draft.root, datasets[0].path)
    else:
        used = ""
    instead = "used, since it is the only dataset in the folder"
    if used:
        draft.dataset = DatasetSource(used)
        draft.say(used, DATASET, detail=f"{instead}; the plan names {file.path}" if file else instead)
    if isinstance(path, Diagnostic) and file:
        reason = path.values["reason"]
        if used:
            reason = f"{reason}; {used} is {instead}"
        else:
            draft.dataset = DatasetSource(
                format_absent(file.path, format_relative(draft.root, base)), place=file.place, absent=True
            )
        draft.diagnostics.append(replace(path, values={**path.values, "reason": reason, "instead": used}))
    if not used:
        candidates.report_others(draft, "dataset", None, datasets)


def take_comparisons(draft: Draft, survey: Survey) -> None:
    """Add comparison names as aliases of the conditions whose results they compare, and keep the pairs."""
    labels = {condition.name for condition in draft.conditions}
    for file in survey.all(COMPARISONS):
        comparison, diagnostics = comparisons.read(file.path, draft.root, file.parsed)
        if not labels & comparison.names.keys():
            draft.say(file.path, COMPARISONS, used=False, detail="it names none of the runs here")
            continue
        draft.say(file.path, COMPARISONS, detail=quantity(len(comparison.pairs), "pair"))
        draft.diagnostics.extend(diagnostics)
        draft.comparisons.extend(comparison.pairs)
        draft.conditions = [
            _add_alias(condition, comparison.names.get(condition.name)) for condition in draft.conditions
        ]


def _add_alias(condition: Condition, name: str | None) -> Condition:
    if name is None or name in (condition.name, *condition.aliases):
        return condition
    return replace(condition, aliases=(*condition.aliases, name))


def take_run_folders(draft: Draft, survey: Survey) -> None:
    """Add each run that left a folder as a condition, as its own files describe it, where none are defined.

    Modes that nothing here can render are only a setting of the condition.
    """
    if draft.conditions:
        return
    names: set[str] = set()
    for folder, files in _list_run_folders(survey).items():
        facts = _read_facts(draft, files)
        name = next((dict(fact.condition)["condition"] for fact in facts), folder.name)
        if name in names:
            continue  # a second folder of that run: its scores are there all the same
        names.add(name)
        draft.conditions.append(_build_condition(draft, name, folder, files, facts))


def _list_run_folders(survey: Survey) -> Mapping[Path, dict[str, Path]]:
    """Return the files of each run by kind. A folder with several of a kind is no folder of one run."""
    folders: dict[Path, list[tuple[str, Path]]] = {}
    for file in survey.all(SCORES):
        kind = _name_kind(file)
        if kind:
            folders.setdefault(file.path.parent, []).append((kind, file.path))
    return {
        folder: dict(files)
        for folder, files in folders.items()
        if len(dict(files)) == len(files) and folder != survey.root
    }


def _build_condition(
    draft: Draft, name: str, folder: Path, files: Mapping[str, Path], facts: list[RunFacts]
) -> Condition:
    def find_fact(attribute: str) -> Any:
        values = (getattr(fact, attribute) for fact in facts)
        return next((value for value in values if value), None)

    mode, rubric = find_fact("mode"), find_fact("rubric")
    settings = {"model": find_fact("model"), "judge_model": find_fact("judge_model"), "mode": mode}
    answers = files.get("details")
    return Condition(
        name=name,
        mode=mode if mode in draft.prompts else None,
        judge=rubric if rubric in draft.judges else None,
        answers=format_relative(draft.root, answers) if answers else None,
        settings={
            FOUND: format_relative(draft.root, folder),
            **{key: value for key, value in settings.items() if value},
        },
        place=Location(file=format_relative(draft.root, next(iter(files.values())))),
    )


def _read_facts(draft: Draft, files: Mapping[str, Path]) -> list[RunFacts]:
    """Return what the run's files say of it, the latest line of its metadata first."""
    facts: list[RunFacts] = []
    for kind in ("metadata", "metrics", "details"):
        if kind in files:
            facts.extend(_read_file_facts(kind, files[kind], format_relative(draft.root, files[kind])))
    return facts


def _read_file_facts(kind: str, path: Path, file: str) -> Iterator[RunFacts]:
    columns, place = FileSettings(ScoreSource(file), {}, {}, {}), Location(file=file)
    if kind == "metadata":
        line = metadata.latest(path, file)
        if line:
            yield read_record_facts(line, columns, place)
    elif kind == "metrics":
        value = metrics.only_object(path, file)
        if value:
            yield read_summary_facts(metrics.summary(value), columns, place)
    else:
        rows = (row for row in read_raw_rows(path, file) if not isinstance(row, Diagnostic))
        for row in islice(rows, ROWS):
            yield RunFacts(name_condition(row.fields, columns), mode=run_mode(row.fields) or None)

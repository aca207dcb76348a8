"""A folder with an experiment plan is a workspace: its runs are the conditions, the rest is found by itself.

Source: plan, model and judge YAML of ignaciolinari/beyond-the-cutoff (MIT), *Prompt Format Specification*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from readback.quantity import quantity
from readback.readers.paths import absent, resolve, show
from readback.sources import comparisons, model_yaml, plan, prompt_formats
from readback.sources.plan import Named, Plan, Run
from readback.types import NOWHERE, Condition, DatasetSource, Diagnostic, Model, ScoreSource
from readback.workspace import candidates, run_results
from readback.workspace.draft import Draft
from readback.workspace.judge_files import judges_of
from readback.workspace.modelfiles import for_model
from readback.workspace.recognise import COMPARISONS, DATASET, INFERENCE, JUDGE, MODEL, MODELFILE, PLAN, Found
from readback.workspace.survey import Survey

HYBRID = "hybrid"  # what plan mode rag means for a model that was trained on instructions only


def load(draft: Draft, found: Found, survey: Survey) -> None:
    """Take the plan's runs, and what they name or leave lying about, into the draft."""
    read, diagnostics = plan.read(found.path, draft.root, found.parsed)
    draft.diagnostics.extend(diagnostics)
    draft.say(found.path, PLAN, detail=f"its {len(read.runs)} runs are the conditions")
    if not draft.uses_prompt_formats():
        draft.add_config(prompt_formats.CONFIG)
    base = found.path.parent
    draft.conditions.extend(_conditions(draft, read, base, survey))
    _dataset(draft, read, base, survey)
    take_comparisons(draft, survey)


def _conditions(draft: Draft, read: Plan, base: Path, survey: Survey) -> Iterator[Condition]:
    taken = {condition.name for condition in draft.conditions}
    for run in read.runs:
        if run.label in taken:
            draft.report("dat-duplicate-name", run.place, run.label, kind="condition", name=run.label)
            continue
        taken.add(run.label)
        model = _model(draft, run.files.get("model_config"), base, survey)
        results = run_results.files(draft, run, base, survey)
        _scores(draft, run, results)
        yield Condition(
            name=run.label,
            mode=_mode(run, model),
            model=model.name if model else None,
            judge=_judge(draft, run, base),
            answers=_answers(draft, run, results, survey),
            settings=_settings(draft, run, base),
            place=run.place,
        )


def _mode(run: Run, model: Model | None) -> str:
    if run.mode == "rag" and model and model.type == "instruction_only":
        return HYBRID
    return run.mode


def _file(draft: Draft, named: Named | None, base: Path) -> Path | None:
    return draft.file_at(named.path, named.place, base) if named else None


def _model(draft: Draft, named: Named | None, base: Path, survey: Survey) -> Model | None:
    """The model of a model YAML, called by the file's stem; a file that is not there still tells a type by its name."""
    if named is None:
        return None
    path = _file(draft, named, base)
    name = PurePosixPath(named.path).stem
    known = draft.models.get(name)
    if known and (path is None or known.place.file in (show(draft.root, path), draft.file)):
        return known
    if path is None:
        kind = prompt_formats.infer_type(name, named.path, None, named.place)
        draft.diagnostics.extend(kind.diagnostics)
        model = Model(name, kind.type, kind.reason, place=named.place)
    else:
        if known:  # two files of one name in two folders
            name = show(draft.root, path)
        model, diagnostics = model_yaml.read(path, draft.root)
        model = replace(model, name=name)
        draft.diagnostics.extend(diagnostics)
        draft.say(path, MODEL, detail=f"{model.type}: {model.type_reason}")
    model = for_model(model, survey.all(MODELFILE), draft)
    draft.models[name] = model
    return model


def _judge(draft: Draft, run: Run, base: Path) -> str | None:
    """The judge of the run, called by its file's stem."""
    named = run.files.get("judge_config")
    path = _file(draft, named, base)
    if named is None:
        return None
    name = PurePosixPath(named.path).stem
    if path and name not in draft.judges:
        for judge in judges_of(path, draft)[:1]:
            draft.judges[name] = replace(judge, name=name)
        draft.say(path, JUDGE, detail=name)
    return name


def _settings(draft: Draft, run: Run, base: Path) -> dict[str, object]:
    found = dict(run.settings)
    if named := run.files.get("judge_inference"):
        if path := _file(draft, named, base):
            draft.say(path, INFERENCE)
            if model := model_yaml.model_of(path, draft.root):
                found["judge_model"] = model
                found["judge_settings"] = dict(model_yaml.read(path, draft.root)[0].settings)
        found["judge_inference"] = PurePosixPath(named.path).stem
    return found


def _answers(draft: Draft, run: Run, results: Mapping[str, Path], survey: Survey) -> str | None:
    """responses/<label>.jsonl anywhere in the folder, else the run's details file."""
    ending = ("responses", f"{run.label}.jsonl")
    path = next((p for p in survey.files if p.parts[-2:] == ending and _readable(draft, p)), None)
    path = path or results.get("details")
    if path is None:
        return None
    draft.say(path, "answers", detail=run.label)
    return show(draft.root, path)


def _readable(draft: Draft, path: Path) -> bool:
    return isinstance(resolve(draft.root, show(draft.root, path)), Path)


def _scores(draft: Draft, run: Run, results: Mapping[str, Path]) -> None:
    """Scores of single answers, the means the run states, and what it says of itself: whatever of it was kept."""
    for path in results.values():
        draft.scores.append(ScoreSource(show(draft.root, path), label=run.label, place=run.place))
        draft.say(path, "scores", detail=run.label)


def _dataset(draft: Draft, read: Plan, base: Path, survey: Survey) -> None:
    """The dataset the plan names; where it is missing, the only one in the folder, and it is said."""
    if draft.dataset and not draft.dataset.absent:
        return
    if chosen := candidates.wanted(draft, "dataset", survey.all(DATASET)):
        draft.dataset = DatasetSource(show(draft.root, chosen.path))
        draft.say(chosen.path, DATASET, detail="chosen")
        return
    named = read.dataset or next((run.files["dataset"] for run in read.runs if "dataset" in run.files), None)
    path = resolve(draft.root, named.path, base=base, place=named.place) if named else None
    if isinstance(path, Path):
        draft.dataset = DatasetSource(show(draft.root, path), place=named.place if named else NOWHERE)
        draft.say(path, DATASET)
        return
    others = survey.all(DATASET)
    used = show(draft.root, others[0].path) if len(others) == 1 else ""
    if used:
        instead = "used, since it is the only dataset in the folder"
        draft.dataset = DatasetSource(used)
        draft.say(used, DATASET, detail=f"{instead}; the plan names {named.path}" if named else instead)
    if isinstance(path, Diagnostic) and named:
        if not used:
            draft.dataset = DatasetSource(absent(named.path, show(draft.root, base)), place=named.place, absent=True)
        reason = f"{path.values['reason']}; {used} is {instead}" if used else path.values["reason"]
        draft.diagnostics.append(replace(path, values={**path.values, "reason": reason, "instead": used}))
    if not used:
        candidates.say(draft, "dataset", None, others)


def take_comparisons(draft: Draft, survey: Survey) -> None:
    """Comparison names become aliases of the conditions whose results they compare; the pairs are kept."""
    labels = {condition.name for condition in draft.conditions}
    for found in survey.all(COMPARISONS):
        read, diagnostics = comparisons.read(found.path, draft.root, found.parsed)
        if not labels & read.names.keys():
            draft.say(found.path, COMPARISONS, used=False, detail="it names none of the runs here")
            continue
        draft.say(found.path, COMPARISONS, detail=quantity(len(read.pairs), "pair"))
        draft.diagnostics.extend(diagnostics)
        draft.comparisons.extend(read.pairs)
        draft.conditions = [_aliased(c, read.names.get(c.name)) for c in draft.conditions]


def _aliased(condition: Condition, name: str | None) -> Condition:
    if name is None or name in (condition.name, *condition.aliases):
        return condition
    return replace(condition, aliases=(*condition.aliases, name))

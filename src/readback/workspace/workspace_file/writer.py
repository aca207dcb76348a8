"""Write a workspace down as readback.yml: what was found, and beside each guess why it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from readback.adapters import load_shipped
from readback.readers import project_rows
from readback.readers.yaml.yaml_file import format_comment, format_flow
from readback.records.replies.logged_calls import RECORDS
from readback.records.training.training_row import DATASET as DATASET_SPLIT
from readback.records.training.training_row import TRAIN
from readback.sources import prompt_formats
from readback.sources.prompt_formats import STATED_REASON
from readback.sources.templates import plain_prompts
from readback.sources.templates.plain_prompts import PART
from readback.sources.training.training_text import CELL, CONSTANT
from readback.tasks import PROFILES
from readback.types import (
    Adapter,
    ChatTemplate,
    Condition,
    Criterion,
    Judge,
    Leaks,
    Model,
    OllamaServer,
    Prompt,
    ScoreSource,
    TrainingFile,
    Workspace,
)
from readback.workspace.judges import list_judge_criteria
from readback.workspace.recognise import COMPARISONS, DATASET, MODEL, MODELFILE, OTHER, PLAN
from readback.workspace.tools.tool_choices import find_reader
from readback.workspace.training import TAKEN_FOR
from readback.workspace.workspace_file.reader import CONSTANTS

NOTHING: Mapping[str, str] = MappingProxyType({})
HEAD = "Written by readback from what lies in this folder. Everything may be changed; paths stay below the folder."
CONDITION = ("name", "mode", "model", "adapter", "task", "judge", "answers", "aliases", "settings")
SCORES = ("path", "item", "condition", "judges", "criterion", "criteria", "cluster", "label", "synthetic", "all_items")


def init_text(workspace: Workspace, guesses: Mapping[str, str] = NOTHING) -> str:
    """Return a readback.yml that opens to the same prompts, conditions and dataset, with a reason beside each guess.

    `guesses` say for judges by name what was guessed about them.
    """
    parts = (
        _write_head,
        _write_dataset,
        _write_options,
        _write_environment,
        _write_prompts,
        _write_modes,
        _write_tasks,
        _write_context,
        _write_adapters,
        _write_instructions,
        _write_models,
        _write_conditions,
        partial(_write_judges, guesses),
        _write_files,
        _write_criteria,
        _write_comparisons,
        _write_findings,
        _write_unused,
    )
    blocks = ("\n".join(part(workspace)) for part in parts)
    return "\n\n".join(block for block in blocks if block) + "\n"


def drop_empty(**values: Any) -> dict[str, Any]:
    """Return the values that say something."""
    return {key: value for key, value in values.items() if value not in (None, "", (), {}, [], False)}


def _find_detail(workspace: Workspace, path: str) -> str:
    """Return the note on a file."""
    return next((file.detail for file in workspace.recognised if file.path == path), "")


def _add_comment(line: str, reason: str) -> str:
    """Return a line with a comment behind it."""
    if reason:
        return f"{line}      {format_comment(reason)}"
    return line


def _write_head(workspace: Workspace) -> Iterator[str]:
    yield format_comment(HEAD)
    yield f"name: {format_flow(workspace.name)}"
    if workspace.language:
        yield f"language: {format_flow(workspace.language)}"
    if workspace.today:
        yield f"today: {format_flow(workspace.today)}"
    if workspace.headline:
        yield f"headline: {format_flow(workspace.headline)}"
    if workspace.ollama:
        yield f"serving: {format_flow({'ollama': _build_ollama(workspace.ollama)})}"


def _build_ollama(server: OllamaServer) -> dict[str, Any]:
    """Return the server that runs the Modelfiles, in the words of the section serving."""
    entry = drop_empty(version=server.version)
    setting: Any = server.go_template
    if setting is not None:
        entry["go_template"] = {"true": True, "false": False}.get(setting, setting)
    return entry


def _write_dataset(workspace: Workspace) -> Iterator[str]:
    source = workspace.dataset
    others = [file.path for file in workspace.recognised if file.what == DATASET and not file.used]
    if source is not None and source.format == project_rows.NAME:
        return  # the project brings its rows
    if source is not None and source.format == RECORDS:
        return  # a log under `sent` brings its records
    if source is None:
        if others:
            yield format_comment(f"several datasets lie here; name one: dataset: {{path: {others[0]}}}")
        return
    reason = _find_detail(workspace, source.path)
    if reason:
        yield format_comment(reason)
    if others:
        yield format_comment(f"other datasets here: {', '.join(others)}")
    keys = ("path", "id", "fields", "private", "format", "encoding", "table")
    entry = drop_empty(**{key: getattr(source, key) for key in keys})
    if source.json is not None:  # an empty list says something
        entry["json"] = source.json
    yield f"dataset: {format_flow(entry)}"


def _write_options(workspace: Workspace) -> Iterator[str]:
    if any(diagnostic.code == "alb-dialect-inferred" for diagnostic in workspace.diagnostics):
        yield format_comment(
            "albert_dialect is a guess: only the later Albert program reads what the configuration holds"
        )
    if workspace.options:  # on and off are quoted by format_flow, since YAML takes them for true and false
        yield f"options: {format_flow(workspace.options)}"


def _write_environment(workspace: Workspace) -> Iterator[str]:
    if workspace.dataset and workspace.dataset.environment:
        yield f"env: {format_flow(workspace.dataset.environment)}"


def _write_prompts(workspace: Workspace) -> Iterator[str]:
    named: list[str] = []
    if workspace.dataset and workspace.dataset.format == project_rows.NAME:
        named.append(workspace.dataset.path)
    for config in workspace.configs:
        if config.dialect == prompt_formats.NAME:
            named.append(prompt_formats.BUILTIN)
        elif config.dialect != plain_prompts.INLINE and config.place.file:
            named.append(config.place.file)
    of_tools = _list_tool_prompts(workspace)
    if named or of_tools:
        yield "prompts:"
    for path in dict.fromkeys(named):
        is_builtin = path == prompt_formats.BUILTIN
        if is_builtin:
            reason = _describe_formats(workspace)
        else:
            reason = _find_detail(workspace, path)
        yield _add_comment(f"  - {format_flow(path)}", reason)
    for path, tool in of_tools.items():
        yield _add_comment(f"  - {format_flow({'path': path, 'tool': tool})}", _find_detail(workspace, path))


def _list_tool_prompts(workspace: Workspace) -> dict[str, str]:
    """Return the prompt files of other tools, each with the tool that reads it."""
    files = ((prompt.place.file, find_reader(prompt)) for prompt in workspace.prompts.values())
    return {path: tool for path, tool in files if path and tool}


def _describe_formats(workspace: Workspace) -> str:
    plan = next((file.path for file in workspace.recognised if file.what == PLAN and file.used), "")
    return "the modes instruction, rag, hybrid and standard" + (f", which the plan {plan} speaks of" if plan else "")


def _write_modes(workspace: Workspace) -> Iterator[str]:
    configs = [config for config in workspace.configs if config.dialect == plain_prompts.INLINE]
    prompts = [prompt for config in configs for prompt in config.prompts.values()]
    if prompts:
        yield "modes:"
    for prompt in prompts:
        entry = _build_prompt(workspace, prompt)
        if prompt.system is not None and prompt.system_syntax != prompt.syntax:
            entry["system_syntax"] = prompt.system_syntax
        file = prompt.place.file
        if file != workspace.file:
            reason = _find_detail(workspace, file or "")
        else:
            reason = ""
        if reason:
            yield f"  {format_comment(reason)}"
        yield f"  {format_flow(prompt.mode)}: {format_flow(entry)}"


def _write_tasks(workspace: Workspace) -> Iterator[str]:
    if workspace.tasks:
        yield "tasks:"
    for name, prompt in workspace.tasks.items():
        yield f"  {format_flow(name)}: {format_flow(_build_prompt(workspace, prompt))}"


def _build_prompt(workspace: Workspace, prompt: Prompt) -> dict[str, Any]:
    """Return the texts of a mode or task: the file where one was named, else the text itself."""
    entry: dict[str, Any] = {}
    texts = (("template", prompt.template, prompt.place), ("system", prompt.system, prompt.system_place))
    for key, text, place in texts:
        if text is None:
            continue
        if place.file in (None, workspace.file) or place.file.endswith(".py"):  # a constant is a part of its file
            entry[key] = text
        else:
            entry[f"{key}_file"] = place.file
    if prompt.syntax == "jinja":
        syntax = None
    else:
        syntax = prompt.syntax
    part = prompt.settings.get(PART)
    settings = {key: value for key, value in prompt.settings.items() if key != PART}
    return entry | drop_empty(part=part, syntax=syntax, default=prompt.defaults, settings=settings)


def _write_context(workspace: Workspace) -> Iterator[str]:
    if workspace.context:
        yield "context:"
    for task, values in workspace.context.items():
        yield f"  {format_flow(task)}: {format_flow(values)}"


def _write_adapters(workspace: Workspace) -> Iterator[str]:
    if workspace.adapters:
        yield f"adapters: {format_flow([_name_adapter(adapter) for adapter in workspace.adapters.values()])}"


def _name_adapter(adapter: Adapter) -> str:
    """Return the name of a shipped adapter, else the path of its file."""
    is_shipped = any(load_shipped(profile).get(adapter.name) == adapter for profile in PROFILES)
    if is_shipped or not adapter.place.file:
        return adapter.name
    return adapter.place.file


def _write_instructions(workspace: Workspace) -> Iterator[str]:
    from_files: dict[str, Any] = {}
    for config in workspace.configs:
        from_files |= config.instructions
    own = {
        task: text
        for task, text in workspace.instructions.items()
        if task not in from_files or from_files[task] != text
    }
    if own:
        yield f"instructions: {format_flow(own)}"


def _write_models(workspace: Workspace) -> Iterator[str]:
    if workspace.models:
        yield "models:"
    for name, model in workspace.models.items():
        yield f"  {format_flow(name)}:"
        yield from (f"    {line}" for line in _write_model(workspace, model))


def _write_model(workspace: Workspace, model: Model) -> Iterator[str]:
    """Yield the lines of one model; a model of which nothing is known is an empty mapping."""
    lines = [*_write_type(model)]
    for part in (_write_model_files, _write_serving):
        lines.extend(part(workspace, model))
    lines.extend(_write_sizes(model))
    yield from lines
    if all(line.startswith("#") for line in lines):
        yield "{}"


def _write_type(model: Model) -> Iterator[str]:
    if model.type:
        if model.type_reason == STATED_REASON:
            reason = ""
        else:
            reason = f"a guess: {model.type_reason}"
        yield _add_comment(f"type: {model.type}", reason)


def _write_model_files(workspace: Workspace, model: Model) -> Iterator[str]:
    files = {file.path for file in workspace.recognised if file.what == MODEL}
    settings = {key: value for key, value in model.settings.items() if key not in (CONSTANT, CELL)}
    if model.place.file in files:
        yield f"config: {format_flow(model.place.file)}"
    elif settings:
        yield f"settings: {format_flow(settings)}"
    training = _build_training(model)
    if training:
        if model.training:
            file = model.training.place.file
        else:
            file = None
        yield _add_comment(f"training: {format_flow(training)}", _find_guess(workspace, [file or ""]))
    stated = [text.place for text in model.stated if text.place.file]
    if stated:
        entries = [drop_empty(**{"from": place.file, "constant": place.field}) for place in stated]
        yield _add_comment(
            f"stated_in: {format_flow(entries)}", _find_guess(workspace, [place.file or "" for place in stated])
        )


def _find_guess(workspace: Workspace, files: Sequence[str]) -> str:
    """Return the reason for which the first of some files was taken for a model's, where that is a guess."""
    details = (_find_detail(workspace, file) for file in files)
    return next((f"a guess: {detail}" for detail in details if TAKEN_FOR in detail), "")


def _build_training(model: Model) -> dict[str, Any]:
    entry = drop_empty(messages=model.training_messages)
    entry |= _build_template(model.training_template, model.training_format)
    entry |= drop_empty(template_options=_split_options(model)[2])
    text = model.training
    if text and not text.verified:
        entry["system"] = text.text
    elif text and text.place.file and text.place.file != model.training_messages:
        part = drop_empty(constant=model.settings.get(CONSTANT), cell=model.settings.get(CELL))
        entry["system"] = {"from": text.place.file} | part
    return entry


def _build_template(template: ChatTemplate | None, named: str | None) -> dict[str, Any]:
    """Return a chat template by its file and that of its tokens, else by its name among the formats."""
    if template:
        file, config = (template.place.file, template.config)
    else:
        file, config = (None, None)
    if file == config:
        file = None
    adds = template.adds_bos if template else False
    return drop_empty(chat_template=file, tokenizer_config=config, add_special_tokens=adds, format=named)


def _split_options(model: Model) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the template options of a model: those of the model itself, and what serving and training have besides."""
    serving, training = dict(model.serving_options), dict(model.training_options)
    if serving and serving == training:
        return serving, {}, {}
    return {}, serving, training


def _write_serving(workspace: Workspace, model: Model) -> Iterator[str]:
    entry = drop_empty(
        modelfile=model.modelfile.place.file if model.modelfile else None,
        base=model.base.place.file if model.base else None,
    )
    entry |= _build_template(model.chat_template, model.chat_format)
    entry |= drop_empty(template_options=_split_options(model)[1])
    others = [file.path for file in workspace.recognised if file.what == MODELFILE and not file.used]
    if entry:
        reason = _find_detail(workspace, entry.get("modelfile", ""))
        yield _add_comment(f"serving: {format_flow(entry)}", reason)
    elif others and model.type != "base":
        yield format_comment(f"no Modelfile was taken; here are {', '.join(others)}: serving: {{modelfile: …}}")


def _write_sizes(model: Model) -> Iterator[str]:
    sizes = drop_empty(tokenizer=model.tokenizer, context=model.context)
    if model.reserve is not None:  # 0 says something
        sizes["reserve"] = model.reserve
    sizes |= drop_empty(template_options=_split_options(model)[0])
    yield from (f"{key}: {format_flow(value)}" for key, value in sizes.items())


def _write_conditions(workspace: Workspace) -> Iterator[str]:
    if workspace.dataset and workspace.dataset.format == project_rows.NAME:
        return  # the project brings them
    conditions = [each for each in workspace.conditions if not _is_of_log(each)]  # a log under `sent` brings its own
    if conditions:
        for file in workspace.recognised:
            if file.what in (PLAN, COMPARISONS) and file.used:
                yield format_comment(f"{file.path}: {file.detail}")
        yield "conditions:"
    for condition in conditions:
        yield f"  - {format_flow(_build_condition(condition))}"
    if workspace.scores and workspace.prompts and not workspace.conditions:
        yield format_comment(
            "Which prompt was sent under a condition of the scores is not known. State it, for example:"
        )
        yield format_comment("conditions:")
        for mode in workspace.prompts:
            yield format_comment(f"  - {format_flow({'name': mode, 'mode': mode})}")


def _is_of_log(condition: Condition) -> bool:
    """Tell whether the messages of a condition are those that a log holds."""
    return condition.logged is not None and not (condition.mode or condition.task)


def _build_condition(condition: Condition) -> dict[str, Any]:
    return drop_empty(**{key: getattr(condition, key) for key in CONDITION})


def _write_judges(guesses: Mapping[str, str], workspace: Workspace) -> Iterator[str]:
    if workspace.judges:
        yield "judges:"
    for name, judge in workspace.judges.items():
        if name in guesses:
            yield f"  {format_comment(guesses[name])}"
        yield f"  {format_flow(name)}: {format_flow(_build_judge(judge))}"


def _build_judge(judge: Judge) -> dict[str, Any]:
    """Return a judge by the file it was read from, and which texts of it."""
    prompts: Any = judge.place.file
    constants = judge.settings.get(CONSTANTS)
    if isinstance(constants, Mapping):
        prompts = {**constants, "file": judge.place.file}
    elif judge.system_place.file and judge.system_place.file != judge.place.file:
        prompts = {"system": judge.system_place.file, "user": judge.place.file}
    return drop_empty(prompts=prompts, fields=judge.fields, criteria=judge.criteria)


def _write_files(workspace: Workspace) -> Iterator[str]:
    if workspace.scores:
        yield "scores:"
    for source in workspace.scores:
        yield f"  - {format_flow(build_scores(source))}"
    alone = dict.fromkeys(str(each.logged) for each in workspace.conditions if _is_of_log(each))
    if workspace.dataset and workspace.dataset.format == RECORDS:
        alone.setdefault(workspace.dataset.path)
    for name in alone:
        yield format_comment(f"{name}: {_find_detail(workspace, name)}")
    sent = (*workspace.sent, *(name for name in alone if name not in workspace.sent))
    if sent:
        yield f"sent: {format_flow(sent)}"
    if workspace.log_names:
        yield f"logs: {format_flow({log: dict(names) for log, names in workspace.log_names.items()})}"
    training = _build_training_files(workspace.training)
    if training:
        yield f"training: {format_flow(training)}"


def build_scores(source: ScoreSource) -> Any:
    """Return the entry of `scores:` for a score file: its path, or a mapping where more is known."""
    entry = drop_empty(**{key: getattr(source, key) for key in SCORES})
    if len(entry) > 1:
        return entry
    return source.path


def _build_training_files(files: Sequence[TrainingFile]) -> list[str] | dict[str, list[str]]:
    """Return the training files that only the workspace names: a list, or lists by split."""
    splits: dict[str, list[str]] = {}
    paths: list[str] = []
    for file in files:
        if file.split == DATASET_SPLIT or (file.models and file.split == TRAIN):
            continue
        splits.setdefault(file.split, []).append(file.path)
        paths.append(file.path)
    if set(splits) - {TRAIN}:
        return splits
    return paths


def _write_criteria(workspace: Workspace) -> Iterator[str]:
    by_judge = list_judge_criteria(workspace.judges.values())
    own = {name: criterion for name, criterion in workspace.criteria.items() if by_judge.get(name) != criterion}
    if own:
        yield "criteria:"
    for name, criterion in own.items():
        yield f"  {format_flow(name)}: {format_flow(_build_criterion(criterion))}"
    acronyms = _build_acronyms(workspace)
    if acronyms:
        yield f"acronyms: {format_flow(acronyms)}"


def _build_criterion(criterion: Criterion) -> dict[str, Any]:
    scales: Mapping[str, Any] = {
        "ordinal": list(criterion.values),
        "numeric": {"min": criterion.low, "max": criterion.high},
        "binary": "binary",
        "nominal": "nominal",
    }
    if criterion.direction == "up":
        direction = None
    else:
        direction = criterion.direction
    return drop_empty(
        scale=scales.get(criterion.scale), direction=direction, unit=criterion.unit, meanings=criterion.meanings
    )


def _build_acronyms(workspace: Workspace) -> Any:
    """Return the files of acronyms and those of the workspace file itself: one entry, or a list."""
    own: dict[str, str] = {}
    files: dict[Any, None] = {}
    for name, long_form in workspace.acronyms.items():
        place = workspace.acronym_places.get(name)
        if place is None or place.file in (None, workspace.file):
            own[name] = long_form
        else:
            files[place.file] = None
    entries = [own, *files] if own else [*files]
    if len(entries) == 1:
        return entries[0]
    return entries


def _write_comparisons(workspace: Workspace) -> Iterator[str]:
    if workspace.comparisons:
        yield "comparisons:"
    yield from (f"  - {format_flow(pair)}" for pair in workspace.comparisons)


def _write_findings(workspace: Workspace) -> Iterator[str]:
    leaks = workspace.leaks
    if leaks != Leaks():
        entry: dict[str, Any] = {"threshold": leaks.threshold}
        if leaks.phrases is not None:
            entry["phrases"] = list(leaks.phrases)
        yield f"leaks: {format_flow(entry)}"
    if workspace.ignore:
        yield "ignore:"
    for ignored in workspace.ignore:
        keys = ("code", "why", "by", "date", "where")
        yield f"  - {format_flow(drop_empty(**{key: getattr(ignored, key) for key in keys}))}"


def _write_unused(workspace: Workspace) -> Iterator[str]:
    unused = [file for file in workspace.recognised if not file.used and file.what != OTHER]
    if unused:
        yield format_comment("Recognised here and not used:")
    for file in unused:
        if file.detail:
            detail = f" ({file.detail})"
        else:
            detail = ""
        yield format_comment(f"  {file.path}: {file.what}{detail}")

"""Write a workspace down as readback.yml: what was found, and beside each guess why it was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from readback.readers.yaml_text import comment, flow
from readback.sources import plain_prompts, prompt_formats
from readback.sources.prompt_formats import SAID
from readback.sources.training_text import CELL, CONSTANT
from readback.types import Leaks, Model, Workspace
from readback.workspace.judge_files import judge_criteria
from readback.workspace.recognise import COMPARISONS, DATASET, MODEL, MODELFILE, OTHER, PLAN
from readback.workspace.training_texts import TAKEN_FOR
from readback.workspace.workspace_file import entries

NOTHING: Mapping[str, str] = MappingProxyType({})
HEAD = "Written by readback from what lies in this folder. Everything may be changed; paths stay below the folder."


def init_text(workspace: Workspace, guesses: Mapping[str, str] = NOTHING) -> str:
    """A readback.yml that opens to the same prompts, conditions and dataset, each guess with its reason beside it.

    `guesses` say for judges by name what was guessed about them.
    """
    parts = (
        _head, _dataset, _options, _prompts, _modes, _tasks, _context, _adapters, _instructions, _models, _conditions,
        partial(_judges, guesses), _scores, _criteria, _comparisons, _rest, _unused,
    )  # fmt: skip
    blocks = ("\n".join(part(workspace)) for part in parts)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _head(workspace: Workspace) -> Iterator[str]:
    yield comment(HEAD)
    yield f"name: {flow(workspace.name)}"
    if workspace.language:
        yield f"language: {flow(workspace.language)}"
    if workspace.today:
        yield f"today: {flow(workspace.today)}"
    if workspace.headline:
        yield f"headline: {flow(workspace.headline)}"
    if workspace.ollama:
        yield f"serving: {flow({'ollama': entries.ollama(workspace.ollama)})}"


def _dataset(workspace: Workspace) -> Iterator[str]:
    source = workspace.dataset
    others = [r.path for r in workspace.recognised if r.what == DATASET and not r.used]
    if source is None:
        if others:
            yield comment(f"several datasets lie here; name one: dataset: {{path: {others[0]}}}")
        return
    if why := _why(workspace, source.path):
        yield comment(why)
    if others:
        yield comment(f"other datasets here: {', '.join(others)}")
    keys = ("path", "id", "fields", "private", "format", "encoding")
    columns = {} if source.json is None else {"json": source.json}  # an empty list says something
    yield f"dataset: {flow(entries.said(**{key: getattr(source, key) for key in keys}) | columns)}"


def _options(workspace: Workspace) -> Iterator[str]:
    if any(diagnostic.code == "alb-dialect-inferred" for diagnostic in workspace.diagnostics):
        yield comment("albert_dialect is a guess: only the later Albert program reads what the configuration holds")
    if workspace.options:  # on and off are quoted by flow, since YAML takes them for true and false
        yield f"options: {flow(workspace.options)}"


def _prompts(workspace: Workspace) -> Iterator[str]:
    named: list[str] = []
    for config in workspace.configs:
        if config.dialect == prompt_formats.NAME:
            named.append(prompt_formats.BUILTIN)
        elif config.dialect != plain_prompts.INLINE and config.place.file:
            named.append(config.place.file)
    if named:
        yield "prompts:"
    for path in dict.fromkeys(named):
        why = _modes_of(workspace) if path == prompt_formats.BUILTIN else _why(workspace, path)
        yield f"  - {flow(path)}" + (f"      {comment(why)}" if why else "")


def _modes_of(workspace: Workspace) -> str:
    plan = next((r.path for r in workspace.recognised if r.what == PLAN and r.used), "")
    return "the modes instruction, rag, hybrid and standard" + (f", which the plan {plan} speaks of" if plan else "")


def _modes(workspace: Workspace) -> Iterator[str]:
    prompts = [p for c in workspace.configs if c.dialect == plain_prompts.INLINE for p in c.prompts.values()]
    if prompts:
        yield "modes:"
    for prompt in prompts:
        own = prompt.system is not None and prompt.system_syntax != prompt.syntax
        of_system = {"system_syntax": prompt.system_syntax} if own else {}
        why = _why(workspace, prompt.place.file or "") if prompt.place.file != workspace.file else ""
        if why:
            yield f"  {comment(why)}"
        yield f"  {flow(prompt.mode)}: {flow(entries.texts(workspace, prompt) | of_system)}"


def _tasks(workspace: Workspace) -> Iterator[str]:
    if workspace.tasks:
        yield "tasks:"
    for name, prompt in workspace.tasks.items():
        yield f"  {flow(name)}: {flow(entries.texts(workspace, prompt))}"


def _context(workspace: Workspace) -> Iterator[str]:
    if workspace.context:
        yield "context:"
    for task, values in workspace.context.items():
        yield f"  {flow(task)}: {flow(values)}"


def _adapters(workspace: Workspace) -> Iterator[str]:
    if workspace.adapters:
        yield f"adapters: {flow([entries.adapter(adapter) for adapter in workspace.adapters.values()])}"


def _instructions(workspace: Workspace) -> Iterator[str]:
    from_files: dict[str, Any] = {}
    for config in workspace.configs:
        from_files |= config.instructions
    own = {k: v for k, v in workspace.instructions.items() if k not in from_files or from_files[k] != v}
    if own:
        yield f"instructions: {flow(own)}"


def _models(workspace: Workspace) -> Iterator[str]:
    if workspace.models:
        yield "models:"
    for name, model in workspace.models.items():
        yield f"  {flow(name)}:"
        yield from (f"    {line}" for line in _model(workspace, model))


def _model(workspace: Workspace, model: Model) -> Iterator[str]:
    """The lines of one model; a model of which nothing is known is an empty mapping."""
    lines = [line for part in (_type, _config, _serving, _sizes) for line in part(workspace, model)]
    yield from lines if any(not line.startswith("#") for line in lines) else (*lines, "{}")


def _type(workspace: Workspace, model: Model) -> Iterator[str]:
    if model.type:
        why = "" if model.type_reason == SAID else comment(f"a guess: {model.type_reason}")
        yield f"type: {model.type}" + (f"      {why}" if why else "")


def _config(workspace: Workspace, model: Model) -> Iterator[str]:
    files = {r.path for r in workspace.recognised if r.what == MODEL}
    settings = {key: value for key, value in model.settings.items() if key not in (CONSTANT, CELL)}
    if model.place.file in files:
        yield f"config: {flow(model.place.file)}"
    elif settings:
        yield f"settings: {flow(settings)}"
    if training := entries.training(model):
        why = _why(workspace, model.training.place.file or "") if model.training else ""
        yield f"training: {flow(training)}" + (f"      {comment(f'a guess: {why}')}" if TAKEN_FOR in why else "")
    if stated := entries.stated(model):
        whys = (_why(workspace, one["from"]) for one in stated)
        guessed = next((why for why in whys if TAKEN_FOR in why), "")
        yield f"stated_in: {flow(stated)}" + (f"      {comment(f'a guess: {guessed}')}" if guessed else "")


def _serving(workspace: Workspace, model: Model) -> Iterator[str]:
    others = [r.path for r in workspace.recognised if r.what == MODELFILE and not r.used]
    if serving := entries.serving(model):
        why = _why(workspace, serving.get("modelfile", ""))
        yield f"serving: {flow(serving)}" + (f"      {comment(why)}" if why else "")
    elif others and model.type != "base":
        yield comment(f"no Modelfile was taken; here are {', '.join(others)}: serving: {{modelfile: …}}")


def _sizes(workspace: Workspace, model: Model) -> Iterator[str]:
    said = entries.said(tokenizer=model.tokenizer, context=model.context)
    said |= {} if model.reserve is None else {"reserve": model.reserve}  # 0 says something
    said |= entries.said(template_options=entries.split_options(model)[0])
    yield from (f"{key}: {flow(value)}" for key, value in said.items())


def _conditions(workspace: Workspace) -> Iterator[str]:
    if workspace.conditions:
        for one in workspace.recognised:
            if one.what in (PLAN, COMPARISONS) and one.used:
                yield comment(f"{one.path}: {one.detail}")
        yield "conditions:"
    for condition in workspace.conditions:
        yield f"  - {flow(entries.condition(condition))}"


def _judges(guesses: Mapping[str, str], workspace: Workspace) -> Iterator[str]:
    if workspace.judges:
        yield "judges:"
    for name, judge in workspace.judges.items():
        if name in guesses:
            yield f"  {comment(guesses[name])}"
        yield f"  {flow(name)}: {flow(entries.judge(judge))}"


def _scores(workspace: Workspace) -> Iterator[str]:
    if workspace.scores:
        yield "scores:"
    for source in workspace.scores:
        yield f"  - {flow(entries.scores(source))}"
    if workspace.sent:
        yield f"sent: {flow(workspace.sent)}"
    if named := entries.training_files(workspace.training):
        yield f"training: {flow(named)}"


def _criteria(workspace: Workspace) -> Iterator[str]:
    by_judge = judge_criteria(workspace.judges.values())
    own = {name: criterion for name, criterion in workspace.criteria.items() if by_judge.get(name) != criterion}
    if own:
        yield "criteria:"
    for name, criterion in own.items():
        yield f"  {flow(name)}: {flow(entries.criterion(criterion))}"
    if named := entries.acronyms(workspace):
        yield f"acronyms: {flow(named)}"


def _comparisons(workspace: Workspace) -> Iterator[str]:
    if workspace.comparisons:
        yield "comparisons:"
    yield from (f"  - {flow(pair)}" for pair in workspace.comparisons)


def _rest(workspace: Workspace) -> Iterator[str]:
    if (leaks := workspace.leaks) != Leaks():
        said = {"threshold": leaks.threshold} | ({} if leaks.phrases is None else {"phrases": list(leaks.phrases)})
        yield f"leaks: {flow(said)}"
    if workspace.ignore:
        yield "ignore:"
    for ignored in workspace.ignore:
        keys = ("code", "why", "by", "date", "where")
        yield f"  - {flow(entries.said(**{key: getattr(ignored, key) for key in keys}))}"


def _unused(workspace: Workspace) -> Iterator[str]:
    unused = [r for r in workspace.recognised if not r.used and r.what != OTHER]
    if unused:
        yield comment("Recognised here and not used:")
    for one in unused:
        yield comment(f"  {one.path}: {one.what}" + (f" ({one.detail})" if one.detail else ""))


def _why(workspace: Workspace, path: str) -> str:
    return next((r.detail for r in workspace.recognised if r.path == path), "")

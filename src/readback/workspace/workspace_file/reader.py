"""Read readback.yml into a draft: wrong keys and values are located diagnostics, and the rest loads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from readback.adapters import load_shipped, read_adapter
from readback.readers.files.paths import expand, format_absent, format_relative
from readback.readers.yaml.yaml_file import Node, Parsed, find_nearest, read_yaml
from readback.scores.values.criteria import from_entry
from readback.sources import instructions, prompt_formats
from readback.sources.templates import plain_prompts
from readback.tasks import PROFILES, profile_of, tasks_of
from readback.types import (
    NOWHERE,
    Adapter,
    Condition,
    DatasetSource,
    Ignored,
    Judge,
    Leaks,
    OllamaServer,
    Prompt,
    PromptConfig,
    ScoreSource,
)
from readback.workspace.candidates import KINDS
from readback.workspace.conditions import describe_unknown_name
from readback.workspace.draft import Draft
from readback.workspace.intake import take_config, take_file
from readback.workspace.judges import read_judge
from readback.workspace.recognise import JUDGE, TEMPLATE, WORKSPACE, RecognisedFile, recognise
from readback.workspace.templates import plain_templates
from readback.workspace.tools import tool_choices, tool_logs
from readback.workspace.training import add_training_file
from readback.workspace.workspace_file.acronyms import read_acronyms
from readback.workspace.workspace_file.models import read_model
from readback.workspace.workspace_file.prompt_entries import read_prompts
from readback.workspace.workspace_file.schema import (
    PERSON,
    ConditionSection,
    JudgeSection,
    JudgeTexts,
    PromptFileSection,
    WorkspaceFile,
)
from readback.workspace.workspace_file.values import TextNode, read_section

BUILTIN = "builtin:"
CONSTANTS = "constants"  # key of Judge.settings: which constants of a Python file its texts are
SCHEMA_FILES = (".json", ".yml", ".yaml")
SCHEMA_KEY = "json_schema"  # of `context:`, which may name a file
CONDITION_PARTS = ("mode", "model", "adapter", "task", "judge")  # what a condition without a name is called by


def read_workspace_file(draft: Draft, parsed: Parsed) -> None:
    """Fill the draft from a parsed workspace file."""
    if draft.offered:  # the file leaves no choice, but for what it says nothing of
        draft.chosen = {key: text for key, text in draft.chosen.items() if key == tool_logs.KEY}
    draft.diagnostics.extend(parsed.diagnostics)
    draft.say(parsed.file, WORKSPACE)
    top = Node(parsed.value, parsed, draft.diagnostics)
    if not isinstance(parsed.value, Mapping):
        if parsed.value is not None:
            top.wrong("a mapping with keys such as name, dataset and prompts")
        return
    # What whoever opens the workspace chose is taken in place of what the file says of it, which is not even read.
    replaced = set(draft.chosen) - {"dataset"}
    value = {key: None if key in replaced else entry for key, entry in parsed.value.items()}
    file = read_section(WorkspaceFile, replace(top, value=value))
    if file.name is not None:
        draft.name = file.name
    if file.language is not None:
        draft.language = file.language
    for key, take_section in SECTIONS.items():
        if key in file.parts:
            take_section(file, draft)
        elif key in KINDS and draft.chosen.get(key):
            path = draft.file_at(draft.chosen[key], NOWHERE)
            if path:
                take_file(path, draft)
    if file.headline is not None:
        draft.headline = file.headline
    draft.today = file.today


def _take_dataset(file: WorkspaceFile, draft: Draft) -> None:
    """Take the dataset. A file that is not there is a diagnostic, and there are no records."""
    dataset = file.dataset
    if dataset is None or "path" not in dataset.parts:
        return
    name = draft.chosen.get("dataset") or (dataset.path.text if dataset.path else "")
    if not name:
        return
    place = dataset.parts["path"].place
    path = draft.file_at(name, place)
    draft.dataset = DatasetSource(
        path=format_relative(draft.root, path) if path else format_absent(name),
        id=dataset.id,
        fields=dataset.fields,
        private=dataset.private,
        format=dataset.format,
        encoding=dataset.encoding,
        table=dataset.table,
        json=dataset.json,
        place=place,
        absent=path is None,
    )
    if path:
        draft.say(draft.dataset.path, "dataset")


def _take_options(file: WorkspaceFile, draft: Draft) -> None:
    for name, value in file.options.items():
        if name not in draft.fixed_options:
            draft.options[name] = value


def _take_environment(file: WorkspaceFile, draft: Draft) -> None:
    """Take what the file states of the environment, where whoever opens it states nothing else."""
    draft.environment = {**file.env, **draft.environment}


def _take_prompts(file: WorkspaceFile, draft: Draft) -> None:
    """Take configurations of any dialect, plain template files, and the built-in formats."""
    templates: list[Path] = []
    for section in file.prompts:
        named = section.path
        if named is None:
            continue
        if named.text.startswith(BUILTIN):
            if named.node.one_of((prompt_formats.BUILTIN,), "a path, or"):
                draft.add_config(prompt_formats.CONFIG)
            continue
        path = draft.file_at(named.text, named.place)
        if path is None:
            continue
        recognised = _apply_tool(section, recognise(path, draft.root, named=True), draft)
        if recognised.what == TEMPLATE:
            templates.append(path)
        else:
            take_config(recognised, draft, named.node)
    if templates:
        plain_templates.take_listed_templates(draft, templates)


def _apply_tool(section: PromptFileSection, file: RecognisedFile, draft: Draft) -> RecognisedFile:
    """Return a file as a prompt of the tool that reads it: the one that was chosen when it was opened, else the stated
    one.
    """
    chosen = tool_choices.apply_tool(draft, file, opened=False)
    if chosen is not file:
        return chosen
    stated = section.parts.get("tool") or section.parts.get("loader")
    if stated is None:
        return file
    if not section.tool:
        if "tool" not in section.parts:
            stated.wrong("nothing without tool:, whose loader it is")
        return file
    tool = tool_choices.find_name(section.tool, section.loader or "")
    if tool is None:
        if tool_choices.find_name(section.tool):
            section.parts["loader"].wrong(f"a version of {section.tool} whose loader is known, such as 2")
        else:
            stated.one_of(tool_choices.list_names())
        return file
    if tool in tool_choices.BY_CONTENT:
        return file
    return tool_choices.take_as(file, tool)


def _take_modes(file: WorkspaceFile, draft: Draft) -> None:
    prompts: dict[str, Prompt] = {}
    if file.modes is None:
        return
    for prompt in read_prompts(file.modes, draft.root):
        draft.add_mode(prompt.mode, prompt)
        prompts[prompt.mode] = prompt
    node = file.modes.node
    draft.configs.append(PromptConfig(node.parsed.file, plain_prompts.INLINE, prompts, place=node.place))


def _take_tasks(file: WorkspaceFile, draft: Draft) -> None:
    """Take the base texts of tasks, and report names that are nearly those of a known task."""
    if file.tasks is None:
        return
    for prompt in read_prompts(file.tasks, draft.root, tasks=True):
        draft.tasks[prompt.mode] = prompt
    tasks = dict.fromkeys(task for profile in PROFILES for task in tasks_of(profile))
    node = file.tasks.node
    for name, part in node.entries() if isinstance(node.value, Mapping) else ():
        if name in tasks:
            near = None
        else:
            near = find_nearest(name, tasks)
        if near:
            part.report("asm-unknown-task", name, task=name, nearest=near, known=list(tasks))


def _take_context(file: WorkspaceFile, draft: Draft) -> None:
    for task, values in file.context.items():
        draft.context[task] = {name: _read_context_value(name, node, draft) for name, node in values.items()}


def _read_context_value(name: str, node: Node, draft: Draft) -> Any:
    """Return what adapters are told: the value, or for a JSON Schema the content of the file that is named."""
    if name != SCHEMA_KEY or not isinstance(node.value, str) or not node.value.lower().endswith(SCHEMA_FILES):
        return node.value
    path = draft.file_at(node.value, node.place)
    if path is None:
        return None
    parsed = read_yaml(path, format_relative(draft.root, path))
    draft.diagnostics.extend(parsed.diagnostics)
    draft.say(path, "schema")
    return parsed.value


def _take_adapters(file: WorkspaceFile, draft: Draft) -> None:
    for named in file.adapters:
        if named.text:
            adapter = _read_adapter(named, draft)
        else:
            adapter = None
        if adapter is None:
            continue
        if adapter.name in draft.adapters:
            named.node.report("dat-duplicate-name", adapter.name, kind="adapter", name=adapter.name)
        else:
            draft.adapters[adapter.name] = adapter


def _read_adapter(named: TextNode, draft: Draft) -> Adapter | None:
    """Return a shipped adapter by its name, or one of the workspace by its file."""
    profile = profile_of(draft.options)
    name = named.text
    if "/" in name or name.lower().endswith((".yml", ".yaml")):
        path = draft.file_at(name, named.place)
        if path is None:
            return None
        adapter, diagnostics = read_adapter(path, draft.root, profile)
        draft.diagnostics.extend(diagnostics)
        draft.say(path, "adapter", detail=adapter.name)
        return adapter
    adapters = load_shipped(profile)
    if name not in adapters:
        close = find_nearest(name, adapters) or ""
        named.node.report("asm-unknown-interface", name, interface=name, nearest=close, known=sorted(adapters))
        return None
    return adapters[name]


def _take_instructions(file: WorkspaceFile, draft: Draft) -> None:
    """Take user instructions by task, or the file that holds them; never rendered, never stripped."""
    node = file.instructions
    if node is None:
        return
    if isinstance(node.value, str):
        path = draft.file_at(node.value, node.place)
        if path:
            take_config(recognise(path, draft.root, named=True), draft, node)
        return
    texts, diagnostics = instructions.read_mapping(node.value, node.parsed, *node.keys)
    draft.instructions |= texts
    draft.instruction_places |= instructions.list_places(texts, node.parsed, node.keys)
    draft.diagnostics.extend(diagnostics)


def _take_serving(file: WorkspaceFile, draft: Draft) -> None:
    if file.serving:
        ollama = file.serving.ollama
    else:
        ollama = None
    if ollama and (ollama.version is not None or ollama.go_template is not None):
        draft.ollama = OllamaServer(ollama.version, ollama.go_template, ollama.place)


def _take_models(file: WorkspaceFile, draft: Draft) -> None:
    for name, section in file.models.items():
        draft.models[name] = read_model(name, section, draft)


def _take_plan(file: WorkspaceFile, draft: Draft) -> None:
    for named in file.plan:
        if named.text:
            path = draft.file_at(named.text, named.place)
        else:
            path = None
        if path:
            take_config(recognise(path, draft.root, named=True), draft, named.node)


def _take_conditions(file: WorkspaceFile, draft: Draft) -> None:
    """Take the conditions of the experiment. What they name is checked when everything is read."""
    names = {name for condition in draft.conditions for name in (condition.name, *condition.aliases)}
    for section in file.conditions:
        condition = _build_condition(section, draft)
        if condition is None:
            continue
        if condition.name in names:
            section.node.report("dat-duplicate-name", condition.name, kind="condition", name=condition.name)
            continue
        names.update((condition.name, *condition.aliases))
        draft.conditions.append(condition)


def _build_condition(section: ConditionSection, draft: Draft) -> Condition | None:
    parts = {key: getattr(section, key) for key in CONDITION_PARTS if key in section.parts}
    name = section.name
    if "name" not in section.parts:
        in_order = [parts[key] for key in CONDITION_PARTS if parts.get(key)]
        name = " · ".join(in_order)
    if not name:
        section.node.wrong("a condition with a name")
        return None
    if section.answers:
        path = draft.file_at(section.answers.text, section.answers.place)
    else:
        path = None
    if path:
        draft.say(path, "answers")
    return Condition(
        name=name,
        **parts,
        answers=format_relative(draft.root, path) if path else None,
        aliases=section.aliases,
        settings={**section.settings, **section.factors},
        place=section.place,
    )


def _take_judges(file: WorkspaceFile, draft: Draft) -> None:
    """Take the prompt of each judge and which record fields fill it; a person has none."""
    for name, section in file.judges.items():
        if section.kind:
            draft.people[name] = section.kind == PERSON
        judge = _read_judge(name, section, draft)
        if judge:
            draft.judges[name] = judge


def _read_judge(name: str, section: JudgeSection, draft: Draft) -> Judge | None:
    path, texts = _locate_judge(section.prompts, draft)
    if path is None:
        return None
    judge = read_judge(path, draft, name, {**texts, "fields": section.fields})
    if judge is None:
        return None
    draft.say(path, JUDGE, detail=name)
    if texts and path.suffix == ".py":
        constants = {CONSTANTS: texts}
    else:
        constants = {}
    return replace(
        judge,
        name=name,
        fields={**judge.fields, **section.fields},
        criteria=judge.criteria if section.criteria is None else section.criteria,
        settings={**judge.settings, **section.settings, **constants},
    )


def _locate_judge(prompts: TextNode | JudgeTexts | None, draft: Draft) -> tuple[Path | None, dict[str, str]]:
    """Return the file a judge's texts are in, and which constants or files of it they are."""
    texts: dict[str, str] = {}
    file = prompts
    if isinstance(prompts, JudgeTexts):
        if "file" in prompts.parts:
            file = prompts.file
        else:
            file = prompts.user
        texts = {key: text.text for key, text in (("system", prompts.system), ("user", prompts.user)) if text}
    if not isinstance(file, TextNode) or not file.text:
        return None, texts
    return draft.file_at(file.text, file.place), texts


def _take_scores(file: WorkspaceFile, draft: Draft) -> None:
    """Take score files: patterns below the folder, or one file with how its columns are read."""
    for section in file.scores:
        columns = ScoreSource(
            path="",
            item=section.item,
            condition=section.condition,
            judges=section.judges,
            criteria=section.criteria,
            criterion=section.criterion,
            cluster=section.cluster,
            label=section.label,
            synthetic=bool(section.synthetic),
            all_items=bool(section.all_items),
            place=section.place,
        )
        for path in _expand(section.path, draft):
            draft.scores.append(replace(columns, path=format_relative(draft.root, path)))
            draft.say(path, "scores")


def _take_sent(file: WorkspaceFile, draft: Draft) -> None:
    for pattern in file.sent:
        for path in _expand(pattern, draft):
            draft.sent.append(format_relative(draft.root, path))
            draft.say(path, "logged requests")


def _take_log_names(file: WorkspaceFile, draft: Draft) -> None:
    """Take what the conditions of logs are here; what whoever opens the workspace says of one counts instead."""
    for log, names in file.logs.items():
        stated = {name: node.text() if node.value is not None else "" for name, node in names.items()}
        stated_names = {name: here for name, here in stated.items() if here is not None}
        draft.log_names[log] = {**stated_names, **draft.log_names.get(log, {})}


def _take_training(file: WorkspaceFile, draft: Draft) -> None:
    for split, patterns in file.training.items():
        for pattern in patterns:
            for path in _expand(pattern, draft):
                add_training_file(draft, path, split, pattern.place)


def _expand(pattern: TextNode | None, draft: Draft) -> Sequence[Path]:
    """Return the files of a pattern; what is wrong with it is reported where it is written."""
    if pattern is None or not pattern.text:
        return ()
    paths, diagnostics = expand(draft.root, pattern.text, pattern.place)
    draft.diagnostics.extend(diagnostics)
    return paths


def _take_criteria(file: WorkspaceFile, draft: Draft) -> None:
    for name, section in file.criteria.items():
        entry = {key: node.value for key, node in section.parts.items() if key != "headline"}
        criterion = from_entry(name, entry)
        if isinstance(criterion, str):
            section.node.wrong(
                f"a scale (a list of numbers, binary, nominal or {{min, max}}), failed: or scores: ({criterion})"
            )
            continue
        draft.criteria[name] = criterion
        if section.headline:
            draft.headline = name


def _take_acronyms(file: WorkspaceFile, draft: Draft) -> None:
    if file.acronyms:
        read_acronyms(file.acronyms, draft)


def _take_comparisons(file: WorkspaceFile, draft: Draft) -> None:
    """Take the pairs of conditions, and report a side that is none of the study's conditions."""
    names = [name for condition in draft.conditions for name in (condition.name, *condition.aliases)]
    for section in file.comparisons:
        pair = {key: getattr(section, key) for key in section.parts}
        draft.comparisons.append(
            {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in pair.items()
                if value is not None
            }
        )
        for side in (section.a, section.b):
            if names and side is not None and side not in names:
                draft.diagnostics.append(describe_unknown_name("condition", side, names, section.place))


def _take_leaks(file: WorkspaceFile, draft: Draft) -> None:
    if file.leaks is None:
        return
    if file.leaks.threshold is None:
        threshold = draft.leaks.threshold
    else:
        threshold = file.leaks.threshold
    phrases = draft.leaks.phrases
    if file.leaks.phrases is not None:
        phrases = tuple(phrase for phrase in file.leaks.phrases if phrase.strip())
    draft.leaks = Leaks(threshold, phrases)


def _take_ignore(file: WorkspaceFile, draft: Draft) -> None:
    for section in file.ignore:
        draft.ignore.append(
            Ignored(section.code or "", section.why or "", section.by or "", section.date or "", section.where)
        )


# Prompts first, since modes may replace them and a model's type matters only to some of them.
SECTIONS: Mapping[str, Callable[[WorkspaceFile, Draft], None]] = {
    "dataset": _take_dataset,
    "options": _take_options,
    "env": _take_environment,
    "prompts": _take_prompts,
    "modes": _take_modes,
    "tasks": _take_tasks,
    "context": _take_context,
    "adapters": _take_adapters,
    "instructions": _take_instructions,
    "serving": _take_serving,
    "models": _take_models,
    "plan": _take_plan,
    "conditions": _take_conditions,
    "judges": _take_judges,
    "scores": _take_scores,
    "sent": _take_sent,
    "logs": _take_log_names,
    "training": _take_training,
    "criteria": _take_criteria,
    "acronyms": _take_acronyms,
    "comparisons": _take_comparisons,
    "leaks": _take_leaks,
    "ignore": _take_ignore,
}

"""Find out what a selection sends: whose texts, by which options, and whether its system message is known.

Ollama puts the SYSTEM of a model's Modelfile before what is sent, and a Modelfile without one inherits that of the
model it is FROM. Where those files are not in the workspace, "none" would be a guess.

Source of the versions: the *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025), the
history of the program that it describes, and the page on prompt assembly of biocypher/karenina.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from readback import adapters
from readback.prompts.builders import choose_builder
from readback.readers.yaml.yaml_file import find_nearest
from readback.sources.options import OPTIONS
from readback.sources.prompt_formats import report_unknown_mode
from readback.sources.verification import list_workspace_runs
from readback.tasks import GENERATION, profile_of
from readback.types import NOWHERE, Diagnostic, Message, Model, Modelfile, Prompt, Selection, Workspace


class SelectedTexts(NamedTuple):
    """Hold what a selection resolves to: whose texts, for which task, through which adapter, for which model."""

    prompt: Prompt
    is_task: bool
    task: str
    adapter: str | None
    model: Model | None


def list_selections(workspace: Workspace) -> tuple[Selection, ...]:
    """List the selections that a check and a picker go through.

    These are the conditions; without any, every mode alone and with each adapter; every task that no condition names,
    likewise, unless the workspace has a configuration under which it does not run; then each condition's judge for its
    answers. A judge of no condition stands alone, unless requests were logged: then its prompts are compared with the
    log for each condition that has answers.
    """
    sending = [condition for condition in workspace.conditions if condition.sends]
    judged_conditions = [condition for condition in workspace.conditions if condition.judge in workspace.judges]
    named_judges = {condition.judge for condition in judged_conditions}
    adapters_or_none = (None, *workspace.adapters)
    modes = () if sending else tuple(workspace.prompts)
    idle_tasks = {
        task_run.task
        for task_run in list_workspace_runs(workspace.configs, profile_of(workspace.options))
        if not task_run.runs
    }
    tasks = [
        task
        for task in workspace.tasks
        if task not in idle_tasks and all(condition.mode or condition.task != task for condition in sending)
    ]
    return (
        *(Selection(condition=condition.name) for condition in sending),
        *(Selection(mode=mode, adapter=adapter) for mode in modes for adapter in adapters_or_none),
        *(Selection(task=task, adapter=adapter) for task in tasks for adapter in adapters_or_none),
        *(Selection(condition=condition.name, judge=condition.judge) for condition in judged_conditions),
        *chain.from_iterable(
            _list_judge_selections(workspace, name) for name in workspace.judges if name not in named_judges
        ),
    )


def _list_judge_selections(workspace: Workspace, name: str) -> Iterable[Selection]:
    """List the selections of a judge that no condition names."""
    if workspace.sent:
        names = [condition.name for condition in workspace.conditions if condition.answers]
    else:
        names = []
    return [Selection(condition=condition, judge=name) for condition in names] or [Selection(judge=name)]


def resolve_selection(workspace: Workspace, choice: Selection) -> SelectedTexts | Diagnostic:
    """Find the texts that a selection (not a judge's) sends, or return the diagnostic that says why there are none.

    What the selection names itself goes before what its condition names.
    """
    if choice.condition:
        condition = workspace.condition(choice.condition)
    else:
        condition = None
    if choice.condition and condition is None:
        return report_unknown_name("condition", choice.condition, [c.name for c in workspace.conditions])
    mode = choice.mode or (condition.mode if condition else None)
    task = choice.task or (condition.task if condition else None)
    adapter = choice.adapter or (condition.adapter if condition else None)
    if condition and condition.model:
        model = workspace.models.get(condition.model)
    else:
        model = None
    if mode:
        prompt = workspace.prompts.get(mode)
        if prompt is None:
            return report_unknown_mode(mode, workspace.prompts, NOWHERE)
        return SelectedTexts(prompt, False, task or GENERATION, adapter, model)
    if task:
        if task not in workspace.tasks:
            return report_unknown_name("task", task, workspace.tasks)
        return SelectedTexts(workspace.tasks[task], True, task, adapter, model)
    name = condition.name if condition else ""
    return Diagnostic("asm-no-user-text", {"name": name}, condition.place if condition else NOWHERE, name)


def report_unknown_name(kind: str, name: str, available: Iterable[str]) -> Diagnostic:
    """Make the diagnostic for a name that the workspace does not have."""
    names = sorted(available)
    values = {"kind": kind, "name": name, "nearest": find_nearest(name, names) or "", "known": ", ".join(names)}
    return Diagnostic("dat-unknown-name", values, flagged=name)


def report_unknown_interface(name: str, workspace: Workspace) -> Diagnostic:
    """Make the diagnostic for an adapter that is neither the workspace's nor a shipped one."""
    names = sorted({**adapters.load_shipped(), **workspace.adapters})
    values = {"interface": name, "nearest": find_nearest(name, names) or "", "known": ", ".join(names)}
    return Diagnostic("asm-unknown-interface", values, flagged=name)


NOTHING_BUILT = "nothing could be built of the first record"
OLLAMA = "ollama"  # provider of a model's settings
WEIGHTS = (".gguf", ".bin", ".safetensors")  # files of weights alone, which bring no system message


def explain_unknown_system(workspace: Workspace, choice: Selection, messages: tuple[Message, ...]) -> str | None:
    """Return why it is not known which system message the model gets; None where it is known, or known that there is
    none.
    """
    if choice.judge or any(message.role == "system" for message in messages):
        return None
    texts = resolve_selection(workspace, choice)
    if isinstance(texts, Diagnostic):
        return None
    if not messages:
        return NOTHING_BUILT
    if texts.model and texts.prompt.system is None and _is_served(texts, texts.model):
        return explain_model_system(texts.model)
    return None


def explain_model_system(model: Model) -> str | None:
    """Return why a model's own system message is not known, or None where a file states it or excludes it."""
    if model.training or (model.modelfile and model.modelfile.system is not None):
        return None
    if model.modelfile_lost:
        return f"its Modelfile ({model.modelfile_lost}) cannot be read"
    if model.modelfile is None:
        return f"no Modelfile of {model.name} is among the files"
    if model.base:
        base = None
    else:
        base = _find_base(model.modelfile)
    if base:
        return f"its Modelfile states none, and {base}, which it builds on, is not among the files"
    return None


def _is_served(texts: SelectedTexts, model: Model) -> bool:
    """Tell whether a server like Ollama serves the model, which adds a system message of its own."""
    if model.chat_template or model.chat_format:
        return False
    provider = str(model.settings.get("provider") or "").strip().lower()
    return (
        model.modelfile is not None
        or model.modelfile_lost is not None
        or provider == OLLAMA
        or (texts.prompt.syntax == "builder" and not provider)
    )


def _find_base(modelfile: Modelfile) -> str | None:
    """Return the model that a Modelfile builds on; None for a file of weights."""
    base = next((args.strip() for name, args, _ in reversed(modelfile.commands) if name == "model"), "")
    is_file = base.startswith((".", "/", "~")) or base.lower().endswith(WEIGHTS)
    if is_file or not base:
        return None
    return base


VERSIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "condition4": {"hybrid": "the document", "standard": "the current program"},
        "closed_book": {
            "no_citations": "the program from 98 minutes after the document's first commit until the document went",
            "short": "the program in the very commit that brought the document",
        },
        "spacing": {
            "program": "the program's builder, which the document names as the definition",
            "document": "the document as it is printed",
        },
        "placeholders": {"braces": "current rubrics: {{QUESTION}}", "bare": "older rubrics: QUESTION"},
        "assembly_profile": {"document": "the document", "current": "the current program"},
    }
)
BUILT = {"closed_book": ("closed_book",), "hybrid": ("condition4", "spacing")}  # by builder: what it asks


@dataclass(frozen=True, slots=True)
class Variant:
    """Hold an option with its value in force, the version of that, and its alternatives as (value, version)."""

    option: str
    value: str
    version: str
    others: tuple[tuple[str, str], ...]

    @property
    def sentence(self) -> str:
        """Return `closed_book: short, as in the program …; or no_citations, as in the program …`."""
        others = (f"; or {value}, as in {version}" for value, version in self.others)
        return f"{self.option}: {self.value}, as in {self.version}{''.join(others)}"


def list_variants(workspace: Workspace, choice: Selection) -> tuple[Variant, ...]:
    """List the options that make the text of a selection; none where only one way to make it is known."""
    return tuple(_make_variant(name, workspace) for name in dict.fromkeys(_list_options(workspace, choice)))


def _list_options(workspace: Workspace, choice: Selection) -> Iterator[str]:
    """Yield the options that have a part in a selection's text."""
    if choice.judge:
        judge = workspace.judges.get(choice.judge)
        if judge and judge.syntax == "placeholder":
            yield "placeholders"
        return
    texts = resolve_selection(workspace, choice)
    if isinstance(texts, Diagnostic):
        return
    if texts.prompt.syntax == "builder":
        name, kind = texts.prompt.template or texts.prompt.mode, texts.model.type if texts.model else None
        builder = choose_builder(name, kind, workspace.options)
        yield from BUILT.get(builder, ())
        if builder == "standard" and name != "standard":
            yield "condition4"
    if texts.adapter:
        yield "assembly_profile"


def _make_variant(name: str, workspace: Workspace) -> Variant:
    """Make the variant of an option from the workspace's value and the versions of the others."""
    value, versions = workspace.options.get(name, OPTIONS[name][0]), VERSIONS[name]
    alternatives = tuple((alternative, versions[alternative]) for alternative in OPTIONS[name] if alternative != value)
    return Variant(name, value, versions[value], alternatives)


def find_model(workspace: Workspace, choice: Selection) -> Model | None:
    """Return the model that a selection is sent to; None for a judge's, whose model is another one."""
    if choice.condition and not choice.judge:
        condition = workspace.condition(choice.condition)
    else:
        condition = None
    if condition and condition.model:
        return workspace.models.get(condition.model)
    return None

"""Assemble the messages that are sent for a record under a selection, each character with its origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from readback import adapters
from readback.prompts.adapter_texts import AdapterTexts, render_additions
from readback.prompts.albert import insert_albert_history
from readback.prompts.base_texts import build_base_texts
from readback.prompts.generation import add_examples, begin_call, insert_turns
from readback.prompts.judge_messages import build_judge_messages
from readback.prompts.judge_values import Rows, has_answer
from readback.prompts.messages import Segments, compute_fingerprint, join_texts, make_messages
from readback.prompts.project_messages import build_project_messages
from readback.prompts.request_settings import resolve_program
from readback.prompts.selections import (
    SelectedTexts,
    report_unknown_interface,
    report_unknown_name,
    resolve_selection,
)
from readback.records.fields.field_path import split_path
from readback.records.fields.row_messages import build_row_messages
from readback.records.replies.logged_calls import build_logged_messages, find_others
from readback.serving.merge_roles import is_gemma, merge_roles
from readback.sources.instruction_keys import instruction_for, key_for
from readback.sources.templates.plain_prompts import ROW_MESSAGES, SYSTEM_ALONE
from readback.tasks import GENERATION, profile_of
from readback.types import (
    NOWHERE,
    Adapter,
    Answer,
    Assembly,
    Condition,
    Diagnostic,
    Location,
    Message,
    Model,
    Prompt,
    Record,
    Segment,
    Selection,
    Values,
    VariableUse,
    Workspace,
)


def assemble(
    workspace: Workspace,
    record: Record,
    choice: Selection,
    answer: Answer | None = None,
    extra: Values | None = None,
    *,
    origins: bool = True,
    marked: bool = True,
) -> Assembly:
    """Assemble the messages for `record` under `choice`; `extra` are values that replace the record's.

    Never raises for what is wrong with the input: then there are diagnostics, and no messages where none can be built.
    `answer` is what the selection's condition replied, for a judge. Without `origins` the texts are the same, but who
    wrote which stretch of a mode's or a task's text is not worked out, nor what became of its variables: that costs
    more than the text does. Whose words an adapter's text is in is told in either case. `marked`: with a fingerprint.
    """
    replacements = dict(extra or {})
    if choice.judge is not None and choice.condition is not None:
        replacements.pop("answer", None)  # an answer that is tried is the condition's: the record keeps its own
    record = apply_values(workspace, record, replacements)
    if choice.judge is not None:
        built = _build_for_judge(workspace, record, choice, answer, extra or {})
    elif (logged := _find_logged(workspace, choice)) is not None:
        messages, diagnostics = build_logged_messages(
            workspace.root, logged, record, find_others(logged, workspace.conditions)
        )
        built = _Built(messages, diagnostics=diagnostics)
    elif (prompt := _find_project_prompt(workspace, choice)) is not None:
        if choice.condition:
            condition = workspace.condition(choice.condition)
        else:
            condition = None
        messages, diagnostics = build_project_messages(prompt, record, condition.model if condition else None)
        built = _Built(messages, diagnostics=diagnostics)
    else:
        built = _build_sent(workspace, record, choice, origins)
    if built.messages and marked:
        fingerprint = compute_fingerprint(built.messages)
    else:
        fingerprint = ""
    masked = record.masked or bool(answer and answer.masked and choice.judge is not None)
    return Assembly(
        choice,
        record.id,
        record.place.index,
        built.messages,
        fingerprint,
        built.names,
        built.diagnostics,
        masked,
        built.uses,
    )


def _find_logged(workspace: Workspace, choice: Selection) -> Condition | None:
    """Return the condition of a selection whose messages are in a log, because no file says how they are assembled."""
    if choice.condition is None or choice.mode or choice.task:
        return None
    condition = workspace.condition(choice.condition)
    if condition is not None and condition.logged and not condition.mode:
        return condition
    return None


def _find_project_prompt(workspace: Workspace, choice: Selection) -> Prompt | None:
    """Return the prompt of a selection that is one of another tool's project."""
    if choice.condition:
        condition = workspace.condition(choice.condition)
    else:
        condition = None
    mode = choice.mode or (condition.mode if condition else None)
    if mode:
        prompt = workspace.prompts.get(mode)
    else:
        prompt = None
    if prompt is not None and prompt.project is not None:
        return prompt
    return None


class _Built(NamedTuple):
    """Messages with the names that their templates read, diagnostics, and what became of the names."""

    messages: tuple[Message, ...] = ()
    names: tuple[tuple[str, Location], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    uses: tuple[VariableUse, ...] = ()


class Texts(NamedTuple):
    """The system and the user text before an interface's roles are known; None where nothing can be built."""

    selected: SelectedTexts | None
    system: Segments | None
    user: Segments | None
    turns: tuple[Message, ...] = ()
    adapter: Adapter | None = None
    names: tuple[tuple[str, Location], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    uses: tuple[VariableUse, ...] = ()


def build_texts(workspace: Workspace, record: Record, choice: Selection, origins: bool = True) -> Texts:
    """Build the system and the user text of template, examples, adapter and user instruction, with nothing folded."""
    selected = resolve_selection(workspace, choice)
    if isinstance(selected, Diagnostic):
        return Texts(None, None, None, diagnostics=(selected,))
    base = build_base_texts(
        selected.prompt,
        record,
        selected.model,
        workspace.options,
        selected.is_task,
        workspace.acronyms,
        workspace.acronym_places,
        origins=origins,
    )
    profile = profile_of(workspace.options)
    if selected.adapter:
        adapter = adapters.find_adapter(selected.adapter, workspace.adapters, profile)
    else:
        adapter = None
    addition = AdapterTexts()
    if adapter and base.ok:
        addition = render_additions(workspace, adapter, selected.task, record.fields)
    diagnostics = [_lower_unfilled(workspace, diagnostic) for diagnostic in base.diagnostics]
    diagnostics += addition.diagnostics
    uses = base.uses + addition.uses
    if selected.adapter and adapter is None:
        diagnostics.insert(0, report_unknown_interface(selected.adapter, workspace))
    if not (base.ok and addition.ok):
        return Texts(selected, None, None, (), adapter, base.names, tuple(diagnostics), uses)
    start = begin_call(base.system, selected, record)
    diagnostics += start.diagnostics
    question = base.user
    if selected.is_task and selected.task == GENERATION:
        with_examples = add_examples(workspace, choice, record, base.user)
        diagnostics += with_examples.diagnostics
        if not with_examples.ok:
            return Texts(selected, None, None, (), adapter, base.names, tuple(diagnostics), uses)
        question = with_examples.user
    instruction = _make_instruction(workspace, selected.task)
    system, user = join_texts(start.system, question, addition.parts, instruction)
    return Texts(selected, system, user, start.turns, adapter, base.names, tuple(diagnostics), uses)


def _build_sent(workspace: Workspace, record: Record, choice: Selection, origins: bool) -> _Built:
    """Build the messages that are sent for a mode or a task."""
    field = _find_messages_field(workspace, choice)
    if field is not None:
        messages, faults = build_row_messages(record, field)
        use = VariableUse(field, "present" if messages else "missing")
        return _Built(messages, ((field, NOWHERE),), faults, (use,))
    texts = build_texts(workspace, record, choice, origins)
    selected, system, user, adapter = texts.selected, texts.system, texts.user, texts.adapter
    diagnostics = list(texts.diagnostics)
    if selected is None or system is None or user is None:
        return _Built((), texts.names, texts.diagnostics, texts.uses)
    system_role = adapter is None or adapters.takes_system_role(adapter, workspace.adapters)
    messages = insert_turns(make_messages(system, user, system_role), texts.turns)
    if not user and selected.prompt.settings.get(SYSTEM_ALONE) and len(messages) > 1:
        messages = messages[:-1]  # the user's text is not empty: it is not known yet
    if system and adapter and not system_role:
        end = sum(len(segment.text) for segment in system)
        place = Location(role="user", start=0, end=end)
        diagnostics.append(Diagnostic("asm-system-folded", {"adapter": adapter.name, "characters": end}, place))
        diagnostics += _check_system_twice(selected.model, adapter, system, place)
    program = resolve_program(workspace, selected.prompt)
    if program.albert:
        sent = insert_albert_history(messages, selected, program, record)
        messages = sent.messages
        diagnostics += sent.diagnostics
        if program.dialect == "current":
            messages = merge_roles(messages, system_role=not is_gemma(selected.model))
    if workspace.options.get("merge_roles") == "gemma":
        messages = merge_roles(messages)
    return _Built(messages, texts.names, tuple(diagnostics), texts.uses)


def _find_messages_field(workspace: Workspace, choice: Selection) -> str | None:
    """Return the field of the record that holds the messages of a mode; None where a template makes them."""
    selected = resolve_selection(workspace, choice)
    if isinstance(selected, Diagnostic):
        field = None
    else:
        field = selected.prompt.settings.get(ROW_MESSAGES)
    if isinstance(field, str):
        return field
    return None


def _check_system_twice(
    model: Model | None, adapter: Adapter, system: Segments, place: Location
) -> Iterator[Diagnostic]:
    """Report that Ollama puts the Modelfile's SYSTEM before a user message that begins with the system text.

    It does so because no message of the request is a system message.
    """
    modelfile = model.modelfile if model else None
    if model is None or modelfile is None or not modelfile.system:
        return
    template = modelfile.template
    if template is not None and "System" not in template and "Messages" not in template:
        return
    is_same = "".join(segment.text for segment in system).startswith(modelfile.system)
    values = {
        "adapter": adapter.name,
        "model": model.name,
        "file": modelfile.place.file or "Modelfile",
        "read": "the same system text twice" if is_same else "two system texts",
    }
    yield Diagnostic("asm-system-twice", values, place, f"{adapter.name}\n{model.name}")


def _lower_unfilled(workspace: Workspace, diagnostic: Diagnostic) -> Diagnostic:
    """Lower a diagnostic to information where a template lacks a value and no dataset gives any."""
    reason = str(diagnostic.values.get("reason", ""))
    is_undefined = diagnostic.code == "alb-render-error" and reason.endswith("is undefined")
    if workspace.dataset is None and (is_undefined or _lacks_value(diagnostic)):
        return replace(diagnostic, severity="info")
    return diagnostic


def _lacks_value(diagnostic: Diagnostic) -> bool:
    """Tell whether a diagnostic is about a plain name of a format template that has no value."""
    return diagnostic.code == "jdg-format-field" and str(diagnostic.values.get("field", "")).isidentifier()


def apply_values(workspace: Workspace, record: Record, extra: Values) -> Record:
    """Return the record with values that somebody tries; a field's value also counts for variables mapped to it."""
    if not extra:
        return record
    if workspace.dataset:
        fields = workspace.dataset.fields
    else:
        fields = {}
    mapped = {name: extra[field] for name, field in fields.items() if field in extra}
    return replace_values(record, {**mapped, **extra})


def _build_for_judge(
    workspace: Workspace, record: Record, choice: Selection, answer: Answer | None, extra: Values
) -> _Built:
    """Build a judge's messages about the answer of a condition, or about the record's own."""
    judge = workspace.judges.get(choice.judge or "")
    if judge is None:
        return _Built(diagnostics=(report_unknown_name("judge", choice.judge or "", workspace.judges),))
    if choice.condition:
        condition = workspace.condition(choice.condition)
    else:
        condition = None
    if choice.condition and condition is None:
        names = [condition.name for condition in workspace.conditions]
        return _Built(diagnostics=(report_unknown_name("condition", choice.condition, names),))
    if workspace.options.get("placeholders") == "bare" and judge.syntax == "placeholder":
        judge = replace(judge, bare=True)
    if workspace.dataset:
        mapped = workspace.dataset.fields
    else:
        mapped = {}
    reference = condition is not None and not (condition.mode or condition.task)
    built = _Built(*build_judge_messages(judge, record, choice.condition, answer, extra, mapped, reference))
    if answer is not None:
        return built
    if condition is not None:
        is_run = condition.answers is not None
    else:
        is_run = has_answer(Rows(judge, record, None, answer, extra, mapped))
    if is_run:
        return built
    diagnostics = [_lower_unanswered(diagnostic, condition is not None) for diagnostic in built.diagnostics]
    return built._replace(diagnostics=tuple(diagnostics))


def _lower_unanswered(diagnostic: Diagnostic, has_condition: bool) -> Diagnostic:
    """Lower a diagnostic to information where nothing is answered yet: what comes with the answer is not missing."""
    if _lacks_value(diagnostic) or (has_condition and diagnostic.code == "jdg-no-answer"):
        return replace(diagnostic, severity="info")
    return diagnostic


def _make_instruction(workspace: Workspace, task: str) -> Segments:
    """Return the user instruction for a task: plain text, as it is."""
    text = instruction_for(task, workspace.instructions)
    if not text:
        return ()
    key = key_for(task, workspace.instructions)
    return (Segment(text, "instruction", key, workspace.instruction_places.get(key or "", NOWHERE)),)


def replace_values(record: Record, extra: Values) -> Record:
    """Return the record with `extra` in place; a dotted name (`rag.prompt`) reaches into an object the record has."""
    if not extra:
        return record
    fields: dict[str, Any] = dict(record.fields)
    for name, value in extra.items():
        path = split_path(name)
        is_nested = len(path) > 1 and name not in fields and isinstance(fields.get(path[0]), Mapping | list)
        if is_nested:
            fields[path[0]] = _put_value(fields[path[0]], path[1:], value)
        else:
            fields[name] = value
    return replace(record, fields=fields)


def _put_value(container: Any, path: Sequence[str], value: Any) -> Any:
    """Copy `container` with `value` at `path`; missing objects are made, an index beyond a list changes nothing."""
    if not path:
        return value
    step, *rest = path
    if isinstance(container, list):
        items = list(container)
        if step.isdecimal() and int(step) < len(items):
            items[int(step)] = _put_value(items[int(step)], rest, value)
        return items
    if isinstance(container, Mapping):
        fields = dict(container)
    else:
        fields = {}
    return {**fields, step: _put_value(fields.get(step), rest, value)}

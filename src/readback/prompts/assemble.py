"""From a record and a choice to the messages that are sent, each character with its origin."""

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
from readback.prompts.request_settings import resolve_program
from readback.prompts.selections import (
    SelectedTexts,
    report_unknown_interface,
    report_unknown_name,
    resolve_selection,
)
from readback.records.field_path import split_path
from readback.serving.merge_roles import is_gemma, merge_roles
from readback.sources.instruction_keys import instruction_for, key_for
from readback.sources.plain_prompts import SYSTEM_ALONE
from readback.tasks import GENERATION, profile_of
from readback.types import (
    NOWHERE,
    Adapter,
    Answer,
    Assembly,
    Diagnostic,
    Location,
    Message,
    Model,
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
    """The messages for `record` under `choice`; `extra` are values that replace the record's.

    Never raises for what is wrong with the input: then there are notes, and no messages where none can be built.
    `answer` is what the choice's condition replied, for a judge. Without `origins` the texts are the same, and who
    wrote which stretch of a mode's or a task's text is not worked out, nor what became of its variables: that costs
    more than the text does. Whose words an adapter's text is in is told in either case. `marked`: with a fingerprint.
    """
    replies = choice.judge is not None and choice.condition is not None
    kept = {name: value for name, value in (extra or {}).items() if name != "answer" or not replies}
    record = apply_values(
        workspace, record, kept
    )  # an answer that is tried is the condition's: the record keeps its own
    if choice.judge is not None:
        messages, names, diagnostics, uses = _judged(workspace, record, choice, answer, extra or {})
    else:
        messages, names, diagnostics, uses = _sent(workspace, record, choice, origins)
    return Assembly(
        choice,
        record.id,
        record.place.index,
        messages,
        compute_fingerprint(messages) if messages and marked else "",
        names,
        diagnostics,
        record.masked or bool(answer and answer.masked and choice.judge is not None),
        uses,
    )


Made = tuple[tuple[Message, ...], tuple[tuple[str, Location], ...], tuple[Diagnostic, ...], tuple[VariableUse, ...]]


class Texts(NamedTuple):
    """The system and the user text before an interface's roles are known; None where nothing can be built."""

    own: SelectedTexts | None
    system: Segments | None
    user: Segments | None
    turns: tuple[Message, ...] = ()
    adapter: Adapter | None = None
    names: tuple[tuple[str, Location], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    uses: tuple[VariableUse, ...] = ()


def build_texts(workspace: Workspace, record: Record, choice: Selection, origins: bool = True) -> Texts:
    """What the template, the examples, the adapter and the user's instructions say, with nothing folded."""
    own = resolve_selection(workspace, choice)
    if isinstance(own, Diagnostic):
        return Texts(None, None, None, diagnostics=(own,))
    base = build_base_texts(
        own.prompt,
        record,
        own.model,
        workspace.options,
        own.is_task,
        workspace.acronyms,
        workspace.acronym_places,
        origins=origins,
    )
    profile = profile_of(workspace.options)
    adapter = adapters.find_adapter(own.adapter, workspace.adapters, profile) if own.adapter else None
    addition = render_additions(workspace, adapter, own.task, record.fields) if adapter and base.ok else AdapterTexts()
    diagnostics, uses = (
        [*(_weighed(workspace, diagnostic) for diagnostic in base.diagnostics), *addition.diagnostics],
        base.uses + addition.uses,
    )
    if own.adapter and adapter is None:
        diagnostics.insert(0, report_unknown_interface(own.adapter, workspace))
    if not (base.ok and addition.ok):
        return Texts(own, None, None, (), adapter, base.names, tuple(diagnostics), uses)
    begun = begin_call(base.system, own, record)
    diagnostics += begun.diagnostics
    asked = add_examples(workspace, choice, record, base.user) if own.is_task and own.task == GENERATION else None
    if asked:
        diagnostics += asked.diagnostics
        if not asked.ok:
            return Texts(own, None, None, (), adapter, base.names, tuple(diagnostics), uses)
    question = asked.user if asked else base.user
    system, user = join_texts(begun.system, question, addition.parts, _instruction(workspace, own.task))
    return Texts(own, system, user, begun.turns, adapter, base.names, tuple(diagnostics), uses)


def _sent(workspace: Workspace, record: Record, choice: Selection, origins: bool) -> Made:
    own, system, user, turns, adapter, names, said, uses = build_texts(workspace, record, choice, origins)
    diagnostics = list(said)
    if own is None or system is None or user is None:
        return (), names, said, uses
    system_role = adapter is None or adapters.takes_system_role(adapter, workspace.adapters)
    messages = insert_turns(make_messages(system, user, system_role), turns)
    if not user and own.prompt.settings.get(SYSTEM_ALONE) and len(messages) > 1:
        messages = messages[:-1]  # the user's text is no empty one: it is not known yet
    if system and adapter and not system_role:
        end = sum(len(segment.text) for segment in system)
        values = {"adapter": adapter.name, "characters": end}
        place = Location(role="user", start=0, end=end)
        diagnostics.append(Diagnostic("asm-system-folded", values, place))
        diagnostics += _served_again(own.model, adapter, system, place)
    sender = resolve_program(workspace, own.prompt)
    if sender.albert:
        sent = insert_albert_history(messages, own, sender, record)
        messages = sent.messages
        diagnostics += sent.diagnostics
        if sender.dialect == "current":
            messages = merge_roles(messages, system_role=not is_gemma(own.model))
    if workspace.options.get("merge_roles") == "gemma":
        messages = merge_roles(messages)
    return messages, names, tuple(diagnostics), uses


def _served_again(model: Model | None, adapter: Adapter, system: Segments, place: Location) -> Iterator[Diagnostic]:
    """Say that Ollama puts the Modelfile's SYSTEM before a user message that begins with the system text: no message
    of the request is a system message, so it does.
    """
    modelfile = model.modelfile if model else None
    if model is None or modelfile is None or not modelfile.system:
        return
    template = modelfile.template
    if template is not None and "System" not in template and "Messages" not in template:
        return
    same = "".join(segment.text for segment in system).startswith(modelfile.system)
    values = {
        "adapter": adapter.name,
        "model": model.name,
        "file": modelfile.place.file or "Modelfile",
        "read": "the same system text twice" if same else "two system texts",
    }
    yield Diagnostic("asm-system-twice", values, place, f"{adapter.name}\n{model.name}")


def _weighed(workspace: Workspace, diagnostic: Diagnostic) -> Diagnostic:
    """A template that fails on a name without a value is no fault yet where no dataset gives any."""
    undefined = diagnostic.code == "alb-render-error" and str(diagnostic.values.get("reason", "")).endswith(
        "is undefined"
    )
    return (
        replace(diagnostic, severity="info")
        if workspace.dataset is None and (undefined or _unfilled(diagnostic))
        else diagnostic
    )


def _unfilled(diagnostic: Diagnostic) -> bool:
    """Whether a format template's plain name has no value."""
    return diagnostic.code == "jdg-format-field" and str(diagnostic.values.get("field", "")).isidentifier()


def apply_values(workspace: Workspace, record: Record, extra: Values) -> Record:
    """The record with values that somebody tries; a value for a field is one for the variables mapped to it, too."""
    if not extra:
        return record
    fields = workspace.dataset.fields if workspace.dataset else {}
    return replace_values(record, {**{name: extra[field] for name, field in fields.items() if field in extra}, **extra})


def _judged(workspace: Workspace, record: Record, choice: Selection, answer: Answer | None, extra: Values) -> Made:
    judge = workspace.judges.get(choice.judge or "")
    if judge is None:
        return (), (), (report_unknown_name("judge", choice.judge or "", workspace.judges),), ()
    condition = workspace.condition(choice.condition) if choice.condition else None
    if choice.condition and condition is None:
        return (), (), (report_unknown_name("condition", choice.condition, [c.name for c in workspace.conditions]),), ()
    if workspace.options.get("placeholders") == "bare" and judge.syntax == "placeholder":
        judge = replace(judge, bare=True)
    mapped = workspace.dataset.fields if workspace.dataset else None
    reference = condition is not None and not (condition.mode or condition.task)
    messages, names, diagnostics, uses = build_judge_messages(
        judge, record, choice.condition, answer, extra, mapped or {}, reference
    )
    rows = Rows(judge, record, None, answer, extra, mapped or {})
    if answer is None and (condition.answers is None if condition else not has_answer(rows)):
        diagnostics = tuple(_not_run(diagnostic, condition is not None) for diagnostic in diagnostics)
    return messages, names, diagnostics, uses


def _not_run(diagnostic: Diagnostic, of_condition: bool) -> Diagnostic:
    """Where nothing is answered yet: what comes with the answer (its context, say) is not missing."""
    return (
        replace(diagnostic, severity="info")
        if _unfilled(diagnostic) or (of_condition and diagnostic.code == "jdg-no-answer")
        else diagnostic
    )


def _instruction(workspace: Workspace, task: str) -> Segments:
    """The user instruction for a task: plain text, as it is."""
    text = instruction_for(task, workspace.instructions)
    if not text:
        return ()
    key = key_for(task, workspace.instructions)
    return (Segment(text, "instruction", key, workspace.instruction_places.get(key or "", NOWHERE)),)


# Values that stand in for a record's own while somebody tries them out.


def replace_values(record: Record, extra: Values) -> Record:
    """The record with `extra` in place; a dotted name (`rag.prompt`) reaches into an object the record has."""
    if not extra:
        return record
    fields: dict[str, Any] = dict(record.fields)
    for name, value in extra.items():
        path = split_path(name)
        inside = len(path) > 1 and name not in fields and isinstance(fields.get(path[0]), Mapping | list)
        if inside:
            fields[path[0]] = _put(fields[path[0]], path[1:], value)
        else:
            fields[name] = value
    return replace(record, fields=fields)


def _put(inner: Any, path: Sequence[str], value: Any) -> Any:
    """A copy of `inner` with `value` at `path`; objects on the way are made, an index beyond a list changes nothing."""
    if not path:
        return value
    step, *rest = path
    if isinstance(inner, list):
        at = int(step) if step.isdecimal() else -1
        return [_put(one, rest, value) if i == at else one for i, one in enumerate(inner)]
    own = dict(inner) if isinstance(inner, Mapping) else {}
    return {**own, step: _put(own.get(step), rest, value)}

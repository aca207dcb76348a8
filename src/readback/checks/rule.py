"""Describe a rule: its words, its logic, and what must hold before it can find anything.

A module of a rule may list names under NEEDS. A name is a promise: where it does not hold, the rule finds nothing.
Most hold for a whole workspace or for a choice, so the rule is not called for each record to find that out again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any

from readback.checks.facts import stored_prompt
from readback.types import Model, Prompt, RuleContext, Selection, Severity, Workspace

Files = Mapping[str, str | bytes]  # a small workspace: file name -> content
Needs = Mapping[str, tuple[str, ...]]  # names by what is looked at
ALONE = Selection()  # the choice of a record by itself


@dataclass(frozen=True, slots=True)
class Rule:
    """A code with its words and its logic.

    `on` says what the rule looks at: some of load, workspace, record, assembly, dataset; readers of files raise the
    diagnostics of `load`. `logic` has `check(case)`, or `marks` and `repeats` for dataset, and perhaps `once`; it is
    None for load alone. `passes` and `fails` are small workspaces without and with the fault.
    """

    code: str
    severity: Severity
    on: tuple[str, ...]
    title: str
    paragraphs: tuple[str, ...]  # what the rule finds, why it matters, how to fix it
    sentence: str
    fix: str
    passes: tuple[Files, ...]
    fails: tuple[Files, ...]
    because: Mapping[str, str] = field(default_factory=dict)  # why a finding has another severity, by that severity
    needs: Needs = field(default_factory=dict)  # by what is looked at: what must hold before it finds anything
    alike: tuple[str, ...] = ()  # values: findings of records in one condition that share them are one, with its count
    of_a_row: bool = False  # a row lacks something: the rule reports nothing where there is no row
    logic: Any = None


def build_rule(code: str, entry: Mapping[str, Any], logic: Any = None) -> Rule:
    """Return a rule whose words are in the catalogue; `logic` is its module, which then has its examples."""
    kinds = _list_kinds(logic.ON if logic else "load")
    if logic:
        passes, fails = logic.PASS, logic.FAIL
    else:
        passes, fails = _read_examples(entry["pass"]), _read_examples(entry["fail"])
    return Rule(
        code=code,
        severity=entry["severity"],
        on=kinds,
        needs=read_needs(getattr(logic, "NEEDS", {}), kinds),
        title=entry["title"],
        paragraphs=(entry["what"], entry["why"], entry["how"]),
        sentence=entry["sentence"],
        fix=entry["fix"],
        passes=passes,
        fails=fails,
        because=entry.get("because", {}),
        alike=tuple(entry.get("alike", ())),
        of_a_row=entry.get("of_a_row", False),
        logic=logic,
    )


def build_plugin_rule(module: Any) -> Rule:
    """Return a rule of another package, whose module also has its words: in its docstring, SENTENCE and FIX."""
    title, *paragraphs = (" ".join(paragraph.split()) for paragraph in cleandoc(module.__doc__).split("\n\n"))
    return Rule(
        code=module.CODE,
        severity=module.SEVERITY,
        on=_list_kinds(module.ON),
        needs=read_needs(getattr(module, "NEEDS", {}), _list_kinds(module.ON)),
        title=title,
        paragraphs=tuple(paragraphs),
        sentence=module.SENTENCE,
        fix=module.FIX,
        passes=tuple(getattr(module, "PASS", ())),
        fails=tuple(getattr(module, "FAIL", ())),
        because=getattr(module, "BECAUSE", {}),
        alike=tuple(getattr(module, "ALIKE", ())),
        of_a_row=getattr(module, "OF_A_ROW", False),
        logic=module,
    )


def _list_kinds(on: str | Sequence[str]) -> tuple[str, ...]:
    if isinstance(on, str):
        return (on,)
    return tuple(on)


def _read_examples(examples: Sequence[Mapping[str, Any]]) -> tuple[Files, ...]:
    return tuple({name: _read_content(content) for name, content in files.items()} for files in examples)


def _read_content(content: Any) -> str | bytes:
    """Return a file's content; a text that is too long to write out is {times, text, end}."""
    if isinstance(content, Mapping):
        return str(content["text"]) * int(content["times"]) + str(content["end"])
    whole: str | bytes = content
    return whole


# What a rule needs.


def _has_albert(opened: Workspace, choice: Selection) -> bool:
    if any(config.dialect == "albert" for config in opened.configs):
        return True
    prompts = (*opened.prompts.values(), *opened.tasks.values())
    return any(prompt.settings.get("dialect") == "albert" for prompt in prompts)


def _has_template(opened: Workspace, choice: Selection) -> bool:
    if choice.judge:
        prompt = None
    else:
        prompt = _find_prompt(opened, choice)
    return prompt is not None and prompt.syntax != "builder"


def _has_builder(opened: Workspace, choice: Selection) -> bool:
    if choice.judge:
        prompt = None
    else:
        prompt = _find_prompt(opened, choice)
    return prompt is not None and prompt.syntax == "builder"


def _find_prompt(opened: Workspace, choice: Selection) -> Prompt | None:
    if choice.condition:
        condition = opened.condition(choice.condition)
    else:
        condition = None
    mode, task = choice.mode or (condition and condition.mode), choice.task or (condition and condition.task)
    if mode:
        return opened.prompts.get(mode)
    return opened.tasks.get(task or "")


def _has_modelfile(case: RuleContext) -> bool:
    model = _find_model(case)
    return model is not None and model.modelfile is not None


def _has_training(case: RuleContext) -> bool:
    """Whether the training text of the row is known, or the model was trained on a file of rows."""
    if case.trained is not None:
        return True
    model = _find_model(case)
    return model is not None and model.training_messages is not None


def _find_model(case: RuleContext) -> Model | None:
    """Return the model that gets what is sent; None for a judge and where no condition names one."""
    if case.assembly:
        choice = case.assembly.choice
    else:
        choice = ALONE
    if choice.condition and not choice.judge:
        condition = case.workspace.condition(choice.condition)
    else:
        condition = None
    if condition:
        return case.workspace.models.get(condition.model or "")
    return None


# What holds for a choice, whatever the record.
OF_CHOICE: Mapping[str, Callable[[Workspace, Selection], bool]] = {
    "albert": _has_albert,  # a configuration or a prompt of Albert
    "builder": _has_builder,  # a built-in format makes the messages
    "judge": lambda opened, choice: choice.judge is not None,  # a judge's messages
    "stored prompt": lambda opened, choice: stored_prompt.is_unsent(
        opened
    ),  # nothing sends it: rules look at the record
    "template": _has_template,  # a template of a mode or task makes the messages
    "training rows": lambda opened, choice: bool(opened.training),
}
# What holds for a case: what is known beside its messages.
OF_CASE: Mapping[str, Callable[[RuleContext], bool]] = {
    "answer": lambda case: case.answer is not None,
    "model input": lambda case: case.model_input is not None,
    "modelfile": _has_modelfile,
    "tokens": lambda case: case.tokens is not None,
    "trained": _has_training,
}
NAMES = frozenset({*OF_CHOICE, *OF_CASE})


def read_needs(needs: Any, kinds: Collection[str]) -> Needs:
    """Return NEEDS of a module, by what is looked at. It may be a name, several, or such a mapping.

    Raises ValueError where a name is unknown or the rule does not look at that.
    """
    if isinstance(needs, Mapping):
        by_kind = needs
    else:
        by_kind = dict.fromkeys(kinds, needs)
    names_by_kind = {kind: (names,) if isinstance(names, str) else tuple(names) for kind, names in by_kind.items()}
    for kind, names in names_by_kind.items():
        if kind not in kinds or not NAMES.issuperset(names):
            raise ValueError(f"NEEDS has {', '.join(map(repr, names))} for {kind!r}; known: {', '.join(sorted(NAMES))}")
    return names_by_kind


class RuleFilter:
    """The rules that can find something in a workspace, decided once for each choice and each kind of case."""

    def __init__(self, opened: Workspace, rules: Iterable[tuple[str, Rule]]) -> None:
        """Take `rules`, each with the kind of thing that it is called for."""
        self.opened, self.rules = opened, tuple(rules)
        self._by_case: dict[tuple[Any, ...], tuple[Rule, ...]] = {}

    def list_rules(self, case: RuleContext, on: str) -> tuple[Rule, ...]:
        """Return those that may find something in the case, in their order."""
        if case.assembly:
            choice = case.assembly.choice
        else:
            choice = ALONE
        holds = tuple(name for name, holds_for in OF_CASE.items() if holds_for(case))
        key = (on, choice, holds)
        rules = self._by_case.get(key)
        if rules is None:
            names = {*holds, *(name for name, holds_for in OF_CHOICE.items() if holds_for(self.opened, choice))}
            of_kind = (rule for kind, rule in self.rules if kind == on)
            rules = tuple(rule for rule in of_kind if names.issuperset(rule.needs.get(on, ())))
            self._by_case[key] = rules
        return rules

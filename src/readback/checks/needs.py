"""What a rule needs before it can find anything: names that its module lists under NEEDS, decided before it is called.

A name is a promise: where it does not hold, the rule finds nothing. Most hold for a whole workspace or for a choice,
so that a rule is not called for each record to find out the same again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Generic, TypeVar

from readback.checks.facts import stored_prompt
from readback.types import Model, Prompt, RuleContext, Selection, Workspace

Rule = TypeVar("Rule")
Needs = Mapping[str, tuple[str, ...]]  # by what is looked at


def _albert(opened: Workspace, choice: Selection) -> bool:
    every = (*opened.prompts.values(), *opened.tasks.values())
    return any(one.dialect == "albert" for one in opened.configs) or any(
        one.settings.get("dialect") == "albert" for one in every
    )


def _template(opened: Workspace, choice: Selection) -> bool:
    prompt = None if choice.judge else _prompt(opened, choice)
    return prompt is not None and prompt.syntax != "builder"


def _builder(opened: Workspace, choice: Selection) -> bool:
    prompt = None if choice.judge else _prompt(opened, choice)
    return prompt is not None and prompt.syntax == "builder"


def _prompt(opened: Workspace, choice: Selection) -> Prompt | None:
    condition = opened.condition(choice.condition) if choice.condition else None
    mode, task = choice.mode or (condition and condition.mode), choice.task or (condition and condition.task)
    return opened.prompts.get(mode) if mode else opened.tasks.get(task or "")


def _has_training_rows(case: RuleContext) -> bool:
    """Whether the model of what is sent was trained on a file of rows."""
    model = _model_of(case)
    return model is not None and model.training_messages is not None


def _model_of(case: RuleContext) -> Model | None:
    """The model that gets what is sent; None for a judge and where no condition names one."""
    choice = case.assembly.choice if case.assembly else ALONE
    condition = case.workspace.condition(choice.condition) if choice.condition and not choice.judge else None
    return case.workspace.models.get(condition.model or "") if condition else None


# What holds for a choice, whatever the record; a record alone has the choice of nothing.
OF_CHOICE: Mapping[str, Callable[[Workspace, Selection], bool]] = {
    "albert": _albert,  # a configuration or a prompt of Albert
    "builder": _builder,  # a built-in format makes the messages
    "judge": lambda opened, choice: choice.judge is not None,  # a judge's messages
    "stored prompt": lambda opened, choice: stored_prompt.is_unsent(opened),  # nowhere sent, and so looked at itself
    "template": _template,  # a template of a mode or task makes the messages
    "training rows": lambda opened, choice: bool(opened.training),
}
# What holds for a case: what is known beside its messages.
OF_CASE: Mapping[str, Callable[[RuleContext], bool]] = {
    "answer": lambda case: case.answer is not None,
    "model input": lambda case: case.model_input is not None,
    "modelfile": lambda case: (model := _model_of(case)) is not None and model.modelfile is not None,
    "tokens": lambda case: case.tokens is not None,
    "trained": lambda case: case.trained is not None or _has_training_rows(case),
}
NAMES = frozenset({*OF_CHOICE, *OF_CASE})
ALONE = Selection()


def read(stated: Any, on: Collection[str]) -> Needs:
    """NEEDS of a module: a name, several, or a mapping of those by what is looked at. Raises ValueError."""
    by_kind = stated if isinstance(stated, Mapping) else dict.fromkeys(on, stated)
    found = {kind: (names,) if isinstance(names, str) else tuple(names) for kind, names in by_kind.items()}
    for kind, names in found.items():
        if kind not in on or not NAMES.issuperset(names):
            raise ValueError(f"NEEDS has {', '.join(map(repr, names))} for {kind!r}; known: {', '.join(sorted(NAMES))}")
    return found


class Decided(Generic[Rule]):
    """The rules that can find something in a workspace, worked out once for each choice and each kind of case."""

    def __init__(self, opened: Workspace, rules: Iterable[tuple[str, Rule, tuple[str, ...]]]) -> None:
        """`rules`, each with what it looks at and what it needs there."""
        self.opened, self.rules = opened, tuple(rules)
        self._known: dict[tuple[Any, ...], tuple[Rule, ...]] = {}

    def rules_for(self, case: RuleContext, on: str) -> tuple[Rule, ...]:
        """Those that may find something in the case, in their order."""
        choice = case.assembly.choice if case.assembly else ALONE
        holds = tuple(name for name, test in OF_CASE.items() if test(case))
        asked = (on, choice, holds)
        if (known := self._known.get(asked)) is None:
            names = {*holds, *(name for name, test in OF_CHOICE.items() if test(self.opened, choice))}
            known = tuple(one for kind, one, needs in self.rules if kind == on and names.issuperset(needs))
            self._known[asked] = known
        return known

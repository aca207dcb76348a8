"""Call the functions of a program that build the base texts of its tasks, with markers and stand-ins.

In the child of `child`, which gave up the network and the files. The names are those of biocypher/karenina: a class or
a module has a function for the system text and one for the user text of a task. A text that a function takes gets a
marker, so that its place in the result is found again; an object (a trait, the excerpts of an earlier step) gets a
stand-in whose members are markers, in the one form that `STAND_INS` says. What has a default value keeps it.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

MakeValue = Callable[[str], Any]


class Builder(NamedTuple):
    """The functions of one task: in the class `owner`, else of the module itself. `kind` is that of its traits."""

    task: str
    owner: str
    system: str
    user: str
    kind: str = "boolean"


BUILDERS = (
    Builder("parsing", "TemplatePromptBuilder", "build_system_prompt", "build_user_prompt"),
    Builder("rubric_llm_trait_batch", "LLMTraitPromptBuilder", "build_batch_system_prompt", "build_batch_user_prompt"),
    Builder(
        "rubric_llm_trait_single",
        "LLMTraitPromptBuilder",
        "build_single_trait_system_prompt",
        "build_single_trait_user_prompt",
    ),
    Builder(
        "rubric_llm_trait_template",
        "LLMTraitPromptBuilder",
        "build_template_system_prompt",
        "build_template_user_prompt",
        "template",
    ),
    Builder(
        "rubric_literal_trait_batch",
        "LiteralTraitPromptBuilder",
        "build_batch_system_prompt",
        "build_batch_user_prompt",
        "literal",
    ),
    Builder(
        "rubric_literal_trait_single",
        "LiteralTraitPromptBuilder",
        "build_single_trait_system_prompt",
        "build_single_trait_user_prompt",
        "literal",
    ),
    Builder("rubric_metric_trait", "MetricTraitPromptBuilder", "build_system_prompt", "build_user_prompt"),
    Builder("rubric_dynamic_presence_check", "PresenceCheckPromptBuilder", "build_system_prompt", "build_user_prompt"),
    Builder(
        "dj_rubric_excerpt_extraction",
        "DeepJudgmentPromptBuilder",
        "build_excerpt_extraction_system_prompt",
        "build_excerpt_extraction_user_prompt",
    ),
    Builder(
        "dj_rubric_hallucination",
        "DeepJudgmentPromptBuilder",
        "build_hallucination_assessment_system_prompt",
        "build_hallucination_assessment_user_prompt",
    ),
    Builder(
        "dj_rubric_reasoning",
        "DeepJudgmentPromptBuilder",
        "build_reasoning_system_prompt",
        "build_reasoning_user_prompt_with_excerpts",
    ),
    Builder(
        "dj_rubric_score_extraction",
        "DeepJudgmentPromptBuilder",
        "build_score_extraction_system_prompt",
        "build_score_extraction_user_prompt",
    ),
    Builder("dj_template_excerpt_extraction", "", "build_excerpt_system_prompt", "build_excerpt_user_prompt"),
    Builder("dj_template_hallucination", "", "build_assessment_system_prompt", "build_assessment_user_prompt"),
    Builder("dj_template_reasoning", "", "build_reasoning_system_prompt", "build_reasoning_user_prompt"),
    Builder("dj_template_reasoning_only", "", "build_reasoning_only_system_prompt", "build_reasoning_only_user_prompt"),
)
# What the pipeline's parameters are called in a workspace: as in the texts that the program has as constants.
NAMES = {
    "question_text": "question",
    "answer": "response",
    "response_to_parse": "response",
    "raw_llm_response": "response",
    "response_text": "response",
}
STAND_INS = {
    "trait": "one trait; its kind is that of the task, a score goes from 1 to 5",
    "traits": "a list of one trait",
    "excerpts": "a list of one excerpt",
    "answer_class": "a class with a JSON schema",
}
LACKING = 5  # packages that one module needs and that are not here
SCORES = {"min_score": 1, "max_score": 5}
PLAIN = {"include_ground_truth": False, "evaluation_mode": "tp_only"}
LISTS = frozenset({"tp_instructions", "tn_instructions"})


class StandIn:
    """An object that a builder takes: each member is a marker, but for those that decide which text is built."""

    def __init__(self, name: str, kind: str, make_value: MakeValue) -> None:
        self._name, self._make_value = name, make_value
        self.kind = kind
        self.classes = {make_value(f"{name}_class"): make_value(f"{name}_class_description")}

    def __getattr__(self, member: str) -> Any:
        """Return a member by its name."""
        if member.startswith("_"):
            raise AttributeError(member)
        if member in SCORES:
            return SCORES[member]
        if member in PLAIN:
            return PLAIN[member]
        value = self._make_value(f"{self._name}_{member}")
        if member in LISTS:
            return [value]
        return value


def import_module(name: str, package: str) -> tuple[types.ModuleType, list[str]]:
    """Import a module; packages that are not here are replaced by empty ones, whose names are returned, too."""
    replaced: list[str] = []
    while True:
        try:
            return importlib.import_module(name), replaced
        except ModuleNotFoundError as error:
            lacking = error.name or ""
            if not lacking or lacking.partition(".")[0] == package or len(replaced) == LACKING or lacking in replaced:
                raise
            sys.modules[lacking] = _EmptyModule(lacking)
            replaced.append(lacking)


class _EmptyModule(types.ModuleType):
    """A package that is not here: whatever is imported from it is a class that does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def list_builds(module: types.ModuleType, makers: Sequence[MakeValue]) -> list[dict[str, Any]]:
    """Return for each task that a module builds its texts, once for each way of making values.

    {"task", "functions", "stand_ins", "cases": [{"context", "system", "user"}]}, or "error" in place of the cases.
    """
    builds = []
    for builder in BUILDERS:
        if builder.owner:
            owner = getattr(module, builder.owner, None)
        else:
            owner = module
        if owner is None or not all(callable(getattr(owner, name, None)) for name in (builder.system, builder.user)):
            continue
        if builder.owner and getattr(owner, "__module__", None) != module.__name__:
            continue  # imported from the module that is read by itself
        build: dict[str, Any] = {"task": builder.task, "functions": [builder.owner, builder.system, builder.user]}
        try:
            calls = [_call_builder(module, builder, make_value) for make_value in makers]
            build["stand_ins"] = calls[0][1]
            build["cases"] = [case for case, _ in calls]
        except BaseException as error:  # whatever somebody else's code does
            build["error"] = f"{type(error).__name__}: {error}"[:300]
        builds.append(build)
    return builds


def _call_builder(
    module: types.ModuleType, builder: Builder, make_value: MakeValue
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the texts with the values that were put in, and the stand-ins with what they are."""
    context: dict[str, str] = {}
    stand_ins: dict[str, str] = {}

    def note(name: str) -> str:
        context[name] = make_value(name)
        return context[name]

    owner: Any = module
    if builder.owner:
        kind = getattr(module, builder.owner)
        owner = kind(**_make_arguments(kind, builder, note, stand_ins))
    texts = {}
    for role, name in (("system", builder.system), ("user", builder.user)):
        function = getattr(owner, name)
        text = function(**_make_arguments(function, builder, note, stand_ins))
        if not isinstance(text, str):
            raise TypeError(f"{name} gives no text")
        texts[role] = text
    return {"context": context, **texts}, stand_ins


def _make_arguments(function: Any, builder: Builder, note: MakeValue, stand_ins: dict[str, str]) -> dict[str, Any]:
    """Return a value for each parameter that has no default."""
    arguments: dict[str, Any] = {}
    skipped = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.default is parameter.empty and parameter.kind not in skipped and parameter.name != "self":
            arguments[parameter.name] = _make_argument(parameter, builder, note, stand_ins)
    return arguments


def _make_argument(parameter: inspect.Parameter, builder: Builder, note: MakeValue, stand_ins: dict[str, str]) -> Any:
    name = parameter.name
    if isinstance(parameter.annotation, str):
        hint = str(parameter.annotation)
    else:
        hint = repr(parameter.annotation)
    if name in ("trait", "traits"):
        stand_ins[name] = STAND_INS[name]
        trait = StandIn("trait", builder.kind, note)
        if name == "traits":
            return [trait]
        return trait
    if name == "answer_class":
        stand_ins[name] = STAND_INS[name]
        return type("Answer", (), {})
    if name.endswith("_fn") or "Callable" in hint:
        stand_ins[name] = "a function that gives a text"
        return lambda *_, **__: note(name.removesuffix("_fn"))
    if re.match(r"(?:typing\.)?[Ll]ist\b", hint) or name.startswith("excerpts"):
        stand_ins[name] = STAND_INS["excerpts"]
        excerpt = {member: note(f"excerpt_{member}") for member in ("text", "confidence")}
        whole = {"_id": "0", **excerpt, "similarity_score": 1.0, "search_results": note("search_results")}
        if "uple" in hint:
            return [(note("attribute"), whole)]
        return [whole]
    if re.search(r"\bbool\b", hint):
        stand_ins[name] = "False"
        return False
    return note(NAMES.get(name, name))

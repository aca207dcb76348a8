"""The tasks of a tri-section pipeline: what each LLM call is for, and the groups that stand for several.

Task and stage names are those of the *Prompt Assembly System* page of biocypher/karenina, whose 21 tasks are the
profile `document`; its newer source has three more, the profile `current`. The descriptions are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

GENERATION = "generation"  # the task of a mode that names none
DOCUMENT, CURRENT = "document", "current"
PROFILES = (DOCUMENT, CURRENT)  # the values of the option assembly_profile, the default first


@dataclass(frozen=True, slots=True)
class Task:
    """One kind of LLM call: its name, the pipeline stage that makes it, what it is for, and the first profile of it."""

    name: str
    stage: str
    description: str
    since: str = DOCUMENT


_ALL = (
    Task(GENERATION, "GenerateAnswer", "A model answers the question."),
    Task("parsing", "ParseTemplate", "A judge turns the answer into the fields of a template."),
    Task(
        "agentic_parsing_investigation",
        "AgenticParseTemplate",
        "An agent looks through the answer, its trace or a folder for the template's facts.",
    ),
    Task("agentic_parsing_extraction", "AgenticParseTemplate", "The facts the agent found become template fields."),
    Task(
        "agentic_parsing_decision",
        "AgenticParseTemplate",
        "A judge fills the template from the answer alone, or says that an agent has to look.",
        CURRENT,
    ),
    Task("abstention_detection", "AbstentionCheck", "Did the model refuse to answer?"),
    Task("sufficiency_detection", "SufficiencyCheck", "Does the answer hold enough to fill the template?"),
    Task("rubric_llm_trait_batch", "RubricEvaluation", "Several yes-no or numeric traits are judged in one call."),
    Task("rubric_llm_trait_single", "RubricEvaluation", "One yes-no or numeric trait is judged in a call of its own."),
    Task(
        "rubric_llm_trait_template",
        "RubricEvaluation",
        "One trait whose verdict has several fields is judged in a call of its own.",
        CURRENT,
    ),
    Task("rubric_literal_trait_batch", "RubricEvaluation", "Several traits with named classes are judged in one call."),
    Task("rubric_literal_trait_single", "RubricEvaluation", "One trait with named classes is judged in its own call."),
    Task("rubric_metric_trait", "RubricEvaluation", "What the answer gets right, wrong and leaves out is counted."),
    Task(
        "rubric_agentic_trait_investigation",
        "AgenticRubricEvaluation",
        "An agent looks through the answer or a folder for evidence on one trait.",
    ),
    Task("rubric_agentic_trait_extraction", "AgenticRubricEvaluation", "The agent's evidence becomes the score."),
    Task(
        "dj_template_excerpt_extraction",
        "DeepJudgmentAutoFail",
        "Passages of the answer are quoted for each template field.",
    ),
    Task("dj_template_hallucination", "DeepJudgmentAutoFail", "Each quoted passage is held against search results."),
    Task("dj_template_reasoning", "DeepJudgmentAutoFail", "The step from quoted passages to field values is argued."),
    Task(
        "dj_template_reasoning_only",
        "DeepJudgmentAutoFail",
        "The field values are argued from the answer itself, without quoted passages.",
        CURRENT,
    ),
    Task(
        "dj_rubric_excerpt_extraction",
        "DeepJudgmentRubricAutoFail",
        "Passages of the answer are quoted for each rubric trait.",
    ),
    Task(
        "dj_rubric_hallucination",
        "DeepJudgmentRubricAutoFail",
        "Each passage quoted for a trait is held against search results.",
    ),
    Task("dj_rubric_reasoning", "DeepJudgmentRubricAutoFail", "The verdict on a trait is argued from its passages."),
    Task("dj_rubric_score_extraction", "DeepJudgmentRubricAutoFail", "The trait's score is read from the argument."),
    Task(
        "rubric_dynamic_presence_check",
        "RubricEvaluation",
        "Before a rubric that depends on the answer: which of its concepts occur?",
    ),
)
_BY_PROFILE = {
    DOCUMENT: {task.name: task for task in _ALL if task.since == DOCUMENT},
    CURRENT: {task.name: task for task in _ALL},
}
TASKS = _BY_PROFILE[DOCUMENT]

# An adapter file may name a group; the letters are the columns of the interface table.
_SINGLE = {"P": ("parsing",), "A": ("abstention_detection",), "U": ("sufficiency_detection",)}
_TRAITS = (
    "rubric_llm_trait_batch",
    "rubric_llm_trait_single",
    "rubric_literal_trait_batch",
    "rubric_literal_trait_single",
    "rubric_metric_trait",
)
_LETTERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    DOCUMENT: {**_SINGLE, "R": _TRAITS, "D": tuple(name for name in TASKS if name.startswith("dj_"))},
    CURRENT: {
        **_SINGLE,
        "R": (*_TRAITS, "rubric_llm_trait_template", "rubric_dynamic_presence_check"),
        "D": (
            "dj_rubric_excerpt_extraction",
            "dj_rubric_hallucination",
            "dj_rubric_score_extraction",
            "dj_template_excerpt_extraction",
            "dj_template_hallucination",
        ),
    },
}
PREFIXES = {"rubric": "rubric_", "dj": "dj_", "agentic_parsing": "agentic_parsing_"}


def profile_of(options: Mapping[str, str]) -> str:
    """Return the profile that a workspace's options choose."""
    profile = options.get("assembly_profile", DOCUMENT)
    if profile in PROFILES:
        return profile
    return DOCUMENT


def tasks_of(profile: str) -> Mapping[str, Task]:
    """Return the tasks of a profile by name, in the order of the pipeline: 21, or 24."""
    return _BY_PROFILE[profile]


def groups_of(profile: str) -> dict[str, tuple[str, ...]]:
    """Return the tasks that each group name of an adapter file stands for: the letters P A U R D, and prefixes."""
    names = tasks_of(profile)
    by_prefix = {group: tuple(name for name in names if name.startswith(prefix)) for group, prefix in PREFIXES.items()}
    return {**_LETTERS[profile], **by_prefix}


def keys_for(task: str, profile: str = DOCUMENT) -> tuple[str, ...]:
    """Return the keys of an adapter file for `task`, the nearest first: the task's name, its letter, its prefix group.

    A name that is not among the profile's but carries a known prefix belongs to the prefix group too.
    """
    letters = (letter for letter, members in _LETTERS[profile].items() if task in members)
    groups = (group for group, prefix in PREFIXES.items() if task.startswith(prefix))
    return (task, *letters, *groups)

"""Which tasks run under a verification configuration: one row a setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.sources.verification import CHOICES, FLAGS, KEYS, MODELS, list_models, list_runs, list_workspace_runs
from readback.tasks import CURRENT, DOCUMENT, PROFILES, tasks_of
from readback.types import PromptConfig

TEMPLATE = {"generation", "parsing"}
ANY_TRAIT = {
    "rubric_metric_trait", "rubric_agentic_trait_investigation", "rubric_agentic_trait_extraction",
    "rubric_llm_trait_template", "rubric_dynamic_presence_check",
}  # fmt: skip
BATCH = {"rubric_llm_trait_batch", "rubric_literal_trait_batch"} | ANY_TRAIT
SINGLE = {"rubric_llm_trait_single", "rubric_literal_trait_single"} | ANY_TRAIT
AGENT = {"generation", "agentic_parsing_investigation", "agentic_parsing_extraction"}
FULL = {"dj_template_excerpt_extraction", "dj_template_hallucination", "dj_template_reasoning"}
DJ_RUBRIC = {
    "dj_rubric_excerpt_extraction", "dj_rubric_hallucination", "dj_rubric_reasoning", "dj_rubric_score_extraction",
}  # fmt: skip
BOTH = {"evaluation_mode": "template_and_rubric"}
ROWS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, TEMPLATE),
    ({"evaluation_mode": "template_only"}, TEMPLATE),
    (BOTH, TEMPLATE | BATCH),
    ({**BOTH, "rubric_evaluation_strategy": "batch"}, TEMPLATE | BATCH),
    ({**BOTH, "rubric_evaluation_strategy": None}, TEMPLATE | BATCH),
    ({**BOTH, "rubric_evaluation_strategy": "sequential"}, TEMPLATE | SINGLE),
    ({"evaluation_mode": "rubric_only"}, {"generation"} | BATCH),
    ({"evaluation_mode": "rubric_only", "rubric_evaluation_strategy": "sequential"}, {"generation"} | SINGLE),
    ({"rubric_evaluation_strategy": "sequential"}, TEMPLATE),
    ({"abstention_enabled": True}, TEMPLATE | {"abstention_detection"}),
    ({"abstention_enabled": False}, TEMPLATE),
    ({"abstention_enabled": "true"}, TEMPLATE),
    ({"evaluation_mode": "rubric_only", "abstention_enabled": True}, {"generation", "abstention_detection"} | BATCH),
    ({"sufficiency_enabled": True}, TEMPLATE | {"sufficiency_detection"}),
    ({"evaluation_mode": "rubric_only", "sufficiency_enabled": True}, {"generation"} | BATCH),
    ({"deep_judgment_mode": "disabled"}, TEMPLATE),
    ({"deep_judgment_mode": "full"}, TEMPLATE | FULL),
    ({"deep_judgment_mode": "full", "deep_judgment_search_enabled": True}, TEMPLATE | FULL),
    (
        {"deep_judgment_mode": "full", "deep_judgment_search_enabled": False},
        TEMPLATE | FULL - {"dj_template_hallucination"},
    ),
    ({"deep_judgment_mode": "reasoning_only"}, TEMPLATE | {"dj_template_reasoning_only"}),
    ({"evaluation_mode": "rubric_only", "deep_judgment_mode": "full"}, {"generation"} | BATCH),
    ({"deep_judgment_rubric_mode": "enable_all"}, TEMPLATE),
    ({**BOTH, "deep_judgment_rubric_mode": "disabled"}, TEMPLATE | BATCH),
    ({**BOTH, "deep_judgment_rubric_mode": "enable_all"}, TEMPLATE | BATCH | DJ_RUBRIC),
    ({**BOTH, "deep_judgment_rubric_mode": "use_checkpoint"}, TEMPLATE | BATCH | DJ_RUBRIC),
    ({**BOTH, "deep_judgment_rubric_mode": "custom"}, TEMPLATE | BATCH | DJ_RUBRIC),
    (
        {**BOTH, "deep_judgment_rubric_mode": "enable_all", "deep_judgment_rubric_global_excerpts": False},
        TEMPLATE | BATCH | {"dj_rubric_reasoning", "dj_rubric_score_extraction"},
    ),
    ({"agentic_parsing": True}, AGENT),
    ({"agentic_parsing": True, "agentic_parsing_trigger": "always"}, AGENT),
    ({"agentic_parsing": True, "agentic_parsing_trigger": "dynamic"}, AGENT | {"agentic_parsing_decision"}),
    ({"agentic_parsing_trigger": "dynamic"}, TEMPLATE),
    ({"evaluation_mode": "rubric_only", "agentic_parsing": True}, {"generation"} | BATCH),
    ({"parsing_only": True}, {"parsing"}),
    ({"evaluation_mode": "nonsense", "deep_judgment_mode": ["full"]}, TEMPLATE),
]


def runs(config: Mapping[str, Any], profile: str) -> set[str]:
    return {task for task, does, _ in list_runs(config, profile) if does}


@pytest.mark.parametrize(("config", "expected"), ROWS, ids=lambda value: str(value) if isinstance(value, dict) else "")
def test_the_settings_decide_which_tasks_run(config: dict[str, Any], expected: set[str]) -> None:
    assert expected == runs(config, CURRENT)
    alone = "dj_template_reasoning_only"
    document = {"dj_template_reasoning" if task == alone else task for task in expected} & set(tasks_of(DOCUMENT))
    assert document == runs(config, DOCUMENT)


@pytest.mark.parametrize(
    ("config", "task", "why"),
    [
        ({}, "generation", "part of every run"),
        ({}, "parsing", "evaluation_mode is template_only, the default"),
        ({}, "rubric_metric_trait", "evaluation_mode is template_only, the default"),
        ({"evaluation_mode": "rubric_only"}, "parsing", "evaluation_mode is rubric_only"),
        ({"agentic_parsing": True}, "parsing", "agentic_parsing is true: an agent parses"),
        ({}, "abstention_detection", "abstention_enabled is not true"),
        ({"abstention_enabled": True}, "abstention_detection", "abstention_enabled is true"),
        ({"deep_judgment_mode": "full"}, "dj_template_reasoning", "deep_judgment_mode is full"),
        (BOTH, "rubric_llm_trait_single", "rubric_evaluation_strategy is batch, the default"),
    ],
)
def test_the_setting_that_decides_is_named(config: dict[str, Any], task: str, why: str) -> None:
    assert why == next(one.why for one in list_runs(config, CURRENT) if one.task == task)


values = st.none() | st.booleans() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
settings = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.sampled_from(known) | values for key, known in CHOICES.items()},
        **dict.fromkeys((*FLAGS, *MODELS), values),
    },
)


@given(settings, st.sampled_from(PROFILES))
def test_any_settings_say_of_each_task_whether_it_runs_and_why(config: dict[str, Any], profile: str) -> None:
    said = list_runs(config, profile)
    assert [one.task for one in said] == list(tasks_of(profile))
    assert all(one.why for one in said)
    assert list_models(config) == ()


def test_a_task_runs_in_a_workspace_when_it_does_under_one_of_its_configurations() -> None:
    one, other = (
        PromptConfig(str(n), "instructions", settings={"shape": "preset", "abstention_enabled": n == 1})
        for n in range(2)
    )
    plain = PromptConfig("texts", "instructions", settings={"shape": "user instructions"})
    assert list_workspace_runs([plain]) == ()
    assert {task for task, does, _ in list_workspace_runs([one, plain, other]) if does} == TEMPLATE | {
        "abstention_detection"
    }


def test_models_are_read_with_what_a_missing_key_means() -> None:
    config = {
        "answering_models": [{"id": "a", "interface": "manual", "system_prompt": "S"}, "odd"],
        "parsing_models": [{"model_name": "m", "system_prompt": ""}, {}],
    }
    assert [(m.kind, m.name, m.interface, m.system_prompt, m.position) for m in list_models(config)] == [
        ("answering", "a", "manual", "S", 0),
        ("parsing", "m", "langchain", None, 0),
        ("parsing", "langchain", "langchain", None, 1),
    ]


def test_no_key_is_listed_twice() -> None:
    assert len(KEYS) == len(set(KEYS))

"""Files of other tools that Readback does not read yet, known by what is in them, so that none is taken for another."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

# Before a configuration is parsed, one of these keys is looked for.
KEYS = re.compile(
    rb"\b(doc_to_text|output_type|include|group|input_variables|_type|lc|evalId|template_format|eval|components"
    rb"|providers|targets|defaultTest|scenarios|n-shot|fn_completions|backstory|expected_output|template_vars"
    rb"|demos)[\"']?\s*:"
    rb"|\"template\"\s*:|^template\s*:|\bmlflow\.prompt\.text\b",
    re.MULTILINE,
)
TESTED = ("providers", "targets", "tests", "scenarios", "defaultTest")
ROWS = (
    ({"promptIdx", "testIdx"}, "results of promptfoo"),
    ({"doc_id", "doc", "arguments", "resps"}, "samples of lm-eval"),
    ({"custom_id", "method", "url", "body"}, "requests of an OpenAI batch"),
    ({"custom_id", "response", "error"}, "answers of an OpenAI batch"),
    ({"custom_id", "params"}, "requests of an Anthropic batch"),
    ({"custom_id", "result"}, "answers of an Anthropic batch"),
)
# Columns of which rows of another tool have one.
MARKS_OF_ROWS = frozenset({"promptIdx", "doc_id", "custom_id", "role"})
MESSAGE = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "timestamp", "id", "type", "created_at"})
PROMPTFOO = "a promptfoo project"
LM_EVAL = "a task of lm-eval"
LANGCHAIN = ("a prompt of LangChain", "a stored prompt of LangChain")
LANGUAGES = ("f-string", "mustache", "jinja2")  # of LangChain's templates
# What makes the folder that it lies in a project of that tool.
PROJECTS = (
    "an annotator of AlpacaEval",
    PROMPTFOO,
    LM_EVAL,
)


def describe_mapping(value: Any) -> str | None:
    """Describe a parsed configuration of another tool; return None where the tool is not known here."""
    if not isinstance(value, Mapping):
        return None
    return next((description for description, fits in MAPPINGS if fits(value)), None)


def describe_rows(fields: Collection[str]) -> str | None:
    """Describe the rows of another tool that have these columns; return None where the tool is not known here."""
    names = set(fields)
    if {"role", "content"} <= names <= MESSAGE:
        return "one conversation, a message a row"
    return next((description for needed, description in ROWS if needed <= names), None)


def _is_promptfoo_results(value: Mapping[str, Any]) -> bool:
    results = value.get("results")
    return "evalId" in value and isinstance(results, Mapping) and isinstance(results.get("results"), list)


def _is_promptfoo_project(value: Mapping[str, Any]) -> bool:
    return "prompts" in value and any(key in value for key in TESTED)


def _is_inspect_log(value: Mapping[str, Any]) -> bool:
    run = value.get("eval")
    return isinstance(run, Mapping) and "task" in run and ("plan" in value or "samples" in value)


def _is_lm_eval_task(value: Mapping[str, Any]) -> bool:
    """Tell whether a value is a task, one that includes another, or a group of tasks."""
    name = value.get("task")
    if isinstance(name, list):
        return isinstance(value.get("group"), str)
    is_further = isinstance(name, str) and bool({"output_type", "include", "dataset_path"} & value.keys())
    return "doc_to_text" in value or is_further


def _is_lm_eval_results(value: Mapping[str, Any]) -> bool:
    return {"results", "configs", "n-shot"} <= value.keys()


def _is_langchain_prompt(value: Mapping[str, Any]) -> bool:
    """Tell LangChain's prompts from those of semantic-kernel, whose variables are objects."""
    if value.get("_type") in ("prompt", "few_shot", "chat"):
        return True
    names = value.get("input_variables")
    is_named = isinstance(names, list) and all(isinstance(name, str) for name in names)
    has_template = isinstance(value.get("template"), str) or isinstance(value.get("template_path"), str)
    return is_named and has_template and value.get("template_format", LANGUAGES[0]) in LANGUAGES


def _is_langchain_dump(value: Mapping[str, Any]) -> bool:
    inner = value.get("manifest", value)
    if not isinstance(inner, Mapping) or inner.get("lc") != 1 or not isinstance(inner.get("id"), list):
        return False
    return inner.get("type") in ("constructor", "not_implemented")


def _is_alpaca_eval(value: Mapping[str, Any]) -> bool:
    """Tell whether a value is an annotator, or a model, of AlpacaEval: by its name what completes a prompt template."""
    inner = [entry for entry in value.values() if isinstance(entry, Mapping)]
    return bool(inner) and all({"prompt_template", "fn_completions"} <= entry.keys() for entry in inner)


def _is_crew(value: Mapping[str, Any]) -> bool:
    """Agents or tasks of CrewAI, by name."""
    inner = [entry for entry in value.values() if isinstance(entry, Mapping)]
    agents = all({"role", "goal", "backstory"} <= entry.keys() for entry in inner)
    return bool(inner) and (agents or all({"description", "expected_output"} <= entry.keys() for entry in inner))


MAPPINGS = (
    ("results of promptfoo", _is_promptfoo_results),
    (PROMPTFOO, _is_promptfoo_project),
    ("a log of inspect", _is_inspect_log),
    ("results of lm-eval", _is_lm_eval_results),
    (LM_EVAL, _is_lm_eval_task),
    (LANGCHAIN[1], _is_langchain_dump),
    ("an annotator of AlpacaEval", _is_alpaca_eval),
    ("agents or tasks of CrewAI", _is_crew),
    (LANGCHAIN[0], _is_langchain_prompt),
)

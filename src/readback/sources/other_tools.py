"""Files of other tools that Readback does not read yet, known by what is in them, so that none is taken for another."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

# Before a configuration is parsed, one of these keys is looked for.
KEYS = re.compile(
    rb"\b(doc_to_text|output_type|input_variables|_type|lc|evalId|template_format|eval|components|providers|targets"
    rb"|defaultTest|scenarios|n-shot|fn_completions|backstory|expected_output)[\"']?\s*:"
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
MESSAGE = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "timestamp", "id", "type", "created_at"})
# What makes the folder that it lies in a project of that tool.
PROJECTS = (
    "an annotator of AlpacaEval",
    "a promptfoo project",
    "a task of lm-eval",
    "a prompt of semantic-kernel",
    "a prompt of LangChain",
    "a pipeline of Haystack",
)


def of_mapping(value: Any) -> str | None:
    """What a parsed configuration is, in words; None where it is of no tool known here."""
    if not isinstance(value, Mapping):
        return None
    return next((said for said, fits in MAPPINGS if fits(value)), None)


def of_rows(fields: Collection[str]) -> str | None:
    """What a table with these columns is."""
    names = set(fields)
    if {"role", "content"} <= names <= MESSAGE:
        return "one conversation, a message a row"
    return next((said for needed, said in ROWS if needed <= names), None)


def _promptfoo_results(value: Mapping[str, Any]) -> bool:
    results = value.get("results")
    return "evalId" in value and isinstance(results, Mapping) and isinstance(results.get("results"), list)


def _promptfoo(value: Mapping[str, Any]) -> bool:
    return "prompts" in value and any(key in value for key in TESTED)


def _inspect(value: Mapping[str, Any]) -> bool:
    run = value.get("eval")
    return isinstance(run, Mapping) and "task" in run and ("plan" in value or "samples" in value)


def _lm_eval_task(value: Mapping[str, Any]) -> bool:
    return "doc_to_text" in value or {"task", "output_type"} <= value.keys()


def _lm_eval_results(value: Mapping[str, Any]) -> bool:
    return {"results", "configs", "n-shot"} <= value.keys()


def _langchain(value: Mapping[str, Any]) -> bool:
    return value.get("_type") in ("prompt", "few_shot", "chat") or {"template", "input_variables"} <= value.keys()


def _langchain_dump(value: Mapping[str, Any]) -> bool:
    inner = value.get("manifest", value)
    return isinstance(inner, Mapping) and inner.get("lc") == 1 and inner.get("type") == "constructor"


def _alpaca_eval(value: Mapping[str, Any]) -> bool:
    """An annotator, or a model, of AlpacaEval: by its name what completes a prompt template."""
    inner = [one for one in value.values() if isinstance(one, Mapping)]
    return bool(inner) and all({"prompt_template", "fn_completions"} <= one.keys() for one in inner)


def _crew(value: Mapping[str, Any]) -> bool:
    """Agents or tasks of CrewAI, by name."""
    inner = [one for one in value.values() if isinstance(one, Mapping)]
    agents = all({"role", "goal", "backstory"} <= one.keys() for one in inner)
    return bool(inner) and (agents or all({"description", "expected_output"} <= one.keys() for one in inner))


def _semantic_kernel(value: Mapping[str, Any]) -> bool:
    return {"template_format", "template"} <= value.keys()


def _haystack(value: Mapping[str, Any]) -> bool:
    parts = value.get("components")
    types = (
        [one.get("type") for one in parts.values() if isinstance(one, Mapping)] if isinstance(parts, Mapping) else []
    )
    return any(str(one).endswith("PromptBuilder") for one in types)


MAPPINGS = (
    ("results of promptfoo", _promptfoo_results),
    ("a promptfoo project", _promptfoo),
    ("a log of inspect", _inspect),
    ("results of lm-eval", _lm_eval_results),
    ("a task of lm-eval", _lm_eval_task),
    ("a stored prompt of LangChain", _langchain_dump),
    ("an annotator of AlpacaEval", _alpaca_eval),
    ("agents or tasks of CrewAI", _crew),
    ("a prompt of semantic-kernel", _semantic_kernel),
    ("a prompt of LangChain", _langchain),
    ("a pipeline of Haystack", _haystack),
)

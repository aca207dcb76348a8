"""The table of recognisers: what kinds of file there are, in what order they are tried, and how sure each one is.

A recogniser answers with a share, from 0 to 1: how much of the file belongs to its kind. Of a configuration this is the
part of its keys, without those that people write into any file; of rows it is 1 where the columns are the kind's own.
A file is of a kind only where the share is more than half. The largest share wins; of equal ones the first in the
table, which goes from the most specific kind to the most general one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback import adapters
from readback.records.training import training_row
from readback.scores import files
from readback.scores.files.formats import list_formats
from readback.sources import (
    albert,
    comparisons,
    instruction_keys,
    instructions,
    model_yaml,
    other_tools,
    plan,
    verification,
)
from readback.sources.judges import judge_prompts, judge_rubric

WORKSPACE, PROMPTS, INSTRUCTIONS, PLAN = (
    "workspace file",
    "prompt configuration",
    "user instructions",
    "experiment plan",
)
MODEL, INFERENCE, JUDGE, COMPARISONS = "model", "judge inference", "judge prompt", "comparisons"
MODELFILE, DATASET, TRAINING, SCORES = "Modelfile", "dataset", "training data", "scores"
PART = "part of a dataset"  # which another file names
FORM = "table without rows"  # to be filled in, or what a broken export left
ANSWERS, ADAPTER, OTHER = "answers", "adapter", "not recognised"
BATCH = "replies of a batch"  # of requests that Readback exported
CHAT_TEMPLATE, CODE = "chat template", "code with a system message"
TEMPLATE, TOOL = "prompt template", "file of another tool"
PROJECT = "project of another tool"  # its prompts, tests and providers
TOOL_PROMPT = "prompt of another tool"  # a file that is one mode
LOG = "log of another tool"  # what it sent, what came back, and how that was scored

MOST = 0.5  # a share must be more than this
NAMED = 3  # keys that a reason names
# Keys that people write into any configuration, which say nothing about its kind.
ANYBODYS = frozenset({
    "id", "name", "title", "label", "description", "version", "author", "authors", "date", "created_at", "updated_at",
    "notes", "note", "comment", "comments", "license", "tags", "metadata", "meta", "schema",
})  # fmt: skip
REMARKS = ("_", "$", "x-", "#")  # what keys begin with that are remarks or of a schema

TOP = frozenset({
    "name", "language", "headline", "today", "dataset", "options", "env", "prompts", "modes", "tasks", "context",
    "adapters", "instructions", "models", "plan", "conditions", "judges", "scores", "sent", "logs", "training",
    "criteria", "acronyms", "comparisons", "leaks", "ignore",
})  # fmt: skip
SCHEMA = ("dataset", "prompts", "modes", "tasks", "conditions", "models", "judges", "scores", "adapters", "criteria")

OF_MODEL = frozenset((*model_yaml.KEYS, *model_yaml.NESTED))
OF_RUBRIC = frozenset(judge_rubric.KEYS) | OF_MODEL  # older rubrics say beside the prompt how the judge is run
OF_JUDGE = frozenset({"type", "category", "system_prompt", "prompt_template", "output_format"}) | OF_RUBRIC
OF_COMPARISONS = frozenset(
    {
        *comparisons.GROUPS,
        "models",
        "judges",
        "pairwise_evaluation",
        "metrics_extraction",
        "analysis_output",
    }
)
OF_ADAPTER = frozenset(
    {
        "extends",
        "wording",
        "tasks",
        adapters.ORIGIN,
        *adapters.CAPABILITIES,
        *adapters.FURTHER,
    }
)
OF_VERIFICATION = frozenset((*verification.KEYS, *verification.OBSOLETE, *instruction_keys.SHORTCUTS))

OF_DEFINITION = frozenset({"prompt_template", "prompt"})  # of which the first row of judges has one
NOT_YET = "{}, which Readback does not read yet"
SENT = {"prompt_text", "model_label", "prompt_mode"}  # columns of saved responses beside the response
RECORD = {"rag", "instruction", "question", "query_text"}  # columns of what is asked, which a score file seldom has
CHAT = {"messages", "completion", "chosen", "chosen_messages", "preferred_output"}  # columns of training rows


@dataclass(frozen=True, slots=True)
class Table:
    """The first rows of a file. `scored` is the kind of score file that they are read as, or None."""

    path: Path
    rows: Sequence[Mapping[str, Any]]
    fields: frozenset[str]
    scored: files.Kind | None


@dataclass(frozen=True, slots=True)
class Mapped:
    """A configuration: its path and its parsed value."""

    path: Path
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OfMapping:
    """A kind of configuration: its marks, without which a file is not of the kind, and the keys that belong to it.

    `part` is what the keys are counted in, where that is not the whole mapping.
    """

    kind: str
    marks: Callable[[Path, Any], bool]
    keys: Collection[str] | Callable[[Any], bool]
    part: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda value: value
    by_name: Collection[str] = ()  # names of files that are of the kind whatever is in them

    def share(self, config: Mapped) -> float:
        """Return how much of a configuration belongs to the kind, from 0 to 1."""
        if config.path.name in self.by_name:
            return 1.0
        if not self.marks(config.path, config.value):
            return 0.0
        counted = list_own_keys(self.part(config.value))
        if counted:
            return compute_share(counted, self.keys)
        return 1.0

    def list_foreign_keys(self, config: Mapped) -> list[str]:
        """List the keys that do not belong to the kind."""
        return [key for key in list_own_keys(self.part(config.value)) if not _belongs(key, self.keys)]


@dataclass(frozen=True, slots=True)
class OfRows:
    """A kind of table: how much of its columns belong to the kind, from 0 to 1; 0 where none of `marks` is a column."""

    kind: str
    share: Callable[[Table], float]
    detail: Callable[[Table], str] = lambda table: ""
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Claim:
    """What a file is: its kind, or None, then with the `reason` where it has the marks of one and is not of it."""

    kind: str | None
    detail: str = ""
    reason: str = ""
    near: str | None = None  # the kind whose marks it has


def list_own_keys(value: Mapping[str, Any]) -> list[str]:
    """List the keys that may say what a configuration is."""
    keys = [str(key) for key in value]
    return [key for key in keys if key.lower() not in ANYBODYS and not key.startswith(REMARKS)]


def compute_share(keys: Sequence[str], kind_keys: Collection[str] | Callable[[Any], bool]) -> float:
    """Return the part of the keys that belong to a kind, from 0 to 1; 0 without keys."""
    if not keys:
        return 0.0
    return sum(_belongs(key, kind_keys) for key in keys) / len(keys)


def _belongs(key: str, kind_keys: Collection[str] | Callable[[Any], bool]) -> bool:
    if callable(kind_keys):
        return kind_keys(key)
    return key in kind_keys


def classify_mapping(path: Path, value: Any) -> Claim:
    """Return what a parsed configuration is."""
    if not isinstance(value, Mapping):
        named = [entry.kind for entry in OF_MAPPINGS if path.name in entry.by_name]
        return Claim(next(iter(named), None))
    config = Mapped(path, value)
    shares = [(entry.share(config), entry) for entry in OF_MAPPINGS]
    best, entry = max(shares, key=lambda pair: pair[0])
    if best > MOST:
        kind = entry.kind
        if kind == MODEL and model_yaml.is_inference(path, value):
            kind = INFERENCE
        return Claim(kind)
    if best > 0 and entry.kind != WORKSPACE:  # its keys are words that many programs have
        return Claim(None, reason=_explain_refusal(entry, config), near=entry.kind)
    return Claim(None)


def _explain_refusal(entry: OfMapping, config: Mapped) -> str:
    """Why a file that has the marks of a kind is not of it."""
    keys = list_own_keys(entry.part(config.value))
    strange = entry.list_foreign_keys(config)
    listed = ", ".join(strange[:NAMED])
    if len(strange) > NAMED:
        more = f" and {len(strange) - NAMED} more"
    else:
        more = ""
    count = len(keys) - len(strange)
    return f"only {count} of its {len(keys)} keys belong to the kind '{entry.kind}'; it has {listed}{more}"


def classify_rows(table: Table) -> Claim:
    """Return what a table is, by its first rows."""
    best: tuple[float, OfRows] | None = None
    for entry in OF_ROWS:
        if entry.marks and entry.marks.isdisjoint(table.fields):
            continue
        share = entry.share(table)
        if share > MOST and (best is None or share > best[0]):
            best = (share, entry)
        if share == 1:
            break  # nothing later can be surer
    if best:
        return Claim(best[1].kind, best[1].detail(table))
    return Claim(DATASET)


def _is_adapter(path: Path, value: Any) -> bool:
    """Tell whether a value has a name and an adapter's keys. A text as system prompt is a persona's or judge's."""
    if not isinstance(value, Mapping) or "name" not in value:
        return False
    if {"extends", "wording"} & value.keys():
        return True
    return "system_prompt" in value and ("tasks" in value or not isinstance(value["system_prompt"], str))


def _is_workspace(path: Path, value: Any) -> bool:
    return isinstance(value, Mapping) and any(isinstance(value.get(key), Mapping | list) for key in SCHEMA)


def _is_definition(path: Path, value: Any) -> bool:
    return isinstance(value.get("prompt_template"), str) and judge_prompts.recognise(path, value)


def _is_rubric(path: Path, value: Any) -> bool:
    return judge_rubric.recognise(value)


def _get_inference(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the mapping that says which model is run."""
    inner = value.get("inference", value)
    if isinstance(inner, Mapping):
        return inner
    return value


def _get_settings(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the configuration that a preset holds, else the mapping itself."""
    inner = value.get("config")
    if isinstance(inner, Mapping):
        return inner
    return value


def _is_instruction_key(key: str) -> bool:
    return key in OF_VERIFICATION or instructions.is_instruction_key(key)


# The order: kinds with marks of their own before those that are known by a few common keys.
OF_MAPPINGS: tuple[OfMapping, ...] = (
    OfMapping(PROMPTS, albert.recognise, frozenset(albert.TOP), by_name=albert.FILES),
    OfMapping(PLAN, plan.recognise, frozenset({"runs", "defaults"})),
    OfMapping(COMPARISONS, comparisons.recognise, OF_COMPARISONS),
    OfMapping(JUDGE, _is_definition, OF_JUDGE),
    OfMapping(JUDGE, _is_rubric, OF_RUBRIC),
    OfMapping(MODEL, model_yaml.recognise, OF_MODEL, _get_inference),
    OfMapping(INSTRUCTIONS, instructions.recognise, _is_instruction_key, _get_settings),
    OfMapping(ADAPTER, _is_adapter, OF_ADAPTER),
    OfMapping(WORKSPACE, _is_workspace, TOP),
)


def _rate_other_tool(table: Table) -> float:
    return float(other_tools.describe_rows(table.fields) is not None)


def _describe_other_tool(table: Table) -> str:
    return NOT_YET.format(other_tools.describe_rows(table.fields))


def _rate_definitions(table: Table) -> float:
    return float(judge_prompts.recognise(table.path, table.rows[0]))


def _rate_saved_responses(table: Table) -> float:
    return float("response" in table.fields and bool(table.fields & SENT))


def _rate_scores(table: Table) -> float:
    """Scores by their columns. A table that holds what is asked is a dataset, unless its format says otherwise."""
    if table.scored is None:
        return 0.0
    marks = (columns for score_format in list_formats() for columns in score_format.question_marks)
    repeats_questions = any(columns <= table.fields for columns in marks)
    return float(table.scored.holds_questions or repeats_questions or not table.fields & RECORD)


def _describe_scores(table: Table) -> str:
    if table.scored is None:
        return ""
    rivals = ", ".join(table.scored.rivals)
    if rivals:
        return f"{table.scored.name}; {rivals} would read it as well"
    return table.scored.name


def _rate_responses(table: Table) -> float:
    return float("response" in table.fields and not table.fields & (RECORD | CHAT))


def _rate_training(table: Table) -> float:
    return float(training_row.find_main_kind(table.rows) is not None)


def _describe_training(table: Table) -> str:
    kind = training_row.find_main_kind(table.rows)
    if kind:
        return training_row.DESCRIPTIONS[kind]
    return ""


# Files of other tools come first. What is of none of these kinds is a dataset.
OF_ROWS: tuple[OfRows, ...] = (
    OfRows(TOOL, _rate_other_tool, _describe_other_tool, marks=other_tools.MARKS_OF_ROWS),
    OfRows(JUDGE, _rate_definitions, marks=OF_DEFINITION),
    OfRows(SCORES, _rate_scores, _describe_scores),
    OfRows(ANSWERS, _rate_saved_responses),
    OfRows(ANSWERS, _rate_responses),
    OfRows(TRAINING, _rate_training, _describe_training),
)

"""What a file is, worked out from its content; the name decides only where the content cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from readback import plugins
from readback.readers import checkpoint
from readback.readers.paths import show
from readback.readers.row import Header, Row
from readback.readers.yaml_file import Parsed, read_yaml
from readback.records import training_row
from readback.records.raw_rows import raw_rows
from readback.scores import files
from readback.scores.files import metrics, verification
from readback.scores.files.verification.shapes import beginning
from readback.serving.chat import files as chat_files
from readback.serving.modelfile import read_file as modelfile
from readback.sources import (
    albert,
    comparisons,
    instructions,
    judge_prompts,
    model_yaml,
    other_tools,
    plain_prompts,
    plan,
    training_code,
)
from readback.types import Diagnostic, Location

CONFIGS = (".yml", ".yaml", ".json")
ID = 40  # characters of a cell that may be an id
LOOKED_AT = 5  # rows that tell what a table is
HEAD = 1 << 20  # bytes in which a configuration's keys are looked for before it is parsed
# A configuration of ours has one of these keys; a folder full of other people's YAML is not parsed for nothing.
KEYS = re.compile(
    rb"\b(prompts|runs|model|prompt|criteria|inference|within_group_comparisons|cross_group_comparisons|config"
    rb"|generation|parsing|abstention_detection|sufficiency_detection|rubric_evaluation|agentic_parsing|deep_judgment"
    rb"|prompt_config|answering_models|parsing_models|conditions|dataset|modes|tasks|judges|scores|system_prompt"
    rb"|extends|wording)[\"']?\s*:"
)

# A JSON object with one of these keys may be the means of a run; whether it is, its shape decides.
METRICS = re.compile(
    rb'"(judge_scores|citation_mean_coverage|total_examples|examples_evaluated|dimensions|weighted_score|overall)"'
)

JSON_LINES = re.compile(rb"\{[^\n]*\}[ \t\r]*\n\s*\{")  # an object a line, whatever the name says

WORKSPACE, PROMPTS, INSTRUCTIONS, PLAN = (
    "workspace file",
    "prompt configuration",
    "user instructions",
    "experiment plan",
)
MODEL, INFERENCE, JUDGE, COMPARISONS = "model", "judge inference", "judge prompt", "comparisons"
MODELFILE, DATASET, TRAINING, SCORES = "Modelfile", "dataset", "training data", "scores"
FORM = "table without rows"  # to be filled in, or what a broken export left
ANSWERS, ADAPTER, OTHER = "answers", "adapter", "not recognised"
CHAT_TEMPLATE, CODE = "chat template", "code with a system message"
TEMPLATE, TOOL = "prompt template", "file of another tool"
NOT_YET = "{}, which Readback does not read yet"
# Code without any of these states no system message: the role, a name that gets a value, a function that builds it.
SAYS_SYSTEM = re.compile(rb"system\\?[\"']|system\w*\s*(?::[^=\n]{0,60})?=|def \w*system", re.IGNORECASE)
SENT = {"prompt_text", "model_label", "prompt_mode"}  # columns of saved responses beside the response
RECORD = {"rag", "instruction", "question", "query_text"}  # columns of what is asked, which a score file seldom has
JUDGED = {"judge_scores", "judge_verdict"}  # columns of a run's details
PAIR = {"model_a", "model_b", "outcome"}  # columns of outcomes side by side, which repeat what was asked
CHAT = {"messages", "completion", "chosen", "chosen_messages", "preferred_output"}  # columns of training rows
TOP = frozenset({
    "name", "language", "headline", "today", "dataset", "options", "prompts", "modes", "tasks", "context", "adapters",
    "instructions", "models", "plan", "conditions", "judges", "scores", "sent", "training", "criteria", "acronyms",
    "comparisons", "leaks", "ignore",
})  # fmt: skip
SCHEMA = ("dataset", "prompts", "modes", "tasks", "conditions", "models", "judges", "scores", "adapters", "criteria")


@dataclass(frozen=True, slots=True)
class Found:
    """A file and what it is. `fields` are a table's columns; `diagnostics` say why it could not be read."""

    path: Path
    what: str
    parsed: Parsed | None = None
    fields: frozenset[str] = frozenset()
    detail: str = ""
    diagnostics: tuple[Diagnostic, ...] = field(default=())
    texts: bool = False  # whether its first rows hold more than ids and numbers


def recognise(path: Path, root: Path, named: bool = False) -> Found:
    """What the file at `path` is; one that cannot be read is "not recognised", with diagnostics.

    `named`: somebody asked for this very file, so it is parsed even where no key of ours is seen in it, and is a
    dataset even where no row of it is a record.
    """
    if modelfile.recognise(path):
        return Found(path, MODELFILE)
    if chat_files.recognise(path):
        return Found(path, CHAT_TEMPLATE)
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix in (*checkpoint.SUFFIXES, ".json") and (found := _checkpoint(path, suffix, named)):
        return found
    if suffix in (*_tables(), ".json") and verification.sees(path) and files.recognise(path, show(root, path)):
        return Found(path, SCORES, detail=verification.NAME)
    if suffix in _tables():
        return _table(path, root, named)
    if suffix in CONFIGS:
        return _config(path, root, suffix, named)
    if judge_prompts.recognise(path, None):
        return Found(path, JUDGE)
    if suffix in training_code.SUFFIXES and SAYS_SYSTEM.search(_head(path, training_code.LIMITS[suffix])):
        return Found(path, CODE)
    return Found(path, TEMPLATE if named and plain_prompts.ending(path.name) else OTHER)


def _checkpoint(path: Path, suffix: str, named: bool) -> Found | None:
    """A benchmark, by its content. Of JSON-LD that is none and that somebody names, its reader says why it is none."""
    of_json_ld = suffix in checkpoint.SUFFIXES
    head = beginning(path)
    if checkpoint.begins(head) or (of_json_ld and (named or checkpoint.lists_questions(head))):
        return Found(path, DATASET)
    if of_json_ld:
        detail = f"it is not a checkpoint, which is a {checkpoint.FEED} with {checkpoint.QUESTIONS}"
        return Found(path, OTHER, detail=detail)
    return None


@cache
def _tables() -> frozenset[str]:
    """The suffixes of the dataset formats, but for those that configurations have too."""
    return frozenset(s for module in plugins.by("formats").values() for s in module.SUFFIXES) - set(CONFIGS)


def _config(path: Path, root: Path, suffix: str, named: bool) -> Found:
    head = _head(path)
    begin = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if suffix == ".json" and (begin.startswith(b"[") or JSON_LINES.match(begin)):
        return _table(path, root, named)
    if suffix == ".json" and _is_metrics(head) and metrics.only_object(path, show(root, path)):
        return Found(path, SCORES, detail=metrics.NAME)
    ours = named or path.name in albert.FILES or KEYS.search(head) or _of_plugins().search(head)
    if head and not (ours or other_tools.KEYS.search(head)):
        return Found(path, OTHER)
    parsed = read_yaml(path, show(root, path))
    if tool := other_tools.of_mapping(parsed.value):
        return Found(path, TOOL, parsed, detail=NOT_YET.format(tool))
    if head and not ours:
        return Found(path, OTHER)
    what = _dialect(path, parsed.value)
    if what in (WORKSPACE, ADAPTER, OTHER) and (name := _plugin(path, parsed.value)):
        return Found(path, PROMPTS, parsed, detail=name, diagnostics=parsed.diagnostics)
    return Found(path, what, parsed, diagnostics=parsed.diagnostics)


@cache
def _of_plugins() -> re.Pattern[bytes]:
    """The keys of which a configuration that a plugin reads has one; without plugins nothing is found."""
    keys = [re.escape(one.encode()) for found in plugins.found("dialects").values() for one in found.value.KEYS]
    return re.compile(rb"(?:%s)[\"']?\s*:" % b"|".join(keys) if keys else rb"(?!)")


def _plugin(path: Path, value: Any) -> str | None:
    """The name of the plugin that reads such a configuration; what is ours already is never asked about."""
    if path.name == "readback.yml":
        return None
    for name, one in plugins.found("dialects").items():
        if plugins.tried(one.entry, partial(one.value.recognise, path, value)):
            return name
    return None


def _dialect(path: Path, value: Any) -> str:
    """The first dialect that recognises it; the plainest marks come first."""
    if plan.recognise(path, value):
        return PLAN
    if comparisons.recognise(path, value):
        return COMPARISONS
    if albert.recognise(path, value):
        return PROMPTS
    if judge_prompts.recognise(path, value):
        return JUDGE
    if model_yaml.recognise(path, value):
        return INFERENCE if model_yaml.is_inference(path, value) else MODEL
    if instructions.recognise(path, value):
        return INSTRUCTIONS
    if isinstance(value, Mapping) and "name" in value and {"system_prompt", "extends", "wording"} & value.keys():
        return ADAPTER
    if isinstance(value, Mapping) and any(isinstance(value.get(key), Mapping | list) for key in SCHEMA):
        ours = sum(key in TOP for key in value)
        return WORKSPACE if 2 * ours > len(value) else OTHER  # of other people's files a key or two has our names
    return OTHER


def _table(path: Path, root: Path, named: bool) -> Found:
    """What a file of rows is. One that nobody `named` is no dataset where it holds something else than objects, or
    nothing but the names of its columns.
    """
    file = show(root, path)
    refused: list[None] = []
    above: list[Header] = []
    told = raw_rows(path, file, refused=lambda: refused.append(None), header=above.append, enough=LOOKED_AT)
    begin = tuple(islice(told, LOOKED_AT))
    rows = [row.fields for row in begin if isinstance(row, Row)]
    fields = frozenset(str(key) for row in rows for key in row)
    bad = [found.values for found in begin if isinstance(found, Diagnostic) and found.code == "dat-bad-line"]
    if bad and not (rows or named) and all("kind" in values for values in bad):  # values, but no records
        detail = f"records are objects, but it contains none; the first entry is {bad[0]['kind']}"
        return Found(path, OTHER, detail=detail)
    if not (rows or refused or named) and (columns := above[0].shape.get("names") if above else None):
        diagnostic = Diagnostic("dat-empty-file", {"columns": columns}, Location(file=file), severity="info")
        return Found(
            path, FORM, fields=frozenset(columns), detail="only its columns are named", diagnostics=(diagnostic,)
        )
    if not rows:
        return Found(path, DATASET, detail="no record could be read from its beginning")
    if tool := other_tools.of_rows(fields):
        return Found(path, TOOL, fields=fields, detail=NOT_YET.format(tool))
    if judge_prompts.recognise(path, rows[0]):
        return Found(path, JUDGE, fields=fields)
    if "response" in fields and (fields & SENT or not fields & (RECORD | CHAT)):
        return Found(path, ANSWERS, fields=fields)
    # a run's details, and outcomes side by side, repeat the question beside what was given
    if (not fields & RECORD or fields & JUDGED or fields >= PAIR) and (scores := files.recognise(path, file)):
        return Found(path, SCORES, fields=fields, detail=scores)
    if kind := training_row.most(rows):
        return Found(path, TRAINING, fields=fields, detail=training_row.SAID[kind])
    texts = any(
        not isinstance(cell, str | int | float | None) or len(str(cell)) > ID for row in rows for cell in row.values()
    )
    return Found(path, DATASET, fields=fields, texts=texts)


def _is_metrics(head: bytes) -> bool:
    return bool(METRICS.search(head))


def _head(path: Path, size: int = HEAD) -> bytes:
    """The beginning of a file, or nothing: whoever reads it whole says what is wrong with it."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""

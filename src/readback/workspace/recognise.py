"""What a file is, worked out from its content; the name decides only where the content cannot."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from readback import plugins
from readback.projects import (
    banks,
    dotprompt,
    dspy,
    haystack,
    langchain,
    langfuse,
    llamaindex,
    mlflow_prompts,
    prompty,
    semantic_kernel,
)
from readback.readers import arrow_file, checkpoint, json_file, llama_factory_info, sqlite_file, xlsx
from readback.readers.choose_format import BINARY, Signature, read_beginning
from readback.readers.files.paths import format_relative
from readback.readers.files.row import Header, Row
from readback.readers.files.text_file import read_head
from readback.readers.logs.formats import find_format
from readback.readers.yaml.yaml_file import Parsed, read_yaml
from readback.records.raw_rows import read_raw_rows
from readback.records.replies import batch_replies
from readback.scores import files
from readback.serving.chat import files as chat_files
from readback.serving.modelfile import read_file as modelfile
from readback.sources import albert, other_tools
from readback.sources.judges import judge_prompts
from readback.sources.templates import plain_prompts
from readback.sources.training import training_code
from readback.types import Diagnostic, Location
from readback.workspace.kinds import (
    ADAPTER,
    ANSWERS,
    BATCH,
    CHAT_TEMPLATE,
    CODE,
    COMPARISONS,
    DATASET,
    FORM,
    INFERENCE,
    INSTRUCTIONS,
    JUDGE,
    LOG,
    MODEL,
    MODELFILE,
    NOT_YET,
    OTHER,
    PART,
    PLAN,
    PROJECT,
    PROMPTS,
    SCORES,
    TEMPLATE,
    TOOL,
    TOOL_PROMPT,
    TRAINING,
    WORKSPACE,
    Table,
    classify_mapping,
    classify_rows,
)

__all__ = [
    "ADAPTER",
    "ANSWERS",
    "BATCH",
    "CHAT_TEMPLATE",
    "CODE",
    "COMPARISONS",
    "DATASET",
    "FORM",
    "ID",
    "INFERENCE",
    "INSTRUCTIONS",
    "JUDGE",
    "LOG",
    "LOOKED_AT",
    "MODEL",
    "MODELFILE",
    "OTHER",
    "PART",
    "PLAN",
    "PROJECT",
    "PROMPTS",
    "SCORES",
    "TEMPLATE",
    "TOOL",
    "TOOL_PROMPT",
    "TRAINING",
    "WORKSPACE",
    "RecognisedFile",
    "recognise",
]

CONFIGS = (".yml", ".yaml", ".json")
TEMPLATES = (".jinja", ".jinja2", ".j2", ".txt", ".md", ".prompt", ".hbs", ".handlebars")
ID = 40  # characters of a cell that may be an id
LOOKED_AT = 5  # rows that tell what a table is
# A configuration of ours has one of these keys; a folder full of other people's YAML is not parsed for nothing.
KEYS = re.compile(
    rb"\b(prompts|runs|model|prompt|criteria|inference|within_group_comparisons|cross_group_comparisons|config"
    rb"|generation|parsing|abstention_detection|sufficiency_detection|rubric_evaluation|agentic_parsing|deep_judgment"
    rb"|prompt_config|answering_models|parsing_models|conditions|dataset|modes|tasks|judges|scores|system_prompt"
    rb"|extends|wording)[\"']?\s*:"
)

JSON_LINES = re.compile(rb"\{[^\n]*\}[ \t\r]*\n\s*\{")  # an object a line, whatever the name says

BY_KEY = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')  # an object in an object
# Names of fields that records have and other objects seldom do.
FIELDS = re.compile(
    rb'"(?:question|query|prompt|instruction|inputs?|outputs?|answers?|responses?|messages|conversations?|completion'
    rb'|contexts?|documents?|user_input|reference|text|passage|title|summary|ideal|target|label|expected\w*)"\s*:',
    re.IGNORECASE,
)

# Prompts of other tools that are an object in JSON or YAML: the tool, what such a file is called, and what tells.
PROMPT_OBJECTS: tuple[tuple[str, str, Callable[[Mapping[str, Any]], bool]], ...] = (
    (haystack.TOOL, "a pipeline of Haystack", haystack.recognise),
    (llamaindex.TOOL, "a prompt of LlamaIndex", llamaindex.recognise),
    (langfuse.TOOL, "a prompt of Langfuse", langfuse.recognise),
    (mlflow_prompts.TOOL, "a prompt of MLflow", mlflow_prompts.recognise),
    (dspy.TOOL, "a program of DSPy", dspy.recognise),
    (semantic_kernel.TOOL, "a prompt of semantic-kernel", semantic_kernel.recognise),
)

LISTED = (langfuse.TOOL, mlflow_prompts.TOOL)  # tools of which a file may hold a list of prompts

OF_FOLDER = "what they are about is known in the folder whose requests they answer"
OF_EXPORT = "requests of an OpenAI batch that Readback exported; once they were sent, name the file under sent:"
# Code without any of these states no system message: the role, a name that gets a value, a function that builds it.
SAYS_SYSTEM = re.compile(rb"system\\?[\"']|system\w*\s*(?::[^=\n]{0,60})?=|def \w*system", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RecognisedFile:
    """A file and what it is. `fields` are a table's columns; `diagnostics` say why it could not be read; `reason` says
    why a file with the marks of a kind is not of it.
    """

    path: Path
    what: str
    parsed: Parsed | None = None
    fields: frozenset[str] = frozenset()
    detail: str = ""
    diagnostics: tuple[Diagnostic, ...] = field(default=())
    texts: bool = False  # whether its first rows hold more than ids and numbers
    reason: str = ""
    tool: str = ""  # whose prompt it is: a name in `tool_prompts.READERS`


@dataclass(frozen=True, slots=True)
class _Look:
    """A file that is looked at: where it is, its ending without .gz, and whether somebody `named` it."""

    path: Path
    root: Path
    suffix: str
    named: bool

    @property
    def file(self) -> str:
        return format_relative(self.root, self.path)


def recognise(path: Path, root: Path, named: bool = False) -> RecognisedFile:
    """Return what the file at `path` is; one that cannot be read is "not recognised", with diagnostics.

    `named`: somebody asked for this very file, so it is parsed even where no key of ours is seen in it, and is a
    dataset even where no row of it is a record.
    """
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    look = _Look(path, root, suffix, named)
    for step in STEPS:
        result = step(look)
        if result is not None:
            return result
    return RecognisedFile(path, OTHER)


def _recognise_modelfile(look: _Look) -> RecognisedFile | None:
    if modelfile.NAME in look.path.name.lower() and modelfile.recognise(look.path):
        return RecognisedFile(look.path, MODELFILE)
    return None


def _recognise_chat_template(look: _Look) -> RecognisedFile | None:
    if look.path.name in chat_files.NAMES:
        return RecognisedFile(look.path, CHAT_TEMPLATE)
    return None


def _recognise_checkpoint(look: _Look) -> RecognisedFile | None:
    """Recognise a benchmark by its content. Of JSON-LD that is not one and that somebody names, the reader says why."""
    if look.suffix not in (*checkpoint.SUFFIXES, ".json"):
        return None
    of_json_ld = look.suffix in checkpoint.SUFFIXES
    head = read_beginning(look.path)
    if checkpoint.is_checkpoint(head) or (of_json_ld and (look.named or checkpoint.lists_questions(head))):
        return RecognisedFile(look.path, DATASET)
    if of_json_ld:
        detail = f"it is not a checkpoint, which is a {checkpoint.FEED} with {checkpoint.QUESTIONS}"
        return RecognisedFile(look.path, OTHER, detail=detail)
    return None


def _recognise_log(look: _Look) -> RecognisedFile | None:
    """Recognise a log of another tool. Training rows stay a dataset, and a batch that Readback exported is our own."""
    log_format = find_format(look.path)
    if log_format is None or log_format.is_dataset or _is_our_batch(look):
        return None
    return RecognisedFile(look.path, LOG, detail=log_format.name)


def _is_our_batch(look: _Look) -> bool:
    """Tell whether the first rows of a file name requests that Readback exported."""
    if look.suffix not in _list_table_suffixes():
        return False
    rows = islice(read_raw_rows(look.path, look.file, enough=LOOKED_AT), LOOKED_AT)
    return batch_replies.is_exported([row.fields for row in rows if isinstance(row, Row)])


def _recognise_score_file(look: _Look) -> RecognisedFile | None:
    """Recognise a file of scores that is neither a table nor a list of rows."""
    if look.suffix not in (*_list_table_suffixes(), ".json"):
        return None
    kind = files.find_kind_of_whole_file(look.path, look.file)
    if kind:
        return RecognisedFile(look.path, SCORES, detail=kind.name)
    return None


def _recognise_rows(look: _Look) -> RecognisedFile | None:
    """Recognise a table by its ending, and JSON that begins with a list or has an object a line."""
    if look.suffix in _list_table_suffixes():
        signature = _find_signature(look.suffix)
        if signature and not look.named and not signature.matches(read_head(look.path)):
            return None
        return _recognise_table(look)
    if look.suffix != ".json":
        return None
    begin = read_head(look.path).lstrip(b"\xef\xbb\xbf \t\r\n")
    is_table = begin.startswith(b"[") or JSON_LINES.match(begin)
    is_list_of_files = arrow_file.is_state(begin) or llama_factory_info.list_files(look.path)
    if is_table or is_list_of_files:
        return _recognise_table(look)
    return None


def _recognise_part(look: _Look) -> RecognisedFile | None:
    """Recognise what lies in the folder of a saved dataset beside the file that names it."""
    if look.named or look.suffix not in (*_list_table_suffixes(), ".json"):
        return None
    if look.suffix in (*arrow_file.SUFFIXES, ".json"):
        home = arrow_file.find_state(look.path)
    else:
        home = None
    home = home or llama_factory_info.find_info(look.path, look.root)
    if home:
        return RecognisedFile(look.path, PART, detail=f"of the dataset in {format_relative(look.root, home)}")
    return None


def _recognise_judge_code(look: _Look) -> RecognisedFile | None:
    if judge_prompts.recognise(look.path, None):
        return RecognisedFile(look.path, JUDGE)
    return None


def _recognise_training_code(look: _Look) -> RecognisedFile | None:
    if look.suffix not in training_code.SUFFIXES:
        return None
    states = SAYS_SYSTEM.search(read_head(look.path, training_code.LIMITS[look.suffix]))
    if states:
        return RecognisedFile(look.path, CODE)
    return None


def _recognise_template(look: _Look) -> RecognisedFile | None:
    """Any text that somebody names; in a folder `plain_templates` decides which texts are prompts."""
    if look.named and plain_prompts.find_ending(look.path.name):
        return RecognisedFile(look.path, TEMPLATE)
    return None


def _recognise_prompt(look: _Look) -> RecognisedFile | None:
    """Recognise prompts of prompty by their settings, and those of promptflow by the role line that they begin with."""
    if look.suffix not in (prompty.SUFFIX, prompty.FLOW_SUFFIX):
        return None
    tool = prompty.find_tool(read_head(look.path), look.path.name.lower())
    if tool:
        return RecognisedFile(look.path, TOOL_PROMPT, detail=f"a prompt of {tool}", tool=prompty.TOOL)
    return None


def _recognise_template_of_tool(look: _Look) -> RecognisedFile | None:
    """Recognise templates by what only one tool's have in them."""
    if look.suffix not in TEMPLATES:
        return None
    head = read_head(look.path)
    if banks.recognise(head):
        return RecognisedFile(look.path, TOOL_PROMPT, detail="a prompt of banks (or of LlamaIndex)", tool=banks.TOOL)
    if dotprompt.recognise(head, look.suffix):
        return RecognisedFile(look.path, TOOL_PROMPT, detail="a prompt of dotprompt", tool=dotprompt.TOOL)
    return None


@cache
def _list_table_suffixes() -> frozenset[str]:
    """Return the suffixes of the dataset formats, but for those that configurations have, too."""
    return frozenset(s for module in plugins.load_modules("formats").values() for s in module.SUFFIXES) - set(CONFIGS)


@cache
def _find_signature(suffix: str) -> Signature | None:
    """Return how files of the format with that ending begin, where the format is not text."""
    for name, module in plugins.load_modules("formats").items():
        if suffix in module.SUFFIXES and name in (sqlite_file.NAME, xlsx.NAME, arrow_file.NAME):
            return BINARY[name]
    return None


def _recognise_config(look: _Look) -> RecognisedFile | None:
    if look.suffix not in CONFIGS:
        return None
    path = look.path
    head = read_head(path)
    ours = look.named or path.name in albert.FILES or KEYS.search(head)
    if head and not (ours or other_tools.KEYS.search(head)):
        return _recognise_by_key(look, head) or RecognisedFile(path, OTHER)
    parsed = read_yaml(path, look.file)
    tool = other_tools.describe_mapping(parsed.value)
    if tool in (other_tools.PROMPTFOO, other_tools.LM_EVAL):
        return RecognisedFile(path, PROJECT, parsed, detail=tool or "")
    if tool in other_tools.LANGCHAIN:
        return RecognisedFile(path, TOOL_PROMPT, parsed, detail=tool or "", tool=langchain.TOOL)
    if tool:
        return RecognisedFile(path, TOOL, parsed, detail=NOT_YET.format(tool))
    for name, description, fits in PROMPT_OBJECTS:
        if isinstance(parsed.value, Mapping) and fits(parsed.value):
            return RecognisedFile(path, TOOL_PROMPT, parsed, detail=description, tool=name)
    if head and not ours:
        return _recognise_by_key(look, head) or RecognisedFile(path, OTHER)
    claim = classify_mapping(path, parsed.value)
    what = claim.kind or OTHER
    if look.named and claim.near == INSTRUCTIONS:  # whoever names it means it, and its wrong keys are named
        what = INSTRUCTIONS
    if what == OTHER and (rows := _recognise_by_key(look, head)):
        return rows
    return RecognisedFile(path, what, parsed, diagnostics=parsed.diagnostics, reason=claim.reason)


def _recognise_by_key(look: _Look, head: bytes) -> RecognisedFile | None:
    """Recognise a JSON object whose values are records, each under its id, if they hold what a prompt is made of."""
    if look.suffix != ".json" or not BY_KEY.match(head) or not (look.named or FIELDS.search(head)):
        return None
    shape: dict[str, Any] = {}
    for _ in islice(read_raw_rows(look.path, look.file, header=lambda event: shape.update(event.shape)), 1):
        pass
    if json_file.KEY in shape:
        return _recognise_table(look)
    return None


def _recognise_table(look: _Look) -> RecognisedFile:
    """Return what a file of rows is. One that nobody named is no dataset where it holds something else than objects,
    or nothing but the names of its columns.
    """
    path, file, named = look.path, look.file, look.named
    refused: list[None] = []
    above: list[Header] = []
    events = read_raw_rows(path, file, refused=lambda: refused.append(None), header=above.append, enough=LOOKED_AT)
    begin = tuple(islice(events, LOOKED_AT))
    rows = [row.fields for row in begin if isinstance(row, Row)]
    fields = frozenset(str(key) for row in rows for key in row)
    bad = [event.values for event in begin if isinstance(event, Diagnostic) and event.code == "dat-bad-line"]
    if bad and not (rows or named) and all("kind" in values for values in bad):  # values, but no records
        detail = f"records are objects, but it contains none; the first entry is {bad[0]['kind']}"
        return RecognisedFile(path, OTHER, detail=detail)
    if not (rows or refused or named) and (columns := above[0].shape.get("names") if above else None):
        diagnostic = Diagnostic("dat-empty-file", {"columns": columns}, Location(file=file), severity="info")
        return RecognisedFile(
            path, FORM, fields=frozenset(columns), detail="only its columns are named", diagnostics=(diagnostic,)
        )
    if not rows:
        return RecognisedFile(path, DATASET, detail="no record could be read from its beginning")
    if batch_replies.CUSTOM_ID in fields and batch_replies.is_exported(rows):
        if batch_replies.is_batch(fields):
            return RecognisedFile(path, BATCH, fields=fields, detail=OF_FOLDER)
        if "body" in fields:
            return RecognisedFile(path, TOOL, fields=fields, detail=OF_EXPORT)
    for name, description, fits in PROMPT_OBJECTS:
        if name in LISTED and look.suffix == ".json" and all(map(fits, rows)):
            return RecognisedFile(path, TOOL_PROMPT, fields=fields, detail=f"a list, each {description}", tool=name)
    claim = classify_rows(Table(path, rows, fields, files.find_kind(path, file)))
    texts = claim.kind == DATASET and any(map(_holds_texts, rows))
    return RecognisedFile(path, claim.kind or DATASET, fields=fields, detail=claim.detail, texts=texts)


def _holds_texts(row: Mapping[str, Any]) -> bool:
    """Return whether a row holds more than ids and numbers."""
    return any(not isinstance(cell, str | int | float | None) or len(str(cell)) > ID for cell in row.values())


# The order in which a file is looked at: what its name decides, then its content, the most specific first.
STEPS: tuple[Callable[[_Look], RecognisedFile | None], ...] = (
    _recognise_modelfile,
    _recognise_chat_template,
    _recognise_checkpoint,
    _recognise_part,
    _recognise_log,
    _recognise_score_file,
    _recognise_rows,
    _recognise_config,
    _recognise_prompt,
    _recognise_template_of_tool,
    _recognise_judge_code,
    _recognise_training_code,
    _recognise_template,
)

"""The schema of readback.yml: every key, its kind of value, and one sentence of help.

Reading a file through the schema reports each wrong key and value with its place and gives typed sections. The same
declarations are the JSON Schema that editors complete and check the file with. What follows from the values, such as
which files they name, is the business of the modules that take a section into the workspace.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args

from readback import plugins
from readback.readers.files.decoding import ENCODINGS
from readback.readers.yaml.yaml_file import Node
from readback.records.training.training_row import TRAIN
from readback.serving import named_formats
from readback.serving.chat import model_input as chat
from readback.serving.ollama import engine
from readback.sources import prompt_formats
from readback.sources.instruction_keys import KEYS as INSTRUCTIONS
from readback.sources.instruction_keys import SHORTCUTS
from readback.sources.options import OPTIONS
from readback.types import Leaks, OllamaServer, Syntax, Values
from readback.workspace.workspace_file.values import (
    FLAG,
    TEXT,
    TEXT_NODE,
    TEXT_NODES,
    TEXTS,
    VALUES,
    Kind,
    Schema,
    Section,
    TextNode,
    any_of,
    any_value,
    describe_section,
    key,
    list_of,
    mapping_of,
    mapping_with,
    one_of,
    section,
    text_or,
    whole,
)

DRAFT = "http://json-schema.org/draft-07/schema#"
SYNTAXES = tuple(syntax for syntax in get_args(Syntax) if syntax != "builder")
SPELLINGS = {True: "on", False: "off"}  # YAML reads the words on and off as true and false
VARIED = ("mode", "task", "model", "adapter", "system")  # what `varies` of a comparison may name
LEAST_ALIKE = 0.5  # below, texts on one subject are alike by chance
PERSON, MODEL = JUDGES = ("person", "model")
PLACES = ("file", "mode", "adapter", "task", "condition", "judge", "record", "role", "field")  # of an ignored finding
UNSET: Literal["unset"] = "unset"
Setting = Literal["true", "false", "unset"]
RANGE = {"min", "max"}
OPTION_LISTS = ("tools", "documents")  # of template_options: a list of mappings, or the path of a JSON file with one
OPTIONS_OF_SERVER = ("messages", "add_generation_prompt")  # which template_options may not set
PATH = {"type": "string"}


def _fixed(*values: str) -> Kind[str]:
    return one_of(lambda: values)


def _read_day(node: Node) -> str | None:
    text = node.text()
    if text is None:
        return None
    with contextlib.suppress(ValueError):
        return date.fromisoformat(text).isoformat()
    node.wrong("a day, as 2026-01-31")
    return None


def _option(values: Collection[str]) -> Kind[str]:
    """Return the kind of a named behaviour."""

    def read(node: Node) -> str | None:
        if isinstance(node.value, bool):
            word = SPELLINGS[node.value]
        else:
            word = node.value
        if isinstance(word, str) and word in values:
            return word
        return node.one_of(values)

    spelled = [word for word, text in SPELLINGS.items() if text in values]
    return Kind(read, lambda: {"enum": [*values, *spelled]})


def _read_version(node: Node) -> str | None:
    """Read the version as a text: YAML would make 0.3 of 0.30."""
    if isinstance(node.value, str) and engine.parse_version(OllamaServer(node.value)) is not None:
        return node.value
    node.wrong("a version such as '0.31.1', in quotes, as `ollama --version` prints it")
    return None


def _read_go_template(node: Node) -> Setting | None:
    """Read the value of OLLAMA_GO_TEMPLATE in the server's environment; 1 and 0 count as there."""
    if isinstance(node.value, bool | int) and node.value in (0, 1):
        if node.value:
            return "true"
        return "false"
    if node.value == UNSET:
        return UNSET
    node.wrong("true, false or unset: how OLLAMA_GO_TEMPLATE is set where the server runs")
    return None


def _read_judge_fields(node: Node) -> dict[str, str | None]:
    """Read the field of each name; null, or an empty text, where the name is to be left out."""
    fields: dict[str, str | None] = {}
    for name, part in node.entries():
        if part.value not in (None, ""):
            text = part.text()
            if text is not None:
                fields[name] = text
        elif name == "answer":
            part.wrong("a field: a judge without an answer judges nothing")
        else:
            fields[name] = None
    return fields


def _read_margin(node: Node) -> float | None:
    """Read a difference too small to matter. None is smaller than 0, and of 0 none can be shown."""
    margin = node.number()
    if margin is not None and not 0 < margin < math.inf:
        node.wrong("a number above 0")
        return None
    return margin


def _read_varied(node: Node) -> str | None:
    name = node.text()
    if name is not None and name not in VARIED:
        node.wrong("one of " + ", ".join(VARIED))
        return None
    return name


def _read_threshold(node: Node) -> float | None:
    share = node.number()
    if share is not None and not LEAST_ALIKE <= share <= 1:
        node.wrong(f"a share from {LEAST_ALIKE} to 1, such as {Leaks().threshold}")
        return None
    return share


def _read_training(node: Node) -> dict[str, tuple[TextNode, ...]]:
    """Read the patterns by split; without splits all of them are trained on."""
    if isinstance(node.value, Mapping):
        patterns = mapping_of(TEXT_NODES)
    else:
        patterns = None
    if patterns:
        return patterns.read(node) or {}
    return {TRAIN: TEXT_NODES.read(node) or ()}


def list_chat_formats() -> tuple[str, ...]:
    """Return the names that `format:` of a model's serving and training may have."""
    return (*named_formats.FORMATS, named_formats.NO_FORMAT, *chat.list_formats())


def _describe_template_options() -> Schema:
    rows = any_of(PATH, {"type": "array", "items": {"type": "object"}}, {"type": "null"})
    return {
        "type": "object",
        "properties": dict.fromkeys(OPTION_LISTS, rows),
        "propertyNames": {"not": {"enum": list(OPTIONS_OF_SERVER)}},
    }


NUMBERS = {"type": "array", "items": {"type": "number"}}
SCALE = any_of(
    {**NUMBERS, "minItems": 1},
    {"enum": ["binary", "nominal"]},
    {
        "type": "object",
        "properties": {"min": {"type": "number"}, "max": {"type": "number"}},
        "required": ["min", "max"],
        "additionalProperties": False,
    },
)
LONG_FORMS = any_of(PATH, {"type": "object", "additionalProperties": {"type": ["string", "number", "null"]}})
INSTRUCTION = {"type": ["string", "null"]}
INSTRUCTION_KEYS = {
    "type": "object",
    "properties": dict.fromkeys((*INSTRUCTIONS, *SHORTCUTS), INSTRUCTION),
    "additionalProperties": False,
}
SYNTAX = _fixed(*SYNTAXES)
FORMAT = one_of(list_chat_formats)
TEMPLATE_OPTIONS = Kind(lambda node: node, _describe_template_options)
JUDGE_FIELDS = Kind(
    _read_judge_fields, lambda: {"type": "object", "additionalProperties": {"type": ["string", "number", "null"]}}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSection(Section):
    """Which file holds the records, and how its fields are read."""

    path: TextNode | None = key(TEXT_NODE, "The file of records.", required=True)
    id: str | None = key(TEXT, "The field that is the id of a record.")
    fields: Mapping[str, str] = key(mapping_of(TEXT), "Template variable: record field.", empty=dict)
    private: tuple[str, ...] = key(TEXTS, "Fields that are masked everywhere.", empty=tuple)
    format: str | None = key(one_of(lambda: plugins.load_modules("formats")), "Its format, where the name misleads.")
    encoding: str | None = key(_fixed(*ENCODINGS), "Its encoding, where it is not UTF-8.")
    table: str | None = key(TEXT, "The sheet of a workbook, or the table of a database.")
    json: tuple[str, ...] | None = key(TEXTS, "Columns of a table that hold JSON; [] for none.")


def _check_dataset(dataset: DatasetSection) -> str:
    if dataset.parts and "path" not in dataset.parts:
        return "a mapping with path"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFileSection(Section):
    """A file of prompts, and the tool that reads it where its content does not decide that."""

    path: TextNode | None = key(TEXT_NODE, "The file, or builtin:prompt-formats.", required=True)
    tool: str | None = key(TEXT, "The tool that reads it, by name, such as promptflow.")
    loader: str | None = key(TEXT, "Which of the tool's loaders, by its version, such as 2.")


def _check_prompt_file(file: PromptFileSection) -> str:
    if "path" in file.parts:
        return ""
    return "a path, or a mapping with path and tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSection(Section):
    """The texts of a mode or a task: written here, or in a file beside this one."""

    mode: str | None = key(TEXT, "The name of the mode.")
    template: str | None = key(TEXT, "The template of the user message.", aliases=("user",))
    template_file: TextNode | None = key(TEXT_NODE, "The file with that template.", aliases=("user_file",))
    part: int | None = key(whole(1), "Which of the prompts that lines of --- part in that .txt file.")
    system: str | None = key(TEXT, "The template of the system message.")
    system_file: TextNode | None = key(TEXT_NODE, "The file with that template.")
    syntax: str | None = key(SYNTAX, "The language of the templates; jinja where nothing is said.")
    system_syntax: str | None = key(SYNTAX, "The language of the system message's template, where it is another one.")
    default: Values = key(VALUES, "Values of variables that a record does not have.", empty=dict)
    settings: Values = key(VALUES, "Settings of a mode, such as its limit of documents.", empty=dict)
    wording: Node | None = key(any_value(), "Whose sentences these are.")
    origin: Node | None = key(any_value(), "Where an import read them.")


LISTED_PROMPT = section(PromptSection, without=("wording", "origin"))
NAMED_PROMPT = section(PromptSection, without=("mode", "wording", "origin"))
PROMPT_FILE = section(PromptSection, without=("mode",))


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPrompts(Section):
    """What `modes:` or `tasks:` define: each name with the file of its texts, or with the texts themselves."""

    prompts: tuple[tuple[str, TextNode | PromptSection], ...] = ()


def _read_prompts(node: Node) -> NamedPrompts:
    prompts: list[tuple[str, TextNode | PromptSection]] = []
    for name, part in node.entries():
        if isinstance(part.value, str):
            prompts.append((name, TextNode(part.value, part)))
        elif prompt := NAMED_PROMPT.read(part):
            prompts.append((name, prompt))
    return NamedPrompts(node=node, prompts=tuple(prompts))


def _read_modes(node: Node) -> NamedPrompts:
    """Read modes by name, or a list of modes that are named by `mode`, as older files have it."""
    if isinstance(node.value, Mapping):
        return _read_prompts(node)
    prompts: list[tuple[str, TextNode | PromptSection]] = []
    for item in node.listed():
        prompt = LISTED_PROMPT.read(item)
        if prompt and prompt.mode:
            prompts.append((prompt.mode, prompt))
        elif prompt and "mode" not in prompt.parts:
            item.wrong("a mode with a name under mode")
    return NamedPrompts(node=node, prompts=tuple(prompts))


def _describe_prompts() -> Schema:
    return {"type": "object", "additionalProperties": any_of(PATH, NAMED_PROMPT.schema())}


def _describe_modes() -> Schema:
    listed = LISTED_PROMPT.schema() | {"required": ["mode"]}
    return any_of(_describe_prompts(), {"type": "array", "items": listed})


@dataclass(frozen=True, slots=True, kw_only=True)
class OllamaSection(Section):
    """The Ollama server that runs the Modelfiles."""

    version: str | None = key(Kind(_read_version, lambda: {"type": "string"}), "Its version, in quotes.")
    go_template: Setting | None = key(
        Kind(_read_go_template, lambda: {"enum": [True, False, UNSET, 0, 1]}), "OLLAMA_GO_TEMPLATE in its environment."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingSection(Section):
    """The servers that run the models."""

    ollama: OllamaSection | None = key(section(OllamaSection), "The Ollama server that runs the Modelfiles.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSource(Section):
    """Where a system text stands: a file, and which constant or cell of it."""

    file: TextNode | None = key(TEXT_NODE, "The file that holds the text.", name="from", required=True)
    constant: str | None = key(TEXT, "The constant of a Python file.")
    cell: int | None = key(whole(1), "The cell of a notebook.")


def _source(expected: str) -> Kind[TextSource]:
    return section(TextSource, check=lambda source: "" if "from" in source.parts else expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTraining(Section):
    """What a model was trained with."""

    system: TextNode | TextSource | None = key(
        text_or(_source("a text, or a mapping with from")), "The system text of its training."
    )
    messages: TextNode | None = key(TEXT_NODE, "The file of its training rows.")
    chat_template: TextNode | None = key(TEXT_NODE, "The chat template of its training.")
    tokenizer_config: TextNode | None = key(TEXT_NODE, "The tokenizer_config.json with that chat template.")
    format: str | None = key(FORMAT, "The chat format of its training, by name.")
    template_options: Node | None = key(TEMPLATE_OPTIONS, "What the chat template is given besides the messages.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServing(Section):
    """What serves a model."""

    modelfile: TextNode | None = key(TEXT_NODE, "Its Modelfile.")
    base: TextNode | None = key(TEXT_NODE, "The Modelfile of the model in FROM.")
    chat_template: TextNode | None = key(TEXT_NODE, "Its chat template.")
    tokenizer_config: TextNode | None = key(TEXT_NODE, "The tokenizer_config.json with its chat template.")
    add_special_tokens: bool | None = key(FLAG, "Whether the server adds the special tokens once more.")
    format: str | None = key(FORMAT, "Its chat format, by name.")
    template_options: Node | None = key(TEMPLATE_OPTIONS, "What the chat template is given besides the messages.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSection(Section):
    """What a model was trained with, and what serves it."""

    type: str | None = key(one_of(lambda: prompt_formats.TYPES), "Its type among the prompt formats.")
    config: TextNode | None = key(TEXT_NODE, "Its model YAML.")
    training: ModelTraining | None = key(section(ModelTraining), "What it was trained with.")
    stated_in: tuple[TextNode | TextSource, ...] | None = key(
        list_of(text_or(_source("a path, or a mapping with from and constant"))),
        "Further places that state its system message.",
    )
    serving: ModelServing | None = key(section(ModelServing), "What serves it.")
    template_options: Node | None = key(TEMPLATE_OPTIONS, "What the chat template is given besides the messages.")
    tokenizer: TextNode | None = key(TEXT_NODE, "A table such as qwen3, or the path of a tokenizer.json.")
    context: int | None = key(whole(1), "How many tokens it reads at once.")
    reserve: int | None = key(whole(0), "How many of them are for the answer.")
    settings: Values = key(VALUES, "Its settings, such as temperature.", empty=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionSection(Section):
    """What the records were answered under."""

    name: str | None = key(TEXT, "Its name; without one, what it names in a row.")
    mode: str | None = key(TEXT, "The mode that builds the prompt.")
    model: str | None = key(TEXT, "The model that answers.")
    adapter: str | None = key(TEXT, "The adapter that adds to the messages.")
    task: str | None = key(TEXT, "The task, for what the adapter adds.")
    judge: str | None = key(TEXT, "The judge of its answers.")
    answers: TextNode | None = key(TEXT_NODE, "The file of its answers.")
    aliases: tuple[str, ...] = key(TEXTS, "What score files call it.", empty=tuple)
    factors: Values = key(VALUES, "What it differs in, by name.", empty=dict)
    settings: Values = key(VALUES, "Further settings, by name.", empty=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTexts(Section):
    """The files or constants of a judge's prompt."""

    system: TextNode | None = key(TEXT_NODE, "The system text: a file, or a constant of `file`.")
    user: TextNode | None = key(TEXT_NODE, "The user text: a file, or a constant of `file`.")
    file: TextNode | None = key(TEXT_NODE, "The Python file of the constants.")


def _check_judge_texts(texts: JudgeTexts) -> str:
    if "file" in texts.parts or "user" in texts.parts:
        return ""
    return "a path, or a mapping with user"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSection(Section):
    """Who scores: the prompt of a model, or a person."""

    prompts: TextNode | JudgeTexts | None = key(
        text_or(section(JudgeTexts, check=_check_judge_texts)), "The file of its prompt, or the texts of it."
    )
    fields: Mapping[str, str | None] = key(JUDGE_FIELDS, "Name in the prompt: record field.", empty=dict)
    criteria: tuple[str, ...] | None = key(TEXTS, "What it judges.")
    settings: Values = key(VALUES, "Its settings, such as model.", empty=dict)
    kind: str | None = key(_fixed(*JUDGES), "Whether it is a person or a model.")


def _check_judge(judge: JudgeSection) -> str:
    if "prompts" in judge.parts or "kind" in judge.parts:
        return ""
    return "a judge with prompts, or with kind"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresSection(Section):
    """Score files, and how their columns are read."""

    path: TextNode | None = key(TEXT_NODE, "A path, or a pattern such as results/*.csv.", required=True)
    item: tuple[str, ...] = key(TEXTS, "Columns that name the item.", empty=tuple)
    condition: tuple[str, ...] = key(TEXTS, "Columns that name the condition.", empty=tuple)
    judges: tuple[str, ...] = key(TEXTS, "Columns that are a judge's scores each.", empty=tuple)
    criteria: tuple[str, ...] = key(TEXTS, "Columns that are a criterion each.", empty=tuple)
    criterion: str | None = key(TEXT, "The criterion of the scores.")
    cluster: str | None = key(TEXT, "The column that says which items belong together.")
    label: str | None = key(TEXT, "The condition of all rows.")
    synthetic: bool | None = key(FLAG, "Whether a generator made the scores up.")
    all_items: bool | None = key(FLAG, "Whether rows called TOTAL, mean and the like are items.")


def _check_scores(scores: ScoresSection) -> str:
    if "path" in scores.parts:
        return ""
    return "a path, or a mapping with path"


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionSection(Section):
    """What is judged, and on which scale."""

    scale: Node | None = key(any_value(SCALE), "Its values: a list of numbers, binary, nominal or {min, max}.")
    direction: Node | None = key(any_value({"enum": ["up", "down", "none"]}), "Which way is better.")
    unit: str | None = key(TEXT, "The unit of its values.")
    meanings: Mapping[str, str] = key(mapping_of(TEXT), "Value: what it means.", empty=dict)
    headline: bool | None = key(FLAG, "Whether the overview shows it first.")
    failed: Node | None = key(any_value(any_of({"type": "number"}, NUMBERS)), "Numbers that stand for no score.")
    scores: Node | None = key(any_value(any_of({"type": "number"}, NUMBERS)), "Numbers that look so and are scores.")


def _is_scale(value: Any) -> bool:
    return not isinstance(value, Mapping) or set(value) == RANGE


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSection(Section):
    """Two conditions that the study means to compare, and what it expects of them."""

    a: str | None = key(TEXT, "The first condition.", required=True)
    b: str | None = key(TEXT, "The second condition.", required=True)
    criterion: str | None = key(TEXT, "The criterion that decides.")
    judge: str | None = key(TEXT, "The judge whose scores decide.")
    expected: str | None = key(TEXT, "What the study expects.")
    question: str | None = key(TEXT, "The question that the pair answers.")
    name: str | None = key(TEXT, "Its name.")
    warning: str | None = key(TEXT, "What a reader has to know of it.")
    group: str | None = key(TEXT, "The group that it is listed in.")
    margin: float | None = key(
        Kind(_read_margin, lambda: {"type": "number", "exclusiveMinimum": 0}), "A difference too small to matter."
    )
    criteria: tuple[str, ...] = key(TEXTS, "The criteria that are compared.", empty=tuple)
    not_comparable: tuple[str, ...] = key(TEXTS, "Criteria that cannot be compared.", empty=tuple)
    varies: tuple[str, ...] = key(
        list_of(Kind(_read_varied, lambda: {"enum": list(VARIED)})), "What the two are meant to differ in.", empty=tuple
    )


def _check_comparison(pair: ComparisonSection) -> str:
    if pair.a is None or pair.b is None:
        return "a comparison with a and b, two conditions"
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaksSection(Section):
    """How system text is looked for in user messages."""

    threshold: float | None = key(
        Kind(_read_threshold, lambda: {"type": "number", "minimum": LEAST_ALIKE, "maximum": 1}),
        "The share of letters in common words from which a text counts as the same.",
    )
    phrases: tuple[str, ...] | None = key(TEXTS, "Phrases in place of the usual list; [] for none.")


@dataclass(frozen=True, slots=True, kw_only=True)
class IgnoreSection(Section):
    """Findings that are known and accepted."""

    code: str | None = key(TEXT, "The code of the rule.", required=True)
    why: str | None = key(TEXT, "Why they are accepted.")
    by: str | None = key(TEXT, "Who accepts them.")
    date: str | None = key(TEXT, "Since when.")
    where: Mapping[str, str] = key(
        mapping_with(dict.fromkeys(PLACES, TEXT)), "Where; without it, everywhere.", empty=dict
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceFile(Section):
    """readback.yml. The order of the keys is that in which findings list them."""

    name: str | None = key(TEXT, "The title of the study.")
    language: str | None = key(TEXT, "The language of the prompts, for screen readers, such as en.")
    headline: str | None = key(TEXT, "The criterion that the overview shows first.")
    today: str | None = key(
        Kind(_read_day, lambda: {"type": "string"}), "The day that chat templates print; without it, the day it is."
    )
    dataset: DatasetSection | None = key(
        section(DatasetSection, shorthand="path", check=_check_dataset), "The records: a path, or more about them."
    )
    options: Mapping[str, str] = key(
        mapping_with({name: _option(values) for name, values in OPTIONS.items()}),
        "Named behaviours of the source systems.",
        empty=dict,
    )
    env: Mapping[str, str] = key(
        mapping_of(TEXT), "Variables of the environment that a project of promptfoo is read with.", empty=dict
    )
    prompts: tuple[PromptFileSection, ...] = key(
        list_of(section(PromptFileSection, shorthand="path", check=_check_prompt_file), alone=True),
        "Configurations of prompts, template files, or builtin:prompt-formats; or a path with the tool that reads it.",
        empty=tuple,
    )
    modes: NamedPrompts | None = key(Kind(_read_modes, _describe_modes), "Ways to build the prompt for a record.")
    tasks: NamedPrompts | None = key(Kind(_read_prompts, _describe_prompts), "The base texts of a pipeline's calls.")
    context: Mapping[str, Mapping[str, Node]] = key(
        mapping_of(mapping_of(any_value())), "By task: what adapters are told besides the record.", empty=dict
    )
    adapters: tuple[TextNode, ...] = key(TEXT_NODES, "Shipped adapters by name, others by their file.", empty=tuple)
    instructions: Node | None = key(
        any_value(any_of(PATH, INSTRUCTION_KEYS)), "By task: a text that is added to the system text last; or a file."
    )
    serving: ServingSection | None = key(section(ServingSection), "The servers that run the models.")
    models: Mapping[str, ModelSection] = key(
        mapping_of(section(ModelSection, nullable=True)),
        "What each model was trained with, and what serves it.",
        empty=dict,
    )
    plan: tuple[TextNode, ...] = key(TEXT_NODES, "An experiment plan whose runs become conditions.", empty=tuple)
    conditions: tuple[ConditionSection, ...] = key(
        list_of(section(ConditionSection)), "What the records were answered under.", empty=tuple
    )
    judges: Mapping[str, JudgeSection] = key(
        mapping_of(section(JudgeSection, shorthand="prompts", check=_check_judge)),
        "Who scores the answers.",
        empty=dict,
    )
    scores: tuple[ScoresSection, ...] = key(
        list_of(section(ScoresSection, shorthand="path", check=_check_scores), alone=True), "Score files.", empty=tuple
    )
    sent: tuple[TextNode, ...] = key(TEXT_NODES, "Logged requests, as patterns of paths.", empty=tuple)
    logs: Mapping[str, Mapping[str, Node]] = key(
        mapping_of(mapping_of(any_value({"type": ["string", "null"]}))),
        "By log and by the name of a condition in it: the condition or mode that it is here; null for none.",
        empty=dict,
    )
    training: Mapping[str, tuple[TextNode, ...]] = key(
        Kind(_read_training, lambda: any_of(TEXT_NODES.schema(), mapping_of(TEXT_NODES).schema())),
        "Files of training rows, as patterns; or patterns by split.",
        empty=dict,
    )
    criteria: Mapping[str, CriterionSection] = key(
        mapping_of(section(CriterionSection, shorthand="scale", is_short=_is_scale)),
        "What is judged, and on which scale.",
        empty=dict,
    )
    acronyms: Node | None = key(
        any_value(any_of(LONG_FORMS, {"type": "array", "items": LONG_FORMS})),
        "Long forms that Albert modes put behind an acronym of the query; or a file of them.",
    )
    comparisons: tuple[ComparisonSection, ...] = key(
        list_of(section(ComparisonSection, check=_check_comparison)), "Pairs that the study compares.", empty=tuple
    )
    leaks: LeaksSection | None = key(section(LeaksSection), "How system text is looked for in user messages.")
    ignore: tuple[IgnoreSection, ...] = key(
        list_of(section(IgnoreSection, check=lambda ignored: "" if ignored.code is not None else "a code to ignore")),
        "Findings that are known and accepted.",
        empty=tuple,
    )


def describe_file() -> Schema:
    """Return the JSON Schema (draft 7) of readback.yml, for editors."""
    described = describe_section(WorkspaceFile)
    return {"$schema": DRAFT, "title": "readback.yml", **described}

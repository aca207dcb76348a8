"""The nouns: frozen values that flow from reading to showing. Standard library only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
Origin = Literal[
    "system", "task", "template", "variable", "default", "adapter", "instruction", "joiner", "serving", "unknown"
]
Severity = Literal["error", "warning", "info"]
Syntax = Literal["jinja", "format", "percent", "dollar", "mustache", "placeholder", "text", "builder"]
Values = Mapping[str, Any]  # JSON values by name


@dataclass(frozen=True, slots=True)
class Location:
    """Where a text comes from, or where a finding applies; every part is optional.

    `file` is a posix path relative to the workspace; `line` and `column` count from 1; `index` counts
    records from 0 among those read; `start` and `end` are character offsets into the text of the message
    named by `role` (or of the record's `field`).
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None
    index: int | None = None
    mode: str | None = None
    adapter: str | None = None
    task: str | None = None
    condition: str | None = None
    judge: str | None = None
    record: str | None = None
    role: str | None = None
    field: str | None = None
    start: int | None = None
    end: int | None = None


NOWHERE = Location()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a reader, renderer or assembler saw; the rule of the same code makes it a Finding.

    `values` fill the places of the rule's sentence. `flagged` is the offending text, which keeps the
    finding's key stable when lines move. `severity` only where one fault has two weights. `among` are the conditions
    that it is about where its sentence has room for a few of their names only.
    """

    code: str
    values: Values = field(default_factory=dict)
    place: Location = NOWHERE
    flagged: str = ""
    severity: Severity | None = None
    among: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One hit of a rule. `message` and `fix` are the rule's sentences with `values` filled in."""

    code: str
    severity: Severity
    values: Values
    message: str
    fix: str
    place: Location
    key: str


@dataclass(frozen=True, slots=True)
class Record:
    """One row of a dataset. `id` is text, or None for the one empty record of a workspace without data."""

    id: str | None
    fields: Values
    place: Location = NOWHERE
    masked: bool = False  # True when private fields were replaced, so nothing made from it is exact
    again: bool = False  # an earlier record of its file has the same id

    @property
    def is_called_by_place(self) -> bool:
        """Whether it has no id of its own: it is called by its line, or by its number where a line holds several."""
        if self.id is None:
            return False
        called = self.id.rstrip("_")
        numbered = self.place.index is not None and called == f"row_{self.place.index + 1}"
        return numbered or called == f"line_{self.place.line}"


@dataclass(frozen=True, slots=True)
class SystemText:
    """A system message stated somewhere: in training code, a Modelfile, a configuration, or a format's definition."""

    text: str
    source: Literal["training", "modelfile", "configuration", "format", "typed"]
    place: Location = NOWHERE
    name: str = ""  # the model or mode it belongs to
    verified: bool = True  # False for a text typed into the workspace file


@dataclass(frozen=True, slots=True)
class Systems:
    """System texts of a file's rows: rows with one, texts, rows with the most frequent, the words that all share."""

    rows: int = 0
    texts: int = 0
    most: int = 0
    frame: tuple[str, ...] = ()


NO_SYSTEMS = Systems()


@dataclass(frozen=True, slots=True)
class Prompt:
    """How one mode (or task) builds its base texts. `template` gives the user text, `system` the system text."""

    mode: str
    template: str | None
    system: str | None = None
    syntax: Syntax = "jinja"
    system_syntax: Syntax = "text"
    defaults: Values = field(default_factory=dict)
    settings: Values = field(default_factory=dict)  # sampling and other keys, shown and never used in text
    place: Location = NOWHERE  # of the template's first character
    system_place: Location = NOWHERE
    settings_places: Mapping[str, Location] = field(default_factory=dict)  # by name, where a file sets it
    project: Values | None = None  # of a prompt in another tool's project: what that tool's rendering needs


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """What one prompt configuration file says. `instructions` are user instructions by their key."""

    name: str
    dialect: str
    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    tasks: Mapping[str, Prompt] = field(default_factory=dict)
    chat_format: str | None = None
    max_tokens: int | None = None
    instructions: Mapping[str, str | None] = field(default_factory=dict)
    instruction_places: Mapping[str, Location] = field(default_factory=dict)
    settings: Values = field(default_factory=dict)
    place: Location = NOWHERE
    settings_places: Mapping[str, Location] = field(default_factory=dict)  # by name; in a list by models[0].top_k


@dataclass(frozen=True, slots=True)
class Addition:
    """Templates an adapter appends for one task; None where it adds nothing."""

    system: str | None = None
    user: str | None = None
    system_place: Location = NOWHERE
    user_place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Adapter:
    """What an interface adds to a task's messages, and what it supports."""

    name: str
    extends: str | None = None
    wording: str = "own"
    system_prompt: bool = True
    structured_output: bool = False
    additions: Mapping[str, tuple[Addition, ...]] = field(default_factory=dict)
    place: Location = NOWHERE
    stated: tuple[str, ...] = ()  # of system_prompt and structured_output those the file says; others are the parent's
    further: Mapping[str, bool] = field(default_factory=dict)  # other capabilities that the file states, only shown


@dataclass(frozen=True, slots=True)
class Modelfile:
    """A Modelfile as Ollama reads it: commands in order; `system` and `template` are the effective (last) ones.

    `shows` is the name of the model that `ollama show --modelfile` wrote the file for, empty for other files.
    """

    commands: tuple[tuple[str, str, int], ...]  # name, args, line
    system: str | None = None
    template: str | None = None
    system_place: Location = NOWHERE
    template_place: Location = NOWHERE
    place: Location = NOWHERE
    diagnostics: tuple[Diagnostic, ...] = ()
    shows: str = ""


@dataclass(frozen=True, slots=True)
class TemplateText:
    """The text of a template, the file it is from, and where its first character is."""

    name: str
    text: str | None
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A Jinja chat template as a model's files have it, with the tokens it is told; `text` is None where unreadable.

    `special` are all special tokens that the files name; `adds_bos`: the server puts `bos_token` before the text.
    `tokens` are the further tokens that the template is told by name (`pad_token`, `unk_token`), `config` the path of
    the file that all of them are from; `detail` says which of several templates this is; `stated` is False where it lay
    in a folder and nobody says what it serves. `with_tools` is the template that takes its place where tools are given.
    `tokenizer_adds_bos` is what the file says of the tokenizer by itself (`add_bos_token`), as it is called in
    training; None where it does not say.
    """

    name: str
    text: str | None
    bos_token: str | None = None
    eos_token: str | None = None
    special: tuple[str, ...] = ()
    adds_bos: bool = False
    tokenizer_adds_bos: bool | None = None
    tokens: Values = field(default_factory=dict)
    config: str | None = None
    detail: str = ""
    stated: bool = True
    place: Location = NOWHERE
    diagnostics: tuple[Diagnostic, ...] = ()
    with_tools: TemplateText | None = None


@dataclass(frozen=True, slots=True)
class Weights:
    """What a model's weights bring along: a GGUF file, or the folder or configuration that they are made of.

    `template` is their chat template, None where they have none; `stated` is False where the file only lies beside the
    Modelfile and nothing says that it belongs to the weights.
    """

    file: str
    architecture: str = ""
    template: ChatTemplate | None = None
    stated: bool = True


@dataclass(frozen=True, slots=True)
class OllamaServer:
    """The server that runs the Modelfiles: its version, and the setting OLLAMA_GO_TEMPLATE of its environment."""

    version: str | None = None
    go_template: Literal["true", "false", "unset"] | None = None
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Engine:
    """What makes the text of a model that Ollama serves, and by which rule.

    `sends` is what is known to be sent; `likely` what a current server without further settings sends, where the
    server is not known. `why` names the rule, `more` what the chat template can do and TEMPLATE cannot, `renderer` the
    server's own code.
    """

    sends: Literal["template", "chat template", "renderer", "unknown"]
    why: str
    likely: Literal["template", "chat template", "renderer", ""] = ""
    more: tuple[str, ...] = ()
    renderer: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """One model under test: its type, what it was trained with and what serves it."""

    name: str
    type: str | None = None
    type_reason: str = ""
    training: SystemText | None = None
    stated: tuple[SystemText, ...] = ()  # further places that state its system message, such as a module of constants
    training_messages: str | None = None  # path of the messages file it was trained on
    training_template: ChatTemplate | None = None  # what made one text of the training messages
    training_format: str | None = None  # the same, by the name of a format
    modelfile: Modelfile | None = None
    modelfile_lost: str | None = None  # the path of one that is named and cannot be read
    base: Modelfile | None = None  # what `ollama show --modelfile` says of the model in FROM
    weights: Weights | None = None  # of the Modelfile's FROM
    chat_template: ChatTemplate | None = None
    chat_format: str | None = None
    tokenizer: str | None = None  # the name of a table, or the path of a tokenizer.json
    serving_options: Values = field(default_factory=dict)  # what its template is given: tools, enable_thinking
    training_options: Values = field(default_factory=dict)  # the same in training
    context: int | None = None  # tokens it reads at once
    reserve: int | None = None  # of them for its answer
    settings: Values = field(default_factory=dict)
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Condition:
    """One named condition of an experiment. `answers` is a path below the workspace.

    `logged` is the log of another tool that holds its requests, where no file says how they are assembled; there the
    condition is called `logged_as`.
    """

    name: str
    mode: str | None = None
    model: str | None = None
    adapter: str | None = None
    task: str | None = None
    judge: str | None = None
    answers: str | None = None
    aliases: tuple[str, ...] = ()
    settings: Values = field(default_factory=dict)
    place: Location = NOWHERE
    logged: str | None = None
    logged_as: str | None = None

    @property
    def sends(self) -> bool:
        """Whether its messages are known: files assemble them, or a log holds them."""
        return bool(self.mode or self.task or self.logged)


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge's prompt. `fields` maps question, answer, documents, gold (and more) to record fields; None: left out.

    `formatted`: the template is known to be filled in by `str.format`, which takes each brace for its own.
    """

    name: str
    user: str
    system: str | None = None
    syntax: Syntax = "format"  # format ({question}), placeholder ({{QUESTION}}), text (nothing is filled in)
    bare: bool = False  # old rubrics: placeholders without braces
    formatted: bool = False
    fields: Mapping[str, str | None] = field(default_factory=dict)
    criteria: tuple[str, ...] = ()
    settings: Values = field(default_factory=dict)
    place: Location = NOWHERE
    system_place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Criterion:
    """What is judged, and on which scale."""

    name: str
    scale: Literal["binary", "ordinal", "numeric", "nominal", "unknown"] = "unknown"
    values: tuple[float, ...] = ()  # ordinal and binary: the permitted values in order
    low: float | None = None
    high: float | None = None
    meanings: Mapping[str, str] = field(default_factory=dict)
    direction: Literal["up", "down", "none"] = "up"
    unit: str = ""
    failed: tuple[float, ...] = ()  # numbers that stand for no score
    scores: tuple[float, ...] = ()  # numbers that look like that and are scores


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a message with one origin. Segments joined give the text exactly.

    `name` says what it is within its origin: a variable's path (`sheet_chunks[2].text`), an adapter's name. `wording`
    says of an adapter's text whose sentences they are: readback, upstream or own.
    """

    text: str
    origin: Origin
    name: str | None = None
    place: Location = NOWHERE
    wording: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A role and its text, in segments; tool calls, images, a name or a weight are in `whole`.

    `whole` is the message as its row has it, where that is more than a role and one text: its keys in their order, its
    `content` as a list of parts or null. The segments are then what it holds of text, its parts joined by a line feed.
    `message_parts.py` takes it apart.
    """

    role: str
    segments: tuple[Segment, ...]
    whole: Values | None = field(default=None, hash=False)

    @property
    def text(self) -> str:
        """The texts of all segments, joined."""
        return "".join([segment.text for segment in self.segments])  # a list: quicker, and read often

    @property
    def value(self) -> dict[str, Any]:
        """The message as an interface of chat completions takes it: its role, its content, and what else it says."""
        if self.whole is None:
            return {"role": self.role, "content": self.text}
        value = dict(self.whole)
        if "role" in value:  # what stands among messages and is none, as a place for others, has no role
            value["role"] = self.role
        if isinstance(value.get("content"), str):
            value["content"] = self.text
        return value


@dataclass(frozen=True, slots=True)
class Selection:
    """What is sent: a condition, or a mode with task and adapter, or a task alone, or a judge (of a condition)."""

    condition: str | None = None
    mode: str | None = None
    adapter: str | None = None
    task: str | None = None
    judge: str | None = None


UseState = Literal["present", "missing", "null", "empty", "default", "falsy", "idle", "untaken"]


@dataclass(frozen=True, slots=True)
class VariableUse:
    """What became of one name that a template reads (`sheet_chunks[*].title`), on the branches that were taken.

    default: only a default supplied it; falsy: a default replaced a false value; idle: a loop over nothing. `times`
    of `total` values were in this state; `only_asked`: the template only tests it there, or has something instead.
    """

    name: str
    state: UseState
    place: Location = NOWHERE
    times: int = 1
    total: int = 1
    only_asked: bool = False


@dataclass(frozen=True, slots=True)
class Assembly:
    """The messages for one record under one choice. `diagnostics` say what went wrong or was applied on the way.

    `messages` is empty when nothing could be built; then `diagnostics` says why. `names` are the variables the
    templates read, with the line where each first appears; `uses` what became of them for this record.
    """

    choice: Selection
    record: str | None
    index: int | None
    messages: tuple[Message, ...]
    fingerprint: str  # sha256 of the canonical roles and texts
    names: tuple[tuple[str, Location], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    masked: bool = False
    uses: tuple[VariableUse, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model replied for a record under a condition, with the prompt that was sent if it was kept.

    `fields` are all of its row (what was retrieved, too), `reply` the one with the reply; `masked` as of a record.
    """

    condition: str
    record: str
    text: str | None
    sent: str | None = None
    place: Location = NOWHERE
    fields: Values = field(default_factory=dict)
    reply: str | None = None
    masked: bool = False


@dataclass(frozen=True, slots=True)
class ModelInput:
    """What the server makes of messages: one text in segments, under a named format.

    `segments` is empty if nothing could be made; `diagnostics` say why. `stops` are the texts that end the answer.
    """

    format: str
    segments: tuple[Segment, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    kind: Literal["format", "modelfile", "chat template"] = "format"
    place: Location = NOWHERE  # of the template's first character
    stops: tuple[str, ...] = ()
    assumed: bool = False  # a training text whose template nobody stated
    engine: Engine | None = None  # which template Ollama takes; None for other servers

    @property
    def text(self) -> str:
        """The texts of all segments, joined: what the model reads."""
        return "".join(segment.text for segment in self.segments)


TrainingBasis = Literal["stated", "serving", "assumed"]


@dataclass(frozen=True, slots=True)
class TrainedPrompt:
    """What a model was trained on, up to where the answer begins, in place of what it is sent for a record.

    `template` made it and `basis` says who says so: the model's `training:`, what also serves it, or a guess. `system`:
    its messages have a system text. `of_row`: it is a row of the training file; else the turns that are sent stand for
    one, since no row of the file has a system message.
    """

    segments: tuple[Segment, ...]
    system: bool
    template: str
    basis: TrainingBasis
    of_row: bool

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(segment.text for segment in self.segments)


@dataclass(frozen=True, slots=True)
class Tokens:
    """How many tokens a text has; an estimate where `exact` is False."""

    count: int
    tokenizer: str
    exact: bool


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What a model's server makes of a made-up conversation: true of its template, whatever the record.

    `first` holds `system` and `user`, `later` an answer `reply` and `user` once more; `trained` is the training text
    of system, user and reply, None where no training template is known.
    """

    model: str
    system: str
    user: str
    reply: str
    first: ModelInput
    later: ModelInput
    trained: ModelInput | None = None
    others: tuple[ModelInput, ModelInput] | None = None  # the same two by the template that Ollama may take instead


@dataclass(frozen=True, slots=True)
class DatasetSource:
    """Which file holds the records, and how its fields are read."""

    path: str  # posix, relative to the workspace
    id: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)  # template variable <- record field (dotted)
    private: tuple[str, ...] = ()
    format: str | None = None
    encoding: str | None = None  # that of `readers.decoding` which somebody states; None: what its bytes show
    table: str | None = None  # the sheet of a workbook or the table of a database; None: the likeliest
    json: tuple[str, ...] | None = None  # columns of a table with JSON; None: all with nothing but lists and objects
    text: tuple[str, ...] = ()  # columns that stay text whatever they hold
    place: Location = NOWHERE
    absent: bool = False  # it was named and is not there, which is noted: there are no records
    environment: Mapping[str, str] = field(default_factory=dict)  # of a project: what the workspace states of it
    state: str = ""  # of a project: what its rows were made of, which several files hold


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """A file of training rows; `split` is the part it belongs to, `models` those that were trained on it."""

    path: str  # posix, relative to the workspace
    split: str = "train"
    models: tuple[str, ...] = ()
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class ScoreSource:
    """Which file holds scores, and how its columns are read (None: worked out from the content)."""

    path: str
    item: tuple[str, ...] = ()
    condition: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    criterion: str | None = None
    criteria: tuple[str, ...] = ()
    cluster: str | None = None  # the column that says which items belong together
    label: str | None = None  # the condition every row belongs to, where the file does not say
    synthetic: bool = False  # made up by a generator; said wherever the scores are shown
    all_items: bool = False  # a row called TOTAL, mean and the like is an item, too, and sums up nothing
    place: Location = NOWHERE


ScoreState = Literal["scored", "failed", "missing", "not applicable"]


@dataclass(frozen=True, slots=True)
class Score:
    """One value for item x condition x criterion x judge; `value` is NaN unless `state` is scored."""

    item: str
    condition: tuple[tuple[str, str], ...]  # factor, value; a single ("condition", name) where there is one column
    criterion: str
    judge: str
    value: float
    state: ScoreState
    why: str = ""
    rationale: str = ""
    cluster: str | None = None
    run: str | None = None
    place: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Ignored:
    """A suppression: findings of `code` (at `where`) are counted and listed apart."""

    code: str
    why: str = ""
    by: str = ""
    date: str = ""
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Leaks:
    """How system text is looked for in user messages: how much alike counts (0 to 1), and the phrases besides."""

    threshold: float = 0.8
    phrases: tuple[str, ...] | None = None  # None: the usual list, of dialects/leak_phrases.py


Looks = Literal["", "data", "prompt", "log", "scores"]


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file and what it was taken for; `used` is False when something else was preferred.

    Files that are not used for one reason may stand together: `count` of them, `path` names the first ones and `files`
    all of them (of very many the first). `looks` says of a file that is not used what it looks like, "" where it looks
    like nothing that a review is about, and `step` what makes it readable.
    """

    path: str
    what: str
    used: bool = True
    detail: str = ""
    count: int = 1
    files: tuple[str, ...] = ()
    looks: Looks = ""
    step: str = ""


@dataclass(frozen=True, slots=True)
class Workspace:
    """What one review works on. Everything small is here; records are reached through `dataset`."""

    root: Path
    name: str
    file: str | None = None  # readback.yml, or the file that was opened, relative to root
    dataset: DatasetSource | None = None
    configs: tuple[PromptConfig, ...] = ()
    prompts: Mapping[str, Prompt] = field(default_factory=dict)  # by mode, merged over configs
    tasks: Mapping[str, Prompt] = field(default_factory=dict)
    adapters: Mapping[str, Adapter] = field(default_factory=dict)
    instructions: Mapping[str, str | None] = field(default_factory=dict)
    instruction_places: Mapping[str, Location] = field(default_factory=dict)
    context: Mapping[str, Values] = field(default_factory=dict)  # by task: what adapters are told besides the record
    models: Mapping[str, Model] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()
    judges: Mapping[str, Judge] = field(default_factory=dict)
    people: Mapping[str, bool] = field(default_factory=dict)  # judges by name: whether a person, where it is said
    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    acronyms: Mapping[str, str] = field(default_factory=dict)  # long forms that Albert modes put into the query
    acronym_places: Mapping[str, Location] = field(default_factory=dict)
    scores: tuple[ScoreSource, ...] = ()
    sent: tuple[str, ...] = ()
    training: tuple[TrainingFile, ...] = ()  # the dataset too, where its rows are training rows
    options: Mapping[str, str] = field(default_factory=dict)
    comparisons: tuple[Values, ...] = ()
    system_texts: tuple[SystemText, ...] = ()
    ollama: OllamaServer | None = None  # None: nobody says which server it is
    language: str = ""  # of the prompts; nobody says
    today: str | None = None  # YYYY-MM-DD for templates that print the date; None: the day it is
    headline: str | None = None  # the criterion shown as a number on the overview
    leaks: Leaks = Leaks()
    ignore: tuple[Ignored, ...] = ()
    recognised: tuple[Recognised, ...] = ()
    # By log and by the name of a condition in it: what it is here, as somebody states it; "" for nothing here.
    log_names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # plan, prompts, dataset: the files
    chosen: Mapping[str, str] = field(default_factory=dict)  # which of them whoever opened it wants
    code_texts: tuple[SystemText, ...] = ()  # system texts in notebooks and Python files, whoever they belong to
    diagnostics: tuple[Diagnostic, ...] = ()

    def condition(self, name: str) -> Condition | None:
        """Return the condition of that name or alias."""
        for condition in self.conditions:  # called many times for each record: no table is built
            if name == condition.name or name in condition.aliases:
                return condition
        return None


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What a rule may look at: the workspace always, a record and an assembly where the rule is about them."""

    workspace: Workspace
    record: Record | None = None
    assembly: Assembly | None = None
    trained: Message | None = None  # the user message the assembly's model was trained on for this record
    self_tests: Mapping[str, SelfTest] = field(default_factory=dict)  # by model; where the workspace is looked at
    model_input: ModelInput | None = None  # what the model reads of the assembly
    tokens: Tokens | None = None  # of what the model reads, else of all messages; of a record alone: of a training row
    learn: Callable[[], ModelInput | None] = lambda: None  # makes what `trained_input` answers: few rules ask for it
    systems: Systems = NO_SYSTEMS  # of the training rows in the record's file
    answer: Answer | None = None  # what the condition's model replied to the assembly; none of a judge's
    logged: tuple[tuple[str, str], ...] = ()  # role and text of the messages that a log has of the assembly
    find_trained_prompt: Callable[[], TrainedPrompt | None] = lambda: None  # what the assembly's model was trained on
    render_training: Callable[[], Iterable[tuple[Model, tuple[Message, ...], ModelInput]]] = lambda: ()  # of a row
    run_self_test: Callable[[], SelfTest | None] = lambda: None  # of the assembly's model

    @property
    def trained_input(self) -> ModelInput | None:
        """The text that the model was trained on for this record, by its template."""
        return self.learn()

    def messages(self, role: str) -> Iterator[Message]:
        """Yield the assembly's messages of one role."""
        if self.assembly:
            messages = self.assembly.messages
        else:
            messages = ()
        return (message for message in messages if message.role == role)

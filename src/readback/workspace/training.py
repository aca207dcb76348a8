"""What models were trained on: files of training rows, and system texts in notebooks and Python files.

Texts in code are matched to models by name. A match is a guess, and its reason is noted. Code is parsed and never run.
Sources: *Prompt Format Specification* of ignaciolinari/beyond-the-cutoff (MIT, November 2025) for layouts: an
instruction-only model is trained on the question alone, a RAG-trained one on the stored prompt.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import parse_qsl, urlencode

from readback.readers.files.paths import format_relative
from readback.readers.files.row import Row
from readback.records.raw_rows import read_raw_rows
from readback.records.training.training_row import DATASET, DESCRIPTIONS, TRAIN, Kind, find_main_kind
from readback.sources.templates.python_constants import SYSTEM
from readback.sources.training import training_code, training_text
from readback.sources.training.training_code import NOTEBOOK, Candidate, Code
from readback.sources.training.training_text import CELL, CONSTANT
from readback.types import DatasetSource, Diagnostic, Location, Model, SystemText, TrainingFile
from readback.workspace.draft import Draft
from readback.workspace.recognise import CODE, LOOKED_AT, TRAINING, RecognisedFile
from readback.workspace.survey import Survey

KEY = "training"  # of what whoever opens a workspace chooses
LINES = (".jsonl", ".ndjson")  # the first rows of others cannot be had without unpacking the whole file
SPLIT = re.compile(r"(?:^|[._-])(train|training|valid|validation|val|dev|test|eval|evaluation)(?=$|[._-])", re.I)
SPLITS = {"training": TRAIN, "validation": "valid", "val": "valid", "dev": "valid", "evaluation": "eval"}
DIFFERENT_LAYOUT = "fmt-train-serve-diff"
LAYOUTS = {  # by type: the pattern of every user message, and the layout for people
    "instruction_only": (re.compile(r"Question: \S(?:.*\S)?\n\nAnswer:", re.DOTALL), r"'Question: …\n\nAnswer:'"),
    "rag_trained": (re.compile(r".*\n\nQuestion: .*[^\n]\nAnswer:", re.DOTALL), r"'…\n\nQuestion: …\nAnswer:'"),
}
ENDS = 24  # characters of a message's beginning and end that are quoted
TAKEN_FOR = "taken for "
# Words in names that say what a file is for, and not which model it is about.
NOISE = frozenset(
    [
        "modelfile",
        "ollama",
        "gguf",
        "train",
        "training",
        "trainer",
        "finetune",
        "finetuning",
        "finetuned",
        "fine",
        "tune",
        "tuning",
        "tuned",
        "notebook",
        "nb",
        "sft",
        "dpo",
        "colab",
        "kaggle",
        "script",
        "run",
        "model",
        "models",
        "adapter",
        "merged",
        "full",
        "the",
        "my",
        "main",
        "base",
    ]
)
SHORT = ("outputs", "output", "checkpoints", "checkpoint", "models", "gguf", "..", ".", "/")
MOST, SECONDS = 200, 20.0  # files of code that are looked into, and for how long
TELLING = 4  # letters from which a name inside another one is no accident
TRAINING_WORDS = frozenset({"train", "training", "trainer", "finetune", "finetuning", "sft", "dpo", "lora"})
# What code that trains a model holds.
TRAINS = re.compile(
    r"\b(?:SFT|DPO|ORPO|KTO|CPO|PPO|GRPO|Seq2Seq)?(?:Trainer|Config)\(|\bTrainingArguments\b|\bLoraConfig\b"
    r"|\bget_peft_model\b|\bFastLanguageModel\b|\btrainer\.train\(\)"
)
JUDGES = re.compile(r"judge|evaluat|grad(?:e|ing)", re.IGNORECASE)


def add_training_file(draft: Draft, path: Path, split: str, place: Location) -> None:
    """Add a file that the workspace names, or that lies among others of its kind."""
    name = format_relative(draft.root, path)
    if all((file.path, file.split) != (name, split) for file in draft.training):
        draft.training.append(TrainingFile(name, split, place=place))
    kind = _find_kind(draft, name)
    draft.say(name, TRAINING, detail=f"{split}; {DESCRIPTIONS[kind]}" if kind else split)


def add_discovered_files(draft: Draft, files: Sequence[RecognisedFile]) -> None:
    """Add files of training rows of a folder with nothing better: all are checked, in the splits of their names."""
    for file in files:
        draft.training.append(TrainingFile(format_relative(draft.root, file.path), name_split(file.path.name)))
        draft.say(file.path, file.what, detail=file.detail)


def name_split(name: str) -> str:
    """Return the split that a file's name tells: train-00001.jsonl, my_test.jsonl."""
    match = SPLIT.search(PurePosixPath(name.lower()).name)
    if match:
        return SPLITS.get(match[1], match[1])
    return TRAIN


def add_training_files(draft: Draft) -> None:
    """Add the files that models were trained on, and the dataset where its rows can only be meant for training.

    Where nothing but training files is named, the first one is the dataset, so that its rows can be looked at.
    """
    if draft.dataset is None and draft.training and not _has_prompts(draft):
        first = draft.training[0]
        draft.dataset = DatasetSource(first.path, place=first.place)
    for name, model in draft.models.items():
        if model.training_messages:
            _add_model_file(draft, model.training_messages, name, model.place)
    source = draft.dataset
    if source is None or source.absent or any(file.path == source.path for file in draft.training):
        return
    if _is_training(draft, source.path):
        draft.training.append(TrainingFile(source.path, DATASET))


def _add_model_file(draft: Draft, path: str, model: str, place: Location) -> None:
    for number, file in enumerate(draft.training):
        if file.path == path:
            draft.training[number] = replace(file, models=(*file.models, model))
            return
    draft.training.append(TrainingFile(path, TRAIN, (model,), place))


def _has_prompts(draft: Draft) -> bool:
    return bool(draft.prompts or draft.tasks or draft.judges or draft.conditions)


def _is_training(draft: Draft, path: str) -> bool:
    """Return whether most of the first rows are training rows.

    Where there are prompts, rows of messages are conversations to go on with.
    """
    if any(file.path == path and file.what == TRAINING for file in draft.recognised):
        return not _has_prompts(draft)
    kind = _find_kind(draft, path)
    return kind is not None and not (_has_prompts(draft) and kind == "chat_sft")


def _find_kind(draft: Draft, file: str) -> Kind | None:
    """Return the kind of most of the first rows, where they can be had at once."""
    if not file.lower().endswith(LINES):
        return None
    rows = islice(read_raw_rows(draft.root / file, file), LOOKED_AT)
    return find_main_kind([row.fields for row in rows if isinstance(row, Row)])


def compare_layouts(draft: Draft) -> None:
    """Report each model of the prompt formats whose training file has user messages of another layout."""
    if not draft.uses_prompt_formats():
        return
    for model in draft.models.values():
        if model.training_messages and model.type in LAYOUTS:
            _compare_layout(model, model.training_messages, draft)


def _compare_layout(model: Model, file: str, draft: Draft) -> None:
    layout, description = LAYOUTS[model.type or ""]
    messages = list(training_text.list_user_texts(draft.root / file, draft.root))
    others = [(line, text) for line, text in messages if not layout.fullmatch(text)]
    if others:
        line, text = others[0]
        trained = f"{len(others)} of {len(messages)} user messages of {file} such as {_quote_ends(text)}"
        values = {"model": model.name, "condition": "the evaluation", "trained": trained, "sent": description}
        values |= {"records": "", "of": ""}  # the sentence counts records of the dataset
        draft.diagnostics.append(Diagnostic(DIFFERENT_LAYOUT, values, Location(file=file, line=line), model.name))


def _quote_ends(text: str) -> str:
    """Return both ends of a text, with blanks made visible by the quotes."""
    return repr(text if len(text) <= 2 * ENDS else f"{text[:ENDS]}…{text[-ENDS:]}")


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file of code with system texts."""

    file: str
    code: Code
    texts: tuple[Candidate, ...]  # those that can be read without running anything

    @property
    def trains(self) -> bool:
        """Tell whether it looks like code that trains a model."""
        words = set(_split_name(PurePosixPath(self.file).stem))
        return self.file.endswith(NOTEBOOK) or bool(TRAINS.search(self.code.source) or words & TRAINING_WORDS)


@dataclass(frozen=True, slots=True, order=True)
class _Fit:
    """How near a file is to a model by its name (0 is nearest), and why."""

    rank: int
    file: str
    reason: str


def find_training_texts(draft: Draft, survey: Survey) -> None:
    """Read the folder's code, give models their texts, and list every file with what it was taken for."""
    files = list(_read_code(draft, survey.all(CODE)))
    for file in files:
        role: Literal["training", "configuration"] = "training" if file.trains else "configuration"
        draft.code_texts.extend(SystemText(text.text or "", role, text.place) for text in file.texts)
    chosen = _read_choice(draft)
    for name in chosen.keys() & draft.models.keys():
        _choose_text(draft, name, chosen[name])
    matches = _match_models(draft, [file for file in files if file.trains], chosen)
    for name, (file, _) in matches.items():
        text, diagnostics = training_text.read(draft.root / file.file, draft.root)
        if text:
            draft.diagnostics.extend(diagnostics)
            draft.models[name] = replace(draft.models[name], training=replace(text, name=name))
    _list_code(draft, files, matches, _add_stated_constants(draft, files))


def parse_places(chosen: str | None) -> dict[str, str]:
    """Return where the system texts of models are by the choice of whoever opens the workspace.

    A place is `FILE`, `FILE#CONSTANT`, `FILE#cell 3`, or "" for a model without one. The text is that of an address:
    `MODEL=FILE&…`.
    """
    return dict(parse_qsl(chosen or "", keep_blank_values=True))


def format_places(places: Mapping[str, str]) -> str:
    """Return places as the text that `parse_places` reads."""
    return urlencode(places)


def name_place(text: SystemText) -> str:
    """Return a text's place as it is chosen by."""
    return (text.place.file or "") + (f"#{text.place.field}" if text.place.field else "")


def _read_choice(draft: Draft) -> dict[str, str]:
    """Return what was chosen; of somebody who only follows a link, only among the texts that are offered."""
    chosen = parse_places(draft.chosen.get(KEY))
    if draft.offered and chosen:
        offered = {"", *map(name_place, draft.code_texts)}
        chosen = {name: place for name, place in chosen.items() if place in offered}
        draft.chosen = {**draft.chosen, KEY: format_places(chosen)}
    return chosen


def _read_code(draft: Draft, files: Sequence[RecognisedFile]) -> Iterator[CodeFile]:
    """Yield the files with system texts, notebooks first; a folder full of other code is not parsed for nothing."""
    end = time.monotonic() + SECONDS
    for number, file in enumerate(sorted(files, key=lambda file: file.path.suffix != NOTEBOOK)):
        if number < MOST and time.monotonic() < end:
            code_file = _read_code_file(file, draft)
            if code_file:
                yield code_file
            continue
        if all(diagnostic.flagged != "code" for diagnostic in draft.diagnostics):
            values = {"what": "files of code that are looked into", "limit": number}
            draft.diagnostics.append(Diagnostic("dat-limit", values, flagged="code", severity="info"))
        draft.say(file.path, CODE, used=False, detail="not looked into: there is too much code here")


def _read_code_file(file: RecognisedFile, draft: Draft) -> CodeFile | None:
    """Return the system texts of a file; one without any is listed, and that is all."""
    code = training_code.read(file.path, draft.root)
    name = format_relative(draft.root, file.path)
    if not code.texts:
        draft.say(name, CODE, used=False, detail="no system message is in it")
        return None
    return CodeFile(name, code, tuple(text for text in code.texts if text.text is not None))


def _choose_text(draft: Draft, name: str, place: str) -> None:
    """Give a model the text that somebody chose; none where the choice is empty."""
    model = draft.models[name]
    file, _, part = place.partition("#")
    if not file:
        draft.models[name] = replace(model, training=None)
        return
    if re.fullmatch(r"cell \d{1,6}", part):
        cell = int(part[5:])
    else:
        cell = None
    constant = part if part and cell is None else None
    path = draft.file_at(file, model.place)
    if path is None:
        return
    text, diagnostics = training_text.read(path, draft.root, constant, cell)
    draft.diagnostics.extend(diagnostics)
    if text:
        settings = dict(model.settings)
        if constant:
            settings[CONSTANT] = constant
        if cell:
            settings[CELL] = cell
        draft.models[name] = replace(model, training=replace(text, name=name), settings=settings)
        draft.say(file, CODE, detail=f"{TAKEN_FOR}{name}: chosen")


def _match_models(
    draft: Draft, files: Sequence[CodeFile], chosen: Mapping[str, str]
) -> dict[str, tuple[CodeFile, str]]:
    """Return for each model without a training text the file that fits best, and why; none where two fit as well."""
    with_text = {file.file: file for file in files if file.texts}
    wanting = [
        model
        for name, model in draft.models.items()
        if model.training is None and name not in chosen and model.type != "base"
    ]
    fits = {model.name: _rank_files(model, with_text.values()) for model in wanting}
    matches: dict[str, tuple[CodeFile, str]] = {}
    for name, ranked in fits.items():
        best = [fit for fit in ranked if fit.rank == ranked[0].rank]
        if len(best) == 1 and _is_nearest(best[0], fits):
            matches[name] = (with_text[best[0].file], best[0].reason)
    if not matches and len(wanting) == 1 and len(files) == len(with_text) == 1:
        (file,) = with_text.values()
        if not JUDGES.search(file.file):
            matches[wanting[0].name] = (file, "the only code here, and the only model")
    return matches


def _rank_files(model: Model, files: Iterable[CodeFile]) -> list[_Fit]:
    """Return how the files fit a model, the nearest first, without those of which nothing tells."""
    fits = (_compare_names(model, file) for file in files)
    return sorted(fit for fit in fits if fit)


def _is_nearest(fit: _Fit, fits: Mapping[str, Sequence[_Fit]]) -> bool:
    """Return whether no model is nearer to a file."""
    return all(other.rank >= fit.rank for ranked in fits.values() for other in ranked if other.file == fit.file)


def _compare_names(model: Model, file: CodeFile) -> _Fit | None:
    """Return how near a file is to a model by its name; None where nothing tells."""
    own = _list_words(PurePosixPath(file.file).stem)
    names = dict(reversed([*_list_names(model)]))  # of one name the first of its bearers
    for name, bearer in names.items():
        if own and own == _list_words(name):
            return _Fit(0, file.file, f"{bearer} is called like it")
    modelfile = PurePosixPath((model.modelfile.place.file if model.modelfile else "") or "").name
    if modelfile and re.search(rf"(?<![\w.-]){re.escape(modelfile)}(?![\w.-]*\w)", file.code.source):
        return _Fit(1, file.file, f"it names {modelfile}")
    for name, bearer in names.items():
        words = _list_words(name)
        is_near = _contains(own, words) or (len(own) > 1 and _contains(words, own))
        if is_near and len("".join(words)) >= TELLING:
            return _Fit(2, file.file, f"{bearer} is called much like it")
    if model.type and _contains(own, _list_words(model.type)):
        return _Fit(3, file.file, f"its name holds the type {model.type}")
    return None


def _list_names(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the names of a model, each with what bears it."""
    yield PurePosixPath(model.name).name, "the model"
    served = model.settings.get("model")
    if isinstance(served, str):
        yield PurePosixPath(served).name.partition(":")[0], f"the model that is served ({served})"
    if model.modelfile is None:
        return
    file = model.modelfile.place.file or ""
    yield re.sub(r"^modelfile\.?|\.modelfile$", "", PurePosixPath(file).name, flags=re.IGNORECASE), file
    base = next((args for name, args, _ in reversed(model.modelfile.commands) if name == "model"), "")
    parts = [part for part in PurePosixPath(base).parts if part.lower() not in SHORT]
    if len(parts) > 1:
        yield from ((part, f"a part of FROM in {file}") for part in parts)


def _add_stated_constants(draft: Draft, files: Sequence[CodeFile]) -> dict[str, list[str]]:
    """Add constants that are called like a model or its type as further places of its text; return notes by file.

    Code that trains is left out: its texts are matched to models as a whole.
    """
    notes: dict[str, list[str]] = {}
    for file in files:
        if file.trains:
            continue
        for text in file.texts:
            words = _list_words(SYSTEM.sub("", text.name))  # what the name says beside "system message"
            for name, model in draft.models.items():
                if not words or not _is_called(model, words):
                    continue
                stated = SystemText(text.text or "", "configuration", text.place, name)
                draft.models[name] = replace(model, stated=(*model.stated, stated))
                notes.setdefault(file.file, []).append(f"{text.name} {TAKEN_FOR}{name}")
    return notes


def _is_called(model: Model, words: Sequence[str]) -> bool:
    """Return whether words are a name of the model, or the beginning of its type.

    RAG_SYSTEM_MESSAGE is of rag_trained, INSTRUCTION_ONLY_SYSTEM_PROMPT of instruction_only; base has none.
    """
    if any([*words] == _list_words(name) for name, _ in _list_names(model)):
        return True
    return model.type not in (None, "base") and [*words] == _list_words(str(model.type))[: len(words)]


def _list_words(name: str) -> list[str]:
    """Return the words of a name, without those that do not tell models apart."""
    return [word for word in _split_name(name) if word not in NOISE]


def _split_name(name: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower())


def _contains(words: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether `part` is among the words, one word after another."""
    return bool(part) and any([*part] == [*words[at : at + len(part)]] for at in range(len(words)))


def _list_code(
    draft: Draft,
    files: Sequence[CodeFile],
    matches: Mapping[str, tuple[CodeFile, str]],
    notes: Mapping[str, list[str]],
) -> None:
    """List every file and what it is used for; report where one that trains states several texts, or builds them."""
    for file in files:
        reasons = {name: reason for name, (matched, reason) in matches.items() if matched is file}
        if reasons:
            uses = [f"{TAKEN_FOR}{', '.join(reasons)}: {next(iter(reasons.values()))}"]
        else:
            uses = []
        uses += notes.get(file.file, [])
        draft.say(file.file, CODE, used=bool(uses), detail="; ".join(uses) or _explain_unmatched(file))
        texts = file.code.texts
        is_unclear = training_text.have_several_texts(texts) or any(text.text is None for text in texts)
        if file.trains and not reasons and is_unclear:
            draft.diagnostics.append(training_text.report_several(texts, None))


def _explain_unmatched(file: CodeFile) -> str:
    if not file.texts:
        return "its system message is computed when it runs"
    return "no model is nearest to it by name; a model's training: {system: {from: …}} can name it"

"""System texts that are in the notebooks and Python files of a folder, matched to their models by name.

A match is a guess, and how it was made is said. Code is parsed and never run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from urllib.parse import parse_qsl, urlencode

from readback.readers.paths import show
from readback.sources import training_code, training_text
from readback.sources.python_constants import SYSTEM
from readback.sources.training_code import NOTEBOOK, Candidate, Code
from readback.sources.training_text import CELL, CONSTANT
from readback.types import Diagnostic, Model, SystemText
from readback.workspace.draft import Draft
from readback.workspace.recognise import CODE, Found
from readback.workspace.survey import Survey

KEY = "training"  # of what whoever opens a workspace chooses
TAKEN_FOR = "taken for "
# Words in names that say what a file is for, and not which model it is about.
NOISE = frozenset({
    "modelfile", "ollama", "gguf", "train", "training", "trainer", "finetune", "finetuning", "finetuned", "fine",
    "tune", "tuning", "tuned", "notebook", "nb", "sft", "dpo", "colab", "kaggle", "script", "run", "model", "models",
    "adapter", "merged", "full", "the", "my", "main", "base",
})  # fmt: skip
SHORT = ("outputs", "output", "checkpoints", "checkpoint", "models", "gguf", "..", ".", "/")
MOST, SECONDS = 200, 20.0  # files of code that are looked into, and for how long
TELLING = 4  # letters from which a name inside another one is no accident
# What code that trains a model holds.
TRAINS = re.compile(
    r"\b(?:SFT|DPO|ORPO|KTO|CPO|PPO|GRPO|Seq2Seq)?(?:Trainer|Config)\(|\bTrainingArguments\b|\bLoraConfig\b"
    r"|\bget_peft_model\b|\bFastLanguageModel\b|\btrainer\.train\(\)"
)
JUDGES = re.compile(r"judge|evaluat|grad(?:e|ing)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Seen:
    """A file of code with system texts."""

    file: str
    code: Code
    texts: tuple[Candidate, ...]  # those that can be read without running anything

    @property
    def trains(self) -> bool:
        """Whether it looks like code that trains a model."""
        stem = PurePosixPath(self.file).stem
        return self.file.endswith(NOTEBOOK) or bool(TRAINS.search(self.code.source) or {*_parts(stem)} & TRAINING)


TRAINING = frozenset({"train", "training", "trainer", "finetune", "finetuning", "sft", "dpo", "lora"})


def find(draft: Draft, around: Survey) -> None:
    """Read the folder's code, give models their texts, and list every file with what it was taken for."""
    seen = [one for one in _read(draft, around.all(CODE)) if one]
    draft.code_texts.extend(text for one in seen for text in _stated(one))
    asked = _asked(draft)
    for name in asked.keys() & draft.models.keys():
        _choose(draft, name, asked[name])
    matches = _matches(draft, [one for one in seen if one.trains], asked)
    for name, (one, _) in matches.items():
        text, diagnostics = training_text.read(draft.root / one.file, draft.root)
        if text:
            draft.diagnostics.extend(diagnostics)
            draft.models[name] = replace(draft.models[name], training=replace(text, name=name))
    _list(draft, seen, matches, _constants(draft, seen))


def said(chosen: str | None) -> dict[str, str]:
    """Where the system texts of models stand by the choice of whoever opens the workspace: `FILE`, `FILE#CONSTANT`,
    `FILE#cell 3`, or nothing for a model without one. As in an address: `MODEL=FILE&…`."""
    return dict(parse_qsl(chosen or "", keep_blank_values=True))


def saying(places: Mapping[str, str]) -> str:
    """The same as text."""
    return urlencode(places)


def spot(text: SystemText) -> str:
    """A place as it is chosen by."""
    return (text.place.file or "") + (f"#{text.place.field}" if text.place.field else "")


def _asked(draft: Draft) -> dict[str, str]:
    """What was chosen; of somebody who only follows a link, only among the texts that are offered."""
    asked = said(draft.chosen.get(KEY))
    if draft.offered and asked:
        offered = {"", *map(spot, draft.code_texts)}
        asked = {name: place for name, place in asked.items() if place in offered}
        draft.chosen = {**draft.chosen, KEY: saying(asked)}
    return asked


def _read(draft: Draft, found: Sequence[Found]) -> Iterator[Seen | None]:
    """The files with system texts, notebooks first; a folder full of other code is not parsed for nothing."""
    end = time.monotonic() + SECONDS
    for number, one in enumerate(sorted(found, key=lambda one: one.path.suffix != NOTEBOOK)):
        if number < MOST and time.monotonic() < end:
            yield _seen(one, draft)
            continue
        if all(diagnostic.flagged != "code" for diagnostic in draft.diagnostics):
            values = {"what": "files of code that are looked into", "limit": number}
            draft.diagnostics.append(Diagnostic("dat-limit", values, flagged="code", severity="info"))
        draft.say(one.path, CODE, used=False, detail="not looked into: there is too much code here")


def _seen(found: Found, draft: Draft) -> Seen | None:
    """What a file holds; one without a system text is listed, and that is all."""
    code = training_code.read(found.path, draft.root)
    file = show(draft.root, found.path)
    if not code.texts:
        draft.say(file, CODE, used=False, detail="no system message is in it")
        return None
    return Seen(file, code, tuple(one for one in code.texts if one.text is not None))


def _stated(one: Seen) -> Iterator[SystemText]:
    for text in one.texts:
        yield SystemText(text.text or "", "training" if one.trains else "configuration", text.place)


def _choose(draft: Draft, name: str, place: str) -> None:
    """The text of a model where somebody says it is; none where nothing is said."""
    model = draft.models[name]
    file, _, part = place.partition("#")
    if not file:
        draft.models[name] = replace(model, training=None)
        return
    cell = int(part[5:]) if re.fullmatch(r"cell \d{1,6}", part) else None
    constant = part if part and cell is None else None
    path = draft.file_at(file, model.place)
    if path is None:
        return
    text, diagnostics = training_text.read(path, draft.root, constant, cell)
    draft.diagnostics.extend(diagnostics)
    if text:
        settings = {**model.settings, **({CONSTANT: constant} if constant else {}), **({CELL: cell} if cell else {})}
        draft.models[name] = replace(model, training=replace(text, name=name), settings=settings)
        draft.say(file, CODE, detail=f"{TAKEN_FOR}{name}: chosen")


def _matches(draft: Draft, seen: Sequence[Seen], asked: Mapping[str, str]) -> dict[str, tuple[Seen, str]]:
    """For each model without a training text the file that fits best, and why; none where two fit as well."""
    with_text = [one for one in seen if one.texts]
    wanting = [
        model
        for name, model in draft.models.items()
        if model.training is None and name not in asked and model.type != "base"
    ]
    fits = {(model.name, one.file): _fit(model, one) for model in wanting for one in with_text}
    found: dict[str, tuple[Seen, str]] = {}
    for model in wanting:
        ranked = sorted((fit[0], one.file) for one in with_text if (fit := fits[model.name, one.file]))
        best = [file for rank, file in ranked if rank == ranked[0][0]]
        if len(best) == 1 and _may(ranked[0][0], best[0], fits):
            one = next(one for one in with_text if one.file == best[0])
            found[model.name] = (one, (fits[model.name, one.file] or (0, ""))[1])
    if not found and len(wanting) == 1 and len(seen) == len(with_text) == 1 and not JUDGES.search(with_text[0].file):
        found[wanting[0].name] = (with_text[0], "the only code here, and the only model")
    return found


def _may(rank: int, file: str, fits: Mapping[tuple[str, str], tuple[int, str] | None]) -> bool:
    """Whether a file is not nearer to another model."""
    return all(fit is None or fit[0] >= rank for (_, other), fit in fits.items() if other == file)


def _fit(model: Model, one: Seen) -> tuple[int, str] | None:
    """How near a file is to a model by its name (0 is nearest), and why; None where nothing tells."""
    stem = PurePosixPath(one.file).stem
    own = _words(stem)
    names = dict(reversed([*_names(model)]))  # of one name the first of its bearers
    for name, where in names.items():
        if own and own == _words(name):
            return 0, f"{where} is called like it"
    file = model.modelfile.place.file if model.modelfile else None
    if file and re.search(rf"(?<![\w.-]){re.escape(PurePosixPath(file).name)}(?![\w.-]*\w)", one.code.source):
        return 1, f"it names {PurePosixPath(file).name}"
    for name, where in names.items():
        words = _words(name)
        near = _inside(words, own) or (len(own) > 1 and _inside(own, words))
        if near and len("".join(words)) >= TELLING:
            return 2, f"{where} is called much like it"
    if model.type and _inside(_words(model.type), own):
        return 3, f"its name holds the type {model.type}"
    return None


def _names(model: Model) -> Iterator[tuple[str, str]]:
    """What a model goes by, and what that is."""
    yield PurePosixPath(model.name).name, "the model"
    if isinstance(served := model.settings.get("model"), str):
        yield PurePosixPath(served).name.partition(":")[0], f"the model that is served ({served})"
    if model.modelfile is None:
        return
    file = model.modelfile.place.file or ""
    yield re.sub(r"^modelfile\.?|\.modelfile$", "", PurePosixPath(file).name, flags=re.IGNORECASE), file
    base = next((args for name, args, _ in reversed(model.modelfile.commands) if name == "model"), "")
    parts = [part for part in PurePosixPath(base).parts if part.lower() not in SHORT]
    yield from ((part, f"a part of FROM in {file}") for part in (parts if len(parts) > 1 else ()))


def _constants(draft: Draft, seen: Sequence[Seen]) -> dict[str, list[str]]:
    """Constants of other Python files that are called like a model or its type: further places of its text, by file."""
    found: dict[str, list[str]] = {}
    for one in seen:
        for text in () if one.trains else one.texts:
            words = _called(text.name)
            for name, model in draft.models.items() if words else ():
                if not any(words == _words(other) for other, _ in _names(model)) and not _of_type(words, model.type):
                    continue
                stated = SystemText(text.text or "", "configuration", text.place, name)
                draft.models[name] = replace(draft.models[name], stated=(*draft.models[name].stated, stated))
                found.setdefault(one.file, []).append(f"{text.name} {TAKEN_FOR}{name}")
    return found


def _of_type(words: Sequence[str], kind: str | None) -> bool:
    """RAG_SYSTEM_MESSAGE is of rag_trained, INSTRUCTION_ONLY_SYSTEM_PROMPT of instruction_only; base has none."""
    return kind not in (None, "base") and [*words] == _words(str(kind))[: len(words)]


def _called(constant: str) -> list[str]:
    """What a constant's name says beside that it is a system message."""
    return _words(SYSTEM.sub("", constant))


def _words(name: str) -> list[str]:
    """The words of a name, without those that do not tell models apart."""
    return [part for part in _parts(name) if part not in NOISE]


def _parts(name: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower())


def _inside(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether words are in others, one after another."""
    return bool(words) and any([*words] == [*others[at : at + len(words)]] for at in range(len(others)))


def _list(
    draft: Draft, seen: Sequence[Seen], matches: Mapping[str, tuple[Seen, str]], constants: Mapping[str, list[str]]
) -> None:
    """Every file and what became of it; where a file that trains states several texts, or builds them, a diagnostic."""
    for one in seen:
        models = {name: why for name, (other, why) in matches.items() if other is one}
        taken = [f"{TAKEN_FOR}{', '.join(models)}: {next(iter(models.values()))}"] if models else []
        taken += constants.get(one.file, [])
        draft.say(one.file, CODE, used=bool(taken), detail="; ".join(taken) or _unmatched(one))
        texts = one.code.texts
        if one.trains and not models and (training_text.different(texts) or any(t.text is None for t in texts)):
            draft.diagnostics.append(training_text.several(texts, None))


def _unmatched(one: Seen) -> str:
    if not one.texts:
        return "its system message is computed when it runs"
    return "no model is nearest to it by name; a model's training: {system: {from: …}} can name it"

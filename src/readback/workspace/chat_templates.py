"""The chat template or chat format of a model: what readback.yml says of it, and what lies in the folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from readback.readers.paths import show
from readback.serving.chat import files as chat_files
from readback.serving.chat import model_input as chat
from readback.types import ChatTemplate, Location, Model
from readback.workspace.draft import Draft
from readback.workspace.recognise import CHAT_TEMPLATE, Found

CONFIG = "tokenizer configuration"


def read_template(path: Path, config: Path | None, draft: Draft, *, adds: bool) -> ChatTemplate:
    """Return the chat template in `path`, with the tokens of `config`; `adds` says that special tokens are added."""
    template = chat.read(path, draft.root, tokens=config if config != path else None, add_special_tokens=adds)
    _say(template, path, draft, template.detail)
    return template


def take(found: Found, draft: Draft) -> None:
    """A chat template by itself is a model: what it serves, without what it was trained with."""
    folder = found.path.parent
    _alone(found.path, draft.root.name if folder == draft.root else show(draft.root, folder), draft)


def take_by_name(path: Path, draft: Draft) -> None:
    """A chat template of any name is a model that is called like the file, as several may lie in one folder."""
    file = show(draft.root, path)
    name = str(PurePosixPath(file).with_suffix(""))
    _alone(path, file if name in draft.models else name, draft)


def _alone(path: Path, name: str, draft: Draft) -> None:
    read = replace(chat.read(path, draft.root), stated=False)
    draft.models[name] = Model(name, chat_template=read, place=Location(file=show(draft.root, path)))
    _say(read, path, draft, "; ".join(filter(None, (name, read.detail))))


def found(files: Sequence[Found], draft: Draft) -> None:
    """The chat templates of a folder without readback.yml: of its only model where nothing else serves it, else each
    stands for itself where no model is known. Of one folder's files tokenizer_config.json leads to the others.
    """
    folders = {one.path.parent for one in files if one.path.name == chat_files.CONFIG}
    leading = [one for one in files if one.path.name == chat_files.CONFIG or one.path.parent not in folders]
    for one in [one for one in leading if chat_files.lacks_template(one.path, draft.root)]:
        leading.remove(one)
        draft.say(one.path, CONFIG, detail="it contains no chat template, and no template file is beside it")
    models = list(draft.models.values())
    if not models:
        for one in leading:
            take(one, draft)
    elif len(leading) == len(models) == 1 and not (models[0].modelfile or models[0].chat_template):
        read = replace(chat.read(leading[0].path, draft.root), stated=False)
        draft.models[models[0].name] = replace(models[0], chat_template=read)
        why = f"the only one here, taken for {models[0].name}, the only model"
        _say(read, leading[0].path, draft, "; ".join(filter(None, (why, read.detail))))


def _say(read: ChatTemplate, path: Path, draft: Draft, detail: str) -> None:
    """Write down what was read, with what was noted on the way."""
    draft.diagnostics.extend(read.diagnostics)
    draft.say(read.place.file or path, CHAT_TEMPLATE, detail=detail)
    for file in (show(draft.root, path), read.config):
        if file:
            draft.say(file, CONFIG)

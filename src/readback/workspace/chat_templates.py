"""The chat template or chat format of a model: what readback.yml says of it, and what lies in the folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from readback.readers.paths import show
from readback.readers.yaml_node import Node
from readback.serving import named_formats
from readback.serving.chat import files as chat_files
from readback.serving.chat import model_input as chat
from readback.types import ChatTemplate, Location, Model
from readback.workspace.draft import Draft
from readback.workspace.recognise import CHAT_TEMPLATE, Found

KEYS = ("chat_template", "tokenizer_config", "add_special_tokens", "format")
CONFIG = "tokenizer configuration"


def template(parts: Mapping[str, Node], draft: Draft) -> ChatTemplate | None:
    """The chat template of `chat_template`, else of `tokenizer_config`, which in any case supplies the tokens.

    A format that is a data file is a chat template here only where it says `add_special_tokens`.
    """
    adds = bool(parts["add_special_tokens"].flag()) if "add_special_tokens" in parts else False
    config = _file(parts.get("tokenizer_config"), draft)
    path = _file(parts.get("chat_template"), draft) or config
    if path is None:
        known = chat.load_format(named(parts) or "") if adds else None
        return replace(known, adds_bos=known.bos_token is not None) if known else None
    found = chat.read(path, draft.root, tokens=config if config != path else None, add_special_tokens=adds)
    _say(found, path, draft, found.detail)
    return found


def named(parts: Mapping[str, Node]) -> str | None:
    """The format's name; an unknown one is a diagnostic with the known names."""
    known = (*named_formats.FORMATS, named_formats.NO_FORMAT, *chat.list_formats())
    return parts["format"].one_of(known) if "format" in parts else None


def _file(node: Node | None, draft: Draft) -> Path | None:
    name = node.text() if node else None
    return draft.file_at(name, node.place) if node and name else None


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

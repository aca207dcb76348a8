"""Read the files that hold a chat template: tokenizer_config.json, chat_template.json, or a bare Jinja file.

As transformers 5 reads a model's folder: a chat_template.jinja there, and the files of additional_chat_templates/, go
before the text in tokenizer_config.json. Of several templates the one called default is taken, or the one called
tool_use where tools are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from readback.readers.paths import resolve, show
from readback.readers.text_file import read_text
from readback.serving.chat.tokenizer_config import Config, start_of
from readback.serving.chat.tokenizer_config import read as read_config
from readback.types import ChatTemplate, Diagnostic, Location, TemplateText

CONFIG, SEPARATE, OLDER = "tokenizer_config.json", "chat_template.jinja", "chat_template.json"
LIMIT = 1 << 20  # bytes of a template; the longest in use have 30,000
DEFAULT = "default"  # the template of several that is taken where nobody names one
WITH_TOOLS = "tool_use"  # the one that is taken where tools are given
SUFFIX = ".jinja"
FURTHER = "additional_chat_templates"  # the folder of further templates, one file each
MOST = 64  # files of that folder; a model has two or three


@dataclass(frozen=True, slots=True)
class _Text:
    """A template's text, where its first character is, and what is to be said of it."""

    text: str | None
    place: Location
    diagnostics: tuple[Diagnostic, ...] = ()
    detail: str = ""
    with_tools: _Text | None = None


def recognise(path: Path) -> bool:
    """By name only."""
    return path.name in (CONFIG, SEPARATE)


def without_template(path: Path, root: Path) -> bool:
    """Whether it is a tokenizer configuration that can be read and gives no chat template, nor a file beside it does:
    that of a model which was never taught to chat.
    """
    if path.name != CONFIG:
        return False
    made = read(path, root)
    return made.text is None and [one.values.get("reason") for one in made.diagnostics] == [_absent(show(root, path))]


def _absent(file: str) -> str:
    return f"there is no chat_template in {file}"


def read(path: Path, root: Path, *, tokens: Path | None = None, add_special_tokens: bool = False) -> ChatTemplate:
    """The chat template that a file (or a model's folder) gives, with the tokens it is told.

    `tokens` is the tokenizer_config.json that supplies them where it is not `path` or lies beside it.
    `add_special_tokens`: the server has the tokenizer put its BOS before the text, as vLLM does on request. A file
    without a template, or one that cannot be read, has `text` None and a diagnostic that says why.
    """
    path = _inside(path, root)
    file = show(root, path)
    if isinstance(outside := resolve(root, file), Diagnostic) and outside.code == "dat-path-outside":
        return ChatTemplate(file, None, place=Location(file=file), diagnostics=(outside,))
    own = read_config(path, root) if path.suffix == ".json" else None
    named = tokens or (path if own and path.name != OLDER else _beside(path, root, CONFIG))
    config = own if named in (path, None) else read_config(named, root)
    found = _text(path, root, own)
    diagnostics = (
        *(own.diagnostics if own else ()),
        *(config.diagnostics if config and config is not own else ()),
        *found.diagnostics,
    )
    if found.text is None and not diagnostics:
        diagnostics = (_none(file, _absent(file), found.place),)
    bos = config.bos_token if config else None
    said = [found.detail]
    if config and named and show(root, named) != found.place.file:
        unused = ", whose own chat_template is not used" if config.template else ""
        said.append(f"its tokens are those of {show(root, named)}{unused}")
    made = ChatTemplate(
        name=found.place.file or file,
        text=found.text,
        bos_token=bos,
        eos_token=config.eos_token if config else None,
        special=config.special if config else (),
        adds_bos=add_special_tokens and bool(bos) and config is not None and config.adds_bos is not False,
        tokenizer_adds_bos=config.adds_bos if config else None,
        tokens=config.tokens if config else {},
        config=show(root, named) if config and named else None,
        detail="; ".join(part for part in said if part),
        place=found.place,
        diagnostics=diagnostics,
    )
    if (tools := found.with_tools) is None:
        return made
    return replace(made, with_tools=TemplateText(tools.place.file or file, tools.text, tools.place))


def _inside(path: Path, root: Path) -> Path:
    """Of a model's folder the file that holds its template; a link there that leads out of `root` holds none."""
    if not path.is_dir():
        return path
    there = (_beside(path / CONFIG, root, name) for name in (CONFIG, SEPARATE, OLDER))
    return next((one for one in there if one), path / CONFIG)


def _beside(path: Path, root: Path, name: str) -> Path | None:
    found = resolve(root, show(root, path.with_name(name)))
    return found if isinstance(found, Path) else None


def _text(path: Path, root: Path, own: Config | None) -> _Text:
    """The template that `path` leads to; `own` is what the file itself says where it is JSON."""
    if own is None and path.name != SEPARATE:
        return _plain(path, root)
    separate = path if own is None else None
    if path.name == CONFIG:
        separate = _beside(path, root, SEPARATE)
    further = _further(path, root) if path.name in (CONFIG, SEPARATE) else {}
    if further:
        return _of_files(separate, further, root, path)
    if separate or own is None:
        return _plain(separate or path, root)
    older = _beside(path, root, OLDER) if path.name == CONFIG and own.source and own.template is None else None
    if older:
        return _chosen(read_config(older, root), Location(file=show(root, older)))
    return _chosen(own, Location(file=show(root, path)))


def _further(path: Path, root: Path) -> Mapping[str, Path]:
    """The files of additional_chat_templates/ beside `path` by the names of their templates, in order."""
    folder = path.with_name(FURTHER)
    if not folder.is_dir() or folder.is_symlink():
        return {}
    files = sorted(one for one in islice(folder.iterdir(), MOST) if one.suffix == SUFFIX)
    inside = (resolve(root, show(root, one)) for one in files)
    return {one.stem: one for one in inside if isinstance(one, Path)}


def _of_files(separate: Path | None, further: Mapping[str, Path], root: Path, path: Path) -> _Text:
    """Of a template file and further ones the default, with the one for tools."""
    files = {**({DEFAULT: separate} if separate else {}), **further}
    tools = _plain(files[WITH_TOOLS], root) if WITH_TOOLS in files else None
    if DEFAULT not in files:
        place = Location(file=show(root, path))
        reason = f"{FURTHER} has the chat templates {', '.join(files)}, and none is called {DEFAULT}"
        return _Text(None, place, (_none(place.file, reason, place),), with_tools=tools)
    default = _plain(files[DEFAULT], root)
    if len(files) == 1:
        return default
    diagnostics = (*default.diagnostics, *(tools.diagnostics if tools else ()))
    return replace(default, diagnostics=diagnostics, detail=_detail(files), with_tools=tools)


def _detail(several: Mapping[str, object]) -> str:
    others = ", ".join(name for name in several if name != DEFAULT)
    return f"the one called {DEFAULT}; others: {others or 'none'}"


def _plain(path: Path, root: Path) -> _Text:
    file = show(root, path)
    text, diagnostics = read_text(path, file, LIMIT)
    if text is None:
        return _Text(None, Location(file=file), diagnostics)
    marked = any(
        diagnostic.code == "dat-bom" for diagnostic in diagnostics
    )  # a server keeps the mark, and the model reads it
    return _Text("\ufeff" * marked + text, Location(file=file, line=1, column=1), diagnostics)


def _chosen(config: Config, place: Location) -> _Text:
    """Its one template, or of several the one called default, with the one for tools."""
    if config.template is None:
        return _Text(None, place)
    if isinstance(config.template, str):
        return _Text(config.template, start_of(config.source, config.template, place))
    several = config.template
    with_tools = None
    if (tools := several.get(WITH_TOOLS)) is not None:
        with_tools = _Text(tools, start_of(config.source, tools, place))
    if DEFAULT not in several:
        reason = f"it has the chat templates {', '.join(several)}, and none is called {DEFAULT}"
        return _Text(None, place, (_none(place.file, reason, place),), with_tools=with_tools)
    text = several[DEFAULT]
    return _Text(text, start_of(config.source, text, place), detail=_detail(several), with_tools=with_tools)


def _none(file: str | None, reason: str, place: Location) -> Diagnostic:
    values: dict[str, Any] = {"name": file, "reason": reason, "line": None, "when": "read", "raised": False}
    return Diagnostic("srv-template-error", values, place, reason)

"""Read the files that hold a chat template: tokenizer_config.json, chat_template.json, or a bare Jinja file.

As in transformers 5, a model folder's chat_template.jinja and the files of additional_chat_templates/ go before the
text in tokenizer_config.json. Of several templates the one called default is used, or the one called tool_use where
there are tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.text_file import read_text
from readback.serving.chat.tokenizer_config import Config, locate_template
from readback.serving.chat.tokenizer_config import read as read_config
from readback.types import ChatTemplate, Diagnostic, Location, TemplateText

CONFIG, SEPARATE, OLDER = "tokenizer_config.json", "chat_template.jinja", "chat_template.json"
NAMES = (CONFIG, SEPARATE)  # of files that hold a chat template, whatever is in them
LIMIT = 1 << 20  # bytes of a template; the longest in use have 30,000
DEFAULT = "default"  # the template of several that is taken where nobody names one
WITH_TOOLS = "tool_use"  # the one that is taken where tools are given
SUFFIX = ".jinja"
FURTHER = "additional_chat_templates"  # the folder of further templates, one file each
MOST = 64  # files of that folder; a model has two or three


@dataclass(frozen=True, slots=True)
class _Text:
    """Hold a template's text, where its first character is, and the diagnostics about it."""

    text: str | None
    place: Location
    diagnostics: tuple[Diagnostic, ...] = ()
    detail: str = ""
    with_tools: _Text | None = None


def lacks_template(path: Path, root: Path) -> bool:
    """Return whether a readable tokenizer configuration has no chat template, nor a file next to it.

    Such a model was not trained to chat.
    """
    if path.name != CONFIG:
        return False
    template = read(path, root)
    reasons = [diagnostic.values.get("reason") for diagnostic in template.diagnostics]
    return template.text is None and reasons == [_explain_absence(format_relative(root, path))]


def _explain_absence(file: str) -> str:
    return f"there is no chat_template in {file}"


def read(path: Path, root: Path, *, tokens: Path | None = None, add_special_tokens: bool = False) -> ChatTemplate:
    """Return the chat template of a file (or a model's folder), with its tokens.

    `tokens` is the tokenizer_config.json that supplies them if that is neither `path` nor next to it.
    `add_special_tokens`: the server has the tokenizer put its BOS before the text, as vLLM does on request. A file
    without a template, or an unreadable one, has `text` None and a diagnostic with the reason.
    """
    path = _find_template_file(path, root)
    file = format_relative(root, path)
    outside = resolve(root, file)
    if isinstance(outside, Diagnostic) and outside.code == "dat-path-outside":
        return ChatTemplate(file, None, place=Location(file=file), diagnostics=(outside,))
    if path.suffix == ".json":
        own_config = read_config(path, root)
    else:
        own_config = None
    config_path = tokens
    if config_path is None:
        if own_config and path.name != OLDER:
            config_path = path
        else:
            config_path = _find_sibling(path, root, CONFIG)
    config = own_config
    if config_path is not None and config_path != path:
        config = read_config(config_path, root)
    text = _load_text(path, root, own_config)
    diagnostics = text.diagnostics
    if config and config is not own_config:
        diagnostics = (*config.diagnostics, *diagnostics)
    if own_config:
        diagnostics = (*own_config.diagnostics, *diagnostics)
    if text.text is None and not diagnostics:
        diagnostics = (_report_missing(file, _explain_absence(file), text.place),)
    details = [text.detail] if text.detail else []
    if config and config_path and format_relative(root, config_path) != text.place.file:
        if config.template:
            unused = ", whose own chat_template is not used"
        else:
            unused = ""
        details.append(f"its tokens are those of {format_relative(root, config_path)}{unused}")
    template = ChatTemplate(
        name=text.place.file or file,
        text=text.text,
        detail="; ".join(details),
        place=text.place,
        diagnostics=diagnostics,
    )
    if config:
        template = replace(
            template,
            bos_token=config.bos_token,
            eos_token=config.eos_token,
            special=config.special,
            adds_bos=add_special_tokens and bool(config.bos_token) and config.adds_bos is not False,
            tokenizer_adds_bos=config.adds_bos,
            tokens=config.tokens,
            config=format_relative(root, config_path) if config_path else None,
        )
    tools = text.with_tools
    if tools is not None:
        template = replace(template, with_tools=TemplateText(tools.place.file or file, tools.text, tools.place))
    return template


def _find_template_file(path: Path, root: Path) -> Path:
    """Return the file of a model's folder that holds its template; a link that leads out of `root` is ignored."""
    if not path.is_dir():
        return path
    for name in (CONFIG, SEPARATE, OLDER):
        file = _find_sibling(path / CONFIG, root, name)
        if file:
            return file
    return path / CONFIG


def _find_sibling(path: Path, root: Path, name: str) -> Path | None:
    """Return the file of that name next to `path`, None if there is none inside `root`."""
    file = resolve(root, format_relative(root, path.with_name(name)))
    if isinstance(file, Path):
        return file
    return None


def _load_text(path: Path, root: Path, config: Config | None) -> _Text:
    """Return the template that `path` leads to; `config` is the file's own contents if it is JSON."""
    if config is None and path.name != SEPARATE:
        return _read_plain(path, root)
    separate = path if config is None else None
    if path.name == CONFIG:
        separate = _find_sibling(path, root, SEPARATE)
    if path.name in (CONFIG, SEPARATE):
        further = _list_additional(path, root)
    else:
        further = {}
    if further:
        return _choose_file(separate, further, root, path)
    if separate or config is None:
        return _read_plain(separate or path, root)
    if path.name == CONFIG and config.source and config.template is None:
        older = _find_sibling(path, root, OLDER)
        if older:
            return _choose_template(read_config(older, root), Location(file=format_relative(root, older)))
    return _choose_template(config, Location(file=format_relative(root, path)))


def _list_additional(path: Path, root: Path) -> Mapping[str, Path]:
    """Return the files of additional_chat_templates/ next to `path` by the names of their templates, in order."""
    folder = path.with_name(FURTHER)
    if not folder.is_dir() or folder.is_symlink():
        return {}
    templates: dict[str, Path] = {}
    for entry in sorted(islice(folder.iterdir(), MOST)):
        if entry.suffix == SUFFIX:
            file = resolve(root, format_relative(root, entry))
        else:
            file = None
        if isinstance(file, Path):
            templates[file.stem] = file
    return templates


def _choose_file(separate: Path | None, further: Mapping[str, Path], root: Path, path: Path) -> _Text:
    """Return the default of a template file and further ones, with the one for tools."""
    files: Mapping[str, Path] = further
    if separate:
        files = {DEFAULT: separate, **further}
    if WITH_TOOLS in files:
        tools = _read_plain(files[WITH_TOOLS], root)
    else:
        tools = None
    if DEFAULT not in files:
        place = Location(file=format_relative(root, path))
        reason = f"{FURTHER} has the chat templates {', '.join(files)}, and none is called {DEFAULT}"
        return _Text(None, place, (_report_missing(place.file, reason, place),), with_tools=tools)
    default = _read_plain(files[DEFAULT], root)
    if len(files) == 1:
        return default
    diagnostics = (*default.diagnostics, *(tools.diagnostics if tools else ()))
    return replace(default, diagnostics=diagnostics, detail=_describe_choice(files), with_tools=tools)


def _describe_choice(templates: Mapping[str, object]) -> str:
    names = ", ".join(name for name in templates if name != DEFAULT)
    return f"the one called {DEFAULT}; others: {names or 'none'}"


def _read_plain(path: Path, root: Path) -> _Text:
    file = format_relative(root, path)
    text, diagnostics = read_text(path, file, LIMIT)
    if text is None:
        return _Text(None, Location(file=file), diagnostics)
    # A server keeps a byte-order mark, and the model reads it.
    if any(diagnostic.code == "dat-bom" for diagnostic in diagnostics):
        text = "\ufeff" + text
    return _Text(text, Location(file=file, line=1, column=1), diagnostics)


def _choose_template(config: Config, place: Location) -> _Text:
    """Return a configuration's one template, or of several the one called default, with the one for tools."""
    if config.template is None:
        return _Text(None, place)
    if isinstance(config.template, str):
        return _Text(config.template, locate_template(config.source, config.template, place))
    templates = config.template
    with_tools = None
    tools = templates.get(WITH_TOOLS)
    if tools is not None:
        with_tools = _Text(tools, locate_template(config.source, tools, place))
    if DEFAULT not in templates:
        reason = f"it has the chat templates {', '.join(templates)}, and none is called {DEFAULT}"
        return _Text(None, place, (_report_missing(place.file, reason, place),), with_tools=with_tools)
    text = templates[DEFAULT]
    return _Text(
        text, locate_template(config.source, text, place), detail=_describe_choice(templates), with_tools=with_tools
    )


def _report_missing(file: str | None, reason: str, place: Location) -> Diagnostic:
    values: dict[str, Any] = {"name": file, "reason": reason, "line": None, "when": "read", "raised": False}
    return Diagnostic("srv-template-error", values, place, reason)

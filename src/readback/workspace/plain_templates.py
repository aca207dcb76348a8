"""Plain template files of a folder as its modes, where no configuration brings any."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from readback.readers.paths import resolve, show
from readback.readers.text_file import read_text
from readback.sources import inline, plain_prompts
from readback.sources.plain_prompts import PlainPrompt
from readback.sources.template_language import LANGUAGES, SAID, Language, language, left_as_they_are, names_a_field
from readback.types import NOWHERE, Diagnostic, Location, Prompt, PromptConfig, Workspace
from readback.workspace.draft import Draft
from readback.workspace.recognise import CHAT_TEMPLATE, TEMPLATE
from readback.workspace.survey import Survey

NAME, TYPED = "plain files", "typed templates"
KEY, SYNTAX = "template", "syntax"  # keys of what whoever opens a workspace chooses
NOTHING = "asm-nothing-to-send"
MOST = 500  # modes that plain files make
READ = 16 << 20  # bytes of files that are read to see whether they are prompts


@dataclass(frozen=True, slots=True)
class _Text:
    """A file that may be a prompt."""

    file: str
    text: str
    language: Language
    diagnostics: tuple[Diagnostic, ...]
    probable: bool


def take(draft: Draft, around: Survey, wanted: Sequence[str] = ()) -> None:
    """Take the folder's template files as modes: those that are probably prompts, and the `wanted` ones.

    What else could be one is offered under `alternatives`.
    """
    taken = {one.path for one in around.found}
    wanted = [*wanted, *_chosen(draft)]
    paths = [path for path in around.files if plain_prompts.ending(path.name) and path not in taken]
    fields = _fields(draft, around)
    texts = _read(draft, paths, fields, wanted)
    used = [one for one in texts if one.probable or one.file in wanted]
    if not used and len(papers := [one for one in texts if not plain_prompts.paper(PurePosixPath(one.file))]) == 1:
        used = papers  # the only text beside the records
    _add(draft, used, fields)
    if offered := [one.file for one in texts if one not in used]:
        draft.alternatives[KEY] = tuple(offered)


def take_file(draft: Draft, path: Path, around: Survey) -> None:
    """Take one template file that was opened by name."""
    fields = _fields(draft, around)
    _add(draft, _read(draft, [path], fields, [show(draft.root, path)]), fields)


def apply_languages(draft: Draft) -> None:
    """Read each mode that whoever opens the workspace names in the language that they say."""
    for mode, syntax in said(draft.chosen.get(SYNTAX)).items():
        prompt = draft.prompts.get(mode)
        if prompt is None or prompt.syntax == "builder" or prompt.settings.get("dialect") or syntax not in LANGUAGES:
            continue
        new = replace(prompt, syntax=syntax)
        draft.prompts[mode] = new
        draft.configs = [replace(one, prompts={**one.prompts, mode: new}) if one.prompts.get(mode) is prompt else one
                         for one in draft.configs]  # fmt: skip


def said(text: str | None) -> dict[str, str]:
    """`mode=language` lines by mode; what has no such form is left out."""
    pairs = (line.rpartition("=") for line in (text or "").split("\n"))
    return {mode: syntax for mode, equals, syntax in pairs if equals and mode}


def saying(languages: dict[str, str]) -> str | None:
    return "\n".join(f"{mode}={syntax}" for mode, syntax in languages.items()) or None


def pasted(made: Workspace, texts: Mapping[str, str]) -> Workspace:
    """The workspace with further modes whose texts somebody typed: by mode, as `typed` writes them."""
    prompts = dict(map(_typed, texts.items()))
    if not prompts:
        return made
    config = PromptConfig(TYPED, inline.NAME, prompts)
    there = tuple(one for one in made.diagnostics if one.code != NOTHING)
    return replace(made, prompts={**made.prompts, **prompts}, configs=(*made.configs, config), diagnostics=there)


def typed(user: str, system: str | None, syntax: str) -> str:
    """A typed template as one text."""
    return json.dumps([user, system, syntax])


def _typed(entry: tuple[str, str]) -> tuple[str, Prompt]:
    mode, (user, system, syntax) = entry[0], json.loads(entry[1])
    return mode, Prompt(mode, user, system=system or None, syntax=syntax, system_syntax=syntax)


def _chosen(draft: Draft) -> list[str]:
    return [name for name in (draft.chosen.get(KEY) or "").split("\n") if name]


def _fields(draft: Draft, around: Survey) -> frozenset[str] | None:
    """The fields of the records, and the names that are mapped to them; None where there are no records."""
    if draft.dataset is None or draft.dataset.absent:
        return None
    found = around.of(draft.root / draft.dataset.path)
    return frozenset(draft.dataset.fields) | (found.fields if found else frozenset())


def _read(draft: Draft, paths: Iterable[Path], fields: Collection[str] | None, wanted: Sequence[str]) -> list[_Text]:
    found: list[_Text] = []
    left = READ
    for path in paths:
        file = show(draft.root, path)
        pure = PurePosixPath(file)
        if isinstance(resolve(draft.root, file), Diagnostic):
            continue
        asked = file in wanted
        text, diagnostics = read_text(path, file)
        if text is None:
            if asked or plain_prompts.ending(path.name) in plain_prompts.ALWAYS:
                draft.diagnostics.extend(diagnostics)
            continue
        if not text.strip() and not asked:
            continue
        if plain_prompts.for_server(text) and not asked:
            draft.say(file, CHAT_TEMPLATE, used=False, detail="a model's serving: names the template that it is for")
            continue
        left -= len(text)
        if left < 0:
            limit = {"what": "text files read to see whether they are prompts", "limit": f"{READ >> 20} MiB"}
            draft.diagnostics.append(Diagnostic("dat-limit", limit, NOWHERE, file))
            break
        spoken = language(path.name, text, fields)
        marked = names_a_field(text, fields) if fields else bool(left_as_they_are(text)) or spoken.syntax != "text"
        probable = plain_prompts.probable(pure, marked)
        found.append(_Text(file, text, spoken, diagnostics, probable))
    return found


def _add(draft: Draft, texts: Sequence[_Text], fields: Collection[str] | None) -> None:
    by_file = {one.file: one for one in texts}
    modes, lost = plain_prompts.grouped(by_file)
    if len(modes) > MOST:
        limit = {"what": "prompts of plain files", "limit": f"{MOST}"}
        draft.diagnostics.append(Diagnostic("dat-limit", limit, Location(file=modes[MOST].user), f"{len(modes)}"))
    prompts = {one.mode: _prompt(one, by_file) for one in modes[:MOST]}
    if not prompts:
        return
    draft.add_config(PromptConfig(NAME, inline.NAME, prompts))
    for one in modes[:MOST]:
        for file, role in ((one.user, "user"), (one.system, "system")):
            if file is not None:
                draft.diagnostics.extend(by_file[file].diagnostics)
                draft.say(file, TEMPLATE, detail=_detail(one, by_file[file], role))
                _left(draft, one, by_file[file], role, fields or ())
    for file in lost:
        draft.say(file, TEMPLATE, used=False, detail="a system message that no user text goes with")


def _prompt(one: PlainPrompt, texts: dict[str, _Text]) -> Prompt:
    user, system = texts[one.user] if one.user else None, texts[one.system] if one.system else None
    return Prompt(
        mode=one.mode,
        template=user.text if user else None,
        system=system.text if system else None,
        syntax=user.language.syntax if user else "text",
        system_syntax=system.language.syntax if system else "text",
        place=_first(user or system),
        system_place=_first(system),
    )


def _left(draft: Draft, one: PlainPrompt, text: _Text, role: str, fields: Collection[str]) -> None:
    """Say what looks like something to fill in and is sent as it is: in a text in which nothing is filled in, and, by
    the name of a field, in one whose language writes it otherwise.
    """
    syntax, marks = text.language.syntax, left_as_they_are(text.text)
    if syntax in ("jinja", "mustache"):
        marks = tuple(mark for mark in marks if mark.strip("{}%()s") in fields)
    if syntax in ("text", "jinja", "mustache") and marks:
        line = text.text[: text.text.index(marks[0])].count("\n") + 1
        spoken = "" if syntax == "text" else SAID[syntax]
        values = {"mode": one.mode, "mark": marks[0], "count": len(marks), "role": role, "language": spoken,
                  "record": "" if spoken else "record"}  # fmt: skip
        draft.report("asm-mark-not-filled", Location(file=text.file, line=line, mode=one.mode), marks[0], **values)


def _first(text: _Text | None) -> Location:
    return Location(file=text.file, line=1, column=1) if text else NOWHERE


def _detail(one: PlainPrompt, text: _Text, role: str) -> str:
    cut = plain_prompts.parts(text.text)
    more = (
        f"; {cut} parts between lines of ---, taken as one prompt" if cut > 1 and not text.file.endswith(".md") else ""
    )
    return f"{role} text of {one.mode}, {SAID[text.language.syntax]}: {text.language.reason}{more}"

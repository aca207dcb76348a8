"""Plain template files of a folder as its modes, where no configuration brings any."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from readback.readers.encodings import needs_decoding
from readback.readers.paths import resolve, show
from readback.readers.text_file import read_text
from readback.sources import plain_prompts
from readback.sources.plain_prompts import PlainPrompt
from readback.sources.template_language import (
    LANGUAGES,
    SAID,
    Language,
    find_no_names,
    language,
    left_as_they_are,
    name_in,
    names_a_field,
)
from readback.types import NOWHERE, Diagnostic, Location, Prompt, PromptConfig, Severity, Values, Workspace
from readback.workspace import chat_templates
from readback.workspace.draft import Draft
from readback.workspace.id_column import first_rows
from readback.workspace.recognise import CHAT_TEMPLATE, TEMPLATE, Found, recognise
from readback.workspace.stated_encoding import find_encoding
from readback.workspace.survey import Survey

NAME, TYPED = "plain files", "typed templates"
KEY, SYNTAX, PARTS = "template", "syntax", "parts"  # keys of what whoever opens a workspace chooses
COMPARED = 50  # template files that tell which of several datasets is meant
NOTHING = "asm-nothing-to-send"
RENAME = "write the name with _, and map it to the field under fields:"
MOST = 500  # modes that plain files make
LONGEST = 100_000  # characters of a text that is taken for a prompt because of what is in it: longer ones are corpora
READ = 16 << 20  # bytes of files that are read to see whether they are prompts


@dataclass(frozen=True, slots=True)
class _Text:
    """A file that may be a prompt; or a part of one, with its number and the line it begins in."""

    file: str
    text: str
    language: Language
    diagnostics: tuple[Diagnostic, ...]
    probable: bool
    marked: bool = False  # whether something in it is to be filled in, by whatever name
    line: int = 1
    part: int | None = None


def take(draft: Draft, around: Survey, wanted: Sequence[str] = ()) -> None:
    """Take the folder's template files as modes: those that are probably prompts, and the `wanted` ones.

    What else could be one is offered under `alternatives`, and so are files that may hold several prompts.
    """
    taken = {one.path for one in around.found}
    cut = _lines(draft, PARTS)
    wanted = [*wanted, *_lines(draft, KEY), *cut]
    paths = [path for path in around.files if plain_prompts.ending(path.name) and path not in taken]
    fields = _fields(draft, around)
    served: list[Path] = []
    texts = _read(draft, paths, fields, wanted, served)
    used = [one for one in texts if one.probable or one.file in wanted]
    marked = [one for one in texts if one.marked and not plain_prompts.paper(PurePosixPath(one.file))]
    if not used and len(marked) == 1:
        used = marked  # the only text beside the records in which something is to be filled in
    _add(draft, used, cut, fields)
    if offered := [one.file for one in texts if one not in used]:
        draft.alternatives[KEY] = tuple(offered)
    _of_servers(served, draft)


def take_file(draft: Draft, path: Path, around: Survey) -> None:
    """Take one template file that was opened by name."""
    fields = _fields(draft, around)
    file = show(draft.root, path)
    served: list[Path] = []
    before = len(draft.diagnostics)
    if file not in _lines(draft, KEY) and draft.dataset is None:
        _read(draft, [path], fields, (), served)
    if served:
        _of_servers(served, draft)
    else:
        del draft.diagnostics[before:]  # the file is read once more, as one that was asked for
        _add_all(draft, [path], fields)


def take_named(draft: Draft, paths: Sequence[Path]) -> None:
    """Take the template files that a workspace file names, whatever they look like."""
    rows = draft.dataset if draft.dataset and not draft.dataset.absent else None
    found = (recognise(draft.root / rows.path, draft.root, named=True),) if rows else ()
    _add_all(draft, paths, _fields(draft, Survey(draft.root, found)))


def _add_all(draft: Draft, paths: Sequence[Path], fields: frozenset[str] | None) -> None:
    wanted = [show(draft.root, path) for path in paths]
    _add(draft, _read(draft, paths, fields, wanted), _lines(draft, PARTS), fields)


def _of_servers(files: Sequence[Path], draft: Draft) -> None:
    """Chat templates that lie among the files: where there is nothing else, each is a model that stands for itself, so
    that a made-up conversation shows what it makes; else a model has to name the one that serves it.
    """
    known = draft.models.values()
    sent = draft.prompts or draft.tasks or draft.judges or draft.conditions or draft.dataset
    alone = not sent and all(one.chat_template and not one.chat_template.stated for one in known)
    for path in files:
        if alone:
            chat_templates.take_by_name(path, draft)
        else:
            named = "a model's serving: names the template that it is for"
            draft.say(show(draft.root, path), CHAT_TEMPLATE, used=False, detail=named)


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
    config = PromptConfig(TYPED, plain_prompts.INLINE, prompts)
    there = tuple(one for one in made.diagnostics if one.code != NOTHING)
    return replace(made, prompts={**made.prompts, **prompts}, configs=(*made.configs, config), diagnostics=there)


def typed(user: str, system: str | None, syntax: str) -> str:
    """A typed template as one text."""
    return json.dumps([user, system, syntax])


def _typed(entry: tuple[str, str]) -> tuple[str, Prompt]:
    mode, (user, system, syntax) = entry[0], json.loads(entry[1])
    return mode, Prompt(mode, user, system=system or None, syntax=syntax, system_syntax=syntax)


def cut_files(made: Workspace) -> dict[str, int]:
    """The files of which each part is a mode, with the number of modes."""
    prompts = [one for config in made.configs if config.name == NAME for one in config.prompts.values()]
    files = [one.place.file or "" for one in prompts if plain_prompts.PART in one.settings]
    return {file: files.count(file) for file in files}


def _lines(draft: Draft, key: str) -> list[str]:
    return [name for name in (draft.chosen.get(key) or "").split("\n") if name]


def _fields(draft: Draft, around: Survey) -> frozenset[str] | None:
    """The fields of the records, and the names that are mapped to them; None where there are no records."""
    if draft.dataset is None or draft.dataset.absent:
        return None
    encoding = find_encoding(draft)
    if needs_decoding(encoding):
        rows = first_rows(draft, replace(draft.dataset, encoding=encoding))
        return frozenset(draft.dataset.fields) | {name for row in rows for name in row}
    found = around.of(draft.root / draft.dataset.path)
    return frozenset(draft.dataset.fields) | (found.fields if found else frozenset())


def _read(
    draft: Draft,
    paths: Iterable[Path],
    fields: Collection[str] | None,
    wanted: Sequence[str],
    served: list[Path] | None = None,
) -> list[_Text]:
    """The files that may be prompts. Those that a model's server makes one text of messages with go to `served`."""
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
            if served is not None:
                served.append(path)
            continue
        if marks := plain_prompts.find_dotprompt_marks(path.name, text):
            _refuse_dotprompt(draft, file, marks, asked)
            continue
        if lines := plain_prompts.find_role_lines(text):
            _refuse_roles(draft, file, lines, asked)
            continue
        left -= len(text)
        if left < 0:
            limit = {"what": "text files read to see whether they are prompts", "limit": f"{READ >> 20} MiB"}
            draft.diagnostics.append(Diagnostic("dat-limit", limit, NOWHERE, file))
            break
        spoken = language(path.name, text, fields)
        marked = names_a_field(text, fields) if fields else bool(left_as_they_are(text)) or spoken.syntax != "text"
        probable = plain_prompts.probable(pure, marked and len(text) <= LONGEST)
        any_mark = _may_be_filled(text, spoken, fields or ()) and len(text) <= LONGEST
        found.append(_Text(file, text, spoken, diagnostics, probable, any_mark))
    return found


def order_by_templates(datasets: Sequence[Found], around: Survey) -> list[Found]:
    """Put those datasets first that have a field which a template file of the folder names; else their order stays."""
    taken = {one.path for one in around.found}
    paths = [path for path in around.files if plain_prompts.ending(path.name) and path not in taken]
    texts = [text for path in paths[:COMPARED] if (text := read_text(path, path.name)[0])]

    def count(found: Found) -> int:
        return sum(names_a_field(text, found.fields) for text in texts)

    return sorted(datasets, key=count, reverse=True)  # the order of equal ones stays


def _may_be_filled(text: str, spoken: Language, fields: Collection[str]) -> bool:
    """Whether something in the text is filled in, or looks as if it was meant to be."""
    return bool(left_as_they_are(text) or find_no_names(text, fields)) or spoken.syntax != "text"


def _weigh(asked: bool) -> Severity:
    """Weigh a file that is not used: an error where somebody asked for it, else it only lies in the folder."""
    return "error" if asked else "warning"


def _refuse_roles(draft: Draft, file: str, lines: Sequence[tuple[int, str]], asked: bool) -> None:
    """Say that a file is cut into messages by another program, and is no text of one message."""
    first, mark = lines[0]
    values = {"marks": list(dict.fromkeys(mark for _, mark in lines)), "count": len(lines)}
    draft.diagnostics.append(Diagnostic("asm-role-lines", values, Location(file=file, line=first), mark, _weigh(asked)))
    draft.say(file, TEMPLATE, used=False, detail="its lines name roles, of which another program makes messages")


def _refuse_dotprompt(draft: Draft, file: str, marks: Sequence[tuple[int, str]], asked: bool) -> None:
    """Say that a file is written in dotprompt, whose settings and roles are no text of one message."""
    first, mark = marks[0]
    values = {"marks": list(dict.fromkeys(mark for _, mark in marks)), "count": len(marks)}
    draft.diagnostics.append(Diagnostic("asm-dotprompt", values, Location(file=file, line=first), mark, _weigh(asked)))
    draft.say(file, TEMPLATE, used=False, detail="it is written in dotprompt, which Readback does not read")


def _add(draft: Draft, texts: Sequence[_Text], cut: Collection[str], fields: Collection[str] | None) -> None:
    by_file = {one.file: one for one in texts}
    files, lost = plain_prompts.grouped(by_file)
    several = [one.user for one in files if one.user and plain_prompts.may_be_cut(one.user, by_file[one.user].text)]
    if offered := tuple(file for file in several if file not in cut):
        draft.alternatives[PARTS] = offered
    modes = [
        made
        for one in files
        for made in (
            _parts(one, by_file, fields) if one.user in cut and one.user in several else (_Mode.of(one, by_file),)
        )
    ]
    if len(modes) > MOST:
        first = modes[MOST].user or modes[MOST].system
        limit = {"what": "prompts of plain files", "limit": f"{MOST}"}
        draft.diagnostics.append(Diagnostic("dat-limit", limit, _first(first), f"{len(modes)}"))
    if not modes:
        return
    draft.add_config(PromptConfig(NAME, plain_prompts.INLINE, {one.mode: one.prompt() for one in modes[:MOST]}))
    for one in modes[:MOST]:
        for text, role in ((one.user, "user"), (one.system, "system")):
            if text is not None:
                draft.diagnostics.extend(text.diagnostics)
                draft.say(text.file, TEMPLATE, detail=_detail(one, text, role))
                _left(draft, one, text, role, fields or ())
    _report_system_alone(draft, modes[:MOST])
    for file in lost:
        draft.say(file, TEMPLATE, used=False, detail="a system message that no user text goes with")


def _report_system_alone(draft: Draft, modes: Sequence[_Mode]) -> None:
    """Say once that modes have a system text alone: a library of such files leaves the user's text to the run."""
    alone = [one for one in modes if one.user is None]
    if not alone:
        return
    place = _first(alone[0].system)
    file = draft.dataset.path if draft.dataset and not draft.dataset.absent else ""
    severity: Severity = "warning" if file else "info"
    values = {"modes": [one.mode for one in alone], "count": len(alone), "dataset": file}
    draft.diagnostics.append(Diagnostic("asm-user-at-run-time", values, place, alone[0].mode, severity))


@dataclass(frozen=True, slots=True)
class _Mode:
    """A mode and its texts, of which at least one is there."""

    mode: str
    user: _Text | None
    system: _Text | None

    @classmethod
    def of(cls, one: PlainPrompt, texts: Mapping[str, _Text]) -> _Mode:
        user, system = texts[one.user] if one.user else None, texts[one.system] if one.system else None
        return cls(one.mode, user, system)

    def prompt(self) -> Prompt:
        user, system = self.user, self.system
        return Prompt(
            mode=self.mode,
            template=user.text if user else None,
            system=system.text if system else None,
            syntax=user.language.syntax if user else "text",
            system_syntax=system.language.syntax if system else "text",
            settings=self.settings(),
            place=_first(user or system),
            system_place=_first(system),
        )

    def settings(self) -> Values:
        """What is known of the mode besides its texts."""
        if self.user is None:
            return {plain_prompts.SYSTEM_ALONE: True}
        return {plain_prompts.PART: self.user.part} if self.user.part else {}


def _parts(one: PlainPrompt, texts: Mapping[str, _Text], fields: Collection[str] | None) -> Iterator[_Mode]:
    """A mode for each part of a file of several prompts; the system text that goes with the file goes with each."""
    whole = _Mode.of(one, texts)
    if whole.user is None:
        return
    for number, (text, line) in enumerate(plain_prompts.pieces(whole.user.text), 1):
        spoken = language(PurePosixPath(whole.user.file).name, text, fields)
        said = whole.user.diagnostics if number == 1 else ()  # they are about the file
        part = replace(whole.user, text=text, line=line, part=number, language=spoken, diagnostics=said)
        yield _Mode(plain_prompts.part_name(whole.user.file, number), part, whole.system)


def _left(draft: Draft, one: _Mode, text: _Text, role: str, fields: Collection[str]) -> None:
    """Say what looks like something to fill in and is sent as it is: in a text in which nothing is filled in, and, by
    the name of a field, in one whose language writes it otherwise.
    """
    syntax, marks = text.language.syntax, left_as_they_are(text.text)
    if syntax in ("jinja", "mustache"):
        marks = tuple(mark for mark in marks if name_in(mark) in fields)
    spoken = "" if syntax == "text" else SAID[syntax]
    if syntax in ("text", "jinja", "mustache") and marks:
        record = "" if spoken else "record"
        _report_left(draft, one, text, marks, role=role, language=spoken, record=record, why="", step="")
    if syntax == "text" and (no_names := find_no_names(text.text, fields)):
        wrong = [no_name.mark for no_name in no_names]
        _report_left(draft, one, text, wrong, role=role, language="", record="", why=no_names[0].why, step=RENAME)


def _report_left(draft: Draft, one: _Mode, text: _Text, marks: Sequence[str], **values: str) -> None:
    """Report the first of the marks at its line."""
    line = text.line + text.text[: text.text.index(marks[0])].count("\n")
    place = Location(file=text.file, line=line, mode=one.mode)
    draft.report("asm-mark-not-filled", place, marks[0], mode=one.mode, mark=marks[0], count=len(marks), **values)


def _first(text: _Text | None) -> Location:
    return Location(file=text.file, line=text.line, column=1) if text else NOWHERE


def _detail(one: _Mode, text: _Text, role: str) -> str:
    said = f"{role} text of {one.mode}, {SAID[text.language.syntax]}: {text.language.reason}"
    if text.part:
        return f"the first of the parts between lines of ---, each a mode: {said}"
    cut = plain_prompts.parts(text.text)
    if cut < 2 or text.file.endswith(".md"):
        return said
    how = "; --parts makes each a mode" if role == "user" and plain_prompts.may_be_cut(text.file, text.text) else ""
    return f"{said}; {cut} parts between lines of ---, taken as one prompt{how}"

"""Plain template files of a folder as its modes, where no configuration brings any."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from readback.readers.files.decoding import needs_decoding
from readback.readers.files.paths import format_relative, resolve
from readback.readers.files.text_file import read_text
from readback.sources.templates import plain_prompts
from readback.sources.templates.plain_prompts import PlainPrompt, find_ending
from readback.sources.templates.template_language import (
    LANGUAGE_NAMES,
    LANGUAGES,
    Language,
    detect_language,
    extract_name,
    find_no_names,
    find_unfilled_marks,
    names_a_field,
)
from readback.types import NOWHERE, Diagnostic, Location, Prompt, PromptConfig, Severity, Values, Workspace
from readback.workspace import serving_files
from readback.workspace.dataset_choices import find_encoding, read_first_rows
from readback.workspace.draft import Draft
from readback.workspace.recognise import CHAT_TEMPLATE, TEMPLATE, RecognisedFile, recognise
from readback.workspace.survey import Survey

NAME, TYPED = "plain files", "typed templates"
KEY, SYNTAX, PARTS = "template", "syntax", "parts"  # keys of what whoever opens a workspace chooses
COMPARED = 50  # template files that tell which of several datasets is meant
NOTHING_TO_SEND = "asm-nothing-to-send"
RENAME = "write the name with _, and map it to the field under fields:"
MOST = 500  # modes that plain files make
LONGEST = 100_000  # characters of a text that is taken for a prompt because of what is in it: longer ones are corpora
READ = 16 << 20  # bytes of files that are read to see whether they are prompts


@dataclass(frozen=True, slots=True)
class TemplateText:
    """A file that may be a prompt; or a part of one, with its number and the line it begins in."""

    file: str
    text: str
    language: Language
    diagnostics: tuple[Diagnostic, ...]
    is_probable: bool
    has_marks: bool = False  # whether something in it is to be filled in, by whatever name
    line: int = 1
    part: int | None = None
    source: str | None = None  # the file that holds it, where it is a constant of one: `file` then ends in its name

    @property
    def path(self) -> str:
        """The file that holds the text."""
        return self.source or self.file

    @property
    def place(self) -> Location:
        """Where the text begins."""
        return Location(file=self.path, line=self.line, column=1)


@dataclass(frozen=True, slots=True)
class _Mode:
    """A mode and its texts, of which at least one is there."""

    mode: str
    user: TemplateText | None
    system: TemplateText | None

    @property
    def place(self) -> Location:
        """Where the mode's first text begins."""
        text = self.user or self.system
        if text:
            return text.place
        return NOWHERE

    def build_prompt(self) -> Prompt:
        """Return the prompt of the mode."""
        user, system = self.user, self.system
        return Prompt(
            mode=self.mode,
            template=user.text if user else None,
            system=system.text if system else None,
            syntax=user.language.syntax if user else "text",
            system_syntax=system.language.syntax if system else "text",
            settings=self._list_settings(),
            place=self.place,
            system_place=system.place if system else NOWHERE,
        )

    def _list_settings(self) -> Values:
        """Return what is known of the mode besides its texts."""
        if self.user is None:
            return {plain_prompts.SYSTEM_ALONE: True}
        if self.user.part:
            return {plain_prompts.PART: self.user.part}
        return {}


def take_templates(draft: Draft, survey: Survey) -> None:
    """Take the folder's template files as modes: those that are probably prompts, and those that were chosen.

    What else could be one is offered under `alternatives`, and so are files that may hold several prompts.
    """
    cut = _list_chosen(draft, PARTS)
    wanted = [*_list_chosen(draft, KEY), *cut]
    fields = list_fields(draft, survey)
    server_templates: list[Path] = []
    texts = _read_texts(draft, _list_unrecognised(survey), fields, wanted, server_templates)
    used = [text for text in texts if text.is_probable or text.file in wanted]
    if not used:
        marked = [text for text in texts if text.has_marks and not plain_prompts.is_document(PurePosixPath(text.file))]
        if len(marked) == 1:
            used = marked  # the only text beside the records in which something is to be filled in
    add_modes(draft, used, cut, fields)
    offered = [text.file for text in texts if text not in used]
    if offered:
        draft.alternatives[KEY] = tuple(offered)
    _take_server_templates(server_templates, draft)


def take_opened_template(draft: Draft, path: Path, survey: Survey) -> None:
    """Take one template file that was opened by name."""
    fields = list_fields(draft, survey)
    file = format_relative(draft.root, path)
    server_templates: list[Path] = []
    count = len(draft.diagnostics)
    if file not in _list_chosen(draft, KEY) and draft.dataset is None:
        _read_texts(draft, [path], fields, (), server_templates)
    if server_templates:
        _take_server_templates(server_templates, draft)
    else:
        del draft.diagnostics[count:]  # the file is read once more, as one that was asked for
        _add_files(draft, [path], fields)


def take_listed_templates(draft: Draft, paths: Sequence[Path]) -> None:
    """Take the template files that a workspace file names, whatever they look like."""
    if draft.dataset and not draft.dataset.absent:
        rows = draft.dataset
    else:
        rows = None
    files = (recognise(draft.root / rows.path, draft.root, named=True),) if rows else ()
    _add_files(draft, paths, list_fields(draft, Survey(draft.root, files)))


def _add_files(draft: Draft, paths: Sequence[Path], fields: frozenset[str] | None) -> None:
    wanted = [format_relative(draft.root, path) for path in paths]
    add_modes(draft, _read_texts(draft, paths, fields, wanted), _list_chosen(draft, PARTS), fields)


def _take_server_templates(files: Sequence[Path], draft: Draft) -> None:
    """Take chat templates that lie among the files.

    Where there is nothing else, each is a model that stands for itself, so that a made-up conversation shows what it
    makes; else a model has to name the one that serves it.
    """
    has_parts = draft.prompts or draft.tasks or draft.judges or draft.conditions or draft.dataset
    guessed = (model.chat_template and not model.chat_template.stated for model in draft.models.values())
    is_alone = not has_parts and all(guessed)
    for path in files:
        if is_alone:
            serving_files.take_named_template(path, draft)
        else:
            reason = "a model's serving: names the template that it is for"
            draft.say(format_relative(draft.root, path), CHAT_TEMPLATE, used=False, detail=reason)


def apply_languages(draft: Draft) -> None:
    """Read each mode that whoever opens the workspace names in the language that they chose."""
    for mode, syntax in parse_languages(draft.chosen.get(SYNTAX)).items():
        prompt = draft.prompts.get(mode)
        if prompt is None or prompt.syntax == "builder" or prompt.settings.get("dialect") or syntax not in LANGUAGES:
            continue
        changed = replace(prompt, syntax=syntax)
        draft.prompts[mode] = changed
        for number, config in enumerate(draft.configs):
            if config.prompts.get(mode) is prompt:
                draft.configs[number] = replace(config, prompts={**config.prompts, mode: changed})


def parse_languages(text: str | None) -> dict[str, str]:
    """Return the languages of `mode=language` lines by mode; lines of another form are left out."""
    pairs = (line.rpartition("=") for line in (text or "").split("\n"))
    return {mode: syntax for mode, equals, syntax in pairs if equals and mode}


def format_languages(languages: Mapping[str, str]) -> str | None:
    """Return languages by mode as the lines that `parse_languages` reads; None where there are none."""
    return "\n".join(f"{mode}={syntax}" for mode, syntax in languages.items()) or None


def add_typed_templates(workspace: Workspace, texts: Mapping[str, str]) -> Workspace:
    """Return the workspace with further modes whose texts somebody typed: by mode, as `format_template` writes them."""
    if not texts:
        return workspace
    prompts = {mode: _parse_template(mode, text) for mode, text in texts.items()}
    config = PromptConfig(TYPED, plain_prompts.INLINE, prompts)
    diagnostics = tuple(diagnostic for diagnostic in workspace.diagnostics if diagnostic.code != NOTHING_TO_SEND)
    return replace(
        workspace,
        prompts={**workspace.prompts, **prompts},
        configs=(*workspace.configs, config),
        diagnostics=diagnostics,
    )


def format_template(user: str, system: str | None, syntax: str) -> str:
    """Return a typed template as one text."""
    return json.dumps([user, system, syntax])


def _parse_template(mode: str, text: str) -> Prompt:
    user, system, syntax = json.loads(text)
    return Prompt(mode, user, system=system or None, syntax=syntax, system_syntax=syntax)


def list_cut_files(workspace: Workspace) -> dict[str, int]:
    """Return the files of which each part is a mode, with the number of modes."""
    counts: dict[str, int] = {}
    for config in workspace.configs:
        for prompt in config.prompts.values() if config.name == NAME else ():
            if plain_prompts.PART in prompt.settings:
                file = prompt.place.file or ""
                counts[file] = counts.get(file, 0) + 1
    return counts


def _list_chosen(draft: Draft, key: str) -> list[str]:
    return [name for name in (draft.chosen.get(key) or "").split("\n") if name]


def list_fields(draft: Draft, survey: Survey) -> frozenset[str] | None:
    """Return the fields of the records, and the names that are mapped to them; None where there are no records."""
    if draft.dataset is None or draft.dataset.absent:
        return None
    encoding = find_encoding(draft)
    if needs_decoding(encoding):
        rows = read_first_rows(draft, replace(draft.dataset, encoding=encoding))
        return frozenset(draft.dataset.fields) | {name for row in rows for name in row}
    file = survey.find(draft.root / draft.dataset.path)
    return frozenset(draft.dataset.fields) | (file.fields if file else frozenset())


def _list_unrecognised(survey: Survey) -> list[Path]:
    """Return the files of a folder that may be templates by their ending, and are nothing else."""
    recognised = {file.path for file in survey.recognised}
    return [path for path in survey.files if find_ending(path.name) and path not in recognised]


def _read_texts(
    draft: Draft,
    paths: Iterable[Path],
    fields: Collection[str] | None,
    wanted: Sequence[str],
    server_templates: list[Path] | None = None,
) -> list[TemplateText]:
    """Return the files that may be prompts; templates of a model's server are added to `server_templates`."""
    texts: list[TemplateText] = []
    budget = READ
    for path in paths:
        file = format_relative(draft.root, path)
        if isinstance(resolve(draft.root, file), Diagnostic):
            continue
        is_wanted = file in wanted
        text, diagnostics = read_text(path, file)
        if text is None:
            if is_wanted or find_ending(path.name) in plain_prompts.ALWAYS:
                draft.diagnostics.extend(diagnostics)
            continue
        if not text.strip() and not is_wanted:
            continue
        if plain_prompts.is_server_template(text) and not is_wanted:
            if server_templates is not None:
                server_templates.append(path)
            continue
        if _refuse_foreign(draft, file, text, is_wanted):
            continue
        budget -= len(text)
        if budget < 0:
            limit = {"what": "text files read to see whether they are prompts", "limit": f"{READ >> 20} MiB"}
            draft.diagnostics.append(Diagnostic("dat-limit", limit, NOWHERE, file))
            break
        texts.append(judge_text(file, text, diagnostics, fields))
    return texts


def judge_text(
    file: str, text: str, diagnostics: tuple[Diagnostic, ...], fields: Collection[str] | None
) -> TemplateText:
    """Return a text with its language, and whether it is probably a prompt."""
    pure = PurePosixPath(file)
    language = detect_language(pure.name, text, fields)
    unfilled = find_unfilled_marks(text)
    is_filled = bool(unfilled) or language.syntax != "text"
    is_short = len(text) <= LONGEST
    if fields:
        names_field = names_a_field(text, fields)
    else:
        names_field = is_filled
    has_marks = is_filled or bool(find_no_names(text, fields or ()))
    is_probable = plain_prompts.is_probable_prompt(pure, names_field and is_short)
    return TemplateText(file, text, language, diagnostics, is_probable, has_marks and is_short)


def order_by_templates(datasets: Sequence[RecognisedFile], survey: Survey) -> list[RecognisedFile]:
    """Put those datasets first that have a field which a template file of the folder names; else their order stays."""
    texts: list[str] = []
    for path in _list_unrecognised(survey)[:COMPARED]:
        text, _ = read_text(path, path.name)
        if text:
            texts.append(text)

    def count_templates(dataset: RecognisedFile) -> int:
        return sum(names_a_field(text, dataset.fields) for text in texts)

    return sorted(datasets, key=count_templates, reverse=True)  # the order of equal ones stays


def _refuse_foreign(draft: Draft, file: str, text: str, is_wanted: bool) -> bool:
    """Report a text that another program makes messages of, and return whether it is one.

    It is an error where somebody asked for it; else it only lies in the folder.
    """
    marks = plain_prompts.find_role_lines(text)
    if not marks:
        return False
    line, first = marks[0]
    values = {"marks": list(dict.fromkeys(mark for _, mark in marks)), "count": len(marks)}
    severity: Severity = "error" if is_wanted else "warning"
    draft.diagnostics.append(Diagnostic("asm-role-lines", values, Location(file=file, line=line), first, severity))
    draft.say(file, TEMPLATE, used=False, detail="its lines name roles, of which another program makes messages")
    return True


def add_modes(
    draft: Draft, texts: Sequence[TemplateText], cut: Collection[str], fields: Collection[str] | None
) -> None:
    """Add the modes that texts make; a file in `cut` is one for each of its parts."""
    by_file = {text.file: text for text in texts}
    prompts, unmatched = plain_prompts.group_files(by_file)
    several = [
        prompt.user
        for prompt in prompts
        if prompt.user and plain_prompts.has_parts(prompt.user, by_file[prompt.user].text)
    ]
    offered = tuple(file for file in several if file not in cut)
    if offered:
        draft.alternatives[PARTS] = offered
    modes: list[_Mode] = []
    for prompt in prompts:
        mode = _build_mode(prompt, by_file)
        if mode.user and prompt.user in cut and prompt.user in several:
            modes.extend(_cut_mode(mode.user, mode.system, fields))
        else:
            modes.append(mode)
    if len(modes) > MOST:
        limit = {"what": "prompts of plain files", "limit": f"{MOST}"}
        draft.diagnostics.append(Diagnostic("dat-limit", limit, modes[MOST].place, f"{len(modes)}"))
        del modes[MOST:]
    if not modes:
        return
    draft.add_config(PromptConfig(NAME, plain_prompts.INLINE, {mode.mode: mode.build_prompt() for mode in modes}))
    for mode in modes:
        for text, role in ((mode.user, "user"), (mode.system, "system")):
            if text is not None:
                draft.diagnostics.extend(text.diagnostics)
                draft.say(text.path, TEMPLATE, detail=_describe_text(mode, text, role))
                _report_unfilled(draft, mode, text, role, fields or ())
    _report_system_alone(draft, modes)
    for file in unmatched:
        draft.say(by_file[file].path, TEMPLATE, used=False, detail="a system message that no user text goes with")


def _report_system_alone(draft: Draft, modes: Sequence[_Mode]) -> None:
    """Report once that modes have a system text alone: a library of such files leaves the user's text to the run."""
    alone = [mode for mode in modes if mode.user is None]
    if not alone:
        return
    if draft.dataset and not draft.dataset.absent:
        file = draft.dataset.path
    else:
        file = ""
    severity: Severity = "warning" if file else "info"
    values = {"modes": [mode.mode for mode in alone], "count": len(alone), "dataset": file}
    draft.diagnostics.append(Diagnostic("asm-user-at-run-time", values, alone[0].place, alone[0].mode, severity))


def _build_mode(prompt: PlainPrompt, texts: Mapping[str, TemplateText]) -> _Mode:
    user = texts[prompt.user] if prompt.user else None
    if prompt.system:
        system = texts[prompt.system]
    else:
        system = None
    return _Mode(prompt.mode, user, system)


def _cut_mode(whole: TemplateText, system: TemplateText | None, fields: Collection[str] | None) -> Iterator[_Mode]:
    """Yield a mode for each part of a file of several prompts; the system text of the file goes with each."""
    for number, (text, line) in enumerate(plain_prompts.split_parts(whole.text), 1):
        language = detect_language(PurePosixPath(whole.file).name, text, fields)
        # they are about the file
        if number == 1:
            diagnostics = whole.diagnostics
        else:
            diagnostics = ()
        part = replace(whole, text=text, line=line, part=number, language=language, diagnostics=diagnostics)
        yield _Mode(plain_prompts.name_part(whole.file, number), part, system)


def _report_unfilled(draft: Draft, mode: _Mode, text: TemplateText, role: str, fields: Collection[str]) -> None:
    """Report what looks like something to fill in and is sent as it is.

    That is any mark of a text in which nothing is filled in, and, by the name of a field, one of a text whose language
    writes it otherwise.
    """
    syntax, marks = text.language.syntax, find_unfilled_marks(text.text)
    if syntax in ("jinja", "mustache"):
        marks = tuple(mark for mark in marks if extract_name(mark) in fields)
        if marks:
            language = LANGUAGE_NAMES[syntax]
            _report_marks(draft, mode, text, marks, role=role, language=language, record="", why="", step="")
    elif syntax == "text":
        if marks:
            _report_marks(draft, mode, text, marks, role=role, language="", record="record", why="", step="")
        no_names = find_no_names(text.text, fields)
        if no_names:
            wrong = [no_name.mark for no_name in no_names]
            why = no_names[0].why
            _report_marks(draft, mode, text, wrong, role=role, language="", record="", why=why, step=RENAME)


def _report_marks(draft: Draft, mode: _Mode, text: TemplateText, marks: Sequence[str], **values: str) -> None:
    """Report the first of the marks at its line."""
    line = text.line + text.text[: text.text.index(marks[0])].count("\n")
    place = Location(file=text.path, line=line, mode=mode.mode)
    draft.report("asm-mark-not-filled", place, marks[0], mode=mode.mode, mark=marks[0], count=len(marks), **values)


def _describe_text(mode: _Mode, text: TemplateText, role: str) -> str:
    """Return what a file was taken for, in words."""
    description = f"{role} text of {mode.mode}, {LANGUAGE_NAMES[text.language.syntax]}: {text.language.reason}"
    if text.part:
        return f"the first of the parts between lines of ---, each a mode: {description}"
    count = plain_prompts.count_parts(text.text)
    if count < 2 or text.file.endswith(".md"):
        return description
    can_be_cut = role == "user" and plain_prompts.has_parts(text.file, text.text)
    if can_be_cut:
        option = "; --parts makes each a mode"
    else:
        option = ""
    return f"{description}; {count} parts between lines of ---, taken as one prompt{option}"

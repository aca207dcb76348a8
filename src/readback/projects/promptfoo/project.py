"""A promptfoo configuration becomes a project: prompts with the providers they go to, rows, and what is wrong."""

from __future__ import annotations

import base64
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from readback.projects.javascript_text import SPACES, import_value, parse_json, stringify
from readback.projects.model import Project, ProjectMode, ProjectRow
from readback.projects.promptfoo.external import (
    fill_environment,
    follow_references,
    list_environment_names,
)
from readback.projects.promptfoo.files import FILE, MadeByCode, ProjectFiles, Refusal, is_code
from readback.projects.promptfoo.prompts import PromptText, is_allowed, read_prompts
from readback.projects.promptfoo.render import CONVERSATION
from readback.projects.promptfoo.rows import (
    MOST,
    RowReader,
    TestRow,
    build_row,
    expand_row,
    get_affix,
    get_mapping,
    list_choices,
    list_scenarios,
    read_default_test,
    read_repeat,
)
from readback.readers.files.paths import format_relative
from readback.readers.yaml.yaml_core import read_core_yaml
from readback.types import Diagnostic, Location

TOOL = "promptfoo"
WITH_PROMPTS = ("providers", "targets", "tests", "scenarios", "defaultTest")
EMPTY = "(empty prompt)"  # what a prompt without a text or label is called: a mode needs a name
Provider = tuple[str, str, list[Any] | None]  # label, id, the prompts that it gets
TRUE = frozenset(("1", "true", "yes", "yup", "yeppers"))
FLAGS = {
    "PROMPTFOO_DISABLE_TEMPLATING": "without_templates",
    "PROMPTFOO_DISABLE_JSON_AUTOESCAPE": "without_escapes",
    "PROMPTFOO_REQUIRE_JSON_PROMPTS": "needs_json",
}
IMAGES = {
    "jpg": "jpeg",
    "jpeg": "jpeg",
    "png": "png",
    "gif": "gif",
    "bmp": "bmp",
    "webp": "webp",
    "svg": "svg+xml",
    "tif": "tiff",
    "tiff": "tiff",
    "ico": "x-icon",
    "avif": "avif",
    "heic": "heic",
    "heif": "heif",
}
RECORDINGS = frozenset(
    ("mp3", "wav", "ogg", "aac", "m4a", "flac", "wma", "aiff", "opus", "mp4", "webm", "mkv", "avi", "mov", "wmv", "m4v")
)
LARGEST_MEDIA = 8 << 20  # bytes of an image or recording in a value
LOADED = 64 << 20  # characters of files in the values of all rows
EARLIER = 30  # rows of one conversation that are rendered before another
REPEAT_KEYS = ("commandLineOptions", "evaluateOptions")
SIGNS = (("/9j/", "jpeg"), ("iVBORw0KGgo", "png"), ("R0lGODlh", "gif"), ("R0lGODdh", "gif"), ("UklGR", "webp"))


def recognise(value: Any) -> bool:
    """Whether a decoded file is a promptfoo project: `prompts` beside providers, tests or the like."""
    return isinstance(value, dict) and "prompts" in value and any(key in value for key in WITH_PROMPTS)


def read_project(path: Path, root: Path, environment: Mapping[str, str]) -> Project:
    """Return the project of a configuration in the workspace `root`.

    `environment` is what the workspace names, nothing of the server's own. Call it in a bounded child.
    """
    files = ProjectFiles(root, path.parent)
    file = format_relative(root, path)
    reader = _ProjectReader(files, file, environment)
    try:
        config, places = reader.read_config(path)
    except Refusal as refusal:
        return _refuse(refusal, files, file)
    return reader.build(config, places)


def _refuse(refusal: Refusal, files: ProjectFiles, file: str) -> Project:
    fault = refusal.diagnostic
    if fault is None and not files.diagnostics:
        fault = Diagnostic("dat-bad-line", {"reason": refusal.reason}, Location(file=file))
    diagnostics = [*files.diagnostics, *([fault] if fault else [])]
    return Project(TOOL, file, diagnostics=tuple(diagnostics), refused=refusal.reason)


class _ProjectReader:
    """Reads one configuration."""

    def __init__(self, files: ProjectFiles, file: str, environment: Mapping[str, str]) -> None:
        self.files = files
        self.file = file
        self.given_environment = environment
        self.environment: dict[str, Any] = dict(environment)
        self.refusals: list[str] = []
        self.loaded = 0

    def read_config(self, path: Path) -> tuple[dict[str, Any], dict[Any, Location]]:
        """Return the configuration with references and environment filled in, and the places of its parts."""
        text = self.files.read(path)
        decoded = read_core_yaml(text)
        for note in decoded.notes:
            place = Location(file=self.file, line=note["line"], column=note["column"])
            self.files.diagnostics.append(Diagnostic(note["code"], note["values"], place, note["flagged"]))
        if decoded.refusal:
            self.refusals.append(decoded.refusal)
        if not isinstance(decoded.value, dict):
            raise Refusal(self.refusals[0] if self.refusals else f"{self.file} is no mapping")
        places: dict[Any, Location] = defaultdict(lambda: Location(file=self.file))
        for keys, (line, column) in decoded.lines.items():
            key = keys[0] if len(keys) == 1 else keys
            places[key] = Location(file=self.file, line=line, column=column)
        config = decoded.value
        try:
            config = follow_references(config, self.files)
        except Refusal as refusal:
            self.refusals.append(refusal.reason)
            fault = refusal.diagnostic or Diagnostic("dat-bad-line", {"reason": refusal.reason}, places[()])
            self.files.diagnostics.append(fault)
        stated = fill_environment(get_mapping(config, "env"), self.given_environment)
        self.environment |= {key: value for key, value in stated.items() if not isinstance(value, list | dict)}
        texts = {key: value for key, value in self.environment.items() if isinstance(value, str)}
        return fill_environment(config, texts), places

    def build(self, config: dict[str, Any], places: dict[Any, Location]) -> Project:
        """Return the project."""
        prompts, refusals = read_prompts(config.get("prompts"), places, self.files)
        self.refusals += refusals
        if not prompts and not refusals:
            self.refusals.append("it has no prompts")
        providers = self.read_providers(config, places)
        if not providers:
            self.refusals.append("it has no provider")
        modes = self.make_modes(prompts, providers)
        rows = self.read_rows(config, places, prompts, providers)
        self.report_unreadable(config, places)
        self.report_environment(prompts, rows)
        name = config.get("description")
        return Project(
            TOOL,
            name if isinstance(name, str) and name else self.file,
            tuple(modes),
            tuple(label for label, _, _ in providers),
            tuple(rows),
            tuple(self.files.diagnostics),
            self.refusals[0] if self.refusals else None,
        )

    def read_providers(self, config: dict[str, Any], places: dict[Any, Location]) -> list[Provider]:
        """Return label, id and the prompts filter of each provider, in order; one that is there twice counts once."""
        if config.get("targets"):
            key = "targets"
        else:
            key = "providers"
        written = config.get(key)
        if isinstance(written, list):
            listed = written
        else:
            listed = []
        if isinstance(written, str):
            entries = [written]
        else:
            entries = listed
        providers: list[Provider] = []
        for index, entry in enumerate(entries):
            place = places.get((key, index), places[key])
            try:
                listed = self.load_providers(entry, place)
            except MadeByCode as made:
                self.files.diagnostics.append(made.diagnostic)
                listed = [str(entry)]
            except Refusal as refusal:
                self.refusals.append(refusal.reason)
                fault = refusal.diagnostic or Diagnostic("dat-bad-line", {"reason": refusal.reason}, place)
                self.files.diagnostics.append(fault)
                continue
            for each in listed:
                provider = read_provider(each)
                if provider and provider not in providers:
                    providers.append(provider)
        return providers

    def load_providers(self, entry: Any, place: Location) -> list[Any]:
        """Return the providers of an entry: itself, or those of the file that it names."""
        if not isinstance(entry, str) or not entry.startswith(FILE):
            return [entry]
        if is_code(entry):
            raise MadeByCode(entry, "a provider", place)
        path = self.files.find(entry, place)
        if path.suffix == ".json":
            value = self.files.read_json(path)
        else:
            value = self.files.read_yaml(path)
        if isinstance(value, list):
            return value
        return [value]

    def make_modes(self, prompts: Iterable[PromptText], providers: list[Provider]) -> list[ProjectMode]:
        """Return the modes: prompts, with a number from the second of a label on, and the providers they go to."""
        texts = dict(self.environment)
        flags = {name: True for key, name in FLAGS.items() if is_set(texts.get(key))}
        prompts = list(prompts)
        turns: Counter[str] = Counter()
        modes = []
        for prompt in prompts:
            turns[prompt.label] += 1
            recorded = respell(prompt.label)
            name = recorded or EMPTY
            if turns[prompt.label] > 1:
                name = f"{name} ({turns[prompt.label]})"
            labels = tuple(label for label, _, wanted in providers if is_allowed(wanted, prompt.label, prompt.id))
            goes_to_all = len(labels) == len(providers)
            settings: dict[str, Any] = {"label": prompt.label, "raw": prompt.raw, "environment": texts}
            settings["recorded"] = recorded  # the label in the tool's own result files
            if prompt.id:
                settings["id"] = prompt.id
            if flags:
                settings["flags"] = flags
            if providers and not labels:
                settings["applies"] = False
            modes.append(ProjectMode(name, prompt.raw, settings, prompt.place, () if goes_to_all else labels))
        return modes

    def read_rows(
        self,
        config: dict[str, Any],
        places: dict[Any, Location],
        prompts: list[PromptText],
        providers: list[Provider],
    ) -> list[ProjectRow]:
        """Return the rows in the tool's order."""
        delimiter = str(self.given_environment.get("PROMPTFOO_CSV_DELIMITER") or ",")
        reader = RowReader(self.files, places, delimiter, self.refusals)
        default: dict[str, Any] = {}
        try:
            default = read_default_test(config.get("defaultTest"), self.files, places["defaultTest"])
        except Refusal as refusal:
            reader.refuse(refusal, places["defaultTest"])
        except MadeByCode as made:
            self.files.diagnostics.append(made.diagnostic)
        repeat = 1
        for key in reversed(REPEAT_KEYS):
            repeat = read_repeat(get_mapping(config, key).get("repeat"), repeat)
        tests = reader.read_tests(config.get("tests"))
        self.check_references(tests, default, prompts, places)
        listed = [build_row(test, default, repeat, place) for test, place in tests]
        if config.get("scenarios"):
            merged = list_scenarios(config["scenarios"], reader)
            listed += [build_row(test, default, repeat, place, number) for test, number, place in merged]
        elif not tests and not self.has_unread_tests(config):
            listed = [build_row({}, default, repeat, places["prompts"])]
        return self.expand_rows(listed, default, prompts, providers)

    def has_unread_tests(self, config: dict[str, Any]) -> bool:
        """Whether the configuration names tests of which none could be read: then no row stands for them."""
        return bool(config.get("tests")) and (bool(self.refusals) or bool(self.files.diagnostics))

    def check_references(
        self,
        tests: list[tuple[dict[str, Any], Location]],
        default: dict[str, Any],
        prompts: list[PromptText],
        places: dict[Any, Location],
    ) -> None:
        """Note a refusal for each test that names a prompt that is not there."""
        for test, place in [(default, places["defaultTest"]), *tests]:
            wanted = test.get("prompts")
            for reference in wanted if isinstance(wanted, list) else []:
                if not any(is_allowed([reference], prompt.label, prompt.id) for prompt in prompts):
                    reason = f"a test names the prompt {str(reference)[:100]!r}, which does not exist"
                    self.refusals.append(reason)
                    self.files.diagnostics.append(Diagnostic("dat-bad-line", {"reason": reason}, place))

    def expand_rows(
        self, listed: list[TestRow], default: dict[str, Any], prompts: list[PromptText], providers: list[Provider]
    ) -> list[ProjectRow]:
        """Return the rows after lists are expanded, at most MOST."""
        rows: list[ProjectRow] = []
        left_out = 0
        talks = any(re.search(rf"\b{CONVERSATION}\b", prompt.raw) for prompt in prompts)
        earlier: dict[str, list[dict[str, Any]]] = defaultdict(list)
        disabled = is_set(self.environment.get("PROMPTFOO_DISABLE_VAR_EXPANSION"))
        for row in listed:
            expands = not disabled and not row.options.get("disableVarExpansion")
            error = None
            try:
                choices = list_choices(row, self.files, expands=expands)
            except Refusal as refusal:
                self.refusals.append(refusal.reason)
                fault = refusal.diagnostic or Diagnostic("dat-bad-line", {"reason": refusal.reason}, row.place)
                self.files.diagnostics.append(fault)
                choices, error = {name: [value] for name, value in row.fields.items()}, refusal.reason
            combined, further = expand_row(choices, row.repeat, MOST - len(rows))
            left_out += further
            for fields, turn in combined:
                settings = self.make_row_settings(row, default, fields, turn, error)
                if kept_from := list_kept_from(row.providers, providers):
                    settings["kept_from"] = kept_from
                if talks:
                    key = str(stringify(import_value(row.metadata.get("conversationId"))))
                    before = earlier[key]
                    plain = {"fields": fields, "settings": dict(settings)}
                    settings |= {"too_many_earlier": True} if len(before) > EARLIER else {"earlier": list(before)}
                    before.append(plain)
                rows.append(ProjectRow(len(rows), fields, row.description, row.metadata, settings, row.place))
        if left_out:
            values = {"what": f"rows of the project after lists are expanded ({left_out} left out)", "limit": MOST}
            self.files.diagnostics.append(Diagnostic("dat-limit", values, Location(file=self.file)))
        return rows

    def make_row_settings(
        self, row: TestRow, default: dict[str, Any], fields: dict[str, Any], turn: int, error: str | None
    ) -> dict[str, Any]:
        """Return what rendering needs of a row besides its fields."""
        settings: dict[str, Any] = {}
        for key in ("prefix", "suffix"):
            if affix := get_affix(row.options, default, key):
                settings[key] = affix
        if isinstance(row.prompts, list):
            settings["prompts"] = row.prompts
        settings["repeat"] = turn
        loaded = {
            name: self.load_value(value, row.place)
            for name, value in fields.items()
            if isinstance(value, str) and value.startswith((FILE, "package:"))
        }
        if error is not None:
            loaded = {name: {"error": error} for name in loaded}
        if loaded:
            settings["loaded"] = loaded
        return settings

    def load_value(self, reference: str, place: Location) -> dict[str, str]:
        """Return the text that a file gives a variable, or why it cannot be had."""
        try:
            if is_code(reference):
                raise MadeByCode(reference, "a value", place)
            text = self.read_value(self.files.find(reference, place), reference, place)
        except MadeByCode as made:
            if made.diagnostic not in self.files.diagnostics:
                self.files.diagnostics.append(made.diagnostic)
            return {"error": f"{reference} is made by code, which Readback does not run"}
        except Refusal as refusal:
            if refusal.diagnostic and refusal.diagnostic not in self.files.diagnostics:
                self.files.diagnostics.append(refusal.diagnostic)
            return {"error": refusal.reason}
        self.loaded += len(text)
        if self.loaded > LOADED:
            return {"error": f"the files in the values of all rows have more than {LOADED} characters"}
        return {"text": text}

    def read_value(self, path: Path, reference: str, place: Location) -> str:
        """Return the text of a file as a value: YAML as compact JSON, images as addresses, other texts trimmed."""
        suffix = path.suffix.lower().removeprefix(".")
        if path.suffix in (".yaml", ".yml"):
            return str(stringify(import_value(self.files.read_yaml(path, "text"))))
        if suffix == "pdf":
            raise MadeByCode(reference, "the text of a PDF", place)
        if suffix not in IMAGES and suffix not in RECORDINGS:
            return self.files.read(path).strip(SPACES)
        if path.stat().st_size > LARGEST_MEDIA:
            raise Refusal(f"{reference} is larger than {LARGEST_MEDIA >> 20} MiB")
        encoded = base64.b64encode(path.read_bytes()).decode("ascii")
        if suffix not in IMAGES:
            return encoded
        kind = next((name for sign, name in SIGNS if encoded.startswith(sign)), IMAGES[suffix])
        return f"data:image/{kind};base64,{encoded}"

    def report_unreadable(self, config: dict[str, Any], places: dict[Any, Location]) -> None:
        """Name what only code could make for the whole project."""
        for key in ("nunjucksFilters", "extensions"):
            if config.get(key):
                values = {"path": key, "what": "filters of templates" if key == "nunjucksFilters" else "changes"}
                self.files.diagnostics.append(Diagnostic("dat-made-by-code", values, places[key], key))
        default = config.get("defaultTest")
        tests = config.get("tests")
        candidates = [default, *(tests if isinstance(tests, list) else [])]
        if any("transformVars" in get_mapping(each, "options") for each in candidates if isinstance(each, dict)):
            values = {"path": "transformVars", "what": "changed variables"}
            self.files.diagnostics.append(Diagnostic("dat-made-by-code", values, places["tests"], "transformVars"))

    def report_environment(self, prompts: list[PromptText], rows: list[ProjectRow]) -> None:
        """Name the variables of the environment that prompts and values ask for and that nobody stated."""
        places: dict[str, Location] = {}
        for prompt in prompts:
            for name in list_environment_names(prompt.raw):
                places.setdefault(name, prompt.place)
        for row in rows:
            for value in row.fields.values():
                if isinstance(value, str) and "env" in value:
                    for name in list_environment_names(value):
                        places.setdefault(name, row.place)
        for name, place in places.items():
            if name not in self.environment:
                self.files.diagnostics.append(Diagnostic("dat-environment-unknown", {"name": name}, place, name))


def respell(label: str) -> str:
    """Return a label as result files have it: one that is JSON is written compactly."""
    if not label.lstrip(SPACES).startswith(("[", "{")):
        return label
    try:
        return str(stringify(parse_json(label)))
    except ValueError:
        return label


def read_provider(entry: Any) -> tuple[str, str, list[Any] | None] | None:
    """Return label, id and prompts filter of a provider."""
    if isinstance(entry, str):
        return name_provider(entry), name_provider(entry), None
    if not isinstance(entry, dict) or not entry:
        return None
    given_id = entry.get("id")
    options = entry
    if not isinstance(given_id, str):
        name, inner = next(iter(entry.items()))
        options = inner if isinstance(inner, dict) else {}
        if isinstance(options.get("id"), str):
            given_id = options.get("id")
        else:
            given_id = name_provider(str(name))
    label, wanted = options.get("label"), options.get("prompts")
    identifier = str(given_id)
    if isinstance(label, str) and label:
        named = label
    else:
        named = identifier
    return named, identifier, wanted if isinstance(wanted, list) else None


def list_kept_from(wanted: Any, providers: Iterable[Provider]) -> list[str]:
    """Return the labels of the providers that a row does not go to; `wanted` names them by label or id, if it is there.

    A provider goes by its id as promptfoo has it (`openai:m`) and as it is written (`openai:chat:m`).
    """
    if not isinstance(wanted, list):
        return []
    spelled = [*wanted, *(name_provider(each) for each in wanted if isinstance(each, str))]
    return [label for label, identifier, _ in providers if not is_allowed(spelled, label, identifier)]


def name_provider(written: str) -> str:
    """Return the id that promptfoo gives a provider without options: `openai:chat:m` is `openai:m`."""
    match = re.fullmatch(r"openai:(?:chat|completion|responses):(.+)", written)
    if match:
        return f"openai:{match.group(1)}"
    return written


def is_set(value: Any) -> bool:
    """Whether a variable of the environment switches something on."""
    if value is not None:
        return str(value).lower() in TRUE
    return False

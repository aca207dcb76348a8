"""Take one verification result apart, nested or flat, of JSON or of a table: who answered what, and every score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from readback.readers.files.bounded_diagnostics import BoundedDiagnostics
from readback.scores.files.cells import legible, text_of
from readback.scores.files.formats.verification.outcome import group_of, read_older_failure, truth
from readback.scores.files.formats.verification.stream import RUN
from readback.scores.files.formats.verification.tables import Losses, list_lost_scores, read_table_row, without_classes
from readback.scores.files.formats.verification.traits import Scored, rubric_scores, template_scores, texts
from readback.scores.files.score_rows import FileSettings
from readback.types import Diagnostic, Location


@dataclass(frozen=True, slots=True)
class Identity:
    """A model as verification results name it. `tools` are in order, so that equal sets of tools are equal."""

    interface: str
    name: str
    config: str = ""
    tools: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """`iface:model:a|b`, with a configuration `iface:model:cfg:a|b`; without tools the last colon stays."""
        return ":".join((self.interface, self.name, *((self.config,) if self.config else ()), "|".join(self.tools)))

    @property
    def display(self) -> str:
        """`iface:model (cfg) +[a, b]`, as the tables of the program (biocypher/karenina) write it."""
        if self.interface:
            named = f"{self.interface}:{self.name}"
        else:
            named = self.name
        if self.config:
            configured = f"{named} ({self.config})"
        else:
            configured = named
        if self.tools:
            return f"{configured} +[{', '.join(self.tools)}]"
        return configured


FACTORS = ("answering", "parsing", RUN)
PARTS = ("metadata", "template", "rubric", "deep_judgment_rubric")
MAPPINGS = (
    *(f"{bucket}_trait_scores" for bucket in ("llm", "regex", "callable", "agentic", "metric")),
    *("llm_trait_labels", "field_scores", "verify_rubric", "metric_trait_metrics"),
)
REPEATS = ("replicate", "answering_replicate", "parsing_replicate")
NO_ID = "result_{n}"
WRONG_ANSWER = "content"  # the group of an answer that was judged and is wrong
KINDS = {"list": "a list", "str": "a text", "int": "a number", "float": "a number", "bool": "true or false"}


class Result(NamedTuple):
    """One result, taken apart. `values` are those of the factors; `group` is None where nothing failed."""

    item: str
    values: tuple[str, ...]
    answering: Identity | None
    parsing: Identity | None
    run: str
    cluster: str
    line: int
    group: str | None
    contradicted: bool  # passed, beside a recorded failure
    scores: tuple[Scored, ...]


class Apart:
    """Takes the results of one file apart. `losses` counts what a table lost, `texts` are traits that are no scores."""

    def __init__(self, settings: FileSettings, diagnostics: BoundedDiagnostics) -> None:
        self.settings = settings
        self.diagnostics = diagnostics
        self.factors = settings.source.condition or FACTORS
        self.losses = Losses()
        self.texts: set[str] = set()
        self.keys: dict[str, str] = {}  # of each model as it is shown
        self._count = 0

    def result(self, fields: Mapping[str, Any], line: int) -> Result:
        """One result. Parts of a wrong kind are noted and left out."""
        self._count += 1
        table = not self.settings.typed
        flat: Mapping[str, Any] = self._untabled(fields, line) if table else fields
        parts = {part: self._part(flat, part, line) for part in PARTS}
        nested = bool(parts["metadata"])
        metadata, template, rubric = (parts[part] if nested else flat for part in PARTS[:3])
        deep = parts["deep_judgment_rubric"]
        if isinstance(judged := deep.get("deep_judgment_rubric_scores"), Mapping) and judged:
            rubric = {**rubric, "llm_trait_scores": {**judged, **_mapping(rubric.get("llm_trait_scores"))}}
        for name in MAPPINGS:
            self._kind(name, (rubric.get(name), template.get(name)), line)
        if "failure" in metadata:
            failure = metadata.get("failure")
        else:
            failure = read_older_failure(metadata)
        passed = truth(template.get("verify_result"))
        if table:
            lost_cells = list(list_lost_scores(fields, flat, self.losses))
        else:
            lost_cells = []
        unknown = any(scored.name == "verify_result" for scored in lost_cells)
        if nested:
            there = bool(template)
        else:
            there = not table or passed is not None
        mode = text_of(metadata.get("evaluation_mode"))
        reasons = _mapping((deep if nested else flat).get("rubric_trait_reasoning"))
        scores = (
            *template_scores(template, None if unknown else failure, mode, there and not unknown),
            *lost_cells,
            *rubric_scores(rubric, reasons),
        )
        self.texts |= texts(rubric)
        group = group_of(failure)
        answering, parsing = (
            identity(metadata.get(role)) or identity(metadata.get(f"{role}_model")) for role in FACTORS[:2]
        )
        factor_values = {
            "answering": self._format_model(answering),
            "parsing": self._format_model(parsing),
            RUN: text_of(metadata.get(RUN)) or text_of(flat.get(RUN)),
        }
        scenario = text_of(metadata.get("scenario_id"))
        return Result(
            item=self._item(metadata, flat, scenario, line),
            values=tuple(
                factor_values[name] if name in factor_values else text_of(metadata.get(name)) for name in self.factors
            ),
            answering=answering,
            parsing=parsing,
            run="/".join(filter(None, (text_of(metadata.get(name)) for name in REPEATS))),
            cluster=scenario,
            line=line,
            group=group or (WRONG_ANSWER if passed is False else None),
            contradicted=passed is True and group is not None,
            scores=tuple(map(without_classes, scores)) if table else scores,
        )

    def _untabled(self, fields: Mapping[str, Any], line: int) -> Mapping[str, Any]:
        odd: list[str] = []
        flat = read_table_row(fields, self.losses, odd)
        for name in odd:
            self._wrong(name, "a text", "JSON", line)
        return flat

    def _item(self, metadata: Mapping[str, Any], flat: Mapping[str, Any], scenario: str, line: int) -> str:
        """Return the item that is scored: the question, within a conversation with its turn."""
        names = self.settings.source.item or ("question_id",)
        parts = [text_of(metadata.get(name)) or text_of(flat.get(name)) for name in names]
        if not any(parts):
            self.diagnostics.add(
                Diagnostic("dat-missing-id", {"field": ", ".join(names), "called": NO_ID}, self.place(line))
            )
            return NO_ID.format(n=self._count)
        if scenario and scenario not in parts:
            parts.append(scenario)
        if turn := text_of(metadata.get("scenario_turn")):
            parts.append(f"turn {turn}")
        return " | ".join(parts)

    def _format_model(self, model: Identity | None) -> str:
        """How a model is shown; by its key where another model is shown so already."""
        if model is None:
            return ""
        if self.keys.setdefault(model.display, model.key) == model.key:
            return model.display
        return model.key

    def _part(self, fields: Mapping[str, Any], part: str, line: int) -> Mapping[str, Any]:
        value = fields.get(part)
        self._kind(part, (value,), line)
        return _mapping(value)

    def _kind(self, where: str, values_of_part: tuple[Any, ...], line: int) -> None:
        """Add a diagnostic where a part is present and no object."""
        for value in values_of_part:
            if value is not None and not isinstance(value, Mapping):
                self._wrong(where, KINDS.get(type(value).__name__, "something else"), "an object", line)
                return

    def _wrong(self, where: str, value: str, expected: str, line: int) -> None:
        values = {"where": where, "value": value, "expected": expected}
        self.diagnostics.add(Diagnostic("dat-wrong-value", values, self.place(line), where, "warning"))

    def place(self, line: int) -> Location:
        """Where a result is."""
        return Location(file=self.settings.source.path, line=line or None)


def _mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    return {}


# Which model answered and which one judged: identities of verification results, and their spellings.


def identity(value: Any) -> Identity | None:
    """Return the model that a mapping or a display text names; None where it names none."""
    if isinstance(value, Mapping):
        name = text_of(value.get("model_name"))
        tools = value.get("tools")
        if name:
            return Identity(
                interface=text_of(value.get("interface")),
                name=name,
                config=text_of(value.get("config_id")),
                tools=tuple(sorted({text_of(tool) for tool in tools})) if isinstance(tools, list) else (),
            )
        return None
    if isinstance(value, str) and value.strip():
        return from_display(legible(value))
    return None


def from_display(text: str) -> Identity:
    """Parse a display text: split it at ` +[`, then at a trailing ` (cfg)`, then at the first `:`.

    Versions before the identity wrote `provider/model`; such a text is all name.
    """
    rest, _, listed = text.strip().partition(" +[")
    tools = tuple(sorted(filter(None, (tool.strip() for tool in listed.removesuffix("]").split(",")))))
    config = ""
    if rest.endswith(")") and " (" in rest:
        rest, _, config = rest[:-1].rpartition(" (")
    interface, colon, name = rest.partition(":")
    if colon:
        return Identity(interface, name, config, tools)
    return Identity("", rest, config, tools)

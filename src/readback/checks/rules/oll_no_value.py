"""Looks for oll-no-value; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts.modelfiles import ServedModel, list_printed_names, list_served_models, locate_segments
from readback.types import Diagnostic, Location, RuleContext

CODE = "oll-no-value"
ON = "workspace"
_LOOP = "{{ range .Messages }}{{ .Content }}{{ end }}"
PASS = (
    {"Modelfile": f'FROM x\nTEMPLATE """{_LOOP}{{{{ if .Prompt }}}}{{{{ .Prompt }}}}{{{{ end }}}}"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }}"""\n'},
)
FAIL = (
    {"Modelfile": f'FROM x\nTEMPLATE """{_LOOP}{{{{ .Prompt }}}}"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """{{ .Prompt }} {{ .First }}"""\n'},
)

WORDS = "<no value>"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for served in list_served_models(case):
        found: dict[Location, str] = {}
        for model_input in served.texts:
            for segment, _, _ in locate_segments(model_input):
                if WORDS in segment.text and segment.origin in ("serving", "unknown"):
                    place = segment.place if served.find_position(segment.place) else served.modelfile.template_place
                    found.setdefault(place, _name(served, place))
        for place, name in found.items():
            yield Diagnostic(CODE, {"name": name, "model": served.name}, place, name)


def _name(served: ServedModel, place: Location) -> str:
    """What the action at a place prints."""
    inside = served.find_position(place)
    for node in served.template.nodes if served.template else ():
        if (node.line, node.column) == inside:
            path = next((one.path for one in list_printed_names(node)), ())
            return ".".join(("", *path)) if path and not path[0].startswith("$") else ".".join(path) or "an action"
    return "an action"

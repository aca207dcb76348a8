"""Find `<no value>` that a template prints into the prompt, where an action has no value.

The model reads these words in every prompt.
"""

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
    """Yield a finding for each action that prints the words in the self-test."""
    for served in list_served_models(case):
        names: dict[Location, str] = {}
        for model_input in served.texts:
            for segment, _, _ in locate_segments(model_input):
                if WORDS in segment.text and segment.origin in ("serving", "unknown"):
                    is_in_template = served.find_position(segment.place) is not None
                    if is_in_template:
                        place = segment.place
                    else:
                        place = served.modelfile.template_place
                    names.setdefault(place, _name_value(served, place))
        for place, name in names.items():
            yield Diagnostic(CODE, {"name": name, "model": served.name}, place, name)


def _name_value(served: ServedModel, place: Location) -> str:
    """Return the name whose value the action at a place prints."""
    position = served.find_position(place)
    for node in served.template.nodes if served.template else ():
        if (node.line, node.column) == position:
            path: tuple[str, ...] = next((name.path for name in list_printed_names(node)), ())
            if path and not path[0].startswith("$"):
                return ".".join(("", *path))
            return ".".join(path) or "an action"
    return "an action"

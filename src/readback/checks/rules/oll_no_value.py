"""A template prints <no value> into the prompt.

What the `TEMPLATE` of a Modelfile makes of a made-up conversation is looked at. A template that goes through
`.Messages` is not given `.Prompt`; any other name that Ollama does not know has no value either, and where it is
printed without an `if` around it, Go writes the words `<no value>`.

The model reads these words in every prompt.

Take the action out, or put an `if` around it; in a template with `.Messages` the question is among them.
"""

from collections.abc import Iterator

from readback.checks.facts.go_template import printed
from readback.checks.facts.served_texts import Served, modelfiles, placed
from readback.types import Diagnostic, Location, RuleContext

CODE = "oll-no-value"
SEVERITY = "error"
ON = "workspace"
SENTENCE = "{name} has no value here, so the words <no value> are in the prompt"
FIX = "take {name} out, or put an if around it"
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
    for served in modelfiles(case):
        found: dict[Location, str] = {}
        for model_input in served.made:
            for segment, _, _ in placed(model_input):
                if WORDS in segment.text and segment.origin in ("serving", "unknown"):
                    place = segment.place if served.inside(segment.place) else served.modelfile.template_place
                    found.setdefault(place, _name(served, place))
        for place, name in found.items():
            yield Diagnostic(CODE, {"name": name, "model": served.name}, place, name)


def _name(served: Served, place: Location) -> str:
    """What the action at a place prints."""
    inside = served.inside(place)
    for node in served.template.nodes if served.template else ():
        if (node.line, node.column) == inside:
            path = next((one.path for one in printed(node)), ())
            return ".".join(("", *path)) if path and not path[0].startswith("$") else ".".join(path) or "an action"
    return "an action"

"""Looks for oll-chatml-newline; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator

from readback.checks.facts.modelfiles import (
    ServedModel,
    find_template_offset,
    is_file,
    list_served_models,
    locate_segments,
    quote,
)
from readback.types import Diagnostic, Location, ModelInput, RuleContext, Severity

CODE = "oll-chatml-newline"
ON = "workspace"
_MODELFILE = 'FROM x\nPARAMETER stop "<|im_end|>"\nTEMPLATE """%s"""\n'
_TURN = "<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>"
_QUESTION = "<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\n"
PASS = (
    {"Modelfile": _MODELFILE % ("{{ range .Messages }}" + _TURN + "\n{{ end }}<|im_start|>assistant\n")},
    {"Modelfile": _MODELFILE % (_QUESTION + "{{ .Response }}<|im_end|>\n")},
)
FAIL = (
    {"Modelfile": _MODELFILE % ("{{ range .Messages }}" + _TURN + "\n{{- end }}<|im_start|>assistant\n")},
    {"Modelfile": _MODELFILE % ("{{ range .Messages -}}\n" + _TURN + "{{ end -}}\n<|im_start|>assistant\n")},
    {"Modelfile": _MODELFILE % ("{{ range .Messages }}" + _TURN + "{{ end }}<|im_start|>assistant\n")},
    {"Modelfile": _MODELFILE % (_QUESTION + "{{ .Response }}<|im_end|>")},
)

END = "<|im_end|>"
# How the library calls models that were trained with a format of their own; those that others made from them have
# names with more in front (dolphin-llama3) or behind (mistral-openorca), and ChatML often.
OTHERS = re.compile(
    r"^(exaone|llama-?[23]|mistral|mixtral|gemma|phi-?3)[\w.]*(-(nemo|small|large|instruct))?(:|$)", re.I
)
BLANKS = " \t\r\n"
AROUND = 24  # characters shown behind the token


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for served in list_served_models(case):
        found = next(((model_input, at) for model_input in served.texts for at in _lost(model_input)), None)
        if found and served.template and "<|im_start|>" in served.template.text:
            other = _other(served)
            light: Severity | None = "info" if other else None if found[0] is served.texts[0] else "warning"
            yield _diagnostic(served, *found, other, light)


def _other(served: ServedModel) -> str:
    """The model that FROM names, where it is known to be trained with another format."""
    base = next((args for name, args, _ in reversed(served.modelfile.commands) if name == "model"), "")
    return base if OTHERS.match(base) and not is_file(base) else ""


def _lost(model_input: ModelInput) -> Iterator[int]:
    """Where something else than a newline follows the token, if the server wrote the token."""
    ends = [(start, end) for one, start, end in locate_segments(model_input) if one.origin in ("serving", "unknown")]
    at = model_input.text.find(END)
    while at >= 0:
        after = at + len(END)
        # A carriage return has a rule of its own.
        follows = model_input.text[after : after + 2]
        if follows and follows[0] != "\n" and follows != "\r\n" and any(a <= at and after <= b for a, b in ends):
            yield after
        at = model_input.text.find(END, after)


def _diagnostic(
    served: ServedModel, model_input: ModelInput, after: int, other: str, severity: Severity | None
) -> Diagnostic:
    place, marker = _place(served, model_input, after)
    how = f"{marker} on line {place.line} removes it" if marker else "the template has none"
    start, rest = after - len(END), model_input.text[after : after + AROUND]
    cut = "…" if len(model_input.text) > after + AROUND else ""
    values = {
        "how": how,
        "marker": marker,
        "served": quote(model_input.text[start:after] + rest + cut),
        "trained": quote(model_input.text[start:after] + "\n" + rest.lstrip(" \t") + cut),
        "span": [start, after],
        "other": other,
        "model": served.name,
    }
    return Diagnostic(CODE, values, place, END, severity)


def _place(served: ServedModel, model_input: ModelInput, after: int) -> tuple[Location, str]:
    """Where the newline is lost: at the marker that removes it (then with the marker), else right after the token."""
    at, following = (
        find_template_offset(served, model_input, after - 1),
        find_template_offset(served, model_input, after),
    )
    text = served.template.text if served.template else ""
    if at is None:
        return served.modelfile.template_place, ""
    behind = text[at + 1 :]
    blanks = behind[: len(behind) - len(behind.lstrip(BLANKS))]
    if "\n" in blanks and behind[len(blanks) :].startswith("{{-"):
        return _at(served, at + 1 + len(blanks)), "{{-"
    before = text[: following or 0].rstrip(BLANKS)
    if following and before.endswith("-}}") and "\n" in text[len(before) : following]:
        return _at(served, len(before) - 3), "-}}"
    return _at(served, at + 1), ""


def _at(served: ServedModel, at: int) -> Location:
    return served.locate_offset(at) if served.template else served.modelfile.template_place

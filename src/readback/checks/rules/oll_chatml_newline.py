"""Find ChatML templates that lose the newline after a turn.

Every turn then begins with a token that the model has not seen in that place.
"""

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
    """Yield a finding for the first lost newline of each template, with the marker that removes it."""
    for served in list_served_models(case):
        if served.template is None or "<|im_start|>" not in served.template.text:
            continue
        first_lost = next(((text, offset) for text in served.texts for offset in _find_lost_newlines(text)), None)
        if first_lost is None:
            continue
        model_input, offset = first_lost
        foreign_base = _find_foreign_base(served)
        severity: Severity | None = None
        if foreign_base:
            severity = "info"
        elif model_input is not served.texts[0]:
            severity = "warning"
        yield _build_diagnostic(served, model_input, offset, foreign_base, severity)


def _find_foreign_base(served: ServedModel) -> str:
    """Return the model that FROM names if it was trained with another format, else ""."""
    commands = reversed(served.modelfile.commands)
    base = next((arguments for name, arguments, _ in commands if name == "model"), "")
    if OTHERS.match(base) and not is_file(base):
        return base
    return ""


def _find_lost_newlines(model_input: ModelInput) -> Iterator[int]:
    """Yield the end of each closing token that the server wrote and that something else than a newline follows."""
    segments = locate_segments(model_input)
    spans = [(start, end) for segment, start, end in segments if segment.origin in ("serving", "unknown")]
    start = model_input.text.find(END)
    while start >= 0:
        end = start + len(END)
        # A carriage return has its own rule.
        following = model_input.text[end : end + 2]
        is_lost = following and following[0] != "\n" and following != "\r\n"
        if is_lost and any(span_start <= start and end <= span_end for span_start, span_end in spans):
            yield end
        start = model_input.text.find(END, end)


def _build_diagnostic(
    served: ServedModel, model_input: ModelInput, offset: int, foreign_base: str, severity: Severity | None
) -> Diagnostic:
    place, marker = _locate(served, model_input, offset)
    start, rest = offset - len(END), model_input.text[offset : offset + AROUND]
    if len(model_input.text) > offset + AROUND:
        ellipsis = "…"
    else:
        ellipsis = ""
    token = model_input.text[start:offset]
    values = {
        "how": f"{marker} on line {place.line} removes it" if marker else "the template has none",
        "marker": marker,
        "served": quote(token + rest + ellipsis),
        "trained": quote(token + "\n" + rest.lstrip(" \t") + ellipsis),
        "span": [start, offset],
        "other": foreign_base,
        "model": served.name,
    }
    return Diagnostic(CODE, values, place, END, severity)


def _locate(served: ServedModel, model_input: ModelInput, offset: int) -> tuple[Location, str]:
    """Return where the newline is lost: at the marker that removes it, with the marker, else right after the token."""
    last = find_template_offset(served, model_input, offset - 1)
    following = find_template_offset(served, model_input, offset)
    if served.template:
        text = served.template.text
    else:
        text = ""
    if last is None:
        return served.modelfile.template_place, ""
    rest = text[last + 1 :]
    blanks = rest[: len(rest) - len(rest.lstrip(BLANKS))]
    if "\n" in blanks and rest[len(blanks) :].startswith("{{-"):
        return served.locate_offset(last + 1 + len(blanks)), "{{-"
    before = text[: following or 0].rstrip(BLANKS)
    if following and before.endswith("-}}") and "\n" in text[len(before) : following]:
        return served.locate_offset(len(before) - 3), "-}}"
    return served.locate_offset(last + 1), ""

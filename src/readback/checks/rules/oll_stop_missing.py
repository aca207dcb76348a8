"""Looks for oll-stop-missing; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator, Sequence

from readback.checks.facts.modelfiles import (
    ServedModel,
    find_template_offset,
    is_file,
    list_served_models,
    locate_message_action,
)
from readback.types import Diagnostic, Location, ModelInput, RuleContext, Severity

CODE = "oll-stop-missing"
ON = "workspace"
_CHATML = "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"
PASS = (
    {"Modelfile": f'FROM ./x.gguf\nPARAMETER stop "<|im_end|>"\nTEMPLATE """{_CHATML}"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ .System }} USER: {{ .Prompt }} ASSISTANT:"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """<|user|>{{ .Prompt }}<|assistant|>{{ .Response }}"""\n'},
    {"Modelfile": 'FROM ./m.gguf\nTEMPLATE """<s>[INST] {{ .Prompt }} [/INST]"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ .System }}<|sys|>{{ .Prompt }}<|go|>"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ range .Messages }}<|turn|>{{ .Content }}{{ end }}<|turn|>"""\n'},
    {
        "Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ range .Messages }}'
        '{{ if eq .Role "user" }}<|u|>{{ else }}<|a|>{{ end }}{{ .Content }}{{ end }}<|a|>"""\n'
    },
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """<|bos|>{{ .System }}{{ .Prompt }}{{ .Response }}"""\n'},
)
FAIL = (
    {"Modelfile": f'FROM ./x.gguf\nPARAMETER stop "<|im_start|>"\nTEMPLATE """{_CHATML}"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """<|user|>{{ .Prompt }}<|end|><|assistant|>{{ .Response }}<|end|>"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nPARAMETER stop "<|im_end|>"\nTEMPLATE """{{ .Prompt }}<im_end>{{ .Response }}"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ .Prompt }}<sep>{{ .Response }}<sep>"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ range .Messages }}{{ .Content }}<|x|>{{ end }}"""\n'},
)

ANY = re.compile(r"<[^\s<>]{1,40}>")
TOKEN = re.compile(rf"\s*({ANY.pattern})")
BEGINS = re.compile(
    r"^<s>$|^<\W?bos(?![a-z])|start|begin|header|system|user|human|assistant|model|bot|gpt|sys>|func|tool",
    re.IGNORECASE,
)
ENDS = re.compile(r"</s>|end|eo[tsm]|stop", re.IGNORECASE)
TEXT_ENDS = ("</s>", "<|endoftext|>", "<|end_of_text|>", "<eos>")  # known to the tokenizer as the end of a text
# What llama.cpp takes for the end of an answer where the weights have a token of this text (llama-vocab.cpp).
ANSWER_ENDS = ("<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|eom_id|>", "<EOT>", "<｜end▁of▁sentence｜>")
PRINTS = re.compile(r"\s*\{\{-?\s*(\$\w*)?\.(System|Prompt|Content|Response)\b")
BARS = str.maketrans("", "", "|｜")


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for served in list_served_models(case):
        stops = tuple(dict.fromkeys(args for name, args, _ in served.modelfile.commands if name == "stop"))
        for token in dict.fromkeys(token for model_input in served.texts for token in _ends(served, model_input)):
            if not any(stop and stop in token for stop in stops):
                meant = _meant(served, token, stops)
                values = {"token": token, "stops": list(stops), "meant": meant, "model": served.name}
                inherits, engine = _inherits(served), token in ANSWER_ENDS
                known = token in TEXT_ENDS or (engine and inherits) or (not stops and (engine or inherits))
                light: Severity | None = "info" if known else None
                yield Diagnostic(CODE, values, _place(served, token), token, light)


def _ends(served: ServedModel, model_input: ModelInput) -> Iterator[str]:
    """The tokens right behind what the user or the assistant says."""
    for said in (served.self_test.user, served.self_test.reply) if served.self_test else ():
        at = model_input.text.find(said)
        while at >= 0:
            at += len(said)
            found = TOKEN.match(model_input.text, at)
            if found and (
                ENDS.search(found[1])
                or not (BEGINS.search(found[1]) or _opens(served, model_input, at - len(said), found))
            ):
                yield found[1]
            at = model_input.text.find(said, at)


def _opens(served: ServedModel, model_input: ModelInput, said: int, token: re.Match[str]) -> bool:
    """Whether a token behind what was said from an offset on begins the text, or what is said next.

    What opens the answer has nothing behind it in what is sent, and the answer itself in a longer conversation. In the
    template, what begins something is in front of the action that prints it.
    """
    rest = model_input.text[token.end() :].lstrip()
    if not rest or (served.self_test and rest.startswith(served.self_test.reply)):
        return True
    if served.texts[0].text.lstrip().startswith(token[1]):
        return True
    last = find_template_offset(served, model_input, token.end() - 1)
    if last is None or served.template is None:
        return False
    own, printed = served.locate_offset(last), locate_message_action(served, model_input, said)
    before = ((own.line or 0), (own.column or 0)) < ((printed.line or 0), (printed.column or 0))
    return before or PRINTS.match(served.template.text, last + 1) is not None


def _meant(served: ServedModel, token: str, stops: Sequence[str]) -> str:
    """The token of the template, or the stop text, that this one is but for its bars: it is mistyped, then."""
    known = (*stops, *ANY.findall(served.template.text if served.template else ""))
    return next((one for one in known if one != token and one.translate(BARS) == token.translate(BARS)), "")


def _inherits(served: ServedModel) -> bool:
    """Whether the file is made from another model rather than from weights in a file."""
    return not any(name == "model" and is_file(args) for name, args, _ in served.modelfile.commands)


def _place(served: ServedModel, token: str) -> Location:
    """Where the template first writes the token."""
    read = served.template
    at = read.text.find(token) if read else -1
    return served.locate_offset(at) if read and at >= 0 else served.modelfile.template_place

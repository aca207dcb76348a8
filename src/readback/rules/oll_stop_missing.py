"""The token that ends a turn in a template is no stop text.

The `TEMPLATE` of a Modelfile writes a token behind what the user or the assistant says (`<|im_end|>`, `<|eot_id|>`),
and no `PARAMETER stop` has it. The token with which a text begins (`<s>`, `<bos>`) ends no turn.

A model that learnt to end its answer with this token goes on after it, unless the weights name it as the end: the
answer then holds the token and a conversation the model makes up. Where `FROM` names another model whose stop texts
are taken over, the token is the one that every tokenizer of its family ends a text with, or the file gives no stop
text and the engine under Ollama (llama.cpp) knows the token as the end of an answer, it is said for information.

Add `PARAMETER stop` with the token, or correct the token in the template.
"""

import re
from collections.abc import Iterator, Sequence

from readback.rules._served import Served, is_file, modelfiles
from readback.types import Diagnostic, Location, ModelInput, RuleContext, Severity

CODE = "oll-stop-missing"
SEVERITY = "warning"
ON = "workspace"
SENTENCE = "turns end with {token} in the template, and no stop parameter has it[[ (there are: {stops})]]"
FIX = '[[write {meant} in the template if that is meant, or ]]add PARAMETER stop "{token}"'
_CHATML = "{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"
PASS = (
    {"Modelfile": f'FROM ./x.gguf\nPARAMETER stop "<|im_end|>"\nTEMPLATE """{_CHATML}"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """{{ .System }} USER: {{ .Prompt }} ASSISTANT:"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nTEMPLATE """<|user|>{{ .Prompt }}<|assistant|>{{ .Response }}"""\n'},
    {"Modelfile": 'FROM ./m.gguf\nTEMPLATE """<s>[INST] {{ .Prompt }} [/INST]"""\n'},
)
FAIL = (
    {"Modelfile": f'FROM ./x.gguf\nPARAMETER stop "<|im_start|>"\nTEMPLATE """{_CHATML}"""\n'},
    {"Modelfile": 'FROM x\nTEMPLATE """<|user|>{{ .Prompt }}<|end|><|assistant|>{{ .Response }}<|end|>"""\n'},
    {"Modelfile": 'FROM ./x.gguf\nPARAMETER stop "<|im_end|>"\nTEMPLATE """{{ .Prompt }}<im_end>{{ .Response }}"""\n'},
)

ANY = re.compile(r"<[^\s<>]{1,40}>")
TOKEN = re.compile(rf"\s*({ANY.pattern})")
BEGINS = re.compile(
    r"^<s>$|^<bos\b|start|begin|header|system|user|human|assistant|model|bot|gpt|sys>|func|tool", re.IGNORECASE
)
ENDS = re.compile(r"</s>|end|eo[tsm]|stop", re.IGNORECASE)
TEXT_ENDS = ("</s>", "<|endoftext|>", "<|end_of_text|>", "<eos>")  # known to the tokenizer as the end of a text
# What llama.cpp takes for the end of an answer where the weights have a token of this text (llama-vocab.cpp).
ANSWER_ENDS = ("<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|eom_id|>", "<EOT>", "<｜end▁of▁sentence｜>")
BARS = str.maketrans("", "", "|｜")


def check(case: RuleContext) -> Iterator[Diagnostic]:
    for served in modelfiles(case):
        stops = tuple(dict.fromkeys(args for name, args, _ in served.modelfile.commands if name == "stop"))
        for token in dict.fromkeys(token for model_input in served.made for token in _ends(served, model_input)):
            if not any(stop and stop in token for stop in stops):
                meant = _meant(served, token, stops)
                values = {"token": token, "stops": list(stops), "meant": meant, "model": served.name}
                known = token in TEXT_ENDS or (not stops and (token in ANSWER_ENDS or _inherits(served)))
                light: Severity | None = "info" if known else None
                yield Diagnostic(CODE, values, _place(served, token), token, light)


def _ends(served: Served, model_input: ModelInput) -> Iterator[str]:
    """The tokens right behind what the user or the assistant says."""
    for said in (served.self_test.user, served.self_test.reply) if served.self_test else ():
        at = model_input.text.find(said)
        while at >= 0:
            at += len(said)
            found = TOKEN.match(model_input.text, at)
            if found and (ENDS.search(found[1]) or not BEGINS.search(found[1])):
                yield found[1]
            at = model_input.text.find(said, at)


def _meant(served: Served, token: str, stops: Sequence[str]) -> str:
    """The token of the template, or the stop text, that this one is but for its bars: it is mistyped, then."""
    known = (*stops, *ANY.findall(served.template.text if served.template else ""))
    return next((one for one in known if one != token and one.translate(BARS) == token.translate(BARS)), "")


def _inherits(served: Served) -> bool:
    """Whether the file is made from another model rather than from weights in a file."""
    return not any(name == "model" and is_file(args) for name, args, _ in served.modelfile.commands)


def _place(served: Served, token: str) -> Location:
    """Where the template first writes the token."""
    read = served.template
    at = read.text.find(token) if read else -1
    return served.place(*read.at(at)) if read and at >= 0 else served.modelfile.template_place

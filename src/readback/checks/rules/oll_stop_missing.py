"""Find tokens that end a turn and are missing from the stop texts of a Modelfile.

A model that learnt to end its answer with such a token writes on after it.
"""

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
    """Yield a finding for each token that ends a turn of the self-test and that no stop text is part of."""
    for served in list_served_models(case):
        commands = served.modelfile.commands
        stops = tuple(dict.fromkeys(text for name, text, _ in commands if name == "stop"))
        tokens = dict.fromkeys(token for text in served.texts for token in _list_end_tokens(served, text))
        for token in tokens:
            if any(stop and stop in token for stop in stops):
                continue
            values = {
                "token": token,
                "stops": list(stops),
                "meant": _find_intended(served, token, stops),
                "model": served.name,
            }
            severity: Severity | None = "info" if _is_known_to_server(served, token, stops) else None
            yield Diagnostic(CODE, values, _locate_token(served, token), token, severity)


def _is_known_to_server(served: ServedModel, token: str, stops: Sequence[str]) -> bool:
    """Return whether the server probably stops at a token by itself, by its text or by the base model's stop texts."""
    is_answer_end, inherits = token in ANSWER_ENDS, _inherits(served)
    if token in TEXT_ENDS or (is_answer_end and inherits):
        return True
    return not stops and (is_answer_end or inherits)


def _list_end_tokens(served: ServedModel, model_input: ModelInput) -> Iterator[str]:
    """Yield the tokens right after what the user or the assistant says."""
    for content in (served.self_test.user, served.self_test.reply) if served.self_test else ():
        start = model_input.text.find(content)
        while start >= 0:
            end = start + len(content)
            token = TOKEN.match(model_input.text, end)
            if token and _ends_turn(served, model_input, start, token):
                yield token[1]
            start = model_input.text.find(content, end)


def _ends_turn(served: ServedModel, model_input: ModelInput, content_start: int, token: re.Match[str]) -> bool:
    if ENDS.search(token[1]):
        return True
    return not BEGINS.search(token[1]) and not _opens_next(served, model_input, content_start, token)


def _opens_next(served: ServedModel, model_input: ModelInput, content_start: int, token: re.Match[str]) -> bool:
    """Return whether a token after a message begins the text, or the next message.

    What opens the answer has nothing after it in the self-test, and the answer itself in its longer form. In the
    template, what begins a message is before the action that prints it.
    """
    rest = model_input.text[token.end() :].lstrip()
    if not rest or (served.self_test and rest.startswith(served.self_test.reply)):
        return True
    if served.texts[0].text.lstrip().startswith(token[1]):
        return True
    last = find_template_offset(served, model_input, token.end() - 1)
    if last is None or served.template is None:
        return False
    token_place, action_place = served.locate_offset(last), locate_message_action(served, model_input, content_start)
    if (token_place.line or 0, token_place.column or 0) < (action_place.line or 0, action_place.column or 0):
        return True
    return PRINTS.match(served.template.text, last + 1) is not None


def _find_intended(served: ServedModel, token: str, stops: Sequence[str]) -> str:
    """Return the stop text or token of the template that differs from a token only in its bars, else ""."""
    candidates = (*stops, *ANY.findall(served.template.text if served.template else ""))
    bare = token.translate(BARS)
    return next((other for other in candidates if other != token and other.translate(BARS) == bare), "")


def _inherits(served: ServedModel) -> bool:
    """Return whether the file is made from another model rather than from weights in a file."""
    return not any(name == "model" and is_file(text) for name, text, _ in served.modelfile.commands)


def _locate_token(served: ServedModel, token: str) -> Location:
    """Return the place where the template first writes a token."""
    if served.template:
        offset = served.template.text.find(token)
    else:
        offset = -1
    if offset >= 0:
        return served.locate_offset(offset)
    return served.modelfile.template_place

"""Looks for oll-answer-not-closed; its words are in catalogue/en.yml."""

import re
from collections.abc import Iterator

from readback.checks.facts.modelfiles import ServedModel, list_served_models, locate_message_action, quote
from readback.types import Diagnostic, Location, RuleContext

CODE = "oll-answer-not-closed"
ON = "workspace"
_MODELFILE = 'FROM ./x.gguf\nPARAMETER stop "<|im_end|>"\nTEMPLATE """%s"""\n'
_QUESTION = "<|im_start|>user\n{{ .Prompt }}<|im_end|>\n<|im_start|>assistant\n"
_TURN = "<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n"
PASS = (
    {"Modelfile": _MODELFILE % (_QUESTION + "{{ .Response }}<|im_end|>\n")},
    {"Modelfile": _MODELFILE % ("{{ range .Messages }}" + _TURN + "{{ end }}<|im_start|>assistant\n")},
    {"Modelfile": 'FROM ./m.gguf\nTEMPLATE """[INST] {{ .Prompt }} [/INST]{{ .Response }}</s>"""\n'},
    {"Modelfile": 'FROM ./m.gguf\nTEMPLATE """USER: {{ .Prompt }} ASSISTANT: {{ .Response }}"""\n'},
)
FAIL = (
    {"Modelfile": _MODELFILE % _QUESTION},
    {"Modelfile": _MODELFILE % (_QUESTION + "{{ .Response }}")},
    {"Modelfile": _MODELFILE % (_QUESTION + "{{ .Response }}\n")},
    {"Modelfile": _MODELFILE % ("<|im_start|>system\n{{ .System }}<|im_end|>\n" + _QUESTION)},
)

ENDS = ("<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "<turn|>")  # each closes every turn of its format
TOKEN = re.compile(r"<[^\s<>]{1,40}>")
AROUND = 24  # characters shown behind the answer

ANSWER, MESSAGES = ".Response", ".Messages"  # fields of a template


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """In the longer conversation: what comes first behind the answer is not the token that closes the question."""
    for served in list_served_models(case):
        if served.self_test is None or not served.self_test.later.segments:
            continue
        text, question, answer = served.self_test.later.text, served.self_test.user, served.self_test.reply
        asked, said = text.find(question), text.find(answer)
        following = text.find(question, said)
        if not 0 <= asked < said < following:
            continue
        end = next((one for one in ENDS if text.startswith(one, asked + len(question))), None)
        behind = said + len(answer)
        first = TOKEN.search(text, behind, following)
        if end and (first is None or first[0] != end):
            shown = text[behind : behind + AROUND] + ("…" if len(text) > behind + AROUND else "")
            place = _locate_answer(served) or locate_message_action(served, served.self_test.later, said)
            values = {"token": end, "follows": quote(shown), "model": served.name}
            yield Diagnostic(CODE, values, place, end)


def _locate_answer(served: ServedModel) -> Location | None:
    """The place where the template writes the answer, or its end, where Ollama puts one; None where it loops."""
    template = served.modelfile.template or ""
    at = template.rfind(ANSWER)
    if at < 0 and MESSAGES in template:
        return None
    before = template[:at] if at >= 0 else template.rstrip()
    line = before.rpartition("\n")[2]
    return served.locate(before.count("\n") + 1, len(line) + 1)

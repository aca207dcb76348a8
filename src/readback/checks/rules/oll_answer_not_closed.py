"""Find Modelfile templates that do not close earlier answers as they close the question.

From the second answer on, the model reads its earlier answer and the next question as one turn.
"""

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
    """Yield a finding if, in the longer self-test, the first token after the answer does not close its turn."""
    for served in list_served_models(case):
        if served.self_test is None or not served.self_test.later.segments:
            continue
        text, question, answer = served.self_test.later.text, served.self_test.user, served.self_test.reply
        question_start, answer_start = text.find(question), text.find(answer)
        next_question = text.find(question, answer_start)
        if not 0 <= question_start < answer_start < next_question:
            continue
        question_end, answer_end = question_start + len(question), answer_start + len(answer)
        closing = next((token for token in ENDS if text.startswith(token, question_end)), None)
        first = TOKEN.search(text, answer_end, next_question)
        if closing and (first is None or first[0] != closing):
            following = text[answer_end : answer_end + AROUND] + ("…" if len(text) > answer_end + AROUND else "")
            place = _locate_answer(served) or locate_message_action(served, served.self_test.later, answer_start)
            values = {"token": closing, "follows": quote(following), "model": served.name}
            yield Diagnostic(CODE, values, place, closing)


def _locate_answer(served: ServedModel) -> Location | None:
    """Return the place where the template writes the answer, or its end, where Ollama adds it; None if it loops."""
    template = served.modelfile.template or ""
    offset = template.rfind(ANSWER)
    if offset < 0 and MESSAGES in template:
        return None
    if offset >= 0:
        before = template[:offset]
    else:
        before = template.rstrip()
    line = before.rpartition("\n")[2]
    return served.locate(before.count("\n") + 1, len(line) + 1)

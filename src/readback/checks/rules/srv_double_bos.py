"""Find texts that begin with the beginning-of-text token twice.

No training text begins with two such tokens; all answers get slightly worse, and no error reports it.
"""

import re
from collections.abc import Iterator

from readback.checks.facts import chat_templates
from readback.types import Diagnostic, Location, Model, Modelfile, RuleContext

CODE = "srv-double-bos"
ON = "workspace"
_SERVED = "models: {served: {serving: {%s}}}\n"
_CONFIG = '{"bos_token": "<s>", "chat_template": "%s{%% for m in messages %%}{{ m.content }}{%% endfor %%}"}'
_FILES = {"readback.yml": _SERVED % "tokenizer_config: tokenizer_config.json, add_special_tokens: true"}
PASS = (
    {"readback.yml": _SERVED % "format: llama-3"},
    {**_FILES, "tokenizer_config.json": _CONFIG % ""},
    {**_FILES, "tokenizer_config.json": _CONFIG.replace("{", '{"add_bos_token": false, ', 1) % "{{ bos_token }}"},
    {"Modelfile": "FROM x\nTEMPLATE [INST] {{ .System }} {{ .Prompt }} [/INST]\n"},
)
FAIL = (
    {"readback.yml": _SERVED % "format: llama-3, add_special_tokens: true"},
    {**_FILES, "tokenizer_config.json": _CONFIG % "{{ bos_token }}"},
    {**_FILES, "tokenizer_config.json": _CONFIG % "{{ raise_exception('no') if m }}{{ bos_token }}"},
    {"Modelfile": "FROM x\nTEMPLATE <s>[INST] {{ .System }} {{ .Prompt }} [/INST]\n"},
)

BOS = (
    "<s>",
    "<|begin_of_text|>",
    "<bos>",
    "<｜begin▁of▁sentence｜>",
    "<BOS_TOKEN>",
)  # of models that llama.cpp gives one
# How the library calls models that begin with each token, and with none; the first that fits is the model's.
FAMILIES = (
    (re.compile(r"^(llama-?3|llama-?4|hermes-?3|dolphin-?3)|llama-?3", re.IGNORECASE), "<|begin_of_text|>"),
    (re.compile(r"^(code|med|pali|shield|embedding)?gemma", re.IGNORECASE), "<bos>"),
    (re.compile(r"^deepseek", re.IGNORECASE), "<｜begin▁of▁sentence｜>"),
    (re.compile(r"^(command-r|aya)", re.IGNORECASE), "<BOS_TOKEN>"),
    (re.compile(r"^(llama-?2|codellama|mi[sx]tral|tinyllama|vicuna|zephyr|phi-?3)", re.IGNORECASE), "<s>"),
    (re.compile(r"^(qwen|qwq|codeqwen|phi-?4|smollm|granite|gpt-oss|falcon|starcoder)", re.IGNORECASE), ""),
)
TOKENIZER, ENGINE, ITSELF = "the tokenizer (add_special_tokens)", "Ollama's engine", "the same template once more"


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each chat template and each Modelfile that writes a token which the server adds."""
    for served in chat_templates.list_template_uses(case):
        template, token = served.template, served.template.bos_token
        if token and _writes_token_twice(served, token):
            by = TOKENIZER if template.adds_bos else ITSELF
            values = {"token": token, "name": template.name, "by": by, "unless": ""}
            yield Diagnostic(CODE, values, template.place, token)
    places: set[Location] = set()
    for model in case.workspace.models.values():
        token = _find_written_token(case, model)
        if token and model.modelfile and model.modelfile.template_place not in places:
            places.add(model.modelfile.template_place)
            base = _find_foreign_base(model.modelfile, token)
            values = {"token": token, "name": model.name, "by": ENGINE, "unless": base}
            yield Diagnostic(CODE, values, model.modelfile.template_place, token, "info" if base else None)


def _writes_token_twice(served: chat_templates.TemplateUse, token: str) -> bool:
    if served.self_test:
        text = served.self_test.first.text
    else:
        text = ""
    if not text:
        # A template that refuses the self-test still shows that it writes the token.
        return served.template.adds_bos and "bos_token" in (served.template.text or "")
    return text.startswith(token) and text[len(token) :].lstrip().startswith(token)


def _find_foreign_base(modelfile: Modelfile, token: str) -> str:
    """Return the model or file that FROM names, or "" if it is of a family that begins with this token."""
    base = next((text for name, text, _ in reversed(modelfile.commands) if name == "model"), "")
    own = next((begin for pattern, begin in FAMILIES if pattern.search(base.rpartition("/")[2])), None)
    if own == token:
        return ""
    return base


def _find_written_token(case: RuleContext, model: Model) -> str | None:
    """Return the token with which a Modelfile's template begins the text."""
    self_test = case.self_tests.get(model.name)
    if self_test is None or self_test.first.kind != "modelfile":
        return None
    return next((token for token in BOS if self_test.first.text.lstrip().startswith(token)), None)

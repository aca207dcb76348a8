"""Looks for trn-double-bos; its words are in catalogue/en.yml."""

from collections.abc import Callable, Iterator

from readback.checks.facts import training_rows
from readback.types import ChatTemplate, Diagnostic, Finding, RuleContext, Workspace

CODE = "trn-double-bos"
ON = "record"
NEEDS = "training rows"
_ROW = '{"text": "%sUser: Why?</s>"}\n'
_CONFIG = '{"add_bos_token": %s, "bos_token": "<s>", "chat_template": "{{ messages[0].content }}"}'
_MODEL = "models: {m: {training: {messages: t.jsonl, tokenizer_config: c/tokenizer_config.json}}}\n"
PASS = (
    {"t.jsonl": _ROW % "", "c/tokenizer_config.json": _CONFIG % "true", "readback.yml": _MODEL},
    {"t.jsonl": _ROW % "<s>", "c/tokenizer_config.json": _CONFIG % "false", "readback.yml": _MODEL},
)
FAIL = (
    {"t.jsonl": _ROW % "<s>", "c/tokenizer_config.json": _CONFIG % "true", "readback.yml": _MODEL},
    {"train.jsonl": _ROW % "<s>", "tokenizer_config.json": _CONFIG % "true"},
    {
        "t.jsonl": '{"prompt": "<s>[INST] Why? [/INST]", "completion": "So."}\n',
        "c/tokenizer_config.json": _CONFIG % "true",
        "readback.yml": _MODEL,
    },
)

READY = ("text", "sft", "dpo", "alpaca")  # rows whose texts go to the tokenizer as they are


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = training_rows.read_row(case)
    turns = (*row.prompt, *row.completion) if row and row.kind in READY else ()
    if not turns or case.record is None:
        return
    first = turns[0]
    for template in _templates(case.workspace, case.record.place.file):
        token = template.bos_token
        if token and template.tokenizer_adds_bos and first.text.startswith(token):
            values = {"token": token, "name": template.config or template.name}
            yield Diagnostic(CODE, values, training_rows.locate(first, 0, len(token)), token)
            return


def once(one: Finding, nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """It is true of the whole file, whose texts were made in one way."""
    return ()


def _templates(workspace: Workspace, file: str | None) -> Iterator[ChatTemplate]:
    """The templates, with their tokenizers' settings, of the models that were trained on a file; where nobody says
    which these are, of all models.
    """
    known = next((one for one in workspace.training if one.path == file), None)
    names = known.models if known and known.models else tuple(workspace.models)
    for name in names:
        if model := workspace.models.get(name):
            yield from (one for one in (model.training_template, model.chat_template) if one)

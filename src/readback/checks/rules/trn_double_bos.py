"""Find ready training texts that begin with the token which the tokenizer adds.

The token is then there twice in training and once when the model is served.
"""

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
    """Yield a finding if a tokenizer of the row's models adds the token that the row begins with."""
    row = training_rows.read_row(case)
    if row and row.kind in READY:
        turns = (*row.prompt, *row.completion)
    else:
        turns = ()
    if not turns or case.record is None:
        return
    first = turns[0]
    for template in _list_templates(case.workspace, case.record.place.file):
        token = template.bos_token
        if token and template.tokenizer_adds_bos and first.text.startswith(token):
            values = {"token": token, "name": template.config or template.name}
            yield Diagnostic(CODE, values, training_rows.locate(first, 0, len(token)), token)
            return


def get_once_key(finding: Finding, is_nowhere: Callable[[str], bool]) -> tuple[str, ...] | None:
    """Return an empty key: it is reported once for a file, whose texts were all made in one way."""
    return ()


def _list_templates(workspace: Workspace, path: str | None) -> Iterator[ChatTemplate]:
    """Yield the templates of the models that were trained on a file; of all models if no model states it.

    They carry the settings of the models' tokenizers.
    """
    file = next((file for file in workspace.training if file.path == path), None)
    if file and file.models:
        names = file.models
    else:
        names = tuple(workspace.models)
    for name in names:
        model = workspace.models.get(name)
        if model:
            yield from (template for template in (model.training_template, model.chat_template) if template)

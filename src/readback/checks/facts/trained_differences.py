"""Where a model's training text and the text it reads part whatever the record, unless another rule says it."""

from __future__ import annotations

from collections.abc import Iterator

from readback.compare.first_difference import FirstDifference as FirstDifference
from readback.compare.first_difference import after as after
from readback.compare.first_difference import halves as halves
from readback.compare.first_difference import of_self_test
from readback.sources import prompt_formats
from readback.types import Model, ModelInput, RuleContext, SelfTest

TURN_END = "<|im_end|>"
BEGINS = ("<s>", "<|begin_of_text|>", "<bos>")  # tokens that begin a text


def parted(case: RuleContext) -> Iterator[tuple[Model, SelfTest, tuple[FirstDifference, ...]]]:
    """Each model whose texts part, with the differences that no other rule tells."""
    for name, self_test in case.self_tests.items():
        model = case.workspace.models.get(name)
        if model is None or self_test.system not in self_test.first.text or self_test.user not in self_test.first.text:
            continue  # a message that is dropped has a rule of its own, and then nothing else agrees either
        kind = self_test.first.kind
        found = tuple(
            one
            for one in of_self_test(self_test)
            if not (harmless(one, kind, model) or reported_elsewhere(one, self_test, model))
        )
        if found:
            yield model, self_test, found


def is_type_stated(model: Model) -> bool:
    """Whether the workspace says of what type the model is; else a name of a file or of the model was taken for it."""
    return model.type_reason == prompt_formats.SAID


def stated(model: Model) -> bool:
    """Whether the model's files say what its training text was made with."""
    return bool(model.training_template or model.training_format)


def text(model_input: ModelInput | None) -> str:
    """All of a text; nothing where there is none."""
    return model_input.text if model_input else ""


def harmless(one: FirstDifference, kind: str, model: Model) -> bool:
    """Whether a difference is none to the model: a first token that Ollama adds when it cuts the text into tokens, or a
    blank before the answer, which the model writes as part of its first word.
    """
    if one.b.text or one.again:
        return False
    if one.last:
        return not one.a.text.strip(" ")
    return not one.after and one.a.text in _begins(model) and kind == "modelfile"


def reported_elsewhere(one: FirstDifference, self_test: SelfTest, model: Model) -> bool:
    """Whether a rule about the server tells it."""
    mine, theirs = one.a.text, one.b.text
    if not mine and theirs in _begins(model) and one.after == ("" if self_test.first.kind == "modelfile" else theirs):
        return True  # srv-double-bos: Ollama puts a first token there by itself, others only say it twice
    if self_test.first.kind != "modelfile":
        return False
    lost = one.after.endswith(TURN_END) and "\n" in mine and not mine.strip()  # oll-chatml-newline
    return (lost or not mine) and (one.again or (lost and not theirs))  # oll-system-twice


def _begins(model: Model) -> tuple[str, ...]:
    own = (one.bos_token for one in (model.training_template, model.chat_template) if one and one.bos_token)
    return (*own, *BEGINS)

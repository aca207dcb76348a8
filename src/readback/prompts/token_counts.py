"""How many tokens a model gets to read for an assembly: of the text its server makes, else of its messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from readback import sandbox
from readback.serving import limits as limits_of
from readback.serving import tokens
from readback.serving.tokens import Counter, tokenizer_json
from readback.sources import training_length
from readback.types import Assembly, Model, ModelInput, Record, Selection, Tokens, Workspace

Of = Literal["wire", "messages"]


def find_model(opened: Workspace, choice: Selection) -> Model | None:
    """The model that a choice is sent to; a judge's is another one, and nobody says which."""
    condition = opened.condition(choice.condition) if choice.condition and not choice.judge else None
    return opened.models.get(condition.model) if condition and condition.model else None


def load_counter(opened: Workspace, model: Model | None) -> Counter:
    """What counts for a model."""
    return tokens.load_counter(model.tokenizer if model else None, opened.root)[0]


def list_counted_texts(assembly: Assembly, model_input: ModelInput | None) -> tuple[tuple[str, ...], Of]:
    """What is counted: the text that the model reads where it is known, else each message by itself."""
    if model_input is not None and model_input.segments:
        return (model_input.text,), "wire"
    return tuple(message.text for message in assembly.messages), "messages"


def count_assembly(opened: Workspace, assembly: Assembly, model_input: ModelInput | None) -> tuple[Tokens, Of]:
    """The count, as exact as it can be. In messages alone a special token is text like any other."""
    said, of = list_counted_texts(assembly, model_input)
    return tokens.count_tokens(
        load_counter(opened, find_model(opened, assembly.choice)), *said, special=of == "wire"
    ), of


def count_each_message(opened: Workspace, assembly: Assembly) -> tuple[int, ...]:
    """The tokens of each message by itself, where a special token is text like any other."""
    said, _ = list_counted_texts(assembly, None)
    return tokens.count_each(load_counter(opened, find_model(opened, assembly.choice)), said)


def count_against_limit(opened: Workspace, assembly: Assembly, model_input: ModelInput | None) -> Tokens | None:
    """The count for the audit, which asks only whether the text fits; None where no limit is known.

    A tokenizer file is slow, so it is used only where the bytes do not prove enough.
    """
    model = find_model(opened, assembly.choice)
    limit = limits_of.find_limit(model)
    if model is None or limit is None or not assembly.messages:
        return None
    said, of = list_counted_texts(assembly, model_input)
    return tokens.count_within(model, said, opened.root, limit.room, special=of == "wire")


def count_training_row(opened: Workspace, record: Record) -> Tokens | None:
    """The count of a row of training data, by the first model that was trained on its file and says a limit."""
    file = training_length.file_of(opened, record)
    models = (opened.models.get(name) for name in file.models) if file else iter(())
    model = next((one for one in models if limits_of.find_training_limit(one)), None)
    limit = limits_of.find_training_limit(model)
    text = training_length.longest(record.fields) if limit else None
    return tokens.count_within(model, [text], opened.root, limit.context, special=False) if limit and text else None


def count_quickly(opened: Workspace, assembly: Assembly, model_input: ModelInput | None) -> Tokens:
    """The count for tables of many cells: as exact as it can be at once, so a tokenizer file is not asked."""
    model = find_model(opened, assembly.choice) or Model("")
    said, of = list_counted_texts(assembly, model_input)
    return tokens.count_within(model, said, opened.root, None, special=of == "wire")


def list_shared_tables(opened: Workspace) -> tuple[str, ...]:
    """What children that count for any model share: the tables that the models name."""
    return tokens.list_shared_tables(opened.models.values())


def list_audit_tables(opened: Workspace) -> tuple[str, ...]:
    """What the children of an audit share: the tables of models with a limit; no other text is counted there."""
    return tokens.list_shared_tables(one for one in opened.models.values() if limits_of.find_training_limit(one))


def extend_limits(opened: Workspace, usual: sandbox.Limits) -> sandbox.Limits:
    """The limits of a child of the audit: with room for a tokenizer file where a model names one."""
    named = [m.tokenizer for m in opened.models.values() if m.tokenizer and limits_of.find_training_limit(m)]
    heavy = any(not tokens.is_table(one) for one in named)
    return replace(usual, memory=max(usual.memory, tokenizer_json.MEMORY)) if heavy else usual

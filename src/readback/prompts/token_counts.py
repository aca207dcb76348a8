"""Count the tokens that a model reads for an assembly: of the text its server makes, else of its messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from readback import sandbox
from readback.prompts.selections import find_model
from readback.serving import limits as limits_of
from readback.serving import tokens
from readback.serving.tokens import Counter, tokenizer_json
from readback.sources.training import training_length
from readback.types import Assembly, Model, ModelInput, Record, Tokens, Workspace

CountedLayer = Literal["wire", "messages"]


def load_counter(workspace: Workspace, model: Model | None) -> Counter:
    """Load what counts tokens for a model."""
    return tokens.load_counter(model.tokenizer if model else None, workspace.root)[0]


def list_counted_texts(assembly: Assembly, model_input: ModelInput | None) -> tuple[tuple[str, ...], CountedLayer]:
    """List what is counted: the text that the model reads where it is known, else each message by itself."""
    if model_input is not None and model_input.segments:
        return (model_input.text,), "wire"
    return tuple(message.text for message in assembly.messages), "messages"


def count_assembly(
    workspace: Workspace, assembly: Assembly, model_input: ModelInput | None
) -> tuple[Tokens, CountedLayer]:
    """Count the tokens of an assembly as exactly as possible, and say of which layer.

    In messages alone a special token is text like any other.
    """
    texts, layer = list_counted_texts(assembly, model_input)
    return tokens.count_tokens(
        load_counter(workspace, find_model(workspace, assembly.choice)), *texts, special=layer == "wire"
    ), layer


def count_each_message(workspace: Workspace, assembly: Assembly) -> tuple[int, ...]:
    """Count the tokens of each message by itself, where a special token is text like any other."""
    texts, _ = list_counted_texts(assembly, None)
    return tokens.count_each(load_counter(workspace, find_model(workspace, assembly.choice)), texts)


def count_against_limit(workspace: Workspace, assembly: Assembly, model_input: ModelInput | None) -> Tokens | None:
    """Count the tokens for the check, which asks only whether the text fits; None where no limit is known.

    A tokenizer file is slow, so it is used only where the bytes do not prove enough.
    """
    model = find_model(workspace, assembly.choice)
    limit = limits_of.find_limit(model)
    if model is None or limit is None or not assembly.messages:
        return None
    texts, layer = list_counted_texts(assembly, model_input)
    return tokens.count_within(model, texts, workspace.root, limit.room, special=layer == "wire")


def count_training_row(workspace: Workspace, record: Record) -> Tokens | None:
    """Count the tokens of a training row, by the first model that was trained on its file and states a limit."""
    file = training_length.find_training_file(workspace, record)
    models = (workspace.models.get(name) for name in file.models) if file else iter(())
    model = next((candidate for candidate in models if limits_of.find_training_limit(candidate)), None)
    limit = limits_of.find_training_limit(model)
    if limit:
        text = training_length.join_longest_texts(record.fields)
    else:
        text = None
    if limit and text:
        return tokens.count_within(model, [text], workspace.root, limit.context, special=False)
    return None


def count_quickly(workspace: Workspace, assembly: Assembly, model_input: ModelInput | None) -> Tokens:
    """Count the tokens for tables of many cells: as exactly as is possible at once, without a tokenizer file."""
    model = find_model(workspace, assembly.choice) or Model("")
    texts, layer = list_counted_texts(assembly, model_input)
    return tokens.count_within(model, texts, workspace.root, None, special=layer == "wire")


def list_shared_tables(workspace: Workspace) -> tuple[str, ...]:
    """List what children that count for any model share: the tables that the models name."""
    return tokens.list_shared_tables(workspace.models.values())


def list_audit_tables(workspace: Workspace) -> tuple[str, ...]:
    """List what the children of a check share: the tables of models with a limit; no other text is counted there."""
    return tokens.list_shared_tables(
        model for model in workspace.models.values() if limits_of.find_training_limit(model)
    )


def extend_limits(workspace: Workspace, usual: sandbox.Limits) -> sandbox.Limits:
    """Return the limits of a check's child: with room for a tokenizer file where a model names one."""
    named = [
        model.tokenizer
        for model in workspace.models.values()
        if model.tokenizer and limits_of.find_training_limit(model)
    ]
    needs_file = any(not tokens.is_table(name) for name in named)
    if needs_file:
        return replace(usual, memory=max(usual.memory, tokenizer_json.MEMORY))
    return usual

"""Find how many tokens a model reads at once, and how many of them its answer may take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.types import Model

CONTEXT = ("context", "num_ctx", "n_ctx", "context_length", "max_model_len")  # as programs call it
REPLY = ("max_tokens", "max_new_tokens", "num_predict")
TRAINING = ("max_seq_length", "max_length", "cutoff_len", "model_max_length")
OLLAMA_CONTEXT = "num_ctx"


@dataclass(frozen=True, slots=True)
class Limit:
    """Hold the tokens that the model reads and those reserved for its answer, each with the name of its setting."""

    context: int
    reserve: int = 0
    context_key: str = "context"
    reserve_key: str = ""
    line: int | None = None  # of the Modelfile that states it

    @property
    def room(self) -> int:
        """Return the tokens left for the prompt."""
        return self.context - self.reserve


def find_limit(model: Model | None) -> Limit | None:
    """Return the model's own `context` and `reserve`, else its settings', else its Modelfile's; None if none is stated.

    A reserve that leaves nothing for the prompt means the context itself, so it is not subtracted.
    """
    if model is None:
        return None
    stated_context = next(_list_contexts(model), None)
    if stated_context is None:
        return None
    context_key, context, line = stated_context
    for reserve_key, reserve in _list_reserves(model):
        if reserve < context:
            return Limit(context, reserve, context_key, reserve_key, line)
    return Limit(context, context_key=context_key, line=line)


def find_training_limit(model: Model | None) -> Limit | None:
    """Return how long a text of a model's training may be: the length in its settings, else its context, no reserve."""
    if model:
        length = find_number((model.settings,), TRAINING)
    else:
        length = None
    if length:
        return Limit(length[1], context_key=length[0])
    limit = find_limit(model)
    if limit:
        return Limit(limit.context, context_key=limit.context_key)
    return None


def find_ollama_limit(model: Model | None) -> Limit | None:
    """Return what the Modelfile's `PARAMETER num_ctx` makes Ollama read, whatever other settings state."""
    if model is None:
        return None
    for name, size, line in _list_parameters(model, (OLLAMA_CONTEXT,)):
        return Limit(size, context_key=name, line=line)
    return None


def find_number(homes: tuple[Mapping[str, Any], ...], keys: tuple[str, ...]) -> tuple[str, int] | None:
    """Return the first whole number above zero under one of the keys, with its key."""
    for home in homes:
        for key in keys:
            value = home.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return key, value
    return None


def _list_contexts(model: Model) -> Iterator[tuple[str, int, int | None]]:
    if model.context:
        yield "context", model.context, None
    setting = find_number((model.settings,), CONTEXT)
    if setting:
        yield (*setting, None)
    yield from _list_parameters(model, (OLLAMA_CONTEXT,))


def _list_reserves(model: Model) -> Iterator[tuple[str, int]]:
    if model.reserve is not None:
        yield "reserve", model.reserve
        return
    setting = find_number((model.settings,), REPLY)
    if setting:
        yield setting
    for name, size, _ in _list_parameters(model, ("num_predict",)):
        yield name, size


def _list_parameters(model: Model, names: tuple[str, ...]) -> Iterator[tuple[str, int, int | None]]:
    """Yield the last value that the Modelfile gives a parameter, if it is a number above zero."""
    if model.modelfile:
        commands = model.modelfile.commands
    else:
        commands = ()
    for name, args, line in reversed(commands):
        if name in names:
            if args.strip().isdecimal() and int(args) > 0:
                yield name, int(args), line
            return

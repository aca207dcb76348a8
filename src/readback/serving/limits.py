"""How much a model reads at once, and how much of that its answer may take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from readback.types import Model

CONTEXT = ("context", "num_ctx", "n_ctx", "context_length", "max_model_len")  # as programs call it
REPLY = ("max_tokens", "max_new_tokens", "num_predict")
TRAINED = ("max_seq_length", "max_length", "cutoff_len", "model_max_length")  # in training
BY_OLLAMA = "num_ctx"


@dataclass(frozen=True, slots=True)
class Limit:
    """Tokens that the model reads, tokens kept for its answer, and what each is called where it is said."""

    context: int
    reserve: int = 0
    said: str = "context"
    reserve_said: str = ""
    line: int | None = None  # of the Modelfile that says it

    @property
    def room(self) -> int:
        """Tokens left for the prompt."""
        return self.context - self.reserve


def of(model: Model | None) -> Limit | None:
    """The model's own `context` and `reserve`, else its settings', else its Modelfile's; None where none says one.

    A reserve that leaves nothing for the prompt is the context by another name, so it is not taken off.
    """
    if model is None:
        return None
    context = next(_contexts(model), None)
    if context is None:
        return None
    reserve = next((one for one in _reserves(model) if one[1] < context[1]), ("", 0))
    return Limit(context[1], reserve[1], context[0], reserve[0], context[2])


def trained(model: Model | None) -> Limit | None:
    """How long a text of its training may be: the length in its settings, else what the model reads; no reserve."""
    found = number((model.settings,), TRAINED) if model else None
    if found:
        return Limit(found[1], said=found[0])
    limit = of(model)
    return Limit(limit.context, said=limit.said) if limit else None


def window(model: Model | None) -> Limit | None:
    """What Ollama is told to read, `PARAMETER num_ctx` of the Modelfile, whatever else is said."""
    found = next(_parameters(model, (BY_OLLAMA,)), None) if model else None
    return Limit(found[1], said=found[0], line=found[2]) if found else None


def number(homes: tuple[Mapping[str, Any], ...], keys: tuple[str, ...]) -> tuple[str, int] | None:
    """The first whole number above zero under one of the keys."""
    found = ((key, home.get(key)) for home in homes for key in keys)
    return next(((k, n) for k, n in found if isinstance(n, int) and not isinstance(n, bool) and n > 0), None)


def _contexts(model: Model) -> Iterator[tuple[str, int, int | None]]:
    if model.context:
        yield "context", model.context, None
    if found := number((model.settings,), CONTEXT):
        yield (*found, None)
    yield from _parameters(model, (BY_OLLAMA,))


def _reserves(model: Model) -> Iterator[tuple[str, int]]:
    if model.reserve is not None:
        yield "reserve", model.reserve
        return
    if found := number((model.settings,), REPLY):
        yield found
    yield from ((name, size) for name, size, _ in _parameters(model, ("num_predict",)))


def _parameters(model: Model, names: tuple[str, ...]) -> Iterator[tuple[str, int, int | None]]:
    """The last value that the Modelfile gives a parameter, where it is a number above zero."""
    commands = model.modelfile.commands if model.modelfile else ()
    for name, args, line in reversed(commands):
        if name in names:
            if args.strip().isdecimal() and int(args) > 0:
                yield name, int(args), line
            return

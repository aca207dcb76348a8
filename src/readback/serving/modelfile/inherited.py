"""A Modelfile together with the one of the model in its FROM, as `ollama create` puts them together."""

from __future__ import annotations

from dataclasses import replace

from readback.types import Modelfile

INHERITED = ("renderer", "parser")
NOT_PARAMETERS = ("model", "adapter", "draft", "license", "template", "system", "message", "requires", *INHERITED)


def with_base(own: Modelfile, base: Modelfile) -> Modelfile:
    """What a model made from another one has: its own lines, and of the other's those that it does not set itself.

    Source: `server/create.go` of ollama/ollama. The lines of the other one stand without a line number.
    """
    names = {name for name, _, _ in own.commands}
    further = tuple((name, args, 0) for name, args, _ in base.commands if name not in names and _passes_on(name))
    system, template = (own.system, own.system_place), (own.template, own.template_place)
    if own.system is None:
        system = (base.system, base.system_place)
    if own.template is None:
        template = (base.template, base.template_place)
    return replace(
        own,
        commands=(*own.commands, *further),
        system=system[0],
        system_place=system[1],
        template=template[0],
        template_place=template[1],
    )


def _passes_on(name: str) -> bool:
    """Whether a line of the other Modelfile holds for a model made from it: texts are passed on by themselves."""
    return name in (*INHERITED, "message") or name not in NOT_PARAMETERS

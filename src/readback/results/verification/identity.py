"""Which model answered and which one judged: identities of verification results, and their spellings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from readback.results._cells import legible, text_of


@dataclass(frozen=True, slots=True)
class Identity:
    """A model as verification results name it. `tools` are in order, so that equal sets of tools are equal."""

    interface: str
    name: str
    config: str = ""
    tools: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """`iface:model:a|b`, with a configuration `iface:model:cfg:a|b`; without tools the last colon stays."""
        return ":".join((self.interface, self.name, *((self.config,) if self.config else ()), "|".join(self.tools)))

    @property
    def display(self) -> str:
        """`iface:model (cfg) +[a, b]`, as the tables of the program (biocypher/karenina) write it."""
        named = f"{self.interface}:{self.name}" if self.interface else self.name
        configured = f"{named} ({self.config})" if self.config else named
        return f"{configured} +[{', '.join(self.tools)}]" if self.tools else configured


def identity(value: Any) -> Identity | None:
    """The model that a mapping or a display text names; None where it names none."""
    if isinstance(value, Mapping):
        name = text_of(value.get("model_name"))
        tools = value.get("tools")
        return Identity(
            interface=text_of(value.get("interface")),
            name=name,
            config=text_of(value.get("config_id")),
            tools=tuple(sorted({text_of(tool) for tool in tools})) if isinstance(tools, list) else (),
        ) if name else None  # fmt: skip
    return from_display(legible(value)) if isinstance(value, str) and value.strip() else None


def from_display(text: str) -> Identity:
    """A display text taken apart: at ` +[`, then a trailing ` (cfg)`, then at the first `:`.

    Versions before the identity wrote `provider/model`; such a text is all name.
    """
    rest, _, listed = text.strip().partition(" +[")
    tools = tuple(sorted(filter(None, (tool.strip() for tool in listed.removesuffix("]").split(",")))))
    config = ""
    if rest.endswith(")") and " (" in rest:
        rest, _, config = rest[:-1].rpartition(" (")
    interface, colon, name = rest.partition(":")
    return Identity(interface, name, config, tools) if colon else Identity("", rest, config, tools)

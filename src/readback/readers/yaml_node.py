"""Walk a parsed configuration: each step knows its place, and a wrong type becomes a diagnostic instead of an error."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from readback.readers.yaml_file import Parsed, find_nearest, mask_secrets, report_unknown_keys
from readback.types import Diagnostic, Location

SHOWN = 60  # characters of a wrong value that are worth showing


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a configuration, with the keys that lead to it. `diagnostics` is shared by all nodes of a file."""

    value: Any
    parsed: Parsed
    diagnostics: list[Diagnostic] = field(default_factory=list)
    keys: tuple[str | int, ...] = ()

    @property
    def place(self) -> Location:
        """Return the place of the node in its file."""
        return self.parsed.place(*self.keys)

    @property
    def where(self) -> str:
        """The way to this value, as a person would write it: `conditions[0].mode`."""
        steps = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.keys)
        return "".join(steps).removeprefix(".") or "the file"

    def at(self, key: str | int, value: Any) -> Node:
        """Return the node of a key's or an item's value."""
        return replace(self, value=value, keys=(*self.keys, key))

    def report(self, code: str, flagged: str = "", **values: Any) -> None:
        """Add a diagnostic at this node."""
        self.diagnostics.append(Diagnostic(code, values, self.place, flagged))

    def wrong(self, expected: str) -> None:
        """Note that this value is not what it should be."""
        text = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False, default=str)
        cut = text if len(text) <= SHOWN else text[:SHOWN] + "…"
        self.report("dat-wrong-value", cut, where=self.where, value=cut, expected=expected)

    def mapping(self, *allowed: str) -> dict[str, Node]:
        """Return the entries that are not null, by name; report other names than `allowed` and leave them out."""
        if not isinstance(self.value, Mapping):
            self.wrong("a mapping with " + ", ".join(allowed))
            return {}
        self.diagnostics.extend(report_unknown_keys(self.value, allowed, self.parsed, *self.keys))
        return {k: self.at(k, v) for k, v in self.value.items() if k in allowed and v is not None}

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Yield the entries of a mapping whose names are free."""
        if not isinstance(self.value, Mapping):
            self.wrong("a mapping from names")
            return
        for key, value in self.value.items():
            yield str(key), self.at(key, value)

    def values(self) -> dict[str, Any]:
        """Return the values of a mapping whose names are free; mask secrets and report that."""
        clean, masked = mask_secrets({key: part.value for key, part in self.entries()})
        for key in masked:
            self.report("dat-secret-masked", key, key=key)
        return dict(clean)

    def items(self) -> Iterator[Node]:
        """Yield the items of a list; a single value counts as a list of one."""
        if not isinstance(self.value, list):
            yield self
            return
        for i, value in enumerate(self.value):
            yield self.at(i, value)

    def listed(self) -> Iterator[Node]:
        """Yield the items of a value that must be a list."""
        if not isinstance(self.value, list):
            self.wrong("a list")
            return
        yield from self.items()

    def text(self) -> str | None:
        """Return the value as text. Numbers count (`name: 7`); YAML's yes and no do not: a word was meant."""
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        self.wrong("a text (put it in quotes)" if isinstance(self.value, bool) else "a text")
        return None

    def texts(self) -> tuple[str, ...]:
        """Return the items as texts; report and leave out any other."""
        return tuple(text for item in self.items() if (text := item.text()) is not None)

    def whole(self, least: int = 1) -> int | None:
        """Return the value as a whole number of at least `least`; report any other and return None."""
        if isinstance(self.value, int) and not isinstance(self.value, bool) and self.value >= least:
            return self.value
        self.wrong(f"a whole number, {least} or more")
        return None

    def number(self) -> float | None:
        """Return the value as a float; report any other and return None."""
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            try:
                return float(self.value)
            except OverflowError:  # a whole number of more than 308 digits
                pass
        self.wrong("a number")
        return None

    def flag(self) -> bool | None:
        """Return the value as a bool; report any other and return None."""
        if isinstance(self.value, bool):
            return self.value
        self.wrong("true or false")
        return None

    def one_of(self, choices: Collection[str], what: str = "one of") -> str | None:
        """Return the value if it is among `choices`; else report it with the nearest of them and return None."""
        if isinstance(self.value, str) and self.value in choices:
            return self.value
        close = find_nearest(self.value, choices) if isinstance(self.value, str) else None
        self.wrong(f"{what} {', '.join(choices)}" + (f"; did you mean {close!r}?" if close else ""))
        return None

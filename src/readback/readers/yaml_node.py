"""Walk a parsed configuration: each step knows its place, and a wrong type becomes a diagnostic instead of an error."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from readback.readers.yaml_file import Parsed, mask_secrets, nearest, unknown_keys
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
        return self.parsed.place(*self.keys)

    @property
    def where(self) -> str:
        """The way to this value, as a person would write it: `conditions[0].mode`."""
        steps = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.keys)
        return "".join(steps).removeprefix(".") or "the file"

    def at(self, key: str | int, value: Any) -> Node:
        return replace(self, value=value, keys=(*self.keys, key))

    def report(self, code: str, flagged: str = "", **values: Any) -> None:
        self.diagnostics.append(Diagnostic(code, values, self.place, flagged))

    def wrong(self, expected: str) -> None:
        """Note that this value is not what it should be."""
        shown = self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False, default=str)
        cut = shown if len(shown) <= SHOWN else shown[:SHOWN] + "…"
        self.report("dat-wrong-value", cut, where=self.where, value=cut, expected=expected)

    def mapping(self, *known: str) -> dict[str, Node]:
        """The entries that are not null, by name; other names than `known` are noted and left out."""
        if not isinstance(self.value, Mapping):
            self.wrong("a mapping with " + ", ".join(known))
            return {}
        self.diagnostics.extend(unknown_keys(self.value, known, self.parsed, *self.keys))
        return {k: self.at(k, v) for k, v in self.value.items() if k in known and v is not None}

    def entries(self) -> Iterator[tuple[str, Node]]:
        """The entries of a mapping whose names are free."""
        if not isinstance(self.value, Mapping):
            self.wrong("a mapping from names")
            return
        for key, value in self.value.items():
            yield str(key), self.at(key, value)

    def values(self) -> dict[str, Any]:
        """The values of a mapping whose names are free, secrets masked and said to be."""
        found, masked = mask_secrets({key: part.value for key, part in self.entries()})
        for key in masked:
            self.report("dat-secret-masked", key, key=key)
        return dict(found)

    def items(self) -> Iterator[Node]:
        """The items of a list; a single value counts as a list of one."""
        if not isinstance(self.value, list):
            yield self
            return
        for i, value in enumerate(self.value):
            yield self.at(i, value)

    def listed(self) -> Iterator[Node]:
        """The items of what must be a list."""
        if not isinstance(self.value, list):
            self.wrong("a list")
            return
        yield from self.items()

    def text(self) -> str | None:
        """The value as text. Numbers count (`name: 7`); YAML's yes and no do not: whoever wrote them meant a word."""
        if isinstance(self.value, str):
            return self.value
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            return str(self.value)
        self.wrong("a text (put it in quotes)" if isinstance(self.value, bool) else "a text")
        return None

    def texts(self) -> tuple[str, ...]:
        return tuple(text for item in self.items() if (text := item.text()) is not None)

    def whole(self, least: int = 1) -> int | None:
        if isinstance(self.value, int) and not isinstance(self.value, bool) and self.value >= least:
            return self.value
        self.wrong(f"a whole number, {least} or more")
        return None

    def number(self) -> float | None:
        if isinstance(self.value, int | float) and not isinstance(self.value, bool):
            try:
                return float(self.value)
            except OverflowError:  # a whole number of more than 308 digits
                pass
        self.wrong("a number")
        return None

    def flag(self) -> bool | None:
        if isinstance(self.value, bool):
            return self.value
        self.wrong("true or false")
        return None

    def one_of(self, known: Collection[str], what: str = "one of") -> str | None:
        """The value if it is one of `known`; else a diagnostic with the nearest of them."""
        if isinstance(self.value, str) and self.value in known:
            return self.value
        close = nearest(self.value, known) if isinstance(self.value, str) else None
        self.wrong(f"{what} {', '.join(known)}" + (f"; did you mean {close!r}?" if close else ""))
        return None

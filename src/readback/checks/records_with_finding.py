"""Which records have a finding, by rule and condition: one bit a record, so that a large audit keeps them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from readback.types import Finding

SelectionKey = tuple[str | None, ...]
Key = tuple[str, SelectionKey]  # a rule's code, and the condition its finding is about


@dataclass(slots=True)
class RecordsWithFinding:
    """`bits`: for each code and condition, bit i of byte i // 8 is record i."""

    bits: dict[Key, bytearray] = field(default_factory=dict)

    def take(self, found: Iterable[tuple[SelectionKey, Finding]]) -> None:
        """Remember the records of these findings; those about no record are left alone."""
        for condition, one in found:
            if (index := one.place.index) is None:
                continue
            bits = self.bits.setdefault((one.code, condition), bytearray())
            if len(bits) <= index // 8:
                bits.extend(bytes(index // 8 + 1 - len(bits)))
            bits[index // 8] |= 1 << index % 8

    def done(self) -> Mapping[Key, bytes]:
        """The bits as they will stay."""
        return {key: bytes(bits) for key, bits in self.bits.items()}


def numbers(bits: bytes) -> Iterator[int]:
    """The numbers of the records that have the finding, ascending."""
    return (8 * at + bit for at, byte in enumerate(bits) if byte for bit in range(8) if byte >> bit & 1)

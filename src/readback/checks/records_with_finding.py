"""Which records have a finding, by rule and condition: one bit a record, so that a large audit keeps them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

SelectionKey = tuple[str | None, ...]
Key = tuple[str, SelectionKey]  # a rule's code, and the condition its finding is about


@dataclass(slots=True)
class RecordsWithFinding:
    """`bits`: for each code and condition, bit i of byte i // 8 is record i."""

    bits: dict[Key, bytearray] = field(default_factory=dict)

    def take(self, code: str, condition: SelectionKey, index: int) -> None:
        """Remember that a record has a finding."""
        if (bits := self.bits.get((code, condition))) is None:
            bits = self.bits[code, condition] = bytearray()
        if len(bits) <= index // 8:
            bits.extend(bytes(index // 8 + 1 - len(bits)))
        bits[index // 8] |= 1 << index % 8

    def done(self) -> Mapping[Key, bytes]:
        """The bits as they will stay."""
        return {key: bytes(bits) for key, bits in self.bits.items()}


def numbers(bits: bytes) -> Iterator[int]:
    """The numbers of the records that have the finding, ascending."""
    return (8 * at + bit for at, byte in enumerate(bits) if byte for bit in range(8) if byte >> bit & 1)

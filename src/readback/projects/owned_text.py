"""Text that remembers for each character which variable wrote it, through cutting, joining and replacing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from readback.projects.model import TextSegment

Owner = str | None  # the name of a variable; None for the template
ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|.)")


class OwnedText:
    """Hold a text and the owner of each of its characters."""

    __slots__ = ("owners", "text")

    def __init__(self, text: str, owners: Sequence[Owner] | None = None) -> None:
        self.text = text
        self.owners: Sequence[Owner] = [None] * len(text) if owners is None else owners

    def cut(self, start: int, end: int) -> OwnedText:
        """Return the characters from `start` up to `end`."""
        return OwnedText(self.text[start:end], self.owners[start:end])

    def strip(self, signs: str | None = None) -> OwnedText:
        """Return the text without white space (or `signs`) at both ends, as str.strip."""
        start = len(self.text) - len(self.text.lstrip(signs))
        return self.cut(start, max(start, len(self.text.rstrip(signs))))

    def split_lines(self) -> list[OwnedText]:
        """Return the lines without their ends, as str.splitlines."""
        lines, start = [], 0
        for line in self.text.splitlines(keepends=True):
            body = line.splitlines()[0]
            lines.append(self.cut(start, start + len(body)))
            start += len(line)
        return lines

    def replace(self, old: str, new: str) -> OwnedText:
        """Return the text with `old` replaced; what is new belongs to whom the old belonged."""
        if not old or old not in self.text:
            return self
        pieces, start = [], 0
        while (at := self.text.find(old, start)) >= 0:
            pieces += [self.cut(start, at), OwnedText(new, [self.owners[at]] * len(new))]
            start = at + len(old)
        return join_owned([*pieces, self.cut(start, len(self.text))])

    def list_segments(self) -> tuple[TextSegment, ...]:
        """Return the stretches of one owner."""
        segments, start = [], 0
        for owner, group in groupby(self.owners):
            end = start + sum(1 for _ in group)
            segments.append(TextSegment(self.text[start:end], "template" if owner is None else "variable", owner))
            start = end
        return tuple(segments)


def join_owned(pieces: Iterable[OwnedText], between: str = "") -> OwnedText:
    """Return the pieces as one text; `between` them belongs to the template."""
    texts: list[str] = []
    owners: list[Owner] = []
    for number, piece in enumerate(pieces):
        if number and between:
            texts.append(between)
            owners += [None] * len(between)
        texts.append(piece.text)
        owners += piece.owners
    return OwnedText("".join(texts), owners)


def decode_escapes(written: OwnedText) -> OwnedText:
    """Return the text that stands between the quotes of JSON; each sign belongs to whom its escape belongs."""
    if "\\" not in written.text:
        return written
    pieces, start = [], 0
    for match in ESCAPE.finditer(written.text):
        sign = json.loads(f'"{match[0]}"')
        pieces += [written.cut(start, match.start()), OwnedText(sign, [written.owners[match.start()]])]
        start = match.end()
    return join_owned([*pieces, written.cut(start, len(written.text))])

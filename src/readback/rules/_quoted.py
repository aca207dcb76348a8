"""What a question quotes: a phrase between quotation marks is spoken about, and nobody speaks it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from readback.dialects import row_fields
from readback.types import Values

QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|‹[^›]*›|「[^」]*」|‘[^‘\n]*?’(?!\w)|(?<!\w)'[^\n]*?'(?!\w)|`[^`\n]*`"
)
ASKED = re.compile(r"(?:^|(?<=\n))Question:")
STORED = frozenset({"rag_prompt", "prompt"})  # whole prompts, of which only a part is asked


def quotations(text: str, fields: Values) -> Iterator[tuple[int, int]]:
    """Where a prompt's question quotes something, marks included.

    The question is what is behind the last line that begins with `Question:`; without one it is what the record
    asks, which its fields hold.
    """
    asked = [match.end() for match in ASKED.finditer(text)]
    found = [match.span() for match in QUOTED.finditer(text, asked[-1] if asked else 0)]
    if asked:
        yield from found
        return
    stored = STORED if row_fields.stored_prompt(fields) else frozenset[str]()
    said = [value for name, value in fields.items() if isinstance(value, str) and name not in stored]
    yield from (span for span in found if any(text[slice(*span)] in value for value in said))

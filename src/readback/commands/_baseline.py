"""The findings that were known before: the keys in any earlier answer of check."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from readback.commands import UsageError

KEY = re.compile(r'"key": ?"([0-9a-f]{16})"|\(key ([0-9a-f]{16})\)$', re.MULTILINE)
EMPTY = re.compile(r'^0 findings: |^\{\s*"workspace":', re.MULTILINE)  # an answer without findings, text and JSON
PART = re.compile(r'^ ?"truncated": true', re.MULTILINE)
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # what `>` writes in some shells of Windows


def keys(path: Path) -> frozenset[str]:
    """The keys in an answer of check in any form. Raises UsageError for a file that is none, or only a part of one."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"--baseline {path}: {(error.strerror or 'it cannot be read').lower()}") from None
    text = raw.decode("utf-16" if raw.startswith(WIDE) else "utf-8-sig", "replace").replace("\r\n", "\n")
    found = frozenset(one or other for one, other in KEY.findall(text))
    if not found and text.strip() and not EMPTY.search(text):
        raise UsageError(f"--baseline {path}: this is no earlier answer of readback check (text, json or jsonl)")
    if PART.search(text):
        why = "it holds only the first 10,000 findings; write the baseline with --format jsonl, which holds them all"
        raise UsageError(f"--baseline {path}: {why}")
    return found

"""Spell a mapping that Python printed (`{'score': 8, 'ok': True}`) as JSON, without running anything."""

from __future__ import annotations

import json
import re

TOKEN = re.compile(r"'((?:[^'\\\n]|\\.)*+)'|\"((?:[^\"\\\n]|\\.)*+)\"|\b(True|False|None)\b")
WORDS = {"True": "true", "False": "false", "None": "null"}
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
MEANT = {"n": "\n", "t": "\t", "r": "\r"}


def spell_as_json(text: str) -> str:
    """Return the text with its quoted strings and its True, False and None as JSON has them."""
    return TOKEN.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    if match[3]:
        return WORDS[match[3]]
    if match[1] is not None:
        inside = match[1]
    else:
        inside = match[2]
    return json.dumps(ESCAPE.sub(lambda escape: MEANT.get(escape[1], escape[1]), inside), ensure_ascii=False)

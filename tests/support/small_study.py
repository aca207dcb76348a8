"""A study of two modes and four rows, one of them behind a chat template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Write = Callable[[Mapping[str, Any]], Path]
DEMO = Path(__file__).parents[2] / "configs" / "examples" / "six-conditions"
DAY = "today: '2026-01-02'\n"
FILE = (
    DAY
    + """\
dataset: data.jsonl
models: {m: {serving: {chat_template: t.jinja}}}
modes:
  - {mode: a, template: "Q: {{ q }}"}
  - {mode: b, template: "Q: {{ q }}\\nA:"}
conditions:
  - {name: one, mode: a}
  - {name: two, mode: b, model: m}
"""
)
CHAT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
ROWS = [{"id": str(n), "q": f"Why {n}?", "unread": n} for n in range(4)]


def study(write: Write, file: str = FILE, chat: str = CHAT, rows: Any = ROWS) -> Path:
    return write({"readback.yml": file, "t.jinja": chat, "data.jsonl": rows})

"""Checks that keep parts of what they told, however small they are, and their answers held against those of one that
keeps nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from unforked import unforked

from readback import as_json, workspace
from readback.checks import engine, kept_answers, kept_parts
from readback.checks.summary import Progress
from readback.prompts import in_chunks
from readback.readers import cache_folder
from readback.sandbox.frozen import plain
from readback.types import Finding


def keeping(monkeypatch: pytest.MonkeyPatch, cache: Path) -> Path:
    """The folder of parts, empty; every check is worth keeping, in ranges of three records, and no whole answer is."""
    monkeypatch.setenv("READBACK_CACHE", str(cache))
    monkeypatch.setattr(kept_answers, "SLOW", -1.0)
    monkeypatch.setattr(kept_answers, "_keep", lambda *asked: None)
    monkeypatch.setattr(in_chunks, "MOST", 3)
    unforked(monkeypatch)
    return cache_folder.cache_folder(kept_parts.KIND)


def answer(folder: Path, **more: Any) -> list[Any]:
    """Findings and summary as JSON values."""
    steps = engine.stream(workspace.open(folder), **more)
    said = [as_json.finding(one) if isinstance(one, Finding) else plain(one)
            for one in steps if not isinstance(one, Progress)]  # fmt: skip
    read: list[Any] = json.loads(json.dumps(said))
    return read


def afresh(folder: Path, **more: Any) -> list[Any]:
    """The same, worked out as if nothing was kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_parts, "parts", lambda *asked: None)
        return answer(folder, **more)

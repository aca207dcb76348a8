"""Sandboxed work in the process of the tests: the same functions on the same JSON, without a child for each of them.

For tests of what the work answers; what a child may not do, and how it ends, is tested with real ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from inspect import isgenerator
from typing import Any

import pytest

from readback import sandbox


def unforked(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here to the end of the test no child is forked."""
    monkeypatch.setattr(sandbox, "_run", _run)
    monkeypatch.setattr(sandbox.Child, "stream", lambda child, payload, **_: _run(child.work, payload))


def _run(work: str, payload: Any, *_: Any, alone: int | None = None, **__: Any) -> Iterator[Any]:
    answer = sandbox._load_function(work)(_as_json(payload))
    for value in answer if isgenerator(answer) else (answer,):
        yield _as_json(value)


def _as_json(value: Any) -> Any:
    if isinstance(value, bytes):  # which a child sends as they are
        return value
    return json.loads(json.dumps(value))

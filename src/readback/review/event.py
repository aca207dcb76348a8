"""One thing that somebody said or decided, as it is kept: an event is never changed, a later one corrects it."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

Known = Literal["asked", "proxy", "cli"]  # how the author is known: a name typed in, a proxy's header, a command
Source = Known | Literal["imported"]  # what is shown of that: of an imported event nothing that it claims
Kind = Literal["note", "answer", "edit", "decision", "signoff", "agenda"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FIRST = "0" * 64  # stands for the event before the first one
MOST = 4 << 20  # characters of one payload
ID = re.compile(r"[0-9A-Za-z_-]{8,64}")


class NotSaved(Exception):  # noqa: N818 - an outcome to say in one sentence
    """Nothing was saved; the text says why."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be saved. `id` is made with the draft and stays with it: what is saved twice with it is one event."""

    kind: Kind
    payload: Mapping[str, Any]
    author: str
    known: Known
    id: str


@dataclass(frozen=True, slots=True)
class Event:
    """What was saved. `sequence` counts from 1; `time` is UTC, by the clock of then, and orders nothing.

    `before` is the `hash` of the event before it, so a change of any event shows in all later ones. `imported`: it came
    with a file, so `author`, `known` and `time` are what that file claims. `damage` says why the rest of an event
    cannot be read; then it is empty.
    """

    sequence: int
    id: str
    author: str
    known: Known
    time: str
    kind: Kind
    payload: Mapping[str, Any]
    before: str
    hash: str
    imported: bool = False
    damage: str = ""

    @property
    def source(self) -> Source:
        """How the author is known, by what this server saw itself."""
        return "imported" if self.imported else self.known


def new_id() -> str:
    """An id for a draft: 22 characters, never given before."""
    return secrets.token_urlsafe(16)


def now() -> str:
    """The time of an event: 2026-11-23T17:04:05.123Z."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def text(value: Any) -> str:
    """A value as compact JSON in ASCII, which any database and any file can hold: NUL and lone surrogates as escapes.

    Raises NotSaved where it is too large, or no value of JSON.
    """
    try:
        said = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"), sort_keys=True)
    except (ValueError, TypeError, RecursionError) as error:
        raise NotSaved(f"it cannot be written as JSON: {error}") from None
    if len(said) > MOST:
        raise NotSaved(f"it is longer than {MOST >> 20} MiB; put long texts into a file and name it")
    return said


def digest(sequence: int, draft: Draft, time: str, payload: str, before: str) -> str:
    """The hash of an event: SHA-256 of compact JSON over all its parts, that of the event before it included."""
    parts = [sequence, draft.id, draft.author, draft.known, time, draft.kind, payload, before]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()

"""Times as the person at the browser reads a clock."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def zone() -> tzinfo:
    """Return the browser's time zone; the server's where it names none that is known here."""
    with suppress(ZoneInfoNotFoundError, ValueError, TypeError):
        return ZoneInfo(st.context.timezone or "")
    return datetime.now().astimezone().tzinfo or UTC


def minute(time: str) -> str:
    """Return a time of the form 2026-11-23T17:04:05.123Z to the minute, in that zone; other texts as they are."""
    try:
        return f"{datetime.fromisoformat(time).astimezone(zone()):%Y-%m-%d %H:%M}"
    except ValueError:
        return time

"""Moved to readback.wire_text."""

from readback.wire_text import sent as sent

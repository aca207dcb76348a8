"""Import from here in a plugin: the events of a format, and the nouns of rules."""

from __future__ import annotations

from readback.readers.files.row import Blank, Event, Header, Refused, Row
from readback.types import Diagnostic, Location, RuleContext

__all__ = ["Blank", "Diagnostic", "Event", "Header", "Location", "Refused", "Row", "RuleContext"]

"""What a plugin imports from Readback: the events of a format, and the nouns of rules and configurations."""

from __future__ import annotations

from readback.readers.row import Blank, Event, Header, Refused, Row
from readback.readers.yaml_file import Parsed
from readback.types import Diagnostic, Location, Prompt, PromptConfig, RuleContext

__all__ = [
    "Blank",
    "Diagnostic",
    "Event",
    "Header",
    "Location",
    "Parsed",
    "Prompt",
    "PromptConfig",
    "Refused",
    "Row",
    "RuleContext",
]

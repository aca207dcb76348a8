"""Named behaviours of the source systems, each with its values; the first value is the default."""

from __future__ import annotations

OPTIONS = {
    "condition4": ("hybrid", "standard"),
    "closed_book": ("no_citations", "short"),
    "spacing": ("program", "document"),
    "placeholders": ("braces", "bare"),
    "albert_dialect": ("classic", "current"),
    "apply_limit": ("on", "off"),
    "assembly_profile": ("document", "current"),
    "citation_patterns": ("readback", "upstream"),
    "judge_profile": ("single",),
    "reply_parser": ("readback", "upstream"),
    "merge_roles": ("none", "gemma"),
    "chatml_bug": ("reproduce", "fixed"),
}

"""What notes are on, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.html.exact import written_out
from readback.words import t


def said(anchor: Mapping[str, Any]) -> str:
    """What an anchor names, in words; what cannot be seen in it is written out."""
    parts = [
        t(f"review.at_{name}", value=written_out(str(anchor[name])))
        for name in ("condition", "mode", "a", "b", "record", "role", "finding_key", "criterion", "judge")
        if name in anchor
    ]
    if "start" in anchor:
        parts.append(t("review.at_span", start=anchor["start"], end=anchor.get("end", "")))
    return ", ".join(parts) or t("review.at_study")

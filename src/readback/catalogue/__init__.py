"""Provide the words of every finding by its code: what is wrong, why it matters, how to fix it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def entries() -> Mapping[str, Mapping[str, Any]]:
    """Return the entry of each code, in the order of the file; the head of `en.yml` documents the fields."""
    import yaml  # slow to import, and not needed where there are no findings

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a tenth of the time
    text = Path(__file__).with_name("en.yml").read_text("utf-8")
    entries_by_code: Mapping[str, Mapping[str, Any]] = loader(text).get_single_data()
    return entries_by_code

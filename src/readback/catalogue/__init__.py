"""The words of every finding, by its code: what is wrong, why it matters, how it is put right."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def entries() -> Mapping[str, Mapping[str, Any]]:
    """Code -> what its entry in the file says, in the order of the file, whose head says what may be there."""
    import yaml  # not needed where nothing is found

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a tenth of the time
    text = Path(__file__).with_name("en.yml").read_text("utf-8")
    found: Mapping[str, Mapping[str, Any]] = loader(text).get_single_data()
    return found

"""A report as JSON: all its values, with the checksum and what it holds before everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from readback.reporting import seal


def document(made: Mapping[str, Any]) -> bytes:
    """The whole file, sealed: JSON in ASCII, so that any character that somebody wrote is in it."""
    rest = {name: value for name, value in made.items() if name != "holds"}
    inner = json.dumps(rest, ensure_ascii=True, indent=1)
    return seal.sealed(
        f'{{"{seal.NAME}": "{seal.ZEROS}",\n"holds": {seal.line(made["holds"])},\n{inner[1:].lstrip()}\n'
    )

"""A report as JSON: all its values, with the checksum and what it holds before everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from readback.reporting import seal


def write_json(report: Mapping[str, Any]) -> bytes:
    """Write the whole file, sealed: JSON in ASCII, so that it can hold any character that somebody wrote."""
    rest = {name: value for name, value in report.items() if name != "holds"}
    inner = json.dumps(rest, ensure_ascii=True, indent=1)
    return seal.seal_text(
        f'{{"{seal.NAME}": "{seal.ZEROS}",\n"holds": {seal.format_holds(report["holds"])},\n{inner[1:].lstrip()}\n'
    )

"""What a training row says of its template besides its messages: the tools that the model could call.

Trainers (TRL, Axolotl and others) hand the column `tools` of a row to the chat template, as a list or as JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from readback.types import Values

TOOLS = "tools"


def options_of_row(fields: Values) -> dict[str, Any]:
    """The options that a row states; none where its column holds no list of tools."""
    tools = fields.get(TOOLS)
    if isinstance(tools, str):
        try:
            tools = json.loads(tools)
        except (ValueError, RecursionError):
            return {}
    if isinstance(tools, list) and tools and all(isinstance(tool, Mapping) for tool in tools):
        return {TOOLS: tools}
    return {}

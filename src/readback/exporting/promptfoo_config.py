"""Write a `promptfooconfig.yaml`: a test for each record and condition, and a prompt for each condition.

The tests come first, for prompts are known only when all were seen: a condition has a prompt for each order of roles
that its messages have. A test names the prompt that is its own. The provider is `echo`, which asks no model, unless one
is named. Every value is JSON, which YAML 1.2 reads as it is.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from readback import as_json
from readback.exporting.rows import Batch
from readback.readers.yaml.yaml_file import ESCAPED

PROVIDER = "echo"
HEAD = (
    "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json\n"
    "# Written by Readback. Each test holds the messages of one record under one condition as they are assembled:\n"
    "# its variables are their texts, and its prompt puts them into roles. Name your own provider below.\n"
)


class PromptfooConfig:
    """Write tests as they come, and the prompts at the end."""

    def __init__(self, out: BinaryIO, provider: str | None) -> None:
        self._out = out
        self._provider = provider or PROVIDER
        self._labels: dict[tuple[str | None, str], str] = {}  # by label and template
        self._counts: dict[str | None, int] = {}
        self._is_begun = False

    def write(self, batch: Batch) -> None:
        """Write the tests of a batch."""
        for line in batch.lines:
            self._write_test(json.loads(line))

    def _write_test(self, test: dict[str, Any]) -> None:
        if not self._is_begun:
            self._begin()
        label = self._find_label(test.pop("label"), test.pop("template"))
        if test["description"] is None:
            description = {}
        else:
            description = {"description": test["description"]}
        self._write_item(description | {"prompts": [label], "vars": test["vars"], "metadata": test["metadata"]})

    def _begin(self) -> None:
        self._is_begun = True
        self._out.write(f"{HEAD}providers:\n  - {_format(self._provider)}\n".encode())
        self._out.write(b"defaultTest: {options: {disableVarExpansion: true}}\ntests:\n")

    def _find_label(self, label: str | None, template: str) -> str:
        """Return the name of the prompt with that template; the first of a condition is called as the condition."""
        name = self._labels.get((label, template))
        if name is None:
            count = self._counts[label] = self._counts.get(label, 0) + 1
            if count == 1:
                name = label or "prompt"
            else:
                name = f"{label or 'prompt'} ({count})"
            while name in self._labels.values():
                name += "'"
            self._labels[label, template] = name
        return name

    def _write_item(self, value: Any) -> None:
        self._out.write(f"  - {_format(value)}\n".encode())

    def close(self) -> None:
        """Write the prompts."""
        if not self._is_begun:
            return
        self._out.write(b"prompts:\n")
        for (_, template), label in self._labels.items():
            self._write_item({"label": label, "raw": template})


def _format(value: Any) -> str:
    text = as_json.encode_line(value)
    return ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)

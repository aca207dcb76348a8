"""The command `readback schema`: the JSON Schema of readback.yml, for editors."""

from __future__ import annotations

import argparse
import json

from readback.workspace.workspace_file.schema import describe_file

TITLE = "Print the JSON Schema of readback.yml, with which an editor completes and checks the file."
ABOUT = (
    "for editors with yaml-language-server, such as VS Code:\n"
    "  readback schema > readback.schema.json\n"
    "and as the first line of readback.yml:\n"
    "  # yaml-language-server: $schema=readback.schema.json\n"
    "\n"
    "exit codes: 0 printed; 2 wrong use"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the schema is the same everywhere, but for formats of plugins."""


def run(args: argparse.Namespace) -> int:
    """Print the schema as JSON."""
    print(json.dumps(describe_file(), indent=1, ensure_ascii=False))
    return 0

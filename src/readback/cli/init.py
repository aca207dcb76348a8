"""Run `readback init` and `readback schema`: write readback.yml, and the JSON Schema of that file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from readback import workspace as workspaces
from readback.checks.fields import field_mapping
from readback.cli import UsageError
from readback.cli.common.parser import Command
from readback.cli.common.terminal import fill
from readback.cli.common.workspace import add_file_options, open_workspace
from readback.exporting.whole_file import new_file
from readback.readers.files import by_address, copies
from readback.workspace.workspace_file.schema import describe_file

TITLE = "Write what Readback recognised in a folder as readback.yml, with a comment beside each guess."
ABOUT = "exit codes: 0 written, or printed; 2 wrong use, or the file is already there"
SCHEMA_TITLE = "Print the JSON Schema of readback.yml, with which an editor completes and checks the file."
SCHEMA_ABOUT = (
    "for editors with yaml-language-server, such as VS Code:\n"
    "  readback schema > readback.schema.json\n"
    "and as the first line of readback.yml:\n"
    "  # yaml-language-server: $schema=readback.schema.json\n"
    "\n"
    "exit codes: 0 printed; 2 wrong use"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `readback init`."""
    parser.add_argument("workspace", metavar="FOLDER", help="the folder to describe")
    add_file_options(parser)
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the file and do not write it")


def run(args: argparse.Namespace) -> int:
    """Write or print the file; return the exit code."""
    workspace = open_workspace(args)
    text = workspaces.init_text(workspace, field_mapping.describe_guesses(field_mapping.inputs(workspace)))
    if args.only_print:
        print(text, end="")
        return 0
    if copies.find_origin(workspace.root):
        raise UsageError(
            fill(
                "{workspace} is at an address, and nothing is written there; --print shows what would be written",
                workspace=by_address.redact_address(args.workspace),
            )
        )
    folder = Path(args.workspace)
    file = (folder if folder.is_dir() else folder.parent) / "readback.yml"
    try:
        with new_file(file) as out:
            out.write(text.encode("utf-8"))
    except FileExistsError:
        raise UsageError(fill("{file} is already there; --print shows what would be written", file=file)) from None
    except OSError as error:
        raise UsageError(f"{file}: {(error.strerror or 'cannot be written').lower()}") from None
    print(file)
    return 0


def add_no_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the schema is the same everywhere, except for formats of plugins."""


def print_schema(args: argparse.Namespace) -> int:
    """Print the schema as JSON; return the exit code."""
    print(json.dumps(describe_file(), indent=1, ensure_ascii=False))
    return 0


COMMANDS = {
    "init": Command(TITLE, ABOUT, add_arguments, run),
    "schema": Command(SCHEMA_TITLE, SCHEMA_ABOUT, add_no_arguments, print_schema),
}

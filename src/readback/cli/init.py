"""The command `readback init`: what was recognised, written as readback.yml."""

from __future__ import annotations

import argparse
from pathlib import Path

from readback import workspace
from readback.checks import judge_inputs
from readback.cli import UsageError, _workspace
from readback.cli._sentence import fill
from readback.exporting.whole_file import new_file
from readback.readers import by_address

TITLE = "Write what Readback recognised in a folder as readback.yml, with a comment beside each guess."
ABOUT = "exit codes: 0 written, or printed; 2 wrong use, or the file is already there"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="FOLDER", help="the folder to describe")
    _workspace.choices_of_files(parser)
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the file and do not write it")


def run(args: argparse.Namespace) -> int:
    opened = _workspace.opened(args)
    text = workspace.init_text(opened, judge_inputs.said(judge_inputs.inputs(opened)))
    if args.only_print:
        print(text, end="")
        return 0
    if by_address.origin(opened.root):
        raise UsageError(
            fill(
                ("{workspace} is at an address, and nothing is written there; --print shows what would be written"),
                workspace=by_address.shown(args.workspace),
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

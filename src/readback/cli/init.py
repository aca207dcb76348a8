"""The command `readback init`: what was recognised, written as readback.yml."""

from __future__ import annotations

import argparse
from pathlib import Path

from readback import workspace
from readback.checks import judge_inputs
from readback.cli import UsageError, _workspace
from readback.exporting.whole_file import new_file
from readback.readers import by_address
from readback.words import t


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="FOLDER", help=t("cli.init.help_folder"))
    _workspace.choices_of_files(parser)
    parser.add_argument("--print", action="store_true", dest="only_print", help=t("cli.init.help_print"))


def run(args: argparse.Namespace) -> int:
    opened = _workspace.opened(args)
    text = workspace.init_text(opened, judge_inputs.said(judge_inputs.inputs(opened)))
    if args.only_print:
        print(text, end="")
        return 0
    if by_address.origin(opened.root):
        raise UsageError(t("cli.init.address", workspace=by_address.shown(args.workspace)))
    folder = Path(args.workspace)
    file = (folder if folder.is_dir() else folder.parent) / "readback.yml"
    try:
        with new_file(file) as out:
            out.write(text.encode("utf-8"))
    except FileExistsError:
        raise UsageError(t("cli.init.there", file=file)) from None
    except OSError as error:
        raise UsageError(f"{file}: {(error.strerror or t('cli.options.unwritable')).lower()}") from None
    print(file)
    return 0

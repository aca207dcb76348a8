"""The command `readback doctor`: what `readback.doctor` examines, as text or JSON."""

from __future__ import annotations

import argparse

from readback import as_json, doctor
from readback.words import t


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text", help=t("cli.options.help_format"))


def run(args: argparse.Namespace) -> int:
    examined = doctor.examine()
    if args.format == "json":
        print(as_json.dumps(examined, indent=1))
    else:
        print("\n".join(doctor.format_lines(examined)))
    return int(bool(examined["problems"]))

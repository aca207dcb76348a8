"""The command `readback doctor`: what `readback.doctor` examines, as text or JSON."""

from __future__ import annotations

import argparse

from readback import as_json, doctor

TITLE = "Show what Readback runs on: versions, folders, and the limits around untrusted work."
ABOUT = "exit codes: 0 no problem; 1 there is a problem"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="output for people (text), or for programs"
    )


def run(args: argparse.Namespace) -> int:
    examined = doctor.examine()
    if args.format == "json":
        print(as_json.dumps(examined, indent=1))
    else:
        print("\n".join(doctor.format_lines(examined)))
    return int(bool(examined["problems"]))

"""The command `readback doctor`: what `readback.doctor` examines, as text or JSON."""

from __future__ import annotations

import argparse

from readback import as_json, doctor


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    examined = doctor.examine()
    if args.format == "json":
        print(as_json.dumps(examined, indent=1))
    else:
        print("\n".join(doctor.lines(examined)))
    return int(bool(examined["problems"]))

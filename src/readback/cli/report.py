"""The command `readback report`: the report of a review is written, or verified."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from readback import as_json
from readback.cli import UsageError, _lines, _options, _workspace
from readback.exporting.whole_file import whole_file
from readback.quantity import quantity
from readback.reporting import contents, seal
from readback.reporting.forms import FORMS, form_of
from readback.reporting.verified import verified
from readback.review import signing
from readback.review.store import NotReadable, Store

LARGE = 256 << 20  # bytes of a file that is verified


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help="a folder, or one file of it")
    _workspace.choices_of_files(parser)
    either = parser.add_mutually_exclusive_group(required=True)
    either.add_argument("-o", "--output", metavar="FILE", help="where to; there whole or not at all; - for the output")
    either.add_argument("--verify", metavar="FILE", help="say whether a report is whole, and whether it still holds")
    parser.add_argument("--format", choices=(*FORMS, "text"), help="html, markdown or json (default: by the name)")
    parser.add_argument("--as-of", metavar="TIME", help="YYYY-MM-DD, or YYYY-MM-DDTHH:MM:SSZ (default: the last event)")
    _options.jobs(parser)


def run(args: argparse.Namespace) -> int:
    try:
        return _verify(args) if args.verify is not None else _write(args)
    except (NotReadable, contents.NoTime, seal.NoReport) as error:
        raise UsageError(str(error)) from None


def _write(args: argparse.Namespace) -> int:
    if args.workspace is None:
        raise UsageError("name the workspace that the report is of")
    form = args.format or form_of(args.output)
    if form not in FORMS:
        raise UsageError(f"-o {args.output}: name the file .html, .md or .json, or give --format")
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        when = contents.until(store.events(), args.as_of)
        made = contents.contents(opened, store, when, _options.workers(args))
    finally:
        store.close()
    raw = FORMS[form](made)
    if args.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        return 0
    try:
        with whole_file(Path(args.output)) as out:
            out.write(raw)
    except OSError as error:
        raise UsageError(f"-o {args.output}: {(error.strerror or str(error)).lower()}") from None
    print(_lines.safe(f"{args.output}: {quantity(len(when.events), 'event')}, as of {when.time}"))
    return 0


def _verify(args: argparse.Namespace) -> int:
    path = Path(args.verify)
    try:
        if path.stat().st_size > LARGE:
            raise UsageError(f"{path}: it is larger than {LARGE >> 20} MiB, and no report is")
        found = seal.read(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except seal.NoReport as error:
        raise seal.NoReport(f"{path}: {error}") from None
    held = None
    if args.workspace is not None and found.whole:
        opened = _workspace.opened(args)
        store = Store(opened.root)
        try:
            held = verified(opened, store, found, _options.workers(args))
        except signing.Stopped:
            raise UsageError("the check was stopped") from None
        finally:
            store.close()
    if args.format == "json":
        print(as_json.dumps({"whole": found.whole, "as_of": found.holds.get("as_of"), "checksum": found.checksum,
                             "holds": not held.changed if held else None,
                             "changed": list(held.changed) if held else [],
                             "later_events": held.later if held else None}))  # fmt: skip
    else:
        print(f"{path}: {'whole, each byte as it was written' if found.whole else 'changed after it was written'}")
        if held is not None:
            print("what it says of the workspace still holds" if not held.changed else "it no longer holds:")
            for line in held.changed:
                print(_lines.safe(f"  {line}"))
            if held.later:
                print(f"the review has {quantity(held.later, 'event')} since")
    return int(not found.whole or bool(held and held.changed))

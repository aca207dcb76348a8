"""The command `readback report`: the report of a review is written, or verified."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from readback import as_json
from readback.cli import UsageError, _lines, _options, _progress, _workspace
from readback.exporting.whole_file import whole_file
from readback.reporting import contents, seal
from readback.reporting.forms import FORMS, form_of
from readback.reporting.verified import verified
from readback.review import signing
from readback.review.store import NotReadable, Store
from readback.words import t

LARGE = 256 << 20  # bytes of a file that is verified


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workspace", metavar="WORKSPACE", nargs="?", help=t("cli.workspace.help_path"))
    _workspace.choices_of_files(parser)
    either = parser.add_mutually_exclusive_group(required=True)
    either.add_argument("-o", "--output", metavar="FILE", help=t("cli.report.help_output"))
    either.add_argument("--verify", metavar="FILE", help=t("cli.report.help_verify"))
    parser.add_argument("--format", choices=(*FORMS, "text"), help=t("cli.report.help_format"))
    parser.add_argument("--as-of", metavar="TIME", help=t("cli.report.help_as_of"))
    _options.jobs(parser)
    _options.quiet(parser)


def run(args: argparse.Namespace) -> int:
    try:
        return _verify(args) if args.verify is not None else _write(args)
    except (NotReadable, contents.NoTime, seal.NoReport) as error:
        raise UsageError(str(error)) from None


def _write(args: argparse.Namespace) -> int:
    if args.workspace is None:
        raise UsageError(t("cli.report.no_workspace"))
    form = args.format or form_of(args.output)
    if form not in FORMS:
        raise UsageError(t("cli.report.no_form", file=args.output))
    opened = _workspace.opened(args)
    store = Store(opened.root)
    try:
        when = contents.until(store.events(), args.as_of)
        progress = _progress.Progress(args.quiet)
        args.stack.callback(progress.end)
        made = contents.contents(opened, store, when, _options.workers(args), progress)
        progress.end()
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
    print(_lines.safe(t("cli.report.written", file=args.output, n=len(when.events), time=when.time)))
    return 0


def _verify(args: argparse.Namespace) -> int:
    path = Path(args.verify)
    try:
        if path.stat().st_size > LARGE:
            raise UsageError(t("cli.report.too_large", file=path, most=LARGE >> 20))
        raw = path.read_bytes()
        found = seal.read(raw)
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except seal.NoReport as error:
        raise seal.NoReport(f"{path}: {error}") from None
    held = None
    if args.workspace is not None and found.whole:
        opened = _workspace.opened(args)
        store = Store(opened.root)
        try:
            held = verified(opened, store, found, raw, _options.workers(args))
        except signing.Stopped:
            raise UsageError(t("cli.report.stopped")) from None
        finally:
            store.close()
    if args.format == "json":
        print(as_json.dumps({"whole": found.whole, "as_of": found.holds.get("as_of"), "checksum": found.checksum,
                             "holds": not held.changed if held else None,
                             "changed": list(held.changed) if held else [],
                             "later_events": held.later if held else None,
                             "imported_events": held.imported if held else None,
                             "other_version": (held.version or None) if held else None}))  # fmt: skip
    else:
        print(t(f"cli.report.{'whole' if found.whole else 'not_whole'}", file=path))
        if held is not None:
            agrees = "agrees_in_part" if held.version else "agrees"
            print(_lines.safe(t(f"cli.report.{'agrees_not' if held.changed else agrees}", version=held.version)))
            for line in held.changed:
                print(_lines.safe(f"  {line}"))
            if held.imported:
                print(t("cli.report.imported", n=held.imported))
            if held.later:
                print(t("cli.report.later", n=held.later))
    return int(not found.whole or bool(held and held.changed))

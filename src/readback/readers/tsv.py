"""Tab-separated values: CSV with tabs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from readback.readers import csv_file
from readback.readers.files.row import Event

NAME = "tsv"
SUFFIXES = (".tsv", ".tab")
CELLS = True
parse = csv_file.parse


def rows(stream: BinaryIO, file: str) -> Iterator[Event]:
    """Every record of `stream`, as csv_file.rows gives them."""
    return csv_file.rows(stream, file, "\t")

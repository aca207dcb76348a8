"""What whoever opens a workspace may do about a dataset in another encoding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from readback.readers.bounded_diagnostics import ENCODING
from readback.readers.encodings import encoding_of
from readback.types import Diagnostic


def name_statement(diagnostic: Diagnostic) -> Diagnostic:
    """Return the diagnostic of a dataset; one of an encoding that may be stated names the statement."""
    encoding = encoding_of(diagnostic.values.get("looks")) if diagnostic.code == ENCODING else ""
    if not encoding:
        return diagnostic
    return replace(diagnostic, values={**diagnostic.values, "option": encoding})


def find_likely_encoding(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the encoding that may be stated of a dataset with these diagnostics; "" where there is none."""
    encodings = (encoding_of(one.values.get("looks")) for one in diagnostics if one.code == ENCODING)
    return next(filter(None, encodings), "")

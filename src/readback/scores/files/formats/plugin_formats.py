"""Score files that plugins know: each of their rows becomes tidy rows, which are read as every tidy file is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from readback import plugins
from readback.scores.files.formats import tidy
from readback.scores.files.score_rows import FileScores, FileSettings, Row, read_rows
from readback.types import Diagnostic, Location


@dataclass(frozen=True, slots=True)
class Tidied:
    """A plugin in the place of a module of this folder."""

    plugin: plugins.Plugin

    @property
    def NAME(self) -> str:  # noqa: N802 - what a module says in capitals
        """Return the name of the format, as the plugin states it."""
        return str(self.plugin.value.NAME)

    def recognise(self, rows: Sequence[Mapping[str, Any]], settings: FileSettings) -> bool:
        """Whether the plugin knows a file that begins with these rows."""
        return bool(rows) and plugins.confirms(self.plugin.entry, lambda: self.plugin.value.recognise(rows))

    def read(self, rows: Iterable[Row | Diagnostic], head: Sequence[Row], settings: FileSettings) -> FileScores:
        """Read the scores of all rows; the first row that the plugin fails on becomes a diagnostic."""
        failures: list[None] = []
        early = [
            tidy_row
            for row in head
            for tidy_row in self._tidy(row, settings, failures)
            if not isinstance(tidy_row, Diagnostic)
        ]
        failures.clear()
        tidy_rows = (tidy_row for row in rows for tidy_row in self._tidy(row, settings, failures))
        return read_rows(self.NAME, tidy_rows, early, settings, tidy.plan)

    def _tidy(self, row: Row | Diagnostic, settings: FileSettings, failures: list[None]) -> Iterator[Row | Diagnostic]:
        if isinstance(row, Diagnostic):
            yield row
            return
        try:
            tidy_rows = [_Tidy(dict(fields), row.line) for fields in self.plugin.value.tidy(row.fields)]
        except Exception as error:
            if not failures:
                failures.append(None)
                reason = plugins.describe_failure(self.plugin.entry, error)
                yield Diagnostic("dat-bad-line", {"reason": reason}, Location(file=settings.source.path, line=row.line))
            return
        yield from tidy_rows


@dataclass(frozen=True, slots=True)
class _Tidy:
    """A row that a plugin made; `line` is that of the row it was made of."""

    fields: Mapping[str, Any]
    line: int


@cache
def list_plugins() -> tuple[Tidied, ...]:
    """Return the score sources of plugins."""
    return tuple(Tidied(plugin) for plugin in plugins.load_plugins("scores").values())

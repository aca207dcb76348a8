"""Read a list inside a YAML mapping element by element, as json_elements does for JSON.

Values are YAML 1.1 as PyYAML's safe loader reads them; js-yaml, which writes these files, puts every text in quotes
that either version would take for something else. Nothing is built from tags. Aliases pay for what they repeat, so a
file of nested aliases ends at NODES or CHARACTERS; NaN and infinities are None.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import yaml

from readback.readers.json_text import drop_non_finite
from readback.readers.logs.json_elements import Steps, Unreadable
from readback.readers.yaml.yaml_decode import Composer, Loader, Refused, Results

LARGEST = 20 << 20  # bytes: PyYAML needs a second for one or two megabytes
NODES = 4_000_000
CHARACTERS = 64 << 20


def iterate_yaml_elements(stream: BinaryIO, path: Steps, rest: dict[str, Any]) -> Iterator[tuple[int, Any]]:
    """Yield the line and the value of each element of the list under `path`; fill `rest` with everything else.

    After what is not YAML nothing follows, so an Unreadable is the last then, as where there is no such list.
    """
    loader = Loader(stream)
    try:
        yield from _Stream(loader, path).walk(rest)
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        yield (mark.line + 1 if mark else 1), Unreadable(f"not YAML ({reason})")
    except yaml.reader.ReaderError as error:
        yield 1, Unreadable(f"not YAML ({error.reason})")
    except UnicodeDecodeError:
        yield 1, Unreadable("not UTF-8")
    except RecursionError:
        yield 1, Unreadable("nested too deeply")
    except Refused as refused:
        note: dict[str, Any] = refused.diagnostic
        values = note["values"]
        reason = values.get("reason") or f"more than {values.get('limit')} {values.get('what')}"
        yield note["line"] or 1, Unreadable(str(reason))
    finally:
        loader.dispose()


class _Stream(Composer):
    """Composes the elements of one list one by one."""

    def __init__(self, loader: Any, path: Steps) -> None:
        super().__init__(loader, Results())
        self.nodes, self.characters = NODES, CHARACTERS
        self._path = path
        self._is_read = False

    def walk(self, rest: dict[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield the elements of the first document."""
        self.loader.get_event()  # the start of the stream
        if self.loader.check_event(yaml.DocumentStartEvent):
            self.loader.get_event()
            yield from self._descend((), self.loader.get_event(), rest)
        if not self._is_read:
            yield 1, Unreadable(f"no list `{'.'.join(self._path)}` could be read")

    def _descend(self, at: Steps, event: Any, rest: dict[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield what is under the mapping that begins with `event`."""
        if not isinstance(event, yaml.MappingStartEvent):
            self.node(event, ("?",))
            return
        for key_event in self.until(yaml.MappingEndEvent):
            key = self.key(key_event, at)
            event = self.loader.get_event()
            here = (*at, key or "?")
            if here == self._path and isinstance(event, yaml.SequenceStartEvent) and not self._is_read:
                self._is_read = True
                for element in self.until(yaml.SequenceEndEvent):
                    line = element.start_mark.line + 1
                    yield line, drop_non_finite(self.node(element, (*here, 0)))
            elif here == self._path[: len(here)] and isinstance(event, yaml.MappingStartEvent):
                inner: dict[str, Any] = {}
                rest[here[-1]] = inner
                yield from self._descend(here, event, inner)
            else:
                rest[here[-1]] = drop_non_finite(self.node(event, here))

    def placed(self, path: tuple[str | int, ...], mark: Any) -> None:
        """Remember no places: only the elements' are wanted."""

    def differing(self, event: Any, value: Any) -> None:
        """Say nothing of YAML 1.2: see above."""

"""Join the replies of a batch to its requests in the files beside, by `custom_id` (Gemini: `key`), in whatever order.

Requests and replies each give the same calls, so that a folder with both holds them once. Of the replies no more is in
memory than where each stands. A reply belongs to the only request with its id; where several files have requests or
replies of one id, the models decide, and where these do not, nothing is joined and that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from readback.readers.files.text_file import read_head, read_lines
from readback.readers.json_text import decode_plain
from readback.readers.logs.calls import RowCall, read_id
from readback.readers.logs.events import Event, Id
from readback.readers.logs.head import peek_objects
from readback.readers.logs.json_rows import clear_non_finite
from readback.readers.logs.messages import join_warnings
from readback.readers.logs.replies import Reply
from readback.types import Diagnostic, Location

SUFFIXES = (".jsonl", ".json", ".ndjson", ".txt", "")
MOST_FILES = 50  # files of a folder that are looked at
MOST_IDS = 1_000_000  # of one folder: a batch has at most 50,000 requests
HEAD = 1 << 18

Recognise = Callable[[Mapping[str, Any]], bool]
Key = tuple[type, Id]


@dataclass(frozen=True, slots=True)
class BatchFormat:
    """What the two sides of a batch look like: which row is a request or a reply, its id, and how a reply is read."""

    id_key: str
    is_request: Recognise
    is_reply: Recognise
    read_reply: Callable[[Mapping[str, Any]], Reply]
    get_model: Callable[[Mapping[str, Any]], Any]  # of a request


def list_beside(path: Path) -> list[Path]:
    """Return the files in the folder of a file that may belong to it, by their names. Raises nothing."""
    try:
        files = sorted(other for other in path.parent.iterdir() if other.suffix.lower() in SUFFIXES)
        return [other for other in files[:MOST_FILES] if other != path and other.is_file() and not other.is_symlink()]
    except OSError:
        return []


def find_beside(path: Path, is_row: Recognise) -> list[Path]:
    """Return the files beside whose first rows are of a kind."""
    return [other for other in list_beside(path) if any(map(is_row, peek_objects(read_head(other, HEAD))))]


@dataclass(slots=True)
class _Place:
    file: int
    offset: int
    size: int


@dataclass(slots=True)
class Replies:
    """The replies beside a file of requests, and what came of them."""

    batch: BatchFormat
    files: list[Path]
    needs_model: bool = False  # another file has requests with the same ids
    places: dict[Key, list[_Place]] = field(default_factory=dict)
    joined: set[Key] = field(default_factory=set)
    unclear: int = 0

    def read(self) -> None:
        """Note where each reply stands."""
        for number, path in enumerate(self.files):
            with path.open("rb") as stream:
                for line in read_lines(stream):
                    row = _decode(line.data)
                    if row is not None:
                        key = make_key(row.get(self.batch.id_key))
                    else:
                        key = None
                    if key is not None and len(self.places) < MOST_IDS:
                        place = _Place(number, line.offset, len(line.data or b""))
                        self.places.setdefault(key, []).append(place)

    def answer(self, call: RowCall) -> RowCall:
        """Return a request with its reply; without one it is missing, and no failure."""
        key = make_key(call.record)
        if key is None or not self.files or key in self.joined:
            return call
        replies = [reply for place in self.places.get(key, ()) if (reply := self._load(place)) is not None]
        names = ", ".join(path.name for path in self.files)
        if not replies:
            body = replace(call.body, warning=join_warnings(call.body.warning, f"no reply in {names}"))
            if not call.body.error:
                return replace(call, body=body)
            return call
        if len(replies) > 1 or self.needs_model:
            fitting = [reply for reply in replies if is_same_model(call.body.model, reply.model)]
            if len(fitting) != 1:
                self.unclear += 1
                return call
            replies = fitting
        self.joined.add(key)
        return replace(call, reply=replies[0])

    def _load(self, place: _Place) -> Reply | None:
        try:
            with self.files[place.file].open("rb") as stream:
                stream.seek(place.offset)
                row = _decode(stream.read(place.size))
        except OSError:
            return None
        if row is None:
            return None
        return self.batch.read_reply(clear_non_finite(row))

    def report(self, file: str) -> Iterator[Diagnostic]:
        """Yield what could not be joined."""
        if self.unclear:
            what = f"{self.unclear} × several files answer, or ask under, this {self.batch.id_key}; nothing is joined"
            yield Diagnostic("dat-log-part", {"what": what}, Location(file=file), severity="warning")
        if self.needs_model:
            rest = 0
        else:
            rest = len(self.places.keys() - self.joined)
        if rest and not self.unclear:
            what = f"{rest} × a reply in {', '.join(path.name for path in self.files)} to no request here"
            yield Diagnostic("dat-log-part", {"what": what}, Location(file=file), severity="warning")


def find_replies(path: Path, batch: BatchFormat) -> Replies:
    """Return the replies beside a file of requests. Raises nothing."""
    own = _list_first_ids(path, batch)
    others = [other for other in find_beside(path, batch.is_request) if own & _list_first_ids(other, batch)]
    replies = Replies(batch, find_beside(path, batch.is_reply), bool(others))
    try:
        replies.read()
    except OSError:
        replies.files, replies.places = [], {}
    if not replies.places.keys() & own:  # they answer other requests
        replies.files, replies.places = [], {}
    return replies


def find_requests(path: Path, batch: BatchFormat) -> Path | None:
    """Return the one file beside that has the requests of these replies; None where there is none, or several."""
    rows = [row for row in peek_objects(read_head(path, HEAD)) if batch.is_reply(row)]
    own = {key for row in rows if (key := make_key(row.get(batch.id_key))) is not None}
    found_files = [other for other in find_beside(path, batch.is_request) if own & _list_ids(other, batch)]
    if len(found_files) > 1:
        models = {batch.read_reply(row).model for row in rows} - {None}
        found_files = [other for other in found_files if _asks_models(other, batch, models)]
    if len(found_files) == 1:
        return found_files[0]
    return None


def _asks_models(path: Path, batch: BatchFormat, models: set[str | None]) -> bool:
    names = {batch.get_model(row) for row in peek_objects(read_head(path, HEAD)) if batch.is_request(row)}
    return bool(models) and all(any(is_same_model(known_name, model) for known_name in names) for model in models)


def _list_first_ids(path: Path, batch: BatchFormat) -> set[Key]:
    """Return the ids of the first requests of a file."""
    rows = peek_objects(read_head(path, HEAD))
    return {key for row in rows if (key := make_key(row.get(batch.id_key))) is not None}


def _list_ids(path: Path, batch: BatchFormat) -> set[Key]:
    """Return the ids of all requests of a file."""
    ids: set[Key] = set()
    try:
        with path.open("rb") as stream:
            for line in read_lines(stream):
                row = _decode(line.data)
                if row is not None:
                    key = make_key(row.get(batch.id_key))
                else:
                    key = None
                if key is not None and len(ids) < MOST_IDS:
                    ids.add(key)
    except OSError:
        return set()
    return ids


def read_joined(
    requests: Path | None, read_requests: Callable[[Path, str], Iterator[Event]], file: str
) -> Iterator[Event] | None:
    """Return the calls of the requests to which a file of replies belongs; None where they are not beside."""
    if requests is None:
        return None
    return _read_requests(requests, read_requests, file)


def _read_requests(requests: Path, read_requests: Callable[[Path, str], Iterator[Event]], file: str) -> Iterator[Event]:
    yield from read_requests(requests, PurePosixPath(file).with_name(requests.name).as_posix())
    what = f"joined with the requests in {requests.name}"
    yield Diagnostic("dat-log-part", {"what": what}, Location(file=file), severity="info")


def make_key(value: Any) -> Key | None:
    """Return an id by which rows are joined; a text and a number that look alike are two."""
    record, wrong = read_id(value, "id")
    if record is None or wrong:
        return None
    return (type(record), record)


def is_same_model(name: Any, model: str | None) -> bool:
    """Tell whether a reply names the model that was asked, or a dated version of it."""
    if not isinstance(name, str) or model is None:
        return False
    return model.rsplit("/", 1)[-1].startswith(name.rsplit("/", 1)[-1])


def _decode(data: bytes | None) -> dict[str, Any] | None:
    if data:
        return decode_plain(data.strip())
    return None


def get_body_model(row: Mapping[str, Any]) -> Any:
    """Return the model of a row's body."""
    body = row.get("body", row.get("params", row.get("request")))
    if isinstance(body, dict):
        return body.get("model")
    return None

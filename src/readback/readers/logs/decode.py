"""Decode a log once, in the bounded child, into JSON lines in the cache, and open what was decoded.

The child reads the log with the reader of its format and sends lines; the parent writes them to four files and counts
them. What a log holds is never in memory as a whole.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from readback import as_json as json_text
from readback.readers.files import cache_folder, checksum
from readback.readers.files.bounded_diagnostics import BoundedDiagnostics, as_json, from_json
from readback.readers.files.checksum import State, state
from readback.readers.files.progress import report_progress
from readback.readers.logs.events import Aggregate, Call, Event, LogRecord, LogScore, Run
from readback.readers.logs.formats import find_format, get_format, list_companions
from readback.readers.logs.position import measure_position
from readback.sandbox import Limits, Stopped, stream
from readback.types import Diagnostic, Location

VERSION = "8"  # of the decoded files; a new version decodes every log again
LIMITS = Limits(seconds=60, memory=400 << 20, output=32 << 30, total=3_600)
FIRST_LIMITS = Limits(seconds=10, memory=400 << 20, output=64 << 20)
FRAME = 1 << 19  # characters sent at once
# What of two logs is the same where they are of one run, whatever file each stands in.
# What two logs have in common that hold the same requests, or the same grades, in whatever order.
SAME = ("record", "epoch", "call", "role", "condition", "messages", "text", "output", "error")
SAME_GRADE = ("record", "epoch", "condition", "judge", "criterion", "value", "status")
PARTS = ("calls", "answers", "records", "scores")
FACTS = "facts"  # JSON, and its checksum
DIGEST_SIZE = 24  # bytes
ALL_DIGESTS = 1 << 8 * DIGEST_SIZE
MOST_NAMES = 10_000  # conditions and judges that are listed
_positions: dict[Path, tuple[int, int]] = {}  # how far the logs are that are read now, by their cache entry
NO_MODEL = "model not named"  # the condition of requests whose file names neither task nor model, as Gemini's batches


@dataclass(frozen=True, slots=True)
class LogCondition:
    """A condition that a log has, with how many calls and answers it has, and what the tool calls its parts."""

    name: str
    calls: int
    prompt: str | None = None
    provider: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class DecodedLog:
    """A log as Readback reads it: where its parts lie, how many lines each has, and what it says of the whole run."""

    folder: Path
    tool: str  # the name of its format
    counts: Mapping[str, int]  # by part, and "requests": readable calls to the model that answers
    conditions: tuple[LogCondition, ...]
    judges: tuple[str, ...]
    runs: tuple[Run, ...]
    aggregates: tuple[Aggregate, ...]
    digest: str  # of the calls: equal for logs that hold the same requests and replies, in whatever order
    grades_digest: str  # the same of the grades
    states: Mapping[str, Sequence[Any]]  # of the file of each part, when it was written
    diagnostics: tuple[Diagnostic, ...] = ()

    def part(self, name: str) -> Path:
        """Return the file of JSON lines of a part."""
        return self.folder / f"{name}.jsonl"


def decode(path: Path, file: str) -> DecodedLog | None:
    """Return the decoded log at `path`, called `file` in places; None where it is no log of a known format.

    It is decoded when it is new or has changed; else the cache answers. Raises OSError, and DiskFull without room.
    """
    log_format = find_format(path)
    if log_format is None:
        return None
    before = state(path)
    with cache_folder.room():
        companions = list_companions(path.absolute(), log_format)
        entry = cache_folder.entry(path, ["log", file, log_format.key, *companions], VERSION)
        decoded = _load(entry)
        if decoded is not None:
            return decoded
        with cache_folder.alone(entry, lambda: report_progress(*_positions.get(entry, (0, before.size)))):
            decoded = _load(entry)
            if decoded is None:
                _build(path, file, log_format.key, log_format.name, entry, before)
                decoded = _load(entry)
    if decoded is None:
        raise OSError(f"what was decoded of {file} cannot be read from {entry}")
    return decoded


def _build(path: Path, file: str, key: str, name: str, entry: Path, before: State) -> None:
    folder = cache_folder.fresh(entry)
    try:
        facts = _write_parts(folder, path, file, key, entry)
        facts["tool"] = name
        with (folder / FACTS).open("wb") as out:
            checksum.write(out, [json_text.pack(facts)])
        (folder / cache_folder.ABOUT).write_text(json.dumps({"path": str(path)}), "utf-8")
        if state(path) != before:
            raise OSError(f"{file} changed while it was read; open it when it is written")
        cache_folder.keep(folder, entry)
    except BaseException:
        cache_folder.drop(folder)
        raise


def _write_parts(folder: Path, path: Path, file: str, key: str, entry: Path) -> dict[str, Any]:
    """Write the four files of a log; return the facts about them. Raises Cancelled."""
    diagnostics = BoundedDiagnostics()
    counts: Counter[str] = Counter()
    facts: dict[str, Any] = {name: [] for name in ("runs", "aggregates", "conditions", "judges")}
    facts |= {"digest": "", "grades_digest": ""}
    outputs: dict[str, BinaryIO] = {part: (folder / f"{part}.jsonl").open("wb") for part in PARTS}
    try:
        for frame in stream("readback.readers.logs.decode:read_frames", [str(path), file, key], LIMITS):
            if isinstance(frame, bytes):
                part = PARTS[frame[0]]
                outputs[part].write(memoryview(frame)[MARK:])
                counts[part] += frame.count(b"\n", MARK)
                continue
            if isinstance(frame, list):
                _positions[entry] = frame[0], frame[1]
                report_progress(*_positions[entry])
                continue
            diagnostics.extend(map(from_json, frame.pop("diagnostics")))
            counts["requests"] = frame.pop("requests")
            facts |= frame
    except Stopped as stopped:
        values = {"what": f"{stopped.kind} for reading the log", "limit": stopped.detail}
        diagnostics.add(Diagnostic("dat-limit", values, Location(file=file)))
    finally:
        _positions.pop(entry, None)
        for output in outputs.values():
            output.close()
    facts["states"] = {part: state(folder / f"{part}.jsonl") for part in PARTS}
    facts["counts"] = {**dict.fromkeys((*PARTS, "requests"), 0), **counts}
    facts["diagnostics"] = [as_json(diagnostic) for diagnostic in diagnostics.list_all(file)]
    return facts


def _load(entry: Path) -> DecodedLog | None:
    try:
        packed = checksum.strip_checksum((entry / FACTS).read_bytes())
    except OSError:
        return None
    if packed is None:
        return None
    facts = json_text.unpack(bytes(packed))
    return DecodedLog(
        entry,
        facts["tool"],
        facts["counts"],
        tuple(LogCondition(**condition) for condition in facts["conditions"]),
        tuple(facts["judges"]),
        tuple(Run(**run) for run in facts["runs"]),
        tuple(Aggregate(**aggregate) for aggregate in facts["aggregates"]),
        facts["digest"],
        facts["grades_digest"],
        facts["states"],
        tuple(map(from_json, facts["diagnostics"])),
    )


_MARKS = {part: bytes([number]) for number, part in enumerate(PARTS)}
MARK = 2  # bytes before the lines of a frame


@dataclass(slots=True)
class _Frames:
    """Collects lines until there are enough of them for a frame: the number of the part in a line, then its lines."""

    lines: dict[str, list[bytes]] = field(default_factory=lambda: {part: [_MARKS[part]] for part in PARTS})
    size: int = 0

    def add(self, part: str, value: Mapping[str, Any]) -> None:
        line = _encode(value)
        self.lines[part].append(line)
        self.size += len(line)

    def take(self) -> Iterator[bytes]:
        """Yield what was collected, and begin anew."""
        for lines in self.lines.values():
            if len(lines) > 1:
                lines.append(b"")  # the last line ends, too
                yield b"\n".join(lines)
                del lines[1:]
        self.size = 0


def _encode(value: Mapping[str, Any]) -> bytes:
    """Return a value as one line of JSON: several times as fast as the encoder of Python, where msgspec can."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, TypeError):  # a lone surrogate; a kind of key that msgspec does not know
        return json_text.dumps(value).encode()


def read_frames(payload: tuple[str, str, str]) -> Iterator[bytes | list[int] | dict[str, Any]]:
    """Yield the lines of each part of a log as frames of bytes, now and then how far it is, and at the end the facts.

    Runs in the bounded child. `payload`: path, file, format. How far: bytes of the file that have been read, and all.
    """
    path, file, key = payload
    frames = _Frames()
    known_records: set[bytes] = set()
    conditions: dict[str, dict[str, Any]] = {}
    judges: dict[str, None] = {}
    facts: dict[str, list[dict[str, Any]]] = {"runs": [], "aggregates": []}
    requests = 0
    calls, grades = _Digest(), _Digest()
    bounded = BoundedDiagnostics()
    for event in get_format(key).read(Path(path), file):
        match event:
            case Call():
                requests += event.role == "model" and _has_request(event)
                _note_names(event, conditions, judges)
                mark = _digest_id(event.index if event.record is None else event.record)
                if mark not in known_records:  # a log without rows of its own: its records have an id alone
                    known_records.add(mark)
                    frames.add("records", {"id": event.index if event.record is None else event.record})
                call = {**format_call(event), "key": _make_key_of_call(event)}
                frames.add("calls", call)
                calls.add([call.get(name) for name in SAME])
                if event.role == "model" and event.is_answer and (event.output is not None or event.error):
                    frames.add("answers", _format_answer(event))
            case LogRecord():
                mark = _digest_id(event.id)
                if mark not in known_records:
                    known_records.add(mark)
                    frames.add("records", _format_record(event))
            case LogScore():
                if event.judge is not None and len(judges) < MOST_NAMES:
                    judges.setdefault(event.judge)
                score = format_score(event)
                frames.add("scores", score)
                grades.add([score[name] for name in SAME_GRADE])
            case Run():
                facts["runs"].append(asdict(event))
                if not event.is_complete:
                    bounded.add(_report_state(event, file))
            case Aggregate():
                facts["aggregates"].append(asdict(event))
            case Diagnostic():
                bounded.add(event)
        if frames.size > FRAME:
            yield from frames.take()
            yield list(measure_position())
    yield from frames.take()
    yield {
        **facts,
        "diagnostics": [as_json(diagnostic) for diagnostic in bounded.list_all(file)],
        "conditions": list(conditions.values()),
        "judges": list(judges),
        "requests": requests,
        "digest": str(calls),
        "grades_digest": str(grades),
    }


def read_first_call(path: Path, file: str) -> dict[str, Any] | None:
    """Return the first request to the model that answers, as a line of its part; None where none is soon read.

    The cache is not asked, and nothing is stored.
    """
    log_format = find_format(path)
    if log_format is None:
        return None
    try:
        for call in stream(
            "readback.readers.logs.decode:find_first_call", [str(path), file, log_format.key], FIRST_LIMITS
        ):
            first: dict[str, Any] = call
            return first
    except (Stopped, OSError):
        pass
    return None


def find_first_call(payload: tuple[str, str, str]) -> Iterator[dict[str, Any]]:
    """Yield the first request of a log; runs in the bounded child. `payload`: path, file, format."""
    path, file, key = payload
    for event in get_format(key).read(Path(path), file):
        if isinstance(event, Call) and event.role == "model" and _has_request(event):
            yield format_call(event)
            return


class _Digest:
    """A hash of entries that is the same in whatever order they come: the sum of the hashes of each."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, entry: Sequence[Any]) -> None:
        """Add an entry of JSON values."""
        of_entry = checksum.start_hash(_encode_sorted(entry)).digest(DIGEST_SIZE)
        self._sum = (self._sum + int.from_bytes(of_entry, "big")) % ALL_DIGESTS

    def __str__(self) -> str:
        return f"{self._sum:x}"


def _encode_sorted(value: Any) -> bytes:
    """Return JSON that is the same for equal values, in whatever order their keys come."""
    try:
        return msgspec.json.encode(value, order="sorted")
    except (UnicodeEncodeError, TypeError):
        return json.dumps(value, sort_keys=True).encode()


def _note_names(call: Call, conditions: dict[str, dict[str, Any]], judges: dict[str, None]) -> None:
    if call.judge is not None and len(judges) < MOST_NAMES:
        judges.setdefault(call.judge)
    if call.role != "model" or (call.condition is None and not _has_request(call)):
        return
    name = _name_condition(call)
    condition = conditions.get(name)
    if condition is not None:
        condition["calls"] += 1
    elif len(conditions) < MOST_NAMES:
        conditions[name] = {
            "name": name,
            "calls": 1,
            "prompt": call.prompt,
            "provider": call.provider,
            "model": call.model,
        }


def _has_request(call: Call) -> bool:
    """Tell whether a call has what was sent: a table of answers, or a row that cannot be read, has not."""
    return call.messages is not None or call.text is not None


def _name_condition(call: Call) -> str:
    """Return the condition of a call, NO_MODEL where its file names none."""
    if call.condition is None:
        return NO_MODEL
    return call.condition


def format_call(call: Call) -> dict[str, Any]:
    """Return a call as the keys of `export --what observed`; those that say nothing are left out at the end."""
    line: dict[str, Any] = {
        "index": call.index,
        "record": call.record,
        "epoch": call.epoch,
        "call": call.call,
        "role": call.role,
        "condition": call.condition,
        "prompt": call.prompt,
        "messages": None if call.messages is None else [dict(message) for message in call.messages],
        "output": call.output,
        "error": call.error,
    }
    further = {
        "text": call.text,
        "judge": call.judge,
        "provider": call.provider,
        "model": call.model,
        "warning": call.warning,
        "line": call.line,
        "details": dict(call.details) or None,
    }
    return line | {name: value for name, value in further.items() if value is not None}


def format_score(score: LogScore) -> dict[str, Any]:
    """Return a grade as the keys of `export --what scores`."""
    line: dict[str, Any] = {
        "record": score.record,
        "epoch": score.epoch,
        "condition": score.condition,
        "judge": score.judge,
        "criterion": score.criterion,
        "value": score.value,
        "raw": score.raw,
        "status": score.status,
    }
    if score.reason is not None:
        line["reason"] = score.reason
    return line


def make_key(condition: str | None, record: object) -> str:
    """Return the name by which the answer of a condition to a record is found in the answers of a log."""
    if condition is None:
        named = "null"
    else:
        named = encode_basestring_ascii(condition)
    return f"[{named}, {encode_basestring_ascii(name_record(record))}]"


def name_record(record: object) -> str:
    """Return an id as a dataset names its record: a text as it is, any other value as JSON."""
    if type(record) is int:  # by far the most, of what is no text
        return str(record)
    if isinstance(record, str):
        return record
    return json.dumps(record, ensure_ascii=False)


def _make_key_of_call(call: Call) -> str:
    """Return the name of a call in its part: of several about one record and condition the first is found by it."""
    record = call.index if call.record is None else call.record
    if call.role == "model":
        return make_key(_name_condition(call), record)
    return f"judge {make_key(call.judge, record)}"


def _format_answer(call: Call) -> dict[str, Any]:
    return {
        "key": make_key(_name_condition(call), call.index if call.record is None else call.record),
        "record": call.record,
        "condition": call.condition,
        "epoch": call.epoch,
        "response": call.output,
        "error": call.error,
    }


def _format_record(record: LogRecord) -> dict[str, Any]:
    """Return a record with its id first; another value that the row itself calls `id` becomes `row.id`."""
    fields = dict(record.fields)
    own = fields.pop("id", record.id)
    line: dict[str, Any] = {"id": record.id, **fields}
    if own != record.id:
        line["row.id"] = own
    return line


def _digest_id(value: object) -> bytes:
    return checksum.start_hash(_encode_sorted(value)).digest(8)


def _report_state(run: Run, file: str) -> Diagnostic:
    reason = run.state_reason or f"the run ended as '{run.state}', so rows may be missing"
    return Diagnostic("dat-log-state", {"reason": reason}, Location(file=file), run.state or "")


def write_part(path: Path, out: BinaryIO, file: str, part: str) -> Iterator[int | Diagnostic]:
    """Copy a part of a log to `out`, as `spool` of a dataset format does; yield diagnostics with the records only."""
    decoded = decode(path, file)
    if decoded is None:
        yield _report_no_log(file)
        return
    if part == "records":
        yield from decoded.diagnostics
    size = path.stat().st_size
    with decoded.part(part).open("rb") as lines:
        total = max(lines.seek(0, 2), 1)
        lines.seek(0)
        done = 0
        while piece := lines.read(FRAME):
            out.write(piece)
            done += len(piece)
            yield int(size * done / total)


def link_part(path: Path, target: Path, file: str, part: str) -> Iterator[Diagnostic]:
    """Let `target` be another name of the file with a part of a log, where `write_part` would write a second one.

    The part is decoded again where it is not what was written. Yields diagnostics with the records only.
    """
    decoded = decode(path, file)
    if decoded is not None and list(state(decoded.part(part))) != decoded.states[part]:
        cache_folder.drop(decoded.folder)
        decoded = decode(path, file)
    if decoded is None:
        target.touch()
        yield _report_no_log(file)
        return
    try:
        target.hardlink_to(decoded.part(part))
    except OSError:  # a file system without further names
        shutil.copyfile(decoded.part(part), target)
    if part == "records":
        yield from decoded.diagnostics


def _report_no_log(file: str) -> Diagnostic:
    reason = {"reason": "it is no log of another tool that Readback reads"}
    return Diagnostic("dat-bad-line", reason, Location(file=file))


__all__ = [
    "NO_MODEL",
    "PARTS",
    "DecodedLog",
    "Event",
    "LogCondition",
    "decode",
    "format_call",
    "format_score",
    "link_part",
    "make_key",
    "name_record",
    "read_first_call",
    "read_frames",
    "write_part",
]

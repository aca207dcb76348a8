"""What a sign-off keeps of the bytes it was made on, and whether they are still the same.

A sign-off's payload names by their SHA-256 what the store keeps beside the events:

    lock, records     a lock of the subject and its side file, as `readback lock --records` writes them
    files             {path: sha256} of the configuration files; `left_out` those too large to keep
    findings, scores  what spoke for it at that time: keys of findings, rows of scores; as JSON
    said              what each of these findings said: [code, severity, where, sentence] by its key
    today             the day that templates printed; readback, rules: versions, which make nothing stale

It is stale when a root differs; when only findings or scores differ, its evidence has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from readback import __version__, as_json, workspace
from readback.checks import groups, rules
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.compare.side import SideError
from readback.prompts import model_input
from readback.prompts.children import Progress
from readback.quantity import quantity
from readback.readers.files import cache_folder
from readback.readers.files.paths import resolve
from readback.records.dataset import open_dataset
from readback.review import kept_text
from readback.review.event import is_path_inside
from readback.review.leaves import NothingToLock, compute_leaves
from readback.review.locks import lock_check, lock_file
from readback.review.locks.lock_check import Line
from readback.review.locks.lock_file import BadLock, Lock
from readback.review.state import SignOff
from readback.review.store import Store
from readback.review.subject import Subject, list_covered
from readback.review.subject import to_json as subject_json
from readback.scores import loading
from readback.scores.output import answer as score_answer
from readback.types import Finding, Workspace
from readback.workspace import workspace_file

DATA = ("dataset", "answers", "scores", "logged requests")  # what is no configuration: too large to keep, and hashed
LARGE = 4 << 20  # bytes of one configuration file
MARKED = 20_000  # texts (records times what is sent) whose fingerprints a decision waits for
CONFIGURED = 256 << 20  # bytes of all kept configuration files of one sign-off
COPIED = 256 << 20  # bytes of data copied beside old configurations where they cannot be linked
NO_DATA = "the data of then cannot be laid beside the configuration of then"


class Stopped(Exception):  # noqa: N818 - an outcome, and nobody's mistake
    """Somebody ended the work, so nothing was signed or checked."""


class NotKept(Exception):  # noqa: N818 - an outcome to say in one sentence
    """What was signed cannot be laid out again; the text says why."""


@dataclass(frozen=True, slots=True)
class SignedContent:
    """A sign-off's payload, and the texts that it names by their hash."""

    payload: Mapping[str, Any]
    texts: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Standing:
    """Return whether a sign-off still holds. `lines` are what is stale of it; `evidence` says in words what else
    changed.

    `unsaid`: why it is not told how the texts changed, where that is so. `unread`: why nothing can be said at all.
    """

    lines: tuple[Line, ...] = ()
    evidence: tuple[str, ...] = ()
    unsaid: str = ""
    unread: str = ""

    @property
    def stale(self) -> bool:
        """Whether a line is no longer the same."""
        return bool(self.lines)


def collect_signed(
    opened: Workspace, subject: Subject, progress: Progress | None = None, jobs: int | None = None
) -> SignedContent:
    """Collect what a sign-off of a subject keeps, from the files as they are now. Raises NothingToLock, DatasetChanged,
    Stopped.
    """
    choices, today = list_covered(opened, subject), model_input.resolve_today(opened)
    dated = lock_check.set_day(opened, today)
    if (leaves := compute_leaves(dated, choices, progress, jobs)) is None:
        raise Stopped
    lock = lock_file.format_lock(lock_file.build_lock(leaves, today)).encode()
    texts: dict[str, bytes] = {}

    def named(raw: bytes) -> str:
        sha = hashlib.sha256(raw).hexdigest()
        texts[sha] = raw
        return sha

    files, left_out = _read_files(opened)
    found_now = collect_evidence(opened, subject, jobs, progress)
    payload = {
        "subject": subject_json(subject),
        "today": today,
        "lock": named(lock),
        "records": named(b"".join(lock_file.format_records(lock, leaves))),
        "count": len(leaves.ids),
        "files": {path: named(raw) for path, raw in files.items()},
        "left_out": left_out,
        **{name: named(as_json.dumps(value).encode()) for name, value in found_now.items()},
        "readback": __version__,
        "rules": hashlib.sha256("\n".join(sorted(rules.RULES())).encode()).hexdigest()[:16],
    }
    return SignedContent(payload, texts)


def collect_decided(
    opened: Workspace, subject: Subject, progress: Progress | None = None, jobs: int | None = None
) -> SignedContent:
    """Collect what a decision keeps of the bytes it is made on: the lock of its subject. Where that would take long
    (more than MARKED texts), or nothing is sent, it keeps none. Raises DatasetChanged and Stopped.
    """
    try:
        choices, today = list_covered(opened, subject), model_input.resolve_today(opened)
        if len(open_dataset(opened.root, opened.dataset)) * len(choices) > MARKED:
            return SignedContent({}, {})
        leaves = compute_leaves(lock_check.set_day(opened, today), choices, progress, jobs)
    except NothingToLock:
        return SignedContent({}, {})
    if leaves is None:
        raise Stopped
    raw = lock_file.format_lock(lock_file.build_lock(leaves, today)).encode()
    sha = hashlib.sha256(raw).hexdigest()
    return SignedContent({"lock": sha, "today": today}, {sha: raw})


def check_standing(
    opened: Workspace,
    store: Store,
    signoff: SignOff,
    progress: Progress | None = None,
    jobs: int | None = None,
    now: Mapping[str, Any] | None = None,
) -> Standing:
    """Return whether a sign-off still holds for the files as they are now; `now` is their evidence, where that is
    known.

    Raises DatasetChanged and Stopped.
    """
    raw, records = store.content(signoff.payload["lock"]), store.content(signoff.payload["records"])
    lock = load_lock(store, signoff.payload["lock"])
    if raw is None or records is None or lock is None:
        return Standing(unread="what it was made on is no longer kept")
    dated = lock_check.set_day(opened, signoff.payload["today"])
    try:
        leaves = compute_leaves(dated, list_covered(opened, signoff.subject), progress, jobs)
    except NothingToLock:
        return Standing(tuple(Line(subject, root, None) for subject, root in lock.roots.items()))
    if leaves is None:
        raise Stopped
    lines = lock_check.compare_lock(lock, leaves, lock_file.parse_records(raw, records.splitlines()))
    stale = tuple(line for line in lines if line.state != "same")
    changed = tuple(
        _describe_evidence_changes(store, signoff, now or collect_evidence(opened, signoff.subject, jobs, progress))
    )
    if not any(line.state == "changed" for line in stale):
        return Standing(stale, changed)
    return replace(_explain_lines(dated, store, signoff, stale, jobs), evidence=changed)


def _read_files(opened: Workspace) -> tuple[dict[str, bytes], list[str]]:
    """Read the configuration files by path, and list those that are too large to keep or cannot be read."""
    files, left_out = dict[str, bytes](), list[str]()
    for file in opened.recognised:
        path = resolve(opened.root, file.path)
        if not file.used or file.what in DATA or not isinstance(path, Path) or file.path in files:
            continue
        try:
            if path.stat().st_size > LARGE:
                raise OSError
            files[file.path] = path.read_bytes()
        except OSError:
            left_out.append(file.path)
    return files, left_out


def collect_evidence(
    opened: Workspace,
    subject: Subject,
    jobs: int | None = None,
    progress: Progress | None = None,
    audit: Audit | None = None,
) -> dict[str, Any]:
    """Collect what speaks for or against a subject: the keys of its findings, counted by rule, their sentences, its
    rows of scores. `audit` is that of the whole study, where there is one. Raises Stopped.
    """
    if subject.kind in ("condition", "comparison"):
        names = set(subject.names)
    else:
        names = set()
    if audit is None or names:
        audit = engine.check(opened, engine.CheckOptions(conditions=names, jobs=jobs, progress=progress))
    if audit.stopped:
        raise Stopped
    findings = {
        "counts": dict(sorted(audit.counts.items())),
        "keys": sorted({finding.key for finding in audit.findings}),
    }
    if opened.scores:
        rows = score_answer.as_rows(loading.load(opened), None, None, None)
    else:
        rows = []
    score_rows = [row for row in rows if not names or names & set(row["condition"].values())]
    name = groups.names(audit)
    sentences = {
        finding.key: [finding.code, finding.severity, describe_place(finding, name(finding.place)), finding.message]
        for finding in audit.findings
    }
    return {"findings": findings, "said": sentences, "scores": sorted(score_rows, key=lambda row: as_json.dumps(row))}


def describe_place(finding: Finding, condition: str) -> str:
    """Return what a finding is about: the condition and the record, else the file."""
    at = finding.place
    parts = [condition, f"record {at.record}" if at.record else ""]
    return ", ".join(filter(None, parts)) or at.file or ""


def load_lock(store: Store, sha: str) -> Lock | None:
    """Return the lock of that name in the store; None where it is missing or not a lock."""
    raw = store.content(sha)
    try:
        if raw is not None:
            return lock_file.parse_lock(raw.decode())
        return None
    except (BadLock, UnicodeDecodeError, RecursionError):
        return None


def load_evidence(store: Store, signoff: SignOff) -> dict[str, Any]:
    """Return the `findings`, `said` and `scores` that a sign-off kept; None for what is missing or malformed."""
    parts: dict[str, Any] = {}
    for name, check in (("findings", _are_findings), ("said", _are_sentences), ("scores", _are_rows)):
        sha = signoff.payload.get(name)
        raw = store.content(sha) if sha else None
        parts[name] = None
        if raw is not None:
            with suppress(kept_text.NotKeptError):
                value = kept_text.parse(raw)
                parts[name] = value if check(value) else None
    return parts


def _are_findings(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("counts"), dict):
        return False
    keys = value.get("keys")
    counted = all(isinstance(n, int) and not isinstance(n, bool) for n in value["counts"].values())
    return counted and isinstance(keys, list) and all(isinstance(key, str) for key in keys)


def _are_sentences(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(entry, list)
        and len(entry) == len(("code", "severity", "where", "sentence"))
        and all(isinstance(part, str) for part in entry)
        for entry in value.values()
    )


def _are_rows(value: Any) -> bool:
    """Return whether it is rows of scores as `score_answer.as_rows` makes them, as far as they are compared."""
    needed = ("condition", "criterion", "judge", "distribution", "n", "failed", "missing", "not_applicable", "mean")
    return isinstance(value, list) and all(
        isinstance(row, dict)
        and all(name in row for name in needed)
        and isinstance(row["distribution"], dict)
        and isinstance(row["condition"], dict)
        for row in value
    )


def _describe_evidence_changes(store: Store, signoff: SignOff, now: Mapping[str, Any]) -> Iterator[str]:
    """Describe what of the evidence changed."""
    before_values = load_evidence(store, signoff)
    if before_values["findings"] is None or before_values["scores"] is None:
        yield "what findings and scores there were is no longer kept"
        return
    if before_values["findings"] != json.loads(as_json.dumps(now["findings"])):
        counts, before = Counter(now["findings"]["counts"]), Counter(before_values["findings"]["counts"])
        parts = [f"{quantity(n, 'new finding')} of {code}" for code, n in sorted((counts - before).items())]
        parts += [f"{quantity(n, 'finding')} of {code} gone" for code, n in sorted((before - counts).items())]
        yield ", ".join(parts) or "the findings are at other places"
    if before_values["scores"] != json.loads(as_json.dumps(now["scores"])):
        yield "the scores are others"


def _explain_lines(
    opened: Workspace, store: Store, signoff: SignOff, lines: tuple[Line, ...], jobs: int | None
) -> Standing:
    """Lines with the words of what changed: the old texts are assembled again from the configuration that was kept."""
    try:
        with open_signed(opened, store, signoff) as old:
            return Standing(tuple(_line(old, opened, line, jobs) for line in lines))
    except NotKept as error:
        return Standing(lines, unsaid=str(error))


@contextmanager
def open_signed(opened: Workspace, store: Store, signoff: SignOff) -> Iterator[Workspace]:
    """Open the workspace with the configuration of a sign-off and the rows of now. Raises NotKept where it cannot be
    had.
    """
    if signoff.payload["left_out"]:
        raise NotKept("not all configuration files of then were kept")
    folder = Path(tempfile.mkdtemp(prefix="signed-", dir=cache_folder.cache_folder("signed")))
    try:
        (folder / "then").mkdir()
        _write_files(store, signoff.payload["files"], folder / "then")
        if not _link_data(opened, folder / "then"):
            raise NotKept(NO_DATA)
        if opened.file in (None, workspace_file.NAME):
            way = folder / "then"
        else:
            way = folder / "then" / opened.file
        yield lock_check.set_day(workspace.open(way, chosen=opened.chosen), opened.today)
    except (OSError, workspace.NothingRead) as error:
        raise NotKept(str(error)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_files(store: Store, files: Mapping[str, str], to: Path) -> None:
    """Write kept configuration files below a folder. Raises NotKept for one that leaves it or is not there, OSError."""
    room = CONFIGURED
    for path, sha in files.items():
        if not is_path_inside(path):
            raise NotKept(f"it names a file outside of its folder ({ascii(path)[:120]})")
        raw = store.content(sha)
        if raw is None:
            raise NotKept("not all configuration files of then were kept")
        room -= len(raw)
        if len(raw) > LARGE or room < 0:
            raise NotKept("its configuration files are larger than those of any sign-off")
        target = to / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            out.write(raw)


def _line(old: Workspace, new: Workspace, line: Line, jobs: int | None) -> Line:
    if line.state == "changed":
        with suppress(SideError):  # one has no such subject: that it changed is all there is to say
            return replace(line, change=lock_check.compare_versions(old, new, line.subject, jobs))
    return line


def _link_data(opened: Workspace, to: Path) -> bool:
    """Lay the data of now beside old configurations, linked where the disk is the same; False if it is too much."""
    room = COPIED
    for file in opened.recognised:
        path, target = resolve(opened.root, file.path), to / file.path
        if file.what not in DATA or not isinstance(path, Path) or target.exists() or not path.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, target)
        except OSError:
            room -= path.stat().st_size
            if room < 0:
                return False
            shutil.copyfile(path, target)
    return True

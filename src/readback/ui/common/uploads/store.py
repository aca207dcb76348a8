"""Uploaded files: kept in a folder of an unguessable name, for the browser that sent them, for a day."""

from __future__ import annotations

import errno
import hashlib
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from readback.readers.files.cache_folder import OWNER, UPLOAD, forget, uploads
from readback.readers.files.paths import is_git_folder
from readback.review import state_folder
from readback.types import Diagnostic, Location, Severity
from readback.ui.common.uploads import quota as upload_quota
from readback.ui.common.uploads import zip_file as upload_zip
from readback.ui.common.uploads.zip_file import Member
from readback.words import t

DEPTH = 16  # folders inside an upload
LONGEST = 255  # bytes of one name, as file systems have it
# A folder is git's own with these, whatever it is called; then all that git keeps in it is left out.
SHAPES = ({"head", "objects", "refs"}, {"head", "commondir"}, {"head", "gitdir"})
KEPT_BY_GIT = {
    *("head", "orig_head", "fetch_head", "commit_editmsg", "config", "config.worktree", "description", "index"),
    *("branches", "hooks", "info", "logs", "modules", "objects", "refs", "reftable", "worktrees"),
    *("commondir", "gitdir", "packed-refs", "shallow"),
}


class OfGit:
    """What of an upload is git's own: `.git` under each of its names, and every folder that is one without it."""

    def __init__(self, names: Iterable[str]) -> None:
        files: dict[tuple[str, ...], set[str]] = {}
        for name in names:
            folders = parts(name) or ()
            for depth, part in enumerate(folders):
                if part.casefold() in KEPT_BY_GIT:
                    files.setdefault(folders[:depth], set()).add(part.casefold())
        self._bare = {folder for folder, there in files.items() if any(shape <= there for shape in SHAPES)}

    def folder(self, parts_of_path: tuple[str, ...]) -> str | None:
        """Return the folder of git that a file belongs to ("." for the upload's own), or None."""
        for depth, part in enumerate(parts_of_path):
            if is_git_folder(part):
                return PurePosixPath(*parts_of_path[: depth + 1]).as_posix()
            if parts_of_path[:depth] in self._bare and part.casefold() in KEPT_BY_GIT:
                return PurePosixPath(*parts_of_path[:depth]).as_posix()
        return None


# A review is never uploaded: its store, copies of it, and what SQLite has beside a database, which may name any file.
STORE = re.compile(r"\.review\.sqlite3.*|[0-9a-f]{16}\.sqlite3(\.before-.*)?|.*\.sqlite3\.before-\w+")
BESIDE_DATABASE = re.compile(r".*\.(sqlite\d?|db\d?|s3db|sl3)-(journal|wal|shm|mj[0-9a-f]*)")
JOURNALS = (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")  # how they begin
OF_REVIEW = (
    "it is the store of a review, or a journal of a database, and an upload never brings one; "
    "readback review export writes a review as a file, and readback review import takes it"
)
HOUR = 60 * 60
DAY = 24 * HOUR
WHOLE = 1 << 30  # bytes in one upload, unpacked; the server's own limit is for each file
COUNT = 2_000  # files in one upload, as many as a folder is searched for
SHOWN = 300  # characters of a name in a note
PREFIX = UPLOAD
COOKIE = "_streamlit_xsrf"  # Streamlit's cross-site token
BEGUN = ".begun-"  # before its name while an upload is not whole
TAKEN = "another file or folder of the upload has its name"
NAMES = {
    errno.EEXIST: TAKEN,
    errno.ENOTDIR: TAKEN,
    errno.EISDIR: TAKEN,
    errno.ENAMETOOLONG: "its path is longer than this disk can have",
    errno.EINVAL: "this disk cannot have its name",
    errno.EILSEQ: "this disk cannot have its name",
}
home = uploads


def owner(secret: str) -> str:
    """Return what is written beside an upload to know its browser again: a hash, not the cookie."""
    return hashlib.sha256(b"readback upload owner\0" + secret.encode()).hexdigest()


def browser(cookies: Mapping[str, str]) -> str:
    """Return what tells a browser from others, by its cross-site token; "" for one without a token."""
    try:
        _, mask, token, _ = cookies.get(COOKIE, "").split("|")  # version, mask, masked, time: the token stays the same
        cookie_part, other = bytes.fromhex(mask), bytes.fromhex(token)
        return owner(bytes(b ^ cookie_part[i % len(cookie_part)] for i, b in enumerate(other)).hex())
    except (ValueError, ZeroDivisionError):
        return ""


def save(
    files: Iterable[tuple[str, BinaryIO]], whose: str, *, unwrap: bool = False
) -> tuple[str, tuple[Diagnostic, ...]]:
    """Keep the files (name with posix path, content) and answer the upload's id; zip files are unpacked.

    What git keeps, links, names that lead outside or that no disk has, what is damaged and what is beyond the limits
    is left out, each with a note. `unwrap` takes away the one folder that all of it is wrapped in.

    An upload gets its name when all of it is there: raises OSError where the disk has no room for it, NoRoom where the
    uploads of this browser or of all have taken what they may, and then, as after any other exception, nothing of it
    is kept.
    """
    sweep()
    room, setting = upload_quota.room(whose)
    members = list(files)
    token = PREFIX + secrets.token_urlsafe(18)
    home().mkdir(parents=True, exist_ok=True, mode=0o700)
    folder_begun = home() / f"{BEGUN}{token}"
    folder_begun.mkdir(mode=0o700)
    try:
        content = folder_begun / _title(members)
        content.mkdir()
        (folder_begun / OWNER).write_text(whose, "ascii")
        diagnostics = tuple(_keep(content, members, min(WHOLE, room), setting))
        upload_quota.check(whose)
        if unwrap:
            lift(content)
        folder_begun.rename(home() / token)
    except BaseException:
        shutil.rmtree(folder_begun, ignore_errors=True)
        raise
    return token, diagnostics


def unpack(source: Path, folder: Path) -> tuple[Diagnostic, ...]:
    """Write what a zip file holds into a folder, with the limits and refusals of an upload; each refusal is a note.

    The one folder that all of it is wrapped in is taken away. Raises OSError where the disk has no room.
    """
    with source.open("rb") as content:
        diagnostics = tuple(_keep(folder, [(f"{source.stem}.zip", content)], WHOLE, ""))
    lift(folder)
    return diagnostics


def lift(folder: Path) -> None:
    """Take away the one folder that an upload is wrapped in, so that its readback.yml is on top."""
    while len(inside := list(folder.iterdir())) == 1 and inside[0].is_dir():
        inner = inside[0].rename(folder.with_name(".lifted"))
        folder.rmdir()
        inner.rename(folder)


def holds(token: str) -> bool:
    """Whether an upload has any file."""
    return any(path.is_file() and path.name != OWNER for path in (home() / token).rglob("*"))


def path(token: str, whose: str) -> Path | None:
    """Return the folder of an upload, or None when this browser has none of that name."""
    if not token.startswith(PREFIX) or "/" in token or "\\" in token or "." in token:
        return None
    folder = home() / token
    try:
        mine = secrets.compare_digest((folder / OWNER).read_text("ascii"), whose)
    except OSError:
        return None
    if mine and not _old(folder):
        return next((inner for inner in folder.iterdir() if inner.is_dir()), None)
    return None


def mine(whose: str) -> tuple[str, ...]:
    """Return the ids of this browser's uploads, the newest first."""
    here = [entry.name for entry in home().glob(PREFIX + "*") if path(entry.name, whose)]
    return tuple(sorted(here, key=lambda token: -(home() / token).stat().st_mtime))


def title(folder: Path) -> str:
    """Return the name of an upload in this folder: its only file, the first file and the number of others, or what it
    was wrapped in.
    """
    names = sorted(path.name for path in folder.iterdir())
    if len(names) == 1:
        return names[0]
    first = next((name for name in names if name_folder(name) == folder.name), None)
    if first:
        return t("frame.upload_files", file=first, n=len(names) - 1)
    return folder.name


def delete(token: str, whose: str) -> None:
    """Delete an upload now, with what was indexed of it."""
    if path(token, whose):
        shutil.rmtree(home() / token, ignore_errors=True)
        forget(home() / token)
        state_folder.forget_upload(token)


def sweep() -> None:
    """Delete the uploads of yesterday with their reviews, and what was begun and never finished."""
    for entry in home().glob(PREFIX + "*"):
        if _old(entry):
            shutil.rmtree(entry, ignore_errors=True)
            forget(entry)
            state_folder.forget_upload(entry.name)
    state_folder.forget_uploads_but({entry.name for entry in home().glob(PREFIX + "*")})
    for entry in home().glob(BEGUN + "*"):
        if _old(entry, HOUR):
            shutil.rmtree(entry, ignore_errors=True)


def _old(folder: Path, seconds: float = DAY) -> bool:
    try:
        return time.time() - folder.stat().st_mtime > seconds
    except OSError:
        return True


def _title(files: list[tuple[str, BinaryIO]]) -> str:
    """Return the name of the workspace: the folder, or the first file, that was sent; in harmless characters."""
    return name_folder(files[0][0].replace("\\", "/").lstrip("/").split("/")[0] if files else "")


def name_folder(name: str) -> str:
    """Return what the folder is called that a file is stored in: the file's name up to its first dot, in harmless
    characters.
    """
    return re.sub(r"[^\w-]+", "_", name.partition(".")[0])[:60].strip("_") or "files"


def _keep(folder: Path, files: Iterable[tuple[str, BinaryIO]], most: int, setting: str) -> Iterator[Diagnostic]:
    room, count, members = most, 0, list[Member]()
    for name, content in files:
        try:
            members += (
                upload_zip.members(content) if name.lower().endswith(".zip") else [upload_zip.plain(name, content)]
            )
        except upload_zip.TooManyError as error:
            yield Diagnostic(
                "dat-limit",
                {"what": _shorten_name(name), "limit": str(error)},
                Location(file=_shorten_name(name)),
                _shorten_name(name),
            )
        except upload_zip.BrokenError as error:
            yield _left_out(name, str(error))
    git, folders_of_git = OfGit(member.name for member in members), set[str]()
    for member in members:
        named = parts(member.name)
        if named and (home_of := git.folder(named)) is not None:
            if home_of not in folders_of_git:
                folders_of_git.add(home_of)
                yield _left_out(home_of, "what git keeps is left out of an upload", "info")
            continue
        if (count := count + 1) > COUNT:
            yield Diagnostic("dat-limit", {"what": "an upload", "limit": f"{COUNT} files"}, flagged="count")
            return
        if named is None:
            shown_name = _shorten_name(member.name)
            yield Diagnostic("dat-path-outside", {"path": shown_name}, Location(file=shown_name), flagged=shown_name)
            continue
        if of_review(named[-1]):
            yield _left_out(member.name, OF_REVIEW, "warning")
            continue
        try:
            if reason := member.reason or unkept(named):
                raise upload_zip.BrokenError(reason)
            room -= _write(member, folder.joinpath(*named), room)
        except OfReviewError:
            yield _left_out(member.name, OF_REVIEW, "warning")
        except upload_zip.BrokenError as error:
            yield _left_out(member.name, str(error))
        except OSError as error:
            if error.errno not in NAMES:  # no room, no right to write: nothing of the upload is kept
                raise
            yield _left_out(member.name, NAMES[error.errno])
        if room < 0 and most < WHOLE:
            raise upload_quota.NoRoom(upload_quota.why(setting))
        if room < 0:
            values = {"size": f"more than {WHOLE}", "limit": WHOLE}
            yield Diagnostic(
                "dat-too-large", values, Location(file=_shorten_name(member.name)), flagged=_shorten_name(member.name)
            )
            return


def _write(member: Member, target: Path, room: int) -> int:
    """Write a file until one byte too many, since the sizes that a zip declares are not believed; a part does not stay.

    Answers how much was written, more than `room` where it was too much. Raises OfReviewError, BrokenError, OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    size, done = 0, False
    with target.open("xb") as out:
        try:
            for block in member.blocks():
                if not size and block.startswith(JOURNALS):
                    raise OfReviewError
                size += out.write(block[: room + 1 - size])
                if size > room:
                    return size
            done = True
        finally:
            if not done:
                target.unlink()
    return size


def _left_out(name: str, reason: str, severity: Severity | None = None) -> Diagnostic:
    shown_name = _shorten_name(name)
    return Diagnostic(
        "dat-file-missing", {"path": shown_name, "reason": reason}, Location(file=shown_name), shown_name, severity
    )


def _shorten_name(name: str) -> str:
    """Return a name for a note: short, and without what is not a character."""
    printable = name.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(printable) <= SHOWN:
        return printable
    return f"{printable[:SHOWN]}…"


# Which of the names in an upload are kept, and under which path; what belongs to git or to a review is not.


class OfReviewError(Exception):
    """A file is a journal of a database by its first bytes, whatever it is called."""


def of_review(name: str) -> bool:
    """Whether a file's name is that of a review's store, of a copy of one, or of what a database has beside it."""
    plain = name.rstrip(". \t").casefold()
    return bool(STORE.fullmatch(plain) or BESIDE_DATABASE.fullmatch(plain))


def parts(name: str) -> tuple[str, ...] | None:
    """Return a name as folders and a file below the upload, or None where it leads elsewhere."""
    folders = tuple(part for part in name.replace("\\", "/").split("/") if part != ".")
    wrong = not folders or any(part in ("", "..") or ":" in part or "\0" in part for part in folders)
    if wrong or len(folders) > DEPTH:
        return None
    return folders


def unkept(names: Iterable[str]) -> str:
    """Why no file system has a name like one of these, or nothing."""
    for part in names:
        try:
            if len(part.encode("utf-8")) > LONGEST:
                return f"its name is longer than {LONGEST} bytes"
        except UnicodeEncodeError:
            return "its name is not text"
    return ""

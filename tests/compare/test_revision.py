"""Files as they were at a revision: read from a real repository, and nothing that it could run is run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import workspace
from readback.compare import revisions
from readback.compare.diff import compare_sides
from readback.compare.record_differences import count_differences
from readback.compare.revisions import copy_revision
from readback.compare.sentence import format_sentence
from readback.compare.side import Side, SideError
from readback.compare.sides import show_side
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
FILE = "dataset: data.jsonl\nmodes: [{mode: m, template: 'Q: {{ q }}'}]\n"
LATER = 'dataset: data.jsonl\nmodes: [{mode: m, template: "Question: {{ q }}\\nBe brief."}]\n'
ROWS = '{"id": "1", "q": "Why?"}\n{"id": "2", "q": "Who?"}\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path_factory.mktemp("cache")))


def git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false")
    done = subprocess.run(["git", "-C", str(folder), *settings, *words], capture_output=True, check=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def folder(write: Write) -> Path:
    """A workspace below the top of a repository, with two commits and something that is not committed."""
    root = write({"ws/readback.yml": FILE, "ws/data.jsonl": ROWS, "else.txt": "x"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "tag", "v1")
    write({"ws/readback.yml": LATER, "ws/data.jsonl": '{"id": "2", "q": "Who?"}\n{"id": "3", "q": "New?"}\n'})
    git(root, "commit", "-q", "-a", "-m", "two")
    write({"ws/readback.yml": LATER.replace("brief", "very brief")})
    return root / "ws"


def text(opened: Any, rev: str | None, index: int = 0, record: str | None = None) -> str:
    return show_side(opened, Side(Selection(mode="m"), record=record, index=index, rev=rev)).messages[0].text


def test_a_revision_shows_the_files_as_they_were(folder: Path) -> None:
    opened = workspace.open(folder)
    assert text(opened, None) == "Question: Who?\nBe very brief."
    assert text(opened, "HEAD") == "Question: Who?\nBe brief."
    assert text(opened, "v1") == "Q: Who?"  # the same record, which was the second one then
    assert text(opened, "v1", record="1") == "Q: Why?"
    assert sorted(path.name for path in copy_revision(folder, "v1").path.iterdir()) == ["data.jsonl", "readback.yml"]


def test_what_changed_since_a_revision_is_said(folder: Path) -> None:
    opened = workspace.open(folder)
    a, b = (show_side(opened, Side(Selection(mode="m"), rev=rev)) for rev in ("v1", "HEAD"))
    assert format_sentence(compare_sides(a, b)) == ("B changes “Q” to “Question” and adds a sentence after the q.")
    assert a.label == "mode m, record 2, revision v1"


def test_records_of_two_revisions_are_matched_by_id(folder: Path) -> None:
    found = count_differences(
        workspace.open(folder), Side(Selection(mode="m"), rev="v1"), Side(Selection(mode="m"), rev="HEAD")
    )
    assert (found.done, found.total, found.differing, found.equal) == (2, 2, 1, 0)
    assert (found.unpaired_a, found.unpaired_b) == (1, 1)
    assert found.first == ((1, "2"),)


def test_a_commit_is_copied_once(folder: Path) -> None:
    first = copy_revision(folder, "v1").path
    (first / "readback.yml").write_text("mark", "utf-8")
    assert copy_revision(folder, git(folder, "rev-parse", "v1")).path == first
    assert (first / "readback.yml").read_text("utf-8") == "mark"


def test_a_file_opened_by_itself_is_the_file_of_the_revision(folder: Path) -> None:
    opened = workspace.open(folder / "data.jsonl")
    assert copy_revision(opened.root / "data.jsonl", "v1").path.read_text("utf-8") == ROWS


@pytest.mark.parametrize(
    ("rev", "expected"),
    [
        ("nope", "no revision 'nope' in the repository of ws"),
        ("--help", "no revision '--help' in the repository of ws"),
        ("--output=x", "no revision '--output=x'"),
        ("HEAD:ws", "no revision 'HEAD:ws'"),
        ("HEAD\n", "cannot be the name of a revision"),
        ("HEAD\0", "cannot be the name of a revision"),
        ("x" * 300, "cannot be the name of a revision"),
        ("", "cannot be the name of a revision"),
    ],
)
def test_a_revision_that_is_not_there_is_said(folder: Path, rev: str, expected: str) -> None:
    with pytest.raises(SideError) as error:
        copy_revision(folder, rev)
    assert expected in str(error.value)
    assert not (folder / "x").exists()


def test_a_folder_without_a_repository_has_no_revisions(write: Write) -> None:
    with pytest.raises(SideError, match="is in no git repository, so it has no revisions"):
        copy_revision(write({"readback.yml": FILE}), "HEAD")


def test_a_folder_that_came_later_is_said(folder: Path, write: Write) -> None:
    write({"new/readback.yml": FILE})
    with pytest.raises(SideError, match="was not there then"):
        copy_revision(folder.parent / "new", "v1")


def test_without_git_it_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SideError, match="git is not installed here"):
        copy_revision(folder, "HEAD")


def test_nothing_that_the_repository_configures_is_run(folder: Path) -> None:
    root = folder.parent
    trap = root / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {root}/ran\ncat\n", "utf-8")
    trap.chmod(0o755)
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "attributes").write_text("* filter=trap diff=trap export-subst\n", "utf-8")
    names = "filter.trap.smudge filter.trap.process core.fsmonitor core.sshCommand core.pager diff.trap.textconv"
    for name in (*names.split(), "diff.external", "gpg.program", "core.askPass", "core.alternateRefsCommand"):
        git(root, "config", name, str(trap))
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        (root / ".git" / "hooks").mkdir(exist_ok=True)
        os.link(trap, root / ".git" / "hooks" / hook)
    assert (copy_revision(folder, "HEAD").path / "readback.yml").read_text("utf-8") == LATER
    assert not (root / "ran").exists()


def test_an_object_that_is_not_there_is_not_fetched(folder: Path) -> None:
    root = folder.parent
    git(root, "config", "remote.origin.url", f"ext::touch {root}/ran")
    git(root, "config", "remote.origin.promisor", "true")
    git(root, "config", "protocol.ext.allow", "always")
    git(root, "config", "extensions.partialClone", "origin")
    blob = git(root, "rev-parse", "v1:ws/data.jsonl")
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(SideError):
        copy_revision(folder, "v1")
    assert not (root / "ran").exists()


def test_the_environment_does_not_lead_git_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_WORK_TREE", "/nonexistent")
    assert copy_revision(folder, "v1").path.is_dir()


def test_a_folder_that_only_looks_like_a_repository_is_none(write: Write) -> None:
    root = write({"readback.yml": FILE, "HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "", "config": ""})
    with pytest.raises(SideError, match="no git repository"):
        copy_revision(root, "HEAD")


def test_links_pointers_and_odd_names_are_left_out_and_said(write: Write, tmp_path: Path) -> None:
    root = write({
        "readback.yml": FILE,
        "data.jsonl": ROWS,
        "big.jsonl": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
        "sub/a.txt": "a",
    })  # fmt: skip
    for name, target in {"inside.txt": "sub/a.txt", "out.txt": "../../x", "far.txt": "/etc/hostname",
                         "sub/up.txt": "../data.jsonl", "round.txt": "sub/../../x"}.items():  # fmt: skip
        (root / name).symlink_to(target)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    found = copy_revision(root, "HEAD")
    assert {diagnostic.flagged: diagnostic.code for diagnostic in found.diagnostics} == {
        "big.jsonl": "dat-file-missing",
        "out.txt": "dat-path-outside",
        "far.txt": "dat-path-outside",
        "round.txt": "dat-path-outside",
    }
    assert (found.path / "inside.txt").read_text("utf-8") == "a"
    assert (found.path / "sub" / "up.txt").read_text("utf-8") == ROWS
    assert (found.path / "big.jsonl").read_text("utf-8").startswith("version https://git-lfs")


def test_a_tree_that_writes_through_a_link_does_not(tmp_path: Path) -> None:
    (repository := tmp_path / "repository").mkdir()
    git(repository, "init", "-q")
    (outside := tmp_path / "outside").mkdir()
    blob = subprocess.run(["git", "-C", str(repository), "hash-object", "-w", "--stdin"], input=b"evil",
                          capture_output=True, check=True).stdout.decode().strip()  # fmt: skip
    link = subprocess.run(["git", "-C", str(repository), "hash-object", "-w", "--stdin"], input=str(outside).encode(),
                          capture_output=True, check=True).stdout.decode().strip()  # fmt: skip
    inner = made_tree(repository, f"100644 blob {blob}\tx")
    tree = made_tree(repository, f"120000 blob {link}\td\n040000 tree {inner}\td\n100644 blob {blob}\t.git")
    git(repository, "update-ref", "refs/heads/bad", git(repository, "commit-tree", tree, "-m", "bad"))
    found = copy_revision(repository, "bad")
    assert {diagnostic.flagged for diagnostic in found.diagnostics} == {"d", ".git"}
    assert list(outside.iterdir()) == []


def made_tree(repository: Path, entries: str) -> str:
    command = ["git", "-C", str(repository), "mktree"]
    return subprocess.run(command, input=entries.encode(), capture_output=True, check=True).stdout.decode().strip()


@pytest.mark.parametrize(("name", "value"), [("MAX_FILES", 1), ("MAX_BYTES", 10)])
def test_more_than_a_workspace_holds_is_not_copied(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    monkeypatch.setattr(revisions, name, value)
    git(folder.parent, "commit", "-q", "--allow-empty", "-a", "-m", f"never copied {name}")
    with pytest.raises(SideError, match="which is not copied"):
        copy_revision(folder, "HEAD")


def test_only_the_latest_revisions_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "MAX_REVISIONS", 2)
    made = []
    for number in range(4):
        git(folder.parent, "commit", "-q", "--allow-empty", "-a", "-m", f"number {number}")
        made.append(copy_revision(folder, "HEAD").path)
        os.utime(made[-1].parent, (number, number))
    assert [path.exists() for path in made] == [False, False, True, True]

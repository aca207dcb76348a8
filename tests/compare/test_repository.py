"""Whose history is read: the folder's own, or that of a plain repository above it, and never another folder's."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_revision import git

from readback.cli import main
from readback.compare.git import Git
from readback.compare.revisions import copy_revision
from readback.compare.side import SideError
from readback.readers.files.paths import is_git_folder
from readback.ui.common.uploads import store as upload

FILE = "dataset: data.jsonl\nmodes: [{mode: m, template: 'Q: {{ q }}'}]\n"
SECRET = "nobody else may read this"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))


def repository_in(folder: Path, text: str = SECRET) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "readback.yml").write_text(FILE, "utf-8")
    (folder / "data.jsonl").write_text(f'{{"id": "1", "q": "{text}"}}\n', "utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", text)
    return folder


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """Somebody else's repository on the same disk."""
    return repository_in(tmp_path / "theirs")


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """A workspace with a repository of its own."""
    return repository_in(tmp_path / "ours", "ours")


def refused(folder: Path, because: str, rev: str = "HEAD") -> None:
    for ask in (lambda: copy_revision(folder, rev), lambda: list(Git(folder).list_commits(9))):
        with pytest.raises(SideError) as error:
            ask()
        said = str(error.value)
        assert because in said
        assert SECRET not in said
        assert str(folder.parent) not in said  # no path of the server


def a_workspace(folder: Path) -> Path:
    folder.mkdir()
    (folder / "readback.yml").write_text(FILE, "utf-8")
    return folder


def a_file_named_git(folder: Path, theirs: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {theirs / '.git'}\n")


def a_relative_file(folder: Path, theirs: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {os.path.relpath(theirs / '.git', folder)}\n")


def a_link(folder: Path, theirs: Path) -> None:
    (folder / ".git").symlink_to(theirs / ".git")


def a_file_to_a_link(folder: Path, theirs: Path) -> None:
    (folder / "inner").symlink_to(theirs / ".git")
    (folder / ".git").write_text("gitdir: inner\n")


def a_commondir(folder: Path, theirs: Path) -> None:
    (folder / ".git").mkdir()
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "commondir").write_text(f"{theirs / '.git'}\n")


def a_file_to_a_commondir(folder: Path, theirs: Path) -> None:
    (folder / "own").mkdir()
    (folder / "own" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "own" / "commondir").write_text(f"{theirs / '.git'}\n")
    (folder / "own" / "gitdir").write_text(f"{folder / '.git'}\n")
    (folder / ".git").write_text("gitdir: own\n")


def a_forged_worktree(folder: Path, theirs: Path) -> None:
    git(theirs, "worktree", "add", "-q", "--detach", str(folder.parent / "tree"))
    (folder / ".git").write_text(f"gitdir: {theirs / '.git' / 'worktrees' / 'tree'}\n")


WAYS = (
    a_file_named_git,
    a_relative_file,
    a_link,
    a_file_to_a_link,
    a_commondir,
    a_file_to_a_commondir,
    a_forged_worktree,
)


@pytest.mark.parametrize("way", WAYS)
def test_c1_a_git_entry_that_leads_to_another_repository_is_refused(
    tmp_path: Path, theirs: Path, way: Callable[[Path, Path], None]
) -> None:
    folder = a_workspace(tmp_path / "hostile")
    way(folder, theirs)
    refused(folder, "hostile: its ")


@pytest.mark.parametrize("lender", ["objects/info/alternates", "objects/info/http-alternates"])
def test_c1_objects_of_another_repository_are_refused(ours: Path, theirs: Path, lender: str) -> None:
    (ours / ".git" / lender).write_text(f"{theirs / '.git' / 'objects'}\n")
    refused(ours, "takes objects from another one", git(theirs, "rev-parse", "HEAD"))


def test_c1_alternates_are_found_behind_a_commondir_too(ours: Path, theirs: Path) -> None:
    (ours / ".git").rename(ours / "shared")
    (ours / "own").mkdir()
    (ours / "own" / "HEAD").write_text("ref: refs/heads/main\n")
    (ours / "own" / "commondir").write_text("../shared\n")
    (ours / ".git").write_text("gitdir: own\n")
    assert (copy_revision(ours, "HEAD").path / "data.jsonl").is_file()
    (ours / "shared" / "objects" / "info" / "alternates").write_text(f"{theirs / '.git' / 'objects'}\n")
    refused(ours, "takes objects from another one")


@pytest.mark.parametrize("part", ["objects", "objects/pack", "refs/heads", "refs", "packed-refs", "HEAD", "config"])
def test_c1_a_link_in_the_repository_that_leads_out_of_it_is_refused(ours: Path, theirs: Path, part: str) -> None:
    git(theirs, "gc", "-q")
    there = ours / ".git" / part
    if there.is_dir():
        shutil.rmtree(there)
    else:
        there.unlink(missing_ok=True)
    there.symlink_to(theirs / ".git" / part)
    refused(ours, f"holds a link that leads out of it ({part})")


def test_c1_a_linked_object_of_another_repository_is_refused(ours: Path, theirs: Path) -> None:
    head = git(theirs, "rev-parse", "HEAD")
    (ours / ".git" / "objects" / head[:2]).mkdir(exist_ok=True)
    (ours / ".git" / "objects" / head[:2] / head[2:]).symlink_to(theirs / ".git" / "objects" / head[:2] / head[2:])
    refused(ours, "holds a link that leads out of it (objects/", head)


def test_c1_a_pipe_in_the_repository_holds_nobody_up(ours: Path) -> None:
    os.mkfifo(ours / ".git" / "refs" / "heads" / "slow")
    refused(ours, "holds something that is not a file (refs/heads/slow)")


def test_c1_a_link_that_stays_inside_and_a_linked_hook_are_no_fault(ours: Path) -> None:
    (ours / ".git" / "refs" / "heads" / "alias").symlink_to("main")
    (ours / ".git" / "hooks").mkdir(exist_ok=True)
    (ours / ".git" / "hooks" / "pre-commit").symlink_to("/etc/hostname")
    assert (copy_revision(ours, "alias").path / "data.jsonl").is_file()


SETTINGS = "include.path includeIf.gitdir:/.path core.worktree core.attributesFile core.excludesFile mailmap.file"


@pytest.mark.parametrize("setting", SETTINGS.split())
def test_c1_no_setting_of_the_repository_leads_git_out_of_it(ours: Path, tmp_path: Path, setting: str) -> None:
    outside = tmp_path / "outside.conf"
    os.mkfifo(outside)  # whoever opens it waits for ever
    git(ours, "config", setting, str(outside))
    assert '"ours"' in (copy_revision(ours, "HEAD").path / "data.jsonl").read_text("utf-8")


def test_c1_replaced_and_grafted_history_is_not_believed(ours: Path) -> None:
    first = git(ours, "rev-parse", "HEAD")
    (ours / "data.jsonl").write_text("{}\n")
    git(ours, "commit", "-qam", "two")
    second = git(ours, "rev-parse", "HEAD")
    git(ours, "replace", second, first)
    (ours / ".git" / "info" / "grafts").write_text(f"{second}\n")
    assert (copy_revision(ours, "HEAD").path / "data.jsonl").read_text() == "{}\n"
    with Git(ours) as opened:
        assert [one[0] for one in opened.list_commits(9)] == [second, first]


def test_c1_a_folder_below_a_plain_repository_has_its_history(ours: Path) -> None:
    (ours / "study").mkdir()
    shutil.copy(ours / "readback.yml", ours / "study")
    git(ours, "add", ".")
    git(ours, "commit", "-qm", "study")
    with Git(ours / "study") as opened:
        assert (opened.below, [one[2] for one in opened.list_commits(9)]) == ("study/", ["study"])
    assert [path.name for path in copy_revision(ours / "study", "HEAD").path.iterdir()] == ["readback.yml"]


def test_c1_a_file_named_git_does_not_make_a_folder_the_top_of_the_repository_above(theirs: Path) -> None:
    """The folder is somebody else's; all of the repository above is not for it."""
    folder = a_workspace(theirs / "inbox")
    for named in ("../.git", "../.git/", str(theirs / ".git")):
        (folder / ".git").write_text(f"gitdir: {named}\n")
        refused(folder, "does not know this folder")
    git(theirs, "worktree", "add", "-q", "--detach", str(theirs / "tree"))
    (folder / ".git").write_text("gitdir: ../.git/worktrees/tree\n")
    refused(folder, "does not know this folder")


def test_c1_a_working_tree_inside_its_repository_is_read(ours: Path) -> None:
    git(ours, "worktree", "add", "-q", "-b", "feature", str(ours / "tree"))
    (ours / "tree" / "data.jsonl").write_text("{}\n")
    git(ours / "tree", "commit", "-qam", "feature")
    assert (copy_revision(ours / "tree", "HEAD").path / "data.jsonl").read_text() == "{}\n"
    assert (copy_revision(ours / "tree", "main").path / "data.jsonl").read_text() != "{}\n"


def test_c1_a_working_tree_elsewhere_is_refused_and_says_what_to_open(ours: Path, tmp_path: Path) -> None:
    git(ours, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    refused(tmp_path / "tree", "open the folder in the repository's main working tree")


def test_c1_a_submodule_of_the_repository_above_is_read(ours: Path, theirs: Path) -> None:
    git(ours, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(theirs), "part")
    assert SECRET in (copy_revision(ours / "part", "HEAD").path / "data.jsonl").read_text()
    folder = a_workspace(ours / "forged")
    (folder / ".git").write_text("gitdir: ../.git/modules/part\n")
    refused(folder, "does not know this folder")


def test_c1_a_copy_of_a_commit_is_not_handed_to_another_repository(ours: Path, theirs: Path) -> None:
    head = git(theirs, "rev-parse", "HEAD")
    known = copy_revision(theirs, "HEAD").path
    subprocess.run(["git", "clone", "-q", str(theirs), str(ours / "copy")], check=True)
    assert known != copy_revision(ours / "copy", head).path


def test_c1_a_repository_of_somebody_else_is_refused(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: ours.stat().st_uid + 1)
    refused(ours, "belongs to somebody else")
    subprocess.run(["git", "config", "--global", "--add", "safe.directory", str(ours)], check=True)
    assert (copy_revision(ours, "HEAD").path / "data.jsonl").is_file()
    subprocess.run(["git", "config", "--global", "--add", "safe.directory", ""], check=True)
    refused(ours, "safe.directory")
    subprocess.run(["git", "config", "--global", "--add", "safe.directory", f"{ours.parent}/*"], check=True)
    assert (copy_revision(ours, "HEAD").path / "data.jsonl").is_file()


def test_c1_a_repository_that_names_files_without_end_is_stopped(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = git(ours, "rev-parse", "HEAD^{tree}")
    for _ in range(22):  # each holds the one before ten times: 10^22 files
        made = "".join(f"040000 tree {tree}\t{name}\n" for name in "abcdefghij")
        tree = subprocess.run(["git", "-C", str(ours), "mktree"], input=made.encode(), capture_output=True,
                              check=True).stdout.decode().strip()  # fmt: skip
    git(ours, "update-ref", "refs/heads/bomb", git(ours, "commit-tree", tree, "-m", "bomb"))
    monkeypatch.setattr("readback.compare.git.MAX_ANSWER", 1 << 20)
    with pytest.raises(SideError, match="names more than is looked at"):
        copy_revision(ours, "bomb")


def test_c1_git_is_not_asked_about_an_upload(theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where the folder of uploads lies in a repository of the server."""
    monkeypatch.setenv("READBACK_UPLOADS", str(theirs / "uploads"))
    monkeypatch.setattr("readback.compare.git._find_at", lambda *_: pytest.fail("a repository was looked for"))
    me = upload.owner("me")
    token, _ = upload.save([("study/readback.yml", io.BytesIO(FILE.encode()))], me)
    folder = upload.path(token, me)
    assert folder is not None
    (folder / ".git").write_text(f"gitdir: {theirs / '.git'}\n")
    for one in (folder, folder / "study"):
        refused(one, "was uploaded, and nothing uploaded is read with git")
    monkeypatch.delenv("READBACK_UPLOADS")
    refused(folder, "was uploaded")  # also for another process, which keeps uploads elsewhere


def test_c1_the_command_says_it_in_one_sentence(tmp_path: Path, theirs: Path, capsys: Any) -> None:
    folder = a_workspace(tmp_path / "hostile")
    (folder / "data.jsonl").write_text('{"id": "1", "q": "x"}\n')
    a_file_named_git(folder, theirs)
    assert main(["diff", str(folder), "--a", "mode=m", "--b", "rev=HEAD"]) == 2
    said = capsys.readouterr()
    assert "its .git is a file, and the repository that it names lies elsewhere" in said.err
    assert (SECRET in said.err + said.out, "Traceback" in said.err, said.err.count("\n")) == (False, False, 1)


@pytest.mark.parametrize("name", [".git", ".GIT", ".Git", ".git.", ".git ", ".git. .", ".g\u200cit", "git~1", "GIT~1"])
def test_c1_a_name_that_a_file_system_takes_for_gits_directory(name: str) -> None:
    assert is_git_folder(name)


@pytest.mark.parametrize("name", [".gitignore", ".github", "git", "x.git", ".git-blame", ".gitkeep", "..git"])
def test_c1_a_name_that_is_nothing_of_git(name: str) -> None:
    assert not is_git_folder(name)

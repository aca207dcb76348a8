"""A repository of the local Hugging Face cache, opened by its id: which revision, and what is said without one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from looking import page, said

from readback import cli, workspace
from readback.readers import hub_cache
from readback.readers.hub_cache import NotCached

OLD, NEW = "0a" * 20, "1b" * 20
FILES = {
    "prompt_config.yml": "prompts: [{mode: a, template: t.jinja}, {mode: out, template: out.jinja}]\n",
    "t.jinja": "Q: {{ query }}",
    "d.jsonl": '{"id": "1", "query": "Why?"}\n',
}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with one repository in two revisions, of which `main` is the newer one."""
    home = tmp_path / "hub"
    entry = home / "models--org--prompts"
    for i, (name, text) in enumerate(FILES.items()):
        (entry / "blobs").mkdir(parents=True, exist_ok=True)
        (entry / "blobs" / str(i)).write_text(text, "utf-8")
        (entry / "blobs" / f"old{i}").write_text(text.replace("Q: ", "Question: "), "utf-8")
        for revision, blob in ((NEW, str(i)), (OLD, f"old{i}")):
            (entry / "snapshots" / revision).mkdir(parents=True, exist_ok=True)
            (entry / "snapshots" / revision / name).symlink_to(f"../../blobs/{blob}")
    (tmp_path / "secret.jinja").write_text("secret", "utf-8")
    (entry / "snapshots" / NEW / "out.jinja").symlink_to("../../../../secret.jinja")
    (entry / "refs").mkdir()
    (entry / "refs/main").write_text(NEW, "utf-8")
    (home / "models--org--other").mkdir()
    monkeypatch.setenv("HF_HUB_CACHE", str(home))
    monkeypatch.chdir(tmp_path)
    return home


@pytest.mark.parametrize(
    ("asked", "revision", "text"),
    [
        ("org/prompts", NEW, "Q: {{ query }}"),
        ("org/prompts@main", NEW, "Q: {{ query }}"),
        (f"org/prompts@{OLD}", OLD, "Question: {{ query }}"),
        (f"org/prompts@{OLD[:7]}", OLD, "Question: {{ query }}"),
    ],
)
def test_a_repository_is_opened_at_its_revision(hub: Path, asked: str, revision: str, text: str) -> None:
    opened = workspace.open(asked)
    assert opened.root == hub / "models--org--prompts/snapshots" / revision
    assert opened.name == f"org/prompts@{revision[:8]}"
    assert opened.prompts["a"].template == text
    assert "out" not in opened.prompts
    assert {one.code for one in opened.diagnostics} >= {
        "alb-template-path" if revision == NEW else "alb-template-missing"
    }


def test_the_command_says_which_revision_it_reads(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["render", "org/prompts", "--mode", "a"]) == 0
    told = capsys.readouterr()
    assert f"org/prompts is revision {NEW}" in told.err
    assert "Q: Why?" in told.out


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("org/promts", "did you mean 'org/prompts'"),
        ("nobody/nothing", "there are: org/other, org/prompts"),
        ("org/prompts@ffff", "no revision of 'org/prompts' in the local Hugging Face cache begins with 'ffff'"),
        ("org/other", "it has no files there"),
    ],
)
def test_without_it_the_place_and_what_is_there_are_named(
    hub: Path, asked: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", asked]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert str(hub) in told or "'org/" in told
    assert "Traceback" not in told


def test_two_revisions_and_no_main_ask_for_one(hub: Path) -> None:
    shutil.rmtree(hub / "models--org--prompts/refs")
    with pytest.raises(NotCached, match=f"write org/prompts@REVISION; there are: {OLD[:8]}, {NEW[:8]}"):
        hub_cache.find("org/prompts")


def test_a_folder_of_that_name_comes_first(hub: Path) -> None:
    (hub.parent / "org/prompts").mkdir(parents=True)
    (hub.parent / "org/prompts/d.jsonl").write_text('{"id": "1"}\n', "utf-8")
    assert workspace.open("org/prompts").root == hub.parent / "org/prompts"


def test_links_among_the_folders_of_the_cache_lead_nowhere(hub: Path, tmp_path: Path) -> None:
    (hub / "models--org--linked").symlink_to(hub / "models--org--prompts")
    with pytest.raises(NotCached):
        hub_cache.find("org/linked")
    shutil.rmtree(hub / "models--org--prompts/refs")
    (hub / "models--org--prompts/refs").symlink_to(tmp_path)
    (tmp_path / "main").write_text(OLD, "utf-8")
    with pytest.raises(NotCached):
        hub_cache.find("org/prompts")


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("org/name", True),
        ("org/name@v1.0", True),
        ("org/name@refs/pr/1", True),
        ("../name", False),
        ("org/..", False),
        ("org/a@../../x", False),
        ("org--x/name", False),
        ("org/name/file.yml", False),
        ("name", False),
        ("org/name\n", False),
        ("", False),
    ],
)
def test_what_may_be_the_id_of_a_repository(said: str, right: bool) -> None:
    assert hub_cache.is_repository(said) is right


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"HF_HUB_CACHE": "/a", "HF_HOME": "/b"}, "/a"),
        ({"HUGGINGFACE_HUB_CACHE": "/c", "HF_HOME": "/b"}, "/c"),
        ({"HF_HOME": "/b", "XDG_CACHE_HOME": "/x"}, "/b/hub"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub"),
        ({}, str(Path("~/.cache/huggingface/hub").expanduser())),
    ],
)
def test_the_cache_is_where_huggingface_hub_looks(environment: dict[str, str], folder: str) -> None:
    assert str(hub_cache.cache(environment)) == folder


def test_the_page_opens_the_repository_that_the_server_was_told_and_no_other(
    hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", "org/prompts")
    assert "Q: " in said(page("prompts", mode="a"))
    monkeypatch.setenv("READBACK_WORKSPACE", str(hub.parent))
    told = said(page("open", workspace="org/prompts"))
    assert "org/prompts@" not in told

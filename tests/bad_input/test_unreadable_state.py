"""A state folder that the account may not read: every command and page says so, or does what needs no review."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest

NOBODY = 65_534
STEP = "let READBACK_STATE name a folder"
PAGES = ("", "open", "records", "messages", "findings", "scores", "compare", "agenda", "review", "about")
COMMANDS = (
    ("check {}", 0), ("check {} --format json", 0), ("scores {}", None), ("search {} Why", 0), ("render {}", 0),
    ("export {} --as messages-jsonl --mode prompt -o e.jsonl", 0), ("init {} --print", 0),
    ("agenda {}", 2), ("review list {}", 2), ("review verify {}", 2), ("review note {} --as A --text x", 2),
    ("report {} -o r.html", 2), ("review export {} -o r.jsonl", 2), ("doctor", 0),
)  # fmt: skip
RUN = """
import contextlib, io, json, traceback
from readback.cli import main
for words in json.loads(%r):
    out, err, code = io.StringIO(), io.StringIO(), "nothing"
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as left:
            code = left.code
        except BaseException:
            traceback.print_exc()
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
LOOK = """
import json
from looking import page, words
for name in json.loads(%r):
    shown = page(name)
    text = " ".join([words(shown), *(one.value for one in shown.code)])
    print(json.dumps([name, [one.value for one in shown.exception], text]))
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that any account may enter, with a study and a state folder that none but its owner may."""
    home = Path(tempfile.mkdtemp(prefix="readback-state-"))
    home.chmod(0o755)
    study = home / "study"
    study.mkdir()
    (study / "rows.jsonl").write_text('{"id": "1", "question": "Why?"}\n{"id": "2", "question": "Who?"}\n')
    (study / "prompt.txt").write_text("Answer {question}.")
    for name in ("cache", "out", "home"):
        (home / name).mkdir()
        (home / name).chmod(0o777)
    (home / "state").mkdir()
    (home / "state").chmod(0 if os.geteuid() else 0o700)
    yield home
    (home / "state").chmod(0o700)
    rmtree(home)


def run(place: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """The command as an account that may not look into the state folder."""
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": ()} if os.geteuid() == 0 else {}
    env = {
        **os.environ, "READBACK_STATE": str(place / "state"), "READBACK_CACHE": str(place / "cache"),
        "READBACK_WORKSPACE": str(place / "study"), "HOME": str(place / "home"), "PYTHONDONTWRITEBYTECODE": "1",
        "READBACK_UPLOADS": str(place / "out" / "uploads"),
    }  # fmt: skip
    support = Path(__file__).resolve().parents[1] / "support"
    env["PYTHONPATH"] = str(support)
    return subprocess.run(
        [sys.executable, *command], env=env, cwd=place / "out", capture_output=True, text=True, check=False, **other
    )  # type: ignore[call-overload,no-any-return]


def test_a_command_says_so_or_does_what_needs_no_review(place: Path) -> None:
    """One process does them one after the other, and the last of those that need a review is one of its own."""
    asked = [command.format(place / "study").split() for command, _ in COMMANDS]
    done = run(place, "-c", RUN % json.dumps(asked))
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(COMMANDS)
    alone = run(place, "-m", "readback.cli", *asked[-2])
    for (command, code), (left, out, err) in zip(
        [*COMMANDS, COMMANDS[-2]], [*answers, [alone.returncode, alone.stdout, alone.stderr]], strict=True
    ):
        assert "Traceback" not in err + out, command
        assert left == code or (code is None and isinstance(left, int)), (command, left, err)
        if code == 2:
            assert "state" in err, command
            assert STEP in err, command
    assert not list((place / "out").glob("r.*"))


def test_every_page_says_so_or_does_what_needs_no_review(place: Path) -> None:
    done = run(place, "-c", LOOK % json.dumps(PAGES))
    assert done.returncode == 0, done.stderr
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, _, _ in shown] == list(PAGES)
    assert [errors for _, errors, _ in shown] == [[]] * len(PAGES)
    for name, _, text in shown:
        if name not in ("open", "about", "records"):
            assert "The review of this workspace cannot be read." in text, name
            assert STEP in text, name
        if name == "review":
            assert "Nobody has signed, decided or noted anything" not in text

"""What `make check` and `make docs` do with the page of the rules; no page links to what is not there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from readback.project_files import PROJECT

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
Make = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """make(target, said) runs a target of the Makefile where `readback` is this shell script."""
    shutil.copy(PROJECT / "Makefile", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "temporary").mkdir()

    def run(target: str, readback: str) -> subprocess.CompletedProcess[str]:
        for name in ("ruff", "mypy", "lint-imports", "python", "readback"):
            script = tmp_path / "bin" / name
            script.write_text(f"#!/bin/sh\n{readback if name == 'readback' else 'exit 0'}\n")
            script.chmod(0o755)
        words = ["make", "--silent", "--old-file=setup", target, "BIN=bin"]
        surroundings = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, env=surroundings)

    return run


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
@pytest.mark.parametrize(
    ("script", "good"), [("echo '# Rules'", True), ("exit 0", False), ("echo '# Rules'; exit 3", False)]
)
def test_a_page_of_the_rules_that_is_empty_or_fails_stops_the_check(
    make: Make, tmp_path: Path, script: str, good: bool
) -> None:
    done = make("check", script)
    assert (done.returncode == 0, "cannot be built" in done.stdout) == (good, not good)
    assert list((tmp_path / "temporary").iterdir()) == []
    made = make("docs", script)
    assert (made.returncode == 0, (tmp_path / "docs" / "rules.md").exists()) == (good, good)


def test_every_link_between_the_pages_of_the_documentation_leads_somewhere() -> None:
    """The page of the rules is built and not kept, so that a link to it leads nowhere where nobody built it."""
    pages = [PROJECT / "README.md", PROJECT / "CHANGELOG.md", *(PROJECT / "docs").rglob("*.md")]
    built = PROJECT / "docs" / "rules.md"
    links = [(page, link) for page in pages if page != built for link in LINK.findall(page.read_text("utf-8"))]
    own = [(page, page.parent / link) for page, link in links if not re.match(r"[a-z]+:", link)]
    assert len(own) > 10
    assert [(page.name, path.name) for page, path in own if not path.exists() or path == built] == []


def test_every_slow_test_is_there() -> None:
    files: dict[str, str] = {}
    for path in (PROJECT / "tests").rglob("test_*.py"):  # two folders may have a file of the same name
        files[path.name] = files.get(path.name, "") + path.read_text("utf-8")
    for name in (PROJECT / "tests" / "slow.txt").read_text("utf-8").split():
        file, _, function = name.partition("::")
        assert f"\ndef {function}(" in files[file], name

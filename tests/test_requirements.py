"""What is installed: every package with its hashes, what belongs to an extra not in the plain list, and its audit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from readback.project_files import PROJECT

FILES = ("requirements.txt", "requirements-extras.txt", "requirements-dev.txt", "requirements-audit.txt")
ENTRY = re.compile(
    r"^([A-Za-z0-9._-]+)==(\S+)(?: ; [^\n\\]*)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE
)


def read_entries(name: str) -> dict[str, str]:
    """Return the version of each package of a requirements file; every line belongs to an entry or is a comment."""
    text = (PROJECT / name).read_text("utf-8")
    left = ENTRY.sub("", text)
    assert [line for line in left.splitlines() if not line.startswith("#")] == []
    return {found[1].lower().replace("_", "-"): found[2] for found in ENTRY.finditer(text)}


def test_every_package_has_a_version_and_hashes_and_stands_in_one_file() -> None:
    plain, extras, dev, audit = map(read_entries, FILES)
    assert min(map(len, (plain, extras, dev, audit))) > 20
    assert plain.keys() & extras.keys() == plain.keys() & dev.keys() == extras.keys() & dev.keys() == set()
    everything = plain | extras | dev
    assert {name: version for name, version in audit.items() if everything.get(name, version) != version} == {}


def test_a_plain_installation_has_nothing_of_an_extra() -> None:
    plain = read_entries("requirements.txt")
    assert {"huggingface-hub", "hf-xet", "httpx2", "tokenizers", "fsspec", "distributed"} & plain.keys() == set()


def test_what_the_project_names_is_locked() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    extras = [name for names in project["project"]["optional-dependencies"].values() for name in names]
    groups = project["dependency-groups"]
    lists = (project["project"]["dependencies"], extras, groups["dev"], groups["audit"])
    known: set[str] = set()
    for file, names in zip(FILES, lists, strict=True):
        known |= read_entries(file).keys()
        bare = {re.split(r"[<>=~ ]", name)[0].lower() for name in names}
        assert bare - known == set(), file


def test_an_action_of_a_workflow_is_named_by_its_commit() -> None:
    for path in (PROJECT / ".github" / "workflows").glob("*.yml"):
        uses = re.findall(r"uses: (.*)", path.read_text("utf-8"))
        assert uses
        assert [one for one in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", one)] == []


ASKED = {"name": "a", "version": "1", "vulns": []}
WEAK = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "version": "3", "skip_reason": "not known there"}


@pytest.mark.parametrize(
    ("entries", "code", "lines"),
    [
        ([ASKED], 0, ["audit: 1 of 1 packages were audited; 0 known weaknesses"]),
        (
            [ASKED, WEAK, UNKNOWN],
            1,
            [
                "audit: b 2 has PYSEC-1; repaired in 3",
                "audit: 2 of 3 packages were audited; 1 known weaknesses",
            ],
        ),
        (
            [UNKNOWN],
            0,
            ["audit: no source of advisories can be reached here, so nothing was audited (not known there)"],
        ),
        (
            None,
            0,
            ["audit: no source of advisories can be reached here, so nothing was audited (ConnectionError)"],
        ),
    ],
)
def test_an_audit_fails_for_a_known_weakness_and_never_for_want_of_a_network(
    entries: list[object] | None, code: int, lines: list[str], tmp_path: Path
) -> None:
    """pip-audit is a module here that prints what it is told to."""
    if entries is None:
        program = "raise SystemExit('Traceback\\nConnectionError: no route to a host')"
    else:
        program = f"print({json.dumps({'dependencies': entries})!r}); raise SystemExit(1)"
    (tmp_path / "pip_audit.py").write_text(program, "utf-8")
    done = subprocess.run(
        [sys.executable, str(PROJECT / ".ci" / "audit.py"), "requirements.txt"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stdout.splitlines()) == (code, lines)

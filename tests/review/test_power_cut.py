"""A power cut while a review is written: what was said to be saved is there afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from counts import LONG, many
from test_review_store import SAVE

from readback.review import store
from readback.review.store import Store

SHIM = Path(__file__).with_name("power_cut.c")
COMPILER = shutil.which("cc") or shutil.which("gcc")


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READBACK_STATE", str(tmp_path / "state"))  # a review is opened nowhere else


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that keeps what was synced; without a compiler there is none, and CI says that it needs one."""
    if COMPILER is None:
        pytest.skip("no C compiler: power cuts cannot be simulated")
    made = tmp_path_factory.mktemp("shim") / "power_cut.so"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", made, SHIM, "-ldl"], check=True)
    return made


def cut(shim: Path, home: Path, kept: Path, saves: int, code: str = SAVE) -> list[str]:
    """Save until so many were acknowledged, cut the power, and leave of the files what the disk has; the ids."""
    env = {**os.environ, "LD_PRELOAD": str(shim), "POWER_DIR": str(home), "POWER_KEPT": str(kept)}
    command = [sys.executable, "-c", code, str(home), str(home / "review.sqlite3")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    assert child.stdout is not None
    said = [child.stdout.readline().strip() for _ in range(saves)]
    os.kill(child.pid, signal.SIGKILL)
    said += [line.strip() for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    child.wait()
    for file in [*home.iterdir()]:
        file.unlink()
    for file in kept.iterdir():
        if not file.name.startswith("."):
            shutil.copyfile(file, home / file.name)
    return said


@pytest.mark.long
def test_a_power_cut_loses_nothing_that_was_saved(shim: Path, tmp_path: Path) -> None:
    home, kept = tmp_path / "state", tmp_path / "kept"
    home.mkdir()
    kept.mkdir()
    said: list[str] = []
    for number in range(many(500)):
        said += cut(shim, home, kept, 2 + number % 5)
        held = Store(home, home / "review.sqlite3")
        ids = [event.id for event in held.events()]
        held.close()
        assert set(said) <= set(ids)
        assert len(ids) == len(set(ids))
        assert held.broken() is None
        held.close()


def test_the_simulation_loses_what_is_not_synced(shim: Path, tmp_path: Path) -> None:
    """The test above can fail: with synchronous=OFF something that was said to be saved is gone."""
    home, kept = tmp_path / "state", tmp_path / "kept"
    home.mkdir()
    kept.mkdir()
    loose = SAVE.replace(
        "from pathlib", f"import readback.review.store as store\nstore.PRAGMAS = {LOOSE!r}\nfrom pathlib", 1
    )
    said = cut(shim, home, kept, 4, loose)
    held = Store(home, home / "review.sqlite3")
    assert not set(said) <= {event.id for event in held.events()}


TRY = """
import sys
from pathlib import Path
from readback.review.event import Draft, NotSaved, new_id
from readback.review.store import Store
store = Store(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(4):
    draft = Draft("note", {"text": f"note {number}"}, "Ada", "cli", new_id())
    try:
        store.save(draft)
        print(draft.id, flush=True)
    except NotSaved as error:
        print("not saved:", error, flush=True)
"""


@pytest.mark.long
@pytest.mark.parametrize("how", ["", "+1"])
def test_a_disk_that_fails_saves_or_says_not_saved(shim: Path, tmp_path: Path, how: str) -> None:
    """Each write and sync in turn fails, and all after it or it alone."""
    refused = 0
    for at in range(1, 151, 1 if LONG else 50):
        home = tmp_path / str(at)
        home.mkdir()
        env = {**os.environ, "LD_PRELOAD": str(shim), "POWER_DIR": str(home), "POWER_FAIL": f"{at}{how}"}
        command = [sys.executable, "-c", TRY, str(home), str(home / "review.sqlite3")]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        said = done.stdout.splitlines()
        assert len(said) == 4
        refused += sum(line.startswith("not saved: ") for line in said)
        held = Store(home, home / "review.sqlite3")
        ids = [event.id for event in held.events()]
        assert {line for line in said if not line.startswith("not saved")} <= set(ids)
        assert len(ids) == len(set(ids)) <= 4
        assert held.broken() is None
        held.close()
    assert refused > 0


LOOSE = tuple("synchronous=OFF" if one.startswith("synchronous") else one for one in store.PRAGMAS)

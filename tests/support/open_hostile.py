"""What is done with a hostile workspace while a tracer watches: it is opened, checked, shown, uploaded, drawn."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from hostile import archive

from readback import workspace
from readback.cli import main
from readback.compare.git import Git
from readback.compare.side import SideError
from readback.prompts.selections import list_selections
from readback.ui.common.state.stamp import stamp
from readback.ui.common.uploads import store as upload


def command(*words: str) -> str:
    """What a command prints on both streams."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main(list(words))
        except SystemExit as left:
            print(left.code)
    return out.getvalue()


def shown(folder: Path) -> str:
    """Everything that Readback says of a workspace."""
    said = [command("check", str(folder), "--format", "json", "--jobs", "1")]
    try:
        opened = workspace.open(folder)
    except workspace.NothingRead as nothing:
        return said[0] + nothing.reason
    said.append(workspace.init_text(opened))
    asked: list[tuple[str, Any]] = []
    for one in list(list_selections(opened))[:2]:
        asked += [(name, value) for name in ("condition", "mode", "task", "judge") if (value := getattr(one, name))][:1]
    for name, value in dict.fromkeys(asked):
        said.append(command("render", str(folder), f"--{name}", value, "--format", "json", "--wire"))
        said.append(command("diff", str(folder), "--a", f"{name}={value}", "--b", "rev=HEAD"))
    said += [command(name, str(folder)) for name in ("scores", "adapters")]
    own = [path for path in folder.glob("Modelfile.*") if not path.is_symlink()]
    said += [command("modelfile", str(path)) for path in own]
    try:
        with Git(folder) as git:
            said.append(repr(list(git.list_commits(9))))
            for rev in ("theirs", "ORIG_HEAD"):
                with contextlib.suppress(SideError):
                    said.append(git.find_commit(rev))
    except SideError as refused:
        said.append(str(refused))
    said.append(repr(stamp(folder)))
    return "\n".join(said)


def drawn(folder: Path) -> str:
    """The pages of a workspace."""
    from looking import page, words

    os.environ["READBACK_WORKSPACE"] = str(folder)
    said = []
    for name, params in (("open", {}), ("messages", {}), ("overview", {}), ("compare", {"differs": "version"})):
        said.append(words(page(name, **params)))
    return "\n".join(said)


def run(home: Path, pages: bool) -> str:
    """One workspace: as it lies on the disk, then as it is uploaded."""
    said = [shown(home / "ws")]
    me = upload.owner("me")
    token, diagnostics = upload.save([("w.zip", io.BytesIO(archive(home / "ws")))], me)
    said += [repr(diagnostics), shown(upload.path(token, me) or home / "ws")]
    upload.delete(token, me)
    if pages:
        said.append(drawn(home / "ws"))
    return "\n".join(said)


def all_of_them(base: Path, every: int) -> None:
    """Each workspace below `base`, with a file opened before it so that a trace can be told apart."""
    warm = base / "warm"
    warm.mkdir()
    (warm / "readback.yml").write_text("modes: [{mode: m, template: x}]\n")
    shown(warm)
    for home in sorted(base.glob("[0-9]*")):
        (home / "began").read_bytes()
        try:
            text = run(home, int(home.name) % every == every - 1)
        except Exception:
            text = f"FAILED {traceback.format_exc()}"
        (home / "answer").write_text(text, "utf-8", errors="backslashreplace")


if __name__ == "__main__":
    all_of_them(Path(sys.argv[1]), int(sys.argv[2]))

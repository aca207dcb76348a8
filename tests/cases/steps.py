"""What a row of the table of cases runs, and what must come out.

Each function here returns a step: a function of the case's folder that runs one command in process, as a person would,
and asserts something of what it printed.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readback import cli

Step = Callable[[Path], None]
CASES = Path(__file__).parent
LEVELS = ("info", "warning", "error")


@dataclass(frozen=True)
class Row:
    """A case: its folder, and what must come out."""

    folder: str
    steps: tuple[Step, ...]

    @property
    def sentence(self) -> str:
        """The right answer, as the folder's EXPECT.md puts it."""
        return (CASES / self.folder / "EXPECT.md").read_text("utf-8").strip()


def row(folder: str, *steps: Step) -> Row:
    """Return a row of the table."""
    return Row(folder, steps)


def run(*words: str) -> tuple[int, str, str]:
    """Run a command; return its exit code, its standard output and its standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(words)
    return code, out.getvalue(), err.getvalue()


def read_findings(folder: Path) -> list[dict[str, Any]]:
    """Return the findings of a folder, those of its scores included, as `check --format json` writes them."""
    _, out, err = run("check", str(folder), "--format", "json", "--all")
    assert out, err
    findings: list[dict[str, Any]] = json.loads(out)["findings"]
    return findings


def write_place(finding: dict[str, Any]) -> str:
    """Return `file:line:column` of a finding, as far as it has them."""
    place = finding["place"]
    parts = [str(place[name]) for name in ("file", "line", "column") if place[name] is not None]
    return ":".join(parts)


def describe(findings: Collection[dict[str, Any]]) -> str:
    """Return the findings as lines for a failed assertion."""
    lines = [f"{one['severity']} {one['code']} {write_place(one)}: {one['message']}" for one in findings]
    return "\n".join(["the findings are:", *lines])


def finding(
    code: str = "",
    severity: str = "",
    place: str = "",
    *,
    count: int | None = 1,
    phrase: str = "",
    records: Collection[str] = (),
) -> Step:
    """Expect findings that have this code, this severity and a text (message or fix) that holds the expression
    `phrase`: `count` of them (None: any number from 1), one of them at `place` (`file`, `file:line` or
    `file:line:column`), and together in just these `records`, if any are named. What is empty is not asked for.
    """

    def check(folder: Path) -> None:
        everything = read_findings(folder)
        chosen = [one for one in everything if code in ("", one["code"]) and severity in ("", one["severity"])]
        if phrase:
            chosen = [one for one in chosen if re.search(phrase, f"{one['message']} {one['fix']}", re.IGNORECASE)]
        seen = describe(everything)
        assert chosen, seen
        if count is not None:
            assert len(chosen) == count, seen
        if place:
            places = [write_place(one) for one in chosen]
            assert any(there == place or there.startswith(f"{place}:") for there in places), seen
        if records:
            assert sorted(one["place"]["record"] for one in chosen) == sorted(records), seen

    return check


def no_findings(at_least: str = "warning") -> Step:
    """Expect no finding of this severity or a higher one."""

    def check(folder: Path) -> None:
        severities = LEVELS[LEVELS.index(at_least) :]
        wrong = [one for one in read_findings(folder) if one["severity"] in severities]
        assert not wrong, describe(wrong)

    return check


def no_code(*codes: str) -> Step:
    """Expect none of these codes."""

    def check(folder: Path) -> None:
        wrong = [one for one in read_findings(folder) if one["code"] in codes]
        assert not wrong, describe(wrong)

    return check


def prints(*words: str, phrase: str = "", absent: str = "", code: int | None = None) -> Step:
    """Run `readback WORD FOLDER WORD…` and expect the expression `phrase` in what it prints (standard error included),
    not the expression `absent`, and this exit code. What is empty or None is not asked for.
    """

    def check(folder: Path) -> None:
        ended, out, err = run(words[0], str(folder), *words[1:])
        printed = out + err
        if phrase:
            assert re.search(phrase, printed, re.IGNORECASE), printed
        if absent:
            assert not re.search(absent, printed, re.IGNORECASE), printed
        if code is not None:
            assert ended == code, printed

    return check


def sends(record: str, role: str, text: str, *choice: str) -> Step:
    """Expect the message with this role, for this record, to be this text, character for character; `choice` are
    further options of `render`.
    """

    def check(folder: Path) -> None:
        _, out, err = run("render", str(folder), "--record", record, "--format", "json", *choice)
        assert out, err
        messages = json.loads(out)["messages"]
        assert [one["text"] for one in messages if one["role"] == role] == [text]

    return check


def mean(
    condition: str,
    criterion: str,
    value: float,
    *,
    n: int,
    failed: int = 0,
    missing: int = 0,
    judge: str | None = None,
) -> Step:
    """Expect this row of `scores --format json`; `condition` is the value of its only factor, or empty."""

    def check(folder: Path) -> None:
        _, out, err = run("scores", str(folder), "--format", "json")
        assert out, err
        rows = json.loads(out)["rows"]
        for one in rows:
            if (
                one["criterion"] == criterion
                and one["judge"] == judge
                and condition in (*one["condition"].values(), "")
            ):
                assert abs(one["mean"] - value) < 1e-4, one
                assert (one["n"], one["failed"], one["missing"]) == (n, failed, missing), one
                return
        raise AssertionError(json.dumps(rows, indent=1))

    return check

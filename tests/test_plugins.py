"""What other packages add: it is read, fires and is offered; what is broken is said in a sentence and costs no more."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from readback import plugins
from readback.plugins import SHAPES, Unfit
from readback.project_files import PROJECT

Write = Callable[[Mapping[str, Any]], Path]
Run = Callable[..., subprocess.CompletedProcess[str]]
EXAMPLE = PROJECT / "docs" / "plugin-example"
INI = "[ellery-01]\nquestion = Hello, when is high water?\n; a remark\n\n[ellery-02]\nquestion = Where is the lock?\n"
FILES = {
    "data.ini": INI,
    "short.jinja": "{{ question }}",
    "stars.jsonl": [{"asked": f"ellery-0{n}", "stars": {"gateway": 4, "direct": n}} for n in (1, 2)],
}


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that packages are installed in, on the search path of the commands below."""
    return tmp_path_factory.mktemp("site")


@pytest.fixture
def run(site: Path) -> Run:
    """run(words …) runs Python with these words where the packages of `site` are installed."""

    def python(*words: Any) -> subprocess.CompletedProcess[str]:
        surroundings = {**os.environ, "PYTHONPATH": str(site)}
        return subprocess.run(
            [sys.executable, *map(str, words)], capture_output=True, text=True, check=False, env=surroundings
        )

    return python


def readback(run: Run, *words: Any) -> subprocess.CompletedProcess[str]:
    return run("-m", "readback.cli", *words)


SEVERAL = """
import contextlib, io, json, sys
from readback.cli import main
for words in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as errors:
        main(words)
    print(json.dumps([said.getvalue(), errors.getvalue()]))
"""


def answers(run: Run, *commands: tuple[Any, ...]) -> list[tuple[str, str]]:
    """What several commands say on both streams; one process runs them, one after the other."""
    done = run("-c", SEVERAL, json.dumps([[str(word) for word in words] for words in commands]))
    assert not done.stderr
    said = [tuple(json.loads(line)) for line in done.stdout.splitlines()]
    assert len(said) == len(commands)
    return said


def install(site: Path, package: str, points: Mapping[str, Mapping[str, str]], modules: Mapping[str, str]) -> None:
    """A package as an installer leaves it: its modules, and its metadata beside them."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = (
        f"[readback.{group}]\n" + "".join(f"{n} = {v}\n" for n, v in named.items()) for group, named in points.items()
    )
    (info / "entry_points.txt").write_text("\n".join(lines))
    for name, text in modules.items():
        (site / name).write_text(text)


def install_example(site: Path) -> None:
    """The example's modules with its own list of entry points, without building it."""
    import tomllib

    shutil.copytree(EXAMPLE / "src" / "readback_harbour", site / "readback_harbour")
    stated = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]
    install(site, "readback-harbour", {group.partition(".")[2]: named for group, named in stated.items()}, {})


def test_without_plugins_there_is_nothing_to_load() -> None:
    ours = [one for one in plugins.list_entries() if one.package != "readback-harbour"]
    assert ours == list(plugins.list_entries()), "the example is installed beside the tests"
    assert not plugins.load_plugins("rules")


def check_the_example(run: Run, folder: Path) -> str:
    """Check what the example's packages do; return what was said beside the answers."""
    said, errors = zip(*answers(
        run,
        ("check", folder, "--format", "json"),
        ("render", folder, "--record", "ellery-02", "--format", "json"),
        ("scores", folder, "--format", "json"),
        ("rule", "ext-greeting"),
        ("check", folder, "--select", "ext", "-q"),
    ), strict=True)  # fmt: skip
    checked, rendered, scored = map(json.loads, said[:3])
    assert checked["records"] == {"read": 2, "bad": 0, "blank": 0, "lines": 6}
    fired = [(one["code"], one["place"]["record"]) for one in checked["findings"] if one["code"].startswith("ext-")]
    assert fired == [("ext-greeting", "ellery-01")]
    assert [row["mode"] for row in checked["conditions"]] == ["short"]
    assert rendered["messages"][0]["text"] == "Where is the lock?"
    assert {(row["condition"]["condition"], row["judge"], row["mean"]) for row in scored["rows"]} == {
        ("gateway", "visitors", 4.0), ("direct", "visitors", 1.5),
    }  # fmt: skip
    assert "A user message begins with a greeting." in said[3]
    assert said[4].count("ext-greeting") == 1
    return "".join(errors)


@pytest.mark.slow
def test_the_example_is_built_installed_and_used(run: Run, site: Path, write: Write, tmp_path: Path) -> None:
    source = shutil.copytree(EXAMPLE, tmp_path / "source")
    words = ("install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(site))
    subprocess.run([sys.executable, "-m", "pip", *words, str(source)], check=True)
    (tmp_path / "study").mkdir()
    shutil.rmtree(source)
    folder = write({f"study/{name}": content for name, content in FILES.items()}) / "study"
    check_the_example(run, folder)
    surroundings = json.loads(readback(run, "doctor", "--format", "json").stdout)["plugins"]
    assert "plugin 'ini' of readback-harbour 0.1.0 (readback.formats)" in surroundings
    assert len(surroundings) == 3
    assert not any("left out" in one for one in surroundings)


AUDIT = """
import sys
from readback import workspace
from readback.checks.run import process
process.SMALL = -1
found = process.check(workspace.open(sys.argv[1]))
print([(one.code, one.place.record) for one in found.findings if one.code.startswith("ext-")])
"""


@pytest.mark.slow
def test_the_process_of_the_pages_check_sees_them_too(run: Run, site: Path, write: Write) -> None:
    install_example(site)
    done = run("-c", AUDIT, write(FILES))
    assert (done.stdout, done.stderr) == ("[('ext-greeting', 'ellery-01')]\n", "")


GOOD = "NAME, SUFFIXES = 'good', ('.good',)\n"
GOOD += "def rows(stream, file):\n    return iter(())\ndef parse(raw, shape):\n    return {}\n"
RULE = '"""A title.\n\nWhat."""\nCODE, SEVERITY, ON = "ext-a", "info", "record"\n'
RULE += 'SENTENCE, FIX, PASS, FAIL = "s", "f", (), ()\n'
RULE += "def check(case):\n    return iter(())\n"
BROKEN = {
    # kind, name: (entry point, file, its text, what is said)
    ("formats", "absent"): ("no_such_module", None, "", "it cannot be loaded (ModuleNotFoundError: No module named"),
    ("formats", "raises"): ("p_raises", "p_raises.py", "1 / 0",
                            "it cannot be loaded (ZeroDivisionError: division by zero)"),
    ("formats", "leaves"): ("p_leaves", "p_leaves.py", "import sys; sys.exit(3)",
                            "it cannot be loaded (SystemExit: 3)"),
    ("formats", "wrong"): ("p_wrong", "p_wrong.py", "raise ValueError('a\\nb\\x1b[31m')", "(ValueError: a b\\x1b[31m)"),
    ("formats", "nameless"): ("p_nameless", "p_nameless.py", "", "it has no NAME, which is a text"),
    ("formats", "endless"): ("p_endless", "p_endless.py", "NAME = 'x'", "it has no SUFFIXES"),
    ("formats", "dotless"): ("p_dotless", "p_dotless.py", "NAME = 'x'; SUFFIXES = ('ini',)", "are not endings"),
    ("formats", "yaml"): ("p_yaml", "p_yaml.py", "NAME = 'x'; SUFFIXES = ('.yml',)", "are read as something else"),
    ("formats", "rowless"): ("p_rowless", "p_rowless.py", "NAME = 'x'; SUFFIXES = ('.x',)", "it has no function rows"),
    ("formats", "csv"): ("p_csv", "p_csv.py", GOOD.replace("'good'", "'csv'"), "the name 'csv' is taken by Readback"),
    ("formats", "tab"): ("p_tab", "p_tab.py", GOOD.replace("'good'", "'t'").replace(".good", ".tab"),
                         "the ending '.tab' is that of another format"),
    ("formats", "zz_again"): ("p_good", None, "", "the name 'good' is taken by another plugin"),
    ("dialects", "older"): ("p_older", "p_older.py", "", "packages bring no dialects any more"),
    ("rules", "ours"): ("p_ours", "p_ours.py", RULE.replace("ext-a", "fmt-markers"), "its CODE is 'fmt-markers'"),
    ("rules", "grave"): ("p_grave", "p_grave.py", RULE.replace('"info"', '"grave"'), "its SEVERITY is none of 'error'"),
    ("rules", "on"): ("p_on", "p_on.py", RULE.replace('"record"', '"moon"'), "what it looks at, ON, is none of 'load'"),
    ("rules", "again"): ("p_again", "p_again.py", RULE, ""),
    ("rules", "once_more"): ("p_more", "p_more.py", RULE, "the code 'ext-a' is taken by another plugin"),
    ("adapters", "older"): ("p_older:PATH", None, "", "packages bring no adapters any more"),
    ("scores", "shapeless"): ("p_shapeless", "p_shapeless.py", "NAME = 's'", "it has no function recognise"),
}  # fmt: skip


@pytest.mark.slow
def test_what_is_broken_is_left_out_and_said_and_the_rest_works(run: Run, site: Path, write: Write) -> None:
    install_example(site)
    points: dict[str, dict[str, str]] = {"formats": {"a_good": "p_good"}}
    modules = {"p_good.py": GOOD}
    for (group, name), (value, file, text, _) in BROKEN.items():
        points.setdefault(group, {})[name] = value
        modules |= {file: text} if file else {}
    install(site, "broken-house", points, modules)
    folder = write(FILES)
    alone = readback(run, "adapters", folder)
    said = alone.stderr + check_the_example(run, folder)
    assert "Traceback" not in said
    assert "\x1b" not in said
    for (group, name), (*_, why) in BROKEN.items():
        told = [line for line in said.splitlines() if f"plugin '{name}' of broken-house 1.0 (readback.{group})" in line]
        assert (bool(told), all(why in line for line in told)) == (bool(why), True), (name, why, told)
    assert all(line.startswith("readback: plugin '") for line in said.splitlines())
    lines = alone.stderr.splitlines()
    assert len(lines) == len(set(lines))  # each once


@pytest.mark.slow
def test_a_broken_list_of_entry_points_takes_no_others_along(run: Run, site: Path, write: Write) -> None:
    install_example(site)
    install(site, "a-broken-list", {}, {})
    (site / "a-broken-list-1.0.dist-info" / "entry_points.txt").write_text("[readback.formats]\nno equals sign\n")
    done = readback(run, "check", write(FILES), "--select", "ext", "-q")
    assert done.stdout.count("ext-greeting") == 1
    assert "readback: the entry points of package a-broken-list cannot be read" in done.stderr
    assert "Traceback" not in done.stderr


FAILING = """
from readback.extending import Row
NAME, SUFFIXES = "failing", (".fail",)
def rows(stream, file):
    yield Row({"id": "1", "q": "one"}, 1, 1, 0, 3, b"one")
    yield "no event"
def parse(raw, shape):
    return {"id": "1", "q": raw.decode()}
"""
FAILING_RULE = RULE.replace("    return iter(())", "    raise KeyError('oh')\n    yield")


@pytest.mark.slow
def test_a_plugin_that_fails_while_it_works_is_a_finding_or_a_sentence(run: Run, site: Path, write: Write) -> None:
    points = {"formats": {"f": "p_format"}, "rules": {"r": "p_rule"}}
    modules = {"p_format.py": FAILING, "p_rule.py": FAILING_RULE}
    install(site, "failing", points, modules)
    folder = write({
        "readback.yml": "dataset: data.fail\nmodes: [{mode: m, template: '{{ q }}'}]\n",
        "data.fail": "one\ntwo\n",
    })  # fmt: skip
    done = readback(run, "check", folder)
    assert "plugin 'f' of failing 1.0 failed: TypeError: rows gave str, which is no event" in done.stdout
    assert "1 record read; 1 of 2 lines could not be read" in done.stdout
    assert "readback: a mistake of plugin 'r' of failing 1.0: rule ext-a failed: KeyError: 'oh'" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    rendered = readback(run, "render", folder, "--mode", "m", "-q")
    assert rendered.stdout == "=== user\none\n"


@pytest.mark.slow
def test_a_new_version_of_a_format_reads_the_file_again(run: Run, site: Path, write: Write) -> None:
    install_example(site)
    folder = write(FILES)
    assert "2 records read" in readback(run, "check", folder).stdout
    module = site / "readback_harbour" / "ini_rows.py"
    module.write_text(module.read_text().replace('startswith(b"[")', 'startswith(b"[ellery-02")'))
    info = site / "readback-harbour-1.0.dist-info"
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: readback-harbour\nVersion: 2.0\n")
    assert "1 record read" in readback(run, "check", folder).stdout


def test_what_fits_no_shape_is_refused_with_a_sentence() -> None:
    assert set(SHAPES) == set(plugins.GROUPS)
    for shape in SHAPES.values():
        with pytest.raises(Unfit, match=r"^it (has no|is not) "):
            shape(object())

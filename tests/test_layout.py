"""The house keeps its order: who may import whom, what is loaded when, how long a file is, what is never called."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import readback
from readback.project_files import PROJECT

SOURCE = Path(readback.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
SCREEN = [PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py"))]
LONGEST_PAGE = 120  # lines

# Who may import whom at all is in pyproject.toml and held by lint-imports (`make check`).
HOMES = {
    "blake3": ("readers.files.checksum",),
    "eyecite": ("citations.eyecite_search",),
    "streamlit": ("ui",),
    "plotly": ("scores.charts",),
    # lm-eval reads CSV by the library datasets, which reads it by pandas: its types decide the bytes of a prompt.
    "pandas": ("scores.charts", "ui", "notebook", "projects.lm_eval.documents"),
    "scipy": ("stats",),
    "dask": ("checks.run.cluster",),
    "distributed": ("checks.run.cluster", "checks.run.cluster_worker"),
}
FORBIDDEN = ("eval", "exec", "yaml.load", "yaml.unsafe_load", "os.system", "os.popen", "pickle.load", "pickle.loads")


def test_no_package_imports_a_private_module_of_another() -> None:
    private = {
        (name, one)
        for name, ours in _graph().items()
        for one in ours
        if (home := one.partition("._")[0]) != one and not _is_in(name, home)
    }
    assert private == set()


def _is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


FOR_RULES = ("types", "checks.rules", "records.record_memo")  # the last remembers results about a record


def test_a_rule_imports_the_nouns_and_the_facts_about_a_case_and_nothing_else_of_ours() -> None:
    rules = {name: ours for name, ours in _graph().items() if name.startswith("checks.rules.")}
    foreign = {(name, one) for name, ours in rules.items() for one in ours if not one.startswith("checks.facts.")}
    assert {(name, one) for name, one in foreign if one not in FOR_RULES} == set()


def test_a_library_of_the_screen_stays_at_home() -> None:
    for library, homes in HOMES.items():
        using = {_name(path) for path in FILES if library in {name.split(".")[0] for name in _imports(path)}}
        assert {name for name in using if not name.startswith(homes)} == set(), library


@pytest.mark.parametrize(
    ("modules", "absent"),
    [
        ("readback, readback.cli", "streamlit pandas plotly numpy pyarrow jinja2 yaml eyecite msgspec"),
        ("readback.workspace, readback.checks.run.engine", "streamlit pandas plotly scipy eyecite"),
        ("readback.cli.render", "streamlit pandas plotly scipy eyecite"),
        ("readback.cli.serve, readback.cli.scores, readback.cli.maintenance", "streamlit pandas plotly"),
    ],
)
def test_importing_loads_no_more_than_it_needs(modules: str, absent: str) -> None:
    code = f"import sys, {modules}; print(sorted(set({absent.split()!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_page_is_short_and_every_file_says_in_one_sentence_what_lives_in_it() -> None:
    for path in (*FILES, *SCREEN):
        text = path.read_text("utf-8")
        if not path.is_relative_to(SOURCE):
            assert len(text.splitlines()) <= LONGEST_PAGE, path
        if text.strip():
            first = (ast.get_docstring(_tree(path)) or "").partition("\n\n")[0]
            assert first.rstrip(")\"'").endswith((".", "?")), path


def test_nothing_from_outside_is_ever_run_or_shown_as_markup() -> None:
    for path in (*FILES, *SCREEN):
        called = [node for node in ast.walk(_tree(path)) if isinstance(node, ast.Call)]
        assert {ast.unparse(node.func) for node in called} & set(FORBIDDEN) == set(), path
        assert {word.arg for node in called for word in node.keywords} & {"unsafe_allow_html", "shell"} == set(), path
        imported = {name.split(".")[0] for name in _imports(path)}
        assert imported & {"pickle", "marshal", "shelve"} == set(), path


@cache
def _graph() -> dict[str, set[str]]:
    """Module -> modules of ours it imports, both without the leading `readback.`; packages go by their own name."""
    names = {_name(path) for path in FILES}
    graph = {}
    for path in FILES:
        imported = {name.removeprefix("readback.") for name in _imports(path) if name.startswith("readback.")}
        graph[_name(path)] = {known for name in imported if (known := _module(name, names))} - {_name(path)}
    return graph


def _module(name: str, names: set[str]) -> str | None:
    """The module an imported name belongs to: itself, or the one that defines it."""
    return name if name in names else _module(name.rpartition(".")[0], names) if "." in name else None


def _name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "readback"


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def _imports(path: Path) -> frozenset[str]:
    return frozenset(_imported(_tree(path)))


def _imported(node: ast.AST) -> Iterator[str]:
    """Every module a file imports when it runs; what only the type checker sees does not count."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.stmt, ast.excepthandler, ast.match_case)):
            continue  # no expression imports
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module:
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        else:
            yield from _imported(child)


def test_every_rule_of_a_style_sheet_ends() -> None:
    """A brace that is lost in a merge puts all that follows into the rule before it, and no other test sees that."""
    open_rules = {}
    for path in sorted(SOURCE.rglob("*.css")):
        text = re.sub(r'/\*.*?\*/|"[^"\n]*"', "", path.read_text("utf-8"), flags=re.DOTALL)
        open_rules[path.name] = text.count("{") - text.count("}")
    assert {name: n for name, n in open_rules.items() if n} == {}

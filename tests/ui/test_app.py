"""The frame: navigation, workspace, and an address that reproduces the screen."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from counts import LONG
from streamlit.testing.v1 import AppTest

from readback import project_files
from readback.project_files import PROJECT
from readback.ui.common import show

PAGES = sorted(path.stem.removesuffix("_page") for path in (PROJECT / "pages").glob("*_page.py"))


def app(page: str = "", **params: str) -> AppTest:
    """The app at a page, as a link with these parameters opens it."""
    test = AppTest.from_file(PROJECT / "app.py", default_timeout=600)
    for key, value in params.items():
        test.query_params[key] = value
    test.run()
    return test.switch_page(f"pages/{page}_page.py").run() if page else test


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """serving(*folders) does what `readback serve FOLDER` does to the pages."""
    return lambda *folders: monkeypatch.setenv("READBACK_WORKSPACE", os.pathsep.join(map(str, folders)))


@pytest.mark.parametrize(
    ("page", "demo"),
    [
        (page, demo)
        for page in PAGES
        for number, demo in enumerate(sorted(project_files.demos()))
        if LONG or number == 0 or page == "findings"  # tests/scores/test_one_verdict.py opens the others on every demo
    ],
)
def test_every_page_runs_on_every_demo(page: str, demo: str) -> None:
    test = app(page, workspace=demo)
    assert not test.exception
    assert test.title


def test_every_address_differs_from_its_file_name() -> None:
    """Streamlit would otherwise find a page in pages/ by itself and run it without the frame."""
    calls = [n for n in ast.walk(ast.parse((PROJECT / "app.py").read_text("utf-8"))) if isinstance(n, ast.Call)]
    pages = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "Page"]
    files = [Path(ast.literal_eval(call.args[0])).stem for call in pages]
    addresses = [ast.literal_eval(k.value) for call in pages for k in call.keywords if k.arg == "url_path"]
    assert len(files) == len(addresses) == len(PAGES)
    assert not set(files) & set(addresses)


def test_the_bar_says_which_workspace_and_how_many_records() -> None:
    test = app("prompts", workspace="six-conditions-mistakes")
    said = " ".join(html.proto.body for html in test.get("html"))
    assert "Closed book or open book" in said
    assert "24 records" in said


def test_the_link_to_another_workspace_forgets_the_record_and_stays_on_the_projector() -> None:
    test = app("prompts", workspace="six-conditions-mistakes", record="ellery-03", present="1")
    menu = next(html.proto.body for html in test.get("html") if "data-rb-menu" in html.proto.body)
    assert 'href="/prompts?workspace=town-hall-albert&amp;present=1">town-hall-albert</a>' in menu


def test_an_unknown_workspace_is_said_and_the_first_is_shown() -> None:
    test = app("prompts", workspace="upload-somebody-elses")
    assert not test.exception
    assert any("this server does not have" in html.proto.body for html in test.get("html"))


def test_the_folder_given_to_serve_is_what_is_shown(
    serving: Callable[..., None], write: Callable[[Mapping[str, Any]], Path]
) -> None:
    serving(write({"readback.yml": {"name": "Mine", "modes": [{"mode": "m", "template": "hello"}]}}))
    test = app("prompts")
    assert any("Mine" in html.proto.body for html in test.get("html"))


@pytest.mark.parametrize("page", PAGES)
def test_a_folder_with_nothing_in_it_says_what_to_do(page: str, serving: Callable[..., None], tmp_path: Path) -> None:
    serving(tmp_path)
    test = app(page)
    assert not test.exception


@pytest.mark.parametrize("page", PAGES)
def test_a_folder_that_is_gone_is_no_crash(page: str, serving: Callable[..., None], tmp_path: Path) -> None:
    serving(tmp_path / "gone")
    assert not app(page).exception


@pytest.mark.parametrize("page", PAGES)
def test_only_scores_or_only_data_is_enough(
    page: str, serving: Callable[..., None], write: Callable[[Mapping[str, Any]], Path]
) -> None:
    serving(write({"scores.csv": "item,condition,score\n1,a,0.5\n2,a,1\n", "data.jsonl": [{"id": "1", "q": "x"}]}))
    assert not app(page).exception


def test_addresses_hold_ids_and_settings_only() -> None:
    test = app("prompts", workspace="six-conditions-mistakes")
    test.text_input(key="find_text").set_value("secret words")
    test.button(key="FormSubmitter:find_form-Find next").click().run()
    test.selectbox(key="try_name").set_value("instruction")
    test.text_area(key="try_value").set_value("typed words")
    test.button(key="FormSubmitter:try_form-Try it").click().run()
    said = str(dict(test.query_params))
    assert "secret" not in said
    assert "typed" not in said


def test_a_file_changed_on_disk_is_named_and_shown_when_asked_for(
    serving: Callable[..., None], write: Callable[[Mapping[str, Any]], Path]
) -> None:
    folder = write({"readback.yml": {"name": "Before", "modes": [{"mode": "m", "template": "one"}]}})
    serving(folder)
    test = app("prompts")
    (folder / "readback.yml").write_text('{"name": "Afterwards", "modes": [{"mode": "m", "template": "two"}]}', "utf-8")
    test.run()
    said = " ".join(html.proto.body for html in test.get("html"))
    assert "Before" in said
    assert "readback.yml changed at" in said
    test.button(key="show_new").click().run()
    assert "Afterwards" in " ".join(html.proto.body for html in test.get("html"))


def test_markdown_shows_the_same_text() -> None:
    said = show.md("![x](http://e) :red[y] $z$ `c`")
    assert said.replace("\u2060", "") == r"\!\[x\]\(http\:\/\/e\) \:red\[y\] \$z\$ \`c\`"
    for address in ("https://evil.example/a", "HTTP://e", "www.evil.example", "a@evil.example"):  # would become links
        joined = show.md(address).replace("\\", "")
        assert joined != address
        assert joined.replace("\u2060", "") == address


def test_markup_escapes_what_it_is_given_and_draws_nothing_else() -> None:
    assert show.h("<b>{}</b>", "<i>") == "<b>&lt;i&gt;</b>"
    with pytest.raises(TypeError):
        show.draw("<b>plain</b>")  # type: ignore[arg-type]


def links(test: AppTest) -> list[dict[str, list[str]]]:
    """What the links of the page say, without those of the bar to workspaces."""
    bodies = " ".join(html.proto.body for html in test.get("html") if "data-rb-menu" not in html.proto.body)
    return [
        parse_qs(urlsplit(part.split('"')[0].replace("&amp;", "&")).query)
        for part in bodies.split('href="')[1:]
        if not part.startswith("#")
    ]


def test_a_link_keeps_what_is_in_view() -> None:
    test = app("prompts", workspace="six-conditions-mistakes", record="ellery-03", condition="base, open book")
    assert {
        "workspace": ["six-conditions-mistakes"],
        "record": ["ellery-03"],
        "condition": ["base, open book"],
    }.items() <= links(test)[0].items()

"""What the server sends with every answer, what it refuses, and that nothing leaves the origin."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from served import Serve, open_page, settle

from readback.house import EXAMPLES
from readback.ui import server

pytestmark = pytest.mark.browser
PAGES = ("", "messages", "findings", "scores", "open", "about")
PATHS = ("", "messages", "_stcore/health", "_stcore/host-config", "readback/page.js", "favicon.png", "no/such", "_stcore/metrics")


def answer(url: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str]]:
    asked = urllib.request.Request(url, method=method, headers=headers)
    try:
        with urllib.request.urlopen(asked, timeout=10) as said:
            return said.status, {name.lower(): value for name, value in said.headers.items()}
    except urllib.error.HTTPError as error:
        return error.code, {name.lower(): value for name, value in error.headers.items()}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
def test_every_answer_has_the_headers(demo: str, path: str, method: str) -> None:
    _, headers = answer(demo + path, method)
    assert server.HEADERS == {name: headers.get(name) for name in server.HEADERS}


def test_the_policy_is_the_strict_one() -> None:
    policy = server.HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy


@pytest.mark.parametrize("path", ["_stcore/metrics", "_stcore/metrics/", "_stcore//metrics", "_stcore/%6detrics"])
def test_metrics_are_not_for_everybody(demo: str, path: str) -> None:
    status, _ = answer(demo + path)
    assert status in (400, 404)


def test_a_page_of_another_name_gets_no_connection(demo: str) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "x" * 22 + "=="}
    status, _ = answer(demo + "_stcore/stream", Host="evil.example", **upgrade)
    assert status == 403


def test_a_foreign_origin_gets_no_connection(demo: str) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "x" * 22 + "=="}
    status, _ = answer(demo + "_stcore/stream", Origin="http://evil.example", **upgrade)
    assert status == 403


@pytest.mark.parametrize("workspace", sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))
@pytest.mark.parametrize("name", PAGES)
def test_no_serious_fault_for_a_screen_reader_or_a_keyboard(demo: str, page: Any, name: str, workspace: str) -> None:
    open_page(page, f"{demo}{name}?workspace={workspace}")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        found = Axe().run(page).response["violations"]
        bad = [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found if one["impact"] in ("serious", "critical") for node in one["nodes"]]
        assert bad == [], f"{scheme}: {bad[:3]}"


def test_it_works_under_a_path(serve: Serve, page: Any) -> None:
    url = serve(base="team/readback")
    open_page(page, f"{url}messages", ".rb-exact")
    assert "/team/readback/" in page.url
    page.keyboard.press("j")
    page.wait_for_url("**/team/readback/messages?*record=*")
    links = page.locator("a.rb-link").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
    assert all(link.startswith("/team/readback/") for link in links)


def test_untrusted_markup_stays_text(serve: Serve, page: Any, tmp_path: Any) -> None:
    evil = '<img src="http://example.com/x.png" onerror="window.hit=1"><script>window.hit=1</script>![x](http://example.com/y.png)'
    (tmp_path / "readback.yml").write_text(
        f"name: '{evil}'\ndataset: {{path: d.jsonl}}\nmodes: [{{mode: '{evil}', template: '{evil}{{{{ q }}}}', system: '{evil}'}}]\n", "utf-8"
    )
    (tmp_path / "d.jsonl").write_text('{"id": "![x](http://example.com/z.png)", "q": "<script>window.hit=1</script>"}\n', "utf-8")
    url = serve(tmp_path)
    for name in ("", "messages", "findings", "open"):
        open_page(page, url + name)
        assert page.evaluate("window.hit === undefined")

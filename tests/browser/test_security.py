"""What the server sends with every answer, what it refuses, and that nothing leaves the origin."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from email.message import Message
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from counts import LONG, part
from served import At, Others, Serve, open_page, settle, turn_to

from readback.ui.common import own_files, server

pytestmark = pytest.mark.browser
EVIL = (
    {"Host": "evil.example"},  # another name that leads to this machine: DNS rebinding
    {"Host": "evil.example", "Origin": "http://evil.example"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://127.0.0.1:1"},  # another program's page on this machine
    {"Origin": "null"},
)
VIEWS = (
    "workspace=six-conditions-mistakes&condition=RAG-trained%2C+open+book&layer=training&whitespace=1",
    "workspace=six-conditions-mistakes&condition=RAG-trained%2C+open+book%2C+through+the+gateway&look=adapter",
    "workspace=six-conditions-mistakes&judge=harbour-judge&condition=base%2C+open+book",
    "workspace=six-conditions-mistakes&condition=base%2C+open+book&layer=stored",
    "workspace=town-hall-albert&mode=rag&layer=wire",
    "workspace=tri-section&task=parsing&adapter=claude_tool",
)
CONTRASTS = {"runOnly": ["color-contrast"]}  # what can differ between the themes
PATHS = (
    "",
    "messages",
    "_stcore/health",
    "_stcore/host-config",
    "readback/page.js",
    "readback/fonts/inter-latin.woff2",
    "favicon.png",
    "no/such",
    "_stcore/metrics",
)


def answer(url: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """Status, headers by lower-case name, and body."""
    asked = urllib.request.Request(url, method=method)
    try:
        with urllib.request.urlopen(asked, timeout=10) as said:
            return said.status, lowered(said.headers), said.read()
    except urllib.error.HTTPError as error:
        return error.code, lowered(error.headers), error.read()


def lowered(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
def test_every_answer_has_the_headers(demo: str, path: str, method: str) -> None:
    _, headers, _ = answer(demo + path, method)
    assert {name: headers.get(name) for name in server.HEADERS} == server.HEADERS


def test_the_policy_is_the_strict_one() -> None:
    policy = server.HEADERS["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy


@pytest.mark.parametrize("path", ["_stcore/metrics", "_stcore/metrics/", "_stcore//metrics", "_stcore/%6detrics"])
def test_metrics_are_not_for_everybody(demo: str, path: str) -> None:
    status, _, body = answer(demo + path)
    assert status in (400, 404) or b"<html" in body


def test_the_fonts_are_ours_kept_by_the_browser_and_nothing_else_is_served_there(demo: str) -> None:
    files = sorted(own_files.FONTS.glob("*.woff2"))
    assert sum(file.stat().st_size for file in files) < 600_000
    for file in files:
        status, headers, body = answer(f"{demo}readback/fonts/{file.name}")
        assert (status, body) == (200, file.read_bytes())
        assert "max-age" in headers["cache-control"]
    for name in ("fonts.css", "inter-LICENSE.txt", "no.woff2", "%2e%2e%2fpage.js", "..%2f..%2fstyle.woff2"):
        assert answer(f"{demo}readback/fonts/{name}")[2][:4] != b"wOF2"
        assert b"font-face" not in answer(f"{demo}readback/fonts/{name}")[2]


def test_a_page_is_drawn_with_them_and_joins_no_characters(demo: str, tour: Any) -> None:
    turn_to(tour, f"{demo}prompts?workspace=six-conditions")
    tour.evaluate("document.fonts.ready")
    loaded = tour.evaluate("[...document.fonts].filter(f => f.status == 'loaded').map(f => f.family)")
    assert {"Inter Variable", "JetBrains Mono Variable"} <= {family.strip('"') for family in loaded}
    look = "e => [getComputedStyle(e).fontFamily, getComputedStyle(e).fontVariantLigatures]"
    family, ligatures = tour.locator(".rb-exact").first.evaluate(look)
    assert "JetBrains Mono Variable" in family.split(",")[0]
    assert ligatures == "none"


@pytest.mark.parametrize("headers", EVIL)
def test_a_page_of_another_name_or_origin_gets_no_connection(demo: str, headers: dict[str, str]) -> None:
    port = int(demo.split(":")[2].strip("/"))
    with socket.create_connection(("127.0.0.1", port)) as plain:
        said = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade", **headers}
        said |= {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
        lines = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        plain.sendall(f"GET /_stcore/stream HTTP/1.1\r\n{lines}\r\n".encode())
        assert plain.recv(100).startswith(b"HTTP/1.1 403")


def serious(page: Any, *, looks: bool = LONG) -> list[str]:
    """What axe calls moderate or worse in the light theme by all its rules; with `looks`, also by all of them in forced
    colours and by its contrasts in the dark theme."""
    if not looks:
        settle(page)
        return faults(page)
    page.emulate_media(forced_colors="active")
    settle(page)
    bad = [f"forced colours {fault}" for fault in faults(page)]
    page.emulate_media(forced_colors="none")
    for scheme, more in (("light", {}), ("dark", CONTRASTS)):
        page.emulate_media(color_scheme=scheme)
        settle(page)
        bad += [f"{scheme} {fault}" for fault in faults(page, **more)]
    page.emulate_media(color_scheme="light")
    return bad


def faults(page: Any, **more: Any) -> list[str]:
    """What axe calls moderate or worse, as the page is now."""
    found = Axe().run(page, options={"resultTypes": ["violations"], **more}).response["violations"]
    serious = [one for one in found if one["impact"] in ("moderate", "serious", "critical")]
    every = [(one["id"], node) for one in serious for node in one["nodes"]]
    return [
        f"{rule}: {node['target']} {node['failureSummary']}" for rule, node in every if not _popover(rule, page, node)
    ]


def _popover(rule: str, page: Any, node: Any) -> bool:
    """Whether it is what Streamlit draws of an open popover, at the end of the body and outside of every landmark."""
    return rule == "region" and bool(page.locator(node["target"][0]).evaluate("e => e.closest('#root') === null"))


@pytest.mark.parametrize("asked", part(VIEWS, 1))
def test_no_serious_fault_in_any_view_of_messages(demo: str, tour: Any, asked: str) -> None:
    turn_to(tour, f"{demo}prompts?{asked}", ":is(.rb-exact, .rb-row)")
    assert serious(tour) == []


def test_untrusted_markup_stays_text(at: At, page: Any, tmp_path: Any) -> None:
    evil = '<img src="http://example.com/x.png" onerror="window.hit=1"><script>window.hit=1</script>![x](http://example.com/y.png)'
    (tmp_path / "readback.yml").write_text(
        f"name: '{evil}'\ndataset: {{path: d.jsonl}}\n"
        f"modes: [{{mode: '{evil}', template: '{evil}{{{{ q }}}}', system: '{evil}'}}]\n",
        "utf-8",
    )
    (tmp_path / "d.jsonl").write_text(
        '{"id": "![x](http://example.com/z.png)", "q": "<script>window.hit=1</script>"}\n', "utf-8"
    )
    for name in ("", "prompts", "findings", "open"):
        turn_to(page, at(tmp_path, name))
        assert page.evaluate("window.hit === undefined")


@pytest.mark.parametrize("base", part(["team/readback", ""], 1))
def test_c9_a_download_is_not_there_before_the_click_and_only_for_the_browser_that_clicked(
    serve: Serve, page: Any, others: Others, base: str
) -> None:
    url = serve(base=base)
    open_page(page, f"{url}messages", ".rb-exact")
    below = f"/{base}/".replace("//", "/")  # and all works under a path
    page.keyboard.press("j")
    page.wait_for_url(f"**{below}prompts?*record=*")
    links = page.locator("a.rb-link").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
    assert all(link.startswith(below) for link in links)
    settle(page)
    page.locator("[class*=st-key-menu_] [data-testid=stPopoverButton]").first.click()
    with page.expect_download() as wait:
        page.locator("[class*=st-key-download_]:not(.st-key-download_all) button:visible").first.click()
    assert wait.value.path().stat().st_size > 0
    address = wait.value.url
    assert "/media/" in address
    assert page.request.get(address).status == 200
    assert answer(address)[0] == 404
    (stranger,) = others(1)
    open_page(stranger, f"{url}about")  # a cookie of its own
    assert stranger.request.get(address).status == 404
    open_page(page, f"{url}messages", ".rb-exact")  # the next page, for anybody, drops it from memory
    assert page.request.get(address).status == 404

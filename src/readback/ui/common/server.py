"""Start the pages: hardened settings, our security headers on every response, loopback unless told otherwise."""

from __future__ import annotations

import argparse
import errno
import os
import re
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from readback.project_files import PROJECT
from readback.ui.common import accent, own_files
from readback.ui.common.old_addresses import ROOM_OF, translate_address
from readback.ui.common.own_files import (
    BASE_PATH,
    FONTS,
    FONTS_PATH,
    MARK,
    MARK_PATH,
    SCRIPT,
    SCRIPT_PATH,
    STYLE_PATH,
    base_script,
    sheet,
    under,
)

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MODULE = "readback.ui.common.server"  # by name, for when it runs it is called __main__
CHILDREN = "readback.checks.run.chunk"  # what children are asked for first
# What the first page imports and takes a second; by name, for pages are above the server that they are run by.
FIRST = ("readback.ui.overview.overview", "scipy.special")
PORT, TRIED = 8501, 100  # the first port, and how many are tried
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 (compared with, never bound to)
TOKEN = b"_streamlit_xsrf="  # the cookie with Streamlit's cross-site token
PART = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
ICON = b"./favicon.png"  # Streamlit's own mark in the browser's tab
INLINE = re.compile(rb"<script>[^<]*</script>")  # for search engines; the policy refuses it, so ours takes its place
PARTS = ("Html", "Button", "Selectbox")  # of Streamlit's program, by the name of their file
IMPORTED = re.compile(r'from"\./([\w.-]+\.js)"')
SIZED = (b"content-length", b"etag", b"last-modified")  # what is true only of the page without our style
# What the pages need and nothing else. Vega, maps and inline scripts are not among it.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "frame-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "object-src 'none'",
        "manifest-src 'self'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
}


def list_needed_parts() -> list[str]:
    """Return the files of the parts of Streamlit's program that every page needs: our own HTML, and buttons.

    The browser would ask for them when the page is there, and draw a grey bar for each until they come: then everything
    on the page jumps to its place.
    """
    from streamlit import file_util

    folder = Path(file_util.get_static_dir()) / "static" / "js"
    first = [path for part in PARTS for path in folder.glob(f"{part}.*.js")]
    needed = [name for path in first for name in IMPORTED.findall(path.read_text("utf-8"))]
    return list(dict.fromkeys([*(path.name for path in first), *needed]))


class Headers:
    """Add the headers to every response and our style to the page; refuse the metrics page, foreign origins, and
    downloads to others.

    Streamlit lets a page of any other port of this machine connect, and asks a server in the internet for our
    address before it refuses others.
    """

    def __init__(self, app: ASGIApp, base_path: str = "") -> None:
        self.app, self.media = app, under(base_path, "/media/")
        ahead = "".join(
            f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in list_needed_parts()
        )
        self.head = f'<body><link rel="stylesheet" href="{under(base_path, STYLE_PATH)}">{ahead}'.encode()
        self.icon = under(base_path, MARK_PATH).encode()
        self.base = f'<script src="{under(base_path, BASE_PATH)}"></script>'.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request: our own files, downloads of their owner, and every page with our headers."""
        if scope["type"] == "websocket" and (_foreign(scope) or _of_agents(scope)):
            await send({"type": "websocket.close"})  # before it was accepted: answered with 403
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                theirs = [
                    pair for pair in message.get("headers", []) if pair[0].decode("latin-1").lower() not in HEADERS
                ]
                ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*(_guarded(pair, _by_tls(scope)) for pair in theirs), *ours]}
            await send(message)

        if scope["path"].rstrip("/").endswith("/_stcore/metrics") or _of_agents(scope):
            await _absent(with_headers)
            return
        if scope["path"].startswith(self.media) and not _theirs(scope, scope["path"].removeprefix(self.media)):
            await _absent(with_headers)
            return
        await self.app(_plain(scope), receive, _Styled(with_headers, self.head, self.icon, self.base))


def _of_agents(scope: Scope) -> bool:
    """Whether Streamlit's addresses for programs that steer a page are asked for; nothing here needs them."""
    return "/_stcore/agent" in re.sub("/+", "/", scope["path"])


def _by_tls(scope: Scope) -> bool:
    """Whether the browser's connection is encrypted: ours, or that to a proxy that says so."""
    headers = {name.lower(): value for name, value in scope.get("headers", [])}
    return scope.get("scheme") == "https" or headers.get(b"x-forwarded-proto", b"").strip().lower() == b"https"


def _guarded(pair: tuple[bytes, bytes], by_tls: bool) -> tuple[bytes, bytes]:
    """Return a cookie that goes over TLS alone where the page did, and that no script reads; but for the cross-site
    token, which the page's own script has to send back in a header.
    """
    name, value = pair
    if name.lower() != b"set-cookie":
        return pair
    attributes = {part.strip().lower() for part in value.split(b";")[1:]}
    if by_tls and b"secure" not in attributes:
        value += b"; Secure"
    if b"httponly" not in attributes and not value.lstrip().startswith(TOKEN):
        value += b"; HttpOnly"
    return name, value


def _plain(scope: Scope) -> Scope:
    """Return the request for a page, asking for all of it as plain text, so that its style can be put in."""
    headers = dict(scope["headers"])
    if b"text/html" not in headers.get(b"accept", b""):
        return scope
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in PART]}


class _Styled:
    """Passes a response on; a page begins its body with `style`, all else stays as it is.

    In the body and not in the head, since Streamlit adds its own style there: ours comes after it.
    """

    def __init__(self, send: Send, style: bytes, icon: bytes, base: bytes) -> None:
        self.send, self.style, self.icon, self.base = send, style, icon, base
        self.start: Message | None = None  # of a page, until all of it is there
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _page(message):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._whole(self.start)

    async def _whole(self, start: Message) -> None:
        body = self.body.replace(b"<body>", self.style, 1).replace(ICON, self.icon, 1)
        body = INLINE.sub(self.base, body, count=1)
        headers = [(name, value) for name, value in start["headers"] if name.lower() not in SIZED]
        # the answer to HEAD has none
        if self.body:
            length = len(body)
        else:
            length = None
        if length is not None:
            sized = [(b"content-length", str(length).encode())]
        else:
            sized = []
        await self.send({**start, "headers": [*headers, *sized]})
        await self.send({"type": "http.response.body", "body": body})


def _page(message: Message) -> bool:
    """Whether a response is a page in plain HTML."""
    headers = {name.lower(): value for name, value in message.get("headers", [])}
    plain = b"content-encoding" not in headers
    return message["status"] == 200 and plain and headers.get(b"content-type", b"").startswith(b"text/html")


async def _absent(send: Send) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def _theirs(scope: Scope, name: str) -> bool:
    """Whether a download was given to the browser that asks for it, a short while ago."""
    from streamlit import runtime

    from readback.ui.common.draw import downloads

    file = runtime.get_instance().media_file_mgr.read_file(name)
    cookie = b"; ".join(value for name, value in scope["headers"] if name.lower() == b"cookie").decode("latin-1")
    return file is not None and downloads.was_given(file.content, cookie)


def _foreign(scope: Scope) -> bool:
    """Whether a page of another origin asks: not the host it asks, nor a name in READBACK_HOSTS (a proxy's)."""
    headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
    if b"origin" not in headers:
        return False
    origin = urlsplit(headers[b"origin"])
    return origin.netloc != headers.get(b"host") and origin.hostname not in _named()


def _named() -> tuple[str, ...]:
    """Return the names in READBACK_HOSTS."""
    return tuple(name.strip() for name in os.environ.get("READBACK_HOSTS", "").split(",") if name.strip())


def command(
    workspaces: Sequence[Path | str] = (), host: str = "127.0.0.1", port: int | None = None, base_path: str = ""
) -> list[str]:
    """Return the command that serves the pages; run it in place of this process, or as a child.

    Without a port it is the first one from 8501 that nobody else uses.

    The first workspace is the one that people see first. Without any the ones in READBACK_WORKSPACE are shown, or else
    the built-in demos.
    """
    workspace_arguments = [part for workspace in workspaces for part in ("--workspace", str(workspace))]
    if port is not None:
        port_arguments = ["--port", str(port)]
    else:
        port_arguments = []
    return [
        sys.executable,
        "-m",
        MODULE,
        "--host",
        host,
        *port_arguments,
        "--base-path",
        base_path,
        *workspace_arguments,
    ]


def free_port(host: str, wanted: int | None = None) -> int:
    """Return the port to listen on: `wanted` (0: any free one), else the first from 8501 that nobody uses.

    Raises SystemExit 2 after a sentence where the port asked for is taken, since whoever names one has told others, and
    where there is no listening on this host.
    """
    if wanted == 0:
        _is_taken(host, 0)
        return _listen(host, 0)
    if wanted is not None:
        if not _is_taken(host, wanted):
            return wanted
        free = next(
            (port for port in range(wanted + 1, min(wanted + TRIED, 65_536)) if not _is_taken(host, port)), None
        )
        cure = f"; --port {free} is free" if free else ""
        raise _refusal(f"port {wanted} is taken by another program, or not for this account{cure}")
    for port in range(PORT, PORT + TRIED):
        if not _is_taken(host, port):
            if port != PORT:
                print(f"readback: port {PORT} is taken by another program, so this is port {port}", file=sys.stderr)
            return port
    raise _refusal(f"the ports {PORT} to {PORT + TRIED - 1} are taken; name another one with --port")


def _is_taken(host: str, port: int) -> bool:
    """Whether a port cannot be listened on because somebody does, or this account may not."""
    try:
        _listen(host, port)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return True
        raise _refusal(
            f"--host {host}: no server can listen there ({(error.strerror or str(error)).lower()})"
        ) from None
    return False


def _listen(host: str, port: int) -> int:
    """Listen for a moment; return the port, which for 0 the system chooses. Raises OSError."""
    family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, number) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tried.bind(address)
        return int(tried.getsockname()[1])


def _refusal(sentence: str) -> SystemExit:
    """Print why there will be no server; return the exit of wrong use."""
    print(f"readback: {sentence}", file=sys.stderr)
    return SystemExit(2)


def hosts(host: str) -> list[str]:
    """Return the names this server answers to; a page of another name (DNS rebinding) gets no connection.

    READBACK_HOSTS names them, separated by commas, where people reach the server through a proxy.
    """
    if host in ANYWHERE:
        own = [socket.gethostname()]
    elif host in LOOPBACK:
        own = []
    else:
        own = [host]
    return [*dict.fromkeys((*_named(), *own, *LOOPBACK))]


def settings(host: str, port: int, base_path: str) -> dict[str, Any]:
    """Return the settings that .streamlit/config.toml cannot have, since they depend on how the server is started."""
    return {
        "server.address": host,
        "server.port": port,
        "server.baseUrlPath": base_path.strip("/"),
        "server.allowedHosts": hosts(host),
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.enableCORS": True,
        "server.enableXsrfProtection": True,
        "server.xsrfCookieSameSite": "strict",
        "server.enableStaticServing": False,
        "browser.gatherUsageStats": False,
        "client.showErrorDetails": "none",
        "client.showErrorLinks": False,
        "client.toolbarMode": "minimal",
        "runner.magicEnabled": False,
        "logger.hideWelcomeMessage": True,
        **accent.list_theme_options(accent.read_accent()[0]),
    }


def application(base_path: str = "", script: Path = PROJECT / "app.py") -> Any:
    """Return the pages as an ASGI application with our headers, for any ASGI server."""
    import streamlit as st
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.responses import FileResponse, RedirectResponse, Response
    from starlette.routing import Route

    own_files.LINKED = True

    async def page_js(_: Any) -> FileResponse:
        return FileResponse(SCRIPT, media_type="text/javascript", headers={"cache-control": "no-cache"})

    async def style(_: Any) -> Response:
        """How pages look, from the moment before their first run on."""
        return Response(sheet(base_path), media_type="text/css", headers={"cache-control": "no-cache"})

    async def font(request: Any) -> FileResponse:
        """One of our font files; anything else under that address is absent."""
        file = FONTS / f"{request.path_params['name']}.woff2"
        if file not in FONTS.glob("*.woff2"):
            raise HTTPException(404)
        return FileResponse(file, media_type="font/woff2", headers={"cache-control": "public, max-age=604800"})

    async def mark(_: Any) -> FileResponse:
        """Send the mark of the project, for the head of a page and for the browser's tab."""
        return FileResponse(MARK, media_type="image/svg+xml", headers={"cache-control": "public, max-age=604800"})

    async def base(_: Any) -> Response:
        """Send the script that says where the server is."""
        return Response(base_script(base_path), media_type="text/javascript", headers={"cache-control": "no-cache"})

    async def moved(request: Any) -> RedirectResponse:
        """Redirect the address of an old page to its room."""
        room = translate_address(request.url.path.rstrip("/").rsplit("/", 1)[-1], request.url.query)
        return RedirectResponse(under(base_path, f"/{room}"))

    async def home(request: Any) -> RedirectResponse:
        """Redirect the first page to the root, whatever its name is."""
        if request.url.query:
            query = f"?{request.url.query}"
        else:
            query = ""
        return RedirectResponse(f"{under(base_path, '/')}{query}")

    routes = [
        Route(under(base_path, SCRIPT_PATH), page_js),
        Route(under(base_path, STYLE_PATH), style),
        Route(under(base_path, f"{FONTS_PATH}{{name}}.woff2"), font),
        Route(under(base_path, MARK_PATH), mark),
        Route(under(base_path, BASE_PATH), base),
        Route(under(base_path, "/overview"), home),
        *(Route(under(base_path, f"/{page}"), moved) for page in ROOM_OF),
    ]
    return st.App(
        script, middleware=[Middleware(Headers, base_path=base_path)], routes=routes, on_script_error=_our_mistake
    )


def _our_mistake(error: Exception) -> bool:
    """Draw what a page says when it fails. Only Streamlit's log has the details, since they may hold private text."""
    from readback.ui.common import show
    from readback.words import t

    show.problem(t("frame.our_mistake"), type(error).__name__)
    return True


def serve(host: str, port: int | None, base_path: str = "", script: Path = PROJECT / "app.py") -> None:
    """Serve until stopped. Raises SystemExit where the port is taken, before an address is printed."""
    port = free_port(host, port)
    sys.argv = [str(PROJECT / "app.py")]  # Streamlit looks for .streamlit/config.toml beside it
    if host in ANYWHERE and not os.environ.get("READBACK_HOSTS"):
        print("readback: other machines reach this server only by a name in READBACK_HOSTS", file=sys.stderr)
    if refused := accent.read_accent()[1]:
        print(f"readback: {refused}", file=sys.stderr)
    if host in (*LOOPBACK, *ANYWHERE):
        name = "localhost"
    else:
        name = host
    print(f"Readback: http://{name}:{port}{under(base_path, '/')}", file=sys.stderr, flush=True)
    served = application(base_path, script)
    _no_pages_folder()
    Thread(target=_load, name="readback-load", daemon=True).start()
    served.run(config=settings(host, port, base_path))


def _load() -> None:
    """Load what the first page needs, while the browser still loads the pages' program: the processes that make
    children, the rules, and what works out scores.
    """
    with suppress(Exception):  # the page meets the same error and says it
        from readback import sandbox

        sandbox.start_zygote(CHILDREN)
        for module in FIRST:
            import_module(module)
        from readback import workspace
        from readback.checks import rules
        from readback.prompts import token_counts
        from readback.ui.common.state import open_workspaces

        rules.RULES()
        first = next(iter((open_workspaces.configured() or open_workspaces.demos()).values()))
        sandbox.start_zygote(CHILDREN, shared=token_counts.list_audit_tables(workspace.open(first)))


def _no_pages_folder() -> None:
    """Tell Streamlit what it learns from the first st.navigation: that it must not look into pages/ by itself.

    Otherwise the first link to a page after a start says that there is no such page.
    """
    from streamlit.runtime.pages_manager import PagesManager

    PagesManager.uses_pages_directory = False


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the pages: `command` starts this."""
    parser = argparse.ArgumentParser(prog="readback serve")
    parser.add_argument("--workspace", action="append", dest="workspaces", default=[])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int)
    parser.add_argument("--base-path", default="")
    options = parser.parse_args(arguments)
    if options.workspaces:
        os.environ["READBACK_WORKSPACE"] = os.pathsep.join(options.workspaces)
    serve(options.host, options.port, options.base_path)


if __name__ == "__main__":
    main()

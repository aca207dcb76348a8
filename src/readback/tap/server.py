"""Serve the forms of OpenAI, Ollama and Anthropic on this machine: keep each request, reply or pass it on.

The server listens on 127.0.0.1 only, and answers only requests that name this machine: a page in a browser cannot use
it by a name of its own.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any

from readback.tap.canned import list_models, reply
from readback.tap.interfaces import Route, find_route
from readback.tap.request_file import RequestFile
from readback.tap.upstream import Upstream

HOST = "127.0.0.1"
NAMES = frozenset({HOST, "localhost"})  # by which this machine may be named in a request
LONGEST = 256 << 20  # bytes of a body
START_SECONDS = 20
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


@dataclass(slots=True)
class Tap:
    """What the server does with requests, and what came of them so far."""

    requests: RequestFile
    text: str
    upstream: Upstream | None = None
    kept_paths: Counter[str] = field(default_factory=Counter)
    other_paths: Counter[str] = field(default_factory=Counter)  # neither kept nor understood
    failures: Counter[str] = field(default_factory=Counter)  # why requests were not passed on
    models: dict[str, None] = field(default_factory=dict)


class TapServer:
    """A running server. `address` is where it listens; `close` ends it."""

    def __init__(self, tap: Tap) -> None:
        import uvicorn

        self._socket = socket.socket()
        self._socket.bind((HOST, 0))
        self.address = f"http://{HOST}:{self._socket.getsockname()[1]}"
        quiet: dict[str, Any] = {"log_config": None, "log_level": "critical", "access_log": False}
        config = uvicorn.Config(build_app(tap), lifespan="off", server_header=False, timeout_keep_alive=600, **quiet)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        until = monotonic() + START_SECONDS
        while not self._server.started and self._thread.is_alive() and monotonic() < until:
            sleep(0.01)
        if not self._server.started:
            raise OSError("the server did not start")

    def close(self) -> None:
        """End the server; replies that are being sent are cut off after a moment."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(5)
        self._socket.close()


def build_app(tap: Tap) -> Any:
    """Return the ASGI application of a tap."""
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route as Path

    async def answer(request: Request) -> Response:
        if request.url.hostname not in NAMES:
            return JSONResponse({"error": {"message": "this server answers this machine only"}}, 403)
        body = bytearray()
        try:
            async for part in request.stream():
                body += part
                if len(body) > LONGEST:
                    tap.failures["a body was too long, and was not kept"] += 1
                    return JSONResponse({"error": {"message": "the body is too long"}}, 413)
        except ClientDisconnect:
            return Response(status_code=499)
        route = find_route(request.method, request.url.path)
        number = 0
        if route.form is not None:
            number = tap.requests.add(route.path, bytes(body))
            tap.kept_paths[route.path] += 1
        if tap.upstream is not None:
            response: Response = await _pass_on(tap, tap.upstream, request, bytes(body), route)
            return response
        reply_here: Response = _reply(tap, route, bytes(body), number)
        return reply_here

    return Starlette(routes=[Path("/{path:path}", answer, methods=list(METHODS))])


def _reply(tap: Tap, route: Route, body: bytes, number: int) -> Any:
    from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse

    if route.form is not None:
        fields = _decode_object(body)
        if fields is None:
            return JSONResponse({"error": {"message": "the body is no JSON object", "type": "invalid_request"}}, 400)
        if isinstance(fields.get("model"), str):
            tap.models[fields["model"]] = None
        media_type, parts = reply(route.form, fields, tap.text, number)
        return StreamingResponse(parts, media_type=media_type)
    if route.path == "/":
        return PlainTextResponse("Ollama is running")
    listed = list_models(route.path, list(tap.models))
    if listed is not None:
        return JSONResponse(listed)
    tap.other_paths[route.path] += 1
    message = f"readback tap has no reply for {route.path}"
    return JSONResponse({"error": {"message": message, "type": "not_found"}}, 404)


def _decode_object(body: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return value
    return None


async def _pass_on(tap: Tap, upstream: Upstream, request: Any, body: bytes, route: Route) -> Any:
    """Return the reply of the other server, which is passed on as it comes."""
    from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
    from starlette.responses import JSONResponse, StreamingResponse

    target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if route.form is None:
        tap.other_paths[route.path] += request.method == "POST"
    try:
        answer = await run_in_threadpool(upstream.open, request.method, target, request.headers.items(), body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = f"{upstream.host}: {getattr(error, 'strerror', None) or error or type(error).__name__}"
        tap.failures[reason] += 1
        return JSONResponse({"error": {"message": f"readback tap: {reason}", "type": "bad_gateway"}}, 502)
    response = StreamingResponse(iterate_in_threadpool(answer.read_parts()), answer.status)
    response.raw_headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
    return response

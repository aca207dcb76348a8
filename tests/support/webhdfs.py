"""A store for tests: a folder served as WebHDFS, which fsspec reads, so that several processes can."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

BELOW = "/webhdfs/v1"


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a folder, while the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            values = {name: one[0] for name, one in parse_qs(asked.query).items()}
            path = folder / unquote(asked.path).removeprefix(BELOW).strip("/")
            if not path.exists():
                said = {"exception": "FileNotFoundException", "message": f"File does not exist: {path.name}"}
                self._say(404, json.dumps({"RemoteException": said}).encode())
            elif values["op"] == "OPEN":
                at = int(values.get("offset", 0))
                self._say(200, path.read_bytes()[at : at + int(values.get("length", 1 << 30))])
            elif values["op"] == "LISTSTATUS":
                there = sorted(path.iterdir()) if path.is_dir() else [path]
                found = [_status(one, one.name if path.is_dir() else "") for one in there]
                self._say(200, json.dumps({"FileStatuses": {"FileStatus": found}}).encode())
            else:
                self._say(200, json.dumps({"FileStatus": _status(path, "")}).encode())

        def _say(self, code: int, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"webhdfs://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def _status(path: Path, suffix: str) -> dict[str, object]:
    known = path.stat()
    kind = "DIRECTORY" if path.is_dir() else "FILE"
    return {"pathSuffix": suffix, "type": kind, "length": known.st_size, "modificationTime": known.st_mtime_ns // 10**6}

"""Pass a request on to another server and its reply back, part by part as it comes."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

SECONDS = 600  # without a byte of a reply
PART = 1 << 16  # bytes read at most at once
# What holds for one connection only (RFC 9110), and what is worked out anew.
OF_CONNECTION = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "upgrade"),
        *("transfer-encoding", "host", "content-length", "proxy-connection"),
    }
)

Headers = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Upstream:
    """The server that requests are passed on to: its scheme, its host with port, and the path that all begin with."""

    scheme: str
    host: str
    base: str

    def join(self, target: str) -> str:
        """Return the path for a request; what base and request both begin with (/v1) stands once."""
        last = self.base.rsplit("/", 1)[-1]
        if last and target.startswith(f"/{last}/"):
            return self.base[: -len(last) - 1] + target
        return self.base + target

    def open(self, method: str, target: str, headers: Iterable[tuple[str, str]], body: bytes) -> UpstreamReply:
        """Send a request. Raises OSError and http.client.HTTPException."""
        connection: http.client.HTTPConnection
        if self.scheme == "https":
            connection = http.client.HTTPSConnection(self.host, timeout=SECONDS, context=ssl.create_default_context())
        else:
            connection = http.client.HTTPConnection(self.host, timeout=SECONDS)
        try:
            connection.putrequest(method, self.join(target), skip_accept_encoding=True)
            for name, value in headers:
                if name.lower() not in OF_CONNECTION:
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            return UpstreamReply(connection, connection.getresponse())
        except BaseException:
            connection.close()
            raise


def parse_upstream(address: str) -> Upstream:
    """Return the server at an address. Raises ValueError with a sentence where it is none."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"'{address}' is no address of a server; it begins with http:// or https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("the address of a server has no user name, password, query or fragment")
    _ = parts.port  # raises ValueError for one that is no number
    return Upstream(parts.scheme, parts.netloc, parts.path.rstrip("/"))


class UpstreamReply:
    """A reply that is being read."""

    def __init__(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> None:
        self._connection, self._response = connection, response
        self.status = response.status
        self.headers: Headers = [
            (name, value) for name, value in response.getheaders() if name.lower() not in OF_CONNECTION
        ]

    def read_parts(self) -> Iterator[bytes]:
        """Yield the reply as it comes, packed as it is, and close the connection."""
        try:
            while data := self._response.read1(PART):
                yield data
        finally:
            self._connection.close()

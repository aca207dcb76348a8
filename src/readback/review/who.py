"""Who writes in a browser: a name that was asked for, or one that a trusted proxy says.

READBACK_USER_HEADER names the header with the user's name. It counts only from a peer in READBACK_PROXY (addresses,
separated by commas) that sends READBACK_PROXY_SECRET in `X-Readback-Proxy-Secret`; then no other name is taken.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from readback.review.event import AuthorSource

HEADER, PEERS, SECRET = "READBACK_USER_HEADER", "READBACK_PROXY", "READBACK_PROXY_SECRET"
SAID = "x-readback-proxy-secret"  # the header in which a proxy shows that it is the one meant
LONGEST = 200  # characters of a name


@dataclass(frozen=True, slots=True)
class Author:
    """The author's name and how it is known; "" where it is not, and `refused` says why no name is taken."""

    name: str = ""
    source: AuthorSource = "asked"
    refused: str = ""


def identify_author(
    headers: Mapping[str, Sequence[str]], peer: str | None, typed_name: str, settings: Mapping[str, str] = os.environ
) -> Author:
    """Identify the author by the headers of the browser's connection (lower-case name: all values), its peer's address,
    and `typed_name`.
    """
    header = settings.get(HEADER, "").strip().lower()
    if not header:
        return Author(typed_name.strip()[:LONGEST])
    names, secrets = headers.get(header, ()), headers.get(SAID, ())
    if len(names) > 1 or len(secrets) > 1:
        return Author(refused="doubled")
    expected = settings.get(SECRET, "")
    right = bool(expected and secrets) and hmac.compare_digest(secrets[0].encode(), expected.encode())
    if not (right and _is_listed(peer, settings.get(PEERS, ""))):
        return Author(refused="not the proxy")
    name = names[0].strip()[:LONGEST] if names else ""
    if name:
        return Author(name, "proxy")
    return Author(refused="no name")


def _is_listed(peer: str | None, listed: str) -> bool:
    """Return whether an address is one of those listed, however it is written; this machine's own are one."""
    try:
        here, there = (
            ip_address(peer or ""),
            {ip_address(address.strip()) for address in listed.split(",") if address.strip()},
        )
    except ValueError:
        return False
    return here in there or (here.is_loopback and any(address.is_loopback for address in there))

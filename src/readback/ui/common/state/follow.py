"""Screens that follow another: the presenter's session publishes the address it shows, others look it up by a token.

Nothing is stored: a channel is an address in this process's memory, and is gone when the server stops. What an address
leads to is looked up by the follower's own session, so nobody sees through it what is private to another browser; a
private upload is not published at all.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

import streamlit as st

LEADS = "leads"  # in the presenter's session: the token of its channel
CHANNELS = 100  # at once; the one that was silent for longest makes room
SILENT = 12 * 3600.0  # seconds after which a channel is forgotten
SEEN = 10.0  # seconds: a follower that looked within is counted


@dataclass(slots=True)
class Channel:
    """What a presenter shows: the address, how often it changed, who presents, and when each follower last looked."""

    href: str
    presenter: str
    number: int = 0
    private: bool = False
    at: float = 0.0
    followers: dict[str, float] = field(default_factory=dict)


class Channels:
    """All channels of a server, safe for its threads. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._channels: dict[str, Channel] = {}
        self._lock = Lock()
        self._clock = clock

    def open_channel(self, href: str, presenter: str) -> str:
        """Begin to publish; return the token that followers name."""
        with self._lock:
            now = self._clock()
            self._channels = {name: channel for name, channel in self._channels.items() if now - channel.at < SILENT}
            while len(self._channels) >= CHANNELS:
                del self._channels[min(self._channels, key=lambda name: self._channels[name].at)]
            token = secrets.token_urlsafe(9)
            self._channels[token] = Channel(href, presenter, at=now)
            return token

    def publish(self, token: str, href: str, private: bool) -> bool:
        """Publish the address in view, or that it is `private`; return whether the channel is still there."""
        with self._lock:
            channel = self._channels.get(token)
            if channel is None:
                return False
            if (channel.href, channel.private) != (href, private):
                channel.number += 1
                channel.private = private
                channel.href = "" if private else href
            channel.at = self._clock()
            return True

    def close_channel(self, token: str) -> None:
        """Stop publishing."""
        with self._lock:
            self._channels.pop(token, None)

    def look_up(self, token: str, follower: str) -> tuple[str, int, bool, str] | None:
        """Return the address, its number, whether it is private, and who presents; None where nobody does."""
        with self._lock:
            channel = self._channels.get(token)
            if channel is None:
                return None
            channel.followers[follower] = self._clock()
            return channel.href, channel.number, channel.private, channel.presenter

    def count_followers(self, token: str) -> int:
        """Return how many sessions looked at a channel a moment ago."""
        with self._lock:
            channel = self._channels.get(token)
            if channel is None:
                return 0
            now = self._clock()
            channel.followers = {name: at for name, at in channel.followers.items() if now - at < SEEN}
            return len(channel.followers)


@st.cache_resource(show_spinner=False)
def get_channels() -> Channels:
    """Return the channels of this server."""
    return Channels()

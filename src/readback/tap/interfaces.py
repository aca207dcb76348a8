"""Know what a request asks by its path: which interface it speaks, and whether it holds messages."""

from __future__ import annotations

from typing import Literal, NamedTuple

Form = Literal["chat", "completions", "responses", "anthropic", "ollama-chat", "ollama-generate", "embeddings"]
# The paths by their ends: some programs begin them with /v1, others have that in the address they were told.
ENDS: tuple[tuple[str, Form], ...] = (
    ("/chat/completions", "chat"),
    ("/completions", "completions"),
    ("/responses", "responses"),
    ("/messages", "anthropic"),
    ("/api/chat", "ollama-chat"),
    ("/api/generate", "ollama-generate"),
    ("/embeddings", "embeddings"),
    ("/api/embed", "embeddings"),
)


class Route(NamedTuple):
    """A path without its query, which may hold a key; `form` is None for what is not kept."""

    path: str
    form: Form | None


def find_route(method: str, path: str) -> Route:
    """Return what a request asks."""
    plain = path.partition("?")[0].rstrip("/") or "/"
    if method == "POST":
        return Route(plain, next((form for end, form in ENDS if plain.endswith(end)), None))
    return Route(plain, None)

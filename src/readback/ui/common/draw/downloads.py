"""Downloads: made when somebody clicks, and given for a short time to the browser that clicked and to no other."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from functools import cache
from http.cookies import CookieError, SimpleCookie
from typing import Any

import streamlit as st

from readback.ui.common.uploads import store as upload

LASTS = 300.0  # seconds in which a download can be fetched, also in parts or once more


def button(label: str, make: Callable[[], str | bytes], file: str, kind: str, *, key: str, **more: Any) -> None:
    """Draw a button that downloads what `make` returns, as a file of that name and media type.

    Streamlit keeps a download at an address that asks for no cookie, until the session runs again. So nothing is
    there before the click, and `given` says who may have it.
    """
    whose = upload.browser(st.context.cookies)

    def make_file() -> bytes:
        content = make()
        if isinstance(content, str):
            raw = content.encode("utf-8")
        else:
            raw = content
        _remark(raw, whose)
        return raw

    st.download_button(label, make_file, file, kind, key=key, **more)


def was_given(content: bytes, cookie: str) -> bool:
    """Whether a browser that sends this cookie header may have the content now."""
    try:
        whose = upload.browser({name: morsel.value for name, morsel in SimpleCookie(cookie).items()})
    except CookieError:
        return False
    at = _list_given().get((hashlib.sha256(content).digest(), whose))
    return bool(whose) and at is not None and time.monotonic() - at <= LASTS


def _remark(content: bytes, whose: str) -> None:
    there, now = _list_given(), time.monotonic()
    for old in [key for key, at in there.items() if now - at > LASTS]:
        there.pop(old, None)
    there[hashlib.sha256(content).digest(), whose] = now


@cache
def _list_given() -> dict[tuple[bytes, str], float]:
    """When what was given to whom, in this process."""
    return {}

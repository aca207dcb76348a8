"""What the address bar says, and what this session remembers of it between pages.

The address is the truth: a widget takes its value from it before it is drawn, and writes its value back when
it is changed. (Streamlit's own `bind="query-params"` replaces the browser's history entry, so that Back would
leave the page instead of going back one record, and forbids to change several keys at once.)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

FILES = (
    "plan",
    "prompts",
    "dataset",
    "training",
    "template",
    "syntax",
    "parts",
    "tool",
    "matched",
    "judges",
    "scores",
    "numbers",
    "id",
    "encoding",
    "table",
)  # which files are meant, where several could be
SHARED = (
    "workspace",
    "record",
    "index",
    "condition",
    "mode",
    "adapter",
    "task",
    "judge",
    "present",
    "follow",
    *FILES,
)  # on every page
MEMORY, PAGE = "address", "address_page"
HOME = "overview"  # the default page, which Streamlit serves at the root


def begin() -> None:
    """Bring the address and the session's memory together; app.py calls it before the navigation.

    Moving to another page by the navigation empties the address. Then the shared keys are put back as they
    were, and before the navigation is drawn, so that the browser's history gets one entry and not two. In any
    other case the address says it all: so it does after the browser's Back.
    """
    here = {key: value for key, value in st.query_params.to_dict().items() if key in SHARED}
    running = get_script_run_ctx()
    page = running.page_script_hash if running else ""
    moved = page != st.session_state.get(PAGE, page)
    memory: Mapping[str, str] = st.session_state.get(MEMORY, {})
    if moved and not here and memory:
        here = dict(memory)
        _write({**here, **st.query_params.to_dict()})
    st.session_state[MEMORY], st.session_state[PAGE] = here, page


def get(key: str) -> str | None:
    """Return the value of a shared key, or None."""
    memory: Mapping[str, str] = st.session_state.get(MEMORY, {})
    return memory.get(key)


def read(*keys: str) -> dict[str, str | None]:
    """Return the values of several shared keys: each look into the session costs as much as a small drawing."""
    memory: Mapping[str, str] = st.session_state.get(MEMORY, {})
    return {key: memory.get(key) for key in keys}


def chosen() -> Mapping[str, str]:
    """Which files are meant, by kind, as far as the address says."""
    return {kind: file for kind, file in read(*FILES).items() if file}


def put(**changes: str | None) -> None:
    """Change keys in the address in one step; None takes a key out. For callbacks, or before `st.rerun`.

    Shared keys are remembered on all pages, others live on this page only. A change of workspace forgets
    the record and what is sent, and stays on the projector.
    """
    if _is_old_news():
        return
    memory: dict[str, str] = dict(st.session_state.get(MEMORY, {}))
    if changes.get("workspace", memory.get("workspace")) != memory.get("workspace"):
        changes = {**dict.fromkeys(key for key in SHARED if key != "present"), **changes}
    whole: dict[str, str | None] = {**memory, **st.query_params.to_dict(), **changes}
    params = {key: value for key, value in whole.items() if value is not None}
    st.session_state[MEMORY] = {key: value for key, value in params.items() if key in SHARED}
    _write(params)


def _is_old_news() -> bool:
    """Whether what calls is no click. A part of a page that looks for itself (for files that change) tells what all
    controls of the page show. Where the browser has not heard the last answer yet, they show what was before, for
    which Streamlit calls what is to be called when somebody changes them. Whoever does has the whole page run.
    """
    running = get_script_run_ctx()
    return running is not None and bool(running.fragment_ids_this_run) and not ThreadState.get().in_fragment_callback


def query(**changes: str | None) -> dict[str, str]:
    """Return the shared keys as they stand, with `changes` (None takes one out; others are added): for links."""
    memory: Mapping[str, str] = st.session_state.get(MEMORY, {})
    return {key: value for key, value in {**memory, **changes}.items() if value is not None}


def href(page: str, **changes: str | None) -> str:
    """Return an address on this server: `href("prompts", record="12", finding=key)`."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    page = "" if page == HOME else page
    path = f"/{base}/{page}" if base else f"/{page}"
    query_text = urlencode(query(**changes), errors="backslashreplace")  # no address holds a lone surrogate
    if query_text:
        return f"{path}?{query_text}"
    return path


def follow(key: str, default: str = "", allowed: Collection[str] | None = None) -> str:
    """Give the widget `key` the value the address has for it, if allowed, else the default; call it just before.

    The widget needs `on_change=address.keep, args=(key, default)`. For settings of one page (a sort order),
    never for text that somebody types.
    """
    value = st.query_params.get(key, default)
    st.session_state[key] = value if allowed is None or value in allowed else default
    return str(st.session_state[key])


def follow_switch(key: str) -> bool:
    """Do the same for a toggle or checkbox: on is `1` in the address, off is absent."""
    st.session_state[key] = st.query_params.get(key) == "1"
    return bool(st.session_state[key])


def keep(key: str, default: str = "") -> None:
    """Write the value of the widget `key` to the address: its `on_change`. A default, or off, is not written."""
    value = st.session_state.get(key)
    if value is None or isinstance(value, bool):
        text = "1" if value else None
    else:
        text = str(value)
    put(**{key: None if text == default else text})


def _write(params: Mapping[str, str]) -> None:
    if st.query_params.to_dict() == dict(params):
        return
    st.query_params.from_dict(params)

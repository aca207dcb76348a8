"""Share what is in view: a link to this screen, and *Follow me*, by which the screens of others follow this one."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from readback.ui.common import address, show
from readback.ui.common.draw import reviewing
from readback.ui.common.draw.head import present
from readback.ui.common.draw.text import bookmarks
from readback.ui.common.state import choice, follow
from readback.ui.common.uploads import store as upload
from readback.words import t

LOOK = 1.5  # seconds between two looks of a follower: it is there within three


def draw(page: str) -> None:
    """Draw the menu of the head: the link to this screen, and the switch for followers."""
    publish(page)
    with st.popover(t("share.title"), key="share", type="tertiary", help=t("share.help")):
        bookmarks.copy("share_link", build_address(page), "link.txt", t("share.copy"))
        show.draw(show.h('<p class="rb-small">{}</p>', t("share.private" if _is_private() else "share.what")))
        token = st.session_state.get(follow.LEADS)
        if token is None:
            st.button(t("share.lead"), key="lead", on_click=_lead, args=(page,), disabled=_is_private())
            show.draw(show.h('<p class="rb-small">{}</p>', t("share.lead_help")))
        else:
            bookmarks.copy("follow_link", build_address(page, follow=token), "link.txt", t("share.copy_follow"))
            st.button(t("share.stop"), key="lead_stop", on_click=_stop)
            _count(token)


def build_address(page: str, **changes: str | None) -> str:
    """Return the address of what is in view as others may open it: without what makes this screen a follower."""
    own = {key: value for key, value in st.query_params.to_dict().items() if key not in address.SHARED}
    return bookmarks.way(page, **{**own, "present": None, "follow": None, **changes})


def publish(page: str) -> None:
    """Publish what this session shows, where it leads others."""
    token = st.session_state.get(follow.LEADS)
    if token is None:
        return
    if not follow.get_channels().publish(token, _path(page), _is_private()):
        del st.session_state[follow.LEADS]


def follow_presenter(page: str) -> None:
    """On a screen that follows another: say so, and go where the other goes."""
    token = address.get("follow")
    if token is None:
        return
    st.session_state["follow_page"] = page
    _follow(token)


@st.fragment(run_every=LOOK)
def _follow(token: str) -> None:
    """Draw whom this screen follows; our script reads the address in it and goes there once for each number."""
    running = get_script_run_ctx()
    state = follow.get_channels().look_up(token, running.session_id if running else "")
    stop = show.link(st.session_state["follow_page"], t("share.unfollow"), follow=None)
    if state is None:
        show.draw(show.h('<p class="rb-notice rb-info" role="note">{} {}</p>', t("share.ended"), stop))
        return
    href, number, private, presenter = state
    if presenter:
        sentence = t("share.follows", name=presenter)
    else:
        sentence = t("share.follows_somebody")
    if private:
        sentence = t("share.follows_private")
    own = "&".join(f"{key}={value}" for key in ("follow", present.KEY) if (value := address.get(key)))
    if href:
        target = f"{href}{'&' if '?' in href else '?'}{own}"
    else:
        target = ""
    show.draw(
        show.h(
            '<p class="rb-follows" data-rb-follow="{}" data-rb-number="{} {}">{} {}</p>',
            target,
            token,
            number,
            sentence,
            stop,
        )
    )


@st.fragment(run_every=3.0)
def _count(token: str) -> None:
    n = follow.get_channels().count_followers(token)
    show.draw(show.h('<p class="rb-small" role="status">{}</p>', t("share.followers", n=n)))


def _path(page: str) -> str:
    """Return the address in view without the host: others may reach the server by another name."""
    own = {key: value for key, value in st.query_params.to_dict().items() if key not in address.SHARED}
    hidden: dict[str, str | None] = {"present": None, "follow": None}
    return address.href(page, **{"workspace": choice.workspace_id(), **own, **hidden})


def _is_private() -> bool:
    return choice.workspace_id().startswith(upload.PREFIX)


def _lead(page: str) -> None:
    st.session_state[follow.LEADS] = follow.get_channels().open_channel(_path(page), reviewing.author().name)


def _stop() -> None:
    follow.get_channels().close_channel(st.session_state.pop(follow.LEADS))

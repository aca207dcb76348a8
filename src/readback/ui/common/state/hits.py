"""What this session searches for in the messages, and where it is in a text; it is in no address and no file."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from readback.compare import search_expression
from readback.compare.search_expression import Query
from readback.html.exact import Mark
from readback.types import Selection
from readback.ui.common.state import choice
from readback.words import t

KEY = "searched"


@dataclass(frozen=True, slots=True)
class Search:
    """A query, and under which choices its records are listed. `show_next`: the next hit is to be shown; `listed`: the
    number of the search where its list was asked for, which the page then brings into view.
    """

    query: Query
    under: tuple[Selection, ...]
    show_next: bool = False
    listed: int = 0


def now() -> Search | None:
    """Return the search in force for the workspace in view."""
    searches: dict[str, Search] = st.session_state.get(KEY, {})
    return searches.get(choice.workspace_id())


def put(search: Search | None) -> None:
    """Begin a search, or end it."""
    searches = {
        name: search_of_workspace
        for name, search_of_workspace in st.session_state.get(KEY, {}).items()
        if name != choice.workspace_id()
    }
    st.session_state[KEY] = {**searches, choice.workspace_id(): search} if search else searches


def marks(text: str) -> tuple[Mark, ...]:
    """Return the places in a text where the search hits; the first stands out where no finding is asked for."""
    search = now()
    if search is None:
        return ()
    first = "finding" not in st.query_params
    return tuple(
        Mark(start, end, 0, "hit", t("messages.search_hit"), first and number == 0)
        for number, (start, end) in enumerate(search_expression.find_spans(search.query, text))
    )

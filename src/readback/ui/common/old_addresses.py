"""Addresses that pages had before the five rooms, so that every link in a report, a note or a chat still arrives.

/messages   -> /prompts                  its view (wire, training, stored) is the layer now
/compare    -> /prompts?view=difference  its views grid and records are those of the room now
/records    -> /results?view=rows        /scores -> /results
/agenda     -> /review
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import parse_qsl, urlencode

ROOM_OF: Mapping[str, str] = MappingProxyType(
    {"messages": "prompts", "compare": "prompts", "records": "results", "scores": "results", "agenda": "review"}
)
COMPARE_VIEWS = {"grid": "every", "records": "records"}


def translate_address(page: str, query: str) -> str:
    """Return the room and the query that an old page leads to: of "scores" and "criterion=x", "results?criterion=x".

    Raises KeyError for a page that never was.
    """
    parameters = parse_qsl(query, keep_blank_values=True)
    view = dict(parameters).get("view")
    rest = [(name, value) for name, value in parameters if name != "view"]
    if page == "messages" and view:
        rest.append(("layer", view))
    elif page == "compare":
        rest.append(("view", COMPARE_VIEWS.get(view or "", "difference")))
    elif page == "records":
        rest.append(("view", "rows"))
    elif page == "scores" and view:
        rest.append(("view", view))
    room = ROOM_OF[page]
    if rest:
        return f"{room}?{urlencode(rest)}"
    return room

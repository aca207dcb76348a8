"""The two sides of *Difference*, from the address: A is what *One* shows, B is A with what the link says otherwise.

A's keys are those of Prompts and `layer`, `a_option`, `a_rev`; B's begin with `b_`. What `differs` names is what the
bar offers for B; a link may set any of B's keys. Ids and settings only: no typed text and no content is there.

    side("a"), side("b") -> Side        put(which, side parts) for callbacks         kind() -> str
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Literal

import streamlit as st

from readback import adapters
from readback.compare.side import Layer, Side
from readback.html import exact
from readback.types import Selection, Workspace
from readback.ui.common import address
from readback.ui.common.draw import picker
from readback.ui.common.state import choice, open_workspaces, options
from readback.ui.common.state.revisions import revisions

KINDS = ("condition", "adapter", "record", "layer", "option", "version")
LAYERS: tuple[Layer, ...] = ("messages", "wire", "training")
PARTS = ("condition", "mode", "adapter", "task", "judge")
PLACES = ("record", "index")
OTHERS = ("layer", "option", "rev")
SETTINGS = ("layer", "a_option", "a_rev", "whitespace", "inline", "whole", "part")  # that a link keeps besides
FILES = "files"  # B's option or revision where A has another: as the files are
B = tuple(f"b_{name}" for name in (*PARTS, *PLACES, *OTHERS, "workspace"))  # every key of B

Which = Literal["a", "b"]


def kinds() -> tuple[str, ...]:
    """Return the kinds of which the workspace has a second choice."""
    workspace = choice.workspace()
    there = {
        "condition": len(picker.options(workspace)) > 1,
        "adapter": bool(workspace.prompts or workspace.tasks),
        "record": len(choice.dataset()) > 1,
        "layer": bool(workspace.models or any(config.chat_format for config in workspace.configs)),
        "option": bool(options.called_for(workspace)),
        "version": True,
    }
    return tuple(name for name in KINDS if there[name])


def kind() -> str:
    """Return what differs: what the link names, else what it sets, else the first kind there is."""
    available, requested = kinds(), st.query_params.get("differs", "")
    if requested in available:
        return requested
    names_in_link = {name for name in B if name in st.query_params}
    signs = {
        "version": {"b_rev", "b_workspace"},
        "option": {"b_option"},
        "layer": {"b_layer"},
        "record": {"b_record", "b_index"},
        "adapter": {"b_adapter", *(["b_mode"] if choice.workspace().conditions else [])},
    }
    return next((name for name, keys in signs.items() if name in available and names_in_link & keys), _first(available))


def _first(available: tuple[str, ...]) -> str:
    """Return what is compared by default: adapters only where the workspace has some of its own."""
    rest = tuple(name for name in available if name != "adapter" or choice.workspace().adapters)
    return (rest or available)[0]


def side(which: Which) -> Side:
    """One side. Names in the address that the workspace does not have are left to the assembler, which says so."""
    a = Side(
        choice.sent(), index=choice.position(), layer=_layer("layer"), rev=_get("a_rev"), options=_options("a_option")
    )
    if which == "a":
        return a
    parts = {name: _get(f"b_{name}") for name in PARTS}
    if any(parts.values()):
        b = replace(a, choice=Selection(**parts))
    else:
        b = a
    if "b_layer" in st.query_params:
        b = replace(b, layer=_layer("b_layer"))
    if "b_option" in st.query_params:
        b = replace(b, options=_options("b_option"))
    if "b_rev" in st.query_params:
        b = replace(b, rev=_get("b_rev"))
    return _defaulted(_elsewhere(_at(b)))


def records() -> tuple[int, int | None]:
    """Where the records of A and B are in the dataset in view; None for B where it is of another workspace."""
    b = side("b")
    data = choice.dataset()
    there = b.index if b.index is not None else data.find(b.record) if b.record is not None else None
    return choice.position(), there if b.workspace is None else None


def put_b(differs: str | None = None, **parts: str | None) -> None:
    """Set B to A with these parts; for callbacks. Without parts the bar's kind gives what is usual."""
    cleared: dict[str, str | None] = dict.fromkeys(B)
    address.put(
        **{**cleared, **{f"b_{name}": value for name, value in parts.items()}},
        differs=differs or kind(),
        finding=None,
        part=None,
    )


def keys_of(selection: Selection) -> dict[str, str | None]:
    """Return a selection as the parts of a link."""
    return {name: value for name, value in asdict(selection).items() if value is not None}


def swap() -> None:
    """Make A what B is, and B what A is; for callbacks."""
    a, b = side("a"), side("b")
    there, moved = _token(b), records()[1]
    to: dict[str, str | None] = {**dict.fromkeys((*PARTS, *PLACES)), **keys_of(b.choice)}
    to |= _spot(b) if there else place(choice.position() if moved is None else moved)
    to |= {"layer": b.layer if b.layer != "messages" else None, "a_option": _format_option(b), "a_rev": b.rev}
    back = _stated(b, a)
    if there:
        to["workspace"], back["b_workspace"] = there, choice.workspace_id()
    if there or moved != choice.position():
        back |= {f"b_{key}": value for key, value in place(choice.position()).items()}
    address.put(**{**dict.fromkeys(B), **to, **back}, differs=kind(), part=None)


def link() -> dict[str, str | None]:
    """Every key that brings these two sides back, also those that the bar worked out by itself; for links to keep."""
    a, b = side("a"), side("b")
    own: dict[str, str | None] = {key: value for key, value in st.query_params.to_dict().items() if key in SETTINGS}
    own |= {**dict.fromkeys((*PARTS, *PLACES)), **keys_of(a.choice), **place(choice.position()), "differs": kind()}
    own |= {**_stated(a, b), "b_workspace": _token(b)}
    if b.workspace is not None or b.index != a.index:
        own |= {f"b_{key}": value for key, value in _spot(b).items()}
    return own


def _stated(a: Side, b: Side) -> dict[str, str | None]:
    """Return the keys that make B of A: all of what is sent, and of the rest what differs."""
    keys: dict[str, str | None] = {f"b_{key}": value for key, value in asdict(b.choice).items()}
    if a.layer != b.layer:
        keys["b_layer"] = b.layer
    if a.options != b.options:
        keys["b_option"] = _format_option(b) or FILES
    if a.rev != b.rev:
        keys["b_rev"] = b.rev or FILES
    return keys


def _token(b: Side) -> str | None:
    """Return the id of another workspace; None where B is of this one."""
    return next((name for name, path in open_workspaces.list_openable().items() if b.workspace == str(path)), None)


def _at(b: Side) -> Side:
    """B's record: by its id, else by its number."""
    name, number = _get("b_record"), _get("b_index")
    if name is not None:
        return replace(b, record=name, index=None)
    if number is not None and number.isdecimal():
        return replace(b, index=int(number))
    return b


def _elsewhere(b: Side) -> Side:
    """B in another open workspace: the same record is the one of the same id."""
    path = open_workspaces.list_openable().get(_get("b_workspace") or "")
    if path is None or _get("b_workspace") == choice.workspace_id():
        return b
    called = choice.record().id
    if b.record is None and "b_index" not in st.query_params and called is not None:
        b = replace(b, record=called, index=None)
    return replace(b, workspace=str(path))


def _defaulted(b: Side) -> Side:
    """B where the link does not say what the bar is about: the next one of it."""
    name = kind()
    if any(f"b_{key}" in st.query_params for key in (*PARTS, *PLACES, *OTHERS, "workspace")):
        return b
    if name == "condition":
        return replace(b, choice=partner(choice.workspace(), b.choice))
    if name == "adapter":
        return replace(b, choice=replace(b.choice, adapter=_other_adapter(b.choice)))
    if name == "record":
        at = choice.position()
        return replace(b, index=at + 1 if at + 1 < len(choice.dataset()) else max(at - 1, 0))
    if name == "layer":
        return replace(b, layer="wire" if b.layer != "wire" else "messages")
    if name == "option":
        option, values = next(iter(options.called_for(choice.workspace()).items()))
        now = dict(b.options).get(option, choice.workspace().options.get(option, values[0]))
        return replace(b, options=((option, next(value for value in values if value != now)),))
    if name == "version" and (last := next(iter(revisions()), None)):
        return replace(b, rev=last.id)
    return b


def partner(workspace: Workspace, selection: Selection) -> Selection:
    """Return what a selection is first compared with: the other of a planned comparison, else the next in the list."""
    for planned in workspace.comparisons:
        pair = (planned.get("a"), planned.get("b"))
        if selection.condition in pair and not selection.judge:
            if pair[0] == selection.condition:
                other = pair[1]
            else:
                other = pair[0]
            if isinstance(other, str) and workspace.condition(other):
                return Selection(condition=other)
    selections = picker.options(workspace)
    names, now = list(selections), picker.key(selection)
    if not names:
        return selection
    if now in names:
        following = selections[names[(names.index(now) + 1) % len(names)]]
    else:
        following = selections[names[0]]
    if following.judge and following.condition is None:
        return replace(following, condition=selection.condition)
    return following


def adapter_names(workspace: Workspace) -> tuple[str, ...]:
    """Return the adapters to choose from: the workspace's own, then those that come with Readback."""
    return tuple(dict.fromkeys((*workspace.adapters, *adapters.load_shipped())))


def _other_adapter(selection: Selection) -> str | None:
    workspace = choice.workspace()
    condition = workspace.condition(selection.condition or "")
    now = selection.adapter or (condition.adapter if condition else None)
    return next((name for name in adapter_names(workspace) if name != now), now)


def place(index: int) -> dict[str, str | None]:
    """Return a record as keys of a link: its id where that is unique, else its number."""
    data = choice.dataset()
    name = next(iter(data.ids(index, index + 1)), None)
    own = name is not None and name == exact.spelling(name) and data.find(name) == index
    return {"record": name if own else None, "index": None if own else str(index)}


def _spot(b: Side) -> dict[str, str | None]:
    return {"record": b.record, "index": None if b.index is None else str(b.index)}


def _options(key: str) -> tuple[tuple[str, str], ...]:
    """`condition4=standard` as an option; what is no option that the workspace's files call for is left out."""
    name, _, value = (_get(key) or "").partition("=")
    if value in options.called_for(choice.workspace()).get(name, ()):
        return ((name, value),)
    return ()


def _format_option(b: Side) -> str | None:
    return next((f"{name}={value}" for name, value in b.options), None)


def _layer(key: str) -> Layer:
    value = _get(key)
    if value in LAYERS:
        return value
    return "messages"


def _get(key: str) -> str | None:
    value = st.query_params.get(key)
    if value in ("", FILES):
        return None
    return value

"""In the sandbox: while a marked template renders, which value each output shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Undefined
from jinja2.filters import make_attrgetter
from jinja2.runtime import Context
from jinja2.utils import pass_context

from readback.prompts.render.data_paths import step
from readback.prompts.render.marks import ROOM, Kind, Site

STATE = "readback state"  # a name no template can read
WALKED = 200_000  # values of one record looked at; beyond, the template alone says where a text comes from

Hit = tuple[Kind, str | None, int]  # kind, name, line


class Trace:
    """One rendering: the values by identity, and a mark for each (output, path) that occurred.

    Values decoded from JSON are objects of their own, except short strings, numbers and constants; those are
    known by the container they are in.
    """

    def __init__(self, base: int, sites: tuple[Site, ...], values: Mapping[str, Any], roots: Iterable[str]) -> None:
        self.base, self.sites, self.values, self.roots = base, sites, values, roots
        self.hits: list[Hit] = [(site.kind, site.name, site.line) for site in sites]
        self._marks: dict[Hit, str] = {}
        self._paths: dict[int, str] = {}
        self._known: dict[int, tuple[int | None, str | int] | None] | None = None

    def mark(self, hit: Hit, text: str) -> str:
        if not text:
            return text
        opening = self._marks.get(hit)
        if opening is None:
            self.hits.append(hit)
            if len(self.hits) >= ROOM:
                raise OverflowError("more outputs than marks")
            opening = self._marks[hit] = chr(self.base + len(self.hits))
        return f"{opening}{text}{chr(self.base)}"

    def path(self, site: Site, objects: list[Any], computed: list[Any]) -> str | None:
        """The path of the last of `objects`, from the nearest one whose place in the values is known."""
        for at in range(len(objects) - 1, -1, -1):
            start = self.of(objects[at]) or (None if at else self._root(site, objects[0]))
            if start is not None:
                tail = site.tails[at]
                return start + (self._tail(site, at, objects, computed) if tail is None else tail)
        return site.name

    def _root(self, site: Site, value: Any) -> str | None:
        assert site.chain is not None  # noqa: S101 - only such sites are traced
        root = site.chain.root
        return root if root in self.roots and value is self.values.get(root) else None

    def _tail(self, site: Site, at: int, objects: list[Any], computed: list[Any]) -> str:
        """The keys after the prefix `at`, with the computed ones as they came out."""
        assert site.chain is not None  # noqa: S101 - likewise
        waiting = iter(computed)
        keys = [key if isinstance(key, str | int) else _computed(next(waiting)) for key in site.chain.keys]
        pairs = zip(objects[at:], keys[at:], strict=False)
        return "".join(step(key) if key is not None and _has(holder, key) else "[*]" for holder, key in pairs)

    def of(self, value: Any) -> str | None:
        """The path of this very object in the values, if it is there exactly once."""
        kind = type(value)
        if not isinstance(value, dict | list) and (kind is not str or len(value) < 2):
            return None
        if self._known is None:
            self._known = _places(self.values, self.roots)
        return self._path(id(value))

    def _path(self, at: int) -> str | None:
        assert self._known is not None  # noqa: S101 - filled by the only caller
        if (found := self._known.get(at)) is None:
            return None
        holder, key = found
        if holder is None:
            return str(key)
        if (start := self._paths.get(holder)) is None:
            if (start := self._path(holder)) is None:
                return None
            self._paths[holder] = start
        return start + step(key)


def _computed(key: Any) -> str | int | None:
    return key if type(key) in (str, int) and not (type(key) is int and key < 0) else None


def _has(holder: Any, key: str | int) -> bool:
    """Whether `key` can be the place in `holder`; the position in a loop over a dict is no key of it."""
    return not isinstance(key, int) or isinstance(holder, list)


def _places(values: Mapping[str, Any], roots: Iterable[str]) -> dict[int, tuple[int | None, str | int] | None]:
    """id → (id of the container, key); None for an object that is in several places."""
    found: dict[int, tuple[int | None, str | int] | None] = {}
    waiting: list[tuple[int | None, str | int, Any]] = [(None, name, values[name]) for name in roots if name in values]
    left = WALKED
    while waiting and left:
        holder, key, value = waiting.pop()
        left -= 1
        kind = type(value)
        if kind is str:
            if len(value) > 1:
                found[id(value)] = None if id(value) in found else (holder, key)
        elif isinstance(value, dict | list):
            if id(value) in found:
                found[id(value)] = None
                continue
            found[id(value)] = (holder, key)
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            waiting.extend((id(value), inner, each) for inner, each in pairs)
    return found


@pass_context
def mark(context: Context, value: Any, index: int, objects: list[Any], computed: list[Any]) -> str:
    """The text of one output between its marks."""
    trace: Trace = context.parent[STATE]
    site = trace.sites[index]
    kind: Kind = "default" if _used(site, objects) else site.kind
    name = trace.path(site, objects, computed)
    if kind == "unknown" and name is not None:
        kind = "variable"
    return trace.mark((kind, name, site.line), str(value))


@pass_context
def join(
    context: Context,
    value: Any,
    index: int,
    objects: list[Any],
    computed: list[Any],
    between: Any = "",
    attribute: str | int | None = None,
) -> str:
    """The join filter, with each item between marks of its own."""
    trace: Trace = context.parent[STATE]
    site = trace.sites[index]
    start = trace.path(site, objects, computed) if site.chain else None
    listed = bool(objects) and objects[-1] is value and isinstance(value, list)
    used, several = _used(site, objects), site.name is not None and ", " in site.name
    suffix = "" if attribute is None else step(attribute)
    get = make_attrgetter(context.environment, attribute) if attribute is not None else None
    texts = []
    for position, item in enumerate(value):
        shown = get(item) if get else item
        name = trace.of(shown) or ((found := trace.of(item)) and found + suffix)
        if name is None and listed and start:
            name = f"{start}[{position}]{suffix}"
        name = name or (site.name if several else site.name and f"{site.name}[*]{suffix}")
        kind: Kind = "default" if used else "variable" if name else site.kind
        texts.append(trace.mark((kind, name, site.line), str(shown)))
    return str(between).join(texts)


def _used(site: Site, objects: list[Any]) -> bool:
    """Whether the default filter around an output stood in for an absent value."""
    return site.default and (isinstance(objects[-1], Undefined) or (site.falsy and not objects[-1]))


def trim(value: Any, chars: str | None = None) -> str:
    """The trim filter on text that may hold marks: they stay, the blanks around and between them go."""
    text = str(value)
    if chars is not None or (text.strip() == text and not _private(text)):
        return text.strip(chars)
    pieces = list(text)
    for order in (range(len(pieces)), range(len(pieces) - 1, -1, -1)):
        for at in order:
            if not _private(pieces[at]):
                if not pieces[at].isspace():
                    break
                pieces[at] = ""
    return "".join(pieces)


def _private(text: str) -> bool:
    return any(each >= "\U000f0000" for each in (text[:1], text[-1:]))

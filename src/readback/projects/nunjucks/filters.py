"""The filters of nunjucks 3.2.4, and promptfoo's `load`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any
from urllib.parse import quote

from readback.projects.javascript_text import (
    LONE_SURROGATE,
    SPACES,
    UNDEFINED,
    SafeText,
    add,
    are_identical,
    format_value,
    get_length,
    is_less,
    is_text,
    is_true,
    join_list,
    join_surrogates,
    make_number,
    order_keys,
    parse_json,
    slice_text,
    split_units,
    stringify,
)
from readback.projects.nunjucks.fault import TemplateFault, check_items, check_text, refuse_unknown
from readback.projects.nunjucks.members import get_member, round_half_up
from readback.projects.nunjucks.value_tests import TESTS

ESCAPES = {"&": "&amp;", '"': "&quot;", "'": "&#39;", "<": "&lt;", ">": "&gt;", "\\": "&#92;"}
TAG = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]*(?![a-zA-Z0-9_])[^>]*>|<!--[\s\S]*?-->")
WORDS = re.compile(r"[0-9A-Za-z_]+")
BLANKS = re.compile(f"[{SPACES}]+")
INTEGER = {10: re.compile(r"[-+]?[0-9]+"), 16: re.compile(r"[-+]?(?:0[xX])?[0-9a-fA-F]+")}
REAL = re.compile(r"[-+]?(?:Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)")
PUNCTUATED = re.compile(r"(?:\(|<|&lt;)?(.*?)(?:\.|,|\)|\n|&gt;)?")
MAIL = re.compile(r"[\w.!#$%&'*+\-/=?^`{|}~]+@[a-z\d\-]+(?:\.[a-z\d\-]+)+", re.IGNORECASE | re.ASCII)
DOMAIN = re.compile(r"\.(?:org|net|com)(?::|/|$)")


class Keywords(dict[str, Any]):
    """The named arguments of a call, which come last and as one object."""


def need_text(value: Any) -> str:
    """Return a text; JavaScript has no such method on anything else."""
    if not isinstance(value, str):
        raise TemplateFault(f"the filter needs a text, not {format_value(value)[:40]}")
    return value


def need_list(value: Any) -> list[Any]:
    """Return a list; JavaScript has no such method on anything else."""
    if not isinstance(value, list):
        raise TemplateFault(f"the filter needs a list, not {format_value(value)[:40]}")
    return value


def replace_nothing(value: Any) -> Any:
    """Return an empty text for null, undefined and false."""
    if value is None or value is UNDEFINED or value is False:
        return ""
    return value


def copy_safeness(source: Any, text: str) -> str:
    """Return a text that is marked safe where the source is."""
    text = join_surrogates(text)
    if isinstance(source, SafeText):
        return SafeText(text)
    return text


def get_integer(value: Any, default: int) -> int:
    """Return a number of the template as a whole number, cut at what any text may have."""
    number = make_number(value)
    if not is_true(value) or math.isnan(number):
        return default
    return int(max(-1e9, min(1e9, number)))


def escape(value: Any) -> Any:
    """Escape for HTML."""
    if isinstance(value, SafeText):
        return value
    return force_escape(value)


def force_escape(value: Any) -> Any:
    """Escape for HTML, also what is marked safe."""
    if value is None or value is UNDEFINED:
        return SafeText("")
    return SafeText("".join(ESCAPES.get(sign, sign) for sign in format_value(value)))


def mark_safe(value: Any) -> Any:
    """Mark as safe."""
    if value is None or value is UNDEFINED:
        return SafeText("")
    return SafeText(format_value(value))


def make_batches(items: Any, size: Any = UNDEFINED, filling: Any = UNDEFINED) -> Any:
    """Cut a list into rows of a size."""
    width = make_number(size)
    rows: list[list[Any]] = []
    row: list[Any] = []
    for index, item in enumerate(_list_items(items)):
        if row and width != 0 and not math.isnan(width) and index % width == 0:
            rows.append(row)
            row = []
        row.append(item)
    if row:
        if is_true(filling) and not math.isnan(width):
            check_items(width)
            row += [filling] * max(0, math.ceil(width) - len(row))
        rows.append(row)
    return rows


def _list_items(items: Any) -> list[Any]:
    """Return what a loop by index sees: the items of a list, the units of a text, nothing of other things."""
    if items is None or items is UNDEFINED:
        raise TemplateFault(f"the filter needs a list, not {format_value(items)}")
    if isinstance(items, list):
        return items
    if isinstance(items, str):
        return list(split_units(items))
    return []


def capitalize(value: Any) -> Any:
    """Put the first letter into upper case and the rest into lower case."""
    text = need_text(replace_nothing(value)).lower()
    first = text[:1]
    return copy_safeness(value, (first.upper() if first <= "\uffff" else first) + text[1:])


def center(value: Any, width: Any = UNDEFINED) -> Any:
    """Put blanks on both sides."""
    text = replace_nothing(value)
    if is_true(width):
        size = make_number(width)
    else:
        size = 80.0
    length = make_number(get_member(text, "length"))
    if length >= size:
        return text
    if math.isnan(length) or math.isnan(size):
        return copy_safeness(value, format_value(text))
    check_text(size)
    blanks = size - length
    before, after = math.ceil(max(0.0, blanks / 2 - blanks % 2)), math.ceil(blanks / 2)
    return copy_safeness(value, " " * before + format_value(text) + " " * after)


def choose_default(value: Any, default: Any = UNDEFINED, for_all: Any = UNDEFINED) -> Any:
    """Return the default for undefined, with `true` for everything that counts as false."""
    if is_true(for_all):
        if is_true(value):
            return value
        return default
    if value is UNDEFINED:
        return default
    return value


def sort_dict(value: Any, by_case: Any = UNDEFINED, by: Any = UNDEFINED) -> Any:
    """Return the pairs of an object in order."""
    if not isinstance(value, dict):
        raise TemplateFault("dictsort filter: val must be an object")
    if by is not UNDEFINED and by not in ("key", "value"):
        raise TemplateFault("dictsort filter: you can only sort by either key or value")
    position = 1 if by == "value" else 0

    def fold(item: Any) -> Any:
        if is_text(item) and not is_true(by_case):
            return item.upper()
        return item

    def compare(first: list[Any], second: list[Any]) -> int:
        left, right = fold(first[position]), fold(second[position])
        if is_less(right, left):
            return 1
        if are_identical(left, right):
            return 0
        return -1

    return sorted(([key, each] for key, each in value.items()), key=cmp_to_key(compare))


def get_first(value: Any) -> Any:
    """Return the first item."""
    return _get_item(value, 0)


def get_last(value: Any) -> Any:
    """Return the last item."""
    length = make_number(_get_checked(value, "length"))
    if math.isnan(length):
        return UNDEFINED
    return _get_item(value, int(length) - 1)


def _get_checked(value: Any, name: str) -> Any:
    if value is None or value is UNDEFINED:
        raise TemplateFault(f"the filter needs a list, not {format_value(value)}")
    return get_member(value, name)


def _get_item(value: Any, index: int) -> Any:
    return _get_checked(value, str(index))


def group_by(items: Any, attribute: Any = UNDEFINED) -> Any:
    """Return the items of a list by an attribute."""
    groups: dict[str, Any] = {}
    for item in _list_items(items):
        groups.setdefault(format_value(_get_attribute(item, attribute)), []).append(item)
    return order_keys(groups)


def _get_attribute(item: Any, path: Any) -> Any:
    """Return a member by a path with dots; undefined where a part is missing."""
    if not is_true(path):
        return item
    for name in format_value(path).split(".") if isinstance(path, str) else [format_value(path)]:
        if isinstance(item, dict):
            item = item.get(name, UNDEFINED)
        elif isinstance(item, list | str):
            item = get_member(item, name)
        elif item is None or item is UNDEFINED:
            raise TemplateFault("an attribute of nothing")
        else:
            return UNDEFINED
        if item is UNDEFINED:
            return UNDEFINED
    return item


def indent(value: Any, width: Any = UNDEFINED, with_first: Any = UNDEFINED) -> Any:
    """Indent all lines but the first, also empty ones."""
    text = replace_nothing(value)
    if text == "":
        return ""
    margin = " " * _check_width(width, 4)
    lines = need_text(text).split("\n")
    check_text(len(lines) * len(margin) + len(text))
    lines[1:] = [margin + line for line in lines[1:]]
    if is_true(with_first):
        lines[0] = margin + lines[0]
    return copy_safeness(value, "\n".join(lines))


def _check_width(width: Any, default: int) -> int:
    if is_true(width):
        number = make_number(width)
    else:
        number = float(default)
    check_text(number)
    if not math.isnan(number):
        return max(0, math.ceil(number))
    return 0


def join(value: Any, joiner: Any = UNDEFINED, attribute: Any = UNDEFINED) -> Any:
    """Join a list, or an attribute of its items."""
    if is_true(joiner):
        between = format_value(joiner)
    else:
        between = ""
    items = need_list(value)
    if is_true(attribute):
        items = [_get_checked(each, format_value(attribute)) for each in items]
    check_text(len(between) * len(items))
    return join_list(items, between)


def get_size(value: Any) -> Any:
    """Return the number of characters, items or keys."""
    value = replace_nothing(value)
    if isinstance(value, dict):
        return float(len(value))
    if isinstance(value, str | list):
        return get_member(value, "length")
    return UNDEFINED


def make_list(value: Any) -> Any:
    """Return the units of a text, the pairs of an object, or the list."""
    if is_text(value):
        return list(split_units(value))
    if isinstance(value, dict):
        return [{"key": key, "value": each} for key, each in value.items()]
    if isinstance(value, list):
        return value
    raise TemplateFault("list filter: type not iterable")


def break_lines(value: Any) -> Any:
    """Put `<br />` before line breaks."""
    if value is None or value is UNDEFINED:
        return ""
    return copy_safeness(value, re.sub(r"\r\n|\n", "<br />\n", need_text(value)))


def refuse_random(_: Any = UNDEFINED) -> Any:
    """Refuse: what it draws cannot be known."""
    raise refuse_unknown("a random choice")


def _select(expected: bool) -> Callable[..., Any]:
    def select(items: Any, test: Any = UNDEFINED, second: Any = UNDEFINED) -> Any:
        if test is UNDEFINED:
            name = "truthy"
        else:
            name = format_value(test)
        function = TESTS.get(name)
        if function is None:
            raise TemplateFault(f"test not found: {name}")
        listed = _list_items(items)
        return [each for each in listed if fit_call(function, [each, second]) is expected]

    return select


def _select_attribute(expected: bool) -> Callable[..., Any]:
    def select(items: Any, attribute: Any = UNDEFINED) -> Any:
        name = format_value(attribute)
        return [each for each in need_list(items) if is_true(_get_checked(each, name)) is expected]

    return select


def replace(value: Any, old: Any = UNDEFINED, new: Any = UNDEFINED, times: Any = UNDEFINED) -> Any:
    """Replace a text by another, everywhere or so many times."""
    if isinstance(old, float) and not isinstance(old, bool):
        old = format_value(old)
    elif not is_text(old):
        return value
    if isinstance(value, float):
        text = format_value(value)
    else:
        text = value
    if not isinstance(text, str):
        return text
    written = format_value(new)
    if old == "":
        units = split_units(text)
        check_text(len(written) * (len(units) + 1))
        return copy_safeness(value, written + written.join(units) + written)
    if times is UNDEFINED or times == -1:
        limit = -1
    else:
        limit = max(0, math.ceil(make_number(times)))
    number = text.count(old)
    check_text(len(text) + number * len(written))
    if limit == 0 or not number:
        return text
    return copy_safeness(value, text.replace(old, written, limit))


def reverse(value: Any) -> Any:
    """Return a text or list backwards."""
    if is_text(value):
        return copy_safeness(value, "".join(reversed(split_units(value))))
    return list(reversed(_list_mapped(value)))


def _list_mapped(value: Any) -> list[Any]:
    """Return a copy of a list; nothing of null."""
    if value is None or value is UNDEFINED:
        return []
    return list(_list_items(value))


def round_number(value: Any, digits: Any = UNDEFINED, method: Any = UNDEFINED) -> Any:
    """Round to some digits."""
    if is_true(digits):
        places = make_number(digits)
    else:
        places = 0.0
    factor = math.pow(10, max(-400.0, min(300.0, places)))
    scaled = make_number(value) * factor
    if math.isnan(scaled) or math.isinf(scaled) or factor == 0:
        if factor == 0:
            return math.nan
        return scaled / factor
    if method == "ceil":
        whole = float(math.ceil(scaled))
    elif method == "floor":
        whole = float(math.floor(scaled))
    else:
        whole = round_half_up(scaled)
    return whole / factor


def make_slices(items: Any, number: Any = UNDEFINED, filling: Any = UNDEFINED) -> Any:
    """Cut a list into so many columns."""
    listed: Any = items if isinstance(items, str) else need_list(items)
    count = make_number(number)
    if math.isnan(count) or count <= 0:
        return []
    check_items(count)
    columns = math.ceil(count)
    length, extra = math.floor(len(listed) / count), len(listed) % count
    offset = 0
    slices: list[Any] = []
    for index in range(columns):
        start = offset + index * length
        if index < extra:
            offset += 1
        column = listed[start : offset + (index + 1) * length]
        if is_true(filling) and index >= extra:
            need_list(column).append(filling)
        slices.append(column)
    return slices


def add_up(items: Any, attribute: Any = UNDEFINED, start: Any = UNDEFINED) -> Any:
    """Add the items of a list, or an attribute of them."""
    listed = need_list(items)
    if is_true(attribute):
        listed = [_get_checked(each, format_value(attribute)) for each in listed]
    total: Any = 0.0
    for each in listed:
        total = add(total, each)
        check_text(len(total) if isinstance(total, str) else 0)
    return add(0.0 if start is UNDEFINED else start, total)


def sort(value: Any, *further: Any) -> Any:
    """Sort a list; undefined goes last."""
    settings = ["reverse", "case_sensitive", "attribute"]
    args = list(further)
    if args and isinstance(args[-1], Keywords):
        keywords = args.pop()
    else:
        keywords = {}
    read = dict(zip(settings, args, strict=False)) | {name: keywords[name] for name in settings if name in keywords}
    attribute = read.get("attribute", UNDEFINED)
    is_reversed, by_case = is_true(read.get("reverse")), is_true(read.get("case_sensitive"))

    def get_key(item: Any) -> Any:
        if is_true(attribute):
            return _get_attribute(item, attribute)
        return item

    def compare(first: Any, second: Any) -> int:
        left, right = get_key(first), get_key(second)
        if not by_case and is_text(left) and is_text(right):
            left, right = left.lower(), right.lower()
        if is_less(left, right):
            if is_reversed:
                return 1
            return -1
        if is_less(right, left):
            if is_reversed:
                return -1
            return 1
        return 0

    items = _list_mapped(value)
    values = [each for each in items if each is not UNDEFINED]
    return sorted(values, key=cmp_to_key(compare)) + [UNDEFINED] * (len(items) - len(values))


def make_text(value: Any) -> Any:
    """Return the text of a value."""
    if value is None or value is UNDEFINED:
        raise TemplateFault("the filter needs a value")
    if isinstance(value, SafeText):
        return value
    return format_value(value)


def strip_tags(value: Any, keep_lines: Any = UNDEFINED) -> Any:
    """Remove tags of HTML and squash blanks."""
    text = need_text(replace_nothing(value))
    text = TAG.sub("", text) if ">" in text else text
    text = text.strip(SPACES)
    if is_true(keep_lines):
        text = re.sub(r"^ +| +$", "", text, flags=re.MULTILINE)
        text = re.sub(" +", " ", text).replace("\r\n", "\n")
        text = re.sub(r"\n\n\n+", "\n\n", text)
    else:
        text = BLANKS.sub(" ", text)
    return copy_safeness(value, text)


def make_title(value: Any) -> Any:
    """Capitalise every word."""
    words = need_text(replace_nothing(value)).split(" ")
    return copy_safeness(value, " ".join(capitalize(word) for word in words))


def trim(value: Any) -> Any:
    """Remove blanks at both ends."""
    return copy_safeness(value, need_text(value).strip(SPACES))


def truncate(value: Any, length: Any = UNDEFINED, in_words: Any = UNDEFINED, end: Any = UNDEFINED) -> Any:
    """Cut a text at a length, at a blank where there is one."""
    text = replace_nothing(value)
    if is_true(length):
        limit = make_number(length)
    else:
        limit = 255.0
    if isinstance(text, str | list):
        size = make_number(get_member(text, "length"))
    else:
        size = math.nan
    if size <= limit:
        return text
    text, limit = need_text(text), 0.0 if math.isnan(limit) else limit
    cut = int(max(0.0, limit))
    if not is_true(in_words):
        blank = slice_text(text, 0, cut + 1).rfind(" ")
        if not (blank < 0):
            cut = get_length(slice_text(text, 0, cut + 1)[:blank])
    if end is not UNDEFINED and end is not None:
        ending = format_value(end)
    else:
        ending = "..."
    return copy_safeness(value, slice_text(text, 0, cut) + ending)


def encode_url(value: Any) -> Any:
    """Escape for an address: a text, or the pairs of an object or list."""
    if is_text(value):
        return _encode_part(value)
    if isinstance(value, dict):
        pairs = [[key, each] for key, each in value.items()]
    elif isinstance(value, list):
        pairs = [each if isinstance(each, list) else [get_member(each, "0"), get_member(each, "1")] for each in value]
    else:
        pairs = []
    written = [[*pair, UNDEFINED, UNDEFINED][:2] for pair in pairs]
    return "&".join(f"{_encode_part(format_value(k))}={_encode_part(format_value(v))}" for k, v in written)


def _encode_part(text: str) -> str:
    if LONE_SURROGATE.search(join_surrogates(text)):
        raise TemplateFault("a half of a character cannot stand in an address")
    return quote(join_surrogates(text), safe="!'()*-._~")


def link_addresses(value: Any, length: Any = UNDEFINED, no_follow: Any = UNDEFINED) -> Any:
    """Make links of what looks like addresses."""
    size = make_number(length)
    if no_follow is True:
        attribute = ' rel="nofollow"'
    else:
        attribute = ""
    parts = re.split(f"([{SPACES}]+)", need_text(value))
    return "".join(_link(part, size, attribute) for part in parts if part)


def _link(word: str, size: float, attribute: str) -> str:
    matched = PUNCTUATED.fullmatch(word)
    address = matched.group(1) if matched else word
    if math.isnan(size) or math.isinf(size):
        short = address
    else:
        short = slice_text(address, 0, int(size))
    if re.fullmatch(r"https?://.*", address):
        return f'<a href="{address}"{attribute}>{short}</a>'
    if address.startswith("www."):
        return f'<a href="http://{address}"{attribute}>{short}</a>'
    if MAIL.fullmatch(address):
        return f'<a href="mailto:{address}">{address}</a>'
    if DOMAIN.search(address):
        return f'<a href="http://{address}"{attribute}>{short}</a>'
    return word


def count_words(value: Any) -> Any:
    """Return the number of words of ASCII letters; null where there is none."""
    text = replace_nothing(value)
    if is_true(text):
        words = WORDS.findall(need_text(text))
    else:
        words = []
    if words:
        return float(len(words))
    return None


def make_real(value: Any, default: Any = UNDEFINED) -> Any:
    """Return the number that a text begins with."""
    matched = REAL.match(format_value(value).lstrip(SPACES))
    if matched:
        return float(matched.group())
    return default


def make_whole(value: Any, *further: Any) -> Any:
    """Return the whole number that a text begins with."""
    args = list(further)
    if args and isinstance(args[-1], Keywords):
        keywords = args.pop()
    else:
        keywords = {}
    if args:
        default = args[0]
    else:
        default = keywords.get("default", UNDEFINED)
    base = make_number(args[1] if len(args) > 1 else keywords.get("base", 10.0))
    if base not in INTEGER:
        raise refuse_unknown("a number of that base")
    matched = INTEGER[int(base)].match(format_value(value).lstrip(SPACES))
    if not matched:
        return default
    digits = matched.group()
    if base == 10:
        return float(digits)
    return float(int(digits, 16))


def lower(value: Any) -> Any:
    """Put into lower case."""
    return str(need_text(replace_nothing(value))).lower()


def upper(value: Any) -> Any:
    """Put into upper case."""
    return str(need_text(replace_nothing(value))).upper()


def load(value: Any) -> Any:
    """Return what a JSON text says; a filter of promptfoo."""
    try:
        return parse_json(format_value(value))
    except ValueError as error:
        raise TemplateFault(f"not JSON ({error})") from None


def fit_call(function: Callable[..., Any], args: list[Any]) -> Any:
    """Call a function as JavaScript does: with undefined for what is missing, without what is too much."""
    code = getattr(function, "__code__", None)
    if code is None:
        return function(*args[:1])
    if code.co_flags & 0x04:  # it takes any number
        return function(*args, *[UNDEFINED] * (code.co_argcount - len(args)))
    return function(*args[: code.co_argcount], *[UNDEFINED] * (code.co_argcount - len(args)))


FILTERS: dict[str, Callable[..., Any]] = {
    "abs": lambda value: abs(make_number(value)),
    "batch": make_batches,
    "capitalize": capitalize,
    "center": center,
    "d": choose_default,
    "default": choose_default,
    "dictsort": sort_dict,
    "dump": stringify,
    "e": escape,
    "escape": escape,
    "first": get_first,
    "float": make_real,
    "forceescape": force_escape,
    "groupby": group_by,
    "indent": indent,
    "int": make_whole,
    "join": join,
    "last": get_last,
    "length": get_size,
    "list": make_list,
    "load": load,
    "lower": lower,
    "nl2br": break_lines,
    "random": refuse_random,
    "reject": _select(False),
    "rejectattr": _select_attribute(False),
    "replace": replace,
    "reverse": reverse,
    "round": round_number,
    "safe": mark_safe,
    "select": _select(True),
    "selectattr": _select_attribute(True),
    "slice": make_slices,
    "sort": sort,
    "string": make_text,
    "striptags": strip_tags,
    "sum": add_up,
    "title": make_title,
    "trim": trim,
    "truncate": truncate,
    "upper": upper,
    "urlencode": encode_url,
    "urlize": link_addresses,
    "wordcount": count_words,
}

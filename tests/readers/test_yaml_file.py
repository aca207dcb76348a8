"""Configurations: the values of PyYAML's safe loader, the place of every key, and nothing that bites."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st
from in_time import in_time

from readback import sandbox
from readback.readers.yaml import yaml_decode
from readback.readers.yaml.yaml_file import (
    MASKED,
    Parsed,
    find_nearest,
    mask_secrets,
    parse_yaml,
    read_yaml,
    report_unknown_keys,
)
from readback.types import Diagnostic

Write = Callable[[dict[str, Any]], Path]
KEYS = st.text(min_size=1, max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)  # fmt: skip


class Undated(yaml.SafeLoader):
    """The safe loader, except that a date is text, as docs/workspace.md says."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - as PyYAML has it
        first: [(tag, wanted) for tag, wanted in known if tag != "tag:yaml.org,2002:timestamp"]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def safely(text: str) -> Any:
    return yaml.load(text, Undated)


def here(text: str, json: bool = False) -> Parsed:
    """The text decoded in this process: the same work, without the wait."""
    found = yaml_decode.decode({"text": text, "json": json})
    lines = {tuple(keys): (line, column) for keys, line, column in found["lines"]}
    diagnostics = [Diagnostic(n["code"], n["values"], flagged=n["flagged"]) for n in found["notes"]]
    return Parsed(found["value"], lines, tuple(diagnostics), "f.yml")


def faults(parsed: Parsed) -> list[tuple[str, int | None]]:
    return [(diagnostic.code, diagnostic.place.line) for diagnostic in parsed.diagnostics]


@settings(max_examples=some(200), deadline=None)
@given(JSON, st.booleans(), st.booleans())
def test_values_are_those_of_the_safe_loader(value: Any, flow: bool, unicode: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=unicode)
    parsed = here(text)
    assert safely(text) == parsed.value  # which is not always what was dumped
    assert all(diagnostic.code == "dat-yaml-differs" for diagnostic in parsed.diagnostics)  # `1e3` is a text here


@settings(max_examples=some(150), deadline=None)
@given(JSON, st.sampled_from((None, 2)), st.booleans())
def test_json_is_read_by_its_own_rules(value: Any, indent: int | None, ascii_: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
    assert (value, ()) == (here(text, json=True).value, here(text, json=True).diagnostics)


@settings(max_examples=some(200), deadline=None)
@given(st.text(st.sampled_from(" \n\t-:?[]{},&*!|>'\"%@`#ab1~<=.\u2028é"), max_size=60))
def test_any_text_is_decoded_or_noted(text: str) -> None:
    parsed = here(text)
    json.dumps(parsed.value)
    try:
        expected = safely(text)
    except (yaml.YAMLError, ValueError, TypeError):
        return
    if expected is not None and not isinstance(expected, dict | list):
        assert str(expected) == str(parsed.value) or parsed.diagnostics


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: no\nb: 010\nc: 12:30\nd: 1_000\ne: 0x1f\nf: ~\ng: .5\nh: yes", [False, 8, 750, 1000, 31, None, 0.5, True]),
        ("a: 2026-01-31\nb: 2026-01-31T10:00:00Z\nc: '1'\nd: =", ["2026-01-31", "2026-01-31T10:00:00Z", "1", "="]),
        ("a: |\n  x\n  y\nb: >-\n  x\n  y", ["x\ny\n", "x y"]),
        ("a: &x [1]\nb: *x", [[1], [1]]),
        ("a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}", [{"k": 1, "l": 2}, {"k": 3, "l": 2}]),
        ("a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}", [{"k": 1}, {"k": 2, "l": 2}, {"k": 1, "l": 2}]),
        ("a: !!str 1\nb: !!int '2'\nc: ! 3", ["1", 2, 3]),
        ("a: !!set {x, y}", [{"x": None, "y": None}]),
    ],
)
def test_scalars_and_aliases_mean_what_they_mean_in_yaml(text: str, value: list[Any]) -> None:
    parsed = here(text)
    assert value == list(parsed.value.values())
    assert all(diagnostic.code == "dat-yaml-differs" for diagnostic in parsed.diagnostics)


def test_keys_are_text_as_written() -> None:
    assert list(here("1: a\nno: b\n2.0: c\n~: d\n2026-01-31: e\n'1 ': f").value) == [
        "1",
        "no",
        "2.0",
        "~",
        "2026-01-31",
        "1 ",
    ]


def test_every_key_and_item_has_its_place() -> None:
    parsed = parse_yaml("name: x\nprompts:\n  - mode: a\n    template: b\n  - mode: c\n", "p.yml")
    places = {keys: parsed.place(*keys) for keys in (("name",), ("prompts", 0), ("prompts", 1, "mode"))}
    assert {keys: (p.file, p.line, p.column) for keys, p in places.items()} == {
        ("name",): ("p.yml", 1, 1),
        ("prompts", 0): ("p.yml", 3, 5),
        ("prompts", 1, "mode"): ("p.yml", 5, 5),
    }
    assert parsed.place("prompts", 1, "nothing", 7).line == 5  # the nearest ancestor
    assert parsed.place("nothing").line == 1
    assert Parsed(None, {}, (), "p.yml").place("x").file == "p.yml"


def test_json_has_places_too() -> None:
    parsed = parse_yaml('{\n\t"a": 1,\n\t"b": [\n\t\t{"c": 2}]\n}', "p.json", json=True)
    assert (parsed.place("a").line, parsed.place("b", 0, "c").line) == (2, 4)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", {"a": 3, "b": 2}, [("dat-duplicate-key", 3)]),
        ("a: 1\n---\nb: 2", {"a": 1}, [("dat-bad-line", 2)]),
        ("a: [1, 2\nb: 3", None, [("dat-bad-line", 2)]),
        ("a: 1\n\tb: 2", None, [("dat-bad-line", 2)]),
        ("a: 'x", None, [("dat-bad-line", 1)]),
        ("a: 1\nb: \x07", None, [("dat-bad-line", 2)]),
        ("a: *x", None, [("dat-bad-line", 1)]),
        ("a: &x [*x]", None, [("dat-bad-line", 1)]),
        ("? [a]\n: 1\nb: 2", {"b": 2}, [("dat-bad-line", 1)]),
        ("a: 1\nb: !!python/object/apply:os.system ['id']", {"a": 1, "b": ["id"]}, [("dat-bad-line", 2)]),
        ("a: !Thing {b: 1}", {"a": {"b": 1}}, [("dat-bad-line", 1)]),
        ("a: !!int x", {"a": "x"}, [("dat-bad-line", 1)]),
        ("<<: 3\na: 1", {"a": 1}, [("dat-bad-line", 1)]),
        ("a: 1e999\nb: 1.0e+999", {"a": "1e999", "b": float("inf")}, [("dat-nan", 2)]),
        ("a: " + "9" * 5000, {"a": "9" * 5000}, [("dat-bad-line", 1)]),
        ("a: 0x" + "f" * 50000, {"a": "0x" + "f" * 50000}, [("dat-bad-line", 1)]),
        ("", None, []),
        ("# nothing\n", None, []),
        ("- a\n", ["a"], []),
    ],
)
def test_what_is_wrong_is_noted_with_its_line_and_the_rest_is_read(
    text: str, value: Any, expected: list[tuple[str, int]]
) -> None:
    parsed = parse_yaml(text, "f.yml")
    assert (value, expected) == (parsed.value, faults(parsed))


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ('{"a": 1,\n "a": 2}', {"a": 2}, [("dat-duplicate-key", 2)]),
        ('{"a": 1,\n "b": }', None, [("dat-bad-line", 2)]),
        ("a: 1", None, [("dat-bad-line", 1)]),
        ("", None, [("dat-bad-line", 1)]),
        ('{"a": NaN}', None, [("dat-nan", None)]),
        ('{"a": ' + "1" * 5000 + "}", None, [("dat-bad-line", None)]),
        ("[" * 5000, None, [("dat-limit", None)]),
        ("[" * 70 + "]" * 70, None, [("dat-limit", 1)]),
    ],
)
def test_json_faults_are_noted(text: str, value: Any, expected: list[tuple[str, int | None]]) -> None:
    parsed = parse_yaml(text, "f.json", json=True)
    assert faults(parsed) == expected
    assert "NaN" in text or value == parsed.value


def test_the_first_and_the_second_line_of_a_doubled_key_are_named() -> None:
    (diagnostic,) = parse_yaml("x:\n  a: 1\n  b: 2\n  a: 3\n", "f.yml").diagnostics
    assert (diagnostic.values, diagnostic.place.line, diagnostic.flagged) == ({"key": "a", "first": 2}, 4, "a")


LETTERS = "abcdefghijklmnopqrstuvwxyz"
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join(['*' + a] * 9)}]\n" for a, b in pairwise(LETTERS)
)
MERGES = "a: &a {k0: 1}\n" + "".join(
    f"{b}: &{b} {{<<: [{', '.join(['*' + a] * 9)}], k{b}: 1}}\n" for a, b in pairwise(LETTERS)
)
WIDE = "a: &a {" + ", ".join(f"k{i}: 1" for i in range(20_000)) + "}\nb: [" + "{<<: *a}, " * 20_000 + "]"
BITES = {
    "an alias bomb": LAUGHS,
    "a merge bomb": MERGES,
    "a wide merge bomb": WIDE,
    "brackets": "[" * 200_000,
    "braces": "{a: " * 100_000,
    "dashes": "- " * 200_000,
    "question marks": "? " * 200_000,
    "items": "- a\n" * 250_000,
    "keys": "".join(f"k{i}: v\n" for i in range(70_000)),
    "a long scalar again and again": "a: &a " + "y" * 500_000 + "\nb: [" + "*a, " * 1000 + "]",
    "a number in base sixty": "a: 1" + ":59" * 300_000,
    "deep indentation": "".join(" " * i + "a:\n" for i in range(1_300)),
}


@pytest.mark.parametrize("name", BITES)
def test_a_configuration_that_bites_is_one_finding_in_bounded_time(name: str) -> None:
    parsed = in_time(3, lambda: parse_yaml(BITES[name], "f.yml"))
    assert parsed.value is None
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["dat-limit"]
    assert parsed.diagnostics[0].place.file == "f.yml"


def test_many_faults_are_listed_up_to_a_limit() -> None:
    parsed = here("a: 1\n" * 500)
    assert parsed.value == {"a": 1}
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["dat-duplicate-key"] * yaml_decode.FAULTS + [
        "dat-limit"
    ]


def test_a_megabyte_of_ordinary_configuration_is_read() -> None:
    value = {f"key {i}": {"text": "word " * 40, "list": [i, i]} for i in range(4_000)}
    text = yaml.dump(value, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper))
    assert 900_000 < len(text) < 1_100_000
    assert parse_yaml(text, "f.yml").value == value


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("f.yml", b"\x89PNG\r\n\x1a\n\0\0\0", "dat-encoding"),
        ("f.yml", "name: x".encode("utf-16"), "dat-encoding"),
        ("f.yml", b"name: x\0", "dat-encoding"),
        ("f.yml", b"name: \xe9", "dat-encoding"),
        ("f.yml", b"#" * ((1 << 20) + 1), "dat-too-large"),
        ("f.json", b"{", "dat-bad-line"),
    ],
)
def test_a_file_that_is_no_configuration_gives_no_value_and_one_note(
    write: Write, name: str, content: bytes, code: str
) -> None:
    parsed = read_yaml(write({name: content}) / name, name)
    assert (parsed.value, [diagnostic.code for diagnostic in parsed.diagnostics], parsed.file) == (None, [code], name)


def test_marks_and_line_ends_are_noted_and_the_file_is_read(write: Write) -> None:
    parsed = read_yaml(write({"f.yml": b"\xef\xbb\xbfa: 1\r\nb: 2\r\n"}) / "f.yml", "f.yml")
    assert (parsed.value, [diagnostic.code for diagnostic in parsed.diagnostics]) == (
        {"a": 1, "b": 2},
        ["dat-bom", "dat-crlf"],
    )
    assert parsed.place("b").line == 2


def test_a_missing_file_and_a_folder_are_noted(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.yml", tmp_path):
        assert [diagnostic.code for diagnostic in read_yaml(path, "f.yml").diagnostics] == ["dat-file-missing"]


def test_decoding_that_dies_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any) -> Any:
        raise sandbox.Stopped("crash", "its process ended with SIGSEGV")

    monkeypatch.setattr(sandbox, "call", stopped)
    (diagnostic,) = parse_yaml("a: 1", "f.yml").diagnostics
    assert (diagnostic.code, diagnostic.place.file) == ("dat-limit", "f.yml")


def test_an_unknown_key_is_noted_with_the_nearest_known_one() -> None:
    parsed = parse_yaml("prompts:\n  - mode: a\n    sytem_prompt: x\n    zzz: 1\n", "p.yml")
    known = ("mode", "system_prompt", "template")
    diagnostics = list(
        report_unknown_keys(parsed.value["prompts"][0], known, parsed, "prompts", 0, code="alb-unknown-key")
    )
    assert [(n.code, n.values["key"], n.values["nearest"], n.place.line) for n in diagnostics] == [
        ("alb-unknown-key", "sytem_prompt", "system_prompt", 3),
        ("alb-unknown-key", "zzz", "", 4),
    ]


@pytest.mark.parametrize(
    ("name", "expected"), [("Sytem", "system"), ("SYSTEM", "system"), ("q", None), ("x" * 10**6, None), ("", None)]
)
def test_the_nearest_name_is_found_quickly(name: str, expected: str | None) -> None:
    assert find_nearest(name, ("system", "template")) == expected


@pytest.mark.parametrize(
    ("value", "expected", "keys"),
    [
        ({"api_key": "s", "model": "m"}, {"api_key": MASKED, "model": "m"}, ("api_key",)),
        ({"OPENAI_API_KEY": "s"}, {"OPENAI_API_KEY": MASKED}, ("OPENAI_API_KEY",)),
        ({"a": [{"hf-token": "s"}]}, {"a": [{"hf-token": MASKED}]}, ("a.0.hf-token",)),
        ({"password": 7, "secret": ["a"]}, {"password": MASKED, "secret": MASKED}, ("password", "secret")),
        ({"token": None, "apikey": ""}, {"token": None, "apikey": ""}, ()),
        ({"tokens": 5, "max_tokens": 9, "secretary": "x"}, {"tokens": 5, "max_tokens": 9, "secretary": "x"}, ()),
        ({"url": "https://me:pw@host/x"}, {"url": f"https://{MASKED}@host/x"}, ("url",)),
        ({"u": "http://h/?a=1&api_key=s#f"}, {"u": f"http://h/?a=1&api_key={MASKED}#f"}, ("u",)),
        ("plain", "plain", ()),
    ],
)
def test_secrets_are_masked_and_named(value: Any, expected: Any, keys: tuple[str, ...]) -> None:
    assert mask_secrets(value) == (expected, keys)


def test_b19_a_date_is_text() -> None:
    parsed = here("last_updated: 2025-11-11\nat: 2025-11-11 10:00:00\nmonth: 2025-11\n")
    assert parsed.value == {"last_updated": "2025-11-11", "at": "2025-11-11 10:00:00", "month": "2025-11"}
    assert parsed.diagnostics == ()


@pytest.mark.realdata
def test_real_configurations_are_read_as_the_safe_loader_reads_them(shared: Path) -> None:
    def keyed(value: Any) -> Any:
        if isinstance(value, dict):
            return {str(key): keyed(each) for key, each in value.items()}
        return [keyed(each) for each in value] if isinstance(value, list) else value

    files = [*(shared / "data").rglob("*.yml"), *(shared / "data").rglob("*.yaml")]
    assert files
    for path in files:
        parsed = read_yaml(path, path.name)
        assert (keyed(safely(path.read_text("utf-8"))), ()) == (parsed.value, parsed.diagnostics), path

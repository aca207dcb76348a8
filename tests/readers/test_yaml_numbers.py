"""A number that YAML 1.2 reads otherwise is reported with its place; what both versions read alike is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readback.readers.yaml.yaml_decode import read_as_yaml_1_2
from readback.readers.yaml.yaml_file import parse_yaml

DIFFERS = "dat-yaml-differs"


@pytest.mark.parametrize(
    ("text", "value", "place"),
    [
        ("at: 12:30", {"at": 750}, (1, 5)),
        ("mode: 0755", {"mode": 493}, (1, 7)),
        ("most: 10_000", {"most": 10000}, (1, 7)),
        ("rate: 1e-5", {"rate": "1e-5"}, (1, 7)),
        ("mode: 0o17", {"mode": "0o17"}, (1, 7)),
        ("day: 08", {"day": "08"}, (1, 6)),
        ("a:\n  - ! 12", {"a": [12]}, (2, 5)),
    ],
)
def test_c7_a_value_that_yaml_1_2_reads_otherwise_is_told(text: str, value: Any, place: tuple[int, int]) -> None:
    parsed = parse_yaml(text, "f.yml")
    (diagnostic,) = parsed.diagnostics
    assert (parsed.value, diagnostic.code) == (value, DIFFERS)
    assert (diagnostic.place.line, diagnostic.place.column) == place


@pytest.mark.parametrize(
    "text",
    [
        "a: yes\nb: no\nc: ~\nd: null\ne: 1\nf: -1.5\ng: 007\nh: 0x1f\ni: .5\nj: 1.5e+3\nk: .inf",
        "a: 'b' # c\nb: [c, # d\n  e] # f\nc: | # d\n  e\nd: e#f\ne: '#'\nf: http://x/#y\n",
        "a: [\n  b,\n  c\n]\nb: {\n  c: d\n}\n# [\nc: [ # d\n\n  # e\n  f ]",
        'a: "b\n  c\n\n  d"\nb:\n- "c\n  d"\n- e',
        '"a\nb"',
        "[a,\nb]",
        "- - a\n  - [b,\n     c]\n-\n  - d",
        "a: |\n  text\n\nb: >-\n  x\n   ",
        "a: |\n\n\nb: c",
        "a: &b c\nd: *b\ne: [&f g, *f]\nh: &i\n  j: k\n&l m: *b\n",
        "? a\n: b\n? [c]\n: d",
        "a: ?b\nc: -d\ne: [-1]",
        "%YAML 1.1 # c\n---\na: b # 😁\nc: '😁' # d\n",
        "a: 2026-01-31\nb: 1.2.3\nc: v1\nd: 1e\ne: '12:30'\nf: \"1e5\"",
        "",
    ],
)
def test_c7_what_all_read_alike_is_not_told(text: str) -> None:
    codes = {diagnostic.code for diagnostic in parse_yaml(text, "f.yml").diagnostics}
    assert DIFFERS not in codes


@settings(deadline=None)
@given(st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_as_json_writes_it_is_the_same_in_both(value: float) -> None:
    assert read_as_yaml_1_2(str(value), value, False) is None


def test_json_is_not_yaml() -> None:
    assert parse_yaml('{"a": [1e5,\n1E-5], "b":"c"}', "f.json", json=True).diagnostics == ()

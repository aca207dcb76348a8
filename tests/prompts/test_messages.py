"""Tri-section rules: the published worked checks, and that nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback.prompts.assemble import assemble
from readback.prompts.messages import append_segments, compute_fingerprint, join_texts, make_messages
from readback.types import Adapter, Addition, Message, Prompt, Record, Segment, Selection, Workspace


def seg(text: str, origin: str = "task") -> tuple[Segment, ...]:
    return (Segment(text, origin),) if text else ()  # type: ignore[arg-type]


FACTORIES = [("S1", "U1"), ("S2", ""), ("", "U3")]
CASES = [
    # system, user, instruction, additions, system role, messages, sha256
    ("S", "U", "X", FACTORIES, True,
     [("system", "S\n\nS1\n\nS2\n\nX"), ("user", "U\n\nU1\n\nU3")],
     "8a17195938018eac1422bd88b1ee8c237651d496a75588d3522451a74b5d39fd"),
    ("S", "U", "X", FACTORIES, False,
     [("user", "S\n\nS1\n\nS2\n\nX\n\nU\n\nU1\n\nU3")],
     "a7f263b6ab9f660ad7ca0887454c969a82490cce5f066a1f3f572e09637fcc4b"),
    ("", "", "", FACTORIES, True,
     [("system", "S1\n\nS2"), ("user", "U1\n\nU3")],
     "0e1c5064a1e3615d5ee46070914f38ce465ec81e22b15a54d1b9e9b8fa507fb9"),
    ("", "", "", FACTORIES, False,
     [("user", "S1\n\nS2\n\nU1\n\nU3")],
     "96f5de4e31527d9e7db8e5c77261fb435133cdc7dae7adf263278c81c6283090"),
    ("SYS", "USR", "UI", [], True,
     [("system", "SYS\n\nUI"), ("user", "USR")],
     "422bf593fce4e4dc13ce30eed36c51f72e7417f8a07a42fe7531ee06febee029"),
    ("SYS", "USR", "UI", [], False,
     [("user", "SYS\n\nUI\n\nUSR")],
     "21a33bcada65e0e05737cd98006265bb4a151e6c59bf33eae397be3637dd99a3"),
    ("S", "", "", [], True,
     [("system", "S"), ("user", "")],
     "082eb623a20602db50e420bfec00573cb9a691ce21a941702b0b35c4c77dc86a"),
    ("S", "", "", [], False,
     [("user", "S\n\n")],
     "d868a82b891f204fd9dcd78673c3d8cb41787226228dc82809f0483f3e8893fe"),
    ("", "", "", [], True,
     [("user", "")],
     "e5b1d7378a9407f43e56df7a0ca48279692626f4bc532e41db0416d514a76b19"),
    ("S", "U", " ", [], True,
     [("system", "S\n\n "), ("user", "U")],
     "c469292d8519302037de099614af5b1f56e215bfef036d17c826a2f535fbea18"),
]  # fmt: skip


@pytest.mark.parametrize(("system", "user", "instruction", "additions", "role", "expected", "sha"), CASES)
def test_the_worked_checks_come_out_byte_for_byte(
    system: str,
    user: str,
    instruction: str,
    additions: list[tuple[str, str]],
    role: bool,
    expected: list[tuple[str, str]],
    sha: str,
) -> None:
    parts = [(seg(s, "adapter"), seg(u, "adapter")) for s, u in additions]
    messages = make_messages(*join_texts(seg(system), seg(user), parts, seg(instruction, "instruction")), role)
    assert expected == [(message.role, message.text) for message in messages]
    assert sha == compute_fingerprint(messages)


@pytest.mark.parametrize(("system", "user", "instruction", "additions", "role", "expected", "sha"), CASES)
def test_the_worked_checks_come_out_of_a_workspace_too(
    system: str,
    user: str,
    instruction: str,
    additions: list[tuple[str, str]],
    role: bool,
    expected: list[tuple[str, str]],
    sha: str,
) -> None:
    entries = tuple(Addition(system=s or None, user=u or None) for s, u in additions)
    workspace = Workspace(
        root=Path(),
        name="worked checks",
        tasks={"parsing": Prompt("parsing", user, system)},
        adapters={"fake": Adapter("fake", system_prompt=role, additions={"parsing": entries})},
        instructions={"parsing": instruction or None},
    )
    made = assemble(workspace, Record(None, {}), Selection(task="parsing", adapter="fake"))
    assert expected == [(message.role, message.text) for message in made.messages]
    assert sha == made.fingerprint


def test_nothing_is_stripped_when_text_is_appended() -> None:
    assert "".join(s.text for s in append_segments(seg("S\n\n"), seg("X"))) == "S\n\n\n\nX"


def test_what_stands_between_two_texts_is_a_joiner_of_its_own() -> None:
    assert [s.origin for s in append_segments(seg("S"), seg("X", "adapter"))] == ["task", "joiner", "adapter"]


def test_a_fingerprint_keeps_lone_surrogates_apart() -> None:
    assert len({compute_fingerprint([Message("user", seg(text))]) for text in ("\ud800", "\ud801")}) == 2


texts = st.text(st.characters(exclude_categories=()), max_size=12)
pairs = st.lists(st.tuples(texts, texts), max_size=4)


@given(texts, texts, texts, pairs)
def test_folding_keeps_every_character(
    system: str, user: str, instruction: str, additions: list[tuple[str, str]]
) -> None:
    parts = [(seg(s), seg(u)) for s, u in additions]
    both = join_texts(seg(system), seg(user), parts, seg(instruction))
    apart, folded = make_messages(*both, True), make_messages(*both, False)
    assert "\n\n".join(message.text for message in apart) == folded[0].text
    assert len(folded) == 1


@given(texts, texts, pairs)
def test_text_is_only_ever_added_behind(system: str, user: str, additions: list[tuple[str, str]]) -> None:
    after = join_texts(seg(system), seg(user), [(seg(s), seg(u)) for s, u in additions])
    assert [
        "".join(s.text for s in text).startswith(base) for text, base in zip(after, (system, user), strict=True)
    ] == [
        True,
        True,
    ]

"""The sentence above a difference: what a reader would say, in the order of what matters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counts import LONG, part
from hypothesis import given
from hypothesis import strategies as some
from in_time import in_time

from readback import cli, workspace
from readback.compare.diff import Difference, compare_sides
from readback.compare.sentence import format_sentence
from readback.compare.side import ShownSide, Side, read_sides
from readback.compare.sides import show_side
from readback.prompts.messages import compute_fingerprint
from readback.types import Message, Origin, Segment, Selection

CONTEXT = "The tide turns at noon. Boats wait outside the bar until the signal changes."
OTHER = "The harbour opens at six. Pilots come on board at the outer buoy."


def segment(part: str | tuple[str, str] | tuple[str, str, Origin]) -> Segment:
    """A literal, a (variable, value), or a (name, text, origin)."""
    if isinstance(part, str):
        return Segment(part, "template")
    return Segment(part[1], part[2] if len(part) == 3 else "variable", part[0])


def user(*parts: str | tuple[str, str] | tuple[str, str, Origin]) -> tuple[Message, ...]:
    return (Message("user", tuple(map(segment, parts))),)


def system(*parts: str | tuple[str, str] | tuple[str, str, Origin]) -> tuple[Message, ...]:
    return (Message("system", tuple(map(segment, parts))),)


def shown(messages: tuple[Message, ...]) -> ShownSide:
    return ShownSide(Side(Selection()), messages, compute_fingerprint(messages), None, (), "")


def between(a: tuple[Message, ...], b: tuple[Message, ...]) -> Difference:
    return compare_sides(shown(a), shown(b))


Q, C, D = ("question", "When do boats enter?"), ("context", CONTEXT), ("context", OTHER)
PLAIN = user("Question: ", Q, "\n\nContext:\n", C, "\n\nAnswer:")
CASES = {
    "equal": (PLAIN, PLAIN, "A and B are equal byte for byte."),
    "the example": (
        user("Context:\n", C, "\n\nAnswer:\n"),
        user("Context:\n", C, "\n\nCite your sources. Be brief.\n\nAnswer:"),
        "B adds 2 sentences after the context and drops the final newline.",
    ),
    "a final newline": (user("Answer:"), user("Answer:\n"), "Only white space differs: B adds a final newline."),
    "two final newlines": (user("x\n\n"), user("x"), "Only white space differs: B drops 2 final newlines."),
    "a space for a newline": (
        user("One. Two."), user("One.\nTwo."), "Only white space differs: B puts a newline in place of a space.",
    ),
    "line ends of Windows": (
        user("a\r\nb\r\nc"), user("a\nb\nc"),
        "Only white space differs: B puts a newline in place of a Windows line end in 2 places.",
    ),
    "no-break space": (
        user("Quoi ?"), user("Quoi\u00a0?"), "Only white space differs: B puts a no-break space in place of a space.",
    ),
    "white space that no name is known for": (
        user("a b"), user("a \u2003\u2003b"),
        "Only white space differs: B puts white space (3 characters) in place of a space.",
    ),
    "a number": (user("At most 512 words."), user("At most 1024 words."), "B changes 512 to 1024."),
    "a word": (user("Be brief today."), user("Be thorough today."), "B changes “brief” to “thorough”."),
    "a word dropped": (user("Be very brief."), user("Be brief."), "B drops “very”."),
    "a sentence at the start": (
        user("Question: ", Q), user("You are calm. Question: ", Q), "B adds a sentence at the start.",
    ),
    "sentences at the end": (
        user("Question: ", Q, "\nThink. Cite.\n"), user("Question: ", Q, "\n"),
        "B drops 2 sentences after the question.",
    ),
    "a text reworded": (
        user("Answer the question from the context. Say so if it is not there.\n", Q),
        user("Answer this question with the context alone. Say so whenever it is not there.\n", Q),
        "B rewords 2 sentences before the question.",
    ),
    "another value": (
        user("Question: ", Q), user("Question: ", ("question", "Where is the buoy?")),
        "Only values differ: B has another question.",
    ),
    "two other values": (
        PLAIN, user("Question: ", ("question", "Where is the outer buoy?"), "\n\nContext:\n", D, "\n\nAnswer:"),
        "Only values differ: B has another question and another context.",
    ),
    "a value with a name of its own": (
        user("Lang: ", ("user.lang_code", "fr")), user("Lang: ", ("user.lang_code", "de")),
        "Only values differ: B has another value of lang_code.",
    ),
    "a value more": (PLAIN, user("Question: ", Q, "\n\nAnswer:"), "B drops the context after the question."),
    "order": (
        PLAIN, user("Context:\n", C, "\n\nQuestion: ", Q, "\n\nAnswer:"),
        "The same parts in another order: B puts the question after the context.",
    ),
    "order the other way": (
        user("Context:\n", C, "\n\nQuestion: ", Q, "\n\nAnswer:"), PLAIN,
        "The same parts in another order: B puts the question before the context.",
    ),
    "order and words": (
        PLAIN, user("Use only the text.\n\nContext:\n", C, "\n\nQuestion: ", Q, "\n\nAnswer:"),
        "The order changed: B puts the question after the context and adds a sentence at the start.",
    ),
    "order of lines without names": (
        user("Cite every source.\nBe brief and to the point, whatever is asked.\n"),
        user("Be brief and to the point, whatever is asked.\nCite every source.\n"),
        "The same parts in another order: B puts “Cite every source.” after “Be brief and to the point, whatever is "
        "asked.”.",
    ),
    "several lines that move together": (
        user("One rule is this.\nAnd another rule.\nHere stands a much longer explanation of the task at hand.\n"),
        user("Here stands a much longer explanation of the task at hand.\nOne rule is this.\nAnd another rule.\n"),
        "The same parts in another order: B puts “One rule is this.” after “Here stands a much longer explanation of "
        "the …”.",
    ),
    "a system message more": (PLAIN, system("You are calm.") + PLAIN, "B adds a system message."),
    "a system message less": (system("You are calm.") + PLAIN, PLAIN, "B has no system message."),
    "folded": (
        system("You are calm.") + user("Question: ", Q),
        user(("", "You are calm.", "system"), ("", "\n\n", "joiner"), "Question: ", Q),
        "B puts the system message into the user message.",
    ),
    "unfolded": (
        user("You are calm.\n\nQuestion: ", Q), system("You are calm.") + user("Question: ", Q),
        "B puts a part of the user message into a system message.",
    ),
    "turns more": (
        user("Hello"), (*user("Hello"), Message("assistant", (segment(("history", "Hi")),)), *user("And now?")),
        "B adds an assistant message and a user message.",
    ),
    "in one of two messages": (
        system("You are calm.") + PLAIN, system("You are quick.") + PLAIN,
        "B changes “calm” to “quick” in the system message.",
    ),
    "in both messages": (
        system("You are calm.") + user("Be brief."), system("You are quick.") + user("Be brief. Cite."),
        "B changes “calm” to “quick” in the system message and adds a sentence at the end in the user message.",
    ),
    "an adapter's text": (
        user("Question: ", Q), user("Question: ", Q, "\n\n", ("langchain", "Reply in JSON. Nothing else.", "adapter")),
        "B adds the adapter's text after the question.",
    ),
    "an instruction": (
        system("You grade."), system("You grade.", "\n\n", ("parsing", "Be strict.", "instruction")),
        "B adds the user instruction at the end.",
    ),
    "the server's text": (
        (Message("prompt", (Segment("<s>", "serving", "x"), Segment("Hi", "template"))),),
        (Message("prompt", (Segment("Hi", "template"),)),), "B drops the server's text at the start.",
    ),
    "many changes": (
        user("One apple.\nTwo pears.\nThree figs.\nFour nuts.\nFive eggs.\n"),
        user("One plum.\nTwo kiwis.\nThree limes.\nFour beans.\nFive peas.\n"),
        "B changes “apple” to “plum”, “pears” to “kiwis” and “figs” to “limes” and makes 2 more changes.",
    ),
    "nothing on one side": (PLAIN, (), "B has no messages: they could not be built."),
    "nothing on both": ((), (), "Neither A nor B has messages: they could not be built."),
    "a record of another kind": (
        user("Hello"), (Message("tool", (Segment("Hello", "variable", "x"),)),),
        "B sends the user message as a tool message.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_says_what_changed(name: str) -> None:
    a, b, expected = CASES[name]
    assert format_sentence(between(a, b)) == expected


UNKNOWN = {
    "models": {"m": {"settings": {"provider": "ollama"}}},
    "modes": [
        {"mode": "plain", "template": "{{ q }}"},
        {"mode": "calm", "template": "{{ q }}", "system": "You are calm."},
    ],
    "conditions": [{"name": "a", "mode": "plain", "model": "m"}, {"name": "b", "mode": "calm", "model": "m"}],
    "dataset": "d.jsonl",
}
KNOWN = {**UNKNOWN, "models": {"m": {}}}


@pytest.mark.parametrize(
    ("config", "a", "b", "said", "line"),
    [
        (
            UNKNOWN,
            "a",
            "b",
            "B states a system message, where it is not known which one the other gets.",
            "=== system: A not known, B 13 characters",
        ),
        (
            UNKNOWN,
            "b",
            "a",
            "B states no system message, and it is not known which one it gets.",
            "=== system: A 13 characters, B not known",
        ),
        (KNOWN, "a", "b", "B adds a system message.", "=== system: A not there, B 13 characters"),
        (KNOWN, "b", "a", "B has no system message.", "=== system: A 13 characters, B not there"),
    ],
)
def test_a_system_message_that_is_not_known_is_not_said_to_be_absent(
    config: dict[str, Any],
    a: str,
    b: str,
    said: str,
    line: str,
    write: Callable[[dict[str, Any]], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    root = write({"readback.yml": config, "d.jsonl": [{"id": "1", "q": "Why?"}]})
    assert cli.main(["diff", str(root), a, b, "--record", "1"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert said in printed
    assert line in printed
    text = printed[printed.index(line) + 1 :]
    if config is UNKNOWN:
        assert text[0].startswith("? not known what stands against this: no Modelfile of m")
        assert text[1] == "? You are calm."
    else:
        assert text[0] == ("+ You are calm." if b == "b" else "- You are calm.")


texts = some.text(alphabet="ab1 .\n", max_size=40)
messages = some.lists(
    some.builds(
        lambda role, parts: Message(role, tuple(Segment(text, origin, name) for text, origin, name in parts)),
        some.sampled_from(["system", "user"]),
        some.lists(
            some.tuples(
                texts,
                some.sampled_from(["template", "variable", "adapter", "joiner"]),
                some.sampled_from(["q", "c[0].text", None]),
            ),
            max_size=4,
        ),
    ),
    max_size=3,
).map(tuple)


@given(messages, messages)
def test_there_is_always_one_sentence(a: tuple[Message, ...], b: tuple[Message, ...]) -> None:
    found = between(a, b)
    said = format_sentence(found)
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 700
    assert (said == "A and B are equal byte for byte.") is found.equal


SHARE = 1 if LONG else 4  # time that grows with the square is minutes in a quarter, too
HUGE = "\n".join(f"line {n} stands here for a while and says little" for n in range(100_000 // SHARE))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (HUGE, "\n".join(sorted(HUGE.split("\n"), key=hash))),
        (HUGE, HUGE.replace("7 stands here", "7 stands there")),
        ("word " * (1_000_000 // SHARE), "other " * (1_000_000 // SHARE)),
        ("\n" * (5_000_000 // SHARE), ". " * (2_500_000 // SHARE)),
    ][:: 1 if LONG else 2],
    ids=["lines shuffled", "many changes", "all different", "blanks and signs"][:: 1 if LONG else 2],
)
def test_a_message_of_five_megabytes_is_said_in_seconds(a: str, b: str) -> None:
    said = in_time(8, lambda: format_sentence(between(user(a), user(b))))
    assert len(said) < 400


@pytest.mark.realdata
def test_the_two_layouts_of_condition_4_are_another_order(shared: Path) -> None:
    opened = workspace.open(shared / "data" / "prompt-formats")
    a, b = read_sides("condition=hybrid_science_0p5b_instruction_only", "condition4=standard")
    for index in part(range(16), 3):
        found = compare_sides(show_side(opened, a, index), show_side(opened, b, index))
        assert format_sentence(found).startswith(
            "The order changed: B puts the question after the context and “Answer the"
        )
        back = compare_sides(show_side(opened, b, index), show_side(opened, a, index))
        assert format_sentence(back).startswith("The order changed: B puts the question before the context")

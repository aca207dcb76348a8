"""Modelfiles are read as Ollama reads them, and what Ollama would refuse is kept and said."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_time import spent

from readback.checks import rules
from readback.serving.modelfile.grammar import BAD_COMMAND, BAD_ROLE, END, NO_FROM, Fault, scan
from readback.serving.modelfile.read_file import FAULTS, dump_commands, parse, read, recognise, write_commands
from readback.serving.modelfile.text import decode, is_printable
from readback.types import Modelfile

Write = Callable[[Mapping[str, Any]], Path]
SWALLOWED, SINGLE, EMPTY, CR = "oll-swallowed-lines", "oll-single-quotes", "oll-empty-system", "oll-cr-in-value"

# What is after `FROM x`: the commands Ollama gets, or the error and its line; and what is noted.
TABLE: tuple[tuple[str, list[tuple[str, str]] | tuple[str, int], list[str]], ...] = (
    (
        'SYSTEM "a"  # c\nPARAMETER stop "y"\nPARAMETER top_k 1\n',
        [("system", 'a"  # c\nPARAMETER stop "y'), ("top_k", "1")],
        [SWALLOWED],
    ),
    ('SYSTEM "a" b\n', (END, 2), ["oll-syntax"]),
    ("SYSTEM a # c\n", [("system", "a # c")], []),
    ('SYSTEM """\na\n"""\n', [("system", "\na\n")], []),
    ('SYSTEM "a\nb"\n', [("system", "a\nb")], []),
    ('SYSTEM """a """ b\nc"""\n', [("system", 'a """ b\nc')], []),
    ('SYSTEM """a """\nb"""\n', (BAD_COMMAND, 3), ["oll-syntax"]),
    ('SYSTEM """"\n', (END, 2), ["oll-syntax"]),
    ("SYSTEM 'a'\n", [("system", "'a'")], [SINGLE]),
    ('SYSTEM "a "b" c"\n', [("system", 'a "b" c')], []),
    ('SYSTEM ""\n', [("system", "")], [EMPTY]),
    ('SYSTEM """"""\n', [("system", "")], [EMPTY]),
    ("SYSTEM \n", [("system", "")], [EMPTY]),
    ("SYSTEM\ta\tb\n", [("system", "a\tb")], []),
    ('SYSTEM """a\r\nb"""\r\n', [("system", "a\r\nb")], [CR]),
    ("  system b\n", [("system", "b")], []),
    ("system b\rPARAMETER top_k 1\r", [("system", "b"), ("top_k", "1")], []),
    ("SYSTEMATIC y\n", (BAD_COMMAND, 2), ["oll-syntax"]),
    ("hello world\n", (BAD_COMMAND, 2), ["oll-syntax"]),
    ("SYSTEM\n", (BAD_COMMAND, 2), ["oll-syntax"]),
    ("MESSAGE user: a\n", (END, 2), ["oll-syntax"]),
    ("MESSAGE badguy a\n", (BAD_ROLE, 2), ["oll-syntax"]),
    ("MESSAGE system", (END, 2), ["oll-syntax"]),
    ("MESSAGE user a: b\n", [("message", "user: a: b")], []),
    ("PARAMETER top-k 1\n", (END, 2), ["oll-syntax"]),
    ("PARAMETER stop\n", (END, 2), ["oll-syntax"]),
    ('PARAMETER stop "### User: "\n', [("stop", "### User: ")], []),
    ("PARAMETER stop ### User: \n", [("stop", "### User:")], []),
    ("PARAMETER  stop a\n", [("", "stop a")], ["oll-syntax"]),  # two blanks: the name is the nothing between them
    ("PARAMETER from a\n", [("from", "a")], []),
    ("# SYSTEM a\nREQUIRES 1.2.3\nDRAFT d\n", [("requires", "1.2.3"), ("draft", "d")], []),
    ("SYSTEM Quoi\u00a0?\u200b\n", [("system", "Quoi?")], ["oll-char-dropped"]),
    ("SYSTEM a\nSYSTEM b\n", [("system", "a"), ("system", "b")], ["oll-repeated-directive"]),
    ("PARAMETER stop a\nPARAMETER stop b\n", [("stop", "a"), ("stop", "b")], []),
)


def _codes(modelfile: Modelfile) -> list[str]:
    return [diagnostic.code for diagnostic in modelfile.diagnostics]


@pytest.mark.parametrize(("text", "expected", "codes"), TABLE)
def test_each_case_of_the_grammar_gives_what_ollama_gives(
    text: str, expected: list[tuple[str, str]] | tuple[str, int], codes: list[str]
) -> None:
    answer = dump_commands("FROM x\n" + text)
    if isinstance(expected, tuple):
        assert answer == {"error": expected[0], "line": expected[1]}
    else:
        assert answer == {"commands": [{"name": n, "args": a} for n, a in [("model", "x"), *expected]]}
    assert _codes(parse("FROM x\n" + text)) == codes


@pytest.mark.realdata
def test_ollamas_own_parser_tests_pass(shared: Path) -> None:
    cases = [json.loads(line) for line in (shared / "vectors/modelfile_parser.jsonl").read_text("utf-8").splitlines()]
    kinds = {"missing_from": (NO_FROM,), "unexpected_eof": (END,), "parser_error": (BAD_COMMAND, BAD_ROLE)}
    assert len(cases) == 39
    for case in cases:
        data = case["input"].encode()
        if case.get("encoding"):
            data = codecs.BOM_UTF16_LE + case["input"].encode("utf-16-le")
        answer = dump_commands(data)
        if case.get("property"):
            commands = [(c["name"], c["args"]) for c in answer["commands"]]
            assert dump_commands(write_commands(commands)) == answer, case["id"]
        elif case["error"]:
            assert answer["error"] in kinds[case["error"]], case["id"]
        else:
            assert answer == {"commands": case["expected"]}, case["id"]


COMPLAINTS = {"CodeLLaMA-Python": ["oll-syntax"], "NexusRaven": ["oll-stop-escape"]}


@pytest.mark.realdata
def test_real_modelfiles_are_read_without_a_complaint_but_for_a_parameter_of_old_and_an_escape(shared: Path) -> None:
    files = sorted((shared / "data/modelfiles").glob("*.modelfile"))
    assert len(files) == 10
    for path in files:
        found = read(path, shared)
        assert _codes(found) == COMPLAINTS.get(path.stem, []), path.name
        assert found.system, path.name
        assert found.template, path.name
        line = path.read_text("utf-8").splitlines()[(found.system_place.line or 0) - 1]
        assert line[(found.system_place.column or 0) - 1 :].startswith(found.system.partition("\n")[0])


@pytest.mark.realdata
def test_the_served_system_text_of_the_prompt_formats_is_found_past_the_comment_that_quotes_it(shared: Path) -> None:
    found = read(shared / "data/prompt-formats/ollama/Modelfile.instruction_only", shared)
    assert found.system == "You are a research paper assistant."
    assert (found.system_place.line, found.system_place.column) == (37, 9)
    assert (found.template or "").startswith("\n{{- if .System }}<|im_start|>system\n")
    assert [args for name, args, _ in found.commands if name == "stop"] == ["<|im_start|>", "<|im_end|>"]


def test_everything_that_can_be_read_is_kept_when_ollama_would_refuse_the_file() -> None:
    found = parse('SYSTEM One.\nNONSENSE here\nPARAMETER top-k 1\nSYSTEM "open\nPARAMETER seed 1\nTEMPLATE x\n', "M")
    assert found.commands == (("system", "One.", 1), ("seed", "1", 5), ("template", "x", 6))
    assert (found.system, found.template) == ("One.", "x")
    places = [(diagnostic.code, diagnostic.place.file, diagnostic.place.line) for diagnostic in found.diagnostics]
    assert places == [
        ("oll-syntax", "M", 2),
        ("oll-syntax", "M", 3),
        ("oll-syntax", "M", 4),
        ("oll-no-from", "M", None),
    ]


TORN = (
    'FROM ./m.gguf\nPARAMETER stop "### A:"  # one\nPARAMETER stop "### B:"  # two\n'
    'TEMPLATE """\n### A:\n{{ .System }}\n\n{{ .Prompt }}\n### B:\n"""'
)


@pytest.mark.parametrize("end", ["", "\n"])
def test_the_lines_of_a_value_whose_quotes_were_swallowed_are_told_with_what_swallowed_them(end: str) -> None:
    (diagnostic,) = parse(TORN + end, "M").diagnostics
    assert (diagnostic.code, diagnostic.place.line, diagnostic.values["refused"]) == (SWALLOWED, 2, 6)
    assert "Ollama refuses the file at line 6" in rules.build_finding(diagnostic).message


def test_what_ollama_refuses_below_a_value_that_was_torn_open_is_still_told() -> None:
    found = parse(f"{TORN}\nPARAMETR top_k 1\nPARAMETER num_ctx 4k\n", "M")
    assert [(diagnostic.code, diagnostic.place.line) for diagnostic in found.diagnostics] == [
        ("oll-syntax", 11),
        (SWALLOWED, 2),
        ("oll-syntax", 12),
    ]


@pytest.mark.parametrize(
    ("line", "because"),
    [
        ('PARAMETER "</s>"\n', '"</s>" is not the name of a parameter'),
        ("PARAMETER top-k 1\n", "top-k is not the name of a parameter"),
        ("PARAMETER stop\n", "stop has no value"),
        ("PARAMETER \n", "it names no parameter"),
        ("MESSAGE user: a\n", "user: is not the name of a role"),
        ("MESSAGE system", "system has no value"),
        ("SYSTEM", "SYSTEM has no value"),
        ('SYSTEM "a" b\n', "its quotes are never closed"),
    ],
)
def test_an_unexpected_end_says_what_is_wrong(line: str, because: str) -> None:
    (diagnostic,) = parse(f"FROM x\n{line}").diagnostics
    assert diagnostic.values["reason"] == f"{END} ({because})"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_truly_whatever_ends_them(end: str) -> None:
    found = parse(end.join(["# c", "FROM x", "", 'SYSTEM """a', 'b"""', "PARAMETER seed 1", "BAD"]) + end)
    assert [line for _, _, line in found.commands] == [2, 4, 6]
    assert next(diagnostic.place.line for diagnostic in found.diagnostics if diagnostic.code == "oll-syntax") == 7


@pytest.mark.parametrize(
    ("data", "system"),
    [
        (codecs.BOM_UTF8 + "FROM x\nSYSTEM é".encode(), "é"),
        (codecs.BOM_UTF16_LE + "FROM x\nSYSTEM é".encode("utf-16-le"), "é"),
        (codecs.BOM_UTF16_BE + "FROM x\nSYSTEM é👋".encode("utf-16-be"), "é👋"),
        (b"FROM x\nSYSTEM a\xe2\x82b\xff", "a\ufffd\ufffdb\ufffd"),
        ("FROM x\nSYSTEM \ufe0f\ufffd’“é🫨".encode(), "\ufe0f\ufffd’“é🫨"),
        ("FROM x\nSYSTEM a\u00a0\u202f\u2009\u3000\u200b\u200d\ufeff\u00ad\u0085\u2028\ue000\0\f\vb".encode(), "ab"),
    ],
)
def test_bytes_are_decoded_and_filtered_as_ollama_does(data: bytes, system: str) -> None:
    assert parse(data).system == system


def test_a_mark_is_said_and_dropped_characters_are_named() -> None:
    found = parse(codecs.BOM_UTF8 + "FROM x\nSYSTEM a\u00a0b\u00a0c\u200b".encode())
    mark, lost = found.diagnostics
    assert mark.code == "dat-bom"
    assert (lost.code, lost.place.line, lost.place.column) == ("oll-char-dropped", 2, 9)
    assert lost.values["characters"] == "U+00A0 NO-BREAK SPACE ×2, U+200B ZERO WIDTH SPACE"


@pytest.mark.parametrize(
    "text",
    [
        'SYSTEM """Say "yes".\nFrom then on, be brief."""\n',
        'TEMPLATE """{{ .System }}\nsystem text in lower case\n"""\n',
        'SYSTEM "He said "hi" to\nme"\n',
    ],
)
def test_a_value_of_several_lines_is_no_fault_by_itself(text: str) -> None:
    assert _codes(parse("FROM x\n" + text)) == []


def test_a_directive_in_capitals_inside_a_value_is_one() -> None:
    assert _codes(parse('FROM x\nSYSTEM """a\nPARAMETER stop b\n"""\n')) == [SWALLOWED]


def test_what_is_swallowed_begins_at_the_directive_and_not_where_the_value_does() -> None:
    (diagnostic,) = parse('FROM x\nSYSTEM """a\nb\n\nPARAMETER stop c\nPARAMETER seed 1"""\n').diagnostics
    assert (diagnostic.values["lines"], diagnostic.values["line"]) == (2, 5)


def test_a_file_that_cannot_be_read_is_a_note(write: Write) -> None:
    root = write({"Modelfile": b"x" * ((1 << 20) + 1)})
    assert _codes(read(root / "Modelfile", root)) == ["dat-too-large"]
    assert _codes(read(root / "nothing", root)) == ["dat-file-missing"]
    assert _codes(read(root, root)) == ["dat-file-missing"]


@pytest.mark.parametrize("name", ["Modelfile", "Modelfile.rag_trained", "zephyr.modelfile", "MODELFILE"])
def test_modelfiles_are_known_by_name(name: str) -> None:
    assert recognise(Path(name))
    assert not recognise(Path("model.yaml"))


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        ("LoanModelfile", "FROM qwen2.5:7b\n", True),
        ("MODELFILE-UNCEN", "# mine\n\n  # ours\r\nFROM dolphin\r\nPARAMETER top_k 1\r\n", True),
        ("my-modelfile", 'PARAMETER stop "</s>"\nFROM m', True),
        ("modelfile-guide.md", "# Modelfiles\n\nFROM names the model, and PARAMETER sets a value.\n", False),
        ("make_modelfile.py", "from pathlib import Path\n", False),
        ("Dockerfile", "FROM python\n", False),
        ("modelfile-empty", "", False),
    ],
)
def test_other_names_with_the_word_are_known_by_their_beginning(
    write: Write, name: str, text: str, known: bool
) -> None:
    assert recognise(write({name: text}) / name) is known
    assert not recognise(write({"some-modelfiles/a.txt": ""}) / "some-modelfiles")


@pytest.mark.parametrize(
    "text",
    [
        'SYSTEM "x\n' * 100_000,
        'SYSTEM """x\n' * 80_000,
        "a\n" * 500_000,
        'SYSTEM """' + "\n" * 1_000_000,
        "".join(f"PARAMETER a{i} x\n" * 2 for i in range(30_000)),
        "SYSTEM " + "\u00a0" * 300_000,
    ],
    ids=["open quote", "open quotes", "faults", "blank lines", "parameters", "dropped"],
)
def test_hostile_files_cost_time_in_proportion_and_a_bounded_number_of_faults(text: str) -> None:
    began = spent()
    found = parse(text)
    assert spent() - began < 10
    refused = sum(1 + (one.values["below"] or 0) for one in found.diagnostics if one.code == "oll-syntax")
    assert refused <= FAULTS
    assert ("dat-limit" in _codes(found)) == (refused == FAULTS)


PIECES = st.sampled_from(
    (
        "FROM x", "SYSTEM", "system ", "PARAMETER stop", "MESSAGE user ", "TEMPLATE", "LICENSE ", "{{ .Prompt }}",
        "a", "é", "1", "_", ":", "#", "'", '"', '""', '"' * 3, " ", "\t", "\n", "\r", "\r\n", "\xa0", "\u200b", "\0",
    )
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=80)


@given(TEXTS)
def test_any_text_gives_what_the_state_machine_gives(text: str) -> None:
    assert dump_commands("\n" + text) == _state_machine("\n" + text)


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    parse(data)
    text, _ = decode(data)
    assert len(dump_commands(data)) == (2 if "error" in dump_commands(text) else 1)


@given(TEXTS)
def test_what_was_read_can_be_written_and_read_again(text: str) -> None:
    commands = [(name, args) for name, args, _ in parse(text).commands]
    again = parse(write_commands(commands))
    assert [(name, args) for name, args, _ in again.commands] == commands
    assert not [item for item in scan(write_commands(commands)) if isinstance(item, Fault)]


@given(TEXTS)
def test_where_ollama_accepts_a_file_the_tolerant_reading_is_the_same(text: str) -> None:
    answer = dump_commands(text)
    if "commands" in answer:
        found = parse(text)
        assert [{"name": n, "args": a} for n, a, _ in found.commands] == answer["commands"]
        assert "oll-no-from" not in _codes(found)
        assert not [item for item in scan(text) if isinstance(item, Fault)]


def _state_machine(text: str) -> dict[str, Any]:
    """The grammar once more, one character at a time and as slow as it is plain, to compare with."""
    lines = text.replace("\r\n", "\n\n").replace("\r", "\n")  # the same offsets, one newline for each line end ...
    double = {i for i in range(len(text)) if text[i : i + 2] == "\r\n"}  # ... but for these, which end one together
    commands: list[dict[str, str]] = []
    state, buffer, name, start = "none", "", "", 0

    def refuse(reason: str) -> dict[str, Any]:
        return {"error": reason, "line": 1 + sum(c == "\n" and i not in double for i, c in enumerate(lines[:start]))}

    def value(raw: str) -> str | None:
        trimmed = raw.strip(" \t\r\n")
        for quote in ('"""', '"'):
            if trimmed.startswith(quote):
                closed = len(trimmed) >= 2 * len(quote) and trimmed.endswith(quote)
                return trimmed[len(quote) : -len(quote)] if closed else None
        return trimmed

    for i, char in enumerate(text):
        newline, blank = char in "\r\n", char in " \t"
        letter = char.isascii() and char.isalpha()
        if state == "none":
            if char == "#":
                state = "comment"
            elif not newline and not blank:
                state, start, buffer = "name", i, char if is_printable(char) else ""
        elif state == "comment":
            state = "none" if newline else state
        elif state == "name":
            if letter:
                buffer += char
                continue
            name = buffer.lower()
            if not blank or f'"{name}"' not in BAD_COMMAND or not name:
                return refuse(BAD_COMMAND)
            state, buffer = {"parameter": "parameter", "message": "role"}.get(name, "value"), ""
            name = {"from": "model"}.get(name, name)
        elif state in ("parameter", "role"):
            if letter or (state == "parameter" and char.isascii() and (char.isdigit() or char == "_")):
                buffer += char
                continue
            if not blank:
                return refuse(END)
            if state == "role" and buffer not in ("system", "user", "assistant"):
                return refuse(BAD_ROLE)
            name = buffer if state == "parameter" else f"message {buffer}"
            state, buffer = "value", ""
        elif newline and (args := value(buffer)) is not None:
            commands.append(_command(name, args))
            state = "none"
        elif newline or blank or is_printable(char):
            buffer += char
    if state == "value" and (args := value(buffer)) is not None:
        commands.append(_command(name, args))
    elif state not in ("none", "comment"):
        return refuse(END)
    if not any(command["name"] == "model" for command in commands):
        return {"error": NO_FROM, "line": None}
    return {"commands": commands}


def _command(name: str, args: str) -> dict[str, str]:
    word, _, role = name.partition(" ")
    return {"name": word, "args": f"{role}: {args}" if role else args}

"""Files that hold chat templates: what transformers would take is taken, and whatever is wrong is one note."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readback import workspace
from readback.serving.chat import model_input as chat
from readback.serving.chat.tokenizer_config import locate_template
from readback.types import Location

Write = Callable[[Mapping[str, Any]], Path]
CONFIG = "tokenizer_config.json"
T = '{{ bos_token }}\n{{ messages[0].content }} "é"'


def test_a_tokenizer_config_gives_its_template_and_every_special_token_once(write: Write) -> None:
    config = {
        "add_bos_token": True,
        "added_tokens_decoder": {
            "1": {"content": "<s>", "special": True},
            "2": {"content": "<|x|>", "special": True},
            "3": {"content": "plain", "special": False},
        },
        "additional_special_tokens": ["<|y|>", {"content": "<|z|>"}],
        "bos_token": {"__type": "AddedToken", "content": "<s>"},
        "chat_template": T,
        "eos_token": "</s>",
        "pad_token": "<pad>",
        "unk_token": None,
    }
    root = write({f"m/{CONFIG}": json.dumps(config, indent=2)})
    found = chat.read(root / "m" / CONFIG, root)
    assert (found.text, found.bos_token, found.eos_token, found.tokens) == (T, "<s>", "</s>", {"pad_token": "<pad>"})
    assert found.special == ("<s>", "</s>", "<pad>", "<|y|>", "<|z|>", "<|x|>")
    assert (found.name, found.config, found.diagnostics, found.adds_bos) == (f"m/{CONFIG}", f"m/{CONFIG}", (), False)
    line = next(
        i for i, text in enumerate((root / "m" / CONFIG).read_text("utf-8").splitlines(), 1) if "chat_t" in text
    )
    assert found.place == Location(file=f"m/{CONFIG}", line=line, column=len('  "chat_template": "') + 1)
    assert chat.read(root / "m", root) == found


@pytest.mark.parametrize("listed", [True, False])
def test_of_several_templates_the_default_is_taken_and_the_others_are_said(write: Write, listed: bool) -> None:
    several = {"rag": "R", "default": T, "tool_use": "U"}
    value = [{"name": name, "template": text} for name, text in several.items()] if listed else several
    root = write({CONFIG: {"chat_template": value}})
    found = chat.read(root / CONFIG, root)
    assert (found.text, found.detail, found.diagnostics) == (T, "the one called default; others: rag, tool_use", ())
    assert chat.render_raw(found.text or "", {"messages": [{"content": "Q"}]}).text == '\nQ "é"'


def test_tokens_named_in_the_older_map_alone_or_of_a_models_own_reach_the_template(write: Write) -> None:
    text = "{{ bos_token }}|{{ eos_token }}|{{ image_token }}|{{ own_token }}"
    older = {"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": False}}
    own = {"extra_special_tokens": {"image_token": "<i>"}, "own_token": "<o>", "eos_token": "<old>"}
    root = write({f"m/{CONFIG}": {"chat_template": text, **own}, "m/special_tokens_map.json": older})
    found = chat.read(root / "m", root)
    made = chat.build_model_input(found, (), values={"messages": [{"role": "user", "content": "q"}]})
    assert (made.text, made.stops) == ("<s>|</s>|<i>|<o>", ("</s>",))
    assert found.special == ("<s>", "</s>", "<o>", "<i>")


def test_the_older_map_is_not_read_where_the_configuration_has_the_added_tokens(write: Write) -> None:
    config = {"chat_template": T, "bos_token": "<b>", "added_tokens_decoder": {}}
    root = write({CONFIG: config, "special_tokens_map.json": {"bos_token": "<s>"}})
    assert chat.read(root, root).bos_token == "<b>"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[" * 200_000, "nested deeper than 100 levels"),
        ('{"a": ' * 90_000 + "1" + "}" * 90_000, "nested deeper than 100 levels"),
        ('{"bos_token": ', "expecting value"),
    ],
)
def test_a_map_of_tokens_that_cannot_be_read_is_one_finding(write: Write, content: str, reason: str) -> None:
    root = write({CONFIG: {"chat_template": T}, "special_tokens_map.json": content})
    found = chat.read(root, root)
    assert (found.text, found.bos_token) == (T, None)
    assert [one.values["reason"] for one in found.diagnostics] == [f"not JSON ({reason})"]


def test_a_configuration_of_100_megabytes_is_not_read(write: Write) -> None:
    root = write({CONFIG: "{}"})
    with (root / CONFIG).open("r+b") as file:
        file.truncate(100 << 20)
    found = chat.read(root, root)
    assert (found.text, [one.code for one in found.diagnostics]) == (None, ["dat-too-large"])


def test_the_folder_of_further_templates_is_read_up_to_a_number_of_files_and_never_outside(write: Write) -> None:
    further = {f"additional_chat_templates/t{i:03}.jinja": "x" for i in range(100)}
    root = write({f"m/{CONFIG}": {}, "m/chat_template.jinja": T, "out.jinja": "out"})
    (root / "m" / "additional_chat_templates").mkdir()
    (root / "m" / "additional_chat_templates" / "tool_use.jinja").symlink_to("/etc/passwd")
    found = chat.read(root / "m", root)
    assert (found.text, found.with_tools) == (T, None)
    many = write({CONFIG: {}, "chat_template.jinja": T, **further})
    assert len(chat.read(many, many).detail.split(",")) <= 64


def test_a_separate_template_goes_first_and_is_told_the_tokens_of_the_file_beside_it(write: Write) -> None:
    root = write({f"m/{CONFIG}": {"bos_token": "<s>", "chat_template": "old"}, "m/chat_template.jinja": T})
    for path in (root / "m" / CONFIG, root / "m" / "chat_template.jinja", root / "m"):
        found = chat.read(path, root)
        assert (found.text, found.bos_token, found.name) == (T, "<s>", "m/chat_template.jinja")
        assert (found.config, found.diagnostics, found.place.line) == (f"m/{CONFIG}", (), 1)
        assert found.detail == f"its tokens are those of m/{CONFIG}, whose own chat_template is not used"


def test_an_older_separate_template_is_taken_where_the_config_has_none(write: Write) -> None:
    root = write({CONFIG: {"eos_token": "</s>"}, "chat_template.json": {"chat_template": T}})
    for name in (CONFIG, "chat_template.json"):
        found = chat.read(root / name, root)
        assert (found.text, found.eos_token, found.name, found.diagnostics) == (T, "</s>", "chat_template.json", ())


def test_a_bare_template_has_no_tokens_and_an_overriding_one_those_that_are_named(write: Write) -> None:
    root = write({"t.jinja": T, f"m/{CONFIG}": {"bos_token": "<s>", "chat_template": "x", "add_bos_token": False}})
    bare = chat.read(root / "t.jinja", root)
    assert (bare.text, bare.bos_token, bare.config, bare.detail) == (T, None, None, "")
    over = chat.read(root / "t.jinja", root, tokens=root / "m" / CONFIG, add_special_tokens=True)
    assert (over.text, over.bos_token, over.config, over.adds_bos) == (T, "<s>", f"m/{CONFIG}", False)


@pytest.mark.parametrize(
    ("said", "adds"),
    [({"bos_token": "<s>"}, True), ({"bos_token": "<s>", "add_bos_token": False}, False), ({"bos_token": None}, False)],
)
def test_a_bos_is_added_where_the_tokenizer_has_one_and_adds_it(write: Write, said: dict[str, Any], adds: bool) -> None:
    root = write({CONFIG: {"chat_template": T, **said}})
    assert chat.read(root / CONFIG, root, add_special_tokens=True).adds_bos is adds
    assert chat.read(root / CONFIG, root).adds_bos is False


BAD = {
    "truncated": (b'{"bos_token": "<s>", "chat_templ', "srv-template-error", 1),
    "not json": (b"{\n  bos_token: 1}", "srv-template-error", 2),
    "a list": (b"[1, 2]", "srv-template-error", 1),
    "empty": (b"", "srv-template-error", 1),
    "without a template": (b'{"bos_token": "<s>"}', "srv-template-error", None),
    "no default": (b'{"chat_template": [{"name": "rag", "template": "R"}]}', "srv-template-error", None),
    "a number": (b'{"chat_template": 7}', "dat-wrong-value", None),
    "an empty list": (b'{"chat_template": []}', "dat-wrong-value", None),
    "UTF-16": ('{"chat_template": "T"}'.encode("utf-16"), "dat-encoding", 1),
    "nul": (b'{"chat_template": "T\0"}', "dat-encoding", 1),
    "deep": (b'{"a":' * 5000 + b"1" + b"}" * 5000, "srv-template-error", 1),
    "not utf-8": (b'{"chat_template": "\xff"}', "dat-encoding", 1),
}


@pytest.mark.parametrize("name", BAD)
def test_a_config_without_a_usable_template_is_one_note_and_one_finding_of_the_workspace(
    write: Write, name: str
) -> None:
    content, code, line = BAD[name]
    root = write({CONFIG: content, "readback.yml": f"models: {{m: {{serving: {{tokenizer_config: {CONFIG}}}}}}}\n"})
    found = chat.read(root / CONFIG, root)
    assert (found.text, [diagnostic.code for diagnostic in found.diagnostics], found.diagnostics[0].place.line) == (
        None,
        [code],
        line,
    )
    assert [diagnostic.code for diagnostic in workspace.open(root).diagnostics] == [code]
    model_input = chat.build_model_input(found, ())
    assert (model_input.segments, [diagnostic.code for diagnostic in model_input.diagnostics]) == (
        (),
        ["srv-template-error"],
    )


def test_odd_tokens_are_noted_and_the_template_is_still_read(write: Write) -> None:
    root = write(
        {CONFIG: {"bos_token": 7, "eos_token": {"text": "x"}, "added_tokens_decoder": [1], "chat_template": T}}
    )
    found = chat.read(root / CONFIG, root)
    assert (found.text, found.bos_token, found.special) == (T, None, ())
    assert [diagnostic.values["where"] for diagnostic in found.diagnostics] == ["bos_token", "eos_token"]


def test_a_repeated_key_is_noted_and_the_last_one_counts(write: Write) -> None:
    root = write({CONFIG: b'{"chat_template": "a", "chat_template": "b"}'})
    found = chat.read(root / CONFIG, root)
    assert (found.text, [diagnostic.code for diagnostic in found.diagnostics]) == ("b", ["dat-duplicate-key"])


@pytest.mark.parametrize("content", [b"\xff\xfe{\0", b"a\0b", b"x" * (2 << 20), b"\xff"])
def test_a_template_that_is_no_text_is_one_note(write: Write, content: bytes) -> None:
    root = write({"t.jinja": content})
    found = chat.read(root / "t.jinja", root)
    assert (found.text, len(found.diagnostics)) == (None, 1)


def test_a_byte_order_mark_is_noted_and_stays_in_the_text_as_with_a_server(write: Write) -> None:
    root = write({"t.jinja": b"\xef\xbb\xbfT"})
    found = chat.read(root / "t.jinja", root)
    assert (found.text, [diagnostic.code for diagnostic in found.diagnostics]) == ("\ufeffT", ["dat-bom"])


@given(st.text(max_size=30), st.booleans(), st.sampled_from([None, 1]))
def test_the_place_of_a_template_in_json_is_its_first_character(
    text: str, ascii_only: bool, indent: int | None
) -> None:
    source = json.dumps({"other": "x", "chat_template": text}, ensure_ascii=ascii_only, indent=indent)
    place = locate_template(source, text, Location(file="f"))
    line = source.split("\n")[(place.line or 1) - 1]
    written = json.dumps(text, ensure_ascii=ascii_only)[1:]
    assert line[(place.column or 1) - 1 :].startswith(written) or text in ("x", "other", "chat_template")


@given(st.binary(max_size=60))
def test_any_bytes_give_notes_or_a_template(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    root = tmp_path_factory.mktemp("any", numbered=True)
    for name in (CONFIG, "t.jinja"):
        (root / name).write_bytes(content)
        found = chat.read(root / name, root)
        assert (found.text is None) <= bool(found.diagnostics)

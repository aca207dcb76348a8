"""The report of a review: the same bytes for the same review, a checksum that sees any change, exact texts."""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nasty
import pytest
from counts import many, part, some
from markdown_it import MarkdownIt
from small_study import DEMO, study

from readback import workspace
from readback.bookmarks.entry import AROUND
from readback.bookmarks.markdown import spelling
from readback.checks.store import stored_check, stored_ranges
from readback.cli import main
from readback.reporting import contents, seal, sentences
from readback.reporting.forms import FORMS
from readback.review import agenda as meeting_of_files
from readback.review import leaves
from readback.review.event import Draft, new_id
from readback.review.store import Store
from readback.scores import in_view, loading, summary

Write = Callable[[Mapping[str, Any]], Path]
SVG = re.compile(r'data-(?:n|x|low|high)="([^"]*)"')


@pytest.fixture(autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("READBACK_STATE", str(folder))
    return folder


@pytest.fixture
def checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was checked once is answered from the store: for tests that report on the same bytes again and again."""
    for module in (stored_check, stored_ranges):
        monkeypatch.setattr(module, "SLOW", 0.0)


@pytest.fixture(scope="module")
def meeting(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The demo after a short meeting, and where its review is kept: a note, two decisions, an item of its own, a
    sign-off. It is held once; `met` gives each test its own copy of the review.
    """
    root, state = tmp_path_factory.mktemp("meeting") / "met", tmp_path_factory.mktemp("kept")
    shutil.copytree(DEMO, root)
    steps: list[tuple[str, ...]] = [
        ("review", "note", "--text", "Who rebuilds it?", "--condition", "base, open book", "--record", "ellery-07",
         "--owner", "Ines", "--due", "2026-01-05", "--as", "Ana"),
        ("review", "decide", "--subject", "comparison:instruction-only, closed book|instruction-only, open book",
         "--accept", "--reason", "It is fair.", "--as", "Ben"),
        ("review", "decide", "--item", "finding:dat-bad-line", "--defer", "--reason", "One line.", "--as", "Ana"),
        ("agenda", "--add", "Who asks for the Modelfile?", "--as", "Ben"),
        ("review", "sign", "--subject", "study", "--as", "Ana"),
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("READBACK_STATE", str(state))
        for step in steps:
            at = 2 if step[0] == "review" else 1
            assert main([*step[:at], str(root), *step[at:]]) == 0
    return root, state


@pytest.fixture
def met(meeting: tuple[Path, Path], state_folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Path]:
    """The workspace of the meeting; what a test says in its review or changes in its files is gone after it."""
    root, state = meeting
    shutil.copytree(state, state_folder, dirs_exist_ok=True)
    capsys.readouterr()
    yield root
    if any(not filecmp.cmp(one, DEMO / one.relative_to(root), False) for one in _files(root)) or len(
        _files(root)
    ) != len(_files(DEMO)):
        shutil.rmtree(root)
        shutil.copytree(DEMO, root)


def _files(root: Path) -> list[Path]:
    return [one for one in root.rglob("*") if one.is_file()]


@pytest.fixture(scope="module")
def told(meeting: tuple[Path, Path]) -> dict[str, Any]:
    """The report of the meeting as plain values; nobody may change them."""
    root, state = meeting
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("READBACK_STATE", str(state))
        return values(root)


def values(root: Path, as_of: str | None = None) -> dict[str, Any]:
    opened, store = workspace.open(root), Store(root)
    return contents.build_contents(opened, store, contents.select_events(store.events(), as_of), jobs=1)


def changed(root: Path) -> None:
    """Another system message for the model that was trained with instructions."""
    file = root / "ollama" / "Modelfile.instruction_only"
    text = file.read_text()
    assert "assistant" in text
    file.write_text(text.replace("assistant", "assistent"))


class Page(HTMLParser):
    """The exact texts of a file in their order, and its tags."""

    def __init__(self, document: str, classes: tuple[str, ...] = ("text", "quote")) -> None:
        super().__init__(convert_charrefs=False)  # it would drop the references to control characters
        self.classes, self.texts, self.tags, self.depth = classes, list[str](), list[str](), 0
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "div" and dict(attrs).get("class") in self.classes:
            self.depth, self.texts = 1, [*self.texts, ""]

    def handle_endtag(self, tag: str) -> None:
        self.depth = 0 if tag == "div" else self.depth

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.texts[-1] += data

    def handle_charref(self, name: str) -> None:
        self.handle_data(chr(int(name[1:], 16) if name[0] in "xX" else int(name)))

    def handle_entityref(self, name: str) -> None:
        self.handle_data(unescape(f"&{name};"))


# What it says.


def test_it_says_what_was_decided_on_which_bytes_by_whom_and_what_is_open(told: dict[str, Any]) -> None:
    made = told
    assert [(one["author"], one["verdict"], one["reason"], one["bytes"]) for one in made["decisions"]] == [
        ("Ana", "defer", "One line.", "same"), ("Ben", "accept", "It is fair.", "same"),
    ]  # fmt: skip
    assert made["decisions"][0]["on"] == "Error: A line or an entry cannot be read"
    assert not made["scores"]["earlier"]
    assert {line["now"] for one in made["decisions"] for line in one["lock"]} == {"same"}
    (signed,) = made["signoffs"]
    assert (signed["author"], signed["subject"], signed["standing"]) == ("Ana", "study", "same")
    assert [one["sha256"] for one in signed["lock"]] == [one["sha256"] for one in made["reviewed"]["fingerprints"]]
    (note,) = made["notes"]
    assert (note["owner"], note["due"], note["overdue"]) == ("Ines", "2026-01-05", True)
    assert [one["said"] for one in made["agenda"]][-1] == "Who asks for the Modelfile?"
    raw = FORMS["html"](made).decode()
    for said in ("Compare anyway: “instruction-only, open book” versus “instruction-only, closed book”",
                 "Who rebuilds it?",
                 "Decide later: Error: A line or an entry cannot be read", "About: The whole study",
                 "Ines looks after it; overdue since 2026-01-05.",
                 "5 entries"):  # fmt: skip
        assert said in raw, said


@pytest.mark.usefixtures("checked_once")
def test_a_changed_template_shows_at_the_decision_and_the_sign_off(met: Path) -> None:
    changed(met)
    made = values(met)
    assert "changed" in {one["bytes"] for one in made["decisions"]}
    assert made["signoffs"][0]["standing"] == "stale"
    assert made["signoffs"][0]["changes"]
    assert made["scores"]["earlier"]
    raw = FORMS["html"](made).decode()
    assert "No file says whether these scores belong to the prompts of then or of now." in raw
    assert "is no longer" in " ".join(made["agenda"][0]["facts"]) or "are no longer" in " ".join(
        made["agenda"][0]["facts"]
    )


def test_a_sign_off_whose_files_are_gone_is_said_to_be_stale_and_the_rest_is_told(met: Path) -> None:
    shutil.rmtree(met / "ollama")
    (met / "data" / "harbour.jsonl").unlink()
    made = values(met)
    assert made["signoffs"][0]["standing"] == "stale"
    assert made["holds"]["lock"] is None
    assert {one["bytes"] for one in made["decisions"]} <= {"changed", "unknown"}
    for form in FORMS.values():
        assert seal.read_seal(form(made)).whole
    page = FORMS["html"](made).decode()
    for said in ("It is fair.", "Who rebuilds it?", "No prompt can be shown", "cannot be read"):
        assert said in page, said


def test_the_first_page_has_question_answer_verdict_and_decisions(told: dict[str, Any]) -> None:
    first = told["summary"]
    assert (first["standing"]["state"], first["standing"]["who"]) == ("same", "Ana")
    asked = {one["question"]: one for one in first["questions"]}
    assert set(asked) == {line["question"] for line in told["scores"]["planned"]}
    verdicts = {(one["a"], one["b"]): one["kind"] for one in told["verdicts"]}
    assert [one["fair"] for one in first["questions"]] == list(verdicts.values())
    assert [(one["owner"], one["verdict"], one["bytes"]) for one in first["decisions"]] == [
        ("Ben", "accept", "same"), ("Ana", "defer", "same"),
    ]  # fmt: skip
    for form in ("html", "markdown"):
        raw = unescape(FORMS[form](told).decode())
        before = raw[: raw.index("What was decided")]
        for said in ("The sign-off holds.", "Does reading the manual help?", "Cannot tell.",
                     "+1.78 (1.05 to 2.52), 23 shared questions",
                     "One decision is in force. One item is to be decided later.", "Who rebuilds it?",
                     "A program made these scores, and no judge read an answer."):  # fmt: skip
            assert said.replace("+", "\\+" if form == "markdown" else "+") in before or said in before, (form, said)


@pytest.mark.usefixtures("checked_once")
def test_one_change_is_one_line_and_names_its_conditions(met: Path) -> None:
    changed(met)
    made = values(met)
    first = made["summary"]
    assert first["standing"]["state"] == "stale"
    edits = [one for one in first["standing"]["changes"] if "assistent" in one["what"]]
    assert len(edits) == 1
    assert len(edits[0]["where"]) > 1
    page = unescape(FORMS["html"](made).decode())
    before = page[: page.index("What was decided</h2>")]
    assert "The sign-off no longer holds." in before
    assert "The sign-off holds." not in before
    assert page.count("“assistant” to “assistent”") == 2  # on the first page, and at the sign-off
    assert "made on other texts" in before


def test_what_was_deferred_is_not_called_decided(told: dict[str, Any]) -> None:
    page = unescape(FORMS["html"](told).decode())
    decided = page[page.index('<section id="decided">') : page.index('<section id="deferred">')]
    deferred = page[page.index('<section id="deferred">') : page.index('<section id="signed">')]
    assert ("Decide later: " in decided, "Decide later: " in deferred) == (False, True)
    assert ("It is fair." in decided, "One line." in decided) == (True, False)


def test_hashes_are_folded_and_sentences_begin_with_a_capital(told: dict[str, Any]) -> None:
    page = FORMS["html"](told).decode()
    open_text = re.sub(r"<details.*?</details>", "", page[page.index("<body") :], flags=re.DOTALL)
    assert not re.search(r"\b[0-9a-f]{64}\b", open_text)
    for finding in told["findings"]:
        assert not finding["first"]["fix"][:1].islower(), finding


def test_numbers_have_the_digits_of_the_pages() -> None:
    assert [sentences.format_cell(one) for one in (1.23456, -0.5, 1234.5, 0.00057, 0.0, 24, None, "x")] == [
        "1.23", "\u22120.50", "1,234.50", "0.0006", "0.00", "24", "\u2013", "x",
    ]  # fmt: skip


def test_without_a_plan_or_scores_the_first_page_asks_what_it_can(write: Write) -> None:
    alone = values(write({"data.jsonl": '{"id": "a", "text": "Why?"}\n'}))
    assert alone["summary"]["questions"] == []
    assert alone["summary"]["standing"]["state"] == "unsigned"
    page = FORMS["html"](alone).decode()
    assert "Nobody has signed it off." in page
    assert "Nothing was asked of scores here" in page


@pytest.mark.usefixtures("checked_once")
def test_as_of_leaves_out_what_was_said_later(met: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = Store(met).events()
    made = values(met, events[1].time)
    assert (len(made["notes"]), len(made["decisions"]), made["signoffs"]) == (1, 1, [])
    assert made["holds"]["sequence"] == 2
    assert values(met, "2020-01-01")["holds"]["sequence"] == 0
    assert main(["report", str(met), "-o", "-", "--format", "json", "--as-of", "yesterday"]) == 2
    assert "write a day as YYYY-MM-DD" in capsys.readouterr().err


def test_the_pictures_have_the_numbers_that_plotly_gets(met: Path, told: dict[str, Any]) -> None:
    made = told["scores"]
    raw = FORMS["html"](told).decode()
    drawn = SVG.findall(raw)
    counts = [str(n) for row in made["spread"]["table"]["rows"] for n in row[5:] if n]
    spans = [repr(value) for row in made["differences"]["table"]["rows"] for value in (row[2], row[3], row[1])]
    numbers = [line["numbers"] for line in made["planned"] if line["criterion"] == made["criterion"]]
    first = [repr(one[name]) for one in numbers for name in ("low", "high", "difference")]
    assert first
    assert drawn == [*first, *counts, *spans]
    opened = workspace.open(met)
    table = loading.load(opened)
    name, judge = in_view.first(table, opened) or ("", "")
    there = {table.label(row.condition): row for row in summary.rows(table, None, name, judge)}
    for row in made["spread"]["means"]["rows"]:
        assert (row[1], (row[2], row[3]), row[5]) == (there[row[0]].mean, there[row[0]].span, there[row[0]].n)


def test_prompts_are_there_byte_for_byte_with_an_origin_for_each_stretch(
    met: Path, told: dict[str, Any], capsys: Any
) -> None:
    made = told
    texts = Page(FORMS["html"](made).decode(), ("text",)).texts
    for prompt in made["prompts"]["shown"]:
        asked = ["--condition", prompt["choice"]["condition"], "--record", prompt["record"]]
        assert main(["render", str(met), *asked, "--format", "json", "--fail-on", "never"]) == 0
        sent = json.loads(capsys.readouterr().out)
        assert prompt["fingerprint"] == sent["fingerprint"]
        for message, one in zip(prompt["messages"], sent["messages"], strict=True):
            assert "".join(part["text"] for part in message["segments"]) == one["text"]
            assert one["text"] in texts


def test_an_excerpt_says_which_stretch_it_is_and_how_much_of_its_text_is_left_out(write: Write) -> None:
    bad = '{"id": "b", "text": "' + "x" * 500 + '", !' + "y" * 600 + "}"
    made = values(write({"data.jsonl": f'{{"id": "a", "text": "Why?"}}\n{bad}\n'}))
    (part,) = (one["first"]["excerpt"] for one in made["findings"] if one["code"] == "dat-bad-line")
    before, after = bad.index("!") - AROUND, len(bad) - bad.index("!") - 1 - AROUND
    assert part["text"] == bad[before : len(bad) - after]
    said = f"line 2, as the file has it. {before} characters before this are left out. {after} characters after"
    for form in ("html", "markdown"):
        assert said in unescape(FORMS[form](made).decode())
    assert sentences.describe_excerpt({**part, "before": 0, "after": 0}) == "line 2, as the file has it"


def test_what_the_prompts_come_to_is_worked_out_once_for_a_report(met: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    work = leaves._run_children

    def counted(*words: Any) -> Any:
        asked.append(words[:2])
        return work(*words)

    monkeypatch.setattr(leaves, "_run_children", counted)
    first = values(met)
    assert len(asked) == 1  # for the sign-off, since it, for the decisions, and for the report itself
    monkeypatch.setattr(contents, "reuse_leaves", contextlib.nullcontext)
    monkeypatch.setattr(meeting_of_files, "reuse_leaves", contextlib.nullcontext)
    assert values(met) == first
    assert len(asked) > 3


# The same bytes, and the checksum.


@pytest.mark.parametrize("form", part(list(FORMS), 1))
def test_the_same_review_makes_the_same_bytes_on_another_machine(met: Path, form: str, tmp_path: Path,
                                                                state_folder: Path) -> None:  # fmt: skip
    """Another time zone, locale, hash seed and order of files on the disk. All forms are made of the same values."""
    there = tmp_path / "other" / met.name
    there.mkdir(parents=True)
    for path in sorted(met.rglob("*"), reverse=True):
        to = there / path.relative_to(met)
        if path.is_file():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
    other_state = tmp_path / "other-state"
    assert main(["review", "export", str(met), "-o", str(tmp_path / "r.json")]) == 0
    here, other = (tmp_path / f"{number}.{form}" for number in range(2))
    for file in state_folder.glob("*.sqlite3*"):
        file.unlink()
    assert main(["review", "import", str(met), str(tmp_path / "r.json")]) == 0
    assert main(["report", str(met), "-o", str(here), "--format", form]) == 0
    env = {"TZ": "America/Los_Angeles", "LC_ALL": "de_DE.UTF-8", "PYTHONHASHSEED": "77"}
    asked = (["review", "import", str(there), str(tmp_path / "r.json")],
             ["report", str(there), "-o", str(other), "--format", form])  # fmt: skip
    program = f"from readback.cli import main\nfor words in {asked!r}:\n    assert main(words) == 0"
    held = {**os.environ, **env, "READBACK_STATE": str(other_state)}
    subprocess.run([sys.executable, "-c", program], env=held, check=True)
    assert here.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("form", FORMS)
def test_any_changed_byte_of_a_thousand_is_seen(told: dict[str, Any], form: str) -> None:
    raw = FORMS[form](told)
    assert seal.read_seal(raw).whole
    chance = random.Random(5)
    for at in chance.sample(range(len(raw)), 1000):
        other = bytes([chance.choice([b for b in range(256) if b != raw[at]])])
        try:
            assert not seal.read_seal(raw[:at] + other + raw[at + 1 :]).whole, at
        except seal.NoReport:
            continue  # the place of the checksum itself is gone, and that is said
    for changed in (raw[:-1], raw + b"\n", raw.replace(b"Ana", b"Eva", 1)):
        assert not seal.read_seal(changed).whole


def test_the_checksum_is_that_of_the_file_with_zeros_in_its_place(told: dict[str, Any]) -> None:
    for form in FORMS.values():
        raw = form(told)
        found = seal.read_seal(raw)
        assert hashlib.sha256(raw.replace(found.checksum.encode(), b"0" * 64, 1)).hexdigest() == found.checksum


@pytest.mark.usefixtures("checked_once")
@pytest.mark.parametrize("form", part(["json", "html", "md"], 1))
def test_verify_says_whether_it_is_whole_and_still_holds(met: Path, form: str, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / f"report.{form}"

    def verified(*words: str) -> tuple[int, Any]:
        code = main(["report", "--verify", str(out), *words, "--format", "json"])
        return code, json.loads(capsys.readouterr().out)

    assert main(["report", str(met), "-o", str(out)]) == 0
    capsys.readouterr()
    assert verified() == (0, {**verified()[1], "whole": True, "holds": None})
    assert verified(str(met)) == (0, {**verified(str(met))[1], "whole": True, "holds": True, "later_events": 0})
    assert main(["review", "note", str(met), "--text", "Later.", "--as", "Ben"]) == 0
    capsys.readouterr()
    code, said = verified(str(met))
    assert (code, said["holds"], said["later_events"]) == (0, True, 1)
    changed(met)
    code, said = verified(str(met))
    assert (code, said["holds"]) == (1, False)
    assert any(" messages: " in line for line in said["changed"]), said
    out.write_bytes(out.read_bytes().replace(b"Ines", b"Nobo"))
    code, said = verified()
    assert (code, said["whole"]) == (1, False)


@pytest.mark.usefixtures("checked_once")
@pytest.mark.parametrize("form", FORMS)
def test_a_forged_report_whose_checksum_was_computed_anew_does_not_hold(
    met: Path, form: str, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / f"report.{form}"
    assert main(["report", str(met), "-o", str(out), "--format", form]) == 0
    true = out.read_bytes()
    name = re.search(rb"Ines|Ana|Ben", true)
    assert name is not None
    ways = [(name[0], b"The CEO"), (b"accept", b"defer"), (b"changed since", b"the same"), (b"no longer", b"still")]
    for old, new in part(ways, 2 if form == "html" else 1):
        forged = true.replace(old, new)
        if forged == true:
            continue
        seal_ = seal.CHECKSUM.search(forged, 0, seal.FIRST)
        assert seal_ is not None
        emptied = forged[: seal_.start(1)] + seal.ZEROS.encode() + forged[seal_.end(1) :]
        made = hashlib.sha256(emptied).hexdigest().encode()
        out.write_bytes(forged[: seal_.start(1)] + made + forged[seal_.end(1) :])
        capsys.readouterr()
        assert main(["report", "--verify", str(out)]) == 0
        assert "whole" in capsys.readouterr().out
        assert main(["report", "--verify", str(out), str(met)]) == 1
        assert "no longer agrees" in capsys.readouterr().out
    other = re.sub(rb'"readback": ?"[^"]*"', b'"readback":"0.0.9"', true)
    seal_ = seal.CHECKSUM.search(other, 0, seal.FIRST)
    assert seal_ is not None
    emptied = other[: seal_.start(1)] + seal.ZEROS.encode() + other[seal_.end(1) :]
    out.write_bytes(emptied.replace(seal.ZEROS.encode(), hashlib.sha256(emptied).hexdigest().encode(), 1))
    capsys.readouterr()
    assert main(["report", "--verify", str(out), str(met)]) == 0
    said = capsys.readouterr().out
    assert ("another version of Readback (0.0.9)" in said, "all that the report says" in said) == (True, False)


@pytest.mark.usefixtures("checked_once")
def test_the_report_of_another_review_does_not_hold(met: Path, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "r.html"
    assert main(["report", str(met), "-o", str(out)]) == 0
    other = tmp_path / "another"
    shutil.copytree(met, other)
    assert main(["report", "--verify", str(out), str(other)]) == 1
    assert "The review does not have the events that the report was made from." in capsys.readouterr().out


# What people write, and bad input.


def said_by(root: Path, texts: list[str]) -> None:
    """Each text as a note, as a decision's reason, and as a name."""
    store = Store(root)
    for number, text in enumerate(texts):
        anchor = {"kind": "study", "quote": text}
        store.save(Draft("note", {"text": text, "anchor": anchor, "owner": text}, text or "x", "asked", new_id()))
        if number % 40 == 0:
            subject = {"kind": "study", "names": []}
            payload = {"subject": subject, "verdict": "defer", "reason": text, "item": f"i{number}", "on": text}
            store.save(Draft("decision", payload, "Ada", "cli", new_id()))
    store.close()


def test_markup_and_odd_texts_stay_the_text_that_they_are_in_all_three_forms(write: Write) -> None:
    root, every = study(write), [*nasty.markup(some(404)), *nasty.texts(some(500))]
    said_by(root, every)
    made = values(root)
    page = FORMS["html"](made).decode()
    found = Page(page)
    quotes = [text for text in found.texts if text]
    for text in every:
        if text:
            assert nasty.shown(text) in quotes
    assert set(found.tags) <= {
        "html", "head", "meta", "script", "link", "title", "style", "body", "header", "main", "nav", "section", "h1",
        "h2", "h3", "p", "a", "ul", "ol", "li", "div", "span", "strong", "table", "caption", "thead", "tbody", "tr",
        "th", "td", "code", "details", "summary", "bdi",
    }  # fmt: skip
    assert found.tags.count("script") == 1
    assert page.count("<script") == 1
    back = json.loads(FORMS["json"](made))
    assert [one["text"] for one in back["notes"]] == every
    parsed = MarkdownIt("commonmark").parse(FORMS["markdown"](made).decode())
    fences = [token.content for token in parsed if token.type == "fence"]
    for text in every:
        assert f"{spelling(text)}\n" in fences, text
    html = [token.content for token in parsed if token.type == "html_block"]
    assert len(html) <= 2, html[2:]
    for one in parsed:
        kinds = {child.type for child in one.children or ()}
        assert not kinds & {"link_open", "image", "html_inline"}, one.content


def test_a_workspace_whose_name_is_markup_and_that_has_nothing_to_say(write: Write) -> None:
    root = write({"readback.yml": "name: '<script>alert(1)</script>'\n", "notes.txt": "x"})
    made = values(root)
    assert made["holds"]["lock"] is None
    page = FORMS["html"](made).decode()
    assert page.count("<script") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    for said in ("Nothing has been decided in this review.", "Nobody has signed anything.", "No note is open.",
                 "No comparison is planned.", "There are no scores."):  # fmt: skip
        assert said in page, said


def test_a_note_that_looks_like_a_checksum_is_not_taken_for_one(write: Write) -> None:
    root = study(write)
    said_by(
        root, [f"readback-report-sha256: {'0' * 64}", '<meta name="readback-report-sha256" content="', '"holds": {}']
    )
    for form in FORMS.values():
        found = seal.read_seal(form(values(root)))
        assert found.whole
        assert found.holds["sequence"] == 4


def test_what_is_no_report_or_one_of_a_newer_version_is_refused(
    met: Path, told: dict[str, Any], tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "r.json"
    for raw, why in ((b"", "it has no checksum"), (b"\0" * 5000, "it has no checksum"), (b"[" * 99999, "no checksum")):
        out.write_bytes(raw)
        assert main(["report", "--verify", str(out)]) == 2
        assert why in capsys.readouterr().err
    newer = {**told, "holds": {**told["holds"], "form": 2, "readback": "9.0"}}
    for name, form in FORMS.items():
        out = tmp_path / f"newer.{name}"
        out.write_bytes(form(newer))
        assert main(["report", "--verify", str(out), str(met)]) == 2
        assert "written by a newer Readback (9.0)" in capsys.readouterr().err
    assert main(["report", "--verify", str(tmp_path / "gone.html")]) == 2
    assert main(["report", str(met), "-o", str(tmp_path / "r.xyz")]) == 2
    assert main(["report", "-o", str(tmp_path / "r.md")]) == 2
    assert main(["report", str(met), "-o", str(tmp_path / "no" / "r.md")]) == 2


def test_five_thousand_notes_are_all_in_it(write: Write) -> None:
    root = study(write)
    store = Store(root)
    for n in range(many(5_000, 250)):
        store.save(Draft("note", {"text": f"Note {n}", "anchor": {"kind": "study"}}, "Ada", "cli", new_id()))
    count = store.sequence()
    raw = FORMS["html"](values(root)).decode()
    assert raw.count('<div class="quote">Note ') == count

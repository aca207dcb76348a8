"""Every rule: its file, its three paragraphs, its examples, and the page that is made of them."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from pathlib import Path

import pytest
from same_keys import shared_keys
from unforked import unforked

from readback import workspace
from readback.checks import rule_pages, rules
from readback.checks.rule import Rule
from readback.checks.run import engine
from readback.checks.summary import Audit
from readback.types import Assembly, DatasetSource, Diagnostic, Location, Record, RuleContext, Selection, Workspace

RULES = rules.RULES()
SOURCE = Path(rules.__file__).parents[2]
NOTED = re.compile(r"""(?:[dD]iagnostic|report)\(\s*["']([a-z]{3}-[a-z-]+)["']|CODE = "([a-z]{3}-[a-z-]+)\"""")
GUESS = re.compile(r"\bguess|\bprobabl|\blooks? like|\binferred|\bnames suggest", re.IGNORECASE)
# Rules with such words that are no guess about what a file is, and why the words are there.
NO_GUESS = {
    "alb-not-albert": "for information where it is probably another program's file; else the file says it is Albert's",
    "alb-turn-repeated": "what the program sends is known; that it looks like a mistake is a judgement on the program",
    "alb-user-duplicated": "the same",
    "asm-few-shot-random": "nothing is guessed: no message is shown",
    "asm-instruction-never-used": "the text looks like part of the experiment to whoever reads it",
    "asm-mark-not-filled": "that the mark is sent as it is, is known; whether it was meant to be filled in, it asks",
    "dat-encoding": "nothing is guessed: the line is refused",
    "dat-nothing-read": "that nothing is read is known; that a check of nothing would look like a good one is why",
    "fmt-train-serve-diff": "for information where a format is only guessed",
    "scr-judge-is-contestant": "the names are those of models, and the finding says that they are what tells it",
    "jdg-field-unused": "what scores look like to a reader",
    "scr-not-comparable": "what a difference would look like to a reader",
    "trn-damaged-text": "what a damaged word looks like; the damage is in the file",
    "trn-duplicate-prompt": "for information where another field is probably sent, too",
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_says_what_why_and_how_and_its_file_is_named_after_its_fault(rule: Rule) -> None:
    assert rule.logic is None or rule.logic.__name__.rpartition(".")[2].replace("_", "-") == rule.code
    assert rule.code.partition("-")[0] in rules.AREAS
    assert rule.severity in ("error", "warning", "info")
    assert set(rule.on) <= {"load", "workspace", "record", "assembly", "dataset"}
    assert hasattr(rule.logic, "check") == (rule.on not in (("load",), ("dataset",)))
    assert (hasattr(rule.logic, "list_marks") and hasattr(rule.logic, "report_repeats")) == ("dataset" in rule.on)
    assert rule.title[-1] == "."
    assert all(rule.paragraphs)
    assert rule.fails
    assert rule.passes
    assert rule.fix
    assert rule.fix[-1] != "."


def test_a_rule_that_says_that_its_reading_is_a_guess_is_for_information() -> None:
    says = {code: f"{' '.join((rule.sentence, rule.title, *rule.paragraphs))}" for code, rule in RULES.items()}
    guesses = {code for code, text in says.items() if GUESS.search(text) and RULES[code].severity != "info"}
    assert guesses == set(NO_GUESS)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_finds_its_fault_in_the_examples_that_have_it_and_in_no_other(
    rule: Rule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unforked(monkeypatch)
    examples = [("PASS", files) for files in rule.passes] + [("FAIL", files) for files in rule.fails]
    for number, (kind, files) in enumerate(examples):
        (folder := tmp_path / str(number)).mkdir()
        audit = _audit(files, folder)
        assert audit.faults == ()
        assert shared_keys(audit.findings) == []
        found = [finding for finding in audit.findings if finding.code == rule.code]
        assert (kind == "FAIL") == bool(found), (kind, files)
        for finding in found:
            for sentence in (rule.sentence, rule.fix):
                assert _names(sentence) <= set(finding.values)


def test_what_a_row_lacks_is_marked_so_in_the_catalogue_also_of_rules_with_logic() -> None:
    marked = {code for code, rule in RULES.items() if rule.of_a_row}
    assert {"alb-chunks-empty", "fmt-reference-missing", "fmt-no-contexts", "jdg-no-answer"} <= marked
    assert not [code for code, rule in RULES.items() if hasattr(rule.logic, "OF_A_ROW")]


def test_every_code_that_is_noted_anywhere_has_its_rule() -> None:
    files = SOURCE.rglob("*.py")
    noted = {one or other for path in files for one, other in NOTED.findall(path.read_text("utf-8"))}
    assert len(noted) > len(RULES) // 2
    assert set() == noted - set(RULES)


def test_every_code_of_the_catalogue_has_logic_or_is_noted_by_a_reader() -> None:
    written = "".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py"))
    assert [code for code, rule in RULES.items() if rule.logic is None and f'"{code}"' not in written] == []


def test_the_page_of_the_rules_has_a_section_for_each_and_a_link_to_it() -> None:
    page = rule_pages.format_rules_page()
    assert sorted(re.findall(r"^## ([a-z-]+)$", page, re.MULTILINE)) == sorted(RULES)
    assert sorted(re.findall(r"^- \[[a-z-]+\]\(#([a-z-]+)\): \S", page, re.MULTILINE)) == sorted(RULES)


def test_a_sentence_is_filled_with_its_values_on_one_line_and_a_missing_one_stays_visible() -> None:
    values = {"a": "x\n y", "b": [1, "two"], "c": None}
    assert rules.fill("{a}, {b}, {c}, {d}", values) == "x y, 1, two, null, {d}"
    assert len(rules.fill("{a}", {"a": "x" * 1000})) == len(rules.fill("{a}", {"a": 10**300})) == 200


def test_a_part_of_a_sentence_is_left_out_where_its_value_says_nothing() -> None:
    sentence = "no '{key}'[[; nearest: {nearest}]][[ (one of {known})]]"
    assert rules.fill(sentence, {"key": "[[x]]", "nearest": "y", "known": ["a"]}) == "no '[[x]]'; nearest: y (one of a)"
    assert rules.fill(sentence, {"key": "x", "nearest": "", "known": []}) == "no 'x'"
    assert rules.fill(sentence, {"key": "x", "nearest": "–"}) == "no 'x' (one of {known})"


def test_a_key_leaves_out_lines_and_offsets_and_holds_everything_else() -> None:
    diagnostic = Diagnostic(
        "fmt-markers", {}, Location(file="a", mode="m", record="1", role="user", line=3, start=1, end=2), "x"
    )
    moved = Diagnostic(
        "fmt-markers", {}, Location(file="a", mode="m", record="1", role="user", line=4, start=7, end=8), "x"
    )
    assert rules.compute_key(diagnostic) == rules.compute_key(moved)
    others = [
        Diagnostic("fmt-other", {}, diagnostic.place, "x"),
        Diagnostic("fmt-markers", {}, diagnostic.place, "y"),
        *(
            Diagnostic("fmt-markers", {}, Location(**{**_parts(diagnostic.place), name: "other"}), "x")
            for name in ("file", "mode", "condition", "adapter", "task", "judge", "record", "role", "field")
        ),
    ]
    assert 1 + len(others) == len({rules.compute_key(one) for one in (diagnostic, *others)})
    assert re.fullmatch(r"[0-9a-f]{16}", rules.compute_key(diagnostic))


def test_a_note_is_placed_by_its_case_and_keeps_what_it_says_itself() -> None:
    record = Record("7", {}, Location(file="data.jsonl", line=9, index=8))
    assembly = Assembly(Selection(mode="m", adapter="a", task="t"), "7", 8, (), "")
    case = RuleContext(Workspace(Path(), "w", dataset=DatasetSource("data.jsonl")), record, assembly)
    whole = {"mode": "m", "adapter": "a", "task": "t", "record": "7", "index": 8}
    assert Location(file="data.jsonl", line=9, **whole) == rules.complete_place(Location(), case)
    assert Location(file="t.jinja", line=2, **whole) == rules.complete_place(Location(file="t.jinja", line=2), case)


def test_a_rule_that_fails_is_our_fault_and_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: RuleContext) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(RULES["fmt-markers"].logic, "check", broken)
    row = {"rag": {"prompt": "Context:\n", "contexts": ["one"]}}
    found = list(rules.check(RuleContext(Workspace(Path(), "w"), Record("1", row)), "record"))
    faults = [one for one in found if isinstance(one, rules.Fault)]
    assert [(one.rule, "ZeroDivisionError: oh" in one.error) for one in faults] == [("fmt-markers", True)]
    assert "fmt-context-not-sent" in {one.code for one in found if not isinstance(one, rules.Fault)}


def _audit(files: Mapping[str, str | bytes], folder: Path) -> Audit:
    """The audit of an example: of its folder, or of its file where it has only one."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    only = len(files) == 1
    return engine.check(workspace.open(folder / next(iter(files)) if only else folder))


def _names(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def _parts(place: Location) -> dict[str, object]:
    return {name: getattr(place, name) for name in Location.__dataclass_fields__}

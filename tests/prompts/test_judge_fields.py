"""Which fields a judge reads where nobody says: the usual names, shown as a mapping; and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import looking
import pytest
from test_judge_sources import REPLY, codes, files, inserted, judged

from readback import workspace
from readback.checks.fields.field_mapping import inputs, mapped
from readback.checks.run import engine
from readback.cli import main
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
ALONE = Selection(judge="j")


def record(**fields: Any) -> dict[str, Any]:
    return {"qid": "1", "question": "Q", "answer": "A", **fields}


@pytest.mark.parametrize("name", ["context", "contexts", "documents", "passages"])
def test_a2_documents_are_filled_from_the_usual_names(write: Write, name: str) -> None:
    made = judged(write(files("{}", record(**{name: ["D"]}))), ALONE)
    assert (inserted(made)["documents[0]"].text, inserted(made)["documents[0]"].place.field) == ("D", f"{name}[0]")


def test_a2_the_first_usual_name_that_holds_a_list_is_taken(write: Write) -> None:
    made = judged(
        write(files("{}", record(passages=["P"], documents=["D"], contexts=["C"], context="one text"))), ALONE
    )
    assert inserted(made)["documents[0]"].text == "C"


def test_a2_a_text_under_a_usual_name_is_said_to_be_no_list(write: Write) -> None:
    made = judged(write(files("{}", record(context="one text"))), ALONE)
    assert "jdg-documents-not-list" in codes(made)


def test_a2_a_mapping_goes_before_the_usual_names(write: Write) -> None:
    made = judged(write(files("{documents: passages}", record(passages=["P"], context=["C"]))), ALONE)
    assert inserted(made)["documents[0]"].text == "P"


def test_a2_a_variable_of_the_dataset_goes_before_the_usual_names(write: Write) -> None:
    setup = files("{}", record(mine=["M"], context=["C"]))
    setup["readback.yml"] = setup["readback.yml"].replace(
        "dataset: ref.jsonl", "dataset: {path: ref.jsonl, fields: {documents: mine}}"
    )
    first = inserted(judged(write(setup), ALONE))["documents[0]"]
    assert (first.text, first.place.field) == ("M", "mine[0]")


def test_a2_where_no_usual_name_is_there_the_finding_names_them(write: Write) -> None:
    made = judged(write(files("{}", record())), ALONE)
    (diagnostic,) = [diagnostic for diagnostic in made.diagnostics if diagnostic.code == "jdg-no-documents"]
    assert diagnostic.values["field"] == "context, contexts, documents, passages"


def test_a2_what_a_judge_reads_is_listed_with_its_field_and_whether_somebody_said_so(write: Write) -> None:
    found = inputs(workspace.open(write(files("{gold: record.answer}"))))
    assert [(one.judge, one.name, one.field, one.declared) for one in found] == [
        ("j", "question", "answer.question", False),
        ("j", "answer", "answer.answer", False),
        ("j", "documents", "answer.context", False),
        ("j", "gold", "record.answer", True),
    ]
    assert {"answer.context", "record.context"} <= set(found[2].offered)


def test_a2_a_value_that_is_nowhere_is_listed_without_a_field(write: Write) -> None:
    (missing,) = [one for one in inputs(workspace.open(write(files("{}", record())))) if one.name == "gold"]
    assert (missing.field, missing.declared) == (None, False)


def test_a2_a_mapping_of_the_page_is_the_judges(write: Write) -> None:
    opened = mapped(workspace.open(write(files())), {("j", "documents"): "record.context"})
    assert opened.judges["j"].fields == {"documents": "record.context", "gold": "answer"}


def test_a2_open_shows_the_mapping_and_a_choice_changes_what_is_sent(serving: Any) -> None:
    serving(files("{gold: answer}"))
    page = looking.page("open")
    box = page.selectbox(key="judge_j_documents")
    assert "read from answer.context, found by its usual name" in box.options[0]
    box.select("record.context").run()
    assert "documents of judge j is read from record.context in this session" in looking.words(page)
    sent = looking.turned(page, "prompts", judge="j", condition="sysA")
    assert "gold doc" in looking.words(sent)


def test_a2_open_names_what_a_judge_does_not_get(serving: Any) -> None:
    serving(files("{}", record(), {name: value for name, value in REPLY.items() if name != "context"}))
    assert "not found" in looking.page("open").selectbox(key="judge_j_documents").options[0]


def test_a2_init_writes_the_guess_as_a_comment(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    main(["init", str(write(files("{gold: record.answer}"))), "--print"])
    said = capsys.readouterr().out
    line = "# a guess: judge j reads question from answer.question, answer from answer.answer, documents from "
    assert f"{line}answer.context\n" in said


@pytest.mark.parametrize("nothing", ["null", "''", '""', "~"])
def test_b14_leaving_the_gold_out_is_a_setting_without_a_warning(write: Write, nothing: str) -> None:
    folder = write(files(f"{{gold: {nothing}, documents: answer.context}}", {**REPLY, "gold": "GOLD"}))
    opened = workspace.open(folder)
    assert opened.judges["j"].fields == {"gold": None, "documents": "answer.context"}
    made = judged(folder)
    assert "gold" not in inserted(made)
    assert "GOLD" not in made.messages[-1].text
    assert not [one.code for one in engine.check(opened).findings if one.code.startswith("jdg-")]


def test_b14_a_rubric_says_that_there_is_no_reference_and_no_finding_does(write: Write) -> None:
    rubric = "name: j\nprompt: 'E {{EXPECTED_RESPONSE}} A {{ASSISTANT_RESPONSE}}'\n"
    setup = files("{gold: null}") | {"p.yaml": rubric}
    setup["readback.yml"] = setup["readback.yml"].replace("p.py", "p.yaml")
    made = judged(write(setup))
    assert made.messages[-1].text == "E (No reference answer provided) A A"
    assert "jdg-gold-missing" not in codes(made)


def test_b14_documents_may_be_left_out_the_answer_may_not(write: Write) -> None:
    opened = workspace.open(write(files("{documents: null, answer: null}")))
    assert opened.judges["j"].fields == {"documents": None}
    assert [
        diagnostic.values["where"] for diagnostic in opened.diagnostics if diagnostic.code == "dat-wrong-value"
    ] == ["judges.j.fields.answer"]


def test_b14_what_is_left_out_is_written_down_again(write: Write) -> None:
    folder = write(files("{gold: null}"))
    first = workspace.open(folder)
    (folder / "readback.yml").write_text(workspace.init_text(first), "utf-8")
    assert workspace.open(folder).judges["j"].fields == {"gold": None}

"""Which file a judge's values come from: the row of the answer, then the record, each shown with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import looking
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readback import as_json, workspace
from readback.checks.run import engine
from readback.cli import main
from readback.notebook.study import open_workspace
from readback.prompts import assemble
from readback.prompts.judge_messages import build_judge_messages
from readback.records.dataset import open_dataset
from readback.records.replies.answers import open_answers
from readback.types import Answer, Assembly, Judge, Location, Record, Segment, Selection

Write = Callable[[Mapping[str, Any]], Path]
RECORD = {"qid": "1", "question": "Q", "answer": "GOLD", "context": ["gold doc"]}
REPLY = {"qid": "1", "question": "Q", "answer": "A", "context": ["retrieved doc"]}
PROMPTS = 'SYSTEM_PROMPT = "Grade."\nEVALUATION_PROMPT_TEMPLATE = "{question}|{answer}|{gold_reference}|{documents}"\n'
RUBRIC = "name: j\nprompt: 'Q {{QUESTION}} C {{CONTEXTS}} E {{EXPECTED_RESPONSE}} A {{ASSISTANT_RESPONSE}}'\n"
FIELDS = "{documents: context, gold: answer}"
CONDITION = Selection(condition="sysA", judge="j")


def files(fields: str = FIELDS, record: Any = RECORD, reply: Any = REPLY) -> dict[str, Any]:
    setup = (
        "dataset: ref.jsonl\nmodes: [{mode: m, template: '{{ question }}'}]\n"
        f"judges: {{j: {{prompts: p.py, fields: {fields}}}}}\n"
        "conditions: [{name: sysA, mode: m, judge: j, answers: sysA.jsonl}]\n"
    )
    return {"readback.yml": setup, "p.py": PROMPTS, "ref.jsonl": [record], "sysA.jsonl": [reply]}


def judged(folder: Path, choice: Selection = CONDITION, extra: Mapping[str, Any] | None = None) -> Assembly:
    opened = workspace.open(folder)
    record = open_dataset(opened.root, opened.dataset).record(0)
    condition = opened.condition(choice.condition or "")
    said = open_answers(opened, condition).get(record.id) if condition else None
    return assemble.assemble(opened, record, choice, said, extra)


def inserted(made: Assembly) -> dict[str, Segment]:
    return {str(one.name): one for one in made.messages[-1].segments if one.origin == "variable"}


def codes(made: Assembly) -> list[str]:
    return [diagnostic.code for diagnostic in made.diagnostics]


def test_a1_a_judge_is_shown_the_documents_of_the_answer(write: Write) -> None:
    made = judged(write(files()))
    texts = {name: one.text for name, one in inserted(made).items()}
    assert texts == {"question": "Q", "answer": "A", "gold": "GOLD", "documents[0]": "retrieved doc"}
    places = {name: (one.place.file, one.place.line, one.place.field) for name, one in inserted(made).items()}
    assert places == {
        "question": ("sysA.jsonl", 1, "question"),
        "answer": ("sysA.jsonl", 1, "answer"),
        "gold": ("ref.jsonl", 1, "answer"),
        "documents[0]": ("sysA.jsonl", 1, "context[0]"),
    }


def test_a1_two_different_values_are_one_finding_that_names_both_places(write: Write) -> None:
    audit = engine.check(workspace.open(write(files())))
    (found,) = [one for one in audit.findings if one.code == "jdg-value-differs"]
    assert (found.place.file, found.place.line, found.place.field) == ("sysA.jsonl", 1, "context")
    assert found.message == (
        "judge j is shown the documents of sysA.jsonl line 1 (context), "
        "but ref.jsonl line 1 (context) has another value"
    )
    assert found.fix == "write documents: answer.context or documents: record.context under fields: of j"


@pytest.mark.parametrize(
    ("fields", "documents"),
    [
        ("{documents: answer.context, gold: answer}", "retrieved doc"),
        ("{documents: record.context, gold: record.answer}", "gold doc"),
    ],
)
def test_a1_the_fields_say_which_of_the_two_is_meant(write: Write, fields: str, documents: str) -> None:
    made = judged(write(files(fields)))
    shown = inserted(made)
    assert (shown["documents[0]"].text, shown["gold"].text) == (documents, "GOLD")
    assert "jdg-value-differs" not in codes(made)


@pytest.mark.parametrize(
    ("record", "reply"),
    [
        (RECORD, {**REPLY, "context": ["gold doc"]}),
        ({**RECORD, "context": None}, REPLY),
        (RECORD, {name: value for name, value in REPLY.items() if name != "context"}),
        (RECORD, {**REPLY, "context": ["gold doc"], "question": None}),
        (RECORD, {**REPLY, "context": ["gold doc"], "question": ""}),
    ],
)
def test_a1_values_that_do_not_differ_are_no_finding(write: Write, record: Any, reply: Any) -> None:
    made = judged(write(files(record=record, reply=reply)))
    assert "jdg-value-differs" not in codes(made)
    assert inserted(made)["question"].text == "Q"


def test_a1_an_answer_without_documents_says_so_and_the_records_are_not_taken(write: Write) -> None:
    made = judged(write(files(reply={**REPLY, "context": None})))
    assert not [name for name in inserted(made) if name.startswith("documents")]
    assert {"jdg-no-documents", "jdg-value-differs"} <= set(codes(made))


def test_a1_the_one_row_that_is_named_is_the_only_one_that_is_asked(write: Write) -> None:
    bare = {name: value for name, value in REPLY.items() if name != "context"}
    made = judged(write(files("{documents: answer.context, gold: answer}", reply=bare)))
    assert not [name for name in inserted(made) if name.startswith("documents")]
    (diagnostic,) = [diagnostic for diagnostic in made.diagnostics if diagnostic.code == "jdg-no-documents"]
    assert (diagnostic.place.file, diagnostic.values["field"]) == ("sysA.jsonl", "answer.context")


def test_a1_without_a_condition_the_record_is_its_own_answer(write: Write) -> None:
    made = judged(write(files("{documents: answer.context, question: record.question}")), Selection(judge="j"))
    assert {name: one.text for name, one in inserted(made).items()} == {
        "question": "Q",
        "answer": "GOLD",
        "documents[0]": "gold doc",
    }


def test_a1_an_object_called_answer_is_reached_by_its_path(write: Write) -> None:
    record = {"qid": "1", "question": "Q", "answer": {"text": "GOLD"}, "context": ["d"]}
    made = judged(write(files("{documents: context, gold: answer.text}", record, {**REPLY, "context": ["d"]})))
    assert inserted(made)["gold"].text == "GOLD"


def test_a1_the_fields_say_which_field_of_the_row_is_the_reply(write: Write) -> None:
    reply = {"qid": "1", "answer": "copied GOLD", "model_answer": "A", "context": ["gold doc"]}
    made = judged(write(files("{documents: context, gold: record.answer, answer: model_answer}", reply=reply)))
    assert (inserted(made)["answer"].text, inserted(made)["answer"].place.field) == ("A", "model_answer")
    assert inserted(made)["gold"].text == "GOLD"


def test_a1_values_that_are_tried_go_before_both_files(write: Write) -> None:
    folder = write(files())
    shown = inserted(judged(folder, extra={"context": ["tried"], "answer": "B"}))
    assert [shown[name].text for name in ("documents[0]", "answer", "gold")] == ["tried", "B", "GOLD"]
    assert shown["documents[0]"].place.file is None
    assert inserted(judged(folder, extra={"documents": ["also"]}))["documents[0]"].text == "also"


def test_a1_a_rubric_reads_the_row_of_the_answer_first(write: Write) -> None:
    judge = Judge("j", "Q {{QUESTION}} C {{CONTEXTS}} E {{EXPECTED_RESPONSE}}", syntax="placeholder")
    record = Record(
        "1", {"instruction": "Q", "rag": {"contexts": ["gold"]}, "answer": "GOLD"}, Location("ref.jsonl", 1)
    )
    fields = {"rag": {"contexts": [" mine "]}, "response": "A", "answer": "parsed"}
    said = Answer("c", "1", "A", place=Location("a.jsonl", 4), fields=fields, reply="response")
    messages, _, diagnostics, _ = build_judge_messages(judge, record, "c", said)
    assert messages[0].text == "Q Q C mine E GOLD"
    assert [diagnostic.values["name"] for diagnostic in diagnostics] == ["documents"]


def test_a1_the_command_line_and_the_notebook_show_the_same(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(files())
    main(["render", str(folder), "--judge", "j", "--condition", "sysA", "--format", "json"])
    said = json.loads(capsys.readouterr().out)
    made = judged(folder)
    assert [as_json.message_to_json(one) for one in made.messages] == said["messages"]
    assert made.messages == open_workspace(folder).assemble("sysA", judge="j").messages


def test_a1_private_fields_of_an_answer_are_masked_in_its_judges_prompt(write: Write) -> None:
    setup = files()
    setup["readback.yml"] = setup["readback.yml"].replace(
        "dataset: ref.jsonl", "dataset: {path: ref.jsonl, private: [context]}"
    )
    made = judged(write(setup))
    assert (made.masked, inserted(made)["documents[0]"].text) == (True, "[masked]")
    assert "jdg-value-differs" not in codes(made)


def test_a1_the_page_shows_the_row_of_the_answer_and_which_of_its_fields_the_judge_reads(
    serving: Write,
) -> None:
    serving(files())
    words = looking.words(looking.page("prompts", judge="j", condition="sysA"))
    assert "The row of the answer, sysA.jsonl line 1" in words
    record, _, answer = words.partition("The row of the answer")
    assert "context[0] not used gold doc" in " ".join(record.split())
    assert "context[0] used retrieved doc" in " ".join(answer.split())


NAMES = ("question", "documents", "gold", "context", "answer", "response")
FIELD = st.sampled_from([*NAMES, *(f"{side}.{name}" for side in ("answer", "record") for name in NAMES)])
TEXT = st.text("abc", min_size=1, max_size=4)


def row(side: str) -> st.SearchStrategy[dict[str, Any]]:
    """Rows whose every text begins with the name of its file and field, so that a text tells where it is from."""
    texts = {name: TEXT.map(lambda text, name=name: f"{side}/{name}/{text}") for name in NAMES}
    lists = {name: st.lists(one, max_size=2) for name, one in texts.items() if name in ("documents", "context")}
    return st.fixed_dictionaries({}, optional={**texts, **lists})


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    row("record"),
    row("answer"),
    st.dictionaries(st.sampled_from(["question", "documents", "gold", "answer"]), FIELD),
    st.booleans(),
    st.sampled_from(["format", "placeholder"]),
)
def test_law_a_value_shown_as_sent_is_traced_to_the_file_it_came_from(
    record: dict[str, Any], reply: dict[str, Any], fields: dict[str, str], condition: bool, syntax: Any
) -> None:
    user = {
        "format": "{question}|{answer}|{documents}|{gold_reference}",
        "placeholder": "{{QUESTION}}{{ASSISTANT_RESPONSE}}{{CONTEXTS}}{{EXPECTED_RESPONSE}}",
    }[syntax]
    name = next((name for name in ("response", "answer") if name in reply), None)
    text = reply[name] if name else None
    said = Answer("c", "1", text, place=Location("answer", 7), fields=reply, reply=name) if condition else None
    one = Record("1", record, Location("record", 3, index=0))
    messages, _, _, _ = build_judge_messages(
        Judge("j", user, syntax=syntax, fields=fields), one, "c" if condition else None, said
    )
    for segment in messages[-1].segments:
        homes = set(re.findall(r"(answer|record)/(\w+)/", segment.text))
        assert segment.origin == "variable" or not homes
        for file, field in homes:
            assert (file, {"answer": 7, "record": 3}[file]) == (segment.place.file, segment.place.line)
            assert (segment.place.field or "").partition("[")[0] == field


EVALUATOR = """\
dataset: reference.jsonl
judges: {rag: {prompts: p.py%s}}
conditions: [{name: rag, judge: rag, answers: system_answers.jsonl}]
"""
REFERENCES = [
    {"qid": str(at), "question": f"What is {at}?", "answer": f"Gold {at}.", "context": [f"Written from {at}."]}
    for at in range(6)
]
SYSTEM = [
    {"qid": str(at), "question": f"What is {at}?", "answer": f"It is {at}.", "context": [f"Retrieved {at}."]}
    for at in range(6)
]


def evaluated(write: Write, fields: str, system: Any = SYSTEM) -> list[tuple[str, str, int | None, int | None]]:
    """Code, file, line and count of each finding about the folder of an evaluator."""
    opened = workspace.open(
        write({"readback.yml": EVALUATOR % fields, "p.py": PROMPTS, "reference.jsonl": REFERENCES,
               "system_answers.jsonl": system})
    )  # fmt: skip
    found = engine.check(opened).findings
    return [(one.code, one.place.file or "", one.place.line, one.values.get("records")) for one in found]


def test_the_layout_of_an_evaluator_is_no_finding_and_its_judge_sees_what_was_retrieved(write: Write) -> None:
    assert evaluated(write, ", fields: {gold: answer}") == []
    opened = workspace.open(
        write({"readback.yml": EVALUATOR % ", fields: {gold: answer}", "p.py": PROMPTS})
    )  # the other files are there
    data = open_dataset(opened.root, opened.dataset)
    answer = open_answers(opened, opened.conditions[0]).get("0")
    made = assemble.assemble(opened, data.record(0), Selection(condition="rag", judge="rag"), answer)
    assert inserted(made)["documents[0]"].text == "Retrieved 0."


def test_what_all_records_lack_for_a_judge_is_told_once_with_their_count(write: Write) -> None:
    assert evaluated(write, "") == [("jdg-gold-missing", "reference.jsonl", 1, 6)]


def test_documents_that_answers_lack_are_told_once_at_the_row_of_an_answer(write: Write) -> None:
    without = [{name: one for name, one in row.items() if name != "context"} for row in SYSTEM]
    told = evaluated(write, ", fields: {gold: answer, documents: answer.context}", without)
    assert told == [("jdg-no-documents", "system_answers.jsonl", 1, 6)]
    some = [*SYSTEM[:3], *({**row, "context": []} for row in SYSTEM[3:])]
    told = evaluated(write, ", fields: {gold: answer}", some)
    assert told == [("jdg-no-documents", "system_answers.jsonl", 4, 3)]

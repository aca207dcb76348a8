"""Records: any dataset row by row, without a configuration too, and each record whole."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from looking import drawn, links, page, said, turned, words

from readback.readers.files.progress import Cancelled
from readback.records.dataset import open_dataset
from readback.types import DatasetSource
from readback.ui.results import record_list

LONG = "A  first line\n\tand a second, " + "very " * 60 + "long one. "
ROWS: list[dict[str, Any]] = [
    {"id": f"r{n}", "question": f"Question {n}?", "text": LONG, "more": {"n": n, "deep": [f"part {n}"]}, "at": "x"}
    for n in range(60)
]


def read_column(test: Any, heading: str) -> list[str]:
    """Return the cells of the table of records below a heading, as text."""
    cells = re.findall(rf'<td role="cell" data-head="{re.escape(heading)}">(.*?)</td>', said(test), re.DOTALL)
    return [unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in cells]


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_rows_without_a_configuration_are_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), folder / "d.parquet")
    elif kind == "jsonl":
        (folder / "d.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), "utf-8")
    else:
        lines = [f'{row["id"]},{row["question"]},"{row["text"]}",7,x\n' for row in ROWS]
        (folder / "d.csv").write_text("id,question,text,more,at\n" + "".join(lines), "utf-8")
    monkeypatch.setenv("READBACK_WORKSPACE", str(folder))
    test = page("results", view="rows", record="r2")
    shown = words(test)
    assert "60 records read" in shown
    assert "Records 1 to 25 of 60." in shown
    assert "Question 24?" in shown
    assert "Record r2" in " ".join(one.value for one in test.header)
    assert LONG in exactly(test)


def test_a_record_is_one_click_away_and_a_text_is_looked_for_in_all(serving: Any) -> None:
    serving({"d.jsonl": "".join(f"{json.dumps(row)}\n" for row in ROWS)})
    test = page("results", view="rows")
    assert "r24" in [asked.get("record") for asked in links(test, "results")]
    drawn(test.button(key="later").click().run())
    assert "Records 26 to 50 of 60." in words(test)
    drawn(test.text_input(key="records_filter").set_value("QUESTION 58").run())
    assert "Records 1 to 1 of 1 with this text; the dataset has 60." in words(test)
    drawn(test.multiselect(key="records_columns").set_value(["more.n"]).run())
    assert "Question 58?" not in words(test)


def test_the_rows_are_a_link_away_wherever_the_dataset_is_named(serving: Any) -> None:
    serving({"d.jsonl": "".join(f"{json.dumps(row)}\n" for row in ROWS)})
    test = page()
    for name in ("overview", "prompts", "open"):
        assert links(turned(test, name), "results"), name
    assert "/records" in " ".join(html.proto.body for html in test.get("html"))


TURNS = [{"role": "user", "content": "Can I visit the law library?"}, {"role": "assistant", "content": "Yes."},
         {"role": "user", "content": "When is it open?"}]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ({"scores": {"fluency": {"ada": 3}}, "model": "small", "tags": ["Factoid"], "text": LONG, "messages": TURNS},
         ["messages", "model", "tags", "scores.fluency.ada"]),
        ({"score": 1, "meta": {"question": "Which?"}, "question": LONG, "kind": "open", "answer": LONG},
         ["question", "meta.question", "kind", "score"]),
        ({"n": 1, "text": LONG, "m": 2, "kind": "open", "deep": [{"o": 3}]}, ["kind", "n", "m"]),
        ({"text": LONG, "rest": {"a": LONG}}, ["text", "rest.a"]),
    ],
    ids=["messages", "question", "short text", "long texts alone"],
)  # fmt: skip
def test_records_begin_with_what_each_asks_and_with_words_before_numbers(
    serving: Any, fields: dict[str, Any], first: list[str]
) -> None:
    serving({"d.jsonl": "".join(f"{json.dumps({'id': f'r{n}', **fields})}\n" for n in range(3))})
    assert page("results", view="rows").multiselect(key="records_columns").value == first


def test_of_messages_a_cell_shows_the_last_question(serving: Any) -> None:
    serving({"d.jsonl": json.dumps({"id": "r", "messages": TURNS}) + "\n"})
    assert "When is it open? (the last question of 3 messages)" in words(page("results", view="rows"))


@pytest.mark.realdata
def test_a_real_file_of_scored_conversations_opens_on_its_questions(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READBACK_WORKSPACE", str(shared / "data" / "mtrag"))
    test = page("results", view="rows")
    assert test.multiselect(key="records_columns").value == ["messages", "reference", "model_id", "collection"]
    assert "Can I visit the law library?" in words(test)


WHERE = "/home/ada/private/run 7/part.txt"
ODD: dict[str, Any] = {
    "id": "0b6f3a52-7d2e-4f0b-9a55-4d0c6a3f1e20",
    "source_id": "5f3a527d2e4f0b9a554d0c6a3f1e2000",
    "path": WHERE,
    "question": "May a dog travel free?",
    "expected": "Yes, [1] and it sits on the floor. " * 20,
    "tags": ["fares", "fares", "dogs"],
    "turns_of": [{"part": "a long list that is no text", "more": [1, 2, 3]} for _ in range(9)],
}


def test_the_first_column_is_the_question_and_neither_an_id_nor_a_path(serving: Any) -> None:
    serving({"d.jsonl": "".join(json.dumps({**ODD, "id": f"{ODD['id']}{n}"}) + "\n" for n in range(3))})
    test = page("results", view="rows")
    assert test.multiselect(key="records_columns").value == ["question", "expected", "tags"]
    first = re.findall(r'<tr role="row" class.*?</tr>', said(test), re.DOTALL)[0]
    plain = " ".join(re.sub(r"<[^>]+>", " ", first).split())
    assert plain.startswith(f"May a dog travel free? {ODD['id']}0 Yes, [1] and it sits")
    assert "more characters" in plain
    assert "fares (2×) · dogs" in plain


def test_a_list_is_shortened_in_its_cell_and_whole_beside_it(serving: Any) -> None:
    serving({"d.jsonl": json.dumps(ODD) + "\n"})
    test = page("results", view="rows")
    drawn(test.multiselect(key="records_columns").set_value(["question", "turns_of"]).run())
    assert '9 items, the first: {"part": "a long list that is no text", "more": [1, 2, 3]}' in words(test)
    assert "turns_of[8].more[2]" in words(test)


def test_answers_stand_beside_their_question_and_whole_in_the_record(serving: Any) -> None:
    config = {
        "dataset": "d.jsonl",
        "conditions": [{"name": name, "answers": f"{name}.jsonl"} for name in ("closed", "open", "third")],
    }
    long = "A word and a word. " * 30
    answers = {f"{name}.jsonl": json.dumps({"id": "r1", "answer": f"{name}: {long}"}) for name in ("closed", "third")}
    rows = {"d.jsonl": '{"id": "r1", "question": "How far?"}\n', "open.jsonl": '{"id": "r2", "answer": "x"}\n'}
    serving({"readback.yml": json.dumps(config), **rows, **answers})
    test = page("results", view="rows")
    table = re.findall(r"<table.*?</table>", said(test), re.DOTALL)[0]
    plain = unescape(" ".join(re.sub(r"<[^>]+>", " ", table).split()))
    assert re.search(r"question .*Answer of closed Answer of open\b", plain), plain
    assert re.search(r"How far\? r1 .*closed: A word .* … 278 more characters –", plain), plain
    assert f"third: {long}".strip() in words(test)


def test_a_search_goes_on_only_as_long_as_somebody_wants(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text("".join(f'{{"id": "{n}"}}\n' for n in range(record_list.FOUND * 2)), "utf-8")
    data = open_dataset(tmp_path, DatasetSource("d.jsonl"))
    with pytest.raises(Cancelled):
        record_list.find_records(data, "no such text", lambda done, total: done == 0)
    assert record_list.find_records(data, "1", lambda done, total: True)[:3] == (1, 10, 11)
    assert len(record_list.find_records(data, "", lambda done, total: True)) == record_list.FOUND


def exactly(test: Any) -> str:
    """What the markup says with its references as the characters that they stand for."""
    return unescape(said(test))


@pytest.mark.parametrize(("language", "marked"), [("fr", ' lang="fr"'), ("en", ""), ("", ' lang=""')])
def test_a_field_has_the_language_of_the_workspace_and_none_where_that_is_the_page_s(
    serving: Any, language: str, marked: str
) -> None:
    """3.1.2: what is known is marked, and what nobody states is not read out as English."""
    config = {"dataset": "d.jsonl", **({"language": language} if language else {})}
    serving({"readback.yml": json.dumps(config), "d.jsonl": '{"id": "r1", "q": "Où est le quai ?"}\n'})
    shown = said(page("results", view="rows", record="r1"))
    assert f'<span dir="auto"{marked}>Où est le quai ?</span>' in shown  # in the table
    assert f'<span class="rb-text"{marked}>Où est le quai ?</span>' in shown  # and whole

"""Search in the messages: what an expression fits, what is refused, and every record that holds it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from counts import LONG
from hypothesis import given
from hypothesis import strategies as st
from in_time import spent

from readback import cli, workspace
from readback.compare import line_search, search_expression
from readback.compare import search as compare_search
from readback.compare.search import SearchResult, find_next, iterate_results, search, search_chunk
from readback.compare.search_expression import Query, QueryError
from readback.prompts import children
from readback.records.dataset import open_dataset
from readback.types import Selection

Write = Callable[[Mapping[str, Any]], Path]
MODES = [{"mode": "a", "system": "Be kind.", "template": "Q: {{ q }}"}, {"mode": "b", "template": "{{ q }} {{ q }}"}]
BOTH = (Selection(mode="a"), Selection(mode="b"))
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


def folder_of(write: Write, rows: list[dict[str, Any]], modes: Any = MODES) -> Path:
    return write({"readback.yml": {"dataset": "d.jsonl", "modes": modes}, "d.jsonl": rows})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(?=a)", "look-ahead and look-behind"),
        ("(?<!a)b", "look-ahead and look-behind"),
        ("(a)\\1", "back-references"),
        ("x{2000}", "repeats too often"),
        ("((a{1000}){1000})", "repeats too often"),
        ("(a", "missing )"),
        ("a)(b", "unexpected )"),
        ("[z-a]", "invalid character class range"),
        ("a*", "the empty text"),
        ("^", "the empty text"),
        ("", "nothing to search for"),
        ("x" * 2000, "at most 1,000"),
    ],
)
def test_what_re2_refuses_is_said_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(QueryError, match=why.replace("(", "\\(").replace(")", "\\)")):
        search_expression.check_query(Query(text, regex=True))


@pytest.mark.parametrize(
    ("query", "text", "spans"),
    [
        (Query("été"), "Un ÉTÉ, l'été", ((3, 6), (10, 13))),
        (Query("été", case=True), "Un ÉTÉ, l'été", ((10, 13),)),
        (Query("a.c"), "abc a.c", ((4, 7),)),
        (Query("a.c", regex=True), "abc a.c", ((0, 3), (4, 7))),
        (Query("x\ud800y"), "\ud83dx\udfffy", ((1, 4),)),
        (Query("(?i)Q|z", regex=True, case=True), "qZ", ((0, 1), (1, 2))),
        (Query("\\bno", regex=True), "no know\u00a0no", ((0, 2), (8, 10))),
        (Query("\n\n"), "a\n\nb", ((1, 3),)),
        (Query("\\b", regex=True), "a b", ()),
        (Query("𝒳"), "a𝒳b𝒳", ((1, 2), (3, 4))),
    ],
)
def test_the_places_are_character_offsets(query: Query, text: str, spans: tuple[tuple[int, int], ...]) -> None:
    assert search_expression.find_spans(query, text) == spans


@given(st.text(max_size=20).filter(bool), st.text(max_size=40))
def test_a_plain_text_is_found_where_it_stands(wanted: str, around: str) -> None:
    text = f"{around}{wanted}{around}"
    query = Query(wanted, case=True)
    found = search_expression.find_spans(query, text)
    assert found
    assert all(
        search_expression._replace_surrogates(text[start:end]) == search_expression._replace_surrogates(wanted)
        for start, end in found
    )
    assert search_expression.find_holding(query, [text]) == [True]


def test_an_expression_that_hangs_others_is_quick() -> None:
    began = spent()
    assert search_expression.find_spans(Query("(a+)+$", regex=True), "a" * 100_000 + "b") == ()
    assert spent() - began < 1


def test_every_record_that_holds_it_is_counted_by_what_is_sent(write: Write) -> None:
    rows = [{"id": f"r{n}", "q": "a Zebra" if n % 3 == 0 else "a horse"} for n in range(10)]
    found = search(workspace.open(folder_of(write, rows)), BOTH, Query("zebra"))
    assert [(list(hits.records), hits.count) for hits in found.hits] == [([0, 3, 6, 9], 4), ([0, 3, 6, 9], 8)]
    hit = found.hits[0].first[1]
    assert (hit.record, hit.message, hit.role, hit.start, hit.end) == ("r3", 1, "user", 5, 10)
    assert (hit.before, hit.text, hit.after) == ("Q: a ", "Zebra", "")
    assert (found.done, found.total, found.stopped, found.failures) == (10, 10, False, ())


def test_the_answer_does_not_depend_on_how_the_records_are_cut(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = workspace.open(folder_of(write, [{"id": str(n), "q": "x" * (n % 4)} for n in range(16)]))
    whole = search(opened, BOTH, Query("xx"))
    monkeypatch.setattr(children, "MAX_RECORDS", 7)
    monkeypatch.setattr(children, "BATCH", 3)
    assert search(opened, BOTH, Query("xx")) == whole


@pytest.mark.usefixtures("hurried")
def test_a_record_that_kills_its_child_is_named_and_the_rest_is_searched(write: Write) -> None:
    modes = [MODES[0], {"mode": "b", "template": "{% if evil %}" + LOOP + "{% endif %}{{ q }}"}]
    rows: list[dict[str, Any]] = [{"id": str(n), "q": "here", "evil": n == 4} for n in range(8)]
    found = search(workspace.open(folder_of(write, rows, modes)), BOTH, Query("here"))
    assert [list(hits.records) for hits in found.hits] == [list(range(8)), [0, 1, 2, 3, 5, 6, 7]]
    assert [(one.index, one.choice) for one in found.failures] == [(4, Selection(mode="b"))]


@pytest.mark.usefixtures("hurried")
def test_a_template_that_never_ends_is_left_out_and_the_others_are_searched(write: Write) -> None:
    modes = [MODES[0], {"mode": "b", "template": LOOP}]
    found = search(workspace.open(folder_of(write, [{"id": str(n), "q": "here"} for n in range(30)], modes)), BOTH,
                   Query("here"))  # fmt: skip
    assert [len(hits.records) for hits in found.hits] == [30, 0]
    assert [(one.index, one.choice) for one in found.failures] == [(None, Selection(mode="b"))]


def test_a_search_stops_when_it_is_told_to_and_says_so(write: Write) -> None:
    opened = workspace.open(folder_of(write, [{"id": str(n), "q": "x"} for n in range(9)]))
    found = search(opened, BOTH, Query("x"), lambda done, total: total == 0)
    assert isinstance(found, SearchResult)
    assert found.stopped


def test_the_command_says_where_it_stands(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(folder_of(write, [{"id": "r1", "q": "a Zebra"}, {"id": "r2", "q": "x"}]))
    assert cli.main(["search", folder, "zebra"]) == 0
    text = capsys.readouterr().out
    assert "mode a: 1 of 2 records, 1 hit" in text
    assert "record 0 r1, user 5-10: Q: a [Zebra]" in text
    assert cli.main(["search", folder, "z.bra", "--regex", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [(one["mode"], one["records"], one["hits"]) for one in said["choices"]] == [("a", 1, 1), ("b", 1, 2)]
    assert cli.main(["search", folder, "(?=x)", "--regex"]) == 2
    assert "look-ahead" in capsys.readouterr().err


def test_the_next_hit_is_the_first_one_behind_the_record_in_view_or_from_the_top(write: Write) -> None:
    opened = workspace.open(folder_of(write, [{"id": str(n), "q": "x" * (n in (2, 5))} for n in range(9)]))
    found = [find_next(opened, BOTH[0], Query("x"), at) for at in (0, 2, 5, 8)]
    assert found == [2, 5, 2, 2]
    assert find_next(opened, BOTH[0], Query("zebra"), 0) is None
    assert find_next(opened, BOTH[0], Query("x"), 5, lambda *_: False) is None


def test_what_was_found_so_far_is_told_before_the_end(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = workspace.open(folder_of(write, [{"id": str(n), "q": "x"} for n in range(200)]))
    monkeypatch.setattr(compare_search, "PART_SECONDS", 0)
    *some, whole = iterate_results(opened, BOTH[:1], Query("x"))
    assert [list(one.hits[0].records) for one in some] == [list(range(one.done)) for one in some]
    assert [(one.done, one.stopped) for one in some] == [(64, False)]
    assert whole == search(opened, BOTH[:1], Query("x"))


ODD_ROWS: list[dict[str, Any]] = [
    {"instruction": "What is a Zebra?", "rag": {"prompt": "\u212aelvin", "contexts": ["[1] a", "[2] b \u017ftripe"]}},
    {"instruction": 'A "quoted" \\ zebra\n\there', "rag": {"prompt": "caf\u00e9 fi\ufb01", "contexts": [" an", "d "]}},
    {"instruction": "x", "rag": {"prompt": "y", "contexts": ["one", {"a": [None, 1.50, "t\tab"]}, 1e3, True]}},
    {"instruction": "x", "rag": {"prompt": "y", "contexts": [1e3, None, "none"]}},
    {"instruction": "x", "rag": {"prompt": "y", "contexts": ["ends in a \\", None, "", 1e3]}},
    {"instruction": "x", "rag": {"prompt": "y", "contexts": ['He said "so", 5 times', 'then "no", null']}},
    {"instruction": "Answer", "rag": {"prompt": "Que", "contexts": ["stion", "", "[1]"]}},
    {"instruction": 7, "contexts": ["top level"], "prompt": "older"},
    {"instruction": " ", "rag": {"prompt": "\ud800x", "contexts": []}},
]
WANTED = (
    "zebra", "ZEBRA", "kelvin", "stripe", "caf\u00e9", "CAF\u00c9", "fi", "none", "1000", "1.5", "true", "tab", "t'",
    "a [2] b", "[2]", "2", "question: what", "what is", "zebra?", "a\n\nb", "an d", "d", "Answer", "x",
    "concise, ev", "research", "he", "e", ":", ", 1", "u212a", "older", "top level", "contexts", "\u2126", "QUE",
    "AnswerAnswer", "n",
)  # fmt: skip


@pytest.mark.parametrize("ascii_only", [True, False])
def test_records_that_are_passed_over_unassembled_hold_nothing(write: Write, *, ascii_only: bool) -> None:
    modes = ("instruction", "rag", "hybrid", "standard")
    models = {"plain": {"type": "base"}, "tuned": {"type": "instruction_only"}, "cited": {"type": "rag_trained"}}
    conditions = [{"name": f"{mode} {model}", "mode": mode, "model": model} for mode in modes for model in models]
    file = {"dataset": "d.jsonl", "prompts": ["builtin:prompt-formats"], "models": models, "conditions": conditions}
    lines = "".join(f"{json.dumps({'id': str(n), **row}, ensure_ascii=ascii_only)}\n" for n, row in enumerate(ODD_ROWS))
    opened = workspace.open(write({"readback.yml": file, "d.jsonl": lines.encode("utf-8", "surrogatepass")}))
    data = open_dataset(opened.root, opened.dataset)
    choices = [Selection(condition=one.name) for one in opened.conditions]
    passed = 0
    queries = [Query(text, case=case) for text in WANTED for case in (True, False)]
    # Each text with either case; in a short run one of them in this spelling of the lines and the other in the other.
    for query in queries if LONG else [one for n, one in enumerate(queries) if (n + n // 2 + ascii_only) % 2]:
        known = [(asdict(choice), line_search.list_patterns(opened, data, choice, query)) for choice in choices]
        work = {**children.make_payload(opened, choices, 0, len(data)), "query": asdict(query)}
        (short,) = search_chunk({**work, "patterns": known})
        (whole,) = search_chunk({**work, "patterns": [(choice, None) for choice, _ in known]})
        assert short == whole, query
        passed += sum(patterns is not None for _, patterns in known)
    assert passed > len(WANTED) * len(choices) // (1 if LONG else 2)  # of twice as many


@pytest.mark.parametrize(
    ("contexts", "odd"),
    [
        (["a", "b"], False),
        (['He said "so", 5 times, then "no", null'], False),
        ([], False),
        ([1, "a"], True),
        (["a", None], True),
        (["", 5], True),
        (["ends in a \\", 5], True),
        (['ends in a \\"', {"a": "b"}], True),
        (["a", ["b"]], True),
    ],
)
def test_contexts_that_are_no_texts_are_seen_in_the_line(contexts: list[Any], odd: bool) -> None:
    line = json.dumps({"rag": {"contexts": contexts}, "n": "x"})
    assert any(all(re.search(pattern, line) for pattern in looks) for looks in line_search.ODD) is odd


def test_a_judge_is_searched_with_the_answers_it_is_given(write: Write) -> None:
    judge = 'SYSTEM_PROMPT = "You judge."\nUSER_PROMPT = "Question: {question}\\nAnswer: {answer}"\n'
    conditions = [{"name": "c", "mode": "m", "judge": "j", "answers": "a.jsonl"}]
    modes = [{"mode": "m", "template": "{{ question }}"}]
    file = {"dataset": "d.jsonl", "modes": modes, "conditions": conditions, "judges": {"j": {"prompts": "judge.py"}}}
    rows, answers = [{"id": "1", "question": "Why?"}], [{"id": "1", "answer": "a zebra"}]
    folder = write({"readback.yml": file, "judge.py": judge, "d.jsonl": rows, "a.jsonl": answers})
    found = search(workspace.open(folder), [Selection(condition="c", judge="j")], Query("zebra"))
    assert found.hits[0].count == 1

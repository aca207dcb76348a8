"""A plain CSV or TSV score file read column by column gives what it gives row by row."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from counts import some
from hypothesis import given, settings
from hypothesis import strategies as st

from readback.scores import files
from readback.scores.criteria import known
from readback.scores.files import _batch, columnar, intake
from readback.scores.files.score_rows import Asked, Read
from readback.types import Diagnostic, ScoreSource

ODD = (
    *("2", " 2 ", "-1", "0", "1.", ".5", "+1", "-0", "1e2", "1E5", "007", "1_0", "0x10", "1e400", "-1e-400", "٣", "²"),
    *("true", "FALSE", "pass", "no", "NaN", "nan", "-nan", "nan(1)", "inf", "Infinity", "-Infinity", "N/A", "na", "NA"),
    *("", " ", "\xa0", "null", "none", "good", "é", "\u2028", "\x85", "\x1c", "1\x1c", "\ufeff", "1d"),
)
NOTES = ("", "fine", "Evaluation error: x", " \x1cEvaluation error: y", "so: Evaluation error:", "JSON parsing error:é")
COLUMNS = {
    "item": ("q1", "q2", "007", "NA", "", " q1", "1E5", "é"),
    "passage": ("p", "r", ""),
    "condition": ("closed", "open", "", " open"),
    "mode": ("rag", "instruction"),
    "topic": tuple(f"t{n}" for n in range(40)),
    "arm": tuple(f"a{n}" for n in range(40)),
    "criterion": ("relevance", "clear", ""),
    "score": ODD,
    "relevance_score": ("1", "2", *ODD),
    "faithfulness_score": ("0", "0", *ODD),
    "j1": ("0", "3", *ODD),
    "judge": ("j", "k", ""),
    "note": NOTES,
    "evaluation_notes": NOTES,
    "status": ("", "ok", "failed", " Skipped ", "n/a", "N/A", "compile_error", "Timed out", "no error"),
    "outcome": ("", "done", "crashed", "0 failures"),
    "error": ("", "none", "boom", " No ", "é"),
    "problem": tuple(f"p{n}" for n in range(40)),
    "run": ("", "1", "a"),
    "replicate": ("", "1", "2"),
    "cluster": ("", "c1", "c2"),
    "prompt_fingerprint": ("", "f1", "f2"),
    "is_aggregated": ("False", "True", " true ", ""),
    "source": ("", "real", "Synthetic 1"),
    "cost_usd": ("0.1", "", "0.25", "1e-7", "free"),
    "": ("0", "1"),
}
SPOILT = ("", "", "", "", "", '"', "\n\n", "\r", "\r\n", "\0", "\t", ",", "\n \n", "\ufeff", "\n,\n", "\n\n\n")
SOURCES = (
    *(ScoreSource("s"), ScoreSource("s", label="closed"), ScoreSource("s", item=("item", "passage"))),
    *(ScoreSource("s", condition=("arm",)), ScoreSource("s", judges=("j1", "score"), criterion="relevance")),
    *(ScoreSource("s", judges=("j1",)), ScoreSource("s", cluster="passage"), ScoreSource("s", criteria=("j1",))),
    *(ScoreSource("s", cluster="gone"), ScoreSource("s", criterion="clear"), ScoreSource("s", synthetic=True)),
)


def hollow(width: int) -> st.SearchStrategy[list[str]]:
    """A row whose cells are all empty, or nearly."""
    cells = st.sampled_from(("", "", " ", "\t", "\x0b")) | st.sampled_from(("", "", "", "", "\xa0", "\x1c", "0"))
    return st.just([""] * width) | st.lists(cells, min_size=width, max_size=width)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file name and a table, which is plain or spoilt in one place."""
    names = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=2, max_size=8, unique=True))
    names += draw(st.sampled_from(([], ["item", "score"], ["relevance_score"]))) if draw(st.booleans()) else []
    many = draw(st.integers(0, 60))
    pools = [COLUMNS[name] for name in names]
    rows = [names, *([draw(st.sampled_from(pool)) for pool in pools] for _ in range(many))]
    if draw(st.integers(0, 3)) == 0:
        rows.insert(draw(st.integers(1, many + 1)), draw(hollow(len(names))))
    ending, separator = draw(st.sampled_from(("\n", "\n", "\r\n"))), draw(st.sampled_from(",;\t"))
    text = ending.join(separator.join(row) for row in rows) + draw(st.sampled_from(("", ending, ending * 3)))
    at = draw(st.integers(0, len(text)))
    spoilt = (text[:at] + draw(st.sampled_from(SPOILT)) + text[at:]).encode()
    data = draw(
        st.sampled_from((spoilt, spoilt, spoilt, b"\xef\xbb\xbf" + spoilt, spoilt[:at] + b"\xff" + spoilt[at:]))
    )
    return "s.tsv" if separator == "\t" else "s.csv", data


INSIDE = (
    "a\nb",
    "a\r\nb",
    "\n\n",
    '""',
    'say ""so""',
    " ",
    "\r",
    "x\ry",
    ",",
    ";",
    "\t",
    "\n \n",
    "é\n",
    "\ufeff",
    "\n\ufeff",
)
MISQUOTED = ('"', '"', '"', '""', '" ', ' "', "\n", "\r\n", "\r", ",", '"\n"', '","', "\n\n", "\0", "")


@st.composite
def quoted_tables(draw: st.DrawFn) -> tuple[str, bytes]:
    """A table with cells in quotes, some with line ends, quotes and separators in them, spoilt in one place or not."""
    names = [*draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=2, max_size=6, unique=True))]
    names += [name for name in ("item", "relevance_score", "note") if name not in names and draw(st.booleans())]
    ending, separator = draw(st.sampled_from(("\n", "\n", "\r\n"))), draw(st.sampled_from(",;\t"))

    def cell(text: str) -> str:
        how = draw(st.sampled_from(("plain", "quoted", "quoted", "odd")))
        odd = draw(st.sampled_from(INSIDE)) if how == "odd" else ""
        return text if how == "plain" else f'"{text}{odd}"'

    rows = [[cell(name) if draw(st.booleans()) else name for name in names]]
    rows = [[name if '"' not in name or "\n" not in name else names[at] for at, name in enumerate(rows[0])]]
    rows += [[cell(draw(st.sampled_from(COLUMNS[name]))) for name in names] for _ in range(draw(st.integers(0, 25)))]
    if draw(st.integers(0, 3)) == 0:
        empty = [
            draw(st.sampled_from((one, f'"{one}"', f'"{one}\n"', f'"{separator}"'))) for one in draw(hollow(len(names)))
        ]
        rows.insert(draw(st.integers(1, len(rows))), empty)
    text = ending.join(separator.join(row) for row in rows) + draw(st.sampled_from(("", ending, ending * 3)))
    at = draw(st.integers(0, len(text)))
    spoilt = text[:at] + draw(st.sampled_from(MISQUOTED)) + text[at:] if draw(st.booleans()) else text
    data = spoilt.encode()
    return "s.tsv" if separator == "\t" else "s.csv", draw(st.sampled_from((data, data, b"\xef\xbb\xbf" + data)))


def both(path: Path, source: ScoreSource, size: int) -> tuple[Read | Diagnostic, Read | None]:
    """What the row reader makes of a file, and what comes of its columns."""
    asked = Asked(replace(source, path=path.name), known(), {"open": "opened"}, {}, "the judge")
    rows = list(files._rows(path, path.name))
    head = [row for row in rows if not isinstance(row, Diagnostic)][: files.HEAD]
    found = files.reader([row.fields for row in head], asked)
    if found is None:
        return files.read(path, asked), None
    asked = replace(asked, typed=files._typed(path, path.name))
    return found.read(rows, head, asked), columnar.read(path, found, head, asked, large=0, size=size)


def whole(read: Read | Diagnostic) -> dict[str, Any]:
    """Everything in a reading, in a form that can be compared: NaN as text."""
    assert isinstance(read, Read)
    assert read.columns is not None
    c = read.columns
    arrays = {name: getattr(c, name) for name in c.__slots__}
    return {
        **{name: (v.typecode, v.tolist()) if hasattr(v, "typecode") else v for name, v in arrays.items()},
        "value": [str(v) for v in c.value],
        "source": read.source,
        "notes": read.diagnostics,
        "order": list(c.whys),
    }


def same(path: Path, content: bytes, source: ScoreSource, size: int) -> None:
    """Where the columns can be read at all, they say what the rows say."""
    path.write_bytes(content)
    by_row, by_column = both(path, source, size)
    if by_column is not None:
        assert whole(by_column) == whole(by_row)


@settings(max_examples=some(400), deadline=None)
@given(tables(), st.sampled_from(SOURCES), st.sampled_from((1 << 20, 40, 300)))
def test_columns_and_rows_give_the_same(
    tmp_path: Path, table: tuple[str, bytes], source: ScoreSource, size: int
) -> None:
    same(tmp_path / table[0], table[1], source, size)


@settings(max_examples=some(250), deadline=None)
@given(quoted_tables(), st.sampled_from(SOURCES), st.sampled_from((1 << 20, 7, 40, 300)))
def test_columns_and_rows_give_the_same_with_cells_in_quotes(
    tmp_path: Path, table: tuple[str, bytes], source: ScoreSource, size: int
) -> None:
    same(tmp_path / table[0], table[1], source, size)


TEXTS = st.text(alphabet=st.sampled_from(list('ab1 ",;\n\r\té')), max_size=8)
ROWS = st.lists(st.tuples(TEXTS, st.sampled_from("ab"), st.sampled_from("012"), TEXTS), min_size=1, max_size=20)


@settings(max_examples=some(150), deadline=None)
@given(ROWS, st.sampled_from((1 << 20, 5, 33, 200)), st.sampled_from(("\n", "\r\n")), st.booleans())
def test_a_table_written_with_every_cell_in_quotes_is_always_read_by_column(
    tmp_path: Path, rows: list[tuple[str, ...]], size: int, ending: str, closed: bool
) -> None:
    out = io.StringIO(newline="")
    write = csv.writer(out, lineterminator=ending, quoting=csv.QUOTE_ALL)
    write.writerows([("item", "condition", "clear_score", "note"), *rows])
    path = tmp_path / "s.csv"
    path.write_bytes(out.getvalue().removesuffix("" if closed else ending).encode())
    by_row, by_column = both(path, ScoreSource("s"), size)
    assert by_column is not None
    assert whole(by_column) == whole(by_row)


PLAIN = "item,condition,criterion,score\nq1,open,relevance,2\nq2,open,relevance,-1\n"


@pytest.mark.parametrize(
    ("name", "text", "taken"),
    [
        ("s.csv", PLAIN, True),
        ("s.csv", PLAIN.replace("\n", "\r\n") + "\r\n", True),
        ("s.csv", "\ufeff" + PLAIN, True),
        ("s.csv", PLAIN.replace(",", ";"), True),
        ("s.tsv", PLAIN.replace(",", "\t"), True),
        ("s.csv", PLAIN.replace("q1", "é\u2028"), True),
        ("s.csv", PLAIN.replace("q1", '"q1"'), True),
        ("s.csv", PLAIN.replace("item", '"item"').replace("q1", '"q""1, or\n\n2"'), True),
        ("s.csv", PLAIN.replace("q1", '"q\r\n1"'), True),
        ("s.csv", PLAIN.replace("q1", '"q\n1"').replace("q2", '"q\r2"').replace("\n", "\r\n"), True),
        ("s.tsv", PLAIN.replace(",", "\t").replace("q1", '" \tq1\n \n"'), True),
        ("s.csv", PLAIN.replace("-1\n", '"-1"'), True),
        ("s.csv", PLAIN.replace("q1", 'q"1"'), False),
        ("s.csv", PLAIN.replace("q1", '"q"1'), False),
        ("s.csv", PLAIN.replace("q1", ' "q1"'), False),
        ("s.csv", PLAIN.replace("q1", '"q1'), False),
        ("s.csv", PLAIN.replace("item", '"it\nem"'), False),
        ("s.csv", PLAIN.replace("q1", '"q1",2'), False),
        ("s.csv", PLAIN.replace("q2", '\n"q2"'), False),
        ("s.csv", PLAIN.replace("q1", "q1\r"), False),
        ("s.csv", PLAIN.replace("2\n", "2\r\n"), False),
        ("s.csv", PLAIN.replace("q2", "\nq2"), False),
        ("s.csv", PLAIN.replace("q2", "\ufeffq2"), True),
        ("s.csv", PLAIN.replace("q1", "\ufeffq1"), False),
        ("s.csv", PLAIN.replace("2\n", "2,3\n"), False),
        ("s.csv", PLAIN + ",,,\n", False),
        ("s.csv", PLAIN + " Mean Score:,open,relevance,0.5\n", False),
        ("s.csv", PLAIN + "meant,open,relevance,0.5\n", True),
        ("s.csv", PLAIN + ",,,", False),
        ("s.csv", PLAIN.replace("q2", ", ,,\nq2"), False),
        ("s.csv", PLAIN.replace("q2", '"","",," \n"\nq2'), False),
        ("s.csv", PLAIN.replace("q2", '",",""",",,2\nq2'), True),
        ("s.csv", PLAIN.replace("q2", ",open,relevance,2\nq2"), True),
        ("s.csv", PLAIN.replace("q2", '"",open,relevance,2\nq2'), True),
        ("s.csv", PLAIN.replace("criterion", "item"), False),
        ("s.tsv", PLAIN.replace(",", "\t").replace("q2", ""), False),
        ("s.jsonl", '{"item": 1, "condition": "a", "criterion": "relevance", "score": 1}\n', False),
    ],
)
def test_only_plain_files_are_read_by_column(tmp_path: Path, name: str, text: str, taken: bool) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    by_row, by_column = both(path, ScoreSource("s"), 1 << 20)
    assert (by_column is not None) == taken
    assert by_column is None or whole(by_column) == whole(by_row)


@pytest.mark.parametrize("size", [1 << 20, 1_000, 64])
def test_cells_in_quotes_with_lines_in_them_stand_in_the_line_they_begin_in(tmp_path: Path, size: int) -> None:
    body = "".join(
        f'"q{n}","open","relevance","{n % 3}","a ""note""\n\nof {n % 7} lines{chr(10) * (n % 7)}"\n' for n in range(500)
    )
    path = tmp_path / "s.csv"
    path.write_text(f'"item","condition","criterion","score","note"\n{body}')
    by_row, by_column = both(path, ScoreSource("s"), size)
    assert by_column is not None
    assert whole(by_column) == whole(by_row)
    assert by_column.columns is not None
    assert by_column.columns.line[:3].tolist() == [2, 5, 9]
    assert by_column.columns.texts[1] == 'a "note"\n\nof 1 lines\n'


def test_many_different_numbers_are_parsed_as_each_of_them_would_be(tmp_path: Path) -> None:
    odd = ["1e400", "", "N/A", " 3 ", "1e-400", "nan(1)", "-inf", "+7", "٣", "true"]
    for given_odd in ([], odd):
        texts = [repr(n / 997) for n in range(2_000)] + [f"{n}e-3" for n in range(2_000)] + given_odd
        path = tmp_path / "s.csv"
        path.write_text("item,condition,criterion,score\n" + "".join(f"q{n},a,sim,{t}\n" for n, t in enumerate(texts)))
        by_row, by_column = both(path, ScoreSource("s"), 1 << 20)
        assert by_column is not None
        assert whole(by_column) == whole(by_row)


def test_notes_beyond_the_room_for_them_stay_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (intake, _batch):
        monkeypatch.setattr(module, "TEXT", 1_000)
    path = tmp_path / "s.csv"
    path.write_text("item,relevance_score,faithfulness_score,note\n" + "q,1,1,n\n" * 100)
    by_row, by_column = both(path, ScoreSource("s"), 100)
    assert by_column is not None
    assert whole(by_column) == whole(by_row)
    assert (by_column.source.texts_left, len(by_column.columns.texts) if by_column.columns else 0) == (190, 10)


def test_a_large_file_is_read_by_column_and_progress_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = "".join(f"q{n // 2},{'ab'[n % 2]},relevance,{n % 4 - 1}\n" for n in range(300_000))
    path.write_text("item,condition,criterion,score\n" + rows)
    told: list[int] = []
    found = files.read(path, Asked(ScoreSource("s.csv"), known(), {}, {}), told.append)
    assert isinstance(found, Read)
    assert (found.source.rows, found.columns and found.columns.line[-1]) == (300_000, 300_001)
    assert told[-1] == path.stat().st_size - 1  # all but the last line end

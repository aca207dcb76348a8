"""Rows of score files become cells: where they stand, what stays in the file, and how far reading is."""

from __future__ import annotations

from pathlib import Path

import pytest

from readback.scores import files
from readback.scores.files import intake
from readback.scores.files.formats import wide
from readback.scores.files.score_rows import FileScores, FileSettings, PlainRow
from readback.scores.values.criteria import load_shipped_criteria
from readback.types import Criterion, ScoreSource


def read(path: Path, content: str) -> FileScores:
    path.write_text(content)
    result = files.read_scores(path, FileSettings(ScoreSource(path.name), load_shipped_criteria(), {}, {}))
    assert isinstance(result, FileScores)
    return result


def test_cells_in_quotes_with_lines_in_them_stand_in_the_line_they_begin_in(tmp_path: Path) -> None:
    body = "".join(
        f'"q{n}","open","relevance","{n % 3}","a ""note""\n\nof {n % 7} lines{chr(10) * (n % 7)}"\n' for n in range(500)
    )
    result = read(tmp_path / "s.csv", f'"item","condition","criterion","score","note"\n{body}')
    assert result.columns is not None
    assert result.columns.line[:3].tolist() == [2, 5, 9]
    assert result.columns.texts[1] == 'a "note"\n\nof 1 lines\n'


def test_notes_beyond_the_room_for_them_stay_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "TEXT", 1_000)
    rows = "item,relevance_score,faithfulness_score,note\n" + "q,1,1,n\n" * 100
    result = read(tmp_path / "s.csv", rows)
    assert (result.source.texts_left, len(result.columns.texts) if result.columns else 0) == (190, 10)


def test_progress_of_a_large_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    rows = "".join(f"q{n // 2},{'ab'[n % 2]},relevance,{n % 4 - 1}\n" for n in range(12_000))
    path.write_text("item,condition,criterion,score\n" + rows)
    reported: list[int] = []
    result = files.read_scores(
        path, FileSettings(ScoreSource("s.csv"), load_shipped_criteria(), {}, {}), reported.append
    )
    assert isinstance(result, FileScores)
    assert (result.source.rows, result.columns and result.columns.line[-1]) == (12_000, 12_001)
    assert reported == sorted(reported)
    assert 0 < reported[-1] < path.stat().st_size


def test_a_format_of_wide_rows_states_its_name_and_its_criteria() -> None:
    tone = Criterion("tone", scale="numeric", low=1.0, high=5.0)
    rows = [PlainRow({"item": f"q{n}", "condition": "terse", "tone": n, "pages": n}, n) for n in (1, 2, 3)]
    result = wide.read(rows, rows, FileSettings(ScoreSource("g.jsonl"), {}, {}, {}), "gradebook", {"tone": tone})
    assert (result.source.what, result.source.cells, dict(result.criteria)) == ("gradebook", 3, {"tone": tone})

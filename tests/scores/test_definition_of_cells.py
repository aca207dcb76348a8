"""What the definition of a verdict says of items without a row, of replies' columns, and of truth values alone."""

import json

from readback.cli import main

GRADES = "criteria:\n  quality:\n    scale: [1, 2, 3, 4, 5]\n"


def run_scores(folder, capsys, files):
    """Return what `readback scores` prints as JSON of a folder with these files."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    main(["scores", str(folder), "--format", "json"])
    return json.loads(capsys.readouterr().out)


def count_rows(output):
    """Return n, failed, missing and not_read by criterion and condition."""
    fields = ("n", "failed", "missing", "not_read")
    return {
        (row["criterion"], *row["condition"].values()): tuple(row[field] for field in fields) for row in output["rows"]
    }


def write_grades(last):
    """Return a score file in which b's last four items are written by `last`."""
    lines = ["item,condition,criterion,score"]
    lines += [f"q{i},a,quality,{2 + i % 2}" for i in range(12)]
    lines += [f"q{i},b,quality,{grade}" for i, grade in enumerate((3, 4, 3, 4, 3, 4, 3, 5))]
    lines += [last.format(i) for i in range(8, 12) if last]
    return "\n".join(lines) + "\n"


def test_items_without_a_row_count_as_those_with_an_empty_cell(tmp_path, capsys):
    """Leaving rows out gives the same verdict as writing them empty."""
    found = []
    for name, last in (("out", ""), ("empty", "q{},b,quality,")):
        folder = tmp_path / name
        folder.mkdir()
        output = run_scores(folder, capsys, {"scores.csv": write_grades(last), "readback.yml": GRADES})
        one = output["comparisons"][0]
        found.append((one["n_shared"], one["failed"], one["verdict"]))
    assert found == [(8, 4, "incomplete")] * 2


def test_status_counts_in_a_file_of_replies(tmp_path, capsys):
    """A reply whose row failed is no score, whatever number stands in it."""
    rows = [f"q{i},{side},Score: {i % 3 + 1},{'failed' if i == 0 else 'ok'}" for i in range(6) for side in "ab"]
    output = run_scores(tmp_path, capsys, {"replies.csv": "\n".join(["item,condition,reply,status", *rows]) + "\n"})
    assert count_rows(output) == {("score", "a"): (5, 1, 0, 0), ("score", "b"): (5, 1, 0, 0)}


def test_a_key_with_and_without_its_ending_is_one_criterion(tmp_path, capsys):
    """Every reply counts once, in a family of one."""
    rows = [
        {"item": f"q{i}", "condition": side, "reply": json.dumps({("depth", "depth_score")[i % 2]: grade + (i == 0)})}
        for i in range(6)
        for side, grade in (("a", 2), ("b", 3))
    ]
    output = run_scores(tmp_path, capsys, {"replies.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    assert [row["n"] for row in output["rows"]] == [6, 6]
    assert [one["family"] for one in output["comparisons"]] == [1]


def test_two_spellings_in_one_reply_stay_two_criteria(tmp_path, capsys):
    """No number is lost where a judge gives both."""
    rows = [
        {"item": f"q{i}", "condition": side, "reply": json.dumps({"depth": 2, "depth_score": i % 3})}
        for i in range(6)
        for side in "ab"
    ]
    output = run_scores(tmp_path, capsys, {"replies.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    assert {row["criterion"] for row in output["rows"]} == {"depth", "depth_score"}


def test_an_object_without_the_key_is_not_read(tmp_path, capsys):
    """Its cell is missing, and counted among the replies that were not read."""
    replies = ['{"score": 3}'] * 5 + ['{"reason": "x"}']
    rows = [{"item": f"q{i}", "condition": side, "reply": reply} for i, reply in enumerate(replies) for side in "ab"]
    output = run_scores(tmp_path, capsys, {"replies.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    assert set(count_rows(output).values()) == {(5, 0, 1, 1)}


def test_a_column_names_the_criterion_of_a_reply(tmp_path, capsys):
    """Two replies about one item under two criteria are two cells."""
    rows = [
        f"q{i},{side},{name},Score: {i % 3 + 1}" for i in range(6) for side in "ab" for name in ("clarity", "depth")
    ]
    output = run_scores(tmp_path, capsys, {"replies.csv": "\n".join(["item,condition,criterion,reply", *rows]) + "\n"})
    assert {key: found[0] for key, found in count_rows(output).items()} == {
        (name, side): 6 for name in ("clarity", "depth") for side in "ab"
    }


def test_truth_values_alone_are_scores(tmp_path, capsys):
    """Where everything passes the mean is 1."""
    rows = [f"q{i},{side},quality,yes" for i in range(6) for side in "ab"]
    output = run_scores(tmp_path, capsys, {"scores.csv": "\n".join(["item,condition,criterion,score", *rows]) + "\n"})
    assert [(row["n"], row["failed"], row["mean"]) for row in output["rows"]] == [(6, 0, 1.0)] * 2


def test_a_stray_truth_value_does_not_lengthen_the_scale(tmp_path, capsys):
    """It failed, and the scale ends at the grades that are met."""
    rows = [f"q{i},{side},quality,{'no' if i == 5 else 2 + i % 4}" for i in range(8) for side in "ab"]
    output = run_scores(tmp_path, capsys, {"scores.csv": "\n".join(["item,condition,criterion,score", *rows]) + "\n"})
    assert [(row["n"], row["failed"]) for row in output["rows"]] == [(7, 1)] * 2
    assert output["criteria"]["quality"]["low"] == 2

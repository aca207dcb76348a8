"""Compare the scores of 200 random tables with those of a reference that knows the written definition only.

All 200 are compared if READBACK_LONG is 1, else 20.
"""

import contextlib
import csv
import io
import json
import math
import os
import random

import pytest
import reference_by_scipy as reference
import yaml

from readback import cli

TABLES = 200 if os.environ.get("READBACK_LONG") == "1" else 20
COUNTS = ("n", "failed", "missing", "not_applicable", "not_read", "in_question")
FREE = ("clarity", "depth", "helpful", "quality")
KNOWN = {
    "relevance": [-1, 0, 1, 2],
    "faithfulness": [-1, 0, 1],
    "overall": "share",
    "completeness": "share",
    "pass": [0, 1],
}
TEXTS = ("oops", "inf", "5 stars", "3,5", "unknown", "-", "1e71")
BLANKS = ("", " ", "NA", "none", "null")
MODELS = ("gpt-4o", "claude-3-opus", "llama-3-70b")


# Draw a table


def draw_table(seed):
    """Draw a table of scores by a seed."""
    draw = random.Random(seed)
    layout = draw.choice(("tidy", "tidy", "tidy", "wide", "reply", "judges"))
    names = draw.sample(FREE, 3)
    if draw.random() < 0.4:
        names = [draw.choice(list(KNOWN)), *names]
    names = names[: draw.choice((1, 1, 2, 3))] if layout != "judges" else ["score"]
    table = {"layout": layout, "criteria": names, "declared": {}, "failed": {}, "rows": []}
    table["lines"] = layout == "tidy" and draw.random() < 0.3
    sources = {name: draw_source(draw, name, layout) for name in names}
    for name in names:
        if draw.random() < 0.3:
            table["declared"][name] = draw_scale(draw, sources[name])
        if draw.random() < 0.1:
            table["failed"][name] = [draw.choice((-1, 99, 0))]
    if layout == "reply":
        prepare_replies(table, draw)
    conditions = ["plain", "long prompt", "few-shot", "other"][: draw.choice((2, 2, 3, 4))]
    judges = [""] if layout in ("wide", "judges") or draw.random() < 0.6 else list(MODELS[: draw.choice((1, 2, 3))])
    runs = [""] if len(judges) > 1 or layout in ("wide", "judges") or draw.random() < 0.8 else ["1", "2"]
    table["judges"] = list(MODELS[: draw.choice((2, 3))]) if layout == "judges" else []
    table["alike"] = draw.choice((0, 0.5, 0.9))
    table["last"] = {}
    items = [f"q{i}" for i in range(draw.choice((3, 6, 8, 12, 20, 30, 30)))]
    traits = {
        "dropped": draw.choice((0, 0, 0, 0.05, 0.2)),
        "status": draw.random() < 0.15,
        "reply": layout == "tidy" and draw.random() < 0.25,
        "finish": layout == "reply" and draw.random() < 0.3,
        "twice": draw.choice((0, 0, 0.03)),
    }
    for item in items:
        for condition in conditions:
            for judge in judges:
                for run in runs:
                    if draw.random() >= traits["dropped"]:
                        where = {"item": item, "condition": condition}
                        where |= {"judge": judge} if judge else {}
                        where |= {"run": run} if run else {}
                        add_rows(table, draw, where, sources, traits)
    return table


def prepare_replies(table, draw):
    """Name the one criterion of replies `score`; declare several so that the program asks for them."""
    if len(table["criteria"]) == 1:
        table["sole"] = table["criteria"][0]
        table["criteria"] = ["score"]
        for key in ("declared", "failed"):
            table[key] = dict(zip(["score"], table[key].values(), strict=False))
        return
    table["always_json"] = draw.random() < 0.5


def draw_source(draw, name, layout):
    """Draw how the numbers of a criterion come about."""
    kind = draw.choice(("five", "ten", "binary", "share", "hundred", "free", "words"))
    if name in KNOWN and draw.random() < 0.7:
        kind = "known"
    if layout == "reply" and kind in ("words", "free"):
        kind = "five"
    if name in KNOWN and layout == "reply":
        kind = "five"
    return {
        "kind": kind,
        "name": name,
        "shift": draw.choice((0, 0, 0.15, 0.5, 0.8, 0.95)),
        "sentinel": draw.choice((None, None, None, None, None, -1, 99, -999, 9999, -9)),
        "rate": draw.choice((0, 0.02, 0.1)),
        "text": draw.choice((0, 0, 0.02, 0.06)),
        "blank": draw.choice((0, 0, 0.03, 0.15)),
        "other": "share" if kind in ("five", "ten", "hundred") and draw.random() < 0.1 else None,
        "tied": draw.random() < 0.1,
    }


def draw_scale(draw, source):
    """Draw a declared scale for a criterion."""
    fitting = {
        "five": [1, 2, 3, 4, 5],
        "ten": {"min": 1, "max": 10},
        "binary": [0, 1],
        "words": [0, 1],
        "share": {"min": 0, "max": 1},
        "hundred": {"min": 0, "max": 100},
        "free": {"min": -5, "max": 20},
        "known": {"min": -1, "max": 2},
    }
    return draw.choice((fitting[source["kind"]], fitting[source["kind"]], {"min": 1, "max": 10}))


def draw_number(draw, source, condition):
    """Draw one number of a criterion."""
    high = draw.random() < source["shift"] and condition != "plain"
    kind = source["kind"]
    if source["other"] and condition != "plain":
        kind = source["other"]
    if source["tied"]:
        return 1
    if kind == "known":
        values = KNOWN[source["name"]]
        kind = "share" if values == "share" else kind
        if kind == "known":
            return values[-1] if high else draw.choice(values)
    if kind == "share":
        return round(draw.uniform(0.6 if high else 0, 1), draw.choice((1, 2, 4)))
    if kind == "free":
        return round(draw.gauss(8 if high else 5, 2), 3)
    low, top = {"five": (1, 5), "ten": (1, 10), "binary": (0, 1), "words": (0, 1), "hundred": (0, 100)}[kind]
    number = draw.randint((low + top + 1) // 2 if high else low, top)
    return draw.choice((("no", "false", "FAIL"), ("yes", "True", "pass"))[number]) if kind == "words" else number


def draw_cell(draw, source, condition):
    """Draw the text of one cell."""
    if source["sentinel"] is not None and draw.random() < source["rate"]:
        return source["sentinel"]
    if draw.random() < source["text"]:
        return draw.choice((*TEXTS, "nan", "NaN", "n/a", "Not Applicable", "yes", "no"))
    if draw.random() < source["blank"]:
        return draw.choice(BLANKS)
    return draw_number(draw, source, condition)


def add_rows(table, draw, where, sources, traits):
    """Add the rows of one item, condition, judge and run."""
    condition = where["condition"]
    extra = {}
    if traits["status"]:
        extra["status"] = draw.choice(("ok", "ok", "ok", "ok", "ok", "ok", "Failed", "skipped", "n/a", "done"))
    if table["layout"] == "wide":
        row = where | {name: draw_cell(draw, sources[name], condition) for name in table["criteria"]} | extra
        table["rows"].append(row)
        return
    if table["layout"] == "judges":
        cells = {judge: repeat_cell(table, draw, where, "score", sources) for judge in table["judges"]}
        table["rows"].append(where | cells | extra)
        return
    if table["layout"] == "reply":
        row = where | {"reply": draw_reply(table, draw, sources, condition)} | extra
        row |= {"finish_reason": draw.choice(("stop", "stop", "stop", "length"))} if traits["finish"] else {}
        table["rows"].append(row)
        return
    for name in table["criteria"]:
        cell = repeat_cell(table, draw, where, name, sources)
        if table["lines"]:
            cell = type_cell(draw, cell)
        row = where | {"criterion": name, "score": cell} | extra
        if traits["reply"]:
            told = draw.random() < 0.85
            row["reply"] = write_plain(draw, cell) if told else draw.choice(("", "I cannot say.", "no idea"))
            row["score"] = cell if told or draw.random() < 0.5 else draw.choice((0, -1, 3))
        table["rows"].append(row)
        if draw.random() < traits["twice"]:
            table["rows"].append(row | {"score": draw_cell(draw, sources[name], condition)})


def repeat_cell(table, draw, where, name, sources):
    """Draw a cell, or take the one of the judge before, so that judges agree."""
    key = (where["item"], where["condition"], name)
    if key not in table["last"] or draw.random() >= table["alike"]:
        table["last"][key] = draw_cell(draw, sources[name], where["condition"])
    return table["last"][key]


def type_cell(draw, cell):
    """Return a cell as JSON may have it: null, NaN, true and false."""
    if draw.random() < 0.5:
        return cell
    words = {"yes": True, "True": True, "pass": True, "no": False, "false": False, "FAIL": False, "nan": math.nan}
    return None if cell in BLANKS else words.get(cell, cell)


def write_plain(draw, number):
    """Write a number as a judge's reply in a plain form."""
    forms = (
        "{}", "{}.", "[[{}]]", "Good. [[{}]]", "<score>{}</score>", "Score: {}", "**Score:** {}", "FINAL SCORE = {}",
        "Rating: {}/100", "{}/100", "I give a score of {}", "{} out of 100", "<think>Score: 2</think>\nScore: {}",
        "Well done.\nGrade: {}\n",
    )  # fmt: skip
    return draw.choice(forms).format(number)


def draw_reply(table, draw, sources, condition):
    """Draw what a judge wrote."""
    names = table["criteria"]
    chance = draw.random()
    if chance < 0.04:
        return draw.choice(("", "  ", "I like it.", "<think>Score: 3", "{broken", "Between 3/5 and 4/5", "85%"))
    numbers = {name: draw_number(draw, sources[table.get("sole", name)], condition) for name in names}
    if len(names) == 1 and draw.random() < 0.7:
        return write_plain(draw, numbers["score"])
    if len(names) > 1 and not table["always_json"] and draw.random() < 0.4:
        return "\n".join(f"{name}: {number}" for name, number in numbers.items())
    if draw.random() < 0.06:
        numbers[names[0]] = draw.choice((None, "bad", True, str(numbers[names[0]])))
    shape = draw.choice(("whole", "fence", "inside", "python", "scores", "ending"))
    if shape == "ending":
        return json.dumps({name if name == "score" else f"{name}_score": number for name, number in numbers.items()})
    if shape == "scores":
        return json.dumps({"scores": numbers})
    if shape == "python":
        return repr(numbers)
    text = json.dumps(numbers)
    return {"whole": text, "fence": f"Here:\n```json\n{text}\n```", "inside": f"My view: {text} That is all."}[shape]


# Give it to the program


def write_csv(rows, path):
    """Write rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_folder(table, folder):
    """Write a table as a folder."""
    if table["lines"]:
        lines = "".join(json.dumps(row) + "\n" for row in table["rows"])
        (folder / "scores.jsonl").write_text(lines, encoding="utf-8")
    else:
        write_csv(table["rows"], folder / "scores.csv")
    config = {}
    for name in dict.fromkeys([*table["declared"], *table["failed"]]):
        entry = {}
        if name in table["declared"]:
            entry["scale"] = table["declared"][name]
        if name in table["failed"]:
            entry["failed"] = table["failed"][name]
        config.setdefault("criteria", {})[name] = entry
    if table["layout"] in ("wide", "judges"):
        entry = {"path": "scores.csv", "item": ["item"], "condition": ["condition"]}
        entry |= {"criteria": table["criteria"]} if table["layout"] == "wide" else {"judges": table["judges"]}
        config["scores"] = [entry]
    if config:
        (folder / "readback.yml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def run_program(folder):
    """Return what the command prints as JSON."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(SystemExit):
        cli.main(["scores", str(folder), "--format", "json"])
    return json.loads(out.getvalue())


# Compare


def name_condition(condition):
    """Return a condition's name in the program's output."""
    return " ".join(str(value) for value in condition.values())


def is_near(x, y, within):
    """Tell whether two numbers, or lists of numbers, or two None are alike."""
    if x is None or y is None:
        return x is y
    if isinstance(x, list):
        return all(is_near(one, other, within) for one, other in zip(x, y, strict=True))
    return math.isclose(x, y, rel_tol=within, abs_tol=within)


def list_differences(table, output):
    """Return one line for each number in which the program and the reference differ."""
    own = reference.work_out_table(table)
    lines = []
    rows = {
        (name_condition(row["condition"]), reference.strip_ending(row["criterion"]), row["judge"] or ""): row
        for row in output["rows"]
    }
    lines += [f"row {key} only in one" for key in sorted(rows.keys() ^ own["rows"].keys())]
    for key in rows.keys() & own["rows"].keys():
        for field in (*COUNTS, "mean"):
            if not is_near(rows[key][field], own["rows"][key][field], 1e-9):
                lines.append(f"row {key} {field}: program {rows[key][field]}, reference {own['rows'][key][field]}")
    theirs = {key_pair(one): one for one in output["comparisons"]}
    blocked = {key_pair(one) for one in output["blocked"]}
    lines += [f"pair {key} compared only in one" for key in sorted(theirs.keys() ^ own["comparisons"].keys())]
    lines += [f"pair {key} blocked by the reference alone" for key in sorted(own["blocked"] & theirs.keys())]
    lines += [f"pair {key} blocked by the program alone" for key in sorted(blocked & own["comparisons"].keys())]
    for key in theirs.keys() & own["comparisons"].keys():
        lines += compare_pair(key, theirs[key], own["comparisons"][key])
    pools = {key_pair(one)[:3]: one for one in (output["pooled"] or {}).get("comparisons", [])}
    for key in pools.keys() & own["pooled"].keys():
        for field in ("n_shared", "difference", "interval"):
            if not is_near(pools[key][field], own["pooled"][key][field], 1e-9):
                lines.append(f"pool {key} {field}: program {pools[key][field]}, ref {own['pooled'][key][field]}")
        if not is_near(pools[key]["p"], own["pooled"][key]["p"], find_tolerance(pools[key])):
            lines.append(f"pool {key} p: program {pools[key]['p']}, reference {own['pooled'][key]['p']}")
    asked = {reference.strip_ending(one["criterion"]) for one in output["questions"]}
    if asked != own["questions"]:
        lines.append(f"questions: program {sorted(asked)}, reference {sorted(own['questions'])}")
    return lines


def key_pair(one):
    """Return the key of a comparison."""
    name = reference.strip_ending(one["criterion"])
    return name_condition(one["a"]), name_condition(one["b"]), name, one["judge"] or ""


def find_tolerance(one):
    """Return how far p may be off: by draws more than where it is exact."""
    return 1e-6 if "exact" in (one["p_method"] or "exact") else 0.02


def compare_pair(key, theirs, own):
    """Return one line for each field of a comparison that differs."""
    within = find_tolerance(theirs)
    fields = {"n_shared": 0, "only_a": 0, "only_b": 0, "failed": 0, "p": within}
    fields |= {"difference": 1e-9, "mean_a": 1e-9, "mean_b": 1e-9, "interval": 1e-9}
    fields |= {"family": 0} if theirs["n_shared"] else {}
    fields["p_adjusted"] = within if within < 0.01 else 0.02 * (theirs["family"] or 1)
    lines = [
        f"pair {key} {field}: program {theirs[field]}, reference {own[field]}"
        for field, tolerance in fields.items()
        if not is_near(theirs[field], own[field], tolerance)
    ]
    near = within > 0.01 and own["n_shared"] > 0 and abs(own["p_adjusted"] - 0.05) < 0.02 * theirs["family"]
    for field in ("small", "verdict"):
        if theirs[field] != own[field] and not (near and field == "verdict"):
            lines.append(f"pair {key} {field}: program {theirs[field]}, reference {own[field]}")
    return lines


@pytest.mark.parametrize("seed", range(TABLES))
def test_program_agrees_with_the_reference(seed, tmp_path, monkeypatch):
    """Compare one random table."""
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("READBACK_STATE", str(tmp_path / "state"))
    folder = tmp_path / "study"
    folder.mkdir()
    table = draw_table(seed)
    write_folder(table, folder)
    assert list_differences(table, run_program(folder)) == []

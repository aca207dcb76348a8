"""A sample of the records: which are drawn, what it says about all of them, and an audit of one."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import LONG, part
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

import readback
from readback import cli, project_files, workspace
from readback.checks.run import engine, process
from readback.checks.sample import SEED, Sample, drawn, hit, share
from readback.checks.summary import Audit
from readback.project_files import EXAMPLES
from readback.prompts import children
from readback.sandbox import json_values
from readback.types import Workspace

Write = Callable[[Mapping[str, Any]], Path]
Output = pytest.CaptureFixture[str]
BRIEF = "You answer in one short sentence and never guess."
CODE = "fmt-system-text-in-user"
CONFIG = f"dataset: d.jsonl\nmodes: [{{mode: a, system: '{BRIEF}', template: '{{{{ q }}}}'}}]\n"


@given(st.integers(1, 5_000), st.integers(1, 400), st.integers(0, 99))
def test_of_each_part_of_equal_size_one_record_is_drawn(of: int, n: int, seed: int) -> None:
    numbers = drawn(of, n, seed)
    if of <= n:
        assert list(numbers) == list(range(of))
        return
    assert len(numbers) == n
    assert [next(part for part in range(n) if number < of * (part + 1) // n) for number in numbers] == list(range(n))
    assert numbers == drawn(of, n, seed)


def test_the_same_records_are_drawn_on_every_machine() -> None:
    assert tuple(drawn(1_000, 5)) == (8, 259, 401, 776, 988)
    assert tuple(drawn(1_000, 5, 7)) != tuple(drawn(1_000, 5))


@pytest.mark.parametrize(
    ("k", "n", "of", "said"),
    [
        (0, 300, 100_000, ("0", "1")),
        (1, 300, 100_000, ("0", "1.9")),
        (12, 300, 100_000, ("2", "7")),
        (300, 300, 100_000, ("98", "100")),
        (0, 300, 2_001, ("0", "1.1")),  # some parts have a record more, which is said less often
        (0, 5, 100_000, ("0", "46")),
        (3, 4, 5, ("60", "80")),  # what is certain: one record was not drawn
    ],
)
def test_the_bound_in_percent(k: int, n: int, of: int, said: tuple[str, str]) -> None:
    assert share(k, Sample(n, of)).percents == said


@given(st.integers(1, 400), st.integers(2, 400), st.data())
def test_the_bound_is_that_of_clopper_and_pearson_and_rounded_outwards(n: int, times: int, data: Any) -> None:
    k = data.draw(st.integers(0, n))
    found = share(k, Sample(n, n * times))  # all parts have one size
    test = reference.binomtest(k, n, alternative="two-sided" if k else "less")
    exact = test.proportion_ci(0.95, "exact")
    assert found.low == pytest.approx(max(exact.low, k / n / times), abs=1e-9)
    assert found.high == pytest.approx(min(exact.high, 1 - (n - k) / n / times), abs=1e-9)
    low, high = found.percents
    assert float(low) <= 100 * found.low * (1 + 1e-12)
    assert float(high) >= 100 * found.high * (1 - 1e-12)


@pytest.mark.parametrize("of", [40, 47, 59, 400])
@pytest.mark.parametrize("where", ["at the start", "anywhere", "in the larger parts"])
def test_the_share_of_all_records_is_within_the_bound_in_95_of_100_samples(of: int, where: str) -> None:
    n = 20
    larger = [of * part // n for part in range(n) if of * (part + 1) // n - of * part // n > of // n] or range(0, of, 3)
    for faulty in (1, 3, of // 10, of // 4):
        order = {
            "at the start": list(range(of)),
            "anywhere": random.Random(1).sample(range(of), of),
            "in the larger parts": [*larger, *sorted(set(range(of)) - set(larger))],
        }[where]
        bad = set(order[:faulty])
        spans = [share(k, Sample(n, of)) for k in range(n + 1)]
        hits = [sum(number in bad for number in drawn(of, n, seed)) for seed in range(600)]
        covered = sum(spans[k].low <= faulty / of <= spans[k].high for k in hits)
        assert covered >= 0.935 * len(hits), (where, faulty)  # 0.95 less the error of 600 tries


def rows(count: int, faulty: Callable[[int], bool]) -> list[dict[str, str]]:
    return [{"id": f"r{n}", "q": f"{BRIEF if faulty(n) else ''} Why {n}?"} for n in range(count)]


def opened(write: Write, faulty: Callable[[int], bool], count: int = 900, config: str = CONFIG) -> Workspace:
    return workspace.open(write({"readback.yml": config, "d.jsonl": rows(count, faulty)}))


def found(audit: Audit) -> set[int | None]:
    return {one.place.index for one in audit.findings if one.code == CODE}


@pytest.mark.parametrize("faulty", [lambda n: True, lambda n: False, lambda n: n % 3 == 0], ids=["all", "none", "3rd"])
def test_a_sample_counts_what_it_looked_at_and_its_keys_are_those_of_the_whole(
    write: Write, faulty: Callable[[int], bool]
) -> None:
    of = opened(write, faulty)
    made, whole = engine.check(of, engine.CheckOptions(sample=60)), engine.check(of)
    numbers = drawn(900, 60)
    wanted = {number for number in numbers if faulty(number)}
    assert found(made) == wanted
    assert made.records_by_code.get(CODE, 0) == made.counts.get(CODE, 0) == len(wanted)
    assert made.sample == Sample(60, 900, SEED)
    assert whole.sample is None
    assert {one.key for one in made.findings} <= {one.key for one in whole.findings}
    assert tuple(one for one in whole.findings if one.place.index in numbers) == made.findings
    assert made.records == whole.records
    assert [(row.name, row.errors) for row in made.conditions] == [("a", made.counts.get(CODE, 0))]


@pytest.mark.parametrize("name", part(sorted(project_files.demos(), reverse=True), 3))
def test_a_sample_of_a_demo_has_the_findings_of_its_records_and_no_others(name: str) -> None:
    of = workspace.open(EXAMPLES / name)
    whole = {one.key: one for one in engine.check(of).findings}
    for seed in (1, 2) if LONG else (1,):
        made = engine.check(of, engine.CheckOptions(sample=5, seed=seed))
        assert made.sample is not None
        numbers = {*drawn(made.sample.total, 5, seed)}
        mine = {key for key, one in whole.items() if one.place.index in numbers and one.code not in made.sample.repeats}
        assert mine <= {one.key for one in made.findings} <= whole.keys()


def test_no_more_records_than_are_drawn_are_a_whole_audit(write: Write) -> None:
    of = opened(write, lambda n: n == 1, 9)
    assert engine.check(of, engine.CheckOptions(sample=9)) == engine.check(of)


def test_another_seed_draws_others(write: Write) -> None:
    of = opened(write, lambda n: True)
    assert (
        found(engine.check(of, engine.CheckOptions(sample=20, seed=5))) == set(drawn(900, 20, 5)) != set(drawn(900, 20))
    )


def test_it_is_the_same_sample_however_many_children_work(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    of = opened(write, lambda n: n % 2 == 0)
    alone = engine.check(of, engine.CheckOptions(sample=90, jobs=1))
    monkeypatch.setattr(children, "MAX_RECORDS", 7)
    assert engine.check(of, engine.CheckOptions(sample=90, jobs=3)) == alone


def test_a_page_gets_the_same_from_the_process_of_the_audit(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    of = opened(write, lambda n: n % 2 == 0)
    here = engine.check(of, engine.CheckOptions(sample=30))
    assert process.check(of, sample=30) == here
    assert (
        json_values.build_converter(Audit)(json.loads(json.dumps(json_values.to_json_values(here)))).sample
        == here.sample
    )


def test_what_cannot_be_read_is_known_of_the_whole_file(write: Write) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows(500, lambda n: False))
    of = workspace.open(write({"readback.yml": CONFIG, "d.jsonl": text + "torn\n"}))
    audit = engine.check(of, engine.CheckOptions(sample=10))
    assert (audit.records.read, audit.records.bad) == (500, 1)
    assert audit.counts["dat-bad-line"] == 1


def test_what_is_true_of_all_records_is_told_with_its_key_and_gives_no_share(write: Write) -> None:
    config = "dataset: d.jsonl\nprompts: [c.yml]\n"
    files = {
        "readback.yml": config,
        "c.yml": "prompts: [{mode: simple, template: s.jinja}]\n",
        "s.jinja": "{{ query }} {{ topic }}",
        "d.jsonl": [{"id": f"r{n}", "query": "Why?"} for n in range(300)],
    }
    of = workspace.open(write(files))
    made, whole = engine.check(of, engine.CheckOptions(sample=20)), engine.check(of)
    code = "alb-variable-no-data"
    assert [one.key for one in made.findings if one.code == code] == [
        one.key for one in whole.findings if one.code == code
    ]
    assert made.sample is not None
    assert made.records_by_code[code] == 1
    assert hit(made.sample, code, made.records_by_code[code]) == (0, 20)
    assert [one.values["records"] for one in made.findings if one.code == code] == [300]


def test_what_was_noticed_in_all_records_is_counted_in_all(write: Write, capsys: Output) -> None:
    text = "".join(json.dumps({"id": f"r{n // 2}", "q": "Why?"}) + "\n" for n in range(300))
    folder = write({"readback.yml": CONFIG, "d.jsonl": text})
    made = engine.check(workspace.open(folder), engine.CheckOptions(sample=20))
    assert made.records_by_code == {"dat-duplicate-id": 150}
    assert made.sample is not None
    assert hit(made.sample, "dat-duplicate-id", 150) == (150, 300)
    assert "150 dat-duplicate-id in 150 of 300 records\n" in answer(capsys, "check", folder, "--sample", 20)[1]


def test_what_repeats_and_other_training_files_are_left_out_by_name(write: Write) -> None:
    row = {"prompt": "Why?", "completion": "So."}
    every = [{**row, "id": str(n)} for n in range(200)]
    of = workspace.open(
        write({"train.jsonl": every, "validation.jsonl": [*every[:5], {"prompt": "", "completion": ""}]})
    )
    made, whole = engine.check(of, engine.CheckOptions(sample=20)), engine.check(of)
    assert whole.counts["trn-duplicate-row"] > 150
    assert "trn-duplicate-row" not in made.counts
    assert made.sample is not None
    assert {"trn-duplicate-row", "validation.jsonl"} <= set(made.sample.left_out)
    assert [one.counts for one in made.training] == [one.counts for one in whole.training]


@pytest.mark.usefixtures("hurried")
def test_a_record_that_kills_its_child_is_found_in_the_sample(write: Write) -> None:
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    number = drawn(400, 40)[17]
    config = json.dumps(
        {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": f"{{% if bad %}}{loop}{{% endif %}}Q"}]}
    )
    every: list[dict[str, Any]] = [{"id": f"r{n}", "bad": n == number} for n in range(400)]
    audit = engine.check(
        workspace.open(write({"readback.yml": config, "d.jsonl": every})), engine.CheckOptions(sample=40)
    )
    assert [one.place.index for one in audit.findings if one.code == "dat-limit"] == [number]
    assert audit.lengths
    assert {ends.records for ends in audit.lengths.values()} == {39}


def test_a_sample_that_is_stopped_is_called_stopped_and_no_sample(write: Write) -> None:
    audit = engine.check(
        opened(write, lambda n: True), engine.CheckOptions(sample=60, progress=lambda done, total: done < 5)
    )
    assert audit.stopped
    assert audit.sample is None


# The command line and the package.


def answer(output: Output, *words: Any) -> tuple[int, str, str]:
    code = cli.main([str(word) for word in words])
    said = output.readouterr()
    return code, said.out, said.err


@pytest.fixture
def thirds(write: Write) -> Path:
    """900 records, each third of which is faulty."""
    return opened(write, lambda n: n % 3 == 0).root


def test_the_command_says_that_it_is_a_sample_and_what_that_means(thirds: Path, capsys: Output) -> None:
    code, text, _ = answer(capsys, "check", thirds, "--sample", 60)
    k = sum(number % 3 == 0 for number in drawn(900, 60))
    low, high = share(k, Sample(60, 900)).percents
    assert code == 1
    drawn_of = "60 of 900 records were checked, one drawn from each of 60 equal parts of the file (seed 20260101)."
    assert f"  This is a sample: {drawn_of}\n" in text
    assert "  A fault found in 0 of 60 sampled records is in at most 5 % of all records (95 % confidence)." in text
    assert f"{k} {CODE} in {k} of 60 records of the sample ({low} to {high} % of all, 95 %)\n" in text
    assert "longest in the sample" in text


def test_the_json_says_so_and_without_the_option_all_is_looked_at(thirds: Path, capsys: Output) -> None:
    part, whole = (
        json.loads(answer(capsys, "check", thirds, *words, "--format", "json")[1])
        for words in (("--sample", 60, "--seed", 9), ())
    )
    assert part["sample"] == {"drawn": 60, "of": 900, "seed": 9, "left_out": [], "full": []}
    assert whole["sample"] is None
    assert (whole["counts"][CODE], set(part)) == (300, set(whole))
    assert {one["place"]["index"] for one in part["findings"]} == {n for n in drawn(900, 60, 9) if n % 3 == 0}


def test_the_exit_code_is_that_of_the_sample(write: Write, capsys: Output) -> None:
    last = 899
    assert last not in drawn(900, 60)
    folder = opened(write, lambda n: n == last).root
    assert answer(capsys, "check", folder, "--sample", 60)[0] == 0
    assert answer(capsys, "check", folder)[0] == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--sample", 0), "--sample 0: give 1 or more"),
        (("--seed", 4), "--seed needs --sample"),
    ],
)
def test_wrong_use_is_said(words: tuple[Any, ...], why: str, thirds: Path, capsys: Output) -> None:
    code, _, said = answer(capsys, "check", thirds, *words)
    assert (code, why in said) == (2, True)


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_sample_is_a_baseline_for_samples_only(form: str, thirds: Path, tmp_path: Path, capsys: Output) -> None:
    before = tmp_path / "before"
    before.write_text(answer(capsys, "check", thirds, "--sample", 60, "--format", form)[1], "utf-8")
    assert answer(capsys, "check", thirds, "--sample", 60, "--baseline", before)[0] == 0
    code, _, said = answer(capsys, "check", thirds, "--baseline", before)
    assert (code, "it has the findings of a sample" in said) == (2, True)


def test_the_text_of_a_sample_is_known_as_earlier_versions_wrote_it(
    thirds: Path, tmp_path: Path, capsys: Output
) -> None:
    before = tmp_path / "before"
    before.write_text("  a sample: 60 of 900 records looked at, by seed 20260101\n0 findings: 0 error\n", "utf-8")
    code, _, said = answer(capsys, "check", thirds, "--baseline", before)
    assert (code, "it has the findings of a sample" in said) == (2, True)


def test_the_findings_of_a_sample_are_the_new_ones_where_the_whole_is_known(
    thirds: Path, tmp_path: Path, capsys: Output
) -> None:
    before = tmp_path / "before"
    before.write_text(answer(capsys, "check", thirds, "--format", "jsonl")[1], "utf-8")
    code, text, _ = answer(capsys, "check", thirds, "--sample", 60, "--baseline", before, "--format", "json")
    assert (code, json.loads(text)["findings"]) == (0, [])


def test_the_package_samples_too(thirds: Path) -> None:
    study = readback.open(thirds)
    found = study.findings(sample=60)
    assert len(found) == sum(number % 3 == 0 for number in drawn(900, 60))
    assert "a sample of 60 of 900 records; what is in 0 of 60 is in at most 5 % of all (95 %)" in repr(found)
    assert study.audit(sample=60, seed=3).sample == Sample(60, 900, 3)
    with pytest.raises(ValueError, match="at least one record"):
        study.audit(sample=0)

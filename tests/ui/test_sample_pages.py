"""A large dataset on the pages: a sample at once, called one wherever it counts, and the whole when it is asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from looking import clicked, links, page, said, turned, words

from readback.checks.run import engine, process
from readback.checks.sample import Sample, share
from readback.checks.sample import drawn as numbers
from readback.types import Workspace
from readback.ui.findings import taking

BRIEF = "You answer in one short sentence and never guess."
COUNT = 1_101  # records under two conditions
CODE = "fmt-system-text-in-user"
SAMPLE = Sample(300, COUNT)
MOST = share(0, SAMPLE).percents[1]


def study(faulty: Any = lambda n: n % 5 == 0, **more: Any) -> dict[str, Any]:
    """Two conditions over more records than are checked unasked."""
    rows = [{"id": f"r{n}", "q": f"{BRIEF if faulty(n) else ''} Why {n}?"} for n in range(COUNT)]
    modes = [
        {"mode": "m", "system": BRIEF, "template": "{{ q }}"},
        {"mode": "p", "system": BRIEF, "template": "Q: {{ q }}"},
    ]
    conditions = [{"name": "right", "mode": "p"}, {"name": "wrong", "mode": "m"}]
    config = {"name": "Large", "dataset": "data.jsonl", "modes": modes, "conditions": conditions, **more}
    return {"data.jsonl": rows, "readback.yml": config}


def hits(faulty: Any = lambda n: n % 5 == 0) -> str:
    """What is said of the records with the fault."""
    k = sum(map(bool, map(faulty, numbers(COUNT))))
    low, high = share(k, SAMPLE).percents
    return f"{k} of 300 records of the sample ({low} to {high} % of all, 95 %)"


def test_overview_shows_a_sample_at_once_and_says_so_everywhere_it_counts(serving: Any) -> None:
    serving(study(comparisons=[{"a": "right", "b": "wrong"}]))
    test = page()
    text = words(test)
    assert "This is a sample: 300 of 1,101 records were checked, one drawn from each of 300 equal parts" in text
    assert f"A fault found in 0 of 300 sampled records is in at most {MOST} % of all records (95 % confidence)." in text
    assert f"The user message contains system text {hits()}" in text
    assert (
        "In the sample the planned comparison is fair. Both sides of it have the same fault: The user message contains"
        in text
    )
    assert all(title in text for title in ("Errors (sample)", "Longest prompt, in characters (sample)"))
    assert "data.jsonl: 1,101 records read" in text
    assert test.button(key="check_all").label == "Check all 1,101 records"
    assert "1,101 records, each sent in 2 ways, make 2,202 prompts" in test.main.caption[0].value.replace("\\", "")


def test_after_the_click_it_is_the_whole_and_no_sample(serving: Any) -> None:
    serving(study())
    test = clicked(page(), "check_all")
    text = words(test)
    assert "1 kind of error in 442 places " in text
    assert "sample" not in text
    assert "2 conditions, 221 records" in text  # the hint of the first kind of finding
    assert "check_all" not in [button.key for button in test.button]


def test_what_somebody_had_checked_whole_is_shown_to_everybody(serving: Any) -> None:
    serving(study())
    assert "This is a sample" in words(page())
    clicked(page(), "check_all")
    assert "442 places" in words(page())
    assert "221 of 1,101 records" in words(page("findings"))


def test_nothing_in_the_sample_is_said_with_its_bound(serving: Any) -> None:
    serving(study(lambda n: False, comparisons=[{"a": "right", "b": "wrong"}]))
    text = words(page())
    assert f"No errors were found in the sample, so at most {MOST} % of all records have one (95 %)" in text
    assert "In the sample the planned comparison is fair." in text
    assert "“wrong” versus “right” ✓ fair Only the prompt differs." in text
    assert "No problems to review in the sample." in text
    text = words(page("findings"))
    assert f"No findings in the sample of 300 records, so at most {MOST} % of all records have one" in text
    assert "This is a sample" in text


def test_findings_shows_the_sample_with_its_shares_and_links_that_work(serving: Any) -> None:
    serving(study())
    test = page("findings", code=CODE, arm="wrong")
    text = words(test)
    assert "This is a sample: 300 of 1,101 records" in text
    assert f"{hits()} · " in text
    assert test.main.subheader[0].value.endswith("in the sample")
    (first, *_) = [one for one in links(test, "prompts") if "finding" in one]
    messages = turned(page("findings"), "prompts", **first)
    assert f'id="f-{first["finding"]}"' in said(messages)
    assert "of the sample" not in words(messages)


def test_lines_that_cannot_be_read_are_known_of_the_whole_file(serving: Any) -> None:
    files = study(lambda n: False)
    lines = "".join(json.dumps(row) + "\n" for row in files["data.jsonl"])
    serving(files | {"data.jsonl": lines + "torn\n"})
    assert "dat-bad-line" in words(page("findings"))
    assert "1 kind of error in 1 place in the sample and the files " in words(page())


def test_ids_that_repeat_are_counted_in_all_records(serving: Any) -> None:
    rows = [{"id": f"r{n // 2}", "q": "Why?"} for n in range(COUNT)]
    serving(study() | {"data.jsonl": rows})
    test = page("findings")
    assert "550 of 1,101 records · dat-duplicate-id" in words(test)
    assert test.main.subheader[0].value == "Places 1 to 10 of 550"
    assert "Two records have the same id 550 of 1,101 records" in words(page())


def test_what_is_ignored_is_counted_in_the_records_that_were_looked_at(serving: Any) -> None:
    rows = [{"id": f"r{n // 2}", "q": f"{BRIEF} Why {n}?"} for n in range(COUNT)]
    ignore = [{"code": code, "why": "meant", "by": "me", "date": "2026-01-31"} for code in ("dat-duplicate-id", CODE)]
    serving(study(ignore=ignore) | {"data.jsonl": rows})
    assert "550 of 1,101 records · dat-duplicate-id" in words(page("findings", ignored="1", code="dat-duplicate-id"))
    assert f"{hits(lambda n: True)} · " in words(page("findings", ignored="1", code=CODE))


def test_a_sample_does_not_say_that_ignoring_lines_are_needless(serving: Any) -> None:
    ignore = [{"code": "dat-mojibake", "why": "meant", "by": "me", "date": "2026-01-31"}]
    serving(study(ignore=ignore))
    test = page("findings")
    assert "dat-mojibake, 0 times: meant" in words(test)
    assert "ignore nothing" not in words(test)
    assert "These lines match no finding" in words(clicked(test, "check_all"))


def test_variables_and_fields_are_those_of_the_sample(serving: Any) -> None:
    rows = [{"id": f"r{n}", "q": "Why?", "note": "x"} for n in range(COUNT)]
    serving(study() | {"data.jsonl": rows})
    test = page("prompts", view="records")
    assert "Variables in 300 records of the sample" in [header.value for header in test.main.header]
    assert "In the sample 1 field of the records is read by no template: note" in words(test)


def test_logged_requests_outside_of_the_sample_are_not_called_absent(serving: Any) -> None:
    drawn_ones = numbers(COUNT)
    out, inside = (next(n for n in range(1, COUNT) if (n in drawn_ones) is there) for there in (False, True))
    system = {"role": "system", "content": BRIEF}
    sent = {"condition": "right", "messages": [system, {"role": "user", "content": f"Q:  Why {out}?"}]}
    files = study(lambda n: False, sent=["log.jsonl"])
    serving(files | {"log.jsonl": [{"record": f"r{out}", **sent}]})
    assert "Requests were logged, but none of them is about a record of the sample." in words(page())
    sent["messages"][1]["content"] = f"Q:  Why {inside}?"  # type: ignore[index]
    serving(files | {"log.jsonl": [{"record": f"r{inside}", **sent}]})
    assert "1 of 1 logged request about records of the sample is equal" in words(page())


def test_scores_beside_findings_wait_for_the_whole(serving: Any) -> None:
    scores = "id,condition,relevance\n" + "".join(
        f"r{n},{name},{n % 3}\n" for n in range(60) for name in ("right", "wrong")
    )
    serving(study(scores=["scores.csv"]) | {"scores.csv": scores})
    test = page("results", view="costs")
    assert "not all of its records have been checked yet" in words(test)


def test_a_check_that_was_stopped_is_for_whoever_stopped_it(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopping(opened: Workspace, progress: Any = None, sample: int | None = None) -> Any:
        return engine.check(
            opened, engine.CheckOptions(sample=sample, progress=None if sample else lambda done, total: done < 9)
        )

    monkeypatch.setattr(process, "check", stopping)
    serving(study())
    mine = clicked(page(), "check_all")
    assert "The check was stopped early" in words(mine)
    assert "This is a sample" in words(page())
    monkeypatch.undo()


def test_a_sample_that_was_stopped_begins_again(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(
            process,
            "check",
            lambda opened, progress, n: engine.check(opened, engine.CheckOptions(sample=n, progress=lambda *_: False)),
        )
        serving(study())
        test = page()
        assert "The check was stopped early" in words(test)
        assert "This is a sample" not in words(test)
    assert "This is a sample" in words(clicked(test, "check_again"))


def test_no_more_records_than_a_sample_has_are_all_checked(serving: Any) -> None:
    modes = [{"mode": f"m{n}", "template": f"{n} {{{{ q }}}}"} for n in range(8)]
    serving({"data.jsonl": [{"id": str(n), "q": "Why?"} for n in range(260)],
             "readback.yml": {"dataset": "data.jsonl", "modes": modes}})  # fmt: skip
    assert "sample" not in words(page())


def test_the_download_says_that_it_is_of_a_sample() -> None:
    assert taking.text((), SAMPLE).startswith("This is a sample: 300 of 1,101 records were checked")
    assert taking.text(()) == ""


def test_what_a_sample_leaves_out_is_named(serving: Any) -> None:
    rows = [{"prompt": f"Why {n}?", "completion": "So."} for n in range(2_001)]
    serving({"train.jsonl": rows, "validation.jsonl": rows[:3]})
    text = words(page())
    assert "Rules about repetition across records need every record, so they were not run: trn-duplicate-prompt" in text
    assert "Not checked: the rows of the training file validation.jsonl." in text

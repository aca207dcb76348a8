"""The audit: findings in order, counts that add up, and nothing that stops the rest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from counts import part
from hypothesis import given
from hypothesis import strategies as st
from told import told_of_each

from readback import cli, project_files, sandbox, workspace
from readback.checks import rules, summary
from readback.checks.run import chunk, engine
from readback.checks.store import stored_check
from readback.checks.summary import Audit, Progress
from readback.prompts import children
from readback.readers.files.checksum import Hashes
from readback.records.dataset import Counts
from readback.types import Finding, Location, Selection, Workspace

Write = Callable[[Mapping[str, Any]], Path]
TWO = "modes: [{mode: short, system: 'Be brief.', template: '{{ q }}'}, {mode: long, template: 'Q: {{ q }}'}]\n"
MODES = f"{TWO}dataset: data.jsonl\n"
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


def test_findings_come_first_then_progress_and_last_the_summary(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": MODES, "data.jsonl": [{"id": "1", "q": "Be brief. Why?"}]}))
    steps = list(engine.stream(opened))
    assert isinstance(steps[-1], Audit)
    assert [Progress(1, 1)] == [step for step in steps if isinstance(step, Progress)]
    streamed = tuple(step for step in steps if isinstance(step, Finding))
    assert streamed == steps[-1].findings
    assert streamed == engine.check(opened).findings


def test_counts_are_of_findings_and_of_distinct_records(write: Write) -> None:
    rows = [{"id": str(n), "q": "Be brief. Why?" if n % 2 else "Why?"} for n in range(6)]
    audit = engine.check(workspace.open(write({"readback.yml": MODES, "data.jsonl": rows})))
    assert audit.counts["fmt-system-text-in-user"] == 6
    assert audit.records_by_code["fmt-system-text-in-user"] == 3
    assert [(row.name, row.errors, row.warnings) for row in audit.conditions] == [
        ("short", 3, 0),  # its own system text, which is sent with it
        ("long", 0, 3),  # that of another mode
    ]
    assert sum(audit.counts.values()) == len(audit.findings) == sum(audit.severities.values())
    assert (audit.records.read, audit.records.bad, audit.truncated) == (6, 0, False)


def test_a_row_says_what_its_system_message_is_and_how_long_the_longest_prompt_gets(write: Write) -> None:
    rows = [{"id": "1", "q": "Why?"}, {"id": "2", "q": "Why ever not?"}]
    audit = engine.check(workspace.open(write({"readback.yml": MODES, "data.jsonl": rows})))
    short, long = audit.conditions
    assert (short.longest, long.longest) == (len("Be brief.Why ever not?"), len("Q: Why ever not?"))
    assert short.system == "configuration readback.yml:1"
    assert short.system_sha is not None
    assert (long.system, long.system_sha) == (None, None)


def test_a_workspace_without_a_dataset_is_audited_once_with_its_defaults(write: Write) -> None:
    audit = engine.check(workspace.open(write({"readback.yml": TWO})))
    assert {finding.place.record for finding in audit.findings} <= {None}
    assert len(audit.conditions) == 2


def test_what_is_ignored_is_counted_apart_by_code_and_place(write: Write) -> None:
    ignore = "ignore: [{code: fmt-system-text-in-user, why: ours, where: {record: '1', mode: short}}]\n"
    rows = [{"id": "1", "q": "Be brief."}, {"id": "2", "q": "Be brief."}]
    audit = engine.check(workspace.open(write({"readback.yml": MODES + ignore, "data.jsonl": rows})))
    assert audit.counts["fmt-system-text-in-user"] == 3
    assert [(one.why, count) for one, count in audit.ignored] == [("ours", 1)]
    assert [(one.place.record, one.place.mode) for one in audit.ignored_findings] == [("1", "short")]


def test_known_findings_of_a_baseline_are_only_counted(write: Write) -> None:
    rows = [{"id": "1", "q": "Be brief."}, {"id": "2", "q": "Be brief."}]
    opened = workspace.open(write({"readback.yml": MODES, "data.jsonl": rows}))
    first = engine.check(opened).findings
    old = {finding.key for finding in first if finding.place.record == "1"}
    audit = engine.check(opened, engine.CheckOptions(baseline=old))
    assert {"2"} == {finding.place.record for finding in audit.findings if finding.place.record}
    assert len(first) == len(audit.findings) + audit.in_baseline


def test_select_and_ignore_take_codes_and_areas(write: Write) -> None:
    opened = workspace.open(write({"readback.yml": MODES + "nmae: x\n", "data.jsonl": [{"id": "1", "q": "Be brief."}]}))
    assert {"fmt-system-text-in-user"} == {
        one.code for one in engine.check(opened, engine.CheckOptions(select=["fmt"])).findings
    }
    assert {"dat-unknown-key"} == {
        one.code for one in engine.check(opened, engine.CheckOptions(ignore=["fmt"])).findings
    }
    assert engine.check(opened, engine.CheckOptions(select=["fmt"], ignore=["fmt-system-text-in-user"])).findings == ()


@pytest.mark.parametrize(
    ("select", "ignore", "told"),
    part(
        [
            ((), (), True),
            (("dat-duplicate-id",), (), True),
            (("fmt",), (), False),
            (("dat-duplicate-id",), ("dat-many-faults",), False),
            ((), ("dat-duplicate-id",), False),
            (("dat",), (), True),
            (("dat-many-faults",), (), True),
            ((), ("dat-many-faults",), False),
        ],
        5,
    ),
)
def test_that_not_all_are_listed_is_told_with_what_is_listed(
    write: Write, select: tuple[str, ...], ignore: tuple[str, ...], told: bool
) -> None:
    opened = workspace.open(write({"readback.yml": MODES, "data.jsonl": '{"id": "1", "q": "x"}\n' * 1_002}))
    found = [one.code for one in engine.check(opened, engine.CheckOptions(select=select, ignore=ignore)).findings]
    assert ("dat-many-faults" in found) is told
    assert "dat-many-faults" not in found[:-1]


def test_a_summary_holds_the_first_findings_and_says_that_there_are_more(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary, "KEPT", 3)
    rows = [{"id": str(n), "q": "Be brief."} for n in range(4)]
    audit = engine.check(workspace.open(write({"readback.yml": MODES, "data.jsonl": rows})))
    assert (len(audit.findings), audit.truncated, audit.counts["fmt-system-text-in-user"]) == (3, True, 8)


def test_one_rule_with_a_finding_in_every_record_does_not_hide_the_others(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary, "KEPT", 10)
    monkeypatch.setattr(summary, "EACH", 4)
    rows = [{"id": str(n), "q": "Be brief." if n < 20 else "Why?", "x": 1 if n < 20 else 1e999} for n in range(26)]
    text = "".join(json.dumps(row).replace("Infinity", "NaN") + "\n" for row in rows)
    audit = engine.check(workspace.open(write({"readback.yml": MODES, "data.jsonl": text})))
    kept = Counter(one.code for one in audit.findings)
    assert len(audit.findings) == 10
    assert audit.truncated
    assert all(kept[code] >= min(n, 4) for code, n in audit.counts.items())
    assert audit.counts["fmt-system-text-in-user"] == 40
    streamed = [one for one in engine.stream(workspace.open(write({}))) if isinstance(one, Finding)]
    order = [streamed.index(one) for one in audit.findings]
    assert order == sorted(order)


def finding(code: str, number: int) -> Finding:
    return Finding(code, "error", {}, code, "", Location(index=number), f"{code}{number}")


@given(st.lists(st.sampled_from("abcdefg"), max_size=120))
def test_the_tally_keeps_a_share_for_each_rule_and_never_too_many(codes: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "KEPT", 20)
        patch.setattr(summary, "EACH", 3)
        tally = summary.Tally(workspace_of_nothing(), ())
        for number, code in enumerate(codes):
            tally.take([finding(code, number)])
        audit = tally.audit(Counts())
    kept = Counter(one.code for one in audit.findings)
    assert len(audit.findings) == min(len(codes), 20)
    share = min(3, 20 // max(1, len(set(codes))))
    assert all(kept[code] >= min(codes.count(code), share) for code in set(codes))
    assert audit.truncated == (len(codes) > 20)
    numbers = [one.place.index for one in audit.findings]
    assert numbers == sorted(numbers, key=lambda n: n or 0)


def workspace_of_nothing() -> Workspace:
    return Workspace(Path(), "")


def test_chunks_in_any_order_give_the_same_records_as_one(write: Write) -> None:
    rows = [{"id": str(n), "q": "Be brief." if n % 3 else "Why?"} for n in range(9)]
    opened = workspace.open(write({"readback.yml": MODES, "data.jsonl": rows}))
    choices = [Selection(mode="short"), Selection(mode="long")]

    def frames(start: int, stop: int) -> list[Any]:
        return list(told_of_each(chunk.payload(opened, choices, start, stop)))

    parts = {start: frames(start, start + 3) for start in (6, 0, 3)}
    assert frames(0, 9) == [frame for start in sorted(parts) for frame in parts[start]]


@pytest.mark.usefixtures("hurried")
def test_a_chat_template_that_never_ends_costs_one_finding_and_the_other_models_are_audited(write: Write) -> None:
    models = {name: {"serving": {"chat_template": f"{name}.jinja"}} for name in ("hangs", "raises")}
    config = {
        "dataset": "data.jsonl",
        "models": models,
        "modes": [{"mode": "m", "template": "{{ q }}"}],
        "conditions": [{"name": name, "mode": "m", "model": name} for name in models],
    }
    files = {"readback.yml": json.dumps(config), "hangs.jinja": LOOP, "raises.jinja": "{{ raise_exception('no') }}"}
    opened = workspace.open(write({**files, "data.jsonl": [{"id": str(n), "q": "Why?"} for n in range(3)]}))
    audit = engine.check(opened)
    found = [(one.code, one.place.file, one.place.condition) for one in audit.findings if one.severity == "error"]
    assert Counter(found) == {
        ("dat-limit", "hangs.jinja", None): 1,
        ("srv-template-error", "raises.jinja", "raises"): 3,
    }
    assert [row.longest for row in audit.conditions] == [4, 4]


@pytest.mark.usefixtures("hurried")
def test_a_template_that_never_ends_costs_one_finding_and_the_other_modes_are_audited(write: Write) -> None:
    config = {
        "dataset": "data.jsonl",
        "modes": [
            {"mode": "bad", "template": LOOP},
            {"mode": "good", "template": "Be brief. {{ q }}", "system": "Be brief."},
        ],
    }
    rows = [{"id": str(n), "q": "Why?"} for n in range(40)]
    audit = engine.check(workspace.open(write({"readback.yml": json.dumps(config), "data.jsonl": rows})))
    assert [(f.place.mode, f.place.record) for f in audit.findings if f.code == "dat-limit"] == [("bad", "0")]
    assert [(one.name, one.count, one.total) for one in audit.unlooked] == [("bad", 40, 40)]
    assert audit.counts["fmt-system-text-in-user"] == 40


def test_what_every_chunk_needs_is_loaded_once_and_not_in_each_child(write: Write) -> None:
    engine.check(workspace.open(write({"readback.yml": "dataset: d.jsonl\n", "d.jsonl": [{"id": "1"}]})))
    for name in ("readback.checks.rules.fmt_markers", "readback.readers.tsv"):
        assert sandbox.call("readback.sandbox.self_test:is_loaded", name) is True
    assert sandbox.call("readback.sandbox.self_test:is_loaded", "readback.cli") is False


@pytest.mark.usefixtures("hurried")
def test_a_record_that_kills_its_child_gets_a_finding_and_the_rest_is_audited(write: Write) -> None:
    config = {
        "dataset": "data.jsonl",
        "modes": [
            {"mode": "loops", "template": "{% if evil %}" + LOOP + "{% endif %}{{ q }}"},
            {"mode": "good", "system": "Be brief.", "template": "{{ q }}"},
        ],
    }
    rows: list[dict[str, Any]] = [{"id": str(n), "q": "Be brief.", "evil": n == 5} for n in range(8)]
    audit = engine.check(workspace.open(write({"readback.yml": json.dumps(config), "data.jsonl": rows})))
    limits = [finding for finding in audit.findings if finding.code == "dat-limit"]
    assert [(f.place.mode, f.place.record, f.place.index, f.place.line) for f in limits] == [
        ("loops", "5", 5, 1),  # the line of the template, as `render` says it
    ]
    hits = {(f.place.mode, f.place.index) for f in audit.findings if f.code == "fmt-system-text-in-user"}
    assert {("good", n) for n in range(8)} <= hits
    assert {("loops", n) for n in (0, 1, 2, 3, 4, 6, 7)} == {hit for hit in hits if hit[0] == "loops"}


@pytest.mark.usefixtures("hurried")
def test_a_mode_whose_records_keep_killing_is_given_up(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "KILLS", 1)
    config = {"dataset": "data.jsonl", "modes": [{"mode": "m", "template": "{% if evil %}" + LOOP + "{% endif %}"}]}
    rows: list[dict[str, Any]] = [{"id": str(n), "evil": n > 0} for n in range(9)]
    audit = engine.check(workspace.open(write({"readback.yml": json.dumps(config), "data.jsonl": rows})))
    limits = [finding.place.index for finding in audit.findings if finding.code == "dat-limit"]
    assert limits == [1, None]
    assert [(one.name, one.count, one.total) for one in audit.unlooked] == [("m", 7, 9)]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("slow", "count"), part([(0, 31), (3, 4), (0, 4), (3, 31)], 2))
def test_one_record_that_is_stopped_ends_nothing_wherever_it_stands(write: Write, count: int, slow: int) -> None:
    template = "{% if evil %}" + LOOP + "{% endif %}Be brief. {{ q }}"
    config = {"dataset": "data.jsonl", "modes": [{"mode": "m", "template": template, "system": "Be brief."}]}
    rows: list[dict[str, Any]] = [{"id": str(n), "q": "Why?", "evil": n == slow} for n in range(count)]
    opened = workspace.open(write({"readback.yml": json.dumps(config), "data.jsonl": rows}))
    audit = engine.check(opened)
    hits = {code: [f.place.index for f in audit.findings if f.code == code] for code in audit.counts}
    others = [n for n in range(count) if n != slow]
    assert (hits["dat-limit"], hits["fmt-system-text-in-user"], audit.unlooked) == ([slow], others, ())


@pytest.mark.usefixtures("hurried")
def test_what_was_not_looked_at_is_a_count_and_a_sentence_in_text_and_json(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    config = {
        "dataset": "data.jsonl",
        "modes": [{"mode": "bad", "template": LOOP}, {"mode": "good", "template": "{{ q }}"}],
    }
    rows = [{"id": str(n), "q": "Why?"} for n in range(25)]
    folder = write({"readback.yml": json.dumps(config), "data.jsonl": rows})
    assert cli.main(["check", str(folder)]) == 1
    assert "25 of 25 records were not looked at under bad, because too many of the others" in capsys.readouterr().out
    assert cli.main(["check", str(folder), "--format", "json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)["not_looked_at"]
    assert (one["name"], one["records"], one["of"], "5 of 10 tried" in one["why"]) == ("bad", 25, 25, True)


def test_an_audit_stops_when_it_is_told_to_and_says_so(write: Write) -> None:
    rows = [{"id": str(n), "q": "x"} for n in range(3 * chunk.BATCH)]
    opened = workspace.open(write({"readback.yml": MODES, "data.jsonl": rows}))
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> bool:
        if total:  # before, the dataset is read for the first time
            told.append((done, total))
        return done < 3

    assert engine.check(opened, engine.CheckOptions(progress=progress)).stopped
    # The child sends them by batches, and what it has after a moment: on a busy machine that is no whole batch.
    assert {total for _, total in told} == {3 * chunk.BATCH}
    assert [done >= 3 for done, _ in told] == [*[False] * (len(told) - 1), True]
    assert told[-1][0] <= 2 + chunk.BATCH


def test_a_failing_rule_is_named_and_the_audit_goes_on(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(case: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(rules.RULES()["fmt-system-varies"].logic, "check", broken)
    opened = workspace.open(write({"readback.yml": MODES, "data.jsonl": [{"id": "1", "q": "Be brief."}]}))
    audit = engine.check(opened)
    assert [("fmt-system-varies", Location())] == [(fault.rule, fault.place) for fault in audit.faults]
    assert audit.counts["fmt-system-text-in-user"] == 2


def test_the_answer_is_the_same_however_many_children_work_side_by_side(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": str(n), "question": "" if n % 5 else f"Be brief. {n}?"} for n in range(60)]
    file = "dataset: d.jsonl\nmodes: [{mode: m, system: Be brief., template: '{{ question }}'}]\n"
    folder = write({"readback.yml": file, "d.jsonl": rows})
    opened = workspace.open(folder)
    whole = engine.check(opened)
    monkeypatch.setattr(children, "MAX_RECORDS", 7)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert engine.check(opened) == whole
    assert engine.check(opened, engine.CheckOptions(jobs=1)) == whole
    assert sum(whole.counts.values()) > 10


def test_an_audit_that_is_stopped_ends_its_children(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "MAX_RECORDS", 5)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    folder = write({"d.jsonl": [{"id": str(n)} for n in range(50)], "readback.yml": "dataset: d.jsonl\n"})
    stopped = engine.check(workspace.open(folder), engine.CheckOptions(progress=lambda done, total: done < 12))
    assert stopped.stopped


def test_children_share_the_tables_of_models_whose_prompts_must_fit(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[str, ...]] = []
    really = sandbox.Child

    def child(work: str, limits: Any, shared: tuple[str, ...]) -> sandbox.Child:
        said.append(shared)
        return really(work, limits, shared)

    monkeypatch.setattr(sandbox, "Child", child)
    for context in ("", ", context: 20"):
        file = (
            f"dataset: d.jsonl\nmodels: {{m: {{type: base, tokenizer: qwen3{context}}}}}\n"
            "modes: [{mode: m, template: '{{ q }}'}]\nconditions: [{name: a, mode: m, model: m}]\n"
        )
        engine.check(workspace.open(write({"readback.yml": file, "d.jsonl": [{"id": "1", "q": "why " * 50}]})))
    # a busy machine may make a child of its own for a template that is slow at first
    assert list(dict.fromkeys(said)) == [(), ("readback.serving.tokens.named_tokenizers:load:qwen3",)]


def test_what_counts_tokens_is_begun_before_all_files_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("READBACK_CACHE", str(tmp_path))
    monkeypatch.setattr(stored_check, "SLOW", 1e9)  # on a slow machine an answer of another test may be kept
    steps: list[Any] = []
    really = engine.workspace_check.check_workspace
    monkeypatch.setattr(sandbox, "start_zygote", lambda *modules, shared: steps.append((modules, shared)))
    monkeypatch.setattr(
        engine.workspace_check, "check_workspace", lambda *asked: steps.append("looks") or really(*asked)
    )
    engine.check(workspace.open(project_files.demos()["six-conditions-mistakes"]))
    (modules, shared), looks = steps
    assert (modules, looks) == (("readback.checks.run.chunk",), "looks")
    assert [one.rpartition(":")[0] for one in shared] == ["readback.serving.tokens.named_tokenizers:load"]
    engine.check(
        workspace.open(project_files.demos()["six-conditions-mistakes"]), engine.CheckOptions(workers=Nobody())
    )
    assert steps[2:] == ["looks"]


class Nobody:
    """Workers elsewhere, none of whom answers."""

    at_once, hashes = 1, Hashes()

    def stream(self, work: Any, here: Any, ended: Any) -> Any:
        return here()

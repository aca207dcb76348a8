"""Walk over folders and collect every sentence about a comparison, wherever it is shown: no two disagree.

Overview, Results (under each criterion), the difference on Prompts, Review, the agenda, the report, `check`, `scores`
as text and JSON, and the notebook are read. The command `scores` concludes under every criterion and is what the other
surfaces are held against; whether two conditions may be compared is held against `check --format json`, and every
count, difference and interval in a sentence against the comparisons themselves.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import healthy_projects
import looking
import pytest
from score_files import Write

import readback
from readback import cli, project_files, workspace
from readback.checks import comparisons
from readback.checks.store import stored_check, stored_ranges
from readback.review import agenda
from readback.scores import conclusion, drawn_pairs, in_view, loading, pooled
from readback.scores.comparing import compare
from readback.scores.comparing.compare import list_planned
from readback.scores.sentences import not_compared, report
from readback.scores.table import ScoreTable
from readback.types import Workspace
from readback.ui.prompts.difference import fair
from readback.words import t

CASES = Path(__file__).parents[1] / "cases"
WITH_SCORES = (
    "39-mean-rises-with-failures",
    "44-summary-drops-failures",
    "45-two-scales-two-runs",
    "63-replies-that-are-no-json",
)
PANELS = {  # tables whose columns have to be named as judges before they are read
    "cases/42-panel-with-nan/ws": "panel.csv=judge_1,judge_2,judge_3",
    "data/llmjudge": "five_judges_500items.csv=h2oloo-fewself,willia-umbrela1,RMITIR-GPT4o,RMITIR-llama70B,"
    "TREMA-4prompts",
}
DATA = ("data/mtrag", "data/judge-outputs", "data/liverag-judge")
CHECKOUTS = ("checkouts/beyond-the-cutoff", "checkouts/beyond-the-cutoff-later")
MOST_PAGES = 4  # criteria that Results is opened under
ANSWER = re.compile(r"(?:By “|Which is better \()([^:()“”]+?)[”)]: (.+?)\.(?=\s|$)")
CLEAR = re.compile(r"“([^”]+)” (?:is better|scores higher), and the difference is clear")
BEST = re.compile(r"“([^”]+)” is better than each of the \d+ others?, and every difference is clear")
UNSURE = re.compile(r"^not certain; “|has the best mean")
DISPUTED = re.compile(r"([^\s“]+): the (?:people|judges) disagree too much for their mean to be relied on")
FAIRNESS = re.compile(
    r"not known(?:: whether it is fair"
    r"|, because (?:the comparison is not fair|it cannot be told whether|no comparison in which))"
)
CONDITION = re.compile(r", provided the comparisons? (?:is|are) fair|; both sides have the same fault")


NUMBERS = re.compile(
    r"On ([\d,]+) shared questions? “([^”]+)” scores ([\d.]+) higher than “([^”]+)” "
    r"\((?:95 % interval (−?[\d.]+) to (−?[\d.]+)|no interval[^)]*)\)"
)
CHIPS = ("same", "fair", "unfair", "unknown")  # the longer words first
LOST = re.compile(
    r"For ([\d,]+) of ([\d,]+) questions? there is no score|no score [^.]*? for ([\d,]+) of ([\d,]+) questions?"
)
KINDS = {
    "fair": ("Fair.", "Fair in the sample."),
    "same": ("Fair, with the same fault on both sides.", "Fair in the sample, with the same fault on both sides."),
    "unfair": ("Not fair.", ": the comparison is not fair."),
    "unknown": ("Cannot tell.", ": it cannot be told whether the comparison is fair."),
}
# The first words of Overview on a pair, which name both sides; and what its picture of a pair says aloud.
LEAD_BETTER = re.compile(r"“([^”]+)” is better than “([^”]+)”(?:, clearly but only a little: | by )")
LEAD_OPEN = re.compile(r"No clear difference between “([^”]+)” and “([^”]+)”: ")
ALOUD = re.compile(
    r": ([^:]+?) minus ([^:]+?) is \+?([\d.]+) \((?:95 % interval (−?[\d.]+) to (−?[\d.]+)|no interval[^)]*)\)"
)
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a folder's comparisons are, computed once: numbers as sentences write them, and fairness by pair."""

    numbers: frozenset[tuple[str, ...]] = frozenset()
    lost: frozenset[tuple[str, str]] = frozenset()
    fairness: Mapping[Pair, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a surface concludes under a criterion: `kind` is better, unsure, none, unknown or unfair."""

    surface: str
    criterion: str
    kind: str
    name: str = ""
    conditional: bool = False


def classify(surface: str, criterion: str, text: str) -> Claim:
    conditional = ", provided the comparison" in text
    if FAIRNESS.search(text):
        return Claim(surface, criterion, "unfair")
    if match := (CLEAR.search(text) or BEST.search(text)):
        return Claim(surface, criterion, "better", match[1], conditional)
    if UNSURE.search(text) and not text.startswith("no clear difference"):
        return Claim(surface, criterion, "unsure", "", conditional)
    kind = "unknown" if text.startswith("not known") else "none"
    return Claim(surface, criterion, kind, "", conditional)


def claims_of(surface: str, text: str) -> Iterator[Claim]:
    """Yield what a text concludes, and that those who judged disagree too much."""
    for match in ANSWER.finditer(text):
        factor = re.search(r"Which (\S+) is best\? $", text[: match.start()])
        yield classify(surface, f"{match[1]} by {factor[1]}" if factor else match[1], match[2])
    for match in DISPUTED.finditer(text):
        yield Claim(surface, match[1], "disputed")


def find_disagreements(claims: list[Claim]) -> list[str]:
    """Return each claim that no claim of the command is like: the command concludes under every criterion."""
    wrong = []
    for one in claims:
        of_command = [each for each in claims if each.surface == "scores" and each.criterion == one.criterion]
        if not of_command:
            wrong.append(f"{one.criterion}: {one.surface} says {one.kind} {one.name}, the command nothing")
            continue
        if one.kind == "disputed":
            if any(each.kind in ("better", "unsure") for each in of_command):
                wrong.append(f"{one.criterion}: {one.surface} calls it disputed, the command does not")
            continue
        same = any((each.kind, each.name) == (one.kind, one.name) for each in of_command)
        excused = one.kind == "unfair" and any(each.conditional for each in of_command)
        if not same and not excused:
            wrong.append(f"{one.criterion}: {one.surface} says {one.kind} {one.name}; {of_command}")
    return wrong


def find_wrong_numbers(facts: Facts, surface: str, text: str) -> list[str]:
    """Return the sentences whose n, difference, interval or count of lost scores no comparison of the folder has."""
    wrong = [
        f"{surface}: no comparison has the numbers of “{match[0]}”"
        for match in NUMBERS.finditer(text)
        if match.groups(default="") not in facts.numbers
    ]
    drawn = {(high, low, size, *ends) for _, high, size, low, *ends in facts.numbers}
    wrong += [
        f"{surface}: no comparison has the numbers of “{match[0]}”"
        for match in ALOUD.finditer(text)
        if match.groups(default="") not in drawn
    ]
    for match in LOST.finditer(text):
        both = (match[1] or match[3], match[2] or match[4])
        if both not in facts.lost:
            wrong.append(f"{surface}: no comparison lacks scores for {both[0]} of {both[1]}")
    return wrong


def find_unlike_fairness(facts: Facts, surface: str, text: str) -> list[str]:
    """Return each pair that the text calls fair, unfair or not known, and `check` something else."""
    return [
        f"{surface} calls {' and '.join(sorted(pair))} {name}, the check calls them {kind}"
        for pair, kind in facts.fairness.items()
        for name in list_kinds(pair, text)
        if name != kind
    ]


def list_kinds(pair: Pair, text: str) -> list[str]:
    """Return what a text calls a pair, wherever it does: in a sentence, beside its picture, in the list of Review."""
    named = []
    a, b = sorted(pair)
    for one, other in ((a, b), (b, a)):
        both = t("overview.with", a=one, b=other)
        opening = [t("verdict.asked", a=one, b=other) + " ", both, both + " "]
        asked = t("agenda.title_comparison", a=one, b=other)
        for name, words in KINDS.items():
            sentences = [f"{start}{word}" for start in opening for word in words]
            below = rf"{re.escape(asked)} Item \d+ of \d+ (?:(?! Item \d).)*?\? show these keys {re.escape(words[0])}"
            listed = f"{words[0].rstrip('.')} {asked}"
            before = rf"\? show these keys (?:(?! versus ).)*? {re.escape(words[0])} (?:(?! versus ).)*?"
            planned = rf"{before}{re.escape(one)} versus {re.escape(other)}"
            if (
                any(sentence in text for sentence in [*sentences, listed])
                or re.search(below, text, re.S)
                or re.search(planned, text, re.S)
            ):
                named.append(name)
        if t("verdict.one_unfair", pair=both) in text:
            named.append("unfair")
        if f"{both}: not known." in text:
            named.append("unknown")
        chips = "|".join(f"(?P<{name}>{re.escape(t(f'overview.chip_{name}'))})" for name in CHIPS)
        drawn = rf"“?{re.escape(one)}”? versus “?{re.escape(other)}”? (?:(?! versus ).)*?[✓≈✕?] (?:{chips})"
        named += [str(match.lastgroup) for match in re.finditer(drawn, text, re.S)]
    return named


def find_wrong_leads(facts: Facts, surface: str, text: str, concluded: list[dict[str, Any]]) -> list[str]:
    """Return each pair of which the first words say who is ahead, and the command or the check something else."""
    wrong = []
    for pattern in (LEAD_BETTER, LEAD_OPEN):
        for match in pattern.finditer(text):
            pair = frozenset(match.groups())
            better = match[1] if pattern is LEAD_BETTER else None
            answers = [one["better"] for one in concluded if {one["a"], one["b"]} == pair]
            if better not in answers or facts.fairness.get(pair) in ("unfair", "unknown"):
                wrong.append(f"{surface} says “{match[0]}”, the command calls better: {answers}")
    return wrong


def name_facts(opened: Workspace, table: ScoreTable, fairness: Mapping[Pair, str]) -> Facts:
    """Compute the numbers of every pair, of single judges and of pools, of conditions and of values of a factor."""
    numbers: set[tuple[str, ...]] = set()
    lost: set[tuple[str, str]] = set()
    for seen in filter(None, (table, pooled.pooled(table) if len(table.columns) else None)):
        for criterion in seen.columns.criteria:
            for by in (None, *seen.varying):
                for one in _compared(opened, seen, criterion, by):
                    if one.difference is None:
                        continue
                    high, low, up = (one.b, one.a, True) if one.difference >= 0 else (one.a, one.b, False)
                    span = one.span if one.span is None or up else (-one.span[1], -one.span[0])
                    ends = ("", "") if span is None else (report.signed(span[0]), report.signed(span[1]))
                    names = report.short(seen, high), report.short(seen, low)
                    by_how_much = report.signed(abs(one.difference))
                    numbers.add((f"{one.n_shared:,}", names[0], by_how_much, names[1], *ends))
                    lost.add((f"{one.failed:,}", f"{one.n_shared + one.failed:,}"))
    return Facts(frozenset(numbers), frozenset(lost), fairness)


def _compared(opened: Workspace, table: ScoreTable, criterion: str, by: str | None) -> Iterator[Any]:
    ask = partial(compare.compare, table, list_planned(opened), by=by)
    yield from ask(criterion=criterion).comparisons
    if by is None and len(table.columns.conditions) > compare.MOST:  # all pairs are too many: with the baseline only
        judge = next(iter(in_view.judges(table, criterion)), "")
        base = drawn_pairs.find_baseline(table, opened, criterion, judge)
        if base is not None:
            yield from ask(criterion=criterion, judge=judge, baseline=table.label(base)).comparisons
        return
    for judge in (*table.columns.judges, None):
        yield from ask(criterion=criterion, judge=judge).comparisons


def conclusions_by_factor(opened: Workspace, table: ScoreTable, criterion: str) -> Iterator[Claim]:
    """Yield what is concluded of the values of a factor, which Results shows where there are many conditions."""
    judge = next(iter(in_view.judges(table, criterion)), "")
    seen = in_view.get_judge_table(table, judge)
    for factor in seen.varying if len(seen.columns.conditions) > in_view.MOST else ():
        made = conclusion.conclude_criterion(seen, opened, criterion, judge, lambda one: "", factor)
        for one in (made,) if isinstance(made, conclusion.BestOf) else made or ():
            if one.answer:
                yield classify("scores", f"{criterion} by {factor}", one.answer)


def collect(
    folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
) -> tuple[list[Claim], list[str]]:
    """Return what every page and command concludes of the folder, and what is wrong in itself: a number that no
    comparison has, a pair that is called fair here and unfair there, a conclusion that is not drawn where it belongs.
    """

    def run(*words: str) -> str:
        capsys.readouterr()
        cli.main(list(words))
        return capsys.readouterr().out

    for module in (stored_check, stored_ranges):  # each asks for the same check; what differs is what each says of it
        patch.setattr(module, "SLOW", 0.0)
    opened = workspace.open(folder)
    table = loading.load(opened)
    checked = json.loads(run("check", str(folder), "--format", "json"))
    fairness = {frozenset((one["a"], one["b"])): one["verdict"] for one in checked.get("comparisons", ())}
    facts = name_facts(opened, table, fairness)
    texts = {
        "scores": run("scores", str(folder)),
        "check": run("check", str(folder)),
        "agenda": run("agenda", str(folder)),
    }
    data: Mapping[str, Any] = json.loads(run("scores", str(folder), "--format", "json") or "{}")
    concluded: list[dict[str, Any]] = data.get("conclusions", [])
    with tempfile.TemporaryDirectory() as beside:
        written = Path(beside) / "report.md"
        run("report", str(folder), "-o", str(written))
        written_text = written.read_text("utf-8") if written.exists() else ""
        texts["report"] = re.sub(r"\\([\W_])", r"\1", written_text)  # Markdown escapes marks of its own
    patch.setenv("READBACK_WORKSPACE", str(folder))
    texts["overview page"] = looking.words(looking.page("overview"))
    texts["review page"] = looking.words(looking.page("review"))
    criteria = list(dict.fromkeys(one["criterion"] for one in concluded))[:MOST_PAGES]
    for name in criteria:
        texts[f"results page, {name}"] = looking.words(looking.page("results", criterion=name))
    if not criteria:
        texts["results page"] = looking.words(looking.page("results"))

    claims = [claim for surface, text in texts.items() for claim in claims_of(surface, text)]
    for name in criteria:
        claims += conclusions_by_factor(opened, table, name)
    wrong: list[str] = []
    for surface, conclusions in (("json", concluded), ("notebook", readback.open(folder).conclusions())):
        for one in conclusions:
            if one["answer"] and one["verdict"] not in (not_compared.SCALES, not_compared.ALONE):
                claims.append(classify(surface, one["criterion"], one["answer"]))
                if (one["better"] is not None) != (claims[-1].kind == "better"):
                    wrong.append(
                        f"{surface}: {one['better']} is better by its field, not by its answer {one['answer']}"
                    )
            wrong += find_wrong_numbers(facts, surface, one.get("sentence") or "")
    if readback.open(folder).conclusions() != concluded:
        wrong.append("the notebook's conclusions are not those of the command")
    for surface, text in texts.items():
        wrong += find_wrong_numbers(facts, surface, text)
        wrong += find_unlike_fairness(facts, surface, text)
        wrong += find_wrong_leads(facts, surface, text, concluded)
    clear = {one.name for one in claims if one.surface == "scores" and one.kind == "better"}
    for surface, text in texts.items():
        names = {match[1] for match in CLEAR.finditer(text)} - clear
        wrong += [f"{surface} calls {name} clearly better, the command does not" for name in sorted(names)]
    wrong += find_unsaid(concluded, texts)
    wrong += find_better_though_unfair(facts, concluded, claims)
    known = {one.name for one in opened.conditions}
    for pair in [one for one in fairness if one <= known][:MOST_PAGES]:
        a, b = sorted(pair)
        text = looking.words(looking.page("prompts", view="difference", condition=a, b_condition=b))
        wrong += find_unlike_on_prompts(fairness[pair], a, b, text)
    return claims, wrong


def find_unlike_on_prompts(kind: str, a: str, b: str, text: str) -> list[str]:
    """Return that Prompts does not give the check's verdict on the pair; without a record it shows no pair at all."""
    if "so there is no record to show" in text:
        return []
    asked = t("verdict.asked_here")
    answer = text[text.index(asked) + len(asked) :].strip() if asked in text else ""
    if answer.startswith(KINDS[kind]):
        return []
    return [f"Prompts does not call {a} and {b} {kind}: {answer[:80]}"]


def find_unsaid(concluded: list[dict[str, Any]], texts: Mapping[str, str]) -> list[str]:
    """Return what is not compared, by the JSON answer, and is not said to be so by the text and the page."""
    wrong = []
    for one in concluded:
        if one["verdict"] != not_compared.SCALES:
            continue
        for surface in ("scores", f"results page, {one['criterion']}"):
            if surface in texts and one["answer"] not in texts[surface]:
                wrong.append(f"{surface} does not say of {one['criterion']}: {one['answer']}")
    return wrong


def find_better_though_unfair(facts: Facts, concluded: list[dict[str, Any]], claims: list[Claim]) -> list[str]:
    """Return each claim of a page or the report, which know the check, that a side of an unfair pair is the better."""
    wrong = []
    for one in concluded:
        if facts.fairness.get(frozenset((str(one["a"]), str(one["b"])))) not in ("unfair", "unknown"):
            continue
        rest = [each for each in concluded if each is not one and each["better"] == one["better"]]
        for claim in claims:
            knows = claim.surface == "report" or " page" in claim.surface
            of_it = claim.criterion == one["criterion"] and claim.name and claim.name == one["better"]
            if knows and of_it and not claim.conditional and not rest:
                wrong.append(f"{claim.surface} calls {claim.name} better in a comparison that is not fair")
    return wrong


def assert_nothing_disagrees(
    folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
) -> list[Claim]:
    claims, wrong = collect(folder, capsys, patch)
    assert [*wrong, *find_disagreements(claims)] == []
    return claims


FOLDERS = {
    "two": lambda: {"s.csv": _rows(("a", "b"), lambda n, at: n % 5 + 3 * at)},
    "three": lambda: {"s.csv": _rows(("a", "b", "c"), lambda n, at: n % 5 + 3 * at)},
    "ties": lambda: {"s.csv": _rows(("a", "b", "c"), lambda n, at: 2)},
    "sentinels": lambda: {"s.csv": _rows(("a", "b"), lambda n, at: -1 if at and n % 3 == 0 else n % 5 + 3 * at)},
    "declared": lambda: {
        "s.csv": _rows(("a", "b"), lambda n, at: -1 if at and n % 3 == 0 else n % 5 + 3 * at),
        "readback.yml": "scores: [s.csv]\ncriteria: {grade: {scale: {min: 0, max: 9}}}\n",
    },
    "judges who disagree": lambda: {
        "s.csv": _rows(("a", "b"), lambda n, at: (n * 7) % 3 + at, "human:1")
        + _rows(("a", "b"), lambda n, at: (n * 5 + 1) % 3 + at, "human:2").split("\n", 1)[1]
    },
}


def _rows(names: tuple[str, ...], score: Any, judge: str = "j") -> str:
    lines = [f"q{n},{name},grade,{score(n, at)},{judge}\n" for n in range(40) for at, name in enumerate(names)]
    return "item,condition,criterion,score,judge\n" + "".join(lines)


@pytest.mark.parametrize("name", FOLDERS)
def test_no_two_sentences_disagree(
    write: Write, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = assert_nothing_disagrees(write(FOLDERS[name]()), capsys, monkeypatch)
    assert {"scores", "json", "notebook", "results page, grade"} <= {one.surface for one in claims}


@pytest.mark.parametrize("name", WITH_SCORES)
def test_no_two_sentences_disagree_in_the_cases(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "ws"
    shutil.copytree(CASES / name / "ws", folder)
    assert_nothing_disagrees(folder, capsys, monkeypatch)


def test_the_walk_visits_every_case_and_every_healthy_project_that_has_scores(tmp_path: Path) -> None:
    cases = []
    for folder in sorted(CASES.glob("*/ws")):
        try:
            opened = workspace.open(folder)
        except workspace.NothingRead:
            continue
        if len(loading.load(opened).columns):
            cases.append(folder.parent.name)
    assert tuple(cases) == WITH_SCORES
    projects = []
    for name in healthy_projects.PROJECTS:
        if len(loading.load(workspace.open(healthy_projects.write_project(name, tmp_path))).columns):
            projects.append(name)
    assert projects == []  # one with scores is to be walked as the cases are


@pytest.mark.parametrize("name", ["leaderboard", "arena", "rag_evaluation"])
def test_no_two_sentences_disagree_in_healthy_projects_with_stated_numbers(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_nothing_disagrees(healthy_projects.write_project(name, tmp_path), capsys, monkeypatch)


@pytest.mark.parametrize("name", sorted(project_files.demos()))
def test_no_two_sentences_disagree_in_the_demos(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_nothing_disagrees(project_files.demos()[name], capsys, monkeypatch)


@pytest.mark.realdata
@pytest.mark.parametrize("name", [*DATA, *CHECKOUTS])
def test_no_two_sentences_disagree_in_published_data(
    shared: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (shared / name).is_dir()
    claims = assert_nothing_disagrees(shared / name, capsys, monkeypatch)
    assert ("scores" in {one.surface for one in claims}) == (name in DATA)


@pytest.mark.realdata
@pytest.mark.parametrize("name", PANELS)
def test_no_two_sentences_disagree_in_tables_of_judges(
    shared: Path, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "ws"
    shutil.copytree(shared / name, folder)
    cli.main(["init", str(folder), "--judges", PANELS[name]])
    assert workspace.open(folder).scores
    assert_nothing_disagrees(folder, capsys, monkeypatch)


def test_a_planted_disagreement_is_found(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agenda gets a threshold of its own, as it once had: it then disputes what the others call clear."""
    agreed = _rows(("a", "b"), lambda n, at: n % 5 + 3 * at, "human:1")
    agreed += _rows(("a", "b"), lambda n, at: n % 5 + 3 * at + (n % 20 == 0), "human:2").split("\n", 1)[1]
    root = write({"s.csv": agreed})
    assert_nothing_disagrees(root, capsys, monkeypatch)
    monkeypatch.setattr(agenda, "DISPUTED", 2.0)
    assert find_disagreements(collect(root, capsys, monkeypatch)[0]) != []


def test_another_verdict_on_prompts_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The difference on Prompts gives every pair another verdict than the check does."""

    def unlike(*given: Any) -> Any:
        made = comparisons.verdict(*given)
        return replace(made, kind="fair" if made.kind != "fair" else "same")

    monkeypatch.setattr(fair, "verdict", unlike)  # what the page draws, not what the check finds
    _, wrong = collect(project_files.demos()["six-conditions-mistakes"], capsys, monkeypatch)
    assert [one for one in wrong if one.startswith("Prompts does not call")] == wrong
    assert len(wrong) >= 2


def test_another_conclusion_in_the_notebook_is_found(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(FOLDERS["two"]())
    true = readback.Study.conclusions

    def unlike(study: readback.Study) -> list[dict[str, Any]]:
        return [{**one, "answer": "no clear difference", "better": None} for one in true(study)]

    monkeypatch.setattr(readback.Study, "conclusions", unlike)
    claims, wrong = collect(root, capsys, monkeypatch)
    assert wrong == ["the notebook's conclusions are not those of the command"]
    assert [one for one in find_disagreements(claims) if "notebook" in one] != []


@pytest.mark.parametrize(
    "text",
    [
        "On 39 shared questions “b” scores 3.00 higher than “a” (95 % interval 2.00 to 4.00): better on 39",
        "On 40 shared questions “a” scores 3.00 higher than “b” (95 % interval 2.00 to 4.00): better on 39",
        "For 3 of 40 questions there is no score under “a”.",
    ],
)
def test_a_number_that_no_comparison_has_is_found(write: Write, text: str) -> None:
    opened = workspace.open(write(FOLDERS["two"]()))
    facts = name_facts(opened, loading.load(opened), {})
    assert facts.numbers
    assert find_wrong_numbers(facts, "overview", text) != []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("“b” versus “a”: may they be compared? Fair.", False),
        ("“b” versus “a”: may they be compared? Not fair.", True),
        ("“b” versus “a”: the comparison is not fair.", True),
        ("a with b Cannot tell.", True),
        (
            "“b” versus “a” 0 +1 c: b minus a is +1.00 (95 % interval 0.50 to 1.50). ✓ fair +1.00 4 shared questions",
            False,
        ),
        ("“b” versus “a” 0 +1 c: b minus a is +1.00 (95 % interval 0.50 to 1.50). ? cannot tell if fair", True),
        ("b versus a +1.00 clear difference 0.50 to 1.50 4 shared questions ✕ not fair", True),
        (
            "b versus a +1.00 clear difference – 4 questions – not checked b versus c +1 4 questions ✕ not fair",
            False,
        ),
        ("Cannot tell May “a” be compared with “b”?", True),
        ("The comparison of “a” versus “b” is not fair.", True),
    ],
)
def test_a_pair_that_is_fair_here_and_unfair_there_is_found(text: str, wrong: bool) -> None:
    text = text.replace("a with b", t("overview.with", a="a", b="b"))
    assert bool(find_unlike_fairness(Facts(fairness={frozenset("ab"): "fair"}), "agenda", text)) == wrong


@pytest.mark.parametrize("name", ["six-conditions", "six-conditions-mistakes"])
def test_the_rooms_of_the_demos_say_whether_each_planned_pair_is_fair(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the walk would find no disagreement between them because it finds no verdict."""
    monkeypatch.setenv("READBACK_WORKSPACE", str(project_files.demos()[name]))
    fair = frozenset(("instruction-only, closed book", "instruction-only, open book"))
    unknown = frozenset(("base, open book", "RAG-trained, open book"))
    for room in ("overview", "results"):
        text = looking.words(looking.page(room))
        assert set(list_kinds(fair, text)) == {"fair"}
        assert set(list_kinds(unknown, text)) == {"unknown"}
    assert set(list_kinds(fair, looking.words(looking.page("review")))) == {"fair"}  # the first item
    second = looking.words(looking.page("review", item="comparison:base, open book|RAG-trained, open book"))
    assert set(list_kinds(unknown, second)) == {"unknown"}
    text = looking.words(looking.page("overview"))
    assert len(LEAD_BETTER.findall(text)) == 1
    assert len(ALOUD.findall(text)) == 2


@pytest.mark.parametrize(
    ("text", "kind", "wrong"),
    [
        ("“b” is better than “a” by 1.00 of 3 points", "fair", 0),
        ("“b” is better than “a” by 1.00 of 3 points", "unknown", 1),
        ("“a” is better than “b” by 1.00 of 3 points", "fair", 1),
        ("No clear difference between “b” and “a”: +1.00", "fair", 1),
    ],
)
def test_first_words_that_the_command_does_not_say_are_found(text: str, kind: str, wrong: int) -> None:
    facts = Facts(fairness={frozenset("ab"): kind})
    assert len(find_wrong_leads(facts, "overview page", text, [{"a": "a", "b": "b", "better": "b"}])) == wrong


def test_a_better_side_of_an_unfair_pair_is_found() -> None:
    facts = Facts(fairness={frozenset("ab"): "unfair"})
    concluded = [{"criterion": "c", "a": "a", "b": "b", "better": "b", "verdict": "b is higher"}]
    for surface, conditional, wrong in (("report", False, 1), ("overview page", False, 1), ("scores", True, 0)):
        claims = [Claim(surface, "c", "better", "b", conditional)]
        assert len(find_better_though_unfair(facts, concluded, claims)) == wrong


def test_a_sentence_of_one_page_alone_is_found(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = assert_nothing_disagrees(write(FOLDERS["two"]()), capsys, monkeypatch)
    assert find_disagreements([*claims, Claim("overview", "grade", "better", "a")]) != []
    assert find_disagreements([*claims, Claim("report", "grade", "none")]) != []


def test_the_answer_is_made_of_the_same_words(write: Write) -> None:
    assert classify("x", "c", "“a” is better, and the difference is clear but small (0.10 of 3 points)").name == "a"
    assert classify("x", "c", "not known, because the people disagree too much").kind == "unknown"
    assert report.FOUND["disputed"] == "disputed"

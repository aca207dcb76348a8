"""Looks for trn-rejected-defect; its words are in catalogue/en.yml."""

from collections.abc import Iterator

from readback.checks.facts import legal_rows
from readback.types import Diagnostic, Location, RuleContext

CODE = "trn-rejected-defect"
ON = "record"
NEEDS = "training rows"
_ROW = (
    '{"prompt": "Analyze the legal text below.\\n\\nDocument Excerpt:\\nSee Smith v. Jones, 123 F.3d 456'
    ' (2020).\\n\\nCitations found: Smith v. Jones, 123 F.3d 456\\n\\nSummary:", "chosen": "The court dismissed '
    'the case (Smith v. Jones, 123 F.3d 456 (2020)).", "rejected": "%s"}\n'
)
PASS = (
    {"train.jsonl": _ROW % "The court dismissed the case at once (Smith v. Jones, 123 F.3d 456 (2020))."},
    {"train.jsonl": '{"prompt": "Where do gulls nest?", "chosen": "On cliffs.", "rejected": "In trees."}\n'},
)
FAIL = (
    {"train.jsonl": _ROW % "The court dismissed the case (Brown v. White, 789 F.2d 123 (2019))."},
    {"train.jsonl": _ROW % "The court dismissed the case."},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    row = legal_rows.read_row(case)
    chosen, rejected = (row.get_answer("chosen"), row.get_answer("rejected")) if row else (None, None)
    if (
        chosen is None
        or rejected is None
        or legal_rows.are_equal(chosen.text, rejected.text)
        or not rejected.text.strip()
    ):
        return
    if defects := list(_defects(chosen, rejected)):
        yield Diagnostic(CODE, {"defects": defects}, Location(field=rejected.turn.field), " ".join(defects))


def _defects(chosen: legal_rows.Answer, rejected: legal_rows.Answer) -> Iterator[str]:
    told = {
        "missing citations": legal_rows.list_missing_citations(chosen, rejected),
        "invented citation": (one.citation for one in rejected.list_verdicts("absent") if one.counts),
        "altered citation": (one.citation for one in rejected.list_verdicts("altered", "year differs")),
        "citation that the chosen answer does not have": legal_rows.list_missing_citations(rejected, chosen)
        if rejected.verdicts is None
        else (),
    }
    texts = {name: list(dict.fromkeys(one.text for one in citations)) for name, citations in told.items()}
    if any(texts.values()):
        yield from (f"{name} ({'; '.join(cited)})" for name, cited in texts.items() if cited)
    elif not legal_rows.are_similar(chosen.text, rejected.text):
        yield "other text"

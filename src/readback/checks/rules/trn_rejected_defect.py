"""Name what distinguishes the rejected answer of a pair from the chosen one.

Preference training learns whatever distinguishes the two; if all pairs have one defect, the model learns only that one.
"""

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
    """Yield a finding with the defects of the rejected answer."""
    row = legal_rows.read_row(case)
    if row:
        chosen, rejected = (row.get_answer("chosen"), row.get_answer("rejected"))
    else:
        chosen, rejected = (None, None)
    if chosen is None or rejected is None or not rejected.text.strip():
        return
    if legal_rows.are_equal(chosen.text, rejected.text):
        return
    defects = list(_list_defects(chosen, rejected))
    if defects:
        yield Diagnostic(CODE, {"defects": defects}, Location(field=rejected.turn.field), " ".join(defects))


def _list_defects(chosen: legal_rows.Answer, rejected: legal_rows.Answer) -> Iterator[str]:
    by_name = {
        "missing citations": list(legal_rows.list_missing_citations(chosen, rejected)),
        "invented citation": [verdict.citation for verdict in rejected.list_verdicts("absent") if verdict.counts],
        "altered citation": [verdict.citation for verdict in rejected.list_verdicts("altered", "year differs")],
    }
    if rejected.verdicts is None:  # there is no source to compare with
        additional = legal_rows.list_missing_citations(rejected, chosen)
        by_name["citation that the chosen answer does not have"] = list(additional)
    if any(by_name.values()):
        for name, citations in by_name.items():
            if citations:
                texts = dict.fromkeys(citation.text for citation in citations)
                yield f"{name} ({'; '.join(texts)})"
    elif not legal_rows.are_similar(chosen.text, rejected.text):
        yield "other text"

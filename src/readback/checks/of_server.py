"""What the audit says of one model's server, whatever the record: of its files, and of its template."""

from __future__ import annotations

from collections.abc import Iterator

from readback.checks import rules
from readback.checks.of_model import Concerned, files_of_server
from readback.checks.rules import Fault
from readback.prompts.self_tests import list_general_diagnostics, run_self_tests
from readback.types import Finding, Model, RuleContext, Selection, Workspace

AREAS = ("oll", "srv", "fmt")  # of rules about servers, and about models they do not serve as they were trained


def model_of(opened: Workspace, choice: Selection) -> Model | None:
    """The model whose server gets what is sent; a judge's is another one."""
    condition = opened.condition(choice.condition) if choice.condition and not choice.judge else None
    return opened.models.get(condition.model) if condition and condition.model else None


def of_server(opened: Workspace, model: Model) -> Iterator[Finding | Fault]:
    """The findings, with the keys they have in an audit of the workspace."""
    files = files_of_server(model)
    served, concerned = run_self_tests(opened), Concerned([model])
    about = (
        diagnostic
        for diagnostic in (*opened.diagnostics, *list_general_diagnostics(served, opened))
        if diagnostic.place.file in files
    )
    yield from {found.key: found for found in map(rules.finding, about)}.values()
    codes = [code for code in rules.RULES() if code.partition("-")[0] in AREAS]
    for one in rules.check(RuleContext(opened, self_tests=served), "workspace", codes):
        if isinstance(one, Fault) or concerned.names(one):
            yield one

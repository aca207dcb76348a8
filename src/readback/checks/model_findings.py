"""Find what an audit reports about one model and its server, whichever condition or record is sent."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from readback.checks import rules
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
    yield from {found.key: found for found in map(rules.build_finding, about)}.values()
    codes = [code for code in rules.RULES() if code.partition("-")[0] in AREAS]
    for one in rules.check(RuleContext(opened, self_tests=served), "workspace", codes):
        if isinstance(one, Fault) or concerned.names(one):
            yield one


NONE = frozenset[str]()


def files_of_server(model: Model) -> frozenset[str]:
    """The files that say what a model's server makes of messages: its Modelfile, chat template and weights."""
    templates = (model.chat_template, model.weights.template if model.weights else None)
    files = (one.place.file for one in (model.modelfile, *templates) if one)
    return frozenset(file for file in files if file)


class Concerned:
    """The models among some that findings are about."""

    def __init__(self, models: Collection[Model]) -> None:
        self._names = {model.name for model in models}
        self._of_files: dict[str, frozenset[str]] = {}
        for model in models:
            for file in files_of_server(model):
                self._of_files[file] = self._of_files.get(file, NONE) | {model.name}

    def names(self, found: Finding) -> frozenset[str]:
        """Those that a finding of no condition names, or whose files it is about: what serves them."""
        if found.place.condition is not None:
            return NONE
        named = found.values.get("model")
        of_file = self._of_files.get(found.place.file or "", NONE)
        return of_file | {named} if isinstance(named, str) and named in self._names else of_file

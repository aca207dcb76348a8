"""Find what an audit reports about one model and its server, whichever condition or record is sent."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from readback.checks import rules
from readback.checks.rules import Fault
from readback.prompts.self_tests import list_general_diagnostics, run_self_tests
from readback.types import Finding, Model, RuleContext, Workspace

AREAS = ("oll", "srv", "fmt")  # of rules about servers, and about models they do not serve as they were trained
NONE = frozenset[str]()


class ModelNames:
    """The names of the models that findings are about, of some models."""

    def __init__(self, models: Collection[Model]) -> None:
        self._names = {model.name for model in models}
        self._by_file: dict[str, frozenset[str]] = {}
        for model in models:
            for file in _list_server_files(model):
                self._by_file[file] = self._by_file.get(file, NONE) | {model.name}

    def find(self, finding: Finding) -> frozenset[str]:
        """Return the models that a finding of no condition names, or whose server's files it is about."""
        if finding.place.condition is not None:
            return NONE
        by_file = self._by_file.get(finding.place.file or "", NONE)
        name = finding.values.get("model")
        if isinstance(name, str) and name in self._names:
            return by_file | {name}
        return by_file


def find_server_findings(opened: Workspace, model: Model) -> Iterator[Finding | Fault]:
    """Yield the findings about a model's server, with the keys they have in an audit of the workspace."""
    files = _list_server_files(model)
    self_tests, names = run_self_tests(opened), ModelNames([model])
    findings: dict[str, Finding] = {}
    for diagnostic in (*opened.diagnostics, *list_general_diagnostics(self_tests, opened)):
        if diagnostic.place.file in files:
            finding = rules.build_finding(diagnostic)
            findings[finding.key] = finding
    yield from findings.values()
    codes = [code for code in rules.RULES() if code.partition("-")[0] in AREAS]
    for result in rules.check(RuleContext(opened, self_tests=self_tests), "workspace", codes):
        if isinstance(result, Fault) or names.find(result):
            yield result


def _list_server_files(model: Model) -> frozenset[str]:
    """Return the files that decide what a model's server makes of messages: Modelfile, chat template, weights."""
    templates = (model.chat_template, model.weights.template if model.weights else None)
    files = (source.place.file for source in (model.modelfile, *templates) if source)
    return frozenset(file for file in files if file)

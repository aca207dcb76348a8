"""Run each model's template over a made-up conversation, so that a template's own faults are found once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from readback.prompts import training_text
from readback.prompts.model_input import build_alternative, build_served_input
from readback.types import Diagnostic, Message, Model, ModelInput, Segment, SelfTest, Workspace

USER = "Question: When is high water at the mole?\n\nAnswer:"
REPLY = "High water at the mole is at ten past four."
SYSTEM = "You answer questions about tides."  # where the model states no system text of its own
ONCE = ("execute", "system", "read")  # noted elsewhere: with what was sent, or where the template's file was read
KEEP = 8  # workspaces open in one meeting; every record of an audit asks for its own
_recent: tuple[tuple[Workspace, Mapping[str, SelfTest]], ...] = ()  # of the last workspaces, newest first
_by_model: tuple[Workspace, dict[str, SelfTest | None]] | None = None  # those that a child ran, by the model's name
_summary: tuple[Workspace, frozenset[str], frozenset[str]] | None = None  # in a child: what its caller found out


def run_self_tests(workspace: Workspace) -> Mapping[str, SelfTest]:
    """Run a self-test for each model whose server is known; once for each workspace."""
    global _recent
    for recent_workspace, self_tests in _recent:
        if recent_workspace is workspace:
            return self_tests
    results = ((name, _run_model_test(workspace, model)) for name, model in workspace.models.items())
    self_tests = {name: self_test for name, self_test in results if self_test}
    _recent = ((workspace, self_tests), *_recent)[:KEEP]
    return self_tests


def run_self_test(workspace: Workspace, name: str | None) -> SelfTest | None:
    """Run the self-test of one model, once in a process; None where its server is not known or its template hangs."""
    global _by_model
    model = workspace.models.get(name or "")
    if model is None or is_hanging(workspace, name):
        return None
    if _by_model is None or _by_model[0] is not workspace:
        _by_model = (workspace, {})
    self_tests = _by_model[1]
    if model.name not in self_tests:
        self_tests[model.name] = _run_model_test(workspace, model)
    return self_tests[model.name]


def list_general_diagnostics(
    self_tests: Mapping[str, SelfTest], workspace: Workspace | None = None
) -> tuple[Diagnostic, ...]:
    """List what servers report whatever is sent: a template that cannot be read, one that prints the date.

    What went wrong while a template ran may be the made-up conversation's doing: that is reported of real ones only,
    except of those models of `workspace` that no condition sends anything to.
    """
    models_in_use = {condition.model for condition in workspace.conditions} if workspace else self_tests.keys()
    model_inputs = (
        (name, model_input)
        for name, self_test in self_tests.items()
        for model_input in (self_test.first, self_test.later, *_training_inputs(self_test))
    )
    diagnostics = {
        _identify(diagnostic): diagnostic
        for name, model_input in model_inputs
        if model_input.kind != "format"
        for diagnostic in model_input.diagnostics
        if diagnostic.values.get("when") not in ONCE
        or (name not in models_in_use and diagnostic.values.get("when") != "read")
    }
    return tuple(diagnostics.values())


def _training_inputs(self_test: SelfTest) -> tuple[ModelInput, ...]:
    """Return the training text where a template that somebody named makes it: a guess that fails is ours."""
    if self_test.trained and has_own_template(self_test.trained, self_test.first):
        return (self_test.trained,)
    return ()


def has_own_template(trained: ModelInput, served: ModelInput | None) -> bool:
    """Tell whether a training text's diagnostics are not the server's already, and not those of our guess."""
    return not trained.assumed and (served is None or (trained.format, trained.place) != (served.format, served.place))


def list_record_diagnostics(workspace: Workspace, model_input: ModelInput | None) -> tuple[Diagnostic, ...]:
    """List what a server reports on one record's text and does not report on every text."""
    if model_input is None or model_input.kind == "format" or not model_input.diagnostics:
        return ()
    if _summary and _summary[0] is workspace:
        general = _summary[1]
    else:
        general = frozenset(summarise_for_child(workspace)["noted"])
    return tuple(
        diagnostic
        for diagnostic in model_input.diagnostics
        if _identify(diagnostic) not in general and diagnostic.values.get("when") != "read"
    )


def summarise_for_child(workspace: Workspace) -> dict[str, list[str]]:
    """Return what a child needs to know of the servers, as JSON: general diagnostics, and the models whose templates
    hang.
    """
    self_tests = run_self_tests(workspace)
    hanging = [
        name
        for name, self_test in self_tests.items()
        if any(diagnostic.code == "dat-limit" for diagnostic in self_test.first.diagnostics)
    ]
    return {
        "noted": [_identify(diagnostic) for diagnostic in list_general_diagnostics(self_tests, workspace)],
        "hang": hanging,
    }


def accept_summary(workspace: Workspace, summary: Mapping[str, Iterable[str]]) -> None:
    """In a child, accept what `summarise_for_child` answered to its caller.

    To find it out again, every template would have to run inside the time of one record, and one that hangs would spoil
    the records of all models.
    """
    global _summary
    _summary = (workspace, frozenset(summary["noted"]), frozenset(summary["hang"]))


def is_hanging(workspace: Workspace, model: str | None) -> bool:
    """Tell, in a child, whether the model's template hung on the made-up conversation; so it would again."""
    return _summary is not None and _summary[0] is workspace and model in _summary[2]


def _identify(diagnostic: Diagnostic) -> str:
    return repr((diagnostic.code, diagnostic.place, diagnostic.flagged))


def _run_model_test(workspace: Workspace, model: Model) -> SelfTest | None:
    """Run the made-up conversation through a model's templates; None where its server is not known."""
    if model.modelfile:
        stated_system = model.modelfile.system
    else:
        stated_system = None
    system = Segment(stated_system or SYSTEM, "system", "modelfile" if stated_system else "probe")
    head = (Message("system", (system,)), Message("user", (Segment(USER, "variable", "question"),)))
    reply = Message("assistant", (Segment(REPLY, "variable", "answer"),))
    first, later = (
        build_served_input(workspace, model, head),
        build_served_input(workspace, model, (*head, reply, head[1])),
    )
    if first is None or later is None:
        return None
    template = training_text.find_training_template(model)
    if template:
        trained_input = training_text.render_training_text(workspace, template, (*head, reply))
    else:
        trained_input = None
    return SelfTest(
        model.name,
        system.text,
        USER,
        REPLY,
        first,
        later,
        trained_input,
        _build_alternatives(workspace, model, head, reply),
    )


def _build_alternatives(
    workspace: Workspace, model: Model, head: tuple[Message, ...], reply: Message
) -> tuple[ModelInput, ModelInput] | None:
    """Build the same conversation and its beginning by the template that Ollama may take instead."""
    first, later = (build_alternative(workspace, model, messages) for messages in (head, (*head, reply, head[1])))
    if first and later:
        return (first, later)
    return None

"""What each model's server makes of a made-up conversation, so that a template's own faults are found once."""

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
_held: tuple[tuple[Workspace, Mapping[str, SelfTest]], ...] = ()  # the last ones, newest first
_ran: tuple[Workspace, dict[str, SelfTest | None]] | None = None  # those that a child ran for models by their name
_told: tuple[Workspace, frozenset[str], frozenset[str]] | None = None  # in a child: what its caller found out


def run_self_tests(opened: Workspace) -> Mapping[str, SelfTest]:
    """A self-test for each model whose server is known."""
    global _held
    known = next((made for one, made in _held if one is opened), None)
    if known is None:
        made = ((name, _self_test(opened, model)) for name, model in opened.models.items())
        known = {name: self_test for name, self_test in made if self_test}
        _held = ((opened, known), *_held)[:KEEP]
    return known


def run_self_test(opened: Workspace, name: str | None) -> SelfTest | None:
    """The self-test of one model, run once in a process; None where its server is not known or its template hangs."""
    global _ran
    model = opened.models.get(name or "")
    if model is None or is_hanging(opened, name):
        return None
    if _ran is None or _ran[0] is not opened:
        _ran = (opened, {})
    if model.name not in _ran[1]:
        _ran[1][model.name] = _self_test(opened, model)
    return _ran[1][model.name]


def list_general_diagnostics(served: Mapping[str, SelfTest], opened: Workspace | None = None) -> tuple[Diagnostic, ...]:
    """What servers note whatever is sent: a template that cannot be read, one that prints the date.

    What went wrong while a template ran may be the made-up conversation's doing: that is told of real ones only,
    except of those models of `opened` that no condition sends anything to.
    """
    sent = {condition.model for condition in opened.conditions} if opened else served.keys()
    noted = (
        (name, model_input)
        for name, self_test in served.items()
        for model_input in (self_test.first, self_test.later, *_training_inputs(self_test))
    )
    found = {
        _about(diagnostic): diagnostic
        for name, model_input in noted
        if model_input.kind != "format"
        for diagnostic in model_input.diagnostics
        if diagnostic.values.get("when") not in ONCE or (name not in sent and diagnostic.values.get("when") != "read")
    }
    return tuple(found.values())


def _training_inputs(self_test: SelfTest) -> tuple[ModelInput, ...]:
    """The training text where a template of its own makes it, which somebody named: a guess that fails is ours."""
    return (self_test.trained,) if self_test.trained and has_own_template(self_test.trained, self_test.first) else ()


def has_own_template(trained: ModelInput, served: ModelInput | None) -> bool:
    """Whether what is noted on a training text is not told of the server already, or of our guess."""
    return not trained.assumed and (served is None or (trained.format, trained.place) != (served.format, served.place))


def list_record_diagnostics(opened: Workspace, model_input: ModelInput | None) -> tuple[Diagnostic, ...]:
    """What a server noted on one record's text and does not note of every text."""
    if model_input is None or model_input.kind == "format" or not model_input.diagnostics:
        return ()
    known = _told[1] if _told and _told[0] is opened else frozenset(summarise_for_child(opened)["noted"])
    return tuple(
        diagnostic
        for diagnostic in model_input.diagnostics
        if _about(diagnostic) not in known and diagnostic.values.get("when") != "read"
    )


def summarise_for_child(opened: Workspace) -> dict[str, list[str]]:
    """What a child is told of the servers, as JSON: what is noted whatever is sent, the models whose templates hang."""
    made = run_self_tests(opened)
    hang = [
        name
        for name, one in made.items()
        if any(diagnostic.code == "dat-limit" for diagnostic in one.first.diagnostics)
    ]
    return {"noted": [_about(diagnostic) for diagnostic in list_general_diagnostics(made, opened)], "hang": hang}


def accept_summary(opened: Workspace, found: Mapping[str, Iterable[str]]) -> None:
    """In a child: what `said` answered to its caller. To find it out again, every template would have to run inside
    the time of one record, and one that hangs would spoil the records of all the others.
    """
    global _told
    _told = (opened, frozenset(found["noted"]), frozenset(found["hang"]))


def is_hanging(opened: Workspace, model: str | None) -> bool:
    """In a child: whether the model's template hung on the made-up conversation, which is said; so would it here."""
    return _told is not None and _told[0] is opened and model in _told[2]


def _about(diagnostic: Diagnostic) -> str:
    return repr((diagnostic.code, diagnostic.place, diagnostic.flagged))


def _self_test(opened: Workspace, model: Model) -> SelfTest | None:
    stated = model.modelfile.system if model.modelfile else None
    system = Segment(stated or SYSTEM, "system", "modelfile" if stated else "probe")
    head = (Message("system", (system,)), Message("user", (Segment(USER, "variable", "question"),)))
    reply = Message("assistant", (Segment(REPLY, "variable", "answer"),))
    first, later = build_served_input(opened, model, head), build_served_input(opened, model, (*head, reply, head[1]))
    if first is None or later is None:
        return None
    template = training_text.find_training_template(model)
    trained = training_text.render_training_text(opened, template, (*head, reply)) if template else None
    return SelfTest(model.name, system.text, USER, REPLY, first, later, trained, _others(opened, model, head, reply))


def _others(
    opened: Workspace, model: Model, head: tuple[Message, ...], reply: Message
) -> tuple[ModelInput, ModelInput] | None:
    """The same conversation and its beginning by the template that Ollama may take instead."""
    first, later = (build_alternative(opened, model, messages) for messages in (head, (*head, reply, head[1])))
    return (first, later) if first and later else None

"""What a choice of a built-in format sends of every regular record, found out with two that are made up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from readback.checks import rules
from readback.checks.facts.outside_contexts import in_message
from readback.checks.facts.overlapping import shortened
from readback.checks.rules import Deciding
from readback.checks.rules.fmt_train_serve_diff import CODE as TRAINED_ROWS
from readback.checks.rules.fmt_train_serve_diff import TRAINED
from readback.prompts import builders, model_input, token_counts, training_text
from readback.prompts.adapter_texts import same_for_all
from readback.prompts.assemble import assemble
from readback.prompts.self_tests import hangs
from readback.prompts.training_layout import trained_on
from readback.serving import limits
from readback.serving.tokens import Counter
from readback.sources.prompt_texts import STANDARD, UNKNOWN
from readback.types import Finding, Location, Model, Record, RuleContext, Selection, VariableUse, Workspace

SILENT = frozenset(
    {
        "asm-duplicate-block", "asm-template-in-value", "fmt-context-not-sent", "fmt-markers", "fmt-rag-drift",
        "fmt-system-text-in-user", "fmt-train-serve-diff",
    }
)  # fmt: skip
OF_TOKENS = frozenset({"oll-num-ctx", "srv-over-limit"})  # silent where the messages fit, and nothing else is read
HEAD = f"{STANDARD} {UNKNOWN}\n\nContext:\n"  # of a stored prompt as the program writes it, before its contexts,
TAIL = "\n\nQuestion: %s\nAnswer:"  # and behind them
WITH_CONTEXTS = frozenset({"hybrid", "standard", "stored"})  # what is sent in these formats holds contexts
ASKED = "xyzzyq"  # what a made-up record asks: a word of no text


class Sizes(NamedTuple):
    """Of the values of a regular record as they are sent: characters, and how many contexts have `characters` of them
    together.
    """

    question: int
    prompt: int = 0
    contexts: int = 0
    characters: int = 0


class Regular(NamedTuple):
    """The values of a regular record as they are sent."""

    sizes: Sizes
    question: str
    prompt: str = ""
    contexts: tuple[str, ...] = ()


class Room(NamedTuple):
    """So many tokens, by a counter, are the messages of a choice to have at most."""

    tokens: int
    by: Counter


class Plan(NamedTuple):
    """What a choice sends of any regular record: its system message, and the format's sentences.

    `own` are the characters that are no values of the record's. `sentences` are those before the first, between and
    behind the values of the user message, `between` what is between two contexts; `uses` is what becomes of the names
    that are read. `room` is None where no limit is known.
    """

    kind: builders.Builder
    system: tuple[str, ...]
    sentences: tuple[str, ...]
    between: str
    own: int
    uses: tuple[VariableUse, ...]
    room: Room | None

    def length(self, of: Sizes) -> int:
        """The characters of all messages for values of these sizes."""
        if self.kind == "stored":
            return self.own + of.prompt
        if self.kind in WITH_CONTEXTS:
            return self.own + of.question + of.characters + len(self.between) * (of.contexts - 1)
        return self.own + of.question

    def text(self, values: Regular) -> str:
        """The user message."""
        if self.kind == "stored":
            return values.prompt
        if self.kind not in WITH_CONTEXTS:
            return values.question.join(self.sentences)
        both = (values.question, self.between.join(values.contexts))
        first, second = both if self.kind == "hybrid" else both[::-1]
        return "".join((self.sentences[0], first, self.sentences[1], second, self.sentences[2]))


class Probe(NamedTuple):
    """What a choice sends of a made-up record: `own` is its text outside of contexts, `told` are the rules of SILENT
    that find something there, `plan` is where nothing else can be said.
    """

    kind: builders.Builder
    case: RuleContext
    own: str
    told: frozenset[str]
    plan: Plan | None


def probe(opened: Workspace, choice: Selection, silent: Deciding, every: Deciding | None) -> Probe | None:
    """What a choice of a built-in format sends of two made-up records; None where that may be anything.

    It has a plan where nothing at all can be said of a regular record, if `every` rule is asked.
    """
    built = builders.alone(opened, choice, adapter=True)
    if built is None or not same_for_all(opened, choice):
        return None
    kind, model = built
    two, three = (_case(opened, _made_up(count), choice) for count in (2, 3))
    if two is None or three is None:
        return None
    found = [found for one in (two, three) for found in rules.check(one, "assembly", None, silent)]
    if any(isinstance(one, rules.Fault) for one in found):
        return None
    told = frozenset(one.code for one in found if isinstance(one, Finding))
    if model and model.training_messages and model.type not in TRAINED:
        told |= {TRAINED_ROWS}  # each record is compared with its own row
    user, fields = next(two.messages("user")), two.record.fields if two.record else {}
    if kind == "standard" and two.trained and two.trained.text in user.text:
        return None  # trained on the stored prompt: blanks at the end of a context are in that alone
    own = shortened(user.text, in_message(user, fields))
    nothing_else = every and not told and _is_all(opened, model, (two, three), every)
    return Probe(kind, two, own, told, _plan(opened, kind, model, two, three) if nothing_else else None)


def _case(opened: Workspace, record: Record, choice: Selection) -> RuleContext | None:
    """What the rules see of the messages for a record; None where these are others than usual."""
    made = assemble(opened, record, choice, marked=False)
    if made.diagnostics or [one.role for one in made.messages] not in (["user"], ["system", "user"]):
        return None
    return RuleContext(opened, record, made, trained_on(opened, record, choice))


def _is_all(opened: Workspace, model: Model | None, cases: Iterable[RuleContext], every: Deciding) -> bool:
    """Whether all that can be said of such messages is what SILENT and the count of their tokens say."""
    if model and (hangs(opened, model.name) or training_text.template(model)):
        return False
    for case in cases:
        record, made = case.record, case.assembly
        condition = opened.condition(made.choice.condition) if made and made.choice.condition else None
        if record is None or made is None or model_input.sent(opened, record, made, condition, False):
            return False
        counted = replace(case, tokens=token_counts.as_needed(opened, made, None))
        if not (SILENT | OF_TOKENS).issuperset(code for code, _ in every.rules_for(counted, "assembly")):
            return False
        if any(rules.check(counted, "assembly", None, every)):
            return False
    return True


def _plan(
    opened: Workspace, kind: builders.Builder, model: Model | None, two: RuleContext, three: RuleContext
) -> Plan | None:
    """What a choice sends of any regular record, from what it sends of two; None where it is put together otherwise."""
    limit = limits.of(model)
    user = next(two.messages("user")).text
    plan = Plan(
        kind,
        tuple(message.text for message in two.messages("system")),
        *_sentences(kind, user),
        own=0,
        uses=two.assembly.uses if two.assembly else (),
        room=Room(limit.room, token_counts.counter(opened, model)) if limit else None,
    )
    sent = [message.text for case in (two, three) for message in case.messages("user")]
    if [plan.text(_values(count)) for count in (2, 3)] != sent:
        return None
    return plan._replace(own=_length(two) - plan.length(_values(2).sizes))


def _made_up(count: int) -> Record:
    """A record as the formats want it, with so many contexts."""
    rag = {"prompt": _prompt(count), "contexts": [_context(number) for number in range(1, count + 1)]}
    fields = {"instruction": f"{ASKED}?", "expected_response": f"{ASKED} [1]", "rag": rag}
    return Record(ASKED, fields, Location(index=0))


def _values(count: int) -> Regular:
    contexts = tuple(_context(number) for number in range(1, count + 1))
    question, prompt = f"{ASKED}?", _prompt(count)
    return Regular(Sizes(len(question), len(prompt), count, sum(map(len, contexts))), question, prompt, contexts)


def _sentences(kind: builders.Builder, text: str) -> tuple[tuple[str, ...], str]:
    """What a format writes around the values of a made-up record with two contexts, and what between these."""
    asked, first, second = f"{ASKED}?", _context(1), _context(2)
    if kind == "stored":
        return (), ""
    before, _, after = text.partition(asked)
    if kind not in WITH_CONTEXTS:
        return (before, after), ""
    around = after if kind == "hybrid" else before
    head, _, rest = around.partition(first)
    between, _, tail = rest.partition(second)
    return ((before, head, tail) if kind == "hybrid" else (head, tail, after)), between


def _prompt(count: int) -> str:
    block = "\n\n".join(_context(number) for number in range(1, count + 1))
    return f"{HEAD}{block}{TAIL % f'{ASKED}?'}"


def _context(number: int) -> str:
    return f"[{number}] {ASKED}{number}"


def _length(case: RuleContext) -> int:
    return sum(len(message.text) for message in case.assembly.messages) if case.assembly else 0

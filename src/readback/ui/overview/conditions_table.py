"""The table of conditions: what each one sends, whether that is what its model was trained with, what is wrong."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from markupsafe import Markup

from readback.checks.facts import trained_differences
from readback.checks.repeated_answers import count_repeated
from readback.checks.summary import Audit, Row
from readback.compare.first_difference import compare_self_test, format_after
from readback.prompts import selections
from readback.prompts.self_tests import run_self_tests
from readback.serving import limits
from readback.types import Workspace
from readback.ui.common import show
from readback.ui.common.draw import sample_words
from readback.ui.common.draw.table import Column
from readback.ui.common.draw.text import observed
from readback.ui.overview.headline import Headline, pictures
from readback.ui.overview.score_warnings import Counted
from readback.ui.prompts.one.model_input import program_line
from readback.words import t

SHOWN = 600  # characters of a system message in its hint; the whole is on Prompts
BEGIN = 48  # and in its cell
SAME_BELOW = {  # columns that tell nothing where all rows are alike, and their titles among the words
    "model": "model",
    "task": "task",
    "adapter": "adapter",
    "program": "program",
    "repeated": "repeated_column",
}

Cells = Mapping[str, Any]


def conditions(
    workspace: Workspace,
    checked: Audit,
    headline: Headline | None,
    states: States,
    of_scores: Counted,
    *,
    are_requests_drawn: bool = False,
) -> tuple[tuple[Column, ...], list[Cells]]:
    """Return the columns that say something, and a row for each condition (or mode and task). Where a picture above has
    what became of every request, the column of them is in the download alone.
    """
    # without a record it tells nothing of a condition
    if checked.conditions:
        audit = checked
    else:
        audit = None
    condition_rows = audit.conditions if audit else _unchecked(workspace)
    repeated = count_repeated(audit) if audit else {}
    by_name = {row.name: row for row in condition_rows}
    rows = [_cells(workspace, row, headline, states, repeated) for row in condition_rows]

    def fill_cell(draw: Callable[[Workspace, Row], Markup]) -> Callable[[Cells], Markup]:
        return lambda cells: draw(workspace, by_name[cells["name"]])

    def title(key: str) -> str:
        return sample_words.column(audit, t(f"overview.{key}"))

    columns = [
        Column("name", t("overview.name"), show=fill_cell(_to_messages)),
        Column("mode", t("overview.mode")),
        Column("model", t("overview.model")),
        Column("task", t("overview.task")),
        Column("adapter", t("overview.adapter")),
        Column("program", t("overview.program"), help=t("overview.program_help")),
    ]
    if audit:
        if any(_room(workspace, row) is not None for row in condition_rows):
            longest = "longest"
        else:
            longest = "longest_characters"
        columns += [
            Column(
                "system", t("overview.system"), show=fill_cell(partial(_system, states)), help=t("overview.system_help")
            ),
            Column(
                "around", t("overview.around"), show=fill_cell(partial(_around, states)), help=t("overview.around_help")
            ),
            Column(
                "longest",
                title(longest),
                number=True,
                show=fill_cell(partial(_longest, longest == "longest")),
                help=t("overview.longest_help"),
                # Where answers repeat their prompts, a length without a limit is not what anybody looks for.
                in_view=longest == "longest" or not repeated,
            ),
            Column("repeated", title("repeated_column"), number=True, help=t("overview.repeated_help")),
            Column("errors", title("errors"), number=True, show=fill_cell(_errors)),
            Column("warnings", title("warnings"), number=True, show=fill_cell(partial(_warnings, of_scores))),
            Column(
                "observed",
                title("observed_column"),
                show=fill_cell(_observed),
                help=t("overview.observed_help"),
                in_view=bool(repeated) or not are_requests_drawn,
            ),
        ]
    columns += pictures(headline, headline.shapes) if headline else ()
    columns = [replace(column, in_view=False) if _is_same_in_all(column.key, rows) else column for column in columns]
    columns_told = {"name", "longest", "errors", "warnings"}
    of_conditions = any(row.choice.condition for row in condition_rows)  # then what differs is seen in a column
    named = [
        key
        for key in ("mode", "task")
        if all(row[key] in (None, row["name"]) for row in rows) and not (key == "mode" and of_conditions)
    ]
    columns = [column for column in columns if column.key not in named]
    if of_conditions and all(row["mode"] and row["name"].startswith(f"{row['mode']} | ") for row in rows):
        columns = [replace(column, in_view=False) if column.key == "mode" else column for column in columns]
    if len(rows) > 1 and all(row["system"] == t("overview.no_system") for row in rows):
        columns = [replace(column, in_view=False) if column.key == "system" else column for column in columns]
    return tuple(c for c in columns if c.key in columns_told or any(row[c.key] for row in rows)), rows


def _is_same_in_all(key: str, rows: Sequence[Cells]) -> bool:
    """Tell whether several rows have the same in a column, which is then stated once below the table."""
    return (
        key in SAME_BELOW and len(rows) > 1 and rows[0][key] not in (None, "") and len({row[key] for row in rows}) == 1
    )


@dataclass(frozen=True, slots=True)
class States:
    """Of each row whether its system message and the text around its messages are those of training. `once` are, by
    column, states that several rows share: they are told in full below the table, and of all rows there alone.
    """

    system: Mapping[str, State]
    around: Mapping[str, State]

    def column(self, name: str) -> Mapping[str, State]:
        """Return the states of a column, by row."""
        if name == "system":
            return self.system
        return self.around

    def of_all(self, name: str) -> State | None:
        """Return what is true of all rows, where there are several."""
        states = self.column(name)
        state = next(iter(states.values()), None)
        if state and len(states) > 1 and not state.bad and set(states.values()) == {state}:
            return state
        return None

    def once(self, name: str) -> tuple[State, ...]:
        """Return what several rows have in common, though not all."""
        counts = Counter(self.column(name).values())
        return tuple(state for state, n in counts.items() if n > 1 and state.more and not state.bad)

    def in_row(self, name: str, row: str) -> State | None:
        """Return the content of a cell: nothing of what is true of all, and the word of what several rows share."""
        if self.of_all(name):
            return None
        state = self.column(name)[row]
        if state in self.once(name):
            return replace(state, more="")
        return state


@dataclass(frozen=True, slots=True)
class State:
    """Whether what is served is what the model was trained with: the same, differs, cannot be told, or nothing to
    compare. `word` says which, `more` how it differs or what is missing.
    """

    word: str
    more: str = ""
    bad: bool = False

    @property
    def sentence(self) -> str:
        """Word and detail in a line."""
        if self.more:
            return f"{self.word}: {self.more}"
        return self.word


def states(workspace: Workspace, checked: Audit) -> States:
    """Those of every row; none where no training of any model is known, since there is nothing to compare."""
    if _has_training(workspace):
        rows = checked.conditions
    else:
        rows = ()
    return States(
        {row.name: system_as_trained(workspace, row) for row in rows},
        {row.name: text_as_trained(workspace, row) for row in rows},
    )


def below(states: States, rows: Sequence[Cells]) -> Markup:
    """Draw what is true of all rows, and once the reason that several rows share."""
    lines = []
    if not states.system and len(rows) > 1 and all(row["system"] == t("overview.no_system") for row in rows):
        lines.append(t("overview.all_rows", column=t("overview.system"), said=t("overview.no_system")))
    for name in ("system", "around"):
        column = t(f"overview.{name}")
        if state := states.of_all(name):
            lines.append(t("overview.all_rows", column=column, said=state.sentence))
            continue
        whys: dict[str, list[str]] = {}
        for state in states.once(name):
            whys.setdefault(state.word, []).append(state.more)
        lines += [t("overview.some_rows", column=column, word=word, why="; ".join(more)) for word, more in whys.items()]
    for key, title in SAME_BELOW.items():
        if rows and key in rows[0] and _is_same_in_all(key, rows):
            lines.append(t("overview.all_rows", column=t(f"overview.{title}"), said=rows[0][key]))
    if lines:
        return show.h('<p class="rb-small">{}</p>', " ".join(lines))
    return Markup("")


def system_as_trained(workspace: Workspace, row: Row) -> State:
    """Whether the system message that is served is the one that the model was trained with."""
    model = workspace.models.get(row.model or "")
    if row.system_sha is None and row.system_unknown:
        return State(t("overview.unknown_system"), row.system_unknown)
    if model is None or (model.training is None and model.modelfile is None):
        return _nothing(workspace, row)
    if model.training is None:
        return State(t("overview.trained_unknown"), t("overview.no_training_text"))
    if model.training.verified:
        typed = ""
    else:
        typed = t("overview.trained_typed")
    if (row.system_sha or _sha("")) == _sha(model.training.text):
        return State(t("overview.trained_same"), typed)
    if row.system_sha is None:
        how = "not_sent"
    elif model.training.text:
        how = "other"
    else:
        how = "added"
    more = ", ".join(part for part in (t(f"overview.trained_{how}"), typed) if part)
    return State(t("overview.trained_differs"), more, bad=True)


def text_as_trained(workspace: Workspace, row: Row) -> State:
    """Whether the server writes the same text around the messages as training did."""
    model, self_test = workspace.models.get(row.model or ""), run_self_tests(workspace).get(row.model or "")
    learned = self_test.trained if self_test else None
    if model is None or not (model.training or model.modelfile or learned):
        return _nothing(workspace, row)
    if self_test is None or not self_test.first.segments:
        return State(t("overview.trained_unknown"), t("overview.no_chat_template"))
    if learned is None or not learned.segments:
        return State(t("overview.trained_unknown"), t("overview.no_training_template"))
    differences = [
        difference
        for difference in compare_self_test(self_test)
        if not trained_differences.is_harmless(difference, self_test.first.kind, model)
    ]
    if learned.assumed:
        assumed = t("overview.text_assumed", name=learned.format)
    else:
        assumed = ""
    if not differences:
        return State(t("overview.trained_same"), assumed)
    where = t("overview.text_differs", where=format_after(differences[0]).replace("`", ""), n=len(differences))
    return State(t("overview.trained_differs"), ", ".join(part for part in (where, assumed) if part), bad=True)


def _nothing(workspace: Workspace, row: Row) -> State:
    """No training is known of the model, or no model of the row."""
    trained_model = workspace.models.get(row.model or "")
    if trained_model and trained_model.training_messages:
        return State(
            t("overview.trained_unknown"), t("overview.no_training_system", file=trained_model.training_messages)
        )
    return State(
        t("overview.trained_nothing"), t("overview.no_training", model=trained_model.name) if trained_model else ""
    )


def _unchecked(workspace: Workspace) -> Sequence[Row]:
    """Return the rows as far as they are in the configuration, without reading a record."""
    rows = []
    for choice in (selection for selection in selections.list_selections(workspace) if selection.judge is None):
        if choice.condition:
            condition = workspace.condition(choice.condition)
        else:
            condition = None
        mode, task, adapter = (
            (getattr(condition, key) if condition else None) or getattr(choice, key)
            for key in ("mode", "task", "adapter")
        )
        name = choice.condition or " · ".join(part for part in (mode, task, adapter) if part)
        rows.append(Row(name, choice, mode, condition.model if condition else None, adapter, task))
    return [row for row in rows if row.choice.condition] or rows


def _cells(
    workspace: Workspace, row: Row, headline: Headline | None, states: States, repeated: Mapping[str, int]
) -> Cells:
    if headline:
        score = headline.find_shape(row.name)
    else:
        score = None
    return {
        "name": row.name,
        "mode": row.mode,
        "model": row.model,
        "task": row.task,
        "adapter": row.adapter,
        "program": program_line.in_short(workspace, row.choice),
        "system": _system_said(workspace, row),
        "around": states.around[row.name].sentence
        if row.name in states.around and not states.of_all("around")
        else None,
        "longest": row.tokens.count if row.tokens else row.longest,
        "repeated": repeated.get(row.name),
        "errors": row.errors,
        "warnings": row.warnings,
        "observed": t("overview.observed_cell", equal=observed_counts[0], logged=observed_counts[1])
        if (observed_counts := row.observed)[1]
        else None,
        "shape": score.distribution if score else None,
        "mean": score.summary if score else None,
    }


def _no_system(row: Row) -> str:
    return t("overview.unknown_system" if row.system_unknown else "overview.no_system")


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _has_training(workspace: Workspace) -> bool:
    """Whether a training of any model is known: else there is nothing to say of it in every row."""
    if any(model.training or model.modelfile for model in workspace.models.values()):
        return True
    return any(self_test.trained for self_test in run_self_tests(workspace).values())


def _system_said(workspace: Workspace, row: Row) -> str:
    if row.system_sha:
        own = f"{row.system} {row.system_sha}"
    else:
        own = _no_system(row)
    if not _has_training(workspace):
        return own
    return "; ".join(dict.fromkeys((system_as_trained(workspace, row).sentence, own)))


def _system(states: States, workspace: Workspace, row: Row) -> Markup:
    """Whether it is the trained one, and below who states it."""
    if states.system:
        state = states.in_row("system", row.name)
    else:
        state = None
    if not row.system_sha and row.system_unknown:
        return _state(state or State(t("overview.unknown_system"), "" if states.system else row.system_unknown))
    own = _stated(workspace, row)
    if state:
        return show.h('{}<br><span class="rb-small">{}</span>', _state(state), own)
    return own


def _state(state: State, link: Markup | str = "") -> Markup:
    """Return the state, and below it how or what: both read without a pointer, by a room that looks at a wall."""
    if state.more:
        more = show.h('<br><span class="rb-small rb-around">{}</span>', link or state.more)
    else:
        more = Markup("")
    return show.h('<span class="{}">{}</span>{}', "rb-warn" if state.bad else "rb-fine", state.word, more)


def _stated(workspace: Workspace, row: Row) -> Markup:
    """Who states the system message, and the first digits of its sha256: equal digits, equal text."""
    if not row.system_sha:
        return show.h("{}", _no_system(row))
    source, _, place = str(row.system).partition(" ")
    text = next(
        (system_text.text for system_text in workspace.system_texts if _sha(system_text.text) == row.system_sha), ""
    )
    shown_text = show.exact_text(text if len(text) <= SHOWN else text[:SHOWN] + "…") if text else ""
    hint = show.h(
        '<span class="rb-hint">{}<span class="rb-small">{} sha256 {}</span></span>', shown_text, place, row.system_sha
    )
    first = text.partition("\n")[0]
    if first == text and len(text) <= BEGIN:
        begin = f"“{text}”"
    else:
        begin = f"“{first[:BEGIN].rstrip()}…”"
    return show.h(
        '{}<span class="rb-hinted rb-nobr" tabindex="0">{} <code>{}</code>{}</span>',
        show.h("{} ", show.text(begin)) if text else "",
        source,
        row.system_sha[:8],
        hint,
    )


def _around(states: States, workspace: Workspace, row: Row) -> Markup:
    """Return the text around the messages; where it differs, the way to both texts."""
    state = states.in_row("around", row.name)
    if state is None:
        return Markup("")
    return _state(
        state, show.link("prompts", state.more, **{**asdict(row.choice), "layer": "training"}) if state.bad else ""
    )


def _room(workspace: Workspace, row: Row) -> int | None:
    """Tokens that a prompt may have, where both they and those of the longest one are known."""
    if row.tokens:
        limit = limits.find_limit(workspace.models.get(row.model or ""))
    else:
        limit = None
    if limit:
        return limit.room
    return None


def _longest(mixed: bool, workspace: Workspace, row: Row) -> Markup:
    """Return the longest prompt, and of what: where all rows count characters the heading says so."""
    if row.longest is None:
        return show.h("–")
    room, counted = _room(workspace, row), row.tokens
    if room is None or counted is None:
        if mixed:
            unit = show.h('<br><span class="rb-small">{}</span>', t("overview.characters"))
        else:
            unit = Markup("")
        return show.h("{}{}", show.number(row.longest), unit)
    if counted.exact:
        word = "of_limit"
    else:
        word = "of_limit_estimated"
    words = t(f"overview.{word}", n=room)
    if counted.count > room:
        looks = "rb-warn"
    else:
        looks = "rb-small"
    return show.h('{}<br><span class="{}">{}</span>', show.number(counted.count), looks, words)


def _to_messages(workspace: Workspace, row: Row) -> Markup:
    return show.link("prompts", row.name, **asdict(row.choice))


def _errors(workspace: Workspace, row: Row) -> Markup:
    own = _to_findings(row.name, "error", row.errors)
    if not row.model_errors:
        return own
    link = show.link("prompts", t("overview.of_model", n=row.model_errors), **{**asdict(row.choice), "layer": "wire"})
    return show.h('{}<br><span class="rb-small">{}</span>', own, link)


def _warnings(of_scores: Counted, workspace: Workspace, row: Row) -> Markup:
    return of_scores.cell(row, _to_findings(row.name, "warning", row.warnings))


def _observed(workspace: Workspace, row: Row) -> Markup:
    return observed.cell(row)


def _to_findings(name: str, severity: str, count: int) -> Markup:
    if count:
        return show.link("findings", f"{count:,}", severity=severity, arm=name)
    return show.h("0")

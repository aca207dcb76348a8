"""The table of all places that state a model's system message, the odd one marked."""

from __future__ import annotations

from markupsafe import Markup

from readback.checks.system_places import Stated, system_places
from readback.types import Assembly, Message, Model, Workspace
from readback.ui.common import show
from readback.words import t

SHOWN = 2_000  # characters of one text; the rest is where it is stated


def draw(workspace: Workspace, model: Model, trained: Assembly | None, sent: Assembly) -> None:
    """The table; nothing where no place states any."""
    found = system_places(workspace, model, trained=_system(trained), sent=_system(sent))
    if not found:
        return
    heads = [t(f"training_text.system_{name}") for name in ("where", "text", "same")]
    cells = show.join([show.h('<th scope="col">{}</th>', head) for head in heads])
    caption = t("training_text.system_title", model=model.name)
    rows = show.join([_row(one) for one in found])
    table = '<table class="rb-table"><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
    show.draw(show.h(f'<h2>{{}}</h2><div class="rb-scroll" role="region" tabindex="0" aria-label="{{}}">{table}</div>',
                     caption, caption, caption, cells, rows))  # fmt: skip


def _row(one: Stated) -> Markup:
    where = show.h(
        '{}<br><span class="rb-small">{}</span>', t(f"training_text.place_{one.kind}"), show.where(one.place)
    )
    text = one.text or ""
    shown = (
        show.exact_text(text[:SHOWN])
        if text
        else show.h('<em class="rb-small">{}</em>', t("training_text.states_none"))
    )
    more = t("messages.more_characters", n=len(text) - SHOWN) if len(text) > SHOWN else ""
    looks = "" if one.same else ' class="rb-odd"'
    cells = '<td>{}</td><td class="rb-system">{} {}</td><td>{}</td>'
    return show.h(f"<tr{looks}>{cells}</tr>", where, shown, more, _same(one))


def _same(one: Stated) -> Markup:
    if one.same:
        return show.h("{}", t("training_text.same"))
    key = "odd_none" if not one.text else "odd_blanks" if one.blanks else "odd"
    sign = '<span class="rb-severity rb-warning"><span class="rb-sign" aria-hidden="true">▲</span> {}</span>'
    return show.h(sign, t(f"training_text.{key}", at=one.at + 1))


def _system(made: Assembly | None) -> Message | None:
    return next((one for one in made.messages if one.role == "system"), None) if made else None

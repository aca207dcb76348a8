"""The table of all places that state a model's system message, the odd one marked."""

from __future__ import annotations

from markupsafe import Markup

from readback.checks.system_places import Stated, system_places
from readback.types import Assembly, Message, Model, Workspace
from readback.ui.common import show
from readback.words import t

SHOWN = 2_000  # characters of one text; the rest is where it is stated


def draw(workspace: Workspace, model: Model, trained: Assembly | None, sent: Assembly) -> None:
    """Draw the table; nothing where no place states any."""
    stated_texts = system_places(workspace, model, trained=_system(trained), sent=_system(sent))
    if not stated_texts:
        return
    heads = [t(f"training_text.system_{name}") for name in ("where", "text", "same")]
    cells = show.join([show.h('<th scope="col">{}</th>', head) for head in heads])
    caption = t("training_text.system_title", model=model.name)
    rows = show.join([_row(stated) for stated in stated_texts])
    table = '<table class="rb-table"><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>'
    show.draw(
        show.h(
            f'<h2>{{}}</h2><div class="rb-scroll" role="region" tabindex="0" aria-label="{{}}">{table}</div>',
            caption,
            caption,
            caption,
            cells,
            rows,
        )
    )


def _row(stated: Stated) -> Markup:
    where = show.h(
        '{}<br><span class="rb-small">{}</span>', t(f"training_text.place_{stated.kind}"), show.where(stated.place)
    )
    text = stated.text or ""
    if text:
        text_cell = show.exact_text(text[:SHOWN])
    else:
        text_cell = show.h('<em class="rb-small">{}</em>', t("training_text.states_none"))
    if len(text) > SHOWN:
        more = t("messages.more_characters", n=len(text) - SHOWN)
    else:
        more = ""
    looks = "" if stated.same else ' class="rb-odd"'
    cells = '<td>{}</td><td class="rb-system">{} {}</td><td>{}</td>'
    return show.h(f"<tr{looks}>{cells}</tr>", where, text_cell, more, _same(stated))


def _same(stated: Stated) -> Markup:
    if stated.same:
        return show.h("{}", t("training_text.same"))
    if not stated.text:
        key = "odd_none"
    elif stated.blanks:
        key = "odd_blanks"
    else:
        key = "odd"
    sign = '<span class="rb-severity rb-warning"><span class="rb-sign" aria-hidden="true">▲</span> {}</span>'
    return show.h(sign, t(f"training_text.{key}", at=stated.at + 1))


def _system(assembly: Assembly | None) -> Message | None:
    if assembly:
        return next((message for message in assembly.messages if message.role == "system"), None)
    return None

"""Compare: what differs between two?"""

import streamlit as st

from readback.ui.common import address, show
from readback.ui.common.draw import keys, loaded, picker, size
from readback.ui.common.state import choice
from readback.ui.compare import (
    compare_bar,
    compare_grid,
    compare_made,
    compare_records,
    compare_take,
    compare_versions,
    compare_view,
    fair,
)
from readback.ui.messages import bar, variants
from readback.words import t

st.title(t("compare.title"))
workspace, data = choice.workspace(), choice.dataset()
if not picker.options(workspace) or len(data) == 0:
    why = t("compare.nothing_to_send") if not picker.options(workspace) else loaded.no_records(workspace)
    scored = [(t("compare.by_scores"), "scores")] if workspace.scores else []
    show.empty(why, t("messages.add_files"), "open", *scored)
    st.stop()

with st.container(horizontal=True, vertical_alignment="center", key="bar"):
    bar.records()
    compare_bar.layer()
    compare_bar.swap()
    show.draw(compare_view.to_messages())
with st.container(horizontal=True, vertical_alignment="center", key="sides"):
    compare_bar.sides()
picker.more()
compare_versions.refused()
bar.show_search_outcome()

found = compare_made.compared()
compare_view.draw_sentence(found)
fair.draw()
compare_view.warned(found)

with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", key="switch"):
    view = compare_view.switch()
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        if view == "text":
            for name in ("whole", "inline", "whitespace"):
                address.follow_switch(name)
                words = "messages" if name == "whitespace" else "compare"
                st.toggle(t(f"{words}.{name}"), key=name, help=t(f"{words}.{name}_help"),
                          on_change=address.keep, args=(name,))  # fmt: skip
            size.buttons()
        keys.listen(keys.COMPARE)

if view == "grid":
    compare_grid.draw()
    variants.compared(found)
elif view == "records":
    compare_records.draw()
    variants.compared(found)
else:
    compare_view.texts(found)
    compare_view.legend(found)
    variants.compared(found)
    compare_view.exactness(found)
    compare_take.draw(found)

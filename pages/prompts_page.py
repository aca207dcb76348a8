"""Prompts: what exactly does the model get?"""

from readback.ui.prompts import room
from readback.ui.prompts.difference import page as difference
from readback.ui.prompts.one import page as one

view = room.get_view()
if view == room.ONE:
    one.draw()
else:
    difference.draw(view)

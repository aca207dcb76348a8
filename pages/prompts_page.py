"""Prompts: what exactly does the model get?"""

from readback.ui.prompts import room
from readback.ui.prompts.difference import page as difference
from readback.ui.prompts.every import page as every
from readback.ui.prompts.one import page as one
from readback.ui.prompts.sides import page as sides

view = room.get_view()
if view == room.ONE:
    one.draw()
elif view == room.SIDES:
    sides.draw()
elif view == room.EVERY:
    every.draw()
else:
    difference.draw(view)

"""Review: what do we decide, and does it still hold?"""

from readback.ui.review import agenda_page, record_page, room

view = room.get_view()
if view == room.OPEN:
    agenda_page.draw()
else:
    record_page.draw(view)

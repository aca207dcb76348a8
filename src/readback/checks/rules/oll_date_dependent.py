"""A template prints the date, so the prompt changes from day to day.

The `TEMPLATE` of a Modelfile calls `currentDate` or `yesterdayDate`.

The same record gives another prompt tomorrow: answers of two days were not made from the same text, and a prompt cannot
be shown again as it was sent. Here today's date is in its place, or the workspace's `today`.

Write a fixed date in the template, or say the day of the run in readback.yml: `today: 2026-01-31`.
"""

CODE = "oll-date-dependent"
SEVERITY = "info"
ON = "load"
SENTENCE = "the template prints the date, so the same record gives another prompt on another day"
FIX = "write a fixed date in the template, or say the day of the run under today: in readback.yml"
PASS = ({"Modelfile": 'FROM x\nTEMPLATE "Today is 2026-01-31. {{ .Prompt }}"\n'},)
FAIL = ({"Modelfile": 'FROM x\nTEMPLATE "Today is {{ currentDate }}. {{ .Prompt }}"\n'},)

"""Logs of other tools: what they sent, what came back, and how it was scored. Nothing is run and nothing assembled.

A log is read once, in the bounded child, and written as four files of JSON lines into the cache (`decode`): its calls,
answers, records and scores, each in the words of Readback. Everything above reads these files as any dataset:

    calls     index, record, epoch, call, role, condition, messages, output, error, key   one line for each request
    answers   key, record, epoch, condition, response                                     the last reply to a record
    records   id and the fields of the tool's own row                                     one line for each record
    scores    record, epoch, condition, judge, criterion, value, raw, status              one line for each grade

To add a format: write a module in `formats` that yields the events of `events`, and add its line to the table in
`formats/__init__.py`.
"""

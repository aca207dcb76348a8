"""Find Python objects that a template prints in place of a value, such as the method of a mapping.

The model then reads a memory address that changes from run to run.
"""

import re
from collections.abc import Iterator

from readback.checks.facts import variable_uses
from readback.checks.facts.record_fields import list_texts
from readback.types import Diagnostic, Location, RuleContext

CODE = "asm-python-object"
ON = "assembly"
NEEDS = "template"
# What Python writes for a method, a function or a class: nothing that a prompt means to say.
OBJECT = re.compile(
    r"<(?:built-in method|built-in function|bound method|method|function|generator object|macro|module|class) "
    r"[^<>\n]{1,200}>|<[\w.]+ object at 0x[0-9a-f]+>|<Macro '[^<>\n]{1,200}'>"
)
FILLED = ("variable", "template", "system", "task")
PASS = (
    {"p.jinja": "{{ meta['items'] }}\n", "d.jsonl": '{"id": "1", "meta": {"items": ["a"]}}\n'},
    {"p.jinja": "{{ q }} <class 'dict'>\n", "d.jsonl": '{"id": "1", "q": "What is <function f at 0x7f>?"}\n'},
)
FAIL = (
    {"p.jinja": "{{ meta.items }}\n", "d.jsonl": '{"id": "1", "meta": {"items": ["a"]}}\n'},
    {"p.jinja": "{{ dict }} {{ q }}\n", "d.jsonl": '{"id": "1", "q": "a"}\n'},
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each printed object that neither the template nor the record contains as text."""
    prompt = variable_uses.find_prompt(case)
    if case.assembly is None or case.record is None or prompt is None:
        return
    template = f"{prompt.template or ''}{prompt.system or ''}"
    for message in case.assembly.messages:
        offset = 0
        for segment in message.segments:
            hits = OBJECT.finditer(segment.text) if segment.origin in FILLED and "<" in segment.text else ()
            for hit in hits:
                if hit[0] in template or any(hit[0] in text for _, text in list_texts(case.record.fields)):
                    continue
                place = Location(role=message.role, start=offset + hit.start(), end=offset + hit.end())
                if segment.origin == "variable":
                    name = segment.name
                else:
                    name = ""
                # the address differs from run to run, and the finding must not
                printed = hit[0].partition(" at 0x")[0].removesuffix(">") + ">"
                yield Diagnostic(CODE, {"name": name or "", "object": printed}, place, printed)
            offset += len(segment.text)

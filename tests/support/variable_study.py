"""A template over rows in which every state of a variable is to be found."""

TEMPLATE = (
    "{% for c in docs %}{{ c.title }}: {{ c.text }}{% if c.year %} ({{ c.year }}){% endif %}{% endfor %}"
    "{{ question }}{{ tone }}{% if long %}{{ summary }}{% endif %}"
)
PLAN = {"dataset": "d.jsonl", "modes": [{"mode": "m", "template": TEMPLATE, "default": {"tone": "calm"}}]}
ROWS = [
    {"id": "a", "question": "Q", "docs": [{"title": "t", "text": "x", "url": "u"}], "note": {"by": "me", "at": 1}},
    {"id": "b", "question": "", "docs": [], "tone": "loud"},
    {"id": "c", "docs": [{"text": "x"}, {"title": None, "text": "y", "year": 1}], "long": True, "sumary": "s"},
    {"id": "d", "question": None, "documents": []},
]

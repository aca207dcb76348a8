"""Two hundred texts that pages like to change."""

# ruff: noqa: E501 - a table of texts
from __future__ import annotations

import random

EDGES = (
    "", " ", "  lead", "trail  ", "\n", "\n\n", "\nlead", "trail\n", "Answer:\n", "Answer: ", "\ttab\t", " \n \n ", "a\n\n\n\nb",
    "    indented\n      more\n", "a\u2028b", "a\u2029b", "a\x85b", "a\x0bb\x0cc", "\x01\x02\x1b[31mred\x1b[0m\x7f", "\x80\x81\x9f",
    "\u202eevil\u202c", "\u200e\u200f\u061c", "\u2066x\u2069", "\ufeffbom", "in\ufeffside", "\u200bzero\u200b", "a\u00adb", "a\u00a0b\u202fc",
    "👩‍👩‍👧‍👦", "🏳️‍🌈", "e\u0301 e\u0301\u0301", "é vs e\u0301", "👍🏽", "क्षि", "שלום עולם", "مرحبا بالعالم", "中文，标点", "日本語\n",
    "</pre><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- -->", "<![CDATA[x]]>", "&amp;&lt;&#13;&nbsp;", "&copy", "</div></div></span>",
    "<style>*{display:none}</style>", "<svg><style><!--</style><img src=x>", "<math><mi//xlink:href='data:x'>", "\"quoted\" 'single' `back`",
    "{{ jinja }} {% if x %}", "{format} {0} %s", "# heading\n* list\n> quote", "**bold** _it_ ~~no~~", "$x^2$ $$y$$", ":red[x] :material/home:",
    "[link](http://example.com) ![i](http://example.com/i.png)", "http://example.com/x.png", "|a|b|\n|-|-|\n|1|2|", "```\ncode\n```", "\\n \\t \\\\",
    "a" * 500, "a " * 200, "word\u00a0" * 50, "\u3000wide\u3000", "\u1680\u180e\u205f", "\ufffe\uffff", "\U0001ffff\U0010ffff", "\ue000\uf8ff",
    "\ufff9a\ufffab\ufffb", "\U000e0041\U000e007f", "ﬁ ﬂ ﬀ", "İ ı ß ẞ", "ǆ ǅ", "Z̸̡̢̛a̷l̶g̵o̴", "\u034fcgj", "line\\\nnext", "<|im_start|>system\n<|im_end|>", "[INST] x [/INST]",
)  # fmt: skip
LOST = ("x\0y", "\0", "a\rb", "a\r\nb\r\n", "\r", "x\ud800y", "\udfff", "\ud83d and \ude00", "\0\r\ud800")
POOL = " \n\t\u00a0\u2028\u200b\u202e\u0085\u0301<>&\"'/=ab\x01\x1f\x7f\x9f\ufeff中é😀"


def texts(count: int = 200) -> list[str]:
    """The edges, what no browser keeps, and random mixtures, always the same ones."""
    chance = random.Random(7)
    mixed = ("".join(chance.choices(POOL, k=chance.randint(1, 40))) for _ in range(count))
    return [*EDGES, *LOST, *mixed][:count]


TAGS = ("script", "img", "svg", "iframe", "a", "math", "style", "object", "embed", "video", "form", "base", "meta", "link",
        "details", "marquee", "input", "body")  # fmt: skip
WAYS = ("onerror=document.title=1 src=x", "onload=document.title=1", "href=javascript:document.title=1", "src=//evil.example/x",
        "style=background:url(//evil.example/y)", "srcdoc='<script>parent.document.title=1</script>'", "action=//evil.example",
        "onfocus=document.title=1 autofocus", "xlink:href=data:text/html,x", "http-equiv=refresh content=0;url=//evil.example",
        "")  # fmt: skip
AROUND = ("<{} {}>x</{}>", "</p></div><{} {}>x</{}><!--")


def markup(count: int = 404) -> list[str]:
    """Markup that would run a script or ask another host, were it not shown as the text that it is."""
    made = [around.format(tag, way, tag) for around in AROUND for tag in TAGS for way in WAYS]
    more = [f"[{n}](javascript:document.title=1) ![{n}](http://evil.example/{n}.png)" for n in range(count - len(made))]
    return [*made, *more][:count]


def shown(text: str) -> str:
    """What the page says: the same text, but NUL, CR and lone surrogates are marks."""
    marks = {"\0": "NUL", "\r": "CR"}
    return "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else marks.get(c, c) for c in text)

"""Hypothesis strategies for Jinja templates and the JSON values they are rendered with."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ("query", "chunks", "rag", "n", "flag", "missing", "x", "y")
FIELDS = ("text", "title", "score", "tags", "items")
TEXT = st.sampled_from(
    ("", "a", "Q?", "  lead", "trail \n", "é\u2028", "<b>&", "{{ no }}", "1", "\U000f0001", "x\ty", "ß")
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 300) | st.sampled_from((0.5, -2.0, 1e20)) | TEXT

CHUNK = st.dictionaries(st.sampled_from(FIELDS), SCALARS | st.lists(SCALARS, max_size=3), max_size=4)
VALUES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "query": TEXT,
        "chunks": st.lists(CHUNK, max_size=3),
        "rag": st.fixed_dictionaries({}, optional={"contexts": st.lists(TEXT, max_size=3), "best": CHUNK}),
        "n": st.integers(-2, 5),
        "flag": st.booleans(),
        "x": SCALARS,
        "y": st.lists(SCALARS, max_size=3),
    },
)

PATHS = st.sampled_from(
    (
        *NAMES,
        "chunk.text",
        "chunk.title",
        "chunk['score']",
        "chunk.get('text')",
        "chunk.get('title', 'none')",
        "rag.contexts",
        "rag.contexts[0]",
        "rag.best.text",
        "chunks[0]",
        "chunks[n].text",
        "y[-1]",
        "loop.index",
        "loop.last",
        "loop.previtem",
        "ns.seen",
    )
)
LITERALS = st.sampled_from(("'s'", '"\\n"', "3", "1.5", "none", "true", "[1, 'b']", "(1, 2)", "{'text': query}", "''"))
FILTERS = st.sampled_from(
    (
        "upper",
        "lower",
        "title",
        "capitalize",
        "trim",
        "length",
        "first",
        "last",
        "default('d')",
        "default('d', true)",
        "d(query)",
        "join",
        "join(', ')",
        "join(query)",
        "join('-', attribute='text')",
        "map(attribute='text')",
        "map('upper')",
        "map(attribute='text') | join('; ')",
        "select",
        "reject('none')",
        "selectattr('text')",
        "list",
        "string",
        "int",
        "float",
        "round",
        "abs",
        "sum",
        "sort",
        "unique",
        "reverse",
        "replace('a', query)",
        "truncate(4)",
        "wordcount",
        "indent",
        "center(9)",
        "e",
        "safe",
        "tojson",
        "tojson(indent=2)",
        "batch(2) | list",
        "slice(2) | list",
        "groupby('title')",
        "dictsort",
        "items",
        "urlencode",
        "striptags",
        "xmlattr",
        "pprint",
        "format(query)",
        "attr('text')",
    )
)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    if depth == 0:
        return draw(PATHS | LITERALS)
    inner = expressions(depth=depth - 1)
    kind = draw(st.integers(0, 11))
    if kind <= 3:
        return draw(PATHS)
    if kind == 4:
        return draw(LITERALS)
    if kind <= 6:
        return f"{draw(inner)} | {draw(FILTERS)}"
    if kind == 7:
        return (
            f"({draw(inner)} {draw(st.sampled_from(('~', '+', 'or', 'and', '==', 'in', '<', '*', '%')))} {draw(inner)})"
        )
    if kind == 8:
        return f"({draw(inner)} if {draw(inner)}{draw(st.sampled_from((' else ' + draw(inner), '')))})"
    if kind == 9:
        return f"({draw(inner)})[{draw(st.sampled_from(('0', ':2', '1:', '::-1', 'n')))}]"
    if kind == 10:
        return f"({draw(inner)} is {draw(st.sampled_from(('defined', 'none', 'string', 'mapping', 'not defined')))})"
    return f"shout({draw(inner)})"


@st.composite
def templates(draw: st.DrawFn, depth: int = 3, plain: bool = False) -> str:
    """A template; a `plain` one shows values as they are, without filters or operators."""
    parts = draw(st.lists(_part(depth, plain), min_size=1, max_size=4))
    return "".join(parts)


@st.composite
def _part(draw: st.DrawFn, depth: int, plain: bool) -> str:
    kind = draw(st.integers(0, 5 if depth == 0 else 16))
    minus = draw(st.sampled_from(("", "", "", "-", "+")))
    minus_end = draw(st.sampled_from(("", "", "", "-")))
    expr = draw(PATHS if plain else expressions())
    if kind <= 1:
        return draw(
            st.sampled_from(("text ", "\n", "  \n", "line\nline\n", " é ", "{# note #}", "{#- n -#}\n", "\r\n"))
        )
    if kind <= 5:
        return f"{{{{{minus} {expr} {minus_end}}}}}"
    body = draw(templates(depth=depth - 1, plain=plain))
    tag = f"{{%{minus} "
    end = f" {minus_end}%}}"
    match kind:
        case 6 | 7:
            return (
                f"{tag}if {expr}{end}{body}{tag}else{end}{draw(templates(depth=depth - 1, plain=plain))}{tag}endif{end}"
            )
        case 8 | 9:
            return f"{tag}for chunk in chunks{end}{body}{tag}endfor{end}"
        case 10:
            return f"{tag}for x in {expr} if x{end}{body}{tag}else{end}none{tag}endfor{end}"
        case 11:
            target = draw(st.sampled_from(("y", "k, v", "loop_item", "x")))
            computed = () if plain else ("range(n)",)
            iterated = draw(
                st.sampled_from(("y", "rag.items()", "rag.contexts", "chunks", "chunk.tags", *computed, "query"))
            )
            return (
                f"{tag}for {target} in {iterated}{end}{body}{{{{ k }}}}{{{{ x }}}}{{{{ loop_item }}}}{tag}endfor{end}"
            )
        case 12:
            return f"{tag}set {draw(st.sampled_from(('x', 'z', 'chunk')))} = {expr}{end}{{{{ z }}}}{body}"
        case 13:
            again = "" if plain else "{{ z | trim }}"
            return f"{tag}set z{end}{body}{tag}endset{end}{{{{ z }}}}{again}"
        case 14 if plain:
            return body
        case 14:
            name = draw(st.sampled_from(("upper", "trim", "indent", "replace(query, n)")))
            return f"{tag}filter {name}{end}{body}{tag}endfilter{end}"
        case 15:
            macro = f"{tag}macro shout(x, y='d'){end}{body}<{{{{ x }}}}{{{{ y }}}}>{tag}endmacro{end}"
            return f"{macro}{{{{ shout({expr}) }}}}"
        case _:
            inner = f"{tag}with x = {expr}{end}{body}{tag}set ns.seen = x{end}{tag}endwith{end}"
            return f"{tag}set ns = namespace(seen='s'){end}{inner}{{{{ ns.seen }}}}"

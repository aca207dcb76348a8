"""Which template makes the text under Ollama: the Modelfile's TEMPLATE, the chat template of the weights, or its code.

Source: `server/images.go` (`GetModel`, `shouldPreferChatTemplate`), `server/routes.go` (`shouldUseGoTemplate`),
`server/create.go` (renderers) and `thinking/template.go` (`InferTags`) of ollama/ollama (MIT), from version 0.31 on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from readback.serving import gotemplate
from readback.serving.gotemplate.nodes import Action, Block, Call, Field, If, Operand, Pipe, Range, Text, Tree, With
from readback.types import ChatTemplate, Engine, Modelfile, OllamaServer, Weights

FIRST = (0, 30)  # the first version that hands conversations to the chat template of the weights
RULED = (0, 31)  # the first version with the rule that is carried out here
THINKING_SINCE = (0, 12)
NUMBERS = re.compile(r"v?(\d{1,6})\.(\d{1,6})")

LIBRARY = re.compile(r"^(?:registry\.ollama\.ai/)?(?:library/)?")

TOOLS, THINKING, INSERT = "tools", "thinking", "insert"
TOOL_RESULTS = ("tool_response", "tool_results", "ipython")
TOOL_ROLES = tuple(
    form % (quote, quote)
    for form in ("role'] == %stool%s", 'role"] == %stool%s', "message.role == %stool%s")
    for quote in "'\""
)
THINK_SPLITS = ("content.split('</think>')", 'content.split("</think>")')
NO_THINKING = ("reasoning_content", "<SPECIAL_12>")

HARMONY = ("gptoss", "gpt-oss")  # architectures whose conversations TEMPLATE always makes where it has these marks
HARMONY_MARKS = ("<|start|>", "<|end|>")

# Architectures for which `ollama create` sets a renderer where the Modelfile names none.
BY_ARCHITECTURE = {
    "gemma4": "gemma4",
    "laguna": "laguna",
    "nemotron_h": "nemotron-3-nano",
    "nemotron_h_moe": "nemotron-3-nano",
    "nemotron_h_omni": "nemotron-3-nano",
}
# Models of the library that have a renderer, by how their names begin: a model made from one of them inherits it.
BY_NAME = {
    "cogito-2": "cogito",
    "deepseek-v3.1": "deepseek3.1",
    "functiongemma": "functiongemma",
    "gemma4": "gemma4",
    "glm-4.7": "glm-4.7",
    "glm-ocr": "glm-ocr",
    "laguna": "laguna",
    "lfm2": "lfm2",
    "nemotron-3-nano": "nemotron-3-nano",
    "olmo-3": "olmo3",
    "qwen3-coder": "qwen3-coder",
    "qwen3-vl": "qwen3-vl-instruct",
    "qwen3.5": "qwen3.5",
}
# Renderers that write what the makers' chat template writes but for the token of the beginning, which the server adds
# when it cuts the text into tokens: five of five conversations each, with tools and thinking, were equal.
AS_THE_MAKERS = ("qwen3-coder", "glm-4.7", "nemotron-3-nano", "laguna")


def decide(modelfile: Modelfile, server: OllamaServer | None, weights: Weights | None, based: bool = False) -> Engine:
    """What is sent for a Modelfile by a server, None where nobody states it, with its weights, None where not known.

    `based`: the Modelfile has what the model in its FROM passes on, so that a renderer would be among its lines.
    """
    if renderer := _renderer(modelfile, weights):
        return _of_renderer(renderer, weights)
    chat = weights.template if weights and weights.template and weights.template.text is not None else None
    if modelfile.template is None:
        return _without_template(modelfile, server, chat)
    if _has(modelfile, "parser"):
        return Engine("template", "parser")
    if _is_harmony(modelfile, weights):
        return Engine("template", "harmony")
    if renderer := "" if based else _renderer_of_base(modelfile):
        return Engine("unknown", "family", "renderer", renderer=renderer)
    return _by_settings(modelfile, server, weights, chat)


def _by_settings(
    modelfile: Modelfile, server: OllamaServer | None, weights: Weights | None, chat: ChatTemplate | None
) -> Engine:
    """The choice between TEMPLATE and a chat template, which is the server's."""
    numbers = version(server)
    if numbers is not None and numbers < FIRST:
        return Engine("template", "old")
    setting = server.go_template if server else None
    if setting == "true":
        return Engine("template", "on")
    if weights and not weights.template and weights.stated:
        return Engine("template", "none in the weights")
    if setting == "false":
        return Engine("chat template", "off") if chat else Engine("unknown", "off unknown", "chat template")
    if chat is None or chat.text is None:
        return Engine("unknown", "weights unknown")
    more = preferred(modelfile.template or "", chat.text)
    if more is None:
        return Engine("template", "not more") if numbers is None or numbers >= RULED else _unruled()
    if numbers is None:
        return Engine("unknown", "server unknown", "chat template", more)
    if numbers < RULED:
        return _unruled()
    return Engine("chat template", "more", more=more)


def _unruled() -> Engine:
    return Engine("unknown", "between")


def _without_template(modelfile: Modelfile, server: OllamaServer | None, chat: ChatTemplate | None) -> Engine:
    """Without TEMPLATE a server takes one that it knows by heart, or the chat template of the weights."""
    if chat and not _has(modelfile, "parser") and server and server.go_template == "false":
        return Engine("chat template", "off")
    return Engine("unknown", "no template", "chat template" if chat else "")


def _renderer(modelfile: Modelfile, weights: Weights | None) -> str:
    """The server's own code that makes the text, by the Modelfile or by the architecture of the weights."""
    own = next((args for name, args, _ in reversed(modelfile.commands) if name == "renderer"), "")
    return own or BY_ARCHITECTURE.get(weights.architecture if weights else "", "")


def _of_renderer(renderer: str, weights: Weights | None) -> Engine:
    """A renderer's text is known where it is the makers' own, and theirs is known."""
    chat = weights.template if weights else None
    if renderer in AS_THE_MAKERS and chat and chat.text is not None:
        return Engine("chat template", "as the makers", renderer=renderer)
    return Engine("renderer", "renderer", renderer=renderer)


def _renderer_of_base(modelfile: Modelfile) -> str:
    """The renderer that a model of the library with the name in FROM has; none where FROM is a file or of somebody."""
    name = next((args.strip() for command, args, _ in modelfile.commands if command == "model"), "").lower()
    name = library_name(name)
    if "/" in name or "\\" in name:
        return ""
    return next((renderer for start, renderer in BY_NAME.items() if name.startswith(start)), "")


def library_name(name: str) -> str:
    """The name of a model without the address of Ollama's own library."""
    return LIBRARY.sub("", name)


def _is_harmony(modelfile: Modelfile, weights: Weights | None) -> bool:
    of_family = weights is not None and weights.architecture in HARMONY
    return of_family and all(mark in (modelfile.template or "") for mark in HARMONY_MARKS)


def _has(modelfile: Modelfile, command: str) -> bool:
    return any(name == command and args for name, args, _ in modelfile.commands)


def version(server: OllamaServer | None) -> tuple[int, int] | None:
    """The first two numbers of a server's version; None where it is not stated or is none."""
    numbers = NUMBERS.match(server.version) if server and server.version else None
    return (int(numbers[1]), int(numbers[2])) if numbers else None


def preferred(template: str, chat: str) -> tuple[str, ...] | None:
    """What a chat template can do and a TEMPLATE cannot, where the server prefers it for that; None where it prefers
    TEMPLATE.
    """
    own, other = _of_go(template), _of_chat(chat)
    capabilities, round_trip = own if own else (frozenset[str](), False)
    more = tuple(name for name in (TOOLS, THINKING) if name in other - capabilities)
    if len(other) > len(capabilities):
        return more if not round_trip or _has_round_trip(chat) else None
    if other == capabilities and TOOLS in other and _has_round_trip(chat) and not round_trip:
        return ("results of tools",)
    return None


def _of_chat(chat: str) -> frozenset[str]:
    """The capabilities that the words of a chat template tell of."""
    thinks = "<think>" in chat and "</think>" in chat
    splits = any(split in chat for split in THINK_SPLITS) and not any(word in chat for word in NO_THINKING)
    capabilities = {TOOLS} if "tools" in chat or "tool_call" in chat else set()
    return frozenset(capabilities | ({THINKING} if thinks or splits else set()))


def _has_round_trip(chat: str) -> bool:
    """Whether a chat template writes both calls of tools and their results."""
    calls = "tool_calls" in chat or "assistant_tool_call" in chat
    return calls and any(word in chat for word in (*TOOL_RESULTS, *TOOL_ROLES))


@lru_cache(maxsize=64)
def _of_go(template: str) -> tuple[frozenset[str], bool] | None:
    """The capabilities of a TEMPLATE, and whether it writes results of tools; None where it cannot be read."""
    try:
        tree = gotemplate.parse(template)
        names = gotemplate.list_names(tree)
    except (gotemplate.TemplateFault, RecursionError):
        return None
    by_name = {name for name, variable in ((TOOLS, "tools"), (INSERT, "suffix")) if variable in names}
    thinks = all(thinking_tags(tree))
    marks = ('eq .Role "tool"', "tool_response", "TOOL_RESULTS")
    round_trip = {"tools", "toolcalls"} <= names and any(mark in template for mark in marks)
    return frozenset(by_name | ({THINKING} if thinks else set())), round_trip


def thinks(modelfile: Modelfile, server: OllamaServer | None) -> bool:
    """Whether a server asks a model to think where the request says nothing of it: TEMPLATE writes thoughts.

    Source: `ChatHandler` in `server/routes.go`; before THINKING_SINCE the request alone decided.
    """
    numbers = version(server)
    if numbers is not None and numbers < THINKING_SINCE:
        return False
    own = _of_go(modelfile.template or "")
    return own is not None and THINKING in own[0]


def thinking_tags(tree: Tree) -> tuple[str, str]:
    """What a TEMPLATE writes before and after what a model thought; both are empty where it writes no thoughts.

    As the server guesses it: of the nearest block around `.Thinking` in a loop over `.Messages` the first and the last
    text.
    """
    opening = closing = ""
    for block in _around_thinking(tree.root, None):
        first, last = block[0], block[-1]
        if isinstance(first, Text):
            opening = first.text.strip()
        if isinstance(last, Text):
            closing = last.text.strip()
    return opening, closing


def _around_thinking(block: Block, loop: Range | None) -> Iterator[Block]:
    """The blocks that print `.Thinking`, each once for every time, inside a loop over `.Messages`."""
    for node in block:
        if isinstance(node, Action | Call):
            if loop and node.pipe and _reads(loop.pipe, "Messages"):
                yield from (block for field in _fields(node.pipe) if field.path[0] == "Thinking")
        elif isinstance(node, If | With | Range):
            inner = node if isinstance(node, Range) else loop
            yield from _around_thinking(node.body, inner)
            yield from _around_thinking(node.otherwise or (), inner)


def _reads(pipe: Pipe, name: str) -> bool:
    return any(field.path[0] == name for field in _fields(pipe))


def _fields(operand: Operand) -> Iterator[Field]:
    if isinstance(operand, Field):
        yield operand
    elif isinstance(operand, Pipe):
        for command in operand.commands:
            for argument in command.args:
                yield from _fields(argument)

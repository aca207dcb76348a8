"""Decide which template builds the text under Ollama: the Modelfile's TEMPLATE, the weights' chat template, or code.

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

CHAT_TEMPLATES_SINCE = (0, 30)  # the first version that passes conversations to the chat template of the weights
RULE_SINCE = (0, 31)  # the first version with the rule that this module implements
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
LIKE_THE_MAKERS = ("qwen3-coder", "glm-4.7", "nemotron-3-nano", "laguna")


def decide(modelfile: Modelfile, server: OllamaServer | None, weights: Weights | None, based: bool = False) -> Engine:
    """Return what a server uses for a Modelfile.

    `server` is None if no file states it, `weights` are None if they are unknown. `based`: the Modelfile has the lines
    that it inherits from the model in its FROM, so that a renderer would be among them.
    """
    renderer = _find_renderer(modelfile, weights)
    if renderer:
        return _describe_renderer(renderer, weights)
    if weights and weights.template and weights.template.text is not None:
        chat = weights.template
    else:
        chat = None
    if modelfile.template is None:
        return _choose_without_template(modelfile, server, chat)
    if _has_command(modelfile, "parser"):
        return Engine("template", "parser")
    if _is_harmony(modelfile, weights):
        return Engine("template", "harmony")
    if based:
        renderer = ""
    else:
        renderer = _find_base_renderer(modelfile)
    if renderer:
        return Engine("unknown", "family", "renderer", renderer=renderer)
    return _choose_by_settings(modelfile, server, weights, chat)


def _choose_by_settings(
    modelfile: Modelfile, server: OllamaServer | None, weights: Weights | None, chat: ChatTemplate | None
) -> Engine:
    """Return the server's choice between TEMPLATE and a chat template."""
    numbers = parse_version(server)
    if numbers is not None and numbers < CHAT_TEMPLATES_SINCE:
        return Engine("template", "old")
    setting = server.go_template if server else None
    if setting == "true":
        return Engine("template", "on")
    if weights and not weights.template and weights.stated:
        return Engine("template", "none in the weights")
    if setting == "false":
        if chat:
            return Engine("chat template", "off")
        return Engine("unknown", "off unknown", "chat template")
    if chat is None or chat.text is None:
        return Engine("unknown", "weights unknown")
    more = find_advantages(modelfile.template or "", chat.text)
    if more is None:
        if numbers is not None and numbers < RULE_SINCE:
            return Engine("unknown", "between")
        return Engine("template", "not more")
    if numbers is None:
        return Engine("unknown", "server unknown", "chat template", more)
    if numbers < RULE_SINCE:
        return Engine("unknown", "between")
    return Engine("chat template", "more", more=more)


def _choose_without_template(modelfile: Modelfile, server: OllamaServer | None, chat: ChatTemplate | None) -> Engine:
    """Return the choice without a TEMPLATE: one that the server has built in, or the weights' chat template."""
    if chat and not _has_command(modelfile, "parser") and server and server.go_template == "false":
        return Engine("chat template", "off")
    return Engine("unknown", "no template", "chat template" if chat else "")


def _find_renderer(modelfile: Modelfile, weights: Weights | None) -> str:
    """Return the server's own code that builds the text, by the Modelfile or the architecture of the weights."""
    for name, args, _ in reversed(modelfile.commands):
        if name == "renderer" and args:
            return args
        if name == "renderer":
            break
    return BY_ARCHITECTURE.get(weights.architecture if weights else "", "")


def _describe_renderer(renderer: str, weights: Weights | None) -> Engine:
    """Return the engine of a renderer; its text is known if it equals the makers' template, and that is known."""
    chat = weights.template if weights else None
    if renderer in LIKE_THE_MAKERS and chat and chat.text is not None:
        return Engine("chat template", "as the makers", renderer=renderer)
    return Engine("renderer", "renderer", renderer=renderer)


def _find_base_renderer(modelfile: Modelfile) -> str:
    """Return the renderer of the library model that FROM names; empty for files and models of users."""
    name = next((args.strip() for command, args, _ in modelfile.commands if command == "model"), "").lower()
    name = strip_library_address(name)
    if "/" in name or "\\" in name:
        return ""
    return next((renderer for start, renderer in BY_NAME.items() if name.startswith(start)), "")


def strip_library_address(name: str) -> str:
    """Return the name of a model without the address of Ollama's own library."""
    return LIBRARY.sub("", name)


def _is_harmony(modelfile: Modelfile, weights: Weights | None) -> bool:
    of_family = weights is not None and weights.architecture in HARMONY
    return of_family and all(mark in (modelfile.template or "") for mark in HARMONY_MARKS)


def _has_command(modelfile: Modelfile, command: str) -> bool:
    return any(name == command and args for name, args, _ in modelfile.commands)


def parse_version(server: OllamaServer | None) -> tuple[int, int] | None:
    """Return the first two numbers of a server's version; None if it is not stated or not a version."""
    if server and server.version:
        numbers = NUMBERS.match(server.version)
    else:
        numbers = None
    if numbers:
        return (int(numbers[1]), int(numbers[2]))
    return None


def find_advantages(template: str, chat: str) -> tuple[str, ...] | None:
    """Return what a chat template can do and a TEMPLATE cannot, if the server prefers it for that, else None."""
    capabilities, round_trip = _list_template_capabilities(template) or (frozenset[str](), False)
    chat_capabilities = _list_chat_capabilities(chat)
    if len(chat_capabilities) > len(capabilities):
        if round_trip and not _has_round_trip(chat):
            return None
        return tuple(name for name in (TOOLS, THINKING) if name in chat_capabilities - capabilities)
    if chat_capabilities == capabilities and TOOLS in capabilities and _has_round_trip(chat) and not round_trip:
        return ("results of tools",)
    return None


def _list_chat_capabilities(chat: str) -> frozenset[str]:
    """Return the capabilities that the words of a chat template indicate."""
    writes_thinking = "<think>" in chat and "</think>" in chat
    splits = any(split in chat for split in THINK_SPLITS) and not any(word in chat for word in NO_THINKING)
    capabilities: set[str] = set()
    if "tools" in chat or "tool_call" in chat:
        capabilities.add(TOOLS)
    if writes_thinking or splits:
        capabilities.add(THINKING)
    return frozenset(capabilities)


def _has_round_trip(chat: str) -> bool:
    """Return whether a chat template writes both calls of tools and their results."""
    calls = "tool_calls" in chat or "assistant_tool_call" in chat
    return calls and any(word in chat for word in (*TOOL_RESULTS, *TOOL_ROLES))


@lru_cache(maxsize=64)
def _list_template_capabilities(template: str) -> tuple[frozenset[str], bool] | None:
    """Return the capabilities of a TEMPLATE, and whether it writes results of tools; None if it is unreadable."""
    try:
        tree = gotemplate.parse(template)
        names = gotemplate.list_names(tree)
    except (gotemplate.TemplateFault, RecursionError):
        return None
    capabilities: set[str] = set()
    if "tools" in names:
        capabilities.add(TOOLS)
    if "suffix" in names:
        capabilities.add(INSERT)
    if all(find_thinking_tags(tree)):
        capabilities.add(THINKING)
    marks = ('eq .Role "tool"', "tool_response", "TOOL_RESULTS")
    round_trip = {"tools", "toolcalls"} <= names and any(mark in template for mark in marks)
    return frozenset(capabilities), round_trip


def asks_to_think(modelfile: Modelfile, server: OllamaServer | None) -> bool:
    """Return whether a server asks a model to think where the request does not say so: TEMPLATE writes thoughts.

    Source: `ChatHandler` in `server/routes.go`; before THINKING_SINCE the request alone decided.
    """
    numbers = parse_version(server)
    if numbers is not None and numbers < THINKING_SINCE:
        return False
    abilities = _list_template_capabilities(modelfile.template or "")
    return abilities is not None and THINKING in abilities[0]


def find_thinking_tags(tree: Tree) -> tuple[str, str]:
    """Return what a TEMPLATE writes before and after the model's thoughts; both are empty if it writes none.

    This follows the server's guess: the first and the last text of the nearest block around `.Thinking` in a loop over
    `.Messages`.
    """
    opening = closing = ""
    for block in _find_thinking_blocks(tree.root, None):
        first, last = block[0], block[-1]
        if isinstance(first, Text):
            opening = first.text.strip()
        if isinstance(last, Text):
            closing = last.text.strip()
    return opening, closing


def _find_thinking_blocks(block: Block, loop: Range | None) -> Iterator[Block]:
    """Yield the blocks that print `.Thinking` in a loop over `.Messages`, once for each time."""
    for node in block:
        if isinstance(node, Action | Call):
            if loop and node.pipe and _reads_field(loop.pipe, "Messages"):
                for field in _list_fields(node.pipe):
                    if field.path[0] == "Thinking":
                        yield block
        elif isinstance(node, If | With | Range):
            inner = node if isinstance(node, Range) else loop
            yield from _find_thinking_blocks(node.body, inner)
            yield from _find_thinking_blocks(node.otherwise or (), inner)


def _reads_field(pipe: Pipe, name: str) -> bool:
    return any(field.path[0] == name for field in _list_fields(pipe))


def _list_fields(operand: Operand) -> Iterator[Field]:
    if isinstance(operand, Field):
        yield operand
    elif isinstance(operand, Pipe):
        for command in operand.commands:
            for argument in command.args:
                yield from _list_fields(argument)

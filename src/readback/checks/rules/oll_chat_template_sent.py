"""Find Modelfiles for which Ollama sends the chat template of the weights and not TEMPLATE.

The model then reads another prompt than the one that the Modelfile describes.
"""

from collections.abc import Iterator

from readback.checks.facts.modelfiles import EngineOfModel, has_different_texts, list_engines
from readback.types import Diagnostic, OllamaServer, RuleContext, Weights

CODE = "oll-chat-template-sent"
ON = "workspace"
_MODELFILE = 'FROM .\nTEMPLATE """{{ range .Messages }}%s{{ .Role }}: {{ .Content }}\n{{ end }}"""\n'
_CHAT = "{%% for m in messages %%}{{ m.role }}: {{ m.content }}\\n{%% endfor %%}%s"
_CONFIG = '{"chat_template": "%s"}'
_TOOLS = _CONFIG % (_CHAT % "{% if tools %}{{ tools }}{% endif %}.")
_SERVER = "serving: {ollama: {%s}}\nmodels: {m: {serving: {modelfile: Modelfile}}}\n"
PASS = (
    {"Modelfile": _MODELFILE % "", "tokenizer_config.json": _CONFIG % (_CHAT % "."), "readback.yml": _SERVER % "x: 1"},
    {"Modelfile": _MODELFILE % "", "tokenizer_config.json": _TOOLS, "readback.yml": _SERVER % "go_template: true"},
    {"Modelfile": _MODELFILE % "", "tokenizer_config.json": _TOOLS, "readback.yml": _SERVER % "version: 0.12.3"},
    {"Modelfile": _MODELFILE % "", "tokenizer_config.json": _CONFIG % (_CHAT % "{{ tools and 1 or '' }}")},
    {"Modelfile": "FROM .\n", "tokenizer_config.json": _TOOLS},
)
FAIL = (
    {"Modelfile": _MODELFILE % "", "tokenizer_config.json": _TOOLS},
    {"Modelfile": _MODELFILE % "", "tokenizer_config.json": _TOOLS, "readback.yml": _SERVER % "version: 0.40.2"},
    {
        "Modelfile": _MODELFILE % "",
        "tokenizer_config.json": _CONFIG % (_CHAT % "."),
        "readback.yml": _SERVER % "go_template: false",
    },
)


def check(case: RuleContext) -> Iterator[Diagnostic]:
    """Yield a finding for each Modelfile whose two templates make different texts."""
    for served in list_engines(case):
        if _may_send_chat_template(served) and has_different_texts(served):
            values = {
                "who": _describe_server(case.workspace.ollama),
                "weights": _describe_weights(served.model.weights),
                "more": " and ".join(served.engine.more),
                "texts": _describe_texts(served),
                "model": served.model.name,
                "uncertain": [served.model.name] if served.engine.sends == "unknown" else [],
            }
            yield Diagnostic(CODE, values, served.place, served.model.name)


def _may_send_chat_template(served: EngineOfModel) -> bool:
    """Return whether a chat template is sent in spite of a TEMPLATE, or a current server would do so."""
    engine, modelfile = served.engine, served.model.modelfile
    if modelfile is None or modelfile.template is None or engine.renderer:
        return False
    return engine.sends == "chat template" or engine.why == "server unknown"


def _describe_weights(weights: Weights | None) -> str:
    """Return the file of the chat template, with the reason why it counts as that of the weights if it is a guess."""
    if weights is None:
        return ""
    if weights.stated:
        return weights.file
    return f"{weights.file} (which lies beside the Modelfile and is taken for the weights')"


def _describe_texts(served: EngineOfModel) -> str:
    """Return a clause about what the two templates make of the self-test."""
    texts = (served.first, served.later, *(served.alternatives or ()))
    if all(text.segments for text in texts):
        return "the two make different texts of a made-up conversation"
    return "one of the two makes no text of a made-up conversation"


def _describe_server(server: OllamaServer | None) -> str:
    """Return the server in words."""
    if server and server.go_template == "false":
        return "Ollama with OLLAMA_GO_TEMPLATE off"
    if server and server.version:
        return f"Ollama {server.version}"
    return "Ollama from version 0.31 on, unless OLLAMA_GO_TEMPLATE is set,"

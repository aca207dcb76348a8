"""One row of training data as what it is: a prompt with a completion, a preference pair, a conversation.

Row formats: the *Data Format Guide* of ChonghaoSu/legal_opensource, the chat layouts in use for preference data, and
those of Stanford Alpaca (instruction, input, output) and of ShareGPT (conversations with from and value), as the
documentation of LLaMA-Factory and of axolotl describes them. Texts are kept as they stand, each with the path of the
field it is in.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from readback.message_parts import mark_of
from readback.types import Values

Kind = Literal["sft", "dpo", "chat_sft", "chat_dpo_input", "chat_dpo_lists", "chat_dpo", "rag", "alpaca", "text"]
KINDS: tuple[Kind, ...] = (
    "sft",
    "dpo",
    "chat_sft",
    "chat_dpo_input",
    "chat_dpo_lists",
    "chat_dpo",
    "rag",
    "alpaca",
    "text",
)
TRAIN, DATASET = "train", "dataset"  # the split of files without one; that of a dataset that nothing calls training
SAID = {  # what rows of a kind are, in words
    "sft": "prompts with completions: prompt, completion",
    "dpo": "preference pairs: prompt, chosen, rejected",
    "chat_sft": "conversations: messages",
    "chat_dpo_input": "preference pairs of messages: input.messages, preferred_output, non_preferred_output",
    "chat_dpo_lists": "preference pairs of conversations: chosen_messages, rejected_messages",
    "chat_dpo": "preference pairs of messages: prompt or messages, chosen, rejected",
    "rag": "records with stored prompts or expected responses",
    "alpaca": "instructions with outputs: instruction, input, output",
    "text": "ready texts with the marks of a chat template: text",
}
ASKED = frozenset({"rag", "instruction", "question", "query_text"})  # columns of what is asked, as evaluations call it
FOUND = frozenset({"contexts", "documents"})  # columns of what was retrieved for it
MESSAGE = frozenset({"role", "from", "content", "value"})  # keys of a message
TELLING = frozenset(  # a row without any of these keys is of no kind
    {
        *("preferred_output", "non_preferred_output", "chosen_messages", "rejected_messages", "chosen", "rejected"),
        *("messages", "conversations", "prompt", "input", "rag", "expected_response"),
        *("output", "text", "response"),
    }
)
# Keys of rows with an instruction; answers of a model to evaluation sets have others (generator, dataset, model).
ALPACA = frozenset(
    {
        *("instruction", "input", "output", "system", "history", "tools", "text", "id", "idx", "index", "category"),
        *("lang", "language", "source", "task", "topic", "difficulty", "tags", "split", "weight", "images"),
    }
)
# Columns of the answer that an evaluation expects, beside messages that end with what is asked.
EXPECTED = frozenset(
    {"ideal", "expected", "expected_output", "target", "answer", "reference", "ground_truth", "solution"}
)
ANSWERED = frozenset({"generator", "model", "model_id", "score"})  # keys of what some model answered, which is no row
RUN = frozenset({"latency", "tokens", "usage", "prompt_text", "model_label", "prompt_mode", "finish_reason", "rag"})
CANDIDATE = 5  # columns that rows of a prompt and a response have at most: id, source, category beside these
# What a chat template writes, so that a text with it is a whole conversation and no document.
WRITTEN = re.compile(
    r"<\|(?:im_start|im_end|start_header_id|begin_of_text|eot_id|endoftext|user|assistant|system|end)\|>"
    r"|<start_of_turn>|\[/?INST\]|<<SYS>>|^\s*<s>|</s>|^\s*<bos>|<｜(?:begin▁of▁sentence|User|Assistant)｜>"
    r"|^###\s*(?:Instruction|Response|Human|Assistant)\b",
    re.MULTILINE,
)
LOOKED_THROUGH = 4_000  # characters of a text in which the first of these marks is looked for
PAIRS = frozenset({"dpo", "chat_dpo_input", "chat_dpo_lists", "chat_dpo"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A text of the row as it is, and the path of its field: `chosen`, `messages[1].content`."""

    text: str
    field: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, or the prompt or completion of a row without messages (`role` is then "").

    `stretches` are its texts, several where the content is a list of parts. `field` is the path of the whole.
    `calls` says that the row calls it a call of a tool (function_call), which trainers read as the assistant's. `whole`
    is the message as the row has it, where that is more than a role and one text (`Message.whole`).
    """

    role: str
    stretches: tuple[Stretch, ...]
    field: str
    calls: bool = False
    whole: Values | None = dataclasses.field(default=None, hash=False)

    @property
    def text(self) -> str:
        """The parts joined by a newline, as servers do that take lists of parts."""
        return "\n".join(one.text for one in self.stretches)

    @property
    def same_as(self) -> tuple[str, str, str]:
        """What is equal where two messages are: the role, the text, and whatever else they say."""
        return self.role, self.text, mark_of(self.whole)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A required value that is not there or of another type: its field, and JSON's word for what is there."""

    field: str
    found: str


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """A row: what is before the answer, and the answer (`completion`), or a better and a worse one.

    Of a pair of whole conversations the part that both share is the prompt; where they differ before the last
    message, `other_prompt` is that of the rejected one. `wrong` are required values that are not there.
    """

    kind: Kind
    prompt: tuple[Turn, ...] = ()
    completion: tuple[Turn, ...] = ()
    chosen: tuple[Turn, ...] = ()
    rejected: tuple[Turn, ...] = ()
    other_prompt: tuple[Turn, ...] | None = None
    aliases: tuple[tuple[str, str], ...] = ()  # what is there, what it is taken for
    wrong: tuple[Wrong, ...] = ()

    @property
    def is_pair(self) -> bool:
        return self.kind in PAIRS

    @property
    def is_chat(self) -> bool:
        return self.kind.startswith("chat")

    @property
    def answers(self) -> tuple[tuple[str, tuple[Turn, ...]], ...]:
        """The answers by what they are, those that are there."""
        named = (("completion", self.completion), ("chosen", self.chosen), ("rejected", self.rejected))
        return tuple((name, turns) for name, turns in named if turns)

    @property
    def system(self) -> Turn | None:
        """The first system message of the prompt."""
        return next((turn for turn in self.prompt if turn.role in ("system", "developer")), None)

    @property
    def asked(self) -> Turn | None:
        """What is asked: the prompt of a row without messages, else its last user message."""
        return next((turn for turn in reversed(self.prompt) if turn.role in ("", "user")), None)


def kind_of(fields: Values) -> Kind | None:
    """What a row is, by its keys; None where it is no training row of a known format."""
    if TELLING.isdisjoint(fields):  # asked of every row of every dataset
        return None
    inner = fields.get("input")
    if "preferred_output" in fields or "non_preferred_output" in fields:
        return "chat_dpo_input"
    if "chosen_messages" in fields or "rejected_messages" in fields:
        return "chat_dpo_lists"
    if "chosen" in fields or "rejected" in fields:
        values = [fields.get(name) for name in ("chosen", "rejected", "prompt", "messages", "conversations")]
        if any(isinstance(value, Mapping) and not MESSAGE & value.keys() for value in values):
            return None  # an object of its own kind, which no trainer takes for a message
        return "chat_dpo" if any(isinstance(value, list | Mapping) for value in values) else "dpo"
    if "messages" in fields or isinstance(fields.get("conversations"), list):
        return "chat_sft"
    if "prompt" in fields and ("completion" in fields or "summary" in fields or _is_candidate(fields)):
        return "sft"
    if isinstance(inner, Mapping) and isinstance(inner.get("messages"), list) and "rag" not in fields:
        return "chat_dpo_input"
    if "rag" in fields or "expected_response" in fields:
        return "rag"
    if _is_alpaca(fields):
        return "alpaca"
    return "text" if _is_ready_text(fields) else None


def _is_candidate(fields: Values) -> bool:
    """Whether a prompt and a response are there as texts to learn from, and nothing of who answered and how."""
    texts = isinstance(fields.get("prompt"), str) and isinstance(fields.get("response"), str)
    return texts and not (ANSWERED | RUN) & fields.keys() and len(fields) <= CANDIDATE


def _is_alpaca(fields: Values) -> bool:
    """Whether an instruction and its output are there, and little beside them."""
    if not isinstance(fields.get("instruction"), str) or "output" not in fields or ANSWERED & fields.keys():
        return False
    if not isinstance(fields.get("input"), str | None) or not isinstance(fields["output"], str | None):
        return False
    return 2 * len(ALPACA & fields.keys()) > len(fields)


def _is_ready_text(fields: Values) -> bool:
    """Whether the one text of a row is a conversation that went through a chat template already."""
    text = fields.get("text")
    if not isinstance(text, str) or (ASKED | FOUND) & fields.keys():
        return False
    return WRITTEN.search(text[:LOOKED_THROUGH]) is not None


def is_training(fields: Values) -> bool:
    """Whether a row can only be meant for training; rows of the prompt formats serve evaluations as well.

    Messages, or a prompt with a completion, beside a question are a record that something else was made of.
    """
    return trains(kind_of(fields), fields)


def trains(kind: Kind | None, fields: Values) -> bool:
    """The same of a row whose kind is known."""
    if kind == "sft":
        return not ASKED & fields.keys()
    if kind == "alpaca":
        return not ((ASKED | FOUND) - {"instruction"}) & fields.keys()
    if kind == "chat_sft":
        asks = EXPECTED & fields.keys() and not _is_answered(fields)
        return not (asks or (ASKED | FOUND) & fields.keys())
    return kind is not None and kind != "rag"


def _is_answered(fields: Values) -> bool:
    """Whether a row's messages end with something else than a user's."""
    listed = fields.get("messages", fields.get("conversations"))
    last = listed[-1] if isinstance(listed, list) and listed else None
    return not (isinstance(last, Mapping) and last.get("role", last.get("from")) in ("user", "human"))


def most(rows: Sequence[Values]) -> Kind | None:
    """The most frequent kind of rows, where at least half of them can only be meant for training."""
    kinds = Counter(kind for row in rows if is_training(row) and (kind := kind_of(row)))
    return kinds.most_common(1)[0][0] if kinds and 2 * kinds.total() >= len(rows) else None

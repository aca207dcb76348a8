"""Recognise rows of training data: a prompt with a completion, a preference pair, or a conversation.

Row formats: the *Data Format Guide* of ChonghaoSu/legal_opensource, the chat layouts in use for preference data, and
those of Stanford Alpaca (instruction, input, output) and of ShareGPT (conversations with from and value), as the
documentation of LLaMA-Factory and of axolotl describes them. Texts are unchanged,
each with the path of its field.
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
TRAIN, DATASET = (
    "train",
    "dataset",
)  # the split of a training file without one; that of a dataset that is not declared as training data
DESCRIPTIONS = {  # of the rows of a kind
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
QUESTION_COLUMNS = frozenset({"rag", "instruction", "question", "query_text"})  # as evaluations call the question
CONTEXT_COLUMNS = frozenset({"contexts", "documents"})  # as evaluations call the retrieved texts
MESSAGE = frozenset({"role", "from", "content", "value"})  # keys of a message
TRAINING_KEYS = frozenset(  # a row without any of these keys is of no kind
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
RESULT_KEYS = frozenset(
    {"generator", "model", "model_id", "score"}
)  # keys of a model's answer, which is no training row
RUN = frozenset({"latency", "tokens", "usage", "prompt_text", "model_label", "prompt_mode", "finish_reason", "rag"})
CANDIDATE = 5  # columns of a row with a prompt and a response at find_main_kind: these, id, source, category
# Markers that a chat template writes: a text with one is a whole conversation and no document.
CHAT_MARKERS = re.compile(
    r"<\|(?:im_start|im_end|start_header_id|begin_of_text|eot_id|endoftext|user|assistant|system|end)\|>"
    r"|<start_of_turn>|\[/?INST\]|<<SYS>>|^\s*<s>|</s>|^\s*<bos>|<｜(?:begin▁of▁sentence|User|Assistant)｜>"
    r"|^###\s*(?:Instruction|Response|Human|Assistant)\b",
    re.MULTILINE,
)
SEARCHED = 4_000  # characters of a text in which the first of these markers is searched
PAIRS = frozenset({"dpo", "chat_dpo_input", "chat_dpo_lists", "chat_dpo"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """An unchanged text of the row and the path of its field: `chosen`, `messages[1].content`."""

    text: str
    field: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, or the prompt or completion of a row without messages (`role` is then "").

    `stretches` are its texts, several where the content is a list of parts. `field` is the path of the whole.
    `calls` says that its role is a tool call (function_call), which trainers read as the assistant's. `whole` is the
    original message if it is more than a role and one text (`Message.whole`).
    """

    role: str
    stretches: tuple[Stretch, ...]
    field: str
    calls: bool = False
    whole: Values | None = dataclasses.field(default=None, hash=False)

    @property
    def text(self) -> str:
        """The parts joined by a newline, as servers join lists of parts."""
        return "\n".join(stretch.text for stretch in self.stretches)

    @property
    def same_as(self) -> tuple[str, str, str]:
        """A key that is equal for equal messages: the role, the text, and a mark of everything else."""
        return self.role, self.text, mark_of(self.whole)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A required value that is absent or of another type: its field, and the JSON type in its place."""

    field: str
    json_type: str


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """A row: its prompt with a completion, or with a chosen and a rejected answer.

    The prompt of two whole conversations is the part that both share; if they differ before the last message,
    `other_prompt` is that of the rejected one. `wrong` lists required values that are absent or of another type.
    """

    kind: Kind
    prompt: tuple[Turn, ...] = ()
    completion: tuple[Turn, ...] = ()
    chosen: tuple[Turn, ...] = ()
    rejected: tuple[Turn, ...] = ()
    other_prompt: tuple[Turn, ...] | None = None
    aliases: tuple[tuple[str, str], ...] = ()  # the key in the row, the usual key
    wrong: tuple[Wrong, ...] = ()

    @property
    def is_pair(self) -> bool:
        """Whether the row is a preference pair."""
        return self.kind in PAIRS

    @property
    def is_chat(self) -> bool:
        """Whether the row consists of messages."""
        return self.kind.startswith("chat")

    @property
    def answers(self) -> tuple[tuple[str, tuple[Turn, ...]], ...]:
        """The answers that the row has, by name: completion, chosen, rejected."""
        named = (("completion", self.completion), ("chosen", self.chosen), ("rejected", self.rejected))
        return tuple((name, turns) for name, turns in named if turns)

    @property
    def system(self) -> Turn | None:
        """The first system message of the prompt."""
        return next((turn for turn in self.prompt if turn.role in ("system", "developer")), None)

    @property
    def question(self) -> Turn | None:
        """The question: the prompt of a row without messages, else its last user message."""
        return next((turn for turn in reversed(self.prompt) if turn.role in ("", "user")), None)


def find_kind(fields: Values) -> Kind | None:
    """Return the kind of a row by its keys; None for no training row of a known format."""
    if TRAINING_KEYS.isdisjoint(fields):  # a cheap test, since this runs for every row of every dataset
        return None
    inner = fields.get("input")
    if "preferred_output" in fields or "non_preferred_output" in fields:
        return "chat_dpo_input"
    if "chosen_messages" in fields or "rejected_messages" in fields:
        return "chat_dpo_lists"
    if "chosen" in fields or "rejected" in fields:
        values = [fields.get(name) for name in ("chosen", "rejected", "prompt", "messages", "conversations")]
        if any(isinstance(value, Mapping) and not MESSAGE & value.keys() for value in values):
            return None  # an object that no trainer reads as a message
        if any(isinstance(value, list | Mapping) for value in values):
            return "chat_dpo"
        return "dpo"
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
    if _is_ready_text(fields):
        return "text"
    return None


def _is_candidate(fields: Values) -> bool:
    """Tell whether a row has a prompt and a response to learn from, and no keys of a model's run."""
    texts = isinstance(fields.get("prompt"), str) and isinstance(fields.get("response"), str)
    return texts and not (RESULT_KEYS | RUN) & fields.keys() and len(fields) <= CANDIDATE


def _is_alpaca(fields: Values) -> bool:
    """Tell whether a row has an instruction and its output, and mostly keys of that format."""
    if not isinstance(fields.get("instruction"), str) or "output" not in fields or RESULT_KEYS & fields.keys():
        return False
    if not isinstance(fields.get("input"), str | None) or not isinstance(fields["output"], str | None):
        return False
    return 2 * len(ALPACA & fields.keys()) > len(fields)


def _is_ready_text(fields: Values) -> bool:
    """Tell whether the text of a row is a conversation with a chat template already applied."""
    text = fields.get("text")
    if not isinstance(text, str) or (QUESTION_COLUMNS | CONTEXT_COLUMNS) & fields.keys():
        return False
    return CHAT_MARKERS.search(text[:SEARCHED]) is not None


def is_training(fields: Values) -> bool:
    """Tell whether a row is training data only; rows of the prompt formats serve evaluations as well.

    Messages, or a prompt with a completion, beside a question are a record of an evaluation.
    """
    return is_training_kind(find_kind(fields), fields)


def is_training_kind(kind: Kind | None, fields: Values) -> bool:
    """Tell the same as `is_training` for a row whose kind is known."""
    if kind == "sft":
        return not QUESTION_COLUMNS & fields.keys()
    if kind == "alpaca":
        return not ((QUESTION_COLUMNS | CONTEXT_COLUMNS) - {"instruction"}) & fields.keys()
    if kind == "chat_sft":
        asks = EXPECTED & fields.keys() and not _ends_with_answer(fields)
        return not (asks or (QUESTION_COLUMNS | CONTEXT_COLUMNS) & fields.keys())
    return kind is not None and kind != "rag"


def _ends_with_answer(fields: Values) -> bool:
    """Tell whether the last message of a row is not the user's."""
    listed = fields.get("messages", fields.get("conversations"))
    if isinstance(listed, list) and listed:
        last = listed[-1]
    else:
        last = None
    return not (isinstance(last, Mapping) and last.get("role", last.get("from")) in ("user", "human"))


def find_main_kind(rows: Sequence[Values]) -> Kind | None:
    """Return the most frequent kind of rows; None if fewer than half of them are training data only."""
    kinds = Counter(find_kind(row) for row in rows if is_training(row))
    if kinds and 2 * kinds.total() >= len(rows):
        return kinds.most_common(1)[0][0]
    return None

"""A tokenizer cannot be used.

`tokenizer:` of a model is the name of a table (cl100k, o200k, o200k_harmony, llama3, qwen3, qwen2.5) or the path of a
tokenizer.json. The tables come with `pip install readback[tokens]`, files are read by Hugging Face's tokenizers, which
comes with `pip install readback[tokenizers]`; a file is read under limits of time and memory.

Tokens are then estimated, as bytes ÷ 4, and are called an estimate wherever they are shown. A prompt that just fits, or
just does not, is not told apart.

Install what the sentence names, or name the model's own tokenizer.json, whole and as its maker published it.
"""

CODE = "srv-tokenizer-unreadable"
SEVERITY = "warning"
ON = "load"
SENTENCE = "the tokenizer '{tokenizer}' cannot be used: {reason}; tokens are estimated"
FIX = "{cure}"
_FILE = "dataset: {path: data.jsonl}\nmodels: {m: {tokenizer: %s}}\n"
_DATA = {"data.jsonl": '{"id": "1"}\n'}
PASS = ({"readback.yml": _FILE % "qwen3", **_DATA},)
FAIL = (
    {"readback.yml": _FILE % "t.json", "t.json": '{"version": "1.0", "model": {"type": "BPE", ', **_DATA},
    {"readback.yml": _FILE % "sub", "sub/tokenizer.json": '{"version": "1.0", "model": {"type": "New"}}', **_DATA},
)

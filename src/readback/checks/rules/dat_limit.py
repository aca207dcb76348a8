"""Something took more than its limit.

A template, a configuration, a packed or a binary file that needs more time, memory or room than it may have. It was
stopped there.

What was stopped is missing. Limits are far above what real files need: a loop that does not end, or a file made to
fill the memory, is more likely than a large one.

Look at what the sentence names. If the file is meant, split it.
"""

CODE = "dat-limit"
SEVERITY = "error"
ON = "load"
SENTENCE = "{what}: stopped at {limit}"
FIX = "split it, or look for what does not end"
LIMIT = {"data.jsonl": '{"id": "1"}\n', "prompt_config.yml": "prompts: " + "[" * 100 + "]" * 100}
PASS = ({"data.jsonl": '{"id": "1"}\n'},)
FAIL = (LIMIT,)

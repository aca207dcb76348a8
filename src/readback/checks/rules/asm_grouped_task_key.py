"""A user instruction is given for one task of a group.

Rubric, agentic parsing and deep judgment tasks share one instruction for the whole group: `rubric_evaluation`,
`agentic_parsing`, `deep_judgment`. A key with the name of one such task is none of the seven.

The program refuses the configuration; here the text is left out.

Give the text under the group's key, for all its tasks.
"""

CODE = "asm-grouped-task-key"
SEVERITY = "error"
ON = "load"
SENTENCE = "there is no instruction for the single task '{key}': its group has one, '{group}'"
FIX = "give the text under {group}, for all tasks of the group"
PASS = ({"readback.yml": "instructions: {rubric_evaluation: Be strict.}\n"},)
FAIL = ({"readback.yml": "instructions: {rubric_llm_trait_batch: Be strict.}\n"},)

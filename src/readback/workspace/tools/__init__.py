"""Files of other tools in a workspace: projects, prompts, tasks and logs."""

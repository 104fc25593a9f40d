"""Skills and prompts for AI assistants in which every statement was executed."""

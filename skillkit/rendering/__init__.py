"""Rendering: templates and the catalogue become the texts that assistants read."""

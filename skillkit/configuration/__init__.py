"""The configuration: its format, its Optax calls, schedules, states, bytes, scripts and pictures."""

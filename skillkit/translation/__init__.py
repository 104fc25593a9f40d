"""Translation: other frameworks' training configurations as Optax's, with what is equal and what differs."""

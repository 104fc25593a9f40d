"""Trees of parameters as shapes and dtypes, read from files and checkpoints without loading an array."""

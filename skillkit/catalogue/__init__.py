"""The catalogue: specs, the code that they name, and what is sliced out of it."""

"""Runnable code that the published texts are sliced out of, each module with its spec beside it."""

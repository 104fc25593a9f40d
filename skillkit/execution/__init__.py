"""Execution: code run in processes of its own, under any interpreter, with nothing but the standard library."""

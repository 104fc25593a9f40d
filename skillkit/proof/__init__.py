"""Proof: what the texts state, run, judged and recorded."""

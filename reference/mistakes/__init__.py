"""The wrong code: every function here fails as the spec of the same stem states."""
